#!/usr/bin/env python3
"""A long crawl of servers that are slow, fail, send too much, lead in circles and have no end, watched from outside.

SOAK_SECONDS of it (30; `make soak`: an hour): memory, descriptors and threads do not grow beyond what is named, no host
and no address is visited more often than configured, something is fetched all the time, and what it leaves is whole."""

import os
import pty
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from array import array
from collections import defaultdict
from pathlib import Path

from crawling import SCENT, SLOW, Server, Skip, finish, query, test, topic
from sites import Answer, Site, name

SECONDS = int(os.environ.get("SOAK_SECONDS") or 30)
ADDRESSES = [f"127.0.0.{i}" for i in range(1, 9)]
HOSTS, PAGES = 600 + SECONDS // 2, 1000  # more than can be seen in that time
DELAY, PER_IP = 0.1, 6
CRAWL_DELAY = 1.0
PAGE_BYTES = 256 * 1024

# What may grow, in bytes: DESIGN "figures to reach" for a URL; queue, rules, name and manners of a host; fingerprints of
# a page.
A_URL, A_HOST, A_PAGE = 64 + 130, 1024, 64 + 1024  # and what the learner keeps (src/strategy/learner.h)
DATABASE_CACHE = 64 * 1024 * 1024  # at most, once the database is so large
NOISE = 6 * 1024 * 1024  # of the allocator

KINDS = ["slow", "failing", "huge", "redirecting", "trap", "overloaded", "asking", "nameless", "gone", "hanging"]
HUGE = "<html><title>huge</title><p>" + "so many words " * 200_000


def kind_of(host):
    """Half of the hosts have something."""
    return KINDS[host % 20] if host % 20 < len(KINDS) else "ordinary"


def host_name(host):
    if kind_of(host) == "nameless":
        return f"{('nxdomain', 'servfail', 'timeout')[host // 20 % 3]}.h{host}.test"
    if kind_of(host) == "gone":
        return name("127.0.0.77", f"h{host}")
    return name(ADDRESSES[host % len(ADDRESSES)], f"h{host}")


class Web:
    """Without end, as far as a crawl can tell."""

    def url(self, host, path):
        return f"http://{host_name(host)}:{self.port}{path}"

    def links(self, host, page, dice):
        own = [self.url(host, f"/{at}") for at in (2 * page + 1, 2 * page + 2) if at < PAGES]
        return own + [self.url(dice.randrange(HOSTS), "/0"), self.url(host, "/private/x")]

    def page(self, host, path, links):
        dice = random.Random(f"{host}{path}")
        text = " ".join(f"w{dice.randrange(5000)}" for _ in range(150))
        return Answer(f"<html lang=en><title>{host} {path}</title><p>{text}" +
                      "".join(f'<a href="{link}">on</a> ' for link in links))

    def answer(self, visit):
        host = int(re.search(r"\.h(\d+)\.", visit.host + ".")[1])
        if visit.path == "/robots.txt":
            asks = f"Crawl-delay: {CRAWL_DELAY:.0f}\n" if kind_of(host) == "asking" else ""
            return Answer(f"User-agent: *\nDisallow: /private\n{asks}", kind="text/plain")
        dice = random.Random(visit.path + visit.host)
        number = int((re.findall(r"\d+", visit.path) or ["0"])[-1])
        answer = self.page(host, visit.path, self.links(host, number, dice))
        change = getattr(self, kind_of(host), None)
        return change(host, visit, number, dice, answer) if change else answer

    def slow(self, host, visit, number, dice, answer):
        answer.wait = dice.uniform(0.2, 1.5)
        return answer

    def failing(self, host, visit, number, dice, answer):
        fault = dice.randrange(6)
        answer.drop, answer.cut = fault == 0, 0.5 if fault == 1 else 1
        answer.status = {2: 500, 3: 404}.get(fault, 200)
        return answer

    def huge(self, host, visit, number, dice, answer):
        if number % 3 == 0:
            answer.body += HUGE
        return answer

    def redirecting(self, host, visit, number, dice, answer):
        if number % 2:
            to = [visit.path, f"/{number + 1}", self.url(dice.randrange(HOSTS), "/0"), f"/{number}?again={number}"]
            return Answer(status=302, headers={"Location": dice.choice(to)})
        return answer

    def trap(self, host, visit, number, dice, answer):
        deeper = [f"{visit.path.rstrip('/')}/{dice.choice('abc')}", f"/calendar/{2020 + number % 40}/{number % 12 + 1}",
                  f"/0?session={dice.randrange(10**9)}", f"/list?from={number + 10}"]
        answer.body += "".join(f'<a href="{each}">next</a>' for each in deeper)
        return answer

    def overloaded(self, host, visit, number, dice, answer):
        if int(time.monotonic() / 10) % 2:
            return Answer(status=503, headers={"Retry-After": 1})
        return answer

    def hanging(self, host, visit, number, dice, answer):
        answer.wait = 100 if number % 4 == 3 else 0
        return answer


class Watch:
    """Looks at a crawl once a second, from outside."""

    LINE = re.compile(r"(\d+) pages .* (\d+) queued  (\d+) in flight  (\d+) errors")

    def __init__(self, site, command):
        self.site, self.samples = site, []
        self.begins = defaultdict(lambda: array("d"))  # of visits, by host and by address
        self.told, self.last_words = (0, 0, 0, 0), ""
        screen, line = pty.openpty()  # where it finds a terminal it tells how far it is
        self.child = subprocess.Popen(command, stderr=line)
        os.close(line)
        self.reader = threading.Thread(target=self.read, args=(screen,))
        self.reader.start()

    def read(self, screen):
        said = ""
        while True:
            try:
                said += os.read(screen, 4096).decode(errors="replace")
            except OSError:
                break
            *whole, said = re.split(r"[\r\n]+", said)
            for line in filter(None, whole):
                found, self.last_words = self.LINE.search(line), line
                self.told = tuple(map(int, found.groups())) if found else self.told
        os.close(screen)

    def take_log(self):
        log, self.site.log = self.site.log, []
        for visit in log:
            self.begins[visit.host].append(visit.begin)
            self.begins[visit.address].append(visit.begin)
        return len(log)

    def known(self):
        """URLs, hosts, bytes of the database; some of them may still lie in its log."""
        try:
            return [query("out", sql)[0][0] or 0 for sql in (
                "select max(id) from url", "select max(id) from host", "select page_count * 4096 from pragma_page_count")]
        except sqlite3.OperationalError:  # not there yet
            return [0, 0, 0]

    def sample(self):
        process = Path(f"/proc/{self.child.pid}")
        status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
        urls, hosts, database = self.known()
        pages, queued, in_flight, errors = self.told
        self.samples.append(dict(
            time=time.monotonic(), visits=self.take_log(), pages=pages, queued=queued, flying=in_flight, errors=errors,
            urls=urls, hosts=hosts, visited=len(self.begins), database=database,
            resident=int(status["VmRSS"].split()[0]) * 1024, memory=int(status["RssAnon"].split()[0]) * 1024,
            threads=int(status["Threads"]), descriptors=len(os.listdir(process / "fd"))))

    def run(self):
        end = time.monotonic() + SECONDS + 200
        try:
            while self.child.poll() is None:
                assert time.monotonic() < end, "it does not stop when its time is over"
                try:
                    self.sample()
                except (OSError, KeyError):  # it has just ended
                    break
                time.sleep(max(1.0, SECONDS / 3600))
        finally:
            if self.child.poll() is None and time.monotonic() >= end:
                self.child.kill()
            self.child.wait()
            self.reader.join()
            self.take_log()


COLUMNS = ["visits", "pages", "queued", "flying", "errors", "urls", "hosts", "resident", "descriptors", "threads"]


def print_table(samples):
    begin = samples[0]["time"]
    print("".join(f"{title:>12}" for title in ["seconds", *COLUMNS]))
    step = max(1, len(samples) // 20)
    for at in range(0, len(samples), step):
        row = dict(samples[at], visits=sum(each["visits"] for each in samples[at:at + step]),
                   resident=f"{samples[at]['resident'] / 2**20:.1f}M")
        print(f"{row['time'] - begin:12.0f}" + "".join(f"{row[column]:>12}" for column in COLUMNS))
    sys.stdout.flush()


def growth(samples, value):
    """Over the time of the samples, by the median of the slopes between pairs of them (Theil and Sen): some outliers
    change nothing."""
    thin = samples[::max(1, len(samples) // 150)]
    slopes = [(value(b) - value(a)) / (b["time"] - a["time"]) for i, a in enumerate(thin) for b in thin[i + 1:]]
    return statistics.median(slopes) * (samples[-1]["time"] - samples[0]["time"])


def named(at):
    return (A_URL * at["urls"] + A_HOST * at["hosts"] + A_PAGE * at["pages"] + min(DATABASE_CACHE, at["database"])
            + PAGE_BYTES * at["flown"])


def check_growth(samples):
    for at, before in zip(samples, [samples[0], *samples]):  # what visits under way have taken is kept for the next ones
        at["flown"] = max(at["flying"], before.get("flown", 0))
    later = samples[len(samples) // 2:]
    extra = growth(later, lambda at: at["memory"] - named(at))
    total = growth(later, lambda at: at["memory"])
    print(f"memory in the second half: {total / 2**20:+.1f} MiB, {extra / 2**20:+.1f} MiB beyond what is named")
    assert extra < NOISE, f"memory grows by {extra / 2**20:.1f} MiB more than is named"
    for what, room in (("descriptors", 40), ("threads", 1), ("flying", 40)):
        # A host that was visited for the first time has a connection that is kept.
        more = growth(later, lambda at: at[what] - (at["visited"] if what == "descriptors" else 0))
        print(f"{what} in the second half: {more:+.1f} beyond what is named, at most {max(at[what] for at in samples)}")
        assert more < room, f"{what} grow by {more:.0f}"


def check_progress(samples):
    """Something was fetched within every ten seconds, and became a page."""
    begin = samples[0]["time"]
    for at in range(0, int(samples[-1]["time"] - begin) - 10, 10):
        within = [each for each in samples if at <= each["time"] - begin < at + 10]
        assert sum(each["visits"] for each in within) > 0, f"no visits from second {at} on"
        assert at == 0 or len(within) < 5 or within[-1]["pages"] > within[0]["pages"], f"no pages from second {at} on"


def check_pace(watch):
    """Whoever was visited: at most one visit a delay, and a few for what was late on its way or asked for once more by
    libcurl, in every ten seconds in which this machine kept its own time."""
    window, checked, worst = 10, 0, defaultdict(float)
    late = [(at, at + seconds) for at, seconds in watch.site.lag if seconds > 2 * DELAY]
    for who, begins in watch.begins.items():
        if who in ADDRESSES:
            most, kind = PER_IP * window / DELAY + 3 * PER_IP, "address"
        else:
            kind = kind_of(int(re.search(r"\.h(\d+)\.", who)[1]))
            most = window / (CRAWL_DELAY if kind == "asking" else DELAY) + 4
            most *= 2 if kind == "failing" else 1
        begins, first = sorted(begins), 0
        for last, moment in enumerate(begins):
            while begins[first] < moment - window:
                first += 1
            if any(begins[first] < end and moment > begin for begin, end in late):
                continue
            checked += 1
            worst[kind] = max(worst[kind], (last - first + 1) / most)
            assert last - first < most, f"{who} ({kind}): {last - first + 1} visits within {window} s, not {most:.0f}"
    print(f"{len(watch.begins) - len(ADDRESSES)} hosts on {len(ADDRESSES)} addresses; {checked} windows of {window} s, "
          f"the fullest by kind: {', '.join(f'{kind} {part:.0%}' for kind, part in sorted(worst.items()))}")
    if checked <= 100:
        print("this machine was too busy to tell of the pace of single hosts")
    for address, most in watch.site.most.items():
        # What the crawler broke off, this server may notice a little later.
        assert most <= PER_IP + 2, f"{address}: {most} visits at once"


@test
def a_long_crawl_stays_as_it_was():
    if SLOW:
        raise Skip("the release build tries it")
    web = Web()
    site = Site(web.answer, ADDRESSES)
    web.port = site.port
    topic([web.url(host, "/0") for host in range(19, 19 + 40)], limits=f"{{depth: 1000, page_bytes: {PAGE_BYTES}}}",
          politeness=f"{{delay: {int(DELAY * 1000)}ms, per_host: 1, per_domain: 2, per_ip: {PER_IP}, retries: 1, "
                     "user_agent: 'soak/1 (+mailto:nobody@example.test)'}")
    with Server(sys.executable, Path(__file__).with_name("dnsserver.py"), "--seconds", SECONDS + 300) as names:
        watch = Watch(site, [SCENT, "crawl", "topic.yaml", "--allow-private", "--dns", f"127.0.0.1:{names.port}",
                             "--time", f"{SECONDS}s", "-o", "out"])
        watch.run()
    site.stop()
    print_table(watch.samples)
    print(watch.last_words.removeprefix("\x1b[K"))
    assert watch.child.returncode == 0, f"exit status {watch.child.returncode}"
    # What follows the last page is the end of the crawl: it judges pages again, once, in memory that is bounded.
    crawling = [each for each in watch.samples if each["pages"] < watch.samples[-1]["pages"]]
    check_progress(crawling)
    check_pace(watch)
    check_growth(crawling)
    assert not site.busy, "somebody is still being served"
    found = subprocess.run([SCENT, "check", "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert found.returncode == 0 and found.stdout == "", found
    print(f"{found.stderr.strip()}\nsoak: {SECONDS} s, nothing to complain of", flush=True)


finish()
