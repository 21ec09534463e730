#!/usr/bin/env python3
"""The threshold: what is below it is not fetched, stays known, and is fetched when a later run lowers it."""

import json
import signal
import subprocess
from pathlib import Path

import labbing
from crawling import FRIENDLY, SCENT, Site, check_crawl, finish, html, pages, query, scent, test, topic, write

LIMITS = "{pages: 200}"


def make_topic(seeds=None, **keys):
    write("web.yaml", FRIENDLY)
    seeds = seeds or scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split()
    topic(seeds, seed="5", limits=LIMITS, **keys)
    return seeds


def crawl(out, *args, **options):
    return scent("crawl", "topic.yaml", "--from", "web.yaml", "--window", 1, "-o", out, *args, **options)


def order(out):
    return [(page["url"], page["priority"]) for page in sorted(pages(out), key=lambda page: page["n"])]


def below(done):
    """What the summary says."""
    line = next(line for line in done.stderr.splitlines() if "below the threshold" in line)
    return int(line.split()[0])


@test
def nothing_below_is_fetched_and_the_user_is_told():
    seeds = make_topic()
    crawl("free", "--strategy", "best-first")
    scores = sorted(priority for url, priority in order("free") if url not in seeds)
    threshold = scores[len(scores) // 2]
    done = crawl("out", "--strategy", f"best-first:threshold={threshold:.9g}")
    assert "no candidates at or above the threshold are left" in done.stderr, done.stderr
    taken = order("out")
    assert len(seeds) < len(taken) < 200, len(taken)
    assert set(seeds) <= {url for url, _ in taken}, "seeds are always fetched"
    assert all(url in seeds or priority >= threshold for url, priority in taken)
    left = query("out", "select priority from url where state = 'queued'")
    assert below(done) == len(left) > 0 and max(left)[0] < threshold, (done.stderr, max(left))
    assert json.loads(open("out/run.json").read())["runs"][-1]["end"] == "below threshold"
    assert query("out", "select text from event where kind = 'stop'") == [("no candidate reaches the threshold",)]
    check_crawl("out")
    assert crawl("out", "--strategy", f"best-first:threshold={threshold:.9g}").stderr.count("0 pages in") == 1


@test
def a_later_run_may_lower_it():
    make_topic(strategy="{name: best-first, threshold: 0.3}")
    crawl("out")
    assert len(pages("out")) < 200
    crawl("out", "--strategy", "best-first:threshold=none")
    assert len(pages("out")) == 200, "what was below is still known"
    crawl("free", "--strategy", "best-first")
    urls = [url for url, _ in order("free")]
    assert len(set(urls) & {url for url, _ in order("out")}) > 100


@test
def an_interrupted_crawl_goes_on_with_it():
    make_topic(strategy="{name: best-first, threshold: 0.3}")
    crawl("whole")
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "--window", "1", "-o", "out", "--json"],
                             stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL,
                             pipesize=4096)  # so that it cannot end before it is read
    for _ in range(12):
        child.stdout.readline()
    child.send_signal(signal.SIGINT)
    child.communicate()
    assert child.returncode == 11, child.returncode
    crawl("out")
    assert order("out") == order("whole")


@test
def the_network_ends_too_when_nothing_reaches_it():
    site = {"/": html("hockey <a href=/a>a</a> <a href=/b>b</a>"), "/a": html("hockey rink"), "/b": html("cheese")}
    with Site(site) as server:
        topic([server.base + "/"], strategy="{name: in-degree, threshold: 2}")
        done = scent("crawl", "topic.yaml", "--allow-private", "-o", "out")
        assert below(done) == 2 and [path for path in server.log if path != "/robots.txt"] == ["/"], server.log


def lab_runs(out, strategy):
    """The priorities of the pages of each crawl, in their order; seeds have none."""
    labbing.experiment(strategies=f"[{strategy}]", fusions="", baseline="", topics="{level: 1, min_pages: 20, max: 2}",
                       budget="60", points="[60]")
    labbing.run("e.yaml", "-o", out, "-q")
    runs = [[json.loads(line).get("priority") for line in path.read_text().splitlines()]
            for path in sorted(Path(out, "runs").glob("*/*.jsonl"))]
    return [[priority for priority in run if priority is not None] for run in runs]


@test
def the_lab_keeps_it_too():
    free, picky = lab_runs("free", "random"), lab_runs("picky", "{name: random, threshold: 0.97}")
    assert len(free) == len(picky) == 2
    for one, other in zip(free, picky):
        assert min(one) < 0.97 <= min(other), (min(one), min(other))


@test
def wrong_thresholds_are_told():
    make_topic()
    said = crawl("out", "--strategy", "best-first:threshold=high", status=2).stderr
    assert "threshold must be a number or none, got 'high'" in said, said
    said = crawl("out", "--strategy", "fusion:of=best-first:threshold=1 + breadth-first", status=2).stderr
    assert "threshold is one of the whole" in said, said


finish()
