#!/usr/bin/env python3
"""Many hosts on one address, of several workers: its server is visited no more often than by one worker alone."""

import sys
from collections import Counter
from pathlib import Path

from crawling import Server, check_crawl, finish, test, topic
from postgres import Postgres
from sites import Answer, Site, name
from workers import CLUSTER, check_log, fetched, finish_all, show_logs, start

HERE = Path(__file__).resolve().parent
AGENT = "user_agent: 'scent/0.1 (+https://www.example.org/bot)'"
WORKERS, HOSTS, PAGES = 3, 12, 7  # of a host, beside its robots.txt
DELAY, PER_IP = 0.24, 4
GAP = DELAY / PER_IP  # between two visits to the address
LATE = 1.5  # seconds that a busy machine may be behind


def answer(visit):
    if visit.path == "/robots.txt":
        return Answer("User-agent: *\nDisallow:\n", kind="text/plain")
    links = "".join(f'<a href="/{i}">{i}</a> ' for i in range(1, PAGES))
    return Answer(f"<html lang=en><title>{visit.path}</title><p>Page {visit.path} of {visit.host} {links}", wait=0.01)


def check_pace(times):
    """Of any visits behind each other, so many that the one or the other that was late does not matter."""
    for many in (60, len(times) - 1):
        for first, last in zip(times, times[many:]):
            assert last - first > many * GAP - LATE, f"{many} visits within {last - first:.2f} s, not {many * GAP:.2f}"


@test
def an_address_of_several_workers_is_visited_as_by_one():
    site = Site(answer)
    hosts = [name("127.0.0.1", f"d{i}") for i in range(HOSTS)]
    topic([f"http://{host}:{site.port}/" for host in hosts], strategy="breadth-first",
          cluster=CLUSTER % (WORKERS, "test", "50ms", "120s"),
          politeness=f"{{{AGENT}, delay: {DELAY * 1000:.0f}ms, per_host: 1, per_ip: {PER_IP}, retries: 0}}")
    with Server(sys.executable, HERE / "dnsserver.py") as names, Postgres() as server:
        source = ("--allow-private", "--dns", f"127.0.0.1:{names.port}")
        try:
            finish_all([start(i, server, source=source) for i in range(WORKERS)])
        except BaseException:
            show_logs()
            raise
        site.stop()
        told = server.sql("SELECT count(*) FROM scent.worker WHERE octet_length(ips) > 0")
        assert told == [[str(WORKERS)]], told
        check_log(server, *(f"w{i}" for i in range(WORKERS)))
    shares = [len(fetched(f"w{i}")) for i in range(WORKERS)]
    assert sum(shares) == HOSTS * PAGES and min(shares) >= PAGES, shares
    times = sorted(visit.begin for visit in site.log)
    again = Counter((visit.host, visit.path) for visit in site.log if visit.path != "/robots.txt").most_common(1)
    assert again[0][1] == 1, again
    check_pace(times)
    assert site.most["127.0.0.1"] <= PER_IP, f"{site.most} visits at once"
    for i in range(WORKERS):
        check_crawl(f"w{i}")


finish()
