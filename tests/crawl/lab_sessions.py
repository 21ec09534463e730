#!/usr/bin/env python3
"""Browsing before a crawl, in the lab: the same bytes whatever the threads, held-out users as targets, clear words."""

import json
import random
from pathlib import Path

from crawling import *
from labbing import same_results, write_pages

BASE = {"seeds": "3", "negatives": "6", "budget": "40", "points": "[20, 40]", "repeats": "2", "similarity": "true",
        "strategies": "[{name: best-first, as: baseline, by: browsing}, hmm, {name: hmm, as: eager, children: eager}, "
                      "{name: hmm, as: literal, literal: yes}]"}


def experiment(path, **keys):
    return write(path, "".join(f"{key}: {value}\n" for key, value in {**BASE, **keys}.items()))


def labels():
    return dict(line.split("\t") for line in Path("pages/labels.tsv").read_text().splitlines())


def write_log():
    """Thirty users, each with a few pages of one topic and one of another; as lines 'time user url'."""
    dice, by = random.Random(2), {}
    for url, category in labels().items():
        by.setdefault(category, []).append(url)
    lines = []
    for user in range(30):
        category = sorted(by)[user % len(by)]
        pages = dice.sample(by[category], 4) + dice.sample(by[sorted(by)[(user + 1) % len(by)]], 1)
        lines += [f"{1300000000 + 10000 * user + 10 * i} user{user} {url}" for i, url in enumerate(pages)]
    write("access.log", "\n".join(lines) + "\n")


def run(name, threads):
    scent("lab", "run", name, "-o", f"{name}.{threads}", "--threads", threads, "-q")
    return f"{name}.{threads}"


def check_targets():
    """A target was seen by somebody, and is of the topic; two categories together are one."""
    seen = {line.split()[2] for line in Path("access.log").read_text().splitlines()}
    summary = json.loads(Path("users.yaml.1/summary.json").read_text())
    ice = [url for url, category in labels().items() if category == "sport.ice"]
    topic = next(t for t in summary["topics"] if t["name"] == "sport.ice")
    assert 0 < topic["targets"] <= len(seen.intersection(ice)), topic
    both = next(t for t in summary["topics"] if t["name"] == "sport.grass, food.sweet")
    assert both["relevant"] == len(labels()) - len(ice), both


@test
def threads_do_not_matter():
    write_pages()
    write_log()
    experiment("users.yaml", collection="pages", sessions="{traces: access.log, held_out: 0.4, pages: 30}",
               topics="[sport.ice, {category: [sport.grass, food.sweet]}]")
    experiment("walks.yaml", collection="pages", sessions="{walks: 5}", relevance="browsing", topics="{level: 2, min_pages: 5}")
    for name in "users.yaml", "walks.yaml":
        same_results(run(name, "1"), run(name, "2"))
    check_targets()


@test
def mistakes_are_named():
    write_pages()
    write_log()
    for keys, words in [
        ({"sessions": "{traces: access.log, interest: 9}"}, ["bad.yaml:", "sessions: topic sport.ice", "lower sessions.interest"]),
        ({"sessions": "{traces: nothing.log}"}, ["bad.yaml:", "nothing.log"]),
        ({"sessions": "{walk: 3}"}, ["bad.yaml:", "whose sessions?"]),
        ({}, ["bad.yaml:", "it follows somebody's browsing", "sessions: {walks: 40}"]),
    ]:
        experiment("bad.yaml", collection="pages", topics="[sport.ice]", **keys)
        result = scent("lab", "run", "bad.yaml", "-o", "bad", status=2)
        for word in words:
            assert word in result.stderr, (word, result.stderr)


finish()
