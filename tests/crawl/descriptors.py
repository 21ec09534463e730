#!/usr/bin/env python3
"""Few file descriptors: a crawl gets slower, loses nothing, and says so where there are too few."""

import os
import resource

from crawling import Skip, check_crawl, finish, query, scent, test, topic, urls, write
from sites import Answer, Site

HOSTS, PAGES = 60, 4


def answer(visit):
    """Many hosts that take their time and keep every connection open."""
    links = " ".join(f'<a href="/{i}">{i}</a>' for i in range(PAGES))
    body = f"<title>{visit.path}</title><p>Page {visit.path} of {visit.port} {links}"
    return Answer(body if visit.path != "/robots.txt" else "", wait=0.02)


def limit(descriptors):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))


def crawl_site(out, descriptors, **options):
    site = Site(answer, ports_each=HOSTS)
    seeds = [f"http://127.0.0.1:{port}/" for _, port in site.hosts]
    topic(seeds, politeness="{delay: 0, per_host: 4, per_domain: 10000, per_ip: 10000, retries: 0}")
    scent("crawl", "topic.yaml", "-o", out, "--allow-private", "-q", preexec_fn=limit(descriptors), **options)
    site.stop()
    expected = {f"{seed}{path}" for seed in seeds for path in ["", *map(str, range(PAGES))]}
    assert set(urls(out)) == expected, f"{len(urls(out))} of {len(expected)} pages"
    assert query(out, "select count(*) from url where state = 'failed'") == [(0,)]
    check_crawl(out)
    return site.widest


@test
def a_crawl_with_few_descriptors_loses_nothing():
    plenty = crawl_site("plenty", 1024)
    assert plenty > 64, f"with plenty of descriptors only {plenty} connections were open: this test shows nothing"
    for descriptors in (64, 40, 30):
        most = crawl_site(f"out{descriptors}", descriptors)
        assert most < descriptors, f"{most} connections with {descriptors} descriptors"


@test
def what_was_inherited_counts():
    inherited = [os.open("/dev/null", os.O_RDONLY) for _ in range(40)]
    try:
        crawl_site("out", max(inherited) + 40, pass_fds=inherited)
    finally:
        for fd in inherited:
            os.close(fd)


@test
def an_archive_is_crawled_with_few_too():
    write("web.yaml", "kind: generated\nseed: 3\nhosts: 20\npages_per_host: 20\n")
    topic(scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split())
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "-q", preexec_fn=limit(30))
    assert len(urls("out")) > 100
    check_crawl("out")


@test
def too_few_are_said_before_anything_is_touched():
    if os.environ.get("SCENT_BUILD", "release") != "release":
        raise Skip("sanitizers have files of their own")
    topic(["http://127.0.0.1:1/"])
    for descriptors in (25, 20, 12, 8, 6):
        done = scent("crawl", "topic.yaml", "-o", "out", "--allow-private", status=2, preexec_fn=limit(descriptors))
        assert "ulimit -n" in done.stderr, done.stderr
        assert not os.path.exists("out/crawl.db")


finish()
