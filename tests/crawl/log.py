#!/usr/bin/env python3
"""A crawl says what it decided and what it waits for: crawl.log, progress without a terminal, seeds in trouble."""

import json
import subprocess
import sys
from pathlib import Path

from crawling import SCENT, Server, Site, beside, finish, html, scent, test, topic, wait_for

HERE = Path(__file__).resolve().parent


def lines(crawl="out"):
    return Path(crawl, "crawl.log").read_text().splitlines()


@beside
def a_mistyped_seed_host_is_told_at_once():
    topic(["http://nxdomain.x.test/"], politeness="{user_agent: 'scent (+http://x.test/)', retries: 9}")
    with Server(sys.executable, HERE / "dnsserver.py") as names:
        child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "-o", "out", "--dns", f"127.0.0.1:{names.port}"],
                                 stderr=subprocess.PIPE, text=True)
        try:
            told = []
            while "errors" not in "".join(told):  # the first line of progress, after ten seconds
                told.append(child.stderr.readline())
                assert told[-1], told
        finally:
            child.kill()
            child.wait()
            child.stderr.close()
    first = [n for n, line in enumerate(told) if "nxdomain.x.test: no such name; retry in" in line]
    assert first and first[0] < len(told) - 1, told
    assert "0 in flight" in told[-1] and "waiting for nxdomain.x.test: no such name, retry in" in told[-1], told


@test
def the_log_has_what_was_decided():
    site = Site({"/": html("hockey <a href=/a>a</a> <a href=/b>b</a>"), "/a": html("hockey"), "/b": html("ice")})
    with site:
        topic([site.base + "/", site.base + "/gone", "http://127.0.0.1:1/"], limits="{pages: 2}")
        done = scent("crawl", "topic.yaml", "--allow-private", "-o", "out")
        log = "\n".join(lines())
        assert "run the crawl begins" in log and "run the crawl ends: limit reached; 2 pages" in log, log
        assert f"seed warning {site.base}/gone - http 404" in log, log
        assert f"{site.base}/gone: http 404" in done.stderr, done.stderr
        assert "127.0.0.1:1 - no connection" in log, log
        assert "1 errors" in done.stderr or "2 errors" in done.stderr, done.stderr
        again = scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "--pages", "3", "-v", "--log", "json")
        assert "the crawl resumes" in again.stderr, again.stderr
        objects = [json.loads(line) for line in lines()[len(log.split("\n")):]]
        assert objects[0]["kind"] == "run" and objects[0]["text"].startswith("the crawl resumes"), objects
        # Whoever is purged is not in the log either.
        scent("purge", "out", site.base + "/gone")
        assert "/gone" not in Path("out/crawl.log").read_text()
        scent("check", "out")


@test
def quiet_is_quiet_and_errors_are_errors():
    site = Site({"/": html("hockey <a href=/a>a</a> <a href=/x.png>b</a> <a href=/forbidden>c</a>"), "/a": html("ice"),
                 "/x.png": (200, [("Content-Type", "image/png")], b"x"),
                 "/robots.txt": (200, [("Content-Type", "text/plain")], b"User-agent: *\nDisallow: /forbidden\n")})
    with site:
        topic([site.base + "/"], scope="{types: [text/html]}")
        assert scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q").stderr == ""
        run = json.loads(Path("out/run.json").read_text())["runs"][-1]
        assert run["failed"] == 0, run
        reasons = json.loads(scent("status", "out", "--json").stdout)
        assert reasons["urls"]["failed"] == 0 and reasons["urls"]["dropped"] == 2, reasons


@test
def a_log_that_cannot_be_written_stops_nobody():
    with Site({"/": html("hockey")}) as site:
        topic([site.base + "/"])
        Path("out").mkdir()
        Path("victim").write_text("mine")
        Path("out/crawl.log").symlink_to(Path("victim").resolve())
        scent("crawl", "topic.yaml", "--allow-private", "-o", "out")
        assert Path("victim").read_text() == "mine" and Path("out/crawl.log").is_symlink()


finish()
