#!/usr/bin/env python3
"""kill -9 at random moments of a crawl that is resumed each time: 50 of them in each of two crawls, or TORTURE_KILLS in one
(`make torture`: 1,000)."""

import fcntl
import os
import random
import select
import signal
import subprocess
import time
from collections import Counter

from crawling import SCENT, SLOW, Skip, beside, check_same, finish, pages, query, scent, topic, write

KILLS = int(os.environ.get("TORTURE_KILLS") or (6 if SLOW else 50))  # of a crawl
# A run commits every half second; some are killed before, some after.
LONGEST_RUN = 2.0 if SLOW else 1.0
PAGES_A_SECOND = 150
# More than a run can commit on average, with what the pipe holds: every kill finds something left to do.
PAGES_A_KILL = int(LONGEST_RUN * PAGES_A_SECOND / 2) + 50
PAGES_A_HOST = 50

WEB = f"""kind: generated
seed: 7
hosts: {max(15, KILLS * PAGES_A_KILL // PAGES_A_HOST)}
pages_per_host: {PAGES_A_HOST}
dead_hosts: 0
slow_hosts: {{share: 0}}
traps: 0
redirect_loops: 0
"""
CRAWL = ["crawl", "topic.yaml", "--from", "web.yaml", "--strategy", "best-first", "-q"]


def read_until(pipe, end):
    """Takes the lines of --json, one a page, at the pace that this crawl is to have, until the moment `end`."""
    now = time.monotonic()
    while now < end:
        if select.select([pipe], [], [], end - now)[0]:
            data = os.read(pipe, 4096)
            if not data:
                return
            time.sleep(min(data.count(b"\n") / PAGES_A_SECOND, max(0, end - time.monotonic())))
        now = time.monotonic()


def run_and_kill(out, seconds, crawling):
    """One run of the crawl, killed so long after its start, or after it has come to crawl: what it rebuilds at first takes
    longer and longer. True: it was killed before its end."""
    # A small pipe: the crawl waits as soon as nobody reads.
    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, 4096)
    child = subprocess.Popen([SCENT, *CRAWL, "--json", "-o", out], stdout=writable)
    os.close(writable)
    try:
        if crawling:
            select.select([readable], [], [], 60)
        read_until(readable, time.monotonic() + seconds)
    finally:
        child.send_signal(signal.SIGKILL)
        os.close(readable)
    return child.wait() == -signal.SIGKILL


def frequent_words(seeds):
    """Some words of this web, so that there is something to count."""
    topic(seeds, limits="{pages: 20}", seed="3")
    scent(*CRAWL, "-o", "sample")
    words = Counter(word for page in pages("sample") for word in (page["title"] or "").lower().split() if word.isalpha())
    return [word for word, _ in words.most_common(6)]


def learned(crawl):
    """What the crawl has counted of all pages, whatever their order was. It is kept like the state of a strategy: in
    checkpoints that lag behind, and goes on from there by the pages that came later."""
    return dict(query(crawl, "select name, cast(value as text) from value where name in ('census', 'census_at')"))


def torture(seed):
    moments = random.Random(seed)
    write("web.yaml", WEB)
    seeds = scent("web", "generate", "web.yaml", "--seeds", "4").stdout.split()
    asked = " ".join(frequent_words(seeds))
    topic(seeds, limits="{depth: 1000, text_memory: 1KiB}", seed="3", query=f"'#sum({asked})'", relevant="'true'")
    scent(*CRAWL, "-o", "undisturbed")
    for i in range(KILLS):
        assert run_and_kill("out", moments.uniform(0, LONGEST_RUN), i % 2), f"it came to its end after {i} kills"
    committed = query("out", "select count(*) from page")[0][0]
    runs = query("out", "select count(*) from event where kind in ('start', 'resume')")[0][0]
    print(f"{KILLS} kills in, {committed} responses were committed by {runs} runs", flush=True)
    scent(*CRAWL, "-o", "out")
    assert committed < query("out", "select count(*) from page")[0][0], "nothing was left to do after the last kill"
    assert runs >= KILLS / 8, f"only {runs} runs came so far as to commit something"
    check_same("out", "undisturbed")
    assert len(learned("out")) == 2 and learned("out") == learned("undisturbed"), (learned("out"), learned("undisturbed"))


@beside
def kill_9_at_random_moments_loses_nothing():
    torture(int(os.environ.get("TORTURE_SEED") or 1))


@beside
def kill_9_at_other_moments_loses_nothing():
    if os.environ.get("TORTURE_KILLS"):
        raise Skip("one crawl is killed so often")
    torture(2)


finish()
