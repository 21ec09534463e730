#!/usr/bin/env python3
"""Interclass rules in the lab: the labels teach a part of the pages, the rest are targets, and what the crawls' own judge says
is measured as it was told to them."""

import json
from pathlib import Path

from crawling import *
from labbing import *


def lines_of(folder, topic, strategy):
    return [json.loads(line) for line in Path(folder, "runs", topic, strategy + ".jsonl").read_text().splitlines()]


def taught_experiment(path="e.yaml", **keys):
    keys = {"topics": "{level: 1, min_pages: 20, max: 4}", "model": "{train: taxonomy}", "seeds": "4", "repeats": "2",
            "disjoint_seeds": "true", "taxonomy": "{min_leaf: 4}", "strategies": "[soft-focus, rules]", "fusions": "",
            "baseline": "soft-focus", **keys}
    experiment(path, **keys)


@test
def what_the_own_judge_says_is_measured():
    taught_experiment()
    run("e.yaml", "-o", "out", "-q", "-t", 2)
    result = json.loads(Path("out/summary.json").read_text())
    topics = [topic["name"] for topic in result["topics"]]
    for series in result["series"]:
        for point in series["points"]:
            for topic, own in zip(topics, point["own"]["topics"]):
                runs = [lines_of("out", topic, series["name"] + repeat) for repeat in ("", "@2")]
                want = sum(sum(line["score"] for line in one[:point["pages"]]) for one in runs) / point["pages"] / 2
                assert abs(own - want) < 1e-5, (series["name"], topic, own, want)
    pair = next(p for p in result["pairs"] if (p["first"], p["second"]) == ("rules", "soft-focus"))
    sums = []
    for topic in topics:
        for repeat in ("", "@2"):
            last = result["series"][0]["points"][-1]["pages"]
            others = {line["url"] for line in lines_of("out", topic, "soft-focus" + repeat)[:last]}
            only = [line["score"] for line in lines_of("out", topic, "rules" + repeat)[:last] if line["url"] not in others]
            sums.append(sum(only) / len(only) if only else 0)
    assert abs(pair["exclusive_own"] - sum(sums) / len(sums)) < 1e-5, (pair, sums)


@test
def taught_pages_are_seeds_and_no_targets():
    taught_experiment()
    run("e.yaml", "-o", "out", "-q")
    run("e.yaml", "-o", "again", "-q", "-t", 2)
    same_results("out", "again")
    result = json.loads(Path("out/summary.json").read_text())
    for topic in result["topics"]:
        assert 0 < topic["targets"] < topic["relevant"] * .8, topic
        sets = [{line["url"] for line in lines_of("out", topic["name"], "rules" + repeat)[:4]} for repeat in ("", "@2")]
        assert not sets[0] & sets[1], "a page is a seed in both sets"
    assert "are taught" in Path("out/report.html").read_text()


@test
def wrong_experiments():
    taught_experiment(model="bayes")
    done = scent("lab", "run", "e.yaml", "-o", "out", status=2)
    assert "model: {train: taxonomy}" in done.stderr and "e.yaml:" in done.stderr, done.stderr
    taught_experiment(taxonomy="{min_leaf: 100000}")
    done = scent("lab", "run", "e.yaml", "-o", "out", status=2)
    assert "lower taxonomy.min_leaf" in done.stderr, done.stderr
    taught_experiment(strategies="[soft-focus, {name: rules, depth: 9}]")
    done = scent("lab", "run", "e.yaml", "-o", "out", status=2)
    assert "from 1 to 3" in done.stderr, done.stderr


finish()
