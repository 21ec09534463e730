#!/usr/bin/env python3
"""Workers of one crawl learn from each other: their counts are summed, and a worker that was killed goes on with them."""

from collections import Counter

from crawling import FRIENDLY, beside, check_crawl, finish, query, scent, serve, topic, wait_for, write
from postgres import Postgres
from workers import hurry, start

WORKERS = 2
DELAY = "2s"  # between the 15 pages of a host, until counts were seen to travel


def prepare(strategy):
    write("web.yaml", FRIENDLY + "duplicates: 0\n")
    seeds = scent("web", "generate", "web.yaml", "--seeds", "4").stdout.split()
    keys = {"strategy": strategy, "limits": "{depth: 1000}", "relevant": "the"}
    topic(seeds, path="alone.yaml", **keys)
    topic(seeds, cluster=f"{{workers: {WORKERS}, name: test, turn: 10ms, partitions: 16}}",
          politeness=f"{{delay: {DELAY}, per_host: 1}}", **keys)


def inside(crawl):
    """Bytes of other workers' counts that it holds."""
    return sum(len(value) for value, in query(crawl, "select value from value where name = 'cluster_counts'"))


def fetched(crawl):
    return Counter(url for url, in query(crawl, "select url.url from page join url on url.id = page.url_id where flags & 2 = 0"))


def crawl_with(strategy):
    prepare(strategy)
    with Postgres() as server, serve("web.yaml") as site:
        source = ("--proxy-all", f"127.0.0.1:{site.port}")
        children = [start(i, server, source=source) for i in range(WORKERS)]
        told = "SELECT count(*) FROM scent.worker WHERE learned IS NOT NULL"
        wait_for(lambda: server.sql("SELECT to_regclass('scent.worker') IS NOT NULL")[0] == ["t"])
        wait_for(lambda: server.sql(told)[0] == [str(WORKERS)] or any(child.poll() is not None for child in children))
        assert server.sql(told)[0] == [str(WORKERS)], "the crawl was over before anybody told what it had learned"
        wait_for(lambda: inside("w0") > 0 or children[0].poll() is not None)
        assert inside("w0"), "the crawl was over before anybody was told"  # the other one may end without
        children[0].kill()
        children[0].wait()
        children[0] = start(0, server, source=source)
        hurry(0, 1)
        assert [child.wait(200) for child in children] == [0] * WORKERS
        assert inside("w0"), "it has forgotten what it was told"
    scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
    assert fetched("w0") + fetched("w1") == fetched("alone")
    for i in range(WORKERS):
        check_crawl(f"w{i}")


@beside
def intelligent_shares_its_counts():
    crawl_with("intelligent")


@beside
def adaptive_shares_its_counts():
    crawl_with("adaptive")


finish()
