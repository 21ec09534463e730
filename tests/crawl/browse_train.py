#!/usr/bin/env python3
"""A user browses, marks pages as useful, trains a model and crawls with it."""

import json
import os
import random
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from crawling import Site, check_crawl, finish, query, scent, test, write

WORDS = {
    "portal": "welcome portal directory sections overview start index everything",
    "league": "league table standings fixtures clubs season schedule ranking",
    "hockey": "hockey puck rink goalie skates ice stick penalty",
    "cheese": "cheese milk rennet curd whey dairy cellar rind",
}


def page(kind, number, links=()):
    rng = random.Random(f"{kind}{number}")
    text = " ".join(rng.choices(WORDS[kind].split(), k=40)) + f" the and of page{number}"
    anchors = "".join(f'<a href="{link}">more</a> ' for link in links)
    return f"<html lang=en><title>{kind} {number}</title><body><p>{text}</p>{anchors}"


def put(path, content):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content)


def site(folder="site", groups=12):
    """Hockey pages lie behind league tables, those behind portals; every page has links to cheese as well."""
    for g in range(groups):
        nearby = [f"cheese{g * 3 + i}.html" for i in range(3)]
        put(f"{folder}/portal{g}.html", page("portal", g, nearby + [f"league{g}.html", f"portal{(g + 1) % groups}.html"]))
        put(f"{folder}/league{g}.html", page("league", g, nearby[:1] + [f"hockey{g * 3 + i}.html" for i in range(3)]))
        for i in range(3):
            n = g * 3 + i
            put(f"{folder}/hockey{n}.html", page("hockey", n, [f"portal{(g + 1) % groups}.html"]))
            put(f"{folder}/cheese{n}.html", page("cheese", n, [f"cheese{(n + k) % (groups * 3)}.html" for k in range(1, 6)]))


def collection():
    site()
    scent("web", "pack", "site", "-b", "http://site.test/", "-o", "collection")


def session(base="http://site.test", groups=2, useful=True, extra=()):
    """The user went through the first groups."""
    lines = ['{"browsing": 1}']
    for g in range(groups):
        way = [f"portal{g}", f"league{g}"] + [f"hockey{g * 3 + i}" for i in range(3)] + [f"cheese{g * 3 + i}" for i in range(3)]
        for name in way:
            lines.append(json.dumps({"visit": f"{base}/{name}.html"}))
            if useful and name.startswith("hockey"):
                lines.append(json.dumps({"useful": f"{base}/{name}.html"}))
    for url in extra:
        lines.append(json.dumps({"visit": url}))
    return write("mine.jsonl", "\n".join(lines) + "\n")


def topic(**keys):
    keys.setdefault("browsing", "mine.browsing")
    lines = ["topic: hockey", "seeds: [http://site.test/portal3.html]", "politeness: {delay: 0}", "window: 1"]
    return write("topic.yaml", "\n".join(lines + [f"{key}: {value}" for key, value in keys.items()]) + "\n")


def order(folder):
    """The names of the fetched pages, in order."""
    return [os.path.basename(url)[:-5] for (url,) in
            query(folder, "select u.url from page p join url u on u.id = p.url_id order by p.number")]


def refused(*args, says, status=2):
    done = scent(*args, status=status)
    assert says in done.stderr, (says, done.stderr)


@test
def a_model_is_learned_and_told():
    collection()
    done = scent("browse", "train", session(), "-o", "mine.browsing", "--from", "collection", "--svg", "graph.svg",
                 "--dot", "graph.dot", "--clusters", 4)
    assert "learned from 16 pages, 6 of them useful" in done.stdout, done.stdout
    for line in ["  T0      6 pages: useful", "  T1      2 pages: one link", "  T2      2 pages", "  T3      6 pages: farther"]:
        assert line in done.stdout, (line, done.stdout)
    clusters = [line for line in done.stdout.splitlines() if " pages:" in line and "T" not in line[:4]]
    assert len(clusters) == 4, done.stdout
    assert any("puck" in line or "rink" in line for line in clusters) and any("curd" in line or "whey" in line for line in clusters)
    svg = ElementTree.parse("graph.svg").getroot()
    assert svg.tag.endswith("svg") and len(svg.findall("{*}g")) >= 4
    dot = Path("graph.dot").read_text()
    assert dot.startswith("digraph {") and '"T1, cluster ' in dot and dot.count("->") >= 4, dot


@test
def the_same_sessions_give_the_same_model():
    collection()
    files = []
    for name in ("one", "two"):
        scent("browse", "train", session(), "-o", name, "--from", "collection", "-q")
        files.append(Path(name).read_bytes())
    assert files[0] == files[1]
    assert b"site.test" not in files[0]


@test
def json_holds_the_matrices():
    collection()
    told = json.loads(scent("browse", "train", session(), "-o", "m", "--from", "collection", "--json", "--clusters", 4).stdout)
    assert told["pages"] == 16 and told["useful"] == 6 and told["unread"] == 0
    assert told["distances"] == [6, 2, 2, 6]
    assert abs(told["pi"][0] - 6.5 / 18) < 1e-9
    assert abs(told["a"][1][0] - 6.5 / (6 + 2 + 2)) < 1e-9  # six links to hockey, two to cheese, half a link each
    assert told["a"][3][0] == told["a"][3][1] == told["a"][2][0] == 0
    assert len(told["b"][0]) == len(told["clusters"]) == 4
    for row in told["a"] + told["b"] + [told["pi"]]:
        assert abs(sum(row) - 1) < 1e-9


@test
def a_crawl_follows_the_model():
    collection()
    scent("browse", "train", session(), "-o", "mine.browsing", "--from", "collection", "-q", "--clusters", 4)
    found = {}
    for name, strategy in {"hmm": "hmm", "eager": "hmm:preset=paper", "rival": "best-first:by=browsing"}.items():
        scent("crawl", topic(), "--from", "collection", "-o", name, "--strategy", strategy, "--pages", 40, "-q")
        check_crawl(name)
        pages = order(name)
        relevant = {os.path.basename(url)[:-5] for (url,) in query(name, "select url from relevant")}
        assert relevant == {page for page in pages if page.startswith("hockey")}, (name, relevant, pages)
        found[name] = sum(page.startswith("hockey") for page in pages)
    # What a page was reached from is kept with it: why says what the crawl said, unless more was learned since.
    known = [url for url, in query("hmm", "select url from url where state in ('queued', 'fetched') order by id")][:200]
    told = [json.loads(line) for line in scent("why", "--json", "hmm", *known).stdout.splitlines()]
    scores = [one["score"] for one in told if "score" in one]
    assert len(scores) > 30 and not any(score["drifted"] for score in scores), [s for s in scores if s["drifted"]][:3]
    assert found["hmm"] >= 12 and found["eager"] >= 12, found
    assert found["rival"] < .75 * found["hmm"], found


@test
def titles_and_link_texts_are_features():
    collection()
    train = ["browse", "train", session(), "--from", "collection", "--clusters", 4]
    told = json.loads(scent(*train, "-o", "mine.browsing", "--title", 3, "--anchors", 1, "--json").stdout)
    assert told["features"] == {"title": 3, "anchors": 1}, told["features"]
    told = json.loads(scent(*train, "-o", "plain.browsing", "--json").stdout)
    assert told["features"] == {"title": 0, "anchors": 0}, told["features"]
    assert Path("mine.browsing").stat().st_size > Path("plain.browsing").stat().st_size
    scent("crawl", topic(), "--from", "collection", "-o", "out", "--pages", 40, "-q")
    check_crawl("out")
    relevant = [os.path.basename(url)[:-5] for (url,) in query("out", "select url from relevant")]
    assert len(relevant) >= 12 and all(page.startswith("hockey") for page in relevant), relevant
    refused(*train, "-o", "m", "--title", "101", says="invalid value '101' for --title")


@test
def eager_fetches_all_links_of_the_chosen_page():
    collection()
    scent("browse", "train", session(), "-o", "mine.browsing", "--from", "collection", "-q", "--clusters", 4)
    scent("crawl", topic(strategy="{name: hmm, children: eager}"), "--from", "collection", "-o", "out", "--pages", 10, "-q")
    pages = order("out")
    # All five links of the seed, then those of the best of them, the league table: its cheese is there already.
    assert pages[0] == "portal3" and set(pages[1:6]) == {"cheese9", "cheese10", "cheese11", "league3", "portal4"}, pages
    assert set(pages[6:9]) == {"hockey9", "hockey10", "hockey11"}, pages


@test
def a_crawl_keeps_its_model():
    collection()
    scent("browse", "train", session(), "-o", "mine.browsing", "--from", "collection", "-q", "--clusters", 4)
    scent("crawl", topic(), "--from", "collection", "-o", "out", "--pages", 5, "-q")
    assert Path("out/learned/browsing").read_bytes() == Path("mine.browsing").read_bytes()
    scent("browse", "train", session(groups=3), "-o", "mine.browsing", "--from", "collection", "-q", "--clusters", 3)
    done = scent("crawl", topic(), "--from", "collection", "-o", "out", "--pages", 20)
    assert "has changed since this crawl began" in done.stderr, done.stderr
    Path("mine.browsing").unlink()
    scent("crawl", topic(), "--from", "collection", "-o", "out", "--pages", 24, "-q")
    assert len(order("out")) == 24
    # In one go it is the same crawl.
    shutil.copy("out/learned/browsing", "mine.browsing")
    scent("crawl", topic(), "--from", "collection", "-o", "whole", "--pages", 24, "-q")
    assert order("whole") == order("out")


@test
def an_interrupted_eager_crawl_goes_on_as_it_would_have():
    collection()
    scent("browse", "train", session(), "-o", "mine.browsing", "--from", "collection", "-q", "--clusters", 4)
    path = topic(strategy="{name: hmm, preset: paper}")
    scent("crawl", path, "--from", "collection", "-o", "whole", "--pages", 24, "-q")
    for pages in (4, 9, 13, 24):
        scent("crawl", path, "--from", "collection", "-o", "parts", "--pages", pages, "-q")
    assert order("parts") == order("whole")


@test
def pages_are_fetched_from_servers():
    site("www", 2)
    answers = {"/" + path.name: (200, [("Content-Type", "text/html; charset=utf-8")], path.read_bytes())
               for path in Path("www").iterdir()}
    answers["/old.html"] = (302, [("Location", "/hockey0.html")], b"")
    with Site(answers) as server:
        base = server.base
        path = session(base, extra=[f"{base}/gone.html", f"{base}/old.html"])
        done = scent("browse", "train", path, "-o", "m", status=2)
        assert "--allow-private permits them" in done.stderr, done.stderr
        write("polite.yaml", "topic: x\npoliteness: {delay: 0}\n")
        done = scent("browse", "train", path, "-o", "m", "--allow-private", "--topic", "polite.yaml")
        assert "learned from 16 pages, 6 of them useful" in done.stdout, done.stdout
        assert "1 pages could not be read, 0 of them useful" in done.stderr and "gone.html" in done.stderr, done.stderr
        check_crawl("m.fetched")
        asked = len(server.log)
        scent("browse", "train", path, "-o", "m", "--allow-private", "--topic", "polite.yaml", "--clusters", 3, "-q")
        assert len(server.log) == asked, server.log[asked:]


@test
def a_page_is_judged():
    collection()
    scent("browse", "train", session(), "-o", "mine.browsing", "--from", "collection", "-q", "--clusters", 4)
    topic()
    put("page.html", page("hockey", 77))
    done = scent("judge", "topic.yaml", "page.html")
    assert "the likeness to a useful page of the browsing model" in done.stdout and "its cluster is" in done.stdout, done.stdout
    put("other.html", page("cheese", 77))
    scent("judge", "topic.yaml", "other.html", status=1)


@test
def what_cannot_be_learned_from_is_refused():
    collection()
    train = ["browse", "train", "mine.jsonl", "-o", "m", "--from", "collection"]
    session(useful=False)
    refused(*train, says="none of the 16 pages is marked as useful")
    write("mine.jsonl", '{"visit": "http://site.test/hockey0.html"}\n{"useful": "http://site.test/hockey0.html"}\n')
    refused(*train, says="one page only")
    write("mine.jsonl", "")
    refused(*train, says="no page was visited")
    write("mine.jsonl", '{"visit": "http://site.test/a"}\n{"visit": "http://site.test/b"}\n{"useful": "http://site.test/b"}\n')
    refused(*train, says="none of the 2 pages of the sessions could be read")
    shutil.rmtree("m.fetched")
    write("mine.jsonl", '{"visit": "http://site.test/hockey0.html"}\n{"useful": "http://site.test/gone"}\n')
    refused(*train, says="none of the 1 useful pages could be read")
    shutil.rmtree("m.fetched")
    write("mine.jsonl", '{"visit": "http://site.test/gone"}\n{"useful": "http://site.test/hockey0.html"}\n')
    refused(*train, says="one page is not enough")
    lines = [json.dumps({"visit": f"http://site.test/{i}"}) for i in range(4097)]
    write("mine.jsonl", "\n".join(lines + ['{"useful": "http://site.test/1"}']))
    refused(*train, says="4097 pages, more than the 4096 that a model is made of")
    write("mine.jsonl", "no json\n")
    refused(*train, says="mine.jsonl")
    refused("browse", "train", "-o", "m", says="missing argument FILE")
    refused("browse", "train", "mine.jsonl", says="missing option --output MODEL")
    refused("browse", "train", "mine.jsonl", "-o", "m", "--clusters", "17", says="invalid value '17' for --clusters")
    assert not Path("m").exists()


@test
def a_crawl_without_its_model_is_refused():
    collection()
    refused("crawl", topic(), "--from", "collection", "-o", "out", says="topic.yaml:5: browsing: cannot open mine.browsing")
    write("mine.browsing", "something else")
    refused("crawl", topic(), "--from", "collection", "-o", "out", says="this is not a browsing model of scent; name a file that `scent browse train` wrote")
    scent("browse", "train", session(), "-o", "mine.browsing", "--from", "collection", "-q")
    data = bytearray(Path("mine.browsing").read_bytes())
    data[len(data) // 2] ^= 1
    Path("mine.browsing").write_bytes(data)
    refused("crawl", topic(), "--from", "collection", "-o", "out", says="damaged")
    write("topic.yaml", "topic: x\nseeds: [http://site.test/portal0.html]\nstrategy: hmm\n")
    refused("crawl", "topic.yaml", "--from", "collection", "-o", "out", says="strategy hmm follows a model of somebody's browsing")


finish()
