#!/usr/bin/env python3
"""The learning crawler in the lab: re-scoring a bounded number of candidates finds what re-scoring all of them finds."""

import csv
import statistics

from crawling import *

WEBS = [41, 42, 43]
EXPERIMENT = """experiment: bounded against always
collection: web.yaml
max_pages: 4000
topics: {level: 1, min_pages: 80, max: 12}
seeds: 5
repeats: 2
budget: 500
points: [500]
judge: label
strategies:
  - {name: intelligent, as: always, rescore: always}
  - {name: intelligent, as: bounded}
  - {name: intelligent, as: never, rescore: never}
baseline: always
"""


def harvests(seed):
    """{strategy: [harvest of each topic]} on a web of its own."""
    write("web.yaml", f"kind: generated\nseed: {seed}\nhosts: 120\npages_per_host: 40\n")
    write("e.yaml", EXPERIMENT)
    os.environ["XDG_CACHE_HOME"] = os.getcwd()
    scent("lab", "run", "e.yaml", "-o", f"out{seed}", "-q")
    found = {}
    with open(f"out{seed}/summary.csv", newline="") as table:
        for row in csv.DictReader(table):
            found.setdefault(row["strategy"], []).append(float(row["harvest"]))
    return found


@test
def bounded_rescoring_costs_less_than_one_percent_of_the_harvest():
    if SLOW:
        raise Skip("a comparison of figures that a sanitizer does not change")
    found = {}
    for seed in WEBS:
        for strategy, values in harvests(seed).items():
            found.setdefault(strategy, []).extend(values)
    mean = {strategy: statistics.mean(values) for strategy, values in found.items()}
    lost = {strategy: value / mean["always"] - 1 for strategy, value in mean.items()}
    print(f"harvest of always {mean['always']:.4f} over {len(found['always'])} topics; bounded {lost['bounded']:+.2%}, "
          f"never {lost['never']:+.2%}")
    assert abs(lost["bounded"]) < 0.01, lost
    assert lost["never"] < -0.03, "there is nothing to be lost here: " + str(lost)


finish()
