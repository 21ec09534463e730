#!/usr/bin/env python3
"""The same crawl again: in process, over a socket, with other threads, after an interruption."""

import collections
import json
import random
import signal
import sqlite3
import subprocess
import time

from crawling import (FRIENDLY, SCENT, SLOW, beside, check_crawl, contents, finish, query, scent, serve, topic, urls,
                      write)
from sites import Answer, Site

PAGES = 100 if SLOW else 300


# All that can be reached: which pages lie within a smaller depth depends on the way by which they are found first.
WHOLE = "{depth: 1000}"


def friendly_web(pages_per_host=15):
    write("web.yaml", FRIENDLY.replace("pages_per_host: 15", f"pages_per_host: {pages_per_host}"))
    return scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split()


def some_words(seeds):
    """Three that are on some pages of the web, and not on most."""
    topic(seeds)
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "words", "--pages", 40)
    texts = [json.loads(line)["text"] for line in scent("export", "words", "-f", "text").stdout.splitlines()]
    found = collections.Counter(word for text in texts for word in set(text.split()) if len(word) > 6)
    return sorted(word for word in found if 4 < found[word] < 12)[:3]


def pages_of(out):
    try:
        return query(out, "select count(*) from page")[0][0]
    except sqlite3.Error:
        return 0


def order(*args):
    """The pages of a crawl in the order in which they were examined, with what was thought of them."""
    return scent("crawl", "topic.yaml", "--from", "web.yaml", "--json", "-q", *args).stdout


@beside
def a_fixed_window_gives_the_same_bytes_whatever_the_threads():
    topic(friendly_web(), seed="5")
    for strategy in ("breadth-first", "best-first", "random"):
        for window in (1, 7):
            runs = {order("--strategy", strategy, "--window", window, "--pages", PAGES, "--threads", threads,
                          "-o", f"{strategy}-{window}-{threads}-{i}") for i, threads in enumerate((1, 2, 4))}
            assert len(runs) == 1, f"{strategy}, window {window}: the runs differ"
            assert len(runs.pop().splitlines()) == PAGES


@beside
def another_seed_gives_another_random_order():
    seeds = friendly_web()
    orders = set()
    for seed in (5, 6):
        topic(seeds, seed=str(seed))
        orders.add(order("--strategy", "random", "--window", 1, "--pages", PAGES, "-o", f"out-{seed}"))
    assert len(orders) == 2


# Those that need no model, no traces and no graph.
STRATEGIES = ["best-first:by=score", "fish", "shark", "in-degree", "hot-queue:by=pagerank", "tunnel", "pagerank",
              "opic", "larger-sites-first", "wtms:threshold=0", "query-context", "query-context-weighted", "intelligent",
              "infospiders", "fusion", "adaptive", "fusion:of=anchor-text + intelligent,by=fisher"]


@beside
def a_crawl_that_is_stopped_goes_on_as_if_it_was_not():
    """Scores that drift, the statistics of the query and the judge of then are what they were."""
    seeds = friendly_web()
    words = some_words(seeds)
    assert len(words) == 3
    topic(seeds, seed="5", query=f"'#sum({' '.join(words)})'")
    for strategy in STRATEGIES[::4] if SLOW else STRATEGIES:
        crawl = ["--strategy", strategy, "--window", 1]
        out = strategy.replace(" ", "")
        whole = order(*crawl, "--pages", 90, "-o", f"whole-{out}")
        parts = [order(*crawl, "--pages", pages, "-o", f"parts-{out}") for pages in (23, 61, 90)]
        assert whole.splitlines() == [line for part in parts for line in part.splitlines()], strategy
        assert len(whole.splitlines()) > 40, strategy


@beside
def a_crawl_that_is_killed_goes_on_as_if_it_was_not():
    seeds = friendly_web(pages_per_host=60)
    topic(seeds, seed="5", relevant="similar() > 0.2", limits="{pages: 100000, depth: 1000}")
    count = 100 if SLOW else 450
    for strategy, window in (("intelligent", 4), ("adaptive", 1), ("fusion:of=anchor-text + intelligent,by=fisher", 3),
                             ("infospiders", 4)):
        out = strategy.replace(" ", "")
        command = [SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "--window", str(window), "--strategy",
                   strategy]
        kills = 0
        for round_ in range(12):
            before = pages_of(out)
            child = subprocess.Popen([*command, "-o", out, "--pages", str(count)])
            while child.poll() is None and pages_of(out) <= before + 3 * round_:
                time.sleep(0.005)
            kills += child.poll() is None
            child.kill()
            child.wait()
        assert kills, strategy
        scent(*command[1:], "-o", out, "--pages", count)
        check_crawl(out)
        scent(*command[1:], "-o", f"whole-{out}", "--pages", count)
        rows = "select url, priority from pages where counted order by number"
        assert query(out, rows) == query(f"whole-{out}", rows), strategy


@beside
def a_server_and_the_process_itself_give_the_same_pages():
    topic(friendly_web(), limits=WHOLE)
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "inside")
    with serve("web.yaml") as server:
        scent("crawl", "topic.yaml", "--proxy-all", f"127.0.0.1:{server.port}", "-o", "outside")
    assert contents("inside") == contents("outside")
    assert len(urls("inside")) > 100
    states = "select url.url, state, status, digest from url left join page on page.url_id = url.id where flags & 2 = 0 order by 1"
    assert query("inside", states) == query("outside", states)
    check_crawl("inside")
    check_crawl("outside")


@beside
def it_is_the_same_whether_texts_are_in_memory_or_on_disk():
    seeds = friendly_web()
    for memory in ("16MiB", "1KiB"):
        topic(seeds, limits=WHOLE.replace("}", f", text_memory: {memory}}}"))
        scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", memory)
        # Interrupted, all texts are on disk when it goes on.
        scent("crawl", "topic.yaml", "--from", "web.yaml", "--pages", 100, "-o", f"{memory}-2")
        scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", f"{memory}-2")
    assert len(urls("1KiB")) > 100
    for out in ("1KiB", "16MiB-2", "1KiB-2"):
        assert contents(out) == contents("16MiB")
        check_crawl(out)


def crawl_until_done(out, interrupt):
    """Starts the crawl again and again, each time interrupted, until it ends by itself."""
    for round_ in range(200):
        child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--proxy-all", f"127.0.0.1:{interrupt.port}", "-q",
                                  "-o", out])
        try:
            return child.wait(interrupt.seconds(round_))
        except subprocess.TimeoutExpired:
            child.send_signal(interrupt.signal)
            status = child.wait(200)
            if status == 0:  # it came to its end at this very moment
                return 0
            # On a busy machine the signal comes before anybody listens.
            assert status in (interrupt.status, -interrupt.signal), status
            interrupt.obeyed += status == interrupt.status
    raise AssertionError("the crawl does not come to its end")


class Interrupt:
    def __init__(self, port, number, status, slowest):
        self.port, self.signal, self.status = port, number, status
        self.random, self.slowest, self.obeyed = random.Random(1), slowest, 0

    def seconds(self, round_):
        # Later rounds are longer: else a slow machine would never come to the end.
        return self.random.uniform(0.05, self.slowest) * (1 + round_ / 10)


def interrupted(number, status):
    topic(friendly_web(pages_per_host=5), limits=WHOLE, politeness="{delay: 80ms, per_host: 2, retries: 0}")
    with serve("web.yaml") as server:
        proxy = ["--proxy-all", f"127.0.0.1:{server.port}", "-q"]
        scent("crawl", "topic.yaml", *proxy, "-o", "undisturbed")
        interrupt = Interrupt(server.port, number, status, 0.6)
        assert crawl_until_done("out", interrupt) == 0
    assert interrupt.obeyed >= 2, f"exit status {status} came {interrupt.obeyed} times"
    assert contents("out") == contents("undisturbed")
    rows = "select url.url, state, status, digest, flags from url left join page on page.url_id = url.id where flags & 2 = 0 order by 1"
    assert query("out", rows) == query("undisturbed", rows)
    runs = query("out", "select count(*) from event where kind = 'resume'")[0][0]
    assert runs >= 2, f"only {runs} interruptions"
    check_crawl("out")


@beside
def kill_9_loses_nothing():
    interrupted(signal.SIGKILL, -signal.SIGKILL)


@beside
def a_signal_stops_gracefully_and_can_be_resumed():
    interrupted(signal.SIGTERM, 11)


@beside
def the_second_signal_ends_at_once():
    site = Site(lambda visit: Answer("slow", wait=50))
    topic([f"http://127.0.0.1:{site.port}/"])
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--allow-private", "-q", "-o", "out"])
    while not site.busy:
        assert child.poll() is None, "it ended by itself"
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert child.poll() is None, "the first signal must wait for what is in flight"
    child.send_signal(signal.SIGINT)
    assert child.wait(200) == 11
    assert not any(visit.status for visit in site.log), "it waited for the answer"
    site.stop()
    check_crawl("out", killed=True)


@beside
def a_limit_can_be_raised_later():
    topic(friendly_web())
    for limit in (20, 20, 50):
        scent("crawl", "topic.yaml", "--from", "web.yaml", "--pages", limit, "-o", "out")
        assert len(urls("out")) == limit
    assert query("out", "select count(*) from event where kind = 'resume'") == [(2,)]
    check_crawl("out")


@beside
def another_strategy_learns_from_the_pages_so_far():
    """Its queue is in its own order then: probabilities, where there were sums of logarithms."""
    topic(friendly_web(), window=1)
    crawl = ("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "--pages")
    priorities = lambda: [one for one, in query("out", "select priority from url where state = 'queued'")]
    scent(*crawl, 40, "--strategy", "intelligent")
    assert not all(0 < one < 1 for one in priorities())
    told = scent(*crawl, 41, "--strategy", "adaptive").stderr
    assert "the strategy has changed: it was intelligent, and is adaptive" in told and "learns anew" in told, told
    queued = json.loads(scent("why", "out", query("out", "select url from url where state = 'queued'")[0][0], "--json").stdout)
    assert 0 < queued["score"].get("now", queued["score"])["priority"] < 1, queued
    told = scent(*crawl, 60, "--strategy", "adaptive").stderr
    assert "has changed" not in told, told
    with sqlite3.connect("out/crawl.db") as db:  # as if an older scent had written it
        db.execute("update value set value = cast(x'63' || substr(value, 2) as blob) where name = 'strategy_state'")
    told = scent(*crawl, 80, "--strategy", "adaptive").stderr
    assert "the state of adaptive was written by another version of scent" in told and "learns anew" in told, told
    assert len(urls("out")) == 80
    check_crawl("out")


finish()
