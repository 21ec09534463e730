#!/usr/bin/env python3
"""Strategies that learn from an earlier crawl before their own: what they say without one, and that they resume."""

import json
import shutil
from pathlib import Path

from crawling import FRIENDLY, beside, check_crawl, finish, pages, query, scent, topic, write

STRATEGIES = ("context-graph", "cora")


def prepare():
    write("web.yaml", FRIENDLY)
    seeds = scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split()
    topic(seeds, seed="5", relevant="similar() > 0.2", window="1")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "first", "--strategy", "breadth-first", "--pages", 120,
          "-q")


def crawl(out, strategy, many, *args, **options):
    return scent("crawl", "topic.yaml", "--from", "web.yaml", "--strategy", strategy, "-o", out, "--pages", many, *args,
                 **options)


def order(out):
    return [page["url"] for page in sorted(pages(out), key=lambda page: page["n"])]


@beside
def without_known_pages_they_say_what_is_missing():
    prepare()
    for strategy in STRATEGIES:
        done = crawl("none", strategy, 5, status=2)
        lines = [line for line in done.stderr.splitlines() if "no links are known" in line]
        assert len(lines) == 1 and strategy in lines[0] and "graph" in lines[0] and "--reuse" in lines[0], done.stderr
        done = crawl("gone", f"{strategy}:graph=nowhere.crawl", 5, status=2)
        assert "nowhere.crawl" in done.stderr, done.stderr


@beside
def an_earlier_crawl_teaches_and_the_crawl_keeps_it():
    prepare()
    for strategy in STRATEGIES:
        whole, parts = f"{strategy}-whole", f"{strategy}-parts"
        done = crawl(whole, strategy, 60, "--reuse", "first")
        assert f"{strategy} has learned from" in done.stderr, done.stderr
        shutil.copytree("first", "second")
        crawl(parts, f"{strategy}:graph=second", 25)
        shutil.rmtree("second")
        assert Path(parts, "learned", f"{strategy}.graph").stat().st_size > 1000
        crawl(parts, strategy, 60)  # the earlier crawl is gone
        assert len(order(whole)) == 60
        assert order(whole) == order(parts), f"{strategy}: it does not resume in the same order"
        check_crawl(parts)
        url = query(parts, "select url from url where state = 'queued' limit 1")[0][0]
        told = json.loads(scent("why", parts, url, "--json").stdout)
        assert told["score"]["strategy"] == strategy and len(told["score"]["parts"]) >= 2, told


finish()
