#!/usr/bin/env python3
"""Commands of the topic are told of pages while the crawl runs, and can neither stop nor delay it."""

import json
import os
import time
from pathlib import Path

from crawling import Site, all_records, finish, html, pages, scent, test, topic

WORDS = "cricket " * 30


class Ring(Site):
    """Pages 0 to 29 on a ring with two links each; every third one is relevant."""

    def __init__(self):
        super().__init__({f"/{n}": html(f"<a href=/{(n + 1) % 30}>x</a> <a href=/{(n + 7) % 30}>y</a> {n} "
                                        + (WORDS if n % 3 == 0 else "tennis")) for n in range(30)})


def crawl(hooks, **keys):
    with Ring() as site:
        topic([site.base + "/0"], relevant="cricket", content="all", hooks=hooks, **keys)
        return scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-v")


def told(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@test
def pages_are_told_with_the_place_of_their_records():
    crawl("{on_page: 'cat > all.txt', on_relevant: 'cat > some.txt; echo done > end.txt'}")
    exported = pages("out")
    assert len(exported) == 30
    both = sorted(told("all.txt"), key=lambda page: page["n"])
    assert both == exported, (both[:1], exported[:1])
    assert [page["url"] for page in told("some.txt")] == [page["url"] for page in exported if page["relevant"]]
    assert len(told("some.txt")) == 10
    assert Path("end.txt").exists(), "it was not waited for"
    offsets = {each["offset"] for each in all_records("out")}
    assert all(page["offset"] in offsets for page in told("all.txt"))
    log = Path("out/crawl.log").read_text()
    assert "hook on_page - 'cat > all.txt' is started" in log, log


@test
def a_command_that_dies_is_started_again():
    crawl("{on_page: 'echo x >> starts.txt; head -n 1 >> lines.txt'}")
    log = Path("out/crawl.log").read_text()
    assert "has ended (exit status 0); it is started again" in log or "were dropped" in log, log
    assert 1 <= len(Path("starts.txt").read_text().split()) <= 5
    assert len(pages("out")) == 30


@test
def a_command_that_reads_nothing_delays_nobody():
    begin = time.monotonic()
    done = crawl("{on_page: 'trap \"\" TERM; sleep 600 & echo $! > pid.txt; wait'}")
    assert len(pages("out")) == 30
    assert time.monotonic() - begin < 100, "it was waited for"
    assert "does not end and is killed" in done.stderr, done.stderr
    child = int(Path("pid.txt").read_text())
    try:
        os.kill(child, 0)
        state = Path(f"/proc/{child}/stat").read_text().rsplit(")")[1].split()[0]
        assert state == "Z", "what it started was left behind"
    except (ProcessLookupError, FileNotFoundError):
        pass


@test
def a_command_that_does_not_exist_is_told():
    done = crawl("{on_relevant: /nowhere/at-all}")
    assert len(pages("out")) == 30
    assert "'/nowhere/at-all' has ended (exit status 127)" in done.stderr, done.stderr
    assert "10 pages were dropped" in done.stderr, done.stderr


finish()
