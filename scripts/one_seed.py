#!/usr/bin/python3
"""How well does similar() know a topic from one seed? Share of a site's pages called relevant, and recall of labels.

    scripts/one_seed.py DIR [--least N] [--thresholds T,T,…] [--chosen]

DIR is the web that `scripts/debian_docs.py pack debian-docs DIR` makes. For every site and topic with at least N
labelled pages (8) the seed is the labelled page with the most terms of the topic, chosen by the labels and not by scent. All pages that can be
reached from it on its site are fetched, and the labelled ones among them, the seed left out, are looked for. Topics for
reports come first, those on which things were chosen second; each with its means.
"""

import argparse
import os
import re
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from debian_docs import PARTS, PROGRAM, main_text
from debian_docs import TOPICS as TOPICS_OF, WEBS

SITES, TOPICS = WEBS["debian-docs"], TOPICS_OF["debian-docs"]
REPORTED = list(TOPICS)[:6]
THRESHOLD = .12  # of similar() alone


def seed_of(site, topic, urls):
    """The page with the most terms; of several the first."""
    def terms(url):
        path = SITES[site][1] / url.split("/", 3)[3]
        text = main_text(path.read_bytes(), *PARTS[site]).lower().replace("_", " ")
        return len(re.findall(rf"\b(?:{TOPICS[topic]})\b", text))
    return max(sorted(urls), key=terms)


def crawl(folder, site, seed):
    """Scores by URL."""
    with tempfile.TemporaryDirectory() as scratch:
        topic = Path(scratch) / "topic.yaml"
        topic.write_text(f"topic: one seed\nseeds: ['{seed}']\nrelevant: similar()\nstrategy: breadth-first\n"
                         f"scope: {{include: ['{site}.test']}}\npoliteness: {{delay: 0s}}\n"
                         "limits: {pages: 0, time: 0, depth: 1000, per_host: 0, per_domain: 0, per_pattern: 0, "
                         "min_free_disk: 64MiB}\n")
        subprocess.run([PROGRAM, "crawl", topic, "--from", folder / site, "-o", topic.with_suffix(".crawl")],
                       check=True, capture_output=True)
        database = sqlite3.connect(topic.with_suffix(".crawl") / "crawl.db")
        return dict(database.execute("SELECT url, score FROM pages"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--least", type=int, default=8, metavar="N", help="labelled pages of a topic on a site (8)")
    parser.add_argument("--thresholds", default=str(THRESHOLD), help="separated by commas")
    parser.add_argument("--chosen", action="store_true", help="leave the topics for reports alone")
    args = parser.parse_args()
    thresholds = [float(text) for text in args.thresholds.split(",")]
    labels = {}
    for line in (args.folder / "labels.tsv").read_text().splitlines():
        url, topic = line.split("\t")
        labels.setdefault((topic, url.split("/")[2].removesuffix(".test")), set()).add(url)
    print(f"{'topic':13} {'site':11} pages labelled " + " ".join(f"share, recall > {t:g} " for t in thresholds) + "seed")
    parts = {"reported": REPORTED, "chosen on": [topic for topic in TOPICS if topic not in REPORTED]}
    for part, topics in list(parts.items())[args.chosen:]:
        rows = []
        for topic, site in ((topic, site) for topic in topics for site in SITES):
            wanted = labels.get((topic, site), set())
            if len(wanted) < args.least:
                continue
            seed = seed_of(site, topic, wanted)
            scores = crawl(args.folder, site, seed)
            wanted = (wanted & set(scores)) - {seed}
            row = []
            for threshold in thresholds:
                found = {url for url, score in scores.items() if score > threshold}
                row.append((len(found) / len(scores), len(found & wanted) / len(wanted)))
            rows.append(row)
            print(f"{topic:13} {site:11} {len(scores):5} {len(wanted):8} " +
                  " ".join(f"   {share:.3f} {recall:.3f}        " for share, recall in row) + seed, flush=True)
        for i, threshold in enumerate(thresholds):
            share, recall = ([row[i][k] for row in rows] for k in (0, 1))
            print(f"{part}, {len(rows)} seeds, > {threshold:g}: share {sum(share) / len(share):.3f}, recall "
                  f"{sum(recall) / len(recall):.3f}; share below .35: {sum(s < .35 for s in share)}, recall at least .8: "
                  f"{sum(r >= .8 for r in recall)}, both: {sum(s < .35 and r >= .8 for s, r in zip(share, recall))}")


if __name__ == "__main__":
    main()
