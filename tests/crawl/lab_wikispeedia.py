#!/usr/bin/env python3
"""Wikispeedia with the seeds and negatives of an independent simulation (reference.json): the lab must agree with it.

Breadth-first depends on nothing but the links, so it must agree nearly exactly. The guided crawls differ in what they
take for words (docs/guide/lab.md explains it); how much better they are is
written down here. The oracle must agree as well."""

import json
import os
from pathlib import Path

from crawling import *

WIKISPEEDIA = SHARED / "data" / "wikispeedia"
# ours: (theirs, and by how much we are better at each point, in harvest and recall). The reference has the same links and
# seeds, but words, stems and a classifier of its own. A change of more than SLACK in either direction is told.
BARS = {"breadth-first": ("breadth-first", [0, 0, 0, 0], [0, 0, 0, 0]),
        "full-page": ("full-page", [-.002, .019, .007, .003], [-.002, .044, .003, .009]),
        "text-window": ("window40", [.099, .037, .012, .004], [.103, .075, .025, .008]),
        "text-window-combo": ("window-combo40", [.070, .038, .011, .005], [.071, .072, .029, .017])}
SLACK = .01
os.environ["XDG_CACHE_HOME"] = os.environ.get("TMPDIR", "/tmp") + "/lab-cache"


def write_experiment(reference):
    lines = [f"collection: {WIKISPEEDIA}", "budget: 1000", "points: [100, 250, 500, 1000]",
             "model: {kind: logistic, C: 10}", "strategies: [" + ", ".join(BARS) + "]", "topics:"]
    for name, topic in reference["topics"].items():
        lines += [f"- category: {json.dumps(name)}", f"  seeds: {json.dumps(topic['seeds'])}",
                  f"  negatives: {json.dumps(topic['negatives'])}"]
    return write("e.yaml", "\n".join(lines) + "\n")


def difference(reference, result, ours, theirs, measure, point):
    """The mean of ours - theirs over the topics."""
    series = next(s for s in result["series"] if s["name"] == ours)["points"][point]
    found = [reference["topics"][t["name"]]["strategies"][theirs][measure][point] for t in result["topics"]]
    mine = series[measure]["topics"]
    return sum(a - b for a, b in zip(mine, found)) / len(found)


@test
def agrees_with_the_reference():
    if not WIKISPEEDIA.exists():
        raise Skip(f"{WIKISPEEDIA} is not there")
    if SLOW:
        raise Skip("a sanitizer needs too long for 92,000 visits")
    reference = json.loads((WIKISPEEDIA / "reference.json").read_text())
    write_experiment(reference)
    scent("lab", "run", "e.yaml", "-o", "out", "-q")
    result = json.loads(Path("out/summary.json").read_text())
    assert len(result["topics"]) == len(reference["topics"]) == 23
    wrong = []
    for ours, (theirs, *expected) in BARS.items():
        for measure, known in zip(("harvest", "recall"), expected):
            for point, pages in enumerate(reference["points"]):
                d = difference(reference, result, ours, theirs, measure, point)
                print(f"# {ours} {measure} @{pages}: {d:+.4f}")
                if abs(d - known[point]) > SLACK:
                    wrong.append(f"{ours} {measure} @{pages}: {d:+.4f}")
    assert not wrong, wrong


@test
def the_oracle_agrees():
    if not WIKISPEEDIA.exists():
        raise Skip(f"{WIKISPEEDIA} is not there")
    if SLOW:
        raise Skip("a sanitizer needs too long for 23,000 visits")
    reference = json.loads((WIKISPEEDIA / "reference.json").read_text())
    write_experiment(reference)
    text = Path("e.yaml").read_text().replace("[" + ", ".join(BARS) + "]", "[breadth-first]")
    write("e.yaml", text)
    scent("lab", "run", "e.yaml", "-o", "out", "-q")
    result = json.loads(Path("out/summary.json").read_text())
    for number, point in enumerate(result["series"][0]["points"]):
        differences = []
        for i, topic in enumerate(result["topics"]):
            # what breadth-first reached, divided by its share of the oracle, is the oracle's harvest
            oracle = point["harvest"]["topics"][i] / point["oracle"]["topics"][i]
            differences.append(oracle - reference["topics"][topic["name"]]["strategies"]["oracle-1step"]["harvest"][number])
        # Where it runs out of relevant candidates, ours goes on with the first that was found.
        assert abs(sum(differences)) / len(differences) <= .01, (point["pages"], differences)
        assert sum(abs(d) < 1e-9 for d in differences) >= 18, (point["pages"], differences)


if __name__ == "__main__":
    finish()
