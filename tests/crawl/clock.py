#!/usr/bin/env python3
"""The wall clock is set back and forward, between runs and while one runs: nobody waits for ever, no rule lives for
ever, no date is nonsense."""

import asyncio
import datetime
import os
import shutil
import signal
import struct
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from crawling import SCENT, SLOW, Skip, all_records, beside, check_crawl, finish, query, scent, serve, topic, urls, wait_for
from postgres import Postgres
from workers import WEB, check_together, finish_all, prepare, start

HOUR, DAY, YEAR = 3600, 86400, 365 * 86400
PAGES = 12


class Clock:
    """The clock of the programs that are started with `environment`."""

    def __init__(self):
        if SLOW or not shutil.which("cc"):
            raise Skip("it needs a preloaded library, which sanitizers do not like, and a compiler")
        library = Path("clock.so").resolve()
        source = Path(__file__).resolve().parents[1] / "fault" / "clock.c"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
        self.path, self.offsets = Path("offset").resolve(), []
        self.path.touch()
        self.set(0)
        self.environment = os.environ | {"LD_PRELOAD": str(library), "CLOCK_FILE": str(self.path)}

    def set(self, seconds):
        self.offsets.append(seconds)
        with open(self.path, "r+b") as file:
            file.write(struct.pack("q", seconds))

    def check_dates(self, crawl):
        """Every record has a date that the clock has shown, and so has every page."""
        now = time.time()
        dates = [datetime.datetime.fromisoformat(each["warc-date"]).timestamp() for each in all_records(crawl)]
        dates += [wall / 1e6 for wall, in query(crawl, "select fetched_us from page")]
        assert dates
        for date in dates:
            assert any(-300 < now + offset - date < 300 for offset in self.offsets), datetime.datetime.fromtimestamp(date)


class Site:
    """Some hosts; what `trouble` holds is answered by 503, once."""

    def __init__(self, hosts=3, trouble=(), retry_after="1", on_visit=None, links=""):
        self.asked, self.ports, self.servers = Counter(), [], []
        self.trouble, self.retry_after, self.on_visit, self.links = set(trouble), retry_after, on_visit, links
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()
        threading.Thread(target=self.run, args=(hosts,), daemon=True).start()
        assert self.ready.wait(200)

    def run(self, hosts):
        asyncio.set_event_loop(self.loop)
        for _ in range(hosts):
            server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
            self.servers.append(server)
            self.ports.append(server.sockets[0].getsockname()[1])
        self.ready.set()
        self.loop.run_forever()

    async def serve(self, reader, writer):
        port = writer.get_extra_info("sockname")[1]
        try:
            while True:
                path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
                self.asked[port, path] += 1
                if self.on_visit:
                    self.on_visit(sum(self.asked.values()))
                status, more = "200 OK", ""
                if path in self.trouble and self.asked[port, path] == 1:
                    status, more = "503 Busy", f"Retry-After: {self.retry_after}\r\n"
                links = " ".join(f'<a href="/{i}">{i}</a>' for i in range(PAGES))
                body = "User-agent: *\nDisallow: /3\n" if path == "/robots.txt" else \
                    f"<title>{path}</title><p>Page {path} of {port} {links} {self.links}"
                writer.write(f"HTTP/1.1 {status}\r\n{more}Content-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)

    def topic(self, **keys):
        topic([f"http://127.0.0.1:{port}/" for port in self.ports],
              politeness="{delay: 20ms, per_host: 1, per_domain: 100, per_ip: 100, retries: 3}", **keys)

    def check(self, crawl, clock, robots):
        """Everything came, what is forbidden did not, and robots.txt was asked for at most so often."""
        self.stop()
        expected = {f"http://127.0.0.1:{port}/{path}" for port in self.ports for path in ["", *map(str, range(PAGES))]
                    if path != "3"}
        assert set(urls(crawl)) == expected, expected ^ set(urls(crawl))
        assert not [key for key in self.asked if key[1] == "/3"], "a forbidden page was fetched"
        for port in self.ports:
            assert 1 <= self.asked[port, "/robots.txt"] <= robots, self.asked[port, "/robots.txt"]
        clock.check_dates(crawl)
        check_crawl(crawl)
        assert "0 problems" in scent("check", crawl).stderr


def run(clock, *options):
    return scent("crawl", "topic.yaml", "-o", "out", "--allow-private", "-q", *options, env=clock.environment)


@beside
def a_clock_that_is_set_back_between_runs_blocks_nobody():
    clock = Clock()
    for back in (6 * HOUR, 30 * DAY, 20 * YEAR):  # less than the longest wait, more, and far more
        shutil.rmtree("out", ignore_errors=True)
        clock.set(0)
        # One host is in trouble when the first run ends, and asks for a wait that is not over then.
        site = Site(trouble=["/1"], retry_after="3")
        site.topic()
        run(clock, "--pages", "20")
        clock.set(-back)
        run(clock)
        site.check("out", clock, robots=3)


@beside
def a_clock_that_is_set_forward_between_runs_lets_rules_expire():
    clock = Clock()
    site = Site()
    site.topic()
    run(clock, "--pages", "10")
    clock.set(10 * YEAR)
    run(clock, "--pages", "20")
    clock.set(0)  # and the mistake is found
    run(clock)
    site.check("out", clock, robots=3)


@beside
def a_clock_that_jumps_while_a_crawl_runs_does_no_harm():
    clock = Clock()
    jumps = {8: 10 * YEAR, 16: -20 * YEAR, 24: 7 * HOUR, 32: 0}

    def on_visit(number):
        if number in jumps:
            clock.set(jumps[number])
    site = Site(trouble=["/1", "/5"], retry_after="1", on_visit=on_visit)
    site.topic()
    run(clock)
    site.check("out", clock, robots=1 + len(jumps))


@beside
def pages_that_were_seen_in_the_future_are_visited_again_in_time():
    clock = Clock()
    site = Site(hosts=1)
    site.topic(recrawl="{policy: fixed, interval: 1h}")
    clock.set(10 * YEAR)
    run(clock)
    clock.set(0)  # each page is due in ten years
    run(clock)
    before = Counter(site.asked)
    clock.set(2 * HOUR)
    run(clock)
    site.stop()
    for path in ["/", *(f"/{i}" for i in range(PAGES) if i != 3)]:
        assert site.asked[site.ports[0], path] > before[site.ports[0], path], f"{path} was not visited again"
    check_crawl("out")


@beside
def a_clock_that_is_set_back_does_not_stop_a_crawl_that_waits_for_revisits():
    clock = Clock()
    site = Site(hosts=1)
    site.topic(recrawl="{policy: fixed, interval: 1s, wait: true}", limits="{pages: 1}")
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "-o", "out", "--allow-private", "-q"], env=clock.environment)
    try:
        for back in (0, 2 * HOUR, 30 * DAY):
            clock.set(-back)
            wait_for(lambda before=site.asked[site.ports[0], "/"]: site.asked[site.ports[0], "/"] >= before + 2)
    finally:
        child.send_signal(signal.SIGINT)
        assert child.wait(200) == 11
        site.stop()
    check_crawl("out")


@beside
def a_machine_without_a_clock_takes_no_date_for_a_trap():
    clock = Clock()
    clock.set(-int(time.time()) + 1000)
    site = Site(hosts=1, links='<a href="/calendar/2026/05/01">May</a> <a href="/calendar/2726/05/01">later</a>')
    site.topic()
    run(clock)
    site.stop()
    assert site.asked[site.ports[0], "/calendar/2026/05/01"] == 1
    assert site.asked[site.ports[0], "/calendar/2726/05/01"] == 0


@beside
def a_worker_whose_clock_is_an_hour_off_cannot_join_and_loses_nothing():
    clock = Clock()
    prepare(2, web=WEB.replace("pages_per_host: 15", "pages_per_host: 8"), politeness="{delay: 300ms, per_host: 1, retries: 1}")
    with Postgres() as server, serve("web.yaml") as site:
        source = ("--proxy-all", f"127.0.0.1:{site.port}")

        def worker(number):
            return start(number, server, source=source, env=clock.environment)

        def lease():
            return server.sql("SELECT max(lease_until) FROM scent.worker")
        children = [worker(0), worker(1)]
        wait_for(Path("w0/warc").exists)  # its hosts take seconds, and the crawl does not end before they are done
        wait_for(lambda: server.sql("SELECT count(*) FROM scent.worker") == [["2"]])  # the other one has joined, too
        children[0].kill()
        children[0].wait()
        for offset, word in ((HOUR, "ahead of"), (-HOUR, "behind")):
            clock.set(offset)
            done = subprocess.run(children[0].args, env=clock.environment, stderr=subprocess.PIPE, text=True, timeout=100)
            assert done.returncode == 2 and f" s {word} that of the server" in done.stderr, done
            # The other one takes part already, and continues.
            wait_for(lambda before=lease(): lease() != before)
        wait_for(lambda: "the clock of this machine is now 3" in Path("w1/crawl.log").read_text())
        clock.set(0)
        finish_all([worker(0), children[1]])
    scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
    check_together(2)


finish()
