#!/usr/bin/env python3
"""Experiments with traces, keywords and the best of several crawls, on a small collection with a made-up access log."""

import json
import random
import re
from pathlib import Path

import lab_measures
from crawling import *
from labbing import *

STRATEGIES = "[breadth-first, {name: intelligent, as: best, best_of: 3}, intelligent]"


def write_log(urls, path="access.log", users=12):
    """Everybody reads one topic, nine pages of ten; the first half of the accesses lies in 2011."""
    dice, lines = random.Random(2), []
    topics = sorted(TOPICS)
    for user in range(users):
        own = topics[user % len(topics)]
        for k in range(20):
            topic = own if dice.random() < .9 else dice.choice(topics)
            time = (1300000000 if k < 10 else 1330000000) + 3600 * user + 60 * k
            lines.append((time, f"{time} user{user} {urls[topic, dice.randrange(20)]}\n"))
    write(path, "".join(line for _, line in sorted(lines)) + "1330000001 user1 http://elsewhere.test/\n")


def path_of_run(folder, topic, strategy):
    """The file of a crawl, whatever became of its name."""
    name = re.escape(lab_measures.file_name(strategy))
    return next(p for p in Path(folder, "runs", topic).iterdir() if re.fullmatch(name + r"(-[0-9a-f]{8})?\.jsonl", p.name))


def harvest(folder, name, point=-1):
    result = json.loads(Path(f"{folder}/summary.json").read_text())
    return next(s for s in result["series"] if s["name"] == name)["points"][point]["harvest"]["mean"]


@test
def the_best_of_several():
    write_pages()
    experiment(collection="pages", topics="[sport, food, sport.ice]", seeds="3", budget="20", points="[10, 20]", judge="label",
               repeats="2", strategies=STRATEGIES, baseline="intelligent", fusions="")
    run("e.yaml", "-o", "one", "-t", 1, "-q")
    run("e.yaml", "-o", "two", "-t", 2, "-q")
    same_results("one", "two")
    result = lab_measures.compare("one")
    assert not result.wrong, "\n".join(result.wrong[:20])
    series = {s["name"]: s for s in json.loads(Path("one/summary.json").read_text())["series"]}
    assert series["best"]["best_of"] == 3 and "best_of" not in series["intelligent"]
    assert {c for topic in series["best"]["chosen"] for c in topic} > {1}, series["best"]["chosen"]
    values = zip(series["best"]["points"][-1]["harvest"]["topics"], series["intelligent"]["points"][-1]["harvest"]["topics"])
    assert all(best >= plain for best, plain in values)
    first = [Path(f"one/runs/food/{name}.jsonl").read_text() for name in ("best", "intelligent")]
    assert first[0] == first[1]  # the first of several is the crawl that others make
    assert "the best of 3 crawls from different seeds" in Path("one/report.html").read_text()
    Path("two/runs/food/best~2@2.jsonl").unlink()
    run("e.yaml", "-o", "two", "-q")
    same_results("one", "two")


@test
def what_an_earlier_crawl_learned():
    write_pages()
    arms = ("[intelligent, {name: intelligent, as: forgot, reuse: {weight: 0}}, {name: intelligent, as: reused, reuse: {budget: 30}}, "
            "{name: intelligent, as: again, reuse: {seeds: same, budget: 30, weight: 0.5}}]")
    experiment(collection="pages", topics="[food, sport.ice, sport.grass]", seeds="3", budget="20", points="[10, 20]", judge="label",
               strategies=arms, baseline="intelligent", fusions="")
    run("e.yaml", "-o", "one", "-t", 1, "-q")
    run("e.yaml", "-o", "two", "-t", 2, "-q")
    same_results("one", "two")
    Path("two/runs/food/reused.jsonl").unlink()
    run("e.yaml", "-o", "two", "-q")
    same_results("one", "two")
    result = lab_measures.compare("one")
    assert not result.wrong, "\n".join(result.wrong[:20])
    orders = {name: [Path(f"one/runs/{topic}/{name}.jsonl").read_text() for topic in ("food", "sport.ice", "sport.grass")]
              for name in ("intelligent", "forgot", "reused", "again")}
    assert orders["forgot"] == orders["intelligent"]  # of no weight is as if it had not been
    assert orders["reused"] != orders["intelligent"] and orders["again"] != orders["intelligent"]
    firsts = [[json.loads(line)["url"] for line in text.splitlines()[:3]] for text in orders["reused"]]
    assert firsts == [[json.loads(line)["url"] for line in text.splitlines()[:3]] for text in orders["intelligent"]]
    assert harvest("one", "reused") > harvest("one", "intelligent"), (harvest("one", "reused"), harvest("one", "intelligent"))
    assert "begins with what it learned in an earlier crawl of up to 30 pages from other seeds" in Path("one/report.html").read_text()


@test
def pages_that_are_left_out():
    write_pages()
    keys = {"collection": "pages", "topics": "[food, sport]", "seeds": "3", "budget": "60", "points": "[60]",
            "strategies": "[breadth-first]", "baseline": "", "fusions": ""}
    experiment("all.yaml", **keys)
    experiment("less.yaml", exclude="['*-ice.test/*', '*/1?']", **keys)
    run("all.yaml", "-o", "all", "-q")
    said = run("less.yaml", "-o", "less").stderr
    assert "labels read; left out: 40 whose page is not in the collection" in said, said
    urls = {folder: {json.loads(line)["url"] for path in Path(folder).glob("runs/*/*.jsonl") for line in path.read_text().splitlines()}
            for folder in ("all", "less")}
    left = {u for u in urls["all"] if "-ice.test" not in u and not re.search(r"/1\d$", u)}
    assert len(left) == 20 and urls["less"] <= left and len(urls["less"]) > 10, urls["less"]
    assert json.loads(Path("less/summary.json").read_text())["pages"] == 20


@test
def a_category_and_a_keyword():
    urls = write_pages()
    experiment(collection="pages", topics="[{category: sport.ice, keyword: goalies}, {category: food, keyword: puck}, food]",
               seeds="3", budget="30", points="[30]", judge="label", strategies="[breadth-first, intelligent]", baseline="",
               fusions="")
    done = run("e.yaml", "-o", "out")
    assert "left out: topic food + puck: it has" in done.stderr and "too few for 3 seeds" in done.stderr, done.stderr
    topics = {t["name"]: t for t in json.loads(Path("out/summary.json").read_text())["topics"]}
    assert set(topics) == {"sport.ice + goalies", "food"} and topics["sport.ice + goalies"]["category"] == "sport.ice"
    text = Path("pages/a.warc").read_bytes().decode()
    bodies = {url: text.split(f"WARC-Target-URI: {url}\r")[1].split("</html>")[0] for url in urls.values()}
    with_word = {url for (topic, _), url in urls.items() if topic == "sport.ice" and "goalie" in bodies[url]}
    assert topics["sport.ice + goalies"]["relevant"] == len(with_word)
    for line in next(Path("out/runs").glob("sport.ice*/intelligent.jsonl")).read_text().splitlines():
        visit = json.loads(line)
        assert visit["relevant"] == visit["judged"] == (visit["url"] in with_word), visit
    experiment("r.yaml", collection="pages", topics="{level: 1, min_pages: 5, keywords: [goalie, honey]}", seeds="3",
               budget="30", points="[30]", strategies="[breadth-first, full-page]", baseline="", fusions="")
    run("r.yaml", "-o", "rule", "-q")
    assert [t["name"] for t in json.loads(Path("rule/summary.json").read_text())["topics"]] == ["food + honey", "sport + goalie"]


@test
def strategies_that_follow_people():
    write_log(write_pages())
    scent("trace", "import", "access.log", "-o", "access.trace", "--keep-users")
    arms = ("[random, collaborative, {name: collaborative, as: from a trace, traces: access.trace}, "
            "{name: collaborative, as: first, traces: {until: 50%}}, {name: collaborative, as: by date, traces: {until: 2011-12-31}}, "
            "{name: collaborative, as: second, traces: {from: 50%}}, "
            "{name: collaborative, as: reused, traces: {from: 50%}, reuse: {traces: {until: 50%}}}]")
    experiment(collection="pages", topics="[food, sport.ice, sport.grass]", seeds="3", budget="20", points="[10, 20]", judge="label",
               traces="access.log", strategies=arms, baseline="random", fusions="")
    run("e.yaml", "-o", "one", "-t", 1, "-q")
    run("e.yaml", "-o", "two", "-t", 2, "-q")
    same_results("one", "two")
    result = lab_measures.compare("one")
    assert not result.wrong, "\n".join(result.wrong[:20])
    orders = {s["name"]: [[json.loads(line)["url"] for line in path_of_run("one", topic, s["name"]).read_text().splitlines()]
                          for topic in ("food", "sport.ice", "sport.grass")]
              for s in json.loads(Path("one/summary.json").read_text())["series"]}
    assert orders["collaborative"] == orders["from a trace"] and orders["first"] == orders["by date"]
    assert orders["first"] != orders["second"] != orders["reused"]
    assert harvest("one", "collaborative") > harvest("one", "random")
    halves = {half: {u for order in orders[half] for u in order[3:]} for half in ("first", "second")}
    log = [line.split() for line in Path("access.log").read_text().splitlines()]
    for half, early in (("first", True), ("second", False)):  # what nobody looked at then is no candidate
        assert halves[half] <= {url for time, _, url in log if (int(time) < 1320000000) == early}, half
    experiment("n.yaml", collection="pages", topics="[food]", seeds="3", budget="20", points="[20]", strategies="[collaborative]",
               baseline="", fusions="")
    said = run("n.yaml", "-o", "none", status=2).stderr
    assert "n.yaml:" in said and "traces" in said, said


@test
def a_log_is_part_of_the_experiment():
    write_log(write_pages())
    experiment(collection="pages", topics="[sport, food]", seeds="3", budget="30", points="[30]", traces="access.log",
               strategies="[breadth-first]", baseline="", fusions="")
    run("e.yaml", "-o", "out", "-q")
    with open("access.log", "a") as log:
        log.write("1330000002 user1 http://food-sweet.test/1\n")
    assert "another experiment, collection, labels, traces" in run("e.yaml", "-o", "out", status=2).stderr
    for value, message in [("nowhere.log", "e.yaml:7: traces:"), ("{files: access.log, until: 1999-01-01}", "no access of a page"),
                           ("{files: access.log, until: soon}", "e.yaml:7: traces.until: expected a date")]:
        experiment(collection="pages", topics="[sport, food]", seeds="3", traces=value, budget="30", points="[30]",
                   strategies="[breadth-first]", baseline="", fusions="")
        said = run("e.yaml", "-o", "other", status=2).stderr
        assert message in said, (value, said)


if __name__ == "__main__":
    finish()
