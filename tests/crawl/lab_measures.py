#!/usr/bin/env python3
"""The measures of the lab a second time, from runs/*.jsonl alone, and whether summary.json and summary.csv say the same.

    tests/crawl/lab_measures.py RESULTS     prints what differs; exit status 1 when something does

Nothing is shared with the program but the definitions: harvest and recall (Pant and Srinivasan 1, 2), the area below
the recall, precision, pages found, hosts, fluctuation of harvest, which of several crawls is the best, overlap and fusion (Pirkola and Talvensaari), URL overlap (Altingövde and
Ulusoy), the paired t-test (the distribution function by its finite series), Wilcoxon's signed-rank test (by counting
all sums), Holm's correction. What has to do with pages that no crawl fetched (the oracle, lift, the number of targets)
comes from summary.json where it is needed."""

import collections
import csv
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path
from urllib.parse import urlsplit


WINDOW = 25


def read_runs(folder):
    """{topic: {strategy: {(repeat, draw): [visit]}}}, by the names of the files."""
    runs = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in sorted((Path(folder) / "runs").glob("*/*.jsonl")):
        name, draw, repeat = re.fullmatch(r"(.*?)(?:~(\d+))?(?:@(\d+))?\.jsonl", path.name).groups()
        visits = [json.loads(line) for line in path.read_text().splitlines() if line]
        assert [v["n"] for v in visits] == list(range(1, len(visits) + 1)), path
        assert len({v["url"] for v in visits}) == len(visits), f"{path}: a page twice"
        runs[path.parent.name][name][int(repeat or 1), int(draw or 1)] = visits
    return runs


def file_name(name):
    """How a name begins as a file's, without the hash that changed ones get."""
    return re.sub(r"[^A-Za-z0-9.\-_]", "_", name)


def find_run(runs, topic, strategy):
    topics = [t for t in runs if t == topic or t.startswith(file_name(topic) + "-")]
    assert len(topics) == 1, (topic, topics)
    found = [s for s in runs[topics[0]] if s == strategy or re.fullmatch(re.escape(file_name(strategy)) + "-[0-9a-f]{8}", s)]
    assert len(found) == 1, (strategy, found)
    return runs[topics[0]][found[0]]


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values) if values else 0.0


def measures(visits, t, targets):
    first = visits[:t]
    relevant = sum(v["relevant"] for v in first)
    hits = [i for i, v in enumerate(first) if v["target"]]
    found = {
        "harvest": relevant / t,
        "recall": len(hits) / targets,
        "area": sum(t - i for i in hits) / targets / t,
        "precision": relevant / len(first) if first else 0,
        "found": relevant,
        "hosts": len({urlsplit(v["url"]).hostname for v in first}),
    }
    windows = [sum(v["relevant"] for v in first[k:k + WINDOW]) / WINDOW for k in range(0, t - WINDOW + 1, WINDOW)]
    if len(windows) > 1:
        found["fluctuation"] = math.sqrt(mean([(h - mean(windows)) ** 2 for h in windows]))
    if first and "committee" in first[0]:
        found["committee"] = sum(v["committee"] for v in first) / t
    return found


def fuse(lists, t):
    k, fused, seen, twice = len(lists), [], set(), 0
    for i, visits in enumerate(lists):
        for v in visits[: t // k if i + 1 < k else t - t // k * (k - 1)]:
            twice += v["url"] in seen
            if v["url"] not in seen:
                fused.append(v)
            seen.add(v["url"])
    return fused, twice


# ---- significance ----

def student_tail(t, df):
    """P(T >= t) for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    theta = math.atan2(abs(t), math.sqrt(df))
    c, s = math.cos(theta), math.sin(theta)
    if df % 2:
        term, total = c, c if df > 1 else 0.0
        for i in range(3, df - 1, 2):
            term *= c * c * (i - 1) / i
            total += term
        inside = 2 / math.pi * (theta + s * total)
    else:
        term = total = 1.0
        for i in range(2, df - 1, 2):
            term *= c * c * (i - 1) / i
            total += term
        inside = s * total
    return (1 - inside) / 2 if t > 0 else (1 + inside) / 2


def t_test(a, b):
    d = [x - y for x, y in zip(a, b)]
    n, m = len(d), mean(d)
    if n < 2 or m == 0:
        return 0.5
    error = math.sqrt(sum((x - m) ** 2 for x in d) / (n - 1) / n)
    if error == 0:
        return 0.0 if m > 0 else 1.0
    return student_tail(m / error, n - 1)


def wilcoxon(a, b):
    d = sorted((x - y for x, y in zip(a, b) if abs(x - y) > 1e-12), key=abs)
    ranks, i = [], 0
    while i < len(d):
        end = i + 1
        while end < len(d) and abs(abs(d[end]) - abs(d[i])) <= 1e-12 * (1 + abs(d[i])):
            end += 1
        ranks += [Fraction(i + 1 + end, 2)] * (end - i)
        i = end
    if not d:
        return 0.5
    assert len(d) <= 40, "more topics than the exact test takes"
    sums = collections.Counter({Fraction(0): 1})
    for rank in ranks:
        sums = sums + collections.Counter({total + rank: ways for total, ways in sums.items()})
    seen = sum(rank for rank, x in zip(ranks, d) if x > 0)
    return float(Fraction(sum(ways for total, ways in sums.items() if total >= seen), 2 ** len(d)))


def holm(ps):
    out, floor = [0.0] * len(ps), 0.0
    for k, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        floor = max(floor, min(1.0, ps[i] * (len(ps) - k)))
        out[i] = floor
    return out


# ---- the comparison ----

class Comparison:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.summary = json.loads((self.folder / "summary.json").read_text())
        self.runs = read_runs(folder)
        self.checked = 0
        self.wrong = []
        self.names = [s["name"] for s in self.summary["series"]]
        self.strategies = [s["name"] for s in self.summary["series"] if "members" not in s]
        self.best_of = {s["name"]: s.get("best_of", 1) for s in self.summary["series"]}
        self.chosen = {s["name"]: s.get("chosen") for s in self.summary["series"]}
        self.last = self.summary["series"][0]["points"][-1]["pages"]
        self.values = collections.defaultdict(dict)  # (series, pages, measure) -> {topic: value}

    def same(self, what, mine, theirs):
        self.checked += 1
        if theirs is None or not math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-12):
            self.wrong.append(f"{what}: {mine!r} from the crawls, {theirs!r} in the summary")

    def best(self, runs, repeat, name):
        """Of the draws of a repeat the first with the best harvest at the last point; its number and visits."""
        draws = {d: runs[repeat, d] for d in range(1, self.best_of[name] + 1)}
        assert len([d for r, d in runs if r == repeat]) == len(draws), (name, runs.keys())
        return max(draws.items(), key=lambda item: (sum(v["relevant"] for v in item[1][:self.last]), -item[0]))

    def repeats(self, topic):
        crawls = {name: find_run(self.runs, topic["name"], name) for name in self.strategies}
        for repeat in range(1, self.summary["repeats"] + 1):
            yield {name: self.best(runs, repeat, name)[1] for name, runs in crawls.items()}

    def check_chosen(self):
        for i, topic in enumerate(self.summary["topics"]):
            for name in self.strategies:
                if self.best_of[name] > 1:
                    runs = find_run(self.runs, topic["name"], name)
                    for repeat in range(1, self.summary["repeats"] + 1):
                        self.same(f"{name} chosen for {topic['name']}", self.best(runs, repeat, name)[0],
                                  self.chosen[name][i][repeat - 1])

    def check_values(self):
        for i, topic in enumerate(self.summary["topics"]):
            repeats = list(self.repeats(topic))
            for series in self.summary["series"]:
                for point in series["points"]:
                    found = []
                    for crawls in repeats:
                        if "members" in series:
                            visits, twice = fuse([crawls[m] for m in series["members"]], point["pages"])
                            self.values[series["name"], point["pages"], "duplicates"].setdefault(i, []).append(twice)
                        else:
                            visits = crawls[series["name"]]
                        found.append(measures(visits, point["pages"], topic["targets"]))
                    for name in found[0]:
                        value = mean([f[name] for f in found])
                        self.values[series["name"], point["pages"], name][i] = value
                        self.same(f"{series['name']} @{point['pages']} {name} of {topic['name']}", value,
                                  point[name]["topics"][i])

    def by_topic(self, series, pages, measure):
        values = self.values[series, pages, measure]
        return [values[i] for i in range(len(self.summary["topics"]))]

    def check_means(self):
        for series in self.summary["series"]:
            for point in series["points"]:
                for name, given in point.items():
                    if isinstance(given, dict) and "mean" in given and (series["name"], point["pages"], name) in self.values:
                        x = self.by_topic(series["name"], point["pages"], name)
                        m, n = mean(x), len(x)
                        error = math.sqrt(sum((v - m) ** 2 for v in x) / (n - 1) / n) if n > 1 else 0
                        self.same(f"{series['name']} @{point['pages']} mean {name}", m, given["mean"])
                        self.same(f"{series['name']} @{point['pages']} error {name}", error, given["error"])
                if "members" in series:
                    lists = self.by_topic(series["name"], point["pages"], "duplicates")
                    self.same(f"{series['name']} duplicates", mean([mean(x) for x in lists]), point["duplicates"])

    def check_tests(self):
        baseline = self.summary["baseline"]
        for number, point in enumerate(self.summary["series"][0]["points"]):
            for measure in ("harvest", "recall"):
                base = self.by_topic(baseline, point["pages"], measure)
                rivals = [s for s in self.summary["series"] if s["name"] != baseline]
                xs = [self.by_topic(s["name"], point["pages"], measure) for s in rivals]
                ps = [t_test(x, base) for x in xs]
                for series, x, p, corrected in zip(rivals, xs, ps, holm(ps)):
                    given = series["points"][number][measure + "_test"]
                    what = f"{series['name']} @{point['pages']} {measure}"
                    self.same(what + " p", p, given["p"])
                    self.same(what + " p_worse", t_test(base, x), given["p_worse"])
                    self.same(what + " p_holm", corrected, given["p_holm"])
                    self.same(what + " p_wilcoxon", wilcoxon(x, base), given["p_wilcoxon"])
                    self.same(what + " difference", mean([a - b for a, b in zip(x, base)]), given["difference"])
                    self.same(what + " wins", sum(a - b > 1e-12 for a, b in zip(x, base)), given["wins"])
                    self.same(what + " losses", sum(b - a > 1e-12 for a, b in zip(x, base)), given["losses"])

    def check_pairs(self):
        last = self.last
        for pair in self.summary["pairs"]:
            overlap, urls, exclusive, alone = [], [], [], []
            for topic in self.summary["topics"]:
                for crawls in self.repeats(topic):
                    a, b = ({v["url"]: v["relevant"] for v in crawls[pair[k]][:last]} for k in ("first", "second"))
                    relevant = [{u for u, r in x.items() if r} for x in (a, b)]
                    both = len(relevant[0]) + len(relevant[1])
                    overlap.append(len(relevant[0] & relevant[1]) / both if both else 0)
                    urls.append(len(a.keys() & b.keys()) / last)
                    alone.append(len(relevant[0] - b.keys()))
                    only = [r for u, r in a.items() if u not in b]
                    exclusive.append(mean(only))
            what = f"{pair['first']} and {pair['second']}"
            self.same(what + " overlap", mean(overlap), pair["overlap"])
            self.same(what + " url_overlap", mean(urls), pair["url_overlap"])
            self.same(what + " only", mean(alone), pair["only"])
            if not any("ratio" in p for s in self.summary["series"] for p in s["points"]):
                self.same(what + " exclusive", mean(exclusive), pair["exclusive"])
            self.same(what + " p_better", t_test(self.by_topic(pair["first"], last, "harvest"),
                                                 self.by_topic(pair["second"], last, "harvest")), pair["p_better"])

    def check_csv(self):
        """To the last digit printed."""
        with open(self.folder / "summary.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        topics = {t["name"]: i for i, t in enumerate(self.summary["topics"])}
        points = len(self.summary["series"][0]["points"])
        self.same("rows of summary.csv", len(topics) * len(self.names) * points, len(rows))
        for row in rows:
            for name, text in row.items():
                key = (row["strategy"], int(row["pages"]), name)
                if key in self.values:
                    self.checked += 1
                    mine = "%.6g" % self.values[key][topics[row["topic"]]]
                    if mine != text and abs(float(mine) - float(text)) > 2e-6 * abs(float(text)):
                        self.wrong.append(f"summary.csv {row['topic']} {key}: {mine}, not {text}")

    def run(self):
        self.check_chosen()
        self.check_values()
        self.check_means()
        self.check_tests()
        self.check_pairs()
        self.check_csv()
        return self


def compare(folder):
    return Comparison(folder).run()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("skipped: it is a part of lab.py; give it a folder of results to use it alone")
        sys.exit(77)
    result = compare(sys.argv[1])
    for line in result.wrong:
        print(line)
    print(f"{result.checked} figures, {len(result.wrong)} of them differ")
    sys.exit(1 if result.wrong else 0)
