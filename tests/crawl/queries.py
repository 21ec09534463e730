#!/usr/bin/env python3
"""A crawl that a structured query judges: what it believes, what it counts, and what a resume knows of it."""

import json
import re
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from crawling import SCENT, SLOW, Site, check_crawl, finish, html, pages, query, scent, test, topic, write

WEB = """kind: generated
seed: 21
hosts: 60
pages_per_host: 30
dead_hosts: 0
slow_hosts: {share: 0}
traps: 0
redirect_loops: 0
robots: {share: 0}
"""
PAGES = 150 if SLOW else 600


def telling_words(seeds, count=6):
    """Words that the seeds, which are of the wanted topic, have in common."""
    words = Counter()
    for seed in seeds:
        page = scent("web", "generate", "web.yaml", "--url", seed, errors="replace").stdout
        words.update(set(re.findall(r"[a-z]{5,}", re.sub(r"<[^>]*>", " ", page))))
    return [word for word, _ in words.most_common(60)][-count:]


def a_web_with_a_query(hosts=60):
    write("web.yaml", WEB.replace("hosts: 60", f"hosts: {hosts}"))
    seeds = scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split()
    words = telling_words(seeds)
    topic(seeds, query=f"'#sum({' '.join(words[:3])} #syn({' '.join(words[3:])}))'", window="5", seed="3")


def order(out, count, *args):
    return scent("crawl", "topic.yaml", "--from", "web.yaml", "--json", "-q", "-o", out, "--pages", count, *args).stdout


def counted(out):
    """The pages in the statistics."""
    text = query(out, "select value from value where name = 'census'")[0][0]
    text = text.decode() if isinstance(text, bytes) else text
    return int(text.splitlines()[1].split()[1])


def committed(out):
    try:
        return query(out, "select count(*) from page where counted")[0][0]
    except Exception:
        return 0


@test
def the_belief_is_the_score_and_decides():
    with Site({"/": html("<p>hockey hockey rink</p><a href=/a>a</a><a href=/b>b</a>"),
               "/a": html("<p>hockey players on the ice rink</p>"),
               "/b": html("<p>" + "soup and potatoes " * 30 + "</p>")}) as site:
        topic([site.base + "/"], query="'#sum(rinks \"ice rink\")'")
        scent("crawl", "topic.yaml", "-o", "out", "-q", "--allow-private")
        found = {page["url"].removeprefix(site.base): page for page in pages("out")}
    assert found["/a"]["relevant"] and found["/"]["relevant"] and not found["/b"]["relevant"], found
    assert found["/a"]["score"] > found["/"]["score"] > found["/b"]["score"] == 0.4, found
    assert counted("out") == 3


@test
def the_same_crawl_whatever_the_threads():
    a_web_with_a_query()
    runs = {order(f"out-{threads}", PAGES, "--threads", threads) for threads in (1, 3)}
    assert len(runs) == 1
    lines = runs.pop().splitlines()
    assert len(lines) == PAGES
    assert len({line.split('"relevant":')[1][:4] for line in lines}) == 2, "all pages are judged alike"
    assert counted("out-1") == PAGES
    # Judged by the snapshot of the moment, and in the end by one judge.
    (first, last), = query("out-1", "select count(distinct first_judge), count(distinct judge_version) from page where counted")
    assert first > 3 and last == 1, f"{first} snapshots and {last} judges for {PAGES} pages"


@test
def a_resumed_crawl_goes_on_counting():
    a_web_with_a_query()
    order("out", PAGES // 3)
    assert counted("out") == PAGES // 3
    order("out", PAGES)
    assert counted("out") == PAGES


@test
def what_looks_wrong_is_said_once():
    everywhere = {f"/{i}": html(f"<p>hockey players on ice, {i}</p>" + "".join(f"<a href=/{j}>{j}</a>" for j in range(i, i + 9)))
                  for i in range(1, 240)}
    with Site({"/": html("<p>soup</p><a href=/1>a</a>"), **everywhere}) as site:
        topic([site.base + "/"], query="hockey gaolie", relevant="players or time", strategy="breadth-first", limits="{depth: 100}")
        run = ("crawl", "topic.yaml", "-o", "out", "--allow-private", "--pages")
        first = scent(*run, 60).stderr
        assert first.count(f"warning: {site.base}/: a seed is not relevant itself") == 1, first
        assert first.count("warning: 'gaolie' of the query stands on none of the first 50 pages") == 1, first
        second = scent(*run, 230).stderr
        assert second.count("warning: ") == 1 and "199 of 200 pages are relevant" in second, second
        assert "warning: " not in scent(*run, 235).stderr
    shown = [line for line in scent("status", "out").stdout.splitlines() if line.startswith("warning    ")]
    told = json.loads(scent("status", "out", "--json").stdout)["warnings"]
    assert [line.split(maxsplit=1)[1] for line in shown] == told and len(told) == 3, (shown, told)
    assert "a seed is not relevant itself" in told[0] and site.base not in told[0], told


@test
def kill_9_counts_no_page_twice():
    a_web_with_a_query(hosts=5000)  # it cannot be done before it is killed
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out"])
    while committed("out") < 30:
        time.sleep(0.05)
        assert child.poll() is None, "it ended by itself"
    child.send_signal(signal.SIGKILL)
    child.wait()
    pages_now = query("out", "select count(*) from page where counted")[0][0]
    order("out", pages_now + 50)
    check_crawl("out", killed=True)
    assert counted("out") == query("out", "select count(*) from page where counted")[0][0] >= pages_now + 50


@test
def another_query_counts_and_judges_all_pages_anew():
    a_web_with_a_query()
    order("out", 60)
    text = open("topic.yaml").read()
    write("topic.yaml", re.sub(r"query: .*", "query: 'something else'", text))
    told = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "--pages", 100).stderr
    assert "the query has changed: it was '#sum(" in told and "and is 'something else'" in told, told
    assert re.search(r"60 pages were judged again: 0 (are relevant now|became relevant, \d+ are no longer relevant)", told), told
    assert counted("out") == 100
    assert query("out", "select count(distinct judge), total(relevant) from pages where counted") == [(1, 0)]
    write("plain.yaml", "topic: x\nrelevant: somewhere\n")
    assert "the query is gone: it was 'something else'" in scent("rejudge", "out", "plain.yaml").stderr
    assert "no page had to be judged again" in scent("rejudge", "out").stdout


def write_examples(folder, texts):
    Path(folder).mkdir()
    for i, text in enumerate(texts):
        write(f"{folder}/{i}.html", f"<html lang=en><body><p>{text} number {i}</p></body></html>")


@test
def negative_examples_are_the_background():
    write_examples("good", [f"hockey puck rink ice goalie {word}" for word in "one two three four five six".split()])
    write_examples("bad", [f"soup onion potatoes pan {word}" for word in "one two three four five six hockey".split()])
    topic([], examples="{positive: good, negative: bad}", query="'#sum(hockey rink)'",
          relevant="'classifier() and query()'")
    scent("train", "topic.yaml", "-q")
    assert Path("topic.census").read_text().splitlines()[1].split()[1] == "7"
    told = scent("judge", "topic.yaml", "good/0.html").stdout
    assert "hockey  (1 on the page, in 1 of 7 pages)" in told, told
    assert "rink  (1 on the page, in 0 of 7 pages)" in told, told
    # the statistics of another query are not used, and that is said
    write("topic.yaml", Path("topic.yaml").read_text().replace("#sum(hockey rink)", "hockey"))
    done = scent("judge", "topic.yaml", "good/0.html")
    assert "counted for another query" in done.stderr, done.stderr
    assert "hockey  (1 on the page, in 0 of 0 pages)" in done.stdout, done.stdout


finish()
