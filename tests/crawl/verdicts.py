#!/usr/bin/env python3
"""All pages of a crawl are judged by one judge, whatever their order, and `why` says what the store says."""

import json
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from crawling import SCENT, SLOW, beside, check_crawl, finish, query, scent, test, topic, write

PAGES = 240
BASE = "http://site.test/"
WORDS = "goalie referee overtime penalty zamboni slapshot".split()
OTHERS = ["".join(pair) for pair in zip("abcdefghij" * 30, ["ren", "tol", "mas"] * 100, "klmnopqrst" * 30)]
NOTICE = "<p>The goalie of this site asks for a penalty where its overtime notices are copied without a referee."
SOME = "<p>Zamboni drivers wanted, with a slapshot of experience or more, for overtime work."


# Those that need no model, no traces and no graph; all others are taught first.
UNTAUGHT = ["breadth-first", "random", "best-first", "best-first:by=score", "best-n-first", "fish", "shark",
            "in-degree", "hot-queue", "hot-queue:by=pagerank", "tunnel", "pagerank", "opic",
            "larger-sites-first", "wtms", "query-context", "query-context-weighted", "intelligent", "infospiders",
            "fusion", "fusion:by=fisher", "adaptive"]
TAUGHT = ["fusion:of=text-window:words=40 + anchor-text + intelligent,by=ranks", "adaptive", "best-first:by=browsing"]
CLASSES = {"Sport.Hockey": WORDS, "Sport.Chess": "bishop castle gambit rook checkmate opening".split(),
           "Garden": "compost seedling trowel orchard hedge mulch".split()}
# How priorities follow from their parts, where these are not weighted. Of the others the parts tell only why.
FIRST = {"fish", "pagerank", "opic"}
MIXED = {"text-window", "text-window-combo", "tag-tree-combo"}
LARGEST = {"query-context", "query-context-weighted"}
CLOSED = {"hard-focus", "wtms"}  # they leave so many links that fewer than 200 URLs are known


def made_of(strategy, parts):
    """The priority that the parts make; None: it is not as simple."""
    older = [part["value"] for part in parts if part["name"].startswith("difference") and "weight" not in part]
    values = [part["value"] for part in parts[:len(parts) - len(older)]]
    if any("weight" in part for part in parts):
        return sum(part["value"] * part.get("weight", 0) for part in parts)
    if strategy in MIXED:
        return values[0] + values[2] * (values[1] - values[0])
    if len(values) == 1 or strategy in FIRST:
        return values[0] + sum(older)
    return max(values) + sum(older) if strategy in LARGEST else None


def a_page(draw, i):
    words = [draw.choice(OTHERS) for _ in range(80)] + draw.choices(CLASSES[class_of(i)], k=draw.randrange(6))
    draw.shuffle(words)
    links = "".join(f"<a href=p{to}.html>{draw.choice(WORDS + OTHERS)} {to}</a> " for to in draw.sample(range(PAGES), 6))
    # One block stands on most pages, another is common among the first and rare in the end.
    return (f"<title>{words[0]}</title><p>{' '.join(words[:40])}<p>{' '.join(words[40:])}<p>And {links}"
            + NOTICE * (i % 8 > 0) + SOME * (i < 8))


def a_web(**keys):
    draw = random.Random(5)
    Path("site").mkdir()
    for i in range(PAGES):
        write(f"site/p{i}.html", a_page(draw, i))
    scent("web", "pack", "site", "-b", BASE, "-o", "web")
    topic([BASE + "p0.html", BASE + "p1.html"], seed="3", query="'#sum(goalie referee #syn(penalty overtime))'", **keys)


def class_of(i):
    return list(CLASSES)[i % 3]


def a_taught_web():
    """Everything that a strategy may ask for, made of a few examples and visits."""
    write("taxonomy.tsv", "".join(f"{class_of(i)}\t{BASE}p{i}.html\n" for i in range(0, PAGES, 5)))
    write("access.log", "".join(f"{1000 + 900 * user + 30 * k} user{user} {BASE}p{(17 * user + 7 * k) % PAGES}.html\n"
                                for user in range(30) for k in range(20)))
    visits = [(user, BASE + f"p{(11 * user + 4 * k) % PAGES}.html") for user in range(8) for k in range(5)]
    write("mine.jsonl", "\n".join(['{"browsing": 1}'] + [json.dumps(line) for n, (user, url) in enumerate(visits) for line in
          [{"visit": url, "time": f"2026-01-01T0{user}:0{n % 5}:00Z", "title": "a page"}] +
          [{"useful": url}] * (n % 5 == 4)]) + "\n")
    a_web(taxonomy="{file: taxonomy.tsv, collection: web, target: Sport.Hockey}", traces="[access.log]",
          browsing="mine.browsing", rules="topic.rules")
    scent("browse", "train", "mine.jsonl", "-o", "mine.browsing", "--from", "web", "--clusters", 3, "-q")
    scent("rules", "build", "topic.yaml", "--from", "web", "-q")
    crawl("known", "breadth-first", "--pages", 120, "-q")


def crawl(out, strategy="breadth-first", *args, status=0):
    return scent("crawl", "topic.yaml", "--from", "web", "-o", out, "--strategy", strategy, *args, status=status)


def verdicts(out):
    rows = query(out, "select url, relevant, round(score, 9) from pages where counted order by url")
    return {url: verdict for url, *verdict in rows}


def one_judge(out):
    judges = query(out, "select distinct judge_version from page where counted")
    assert judges == query(out, "select max(id) from judge"), judges
    assert json.loads(scent("status", out, "--json").stdout)["waiting"] == 0


@test
def two_orders_end_with_the_same_verdicts():
    a_web()
    runs = {}
    for strategy in ("breadth-first", "random", "intelligent"):
        crawl(strategy, strategy)
        one_judge(strategy)
        check_crawl(strategy)
        runs[strategy] = verdicts(strategy)
    first = query("breadth-first", "select url, first_relevant, first_score from pages where first_score is not null")
    assert len(first) > 10, "the judge has learned nothing"
    for strategy, found in runs.items():
        common = found.keys() & runs["breadth-first"].keys()
        assert len(common) > PAGES / 2
        assert {url: found[url] for url in common} == {url: runs["breadth-first"][url] for url in common}, strategy


def ask(out, *args):
    """What `why` says of 200 random URLs; and what the store has for them."""
    known = query(out, "select url, priority from url where state in ('queued', 'fetched') order by id")
    some = random.Random(1).sample(known, min(200, len(known)))
    told = [json.loads(line) for line in scent("why", "--json", *args, out, *[url for url, _ in some]).stdout.splitlines()]
    assert [one["url"] for one in told] == [url for url, _ in some]
    return told, [priority for _, priority in some]


def same_verdicts(told):
    pages = [one["page"] for one in told if one.get("page", {}).get("counted")]
    assert len(pages) > 20 and any(page["reasons"] for page in pages)
    for page in pages:
        assert page["judged"]["relevant"] == page["relevant"], page
        assert abs(page["judged"]["score"] - page["score"]) < 1e-9, page


def same_scores(strategy, told, stored):
    """The number that the store has, and what it was made of then."""
    found = [(one["score"], one, priority) for one, priority in zip(told, stored) if "score" in one]
    assert len(found) > 0.9 * len(told)
    for score, one, priority in found:
        if one["seed"]:
            continue
        assert score["priority"] == score["stored"] == one["priority"] == priority, (one, priority)
        assert one["state"] != "fetched" or one["page"]["priority"] == priority, (one, priority)
        assert not score["drifted"] and score.get("now", {}).get("priority") != priority, one
        made = made_of(strategy, score["parts"]) if score["parts"] else None
        assert made is None or abs(made - priority) <= 1e-5 * max(abs(priority), 1), (made, one)
    return [score for score, one, _ in found if not one["seed"]]


def check_why(strategy, options=""):
    out = "out-" + "".join(letter if letter.isalnum() else "-" for letter in strategy)
    crawl(out, strategy + options, "--pages", 150, "-q")
    told, stored = ask(out)
    # How many a strategy knows of after 150 pages depends on how the visits overlap.
    assert len(told) >= 180 or strategy in CLOSED, (strategy, len(told))
    same_verdicts(told)
    scores = same_scores(strategy.split(":")[0], told, stored)
    if strategy not in ("breadth-first", "random"):
        assert all(score["from"] == "when it was scored" and score["parts"] for score in scores), scores[0]
    return out


@beside
def why_says_what_the_store_says():
    a_web()
    for strategy in UNTAUGHT[::3] if SLOW else UNTAUGHT:
        out = check_why(strategy)
        if strategy == "best-first:by=score":
            # Read back from the archive, what its best link says is the same again.
            told, _ = ask(out, "--strategy", strategy)
            again = [one["score"] for one in told if "score" in one]
            assert len(again) > 100 and {score["from"] for score in again} == {"its best link"}
            assert not any(score["drifted"] for score in again)


@beside
def why_says_it_for_those_that_are_taught():
    a_taught_web()
    names = [line.split(":")[0] for line in scent("strategies").stdout.splitlines() if line[:1].islower() and ": " in line]
    assert {"hmm", "rules", "combined", "cora"} < set(names)
    taught = TAUGHT + [name for name in names if name not in {each.split(":")[0] for each in UNTAUGHT}]
    for strategy in taught[::3] if SLOW else taught:
        check_why(strategy, ":graph=known" if strategy in ("context-graph", "cora") else "")


@test
def judge_says_what_the_store_says():
    a_web()
    crawl("out", "breadth-first", "--pages", 90, "-q")
    stored = verdicts("out")
    judged = map(json.loads, scent("judge", "--json", "--crawl", "out", *stored).stdout.splitlines())
    judged = {one["url"]: [one["relevant"], round(one["score"], 9)] for one in judged}
    assert judged == {url: [bool(relevant), score] for url, (relevant, score) in stored.items()}


@test
def another_topic_judges_all_pages_again():
    a_web()
    crawl("out", "fish")
    before = verdicts("out")
    text = open("topic.yaml").read()
    write("milder.yaml", text + "relevant: query() > 0.41\n")
    # What was counted of each page suffices: the archive is not looked at.
    Path("out/warc").rename("away")
    told = scent("rejudge", "out", "milder.yaml")
    Path("away").rename("out/warc")
    assert "what is relevant has changed: it was 'query() > 0.45', and is 'query() > 0.41'" in told.stderr, told
    after = verdicts("out")
    became = [url for url in after if after[url][0] > before[url][0]]
    assert became and f"{len(became)} became relevant, 0 are no longer relevant" in told.stdout, told
    assert all(after[url][0] == (after[url][1] > 0.41) and after[url][1] == before[url][1] for url in after)
    one_judge("out")
    assert "milder" not in open("out/topic.yaml").read() and "0.41" in open("out/topic.yaml").read()
    again = json.loads(scent("rejudge", "out", "--json").stdout)
    assert (again["read"], again["gained"], again["lost"]) == (0, 0, 0), again
    # With the first topic a crawl goes back to the first verdicts, and says so.
    told = crawl("out", "fish").stderr
    assert f"0 became relevant, {len(became)} are no longer relevant" in told, told
    assert verdicts("out") == before
    check_crawl("out")


@test
def what_was_interrupted_waits_for_the_next_run():
    """As a signal leaves it: the pages have verdicts of the judges that there were on the way."""
    a_web()
    crawl("whole")
    crawl("out", "breadth-first", "--pages", 70)
    with sqlite3.connect("out/crawl.db") as db:
        db.execute("update page set relevant = coalesce(first_relevant, relevant), score = coalesce(first_score, score),"
                   " judge_version = coalesce(first_judge, judge_version) where number <= 40")
    db.close()
    waiting = json.loads(scent("status", "out", "--json").stdout)["waiting"]
    assert 30 < waiting <= 40, waiting
    assert f"waiting    {waiting} pages" in scent("status", "out").stdout
    report = json.loads(scent("rejudge", "out", "--json", "--threads", 3).stdout)
    assert report["pages"] == 70 and report["read"] == waiting and not report["interrupted"], report
    one_judge("out")
    crawl("out")
    assert verdicts("out") == verdicts("whole")


@test
def a_signal_ends_a_crawl_at_once():
    """Nothing is judged again then: the next run does it."""
    write("endless.yaml", "kind: generated\nseed: 21\nhosts: 4000\npages_per_host: 12\nslow_hosts: {share: 0}\n")
    topic(scent("web", "generate", "endless.yaml", "--seeds", "3").stdout.split(), query="'#sum(one two)'")
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "endless.yaml", "-q", "-o", "out"])
    while True:
        try:
            if query("out", "select count(*) from judge")[0][0] > 3:
                break
        except sqlite3.Error:
            pass
        assert child.poll() is None, "it ended by itself"
        time.sleep(0.02)
    child.send_signal(signal.SIGTERM)
    assert child.wait() == 11
    assert json.loads(scent("status", "out", "--json").stdout)["waiting"] > 0
    scent("rejudge", "out", "-q")
    one_judge("out")


finish()
