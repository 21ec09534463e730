#!/usr/bin/env python3
"""A user teaches scent a topic: examples from folders, lists, archives and taxonomies; train, judge, crawl with it."""

import gzip
import json
import os
import pty
import random
import re
import shutil
import subprocess
from pathlib import Path

from crawling import Site, check_crawl, finish, query, scent, serve, test, write

HOCKEY = "ice hockey players skate with the puck across the rink and shoot at the goalie of the other team".split()
BAKING = "knead the dough with flour and yeast then bake the bread in a hot oven until its crust is brown".split()
FISHING = "anglers cast a line with bait from the boat into the lake and reel in the trout before sunset".split()


def text(words, number):
    """Sentences of one subject that differ from number to number."""
    n = len(words)
    return " ".join(words[(number * 5 + i * (1 + number % 3)) % n] for i in range(30)) + f" page{number}"


def page(words, number, links=(), head=""):
    anchors = "".join(f'<a href="{link}">more</a> ' for link in links)
    return f"<html lang=en><head><title>{words[1]} {number}</title>{head}</head><body><p>{text(words, number)}</p>{anchors}"


def put(path, content):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def examples(count=12):
    for i in range(count):
        put(f"ex/positive/{i}.html", page(HOCKEY, i))
        put(f"ex/negative/{i}.html", page(BAKING, i))


def site(pages=30):
    """A collection: pages on hockey and on baking, each linked to the next of both kinds; /old leads to one."""
    for i in range(pages):
        links = [f"/{kind}{(i + 1) % pages}.html" for kind in ("hockey", "baking")]
        put(f"site/hockey{i}.html", page(HOCKEY, 100 + i, links))
        put(f"site/baking{i}.html", page(BAKING, 100 + i, links))
    scent("web", "pack", "site", "-b", "http://site.test/", "-o", "collection")


def topic(path="hockey.yaml", seeds=("http://site.test/hockey0.html",), **keys):
    keys.setdefault("examples", "{positive: ex/positive, negative: ex/negative}")
    lines = ["topic: hockey", f"seeds: [{', '.join(seeds)}]", "politeness: {delay: 0}"]
    return write(path, "\n".join(lines + [f"{key}: {value}" for key, value in keys.items() if value]) + "\n")


def refused(*args, says):
    done = scent(*args, status=2)
    assert says in done.stderr, f"'{says}' is not said in:\n{done.stderr}"
    assert not Path("hockey.model").exists(), "a model was written all the same"
    return done


@test
def from_a_folder_to_a_crawl():
    """What README.md shows, as printed there."""
    examples()
    site(15)
    shutil.move("ex", "hockey")
    done = scent("init", "--examples", "hockey")
    assert "scent train hockey.yaml" in done.stderr, done.stderr
    drafted = Path("hockey.yaml").read_text()
    write("hockey.yaml", drafted + "seeds: ['http://site.test/hockey0.html']\n")
    done = scent("train", "hockey.yaml")
    assert re.search(r"accuracy 1\.000|accuracy 0\.9", done.stdout), done.stdout
    assert "puck" in done.stdout and "hockey.model is written" in done.stdout, done.stdout
    assert Path("hockey.model").is_file()
    done = scent("judge", "hockey.yaml", "site/hockey3.html")
    assert done.stdout.startswith("relevant "), done.stdout
    assert "classifier()" in done.stdout and "puck" in done.stdout, done.stdout
    scent("judge", "hockey.yaml", "site/baking3.html", status=1)
    done = scent("crawl", "hockey.yaml", "--from", "collection", "-o", "out")
    assert "trained" not in done.stderr, done.stderr
    verdicts = dict(query("out", "select url.url, relevant from page join url on url.id = page.url_id where counted"))
    assert len(verdicts) == 30, len(verdicts)
    assert all(verdict == ("hockey" in url) for url, verdict in verdicts.items()), verdicts
    assert Path("out/learned/model").read_bytes() == Path("hockey.model").read_bytes()
    check_crawl("out")


@test
def the_examples_of_the_repository():
    """The commands of README.md and examples/README.md."""
    shutil.copytree(Path(__file__).resolve().parents[2] / "examples", "examples")
    scent("init", "--examples", "examples/hockey")
    done = scent("train", "hockey.yaml")
    assert "hockey" in done.stdout.split("positive:")[1], done.stdout
    assert float(re.search(r"accuracy ([0-9.]+)", done.stdout)[1]) > 0.7, done.stdout
    scent("judge", "hockey.yaml", "-", input="The goalie froze the puck.\n")
    scent("judge", "hockey.yaml", "-", input="Bake the bread in a hot oven.\n", status=1)


@test
def a_crawl_trains_when_nobody_did_and_keeps_its_model():
    examples()
    site()
    topic()
    done = scent("crawl", "hockey.yaml", "--from", "collection", "-o", "out", "--pages", 10)
    assert "trained with 24 examples" in done.stderr, done.stderr
    assert not Path("hockey.model").exists()
    kept = Path("out/learned/model").read_bytes()
    put("ex/negative/99.html", page(FISHING, 1))
    done = scent("crawl", "hockey.yaml", "--from", "collection", "-o", "out")
    assert "have changed since this crawl began" in done.stderr, done.stderr
    assert Path("out/learned/model").read_bytes() == kept
    Path("out/learned/model").write_bytes(kept[:-9])
    done = scent("crawl", "hockey.yaml", "--from", "collection", "-o", "out", status=2)
    assert "out/learned/model" in done.stderr, done.stderr


@test
def a_model_that_does_not_fit_is_not_used():
    examples()
    site(5)
    topic()
    scent("train", "hockey.yaml", "-q")
    model = Path("hockey.model").read_bytes()
    put("ex/positive/99.html", page(HOCKEY, 99))
    done = scent("judge", "hockey.yaml", "site/hockey1.html")
    assert "other examples or options" in done.stderr and "trained with 25" in done.stderr, done.stderr
    os.remove("ex/positive/99.html")
    assert "trained" not in scent("judge", "hockey.yaml", "site/hockey1.html").stderr
    for name, damaged in {"cut": model[:len(model) // 2], "foreign": b"GIF89a", "empty": b"",
                          "flipped": model[:200] + bytes([model[200] ^ 1]) + model[201:],
                          "newer": model.replace(b"scent-trained 4 ", b"scent-trained 9 ")}.items():
        Path("hockey.model").write_bytes(damaged)
        done = scent("judge", "hockey.yaml", "site/hockey1.html")
        assert "the model is trained again" in done.stderr, f"{name}: {done.stderr}"
        assert done.stdout.startswith("relevant "), done.stdout


@test
def the_same_examples_give_the_same_model():
    examples()
    for kind in ("svm", "logistic", "bayes", "mlp"):
        topic(model=f"{{kind: {kind}}}")
        first = json.loads(scent("train", "hockey.yaml", "--json").stdout)
        bytes_ = Path("hockey.model").read_bytes()
        scent("train", "hockey.yaml", "-o", "other.model", "-q")
        assert Path("other.model").read_bytes() == bytes_, kind
        assert first["kind"] == kind and first["examples"] == 24 and first["accuracy"] > 0.9, first
        assert {"precision", "recall", "f1", "auc", "brier", "ece"} <= set(first["mean"]), first
        assert [each["class"] for each in first["classes"]] == ["negative", "positive"], first


@test
def lists_of_urls_are_fetched_once():
    examples()
    site()
    write("wanted.txt", "# my pages\n" + "".join(f"http://site.test/hockey{i}.html\n" for i in range(10)) +
          "http://site.test/missing.html\n")
    topic(examples="{positive: [wanted.txt, 'http://site.test/hockey20.html'], negative: ex/negative}")
    with serve("collection") as server:
        done = scent("train", "hockey.yaml", "--json", "--proxy-all", f"127.0.0.1:{server.port}")
    result = json.loads(done.stdout)
    assert result["examples"] == 23 and result["unreadable"] == 1, result
    assert "missing.html" in done.stderr, done.stderr
    check_crawl("hockey.fetched")
    assert json.loads(scent("train", "hockey.yaml", "--json").stdout) == result, "what was fetched is used again"
    scent("judge", "hockey.yaml", "site/hockey20.html")
    refused_done = scent("judge", "hockey.yaml", "http://site.test/hockey5.html", status=2)
    assert "contact" in refused_done.stderr, refused_done.stderr
    done = scent("judge", "hockey.yaml", "http://site.test/hockey21.html", "http://site.test/baking5.html", "--json",
                 "--from", "collection")
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["relevant"] for each in verdicts] == [True, False], verdicts


class Rink(Site):
    """Pages on hockey; /old has moved, /private is nobody's business, /same are two copies."""

    def answer(self, path, headers):
        kind = [("Content-Type", "text/html")]
        if path == "/old":
            return 301, [("Location", "/new")], b""
        if path == "/robots.txt":
            return 200, kind, b"User-agent: *\nDisallow: /private\n"
        number = 7 if "same" in path else len(path) * 31 + sum(path.encode())
        return 200, kind, page(HOCKEY, number, ["/linked"]).encode()


@test
def words_around_links_and_hubs():
    """Examples that say nothing themselves: what is said about them, on the pages of an earlier crawl, teaches."""
    for i in range(12):
        put(f"site/h{i}.html", f"<html lang=en><body>number {i} alpha")
        put(f"site/b{i}.html", f"<html lang=en><body>number {i} omega")
        put(f"site/talk{i}.html", f"<html lang=en><body><p>{text(HOCKEY, i)} <a href=h{i}.html>this</a></p>")
        put(f"site/food{i}.html", f"<html lang=en><body><p>{text(BAKING, i)} <a href=b{i}.html>this</a></p>")
    put("site/hub.html", "<html lang=en><body>" + "".join(f"<a href=h{i}.html>{i}</a> " for i in range(12)))
    put("site/other.html", "<html lang=en><body>nothing <a href=h0.html>here</a>")
    scent("web", "pack", "site", "-b", "http://site.test/", "-o", "collection")
    write("all.txt", "".join(f"http://site.test/{path.name}\n" for path in Path("site").iterdir()))
    write("earlier.yaml", "topic: all\nseeds_file: all.txt\nrelevant: 'true'\nstrategy: breadth-first\n")
    scent("crawl", "earlier.yaml", "-q", "--from", "collection", "-o", "earlier.crawl")
    write("h.txt", "".join(f"http://site.test/h{i}.html\n" for i in range(12)))
    write("b.txt", "".join(f"http://site.test/b{i}.html\n" for i in range(12)))
    seeds = [f"http://site.test/h{i}.html" for i in range(3)]
    topic(seeds=seeds, examples="{positive: h.txt, negative: b.txt}", model="{kind: svm, train: backlinks}", hubs=1,
          graph="earlier.crawl", strategy="breadth-first", limits="{depth: 0}")
    scent("train", "hockey.yaml", "-q", "--from", "collection")
    put("new/hockey.html", page(HOCKEY, 200))
    put("new/baking.html", page(BAKING, 200))
    done = scent("judge", "hockey.yaml", "new/hockey.html", "new/baking.html", "--json")
    assert [json.loads(line)["relevant"] for line in done.stdout.splitlines()] == [True, False], done.stdout
    scent("crawl", "hockey.yaml", "-q", "--from", "collection", "-o", "out")
    fetched = {url for (url,) in query("out", "select url from urls where state = 'fetched'")}
    assert fetched == {*seeds, "http://site.test/hub.html"}, fetched
    shutil.rmtree("earlier.crawl")
    scent("crawl", "hockey.yaml", "-q", "--from", "collection", "-o", "out")  # it has its model and its seeds
    topic(seeds=seeds, hubs=1)
    done = scent("crawl", "hockey.yaml", "--from", "collection", status=2)
    assert "graph: OTHER.crawl" in done.stderr, done.stderr


@test
def a_real_server_is_asked_politely_and_once():
    examples()
    with Rink({}) as rink:
        base = rink.base
        write("wanted.txt", "".join(f"{base}/{name}\r\n" for name in "a b c d old private same1 same2 a#part a?utm_source=x".split()))
        topic(examples="{positive: wanted.txt, negative: ex/negative}")
        assert "--allow-private" in scent("train", "hockey.yaml", status=2).stderr
        done = scent("train", "hockey.yaml", "--json", "--allow-private")
        asked = list(rink.log)
        result = json.loads(done.stdout)
        assert result["unreadable"] == 1 and "/private" in done.stderr, done.stderr
        assert result["classes"][1]["examples"] == 7, result  # a, b, c, d, new, same, and a with its parameter
        assert asked[0] == "/robots.txt" and "/private" not in asked and "/linked" not in asked, asked
        assert len(asked) == len(set(asked)), asked
        assert json.loads(scent("train", "hockey.yaml", "--json").stdout) == result
        assert rink.log == asked, "asked again"
        with open("wanted.txt", "a") as more:
            more.write(f"{base}/e\n")
        scent("train", "hockey.yaml", "-q", "--allow-private")
        assert [each for each in rink.log[len(asked):] if each != "/robots.txt"] == ["/e"], rink.log
        done = scent("judge", "hockey.yaml", f"{base}/f", "--allow-private")
        assert done.stdout.startswith("relevant"), done
        scent("judge", "hockey.yaml", f"{base}/private/x", "--allow-private", status=2)


@test
def archives_and_negatives_by_chance():
    site()
    for i in range(80):
        put(f"sample/{i}.txt", text(BAKING if i % 2 else FISHING, i))
    for i in range(10):
        put(f"wanted/{i}.html.gz", gzip.compress(page(HOCKEY, i).encode()))
    topic(examples="{positive: wanted, background: sample}")
    first = json.loads(scent("train", "hockey.yaml", "--json").stdout)
    assert [each["examples"] for each in first["classes"]] == [80, 10], first
    assert first["weak"] == 80, first
    topic(examples="{positive: wanted, background: collection, ratio: 3}",
          strategy="{name: full-page, preset: paper}")
    second = json.loads(scent("train", "hockey.yaml", "--json").stdout)
    assert [each["examples"] for each in second["classes"]] == [30, 10] and second["weak"] == 0, second


def categories(count=25):
    return "".join(f"http://site.test/hockey{i}.html\tSports.Hockey\nFood.Bread\thttp://site.test/baking{i}.html\n"
                   for i in range(count))


@test
def a_taxonomy_over_a_collection():
    site()
    write("labels.tsv", categories())
    topic(examples="", taxonomy="{file: labels.tsv, collection: collection, target: Sports}",
          relevant="'category(\"Sports.Hockey\") > 0.5 and not category(\"Food\") > 0.5'")
    result = json.loads(scent("train", "hockey.yaml", "--json").stdout)
    assert result["kind"] == "bayes" and result["accuracy"] > 0.9, result
    assert sorted(each["class"] for each in result["classes"]) == ["Food.Bread", "Sports.Hockey"], result
    scent("judge", "hockey.yaml", "site/hockey29.html")
    scent("judge", "hockey.yaml", "site/baking29.html", status=1)
    topic(examples="", taxonomy="{file: labels.tsv, collection: collection, target: Sports}")
    assert "classifier()" in scent("judge", "hockey.yaml", "site/hockey29.html").stdout
    topic(examples="", taxonomy="{file: labels.tsv, collection: collection, target: Sports}", model="svm")
    result = json.loads(scent("train", "hockey.yaml", "--json").stdout)
    assert [each["class"] for each in result["classes"]] == ["negative", "positive"], result
    scent("judge", "hockey.yaml", "site/hockey29.html")


@test
def the_dump_of_a_directory():
    site()
    topics = "".join(
        f'<Topic r:id="Top/{name}">' + "".join(f'<link r:resource="http://site.test/{kind}{i}.html"></link>' for i in range(20)) +
        "</Topic>" + "".join(f'<ExternalPage about="http://site.test/{kind}{i}.html"><d:Title>B\xe9 &amp; c</d:Title>'
                             f"<topic>Top/{name}</topic></ExternalPage>" for i in range(20))
        for name, kind in (("Sports/Hockey", "hockey"), ("Home/Cooking/Bread", "baking")))
    dump = b"<?xml version='1.0'?><RDF xmlns:r='x'>" + topics.encode("latin-1") + b"</RDF>"  # broken UTF-8, as the real one
    put("content.rdf.u8.gz", gzip.compress(dump))
    topic(examples="", taxonomy="{file: content.rdf.u8.gz, collection: collection, target: Sports.Hockey, levels: 2, min_leaf: 5}")
    result = json.loads(scent("train", "hockey.yaml", "--json").stdout)
    assert {each["class"]: each["examples"] for each in result["classes"]} == {"Sports.Hockey": 20, "Home.Cooking": 20}, result
    scent("judge", "hockey.yaml", "site/hockey29.html")


@test
def a_model_that_tells_nothing_apart_is_said():
    examples()
    topic()
    assert "hardly tells" not in scent("train", "hockey.yaml").stderr
    chance = random.Random(4)
    for path in sorted(Path("ex").glob("*/*.html")):
        path.write_text("<p>" + " ".join(chance.choices(HOCKEY + BAKING + FISHING, k=20)))
    said = scent("train", "hockey.yaml").stderr
    assert "hardly tells the classes apart: AUC" in said and "add examples" in said, said
    site(6)
    for trained in ("by scent train", "by the crawl"):
        scent("crawl", "hockey.yaml", "-q", "--from", "collection", "-o", "out")
        assert "hardly tells the classes apart: AUC" in scent("status", "out").stdout, trained
        shutil.rmtree("out")
        Path("hockey.model").unlink(missing_ok=True)


@test
def judges_whatever_it_is_given():
    examples()
    site(6)
    topic()
    scent("train", "hockey.yaml", "-q")
    done = scent("judge", "hockey.yaml", "-", input="the goalie stops the puck on the rink while players skate across")
    assert done.stdout.startswith("relevant") and "  -\n" in done.stdout, done.stdout
    lines = scent("judge", "hockey.yaml", "site", "--json").stdout.splitlines()
    assert len(lines) == 12 and sum(json.loads(line)["relevant"] for line in lines) == 6, lines
    lines = scent("judge", "hockey.yaml", "collection", "--json").stdout.splitlines()
    assert {json.loads(line)["url"] for line in lines} >= {"http://site.test/hockey1.html"}, lines
    done = scent("judge", "hockey.yaml", "nowhere.html", "site/hockey1.html", status=2)
    assert "nowhere.html" in done.stderr and done.stdout.startswith("relevant"), done
    topic(relevant="'url ~ \"site.test/rink\"'")
    scent("judge", "hockey.yaml", "site/hockey1.html", status=1)
    scent("judge", "hockey.yaml", "site/hockey1.html", "--base", "http://site.test/rink/")
    topic(examples="", relevant="'similar() > 0.3'")
    scent("judge", "hockey.yaml", "site/hockey2.html", "--from", "collection")
    scent("judge", "hockey.yaml", "site/baking2.html", "--from", "collection", status=1)
    for args in ((), ("hockey.yaml",), ("nowhere.yaml", "x"), ("hockey.yaml", "x", "--base", "ftp://x")):
        scent("judge", *args, status=2)


def judged(crawl):
    return query(crawl, "select url.url, relevant, score, judge_version from page join url on url.id = page.url_id "
                        "where counted order by number")


def invented(kind, number, links=()):
    """A page of one site, whose habits all its pages share, with some words of a kind that nobody else uses."""
    words = {"zor": "zorbal quxinor flarnip mervole tandrik poblast", "hes": "hesporin wubrade klinvost drammel sotterik",
             "gul": "gulmarok pendrisk vossaline trubekko nartolin"}[kind].split()
    habits = "visitors of the village museum read the local newsletter about history and gardens of the parish council"
    own = " ".join(words[(number + k * (1 + number % 2)) % len(words)] for k in range(4))
    return page(habits.split(), number, links).replace("</p>", f" {own}</p>")


@test
def a_crawl_trains_its_judge_again():
    """Examples of one site make all its pages relevant until the crawl has seen them. Runs with a window can be
    repeated, also when they are resumed; marks are examples of the next run; a purge forgets what was learned."""
    for i in range(80):
        links = [f"/{kind}{(i * 7 + k) % 80}.html" for kind in ("zor", "hes", "gul") for k in (1, 2)]
        for kind in ("zor", "hes", "gul"):
            put(f"site/{kind}{i}.html", invented(kind, 100 + i, links))
    scent("web", "pack", "site", "-b", "http://site.test/", "-o", "collection")
    for i in range(6):
        put(f"ex/positive/{i}.html", invented("zor", i))
    topic(seeds=["http://site.test/zor0.html"], examples="{positive: ex/positive}", window="4", seed="7",
          strategy="full-page")
    crawl = ("crawl", "hockey.yaml", "--from", "collection", "-o")
    done = scent(*crawl, "first", "--pages", 120)
    assert "it judges from now on" in done.stderr, done.stderr
    first = judged("first")
    found = [url for url, relevant, *_ in first if relevant]
    wanted = [url for url, *_ in first if "/zor" in url]
    right = len(set(found) & set(wanted))
    assert right > 0.5 * len(wanted) and right > 0.9 * len(found), (found, wanted)
    topic("free.yaml", seeds=["http://site.test/zor0.html"], examples="{positive: ex/positive}", seed="7")
    done = scent("crawl", "free.yaml", "--from", "collection", "-o", "free", "--pages", 120)
    assert "the judge was trained with" in done.stderr, done.stderr
    assert not query("free", "select count(distinct judge_version) - 1 from page where counted")[0][0]
    for pages in (60, 110, 120):
        scent(*crawl, "second", "--pages", pages)
    assert [row[:3] for row in first] == [row[:3] for row in judged("second")], "a resumed run differs"
    assert len(query("first", "select name from value where name = 'retrained' or name like 'weak %'")) == 120
    told = json.loads(scent("why", "first", first[40][0], "--json").stdout)
    assert f"score {first[40][2]:.4f}" in json.dumps(told), (first[40], told)
    check_crawl("first")
    scent("judge", "--review", "first", input="y\nn\ny\n")
    done = scent(*crawl, "first", "--pages", 125)
    assert "and 3 marks" in done.stderr and "has changed" not in done.stderr, done.stderr
    scent("purge", "first", first[10][0])
    assert not query("first", "select name from value where name = 'retrained' or name like 'weak %'")
    scent(*crawl, "first", "--pages", 130)
    check_crawl("first")


def in_a_terminal(keys, *args):
    """Types a key when it is asked for one; what the terminal showed."""
    leader, follower = pty.openpty()
    child = subprocess.Popen([os.environ["SCENT"], *args], stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    asked = 0
    try:
        while chunk := os.read(leader, 65536):
            shown += chunk
            while shown.count(b"[q]uit: ") > asked and asked < len(keys):
                os.write(leader, keys[asked].encode() + b"\n")
                asked += 1
    except OSError:  # the other side is closed
        pass
    os.close(leader)
    assert child.wait() == 0, shown
    return shown


@test
def people_mark_pages():
    examples()
    site(10)
    put("site/hockey3.html", page(HOCKEY, 103, ["/hockey4.html"]).replace("<p>", "<p>above<br>below</p><p>\x1b[31mred "))
    scent("web", "pack", "site", "-b", "http://site.test/", "-o", "odd")
    topic()
    scent("crawl", "hockey.yaml", "--from", "odd", "-o", "out")
    shown = in_a_terminal(["y", "what", "yn", "No", "skip", "u", "u", "y", "q"], "judge", "--review", "out")
    assert b"http://site.test/" in shown and b"score 0." in shown and b"2 pages are marked" in shown, shown
    marks = [line.split("\t") for line in scent("judge", "--marks", "out").stdout.splitlines()]
    assert [mark for mark, *_ in marks] == ["yes", "yes"], marks
    assert len(Path("out/marks.tsv").read_text().splitlines()) == 4
    done = scent("judge", "--review", "out", input="n\n" * 99)
    assert "18 pages are marked" in done.stdout, done.stdout
    shown += done.stdout.encode()
    assert b"\x1b" not in shown and b"[31mred" in shown
    assert b"    above\n    below\n" in shown.replace(b"\r", b""), shown
    assert not any(f"   {url}\n" in done.stdout for _, url, _ in marks), "a marked page was shown again"
    assert "0 pages are marked" in scent("judge", "--review", "out", input="").stdout
    assert len(scent("judge", "--marks", "out", "--json").stdout.splitlines()) == 20
    left = scent("judge", "--marks", "out", "--unmark", marks[0][1]).stdout
    assert marks[0][1] + "\t" not in left and len(left.splitlines()) == 19, left
    scent("judge", "--marks", "out", "--unmark", "http://other.test/", status=2)
    scent("purge", "out", marks[1][1])
    assert marks[1][1].encode() not in Path("out/marks.tsv").read_bytes()
    for args in (("--review", "nowhere"), ("--review", "out", "hockey.yaml"), ("--unmark", "http://a.test/"), ()):
        scent("judge", *args, status=2)


@test
def a_topic_file_from_a_folder():
    examples(5)
    head = '<link rel=canonical href="https://rink.example/{}">'
    for i in range(3):
        put(f"ex/positive/saved{i}.html", page(HOCKEY, 50 + i, head=head.format(i)))
    write("ex/positive/more.txt", "https://more.example/a\nhttps://more.example/login\n")
    scent("init", "--examples", "ex", "mine")
    written = Path("mine.yaml").read_text()
    assert "https://rink.example/2" in written and "https://more.example/a" in written, written
    assert "login'" not in written.split("relevant")[0], written
    scent("init", "--examples", "ex", "mine", status=2)
    os.remove("ex/positive/more.txt")
    Path("sub").mkdir()
    scent("init", "--examples", "ex", "sub/far")
    scent("train", "sub/far.yaml", "-q")
    assert Path("sub/far.model").is_file()
    for name, words in (("Hockey", HOCKEY), ("Baking", BAKING), ("Fishing", FISHING)):
        for i in range(10):
            put(f"tree/{name}/{i}.html", page(words, i))
    scent("init", "--examples", "tree", "hockey")
    result = json.loads(scent("train", "hockey.yaml", "--json").stdout)
    assert [each["examples"] for each in result["classes"]] == [20, 10], result
    assert "puck" in result["classes"][1]["words"], result
    shutil.rmtree("ex/negative")
    done = scent("init", "--examples", "ex/positive", "only")
    assert "no folder of negative" in done.stderr, done.stderr
    done = scent("train", "only.yaml")
    assert "how common they are in general" in done.stderr and "puck" in done.stdout, done
    scent("judge", "only.yaml", "-", input=page(HOCKEY, 7))
    scent("judge", "only.yaml", "-", input=page(BAKING, 7), status=1)
    scent("init", "--examples", "ex/positive", "--background", "tree", "with")
    scent("train", "with.yaml", "-q")
    Path("empty").mkdir()
    for args in (("--examples", "empty"), ("--examples", "missing"), ("--background", "tree"), (),
                 ("https://rink.example/",), ("x", "y"), ("x", "ftp://rink.example/"), ("x", "--contact", "me")):
        scent("init", *args, status=2)
    assert not Path("x.yaml").exists()
    done = scent("init", "https://rink.example/a", "rinks", "https://rink.example/b", "--contact", "me@rink.example")
    written = Path("rinks.yaml").read_text()
    assert "- 'https://rink.example/a'\n  - 'https://rink.example/b'\n" in written, written
    assert "\n  user_agent: 'scent/" in written and "(+mailto:me@rink.example)'" in written, written
    assert "2 seeds" in done.stderr and "user_agent" not in done.stderr and "behind 'seeds:'" not in done.stderr, done.stderr
    done = scent("init", "bare")
    assert "behind 'seeds:'" in done.stderr and "behind 'user_agent:'" in done.stderr, done.stderr


@test
def what_cannot_teach_is_refused():
    examples()
    site(3)
    train = ("train", "hockey.yaml")
    Path("empty").mkdir()
    put("pictures/a.png", b"\x89PNG")
    put("one/a.html", page(BAKING, 1))
    put("broken/a.html.gz", b"\x1f\x8bno")
    put("broken/b.html.gz", b"\x1f\x8bnor this")
    put("none.warc", b"")
    for negative, says in (("empty", "holds no example"), ("pictures", "only other files"), ("nowhere", "nowhere"),
                           ("one", "only one negative example"), ("broken", "no negative example"),
                           ("ex/positive", "not also a positive one"), ("none.warc", "no negative example")):
        topic(examples=f"{{positive: ex/positive, negative: {negative}}}")
        refused(*train, says=says)
    for i in range(2):
        put(f"cyrillic/{i}.html", "<html lang=ru><p>" + "Хоккей с шайбой на льду, вратарь ловит её " * (i + 1))
    topic(examples="{positive: cyrillic}")
    refused(*train, says="does not know how common the words of this language ('ru') are")
    refused("crawl", "hockey.yaml", "--from", "collection", says="does not know how common")
    topic(examples="")
    refused(*train, says="no examples")
    write("far.tsv", "A\thttp://far.test/1\nB\thttp://far.test/2\nB\thttp://far.test/3\n")
    topic(examples="", taxonomy="{file: far.tsv, collection: collection}", relevant="'category(\"A\") > 0.5'")
    refused(*train, says="3 of 3 examples could not be read")
    write("labels.tsv", categories(3))
    topic(examples="", taxonomy="{file: labels.tsv, collection: collection}", relevant="'category(\"Sport\") > 0.5'")
    refused("judge", "hockey.yaml", "ex/positive/1.html", says="Sports")
    if os.geteuid() != 0:
        os.chmod("ex/negative", 0)
        topic()
        refused(*train, says="Permission denied")
        os.chmod("ex/negative", 0o755)


@test
def doubtful_examples_are_named():
    examples()
    shutil.copy("ex/positive/1.html", "ex/negative/copy.html")
    put("ex/negative/broken.html.gz", b"\x1f\x8bno")
    put("ex/negative/empty.html", "<p>")
    topic()
    done = scent("train", "hockey.yaml", "--json")
    result = json.loads(done.stdout)
    assert (result["copies"], result["unreadable"], result["empty"]) == (1, 1, 1), result
    for says in ("copy.html, a negative example, says the same as a positive one", "broken.html.gz", "left out"):
        assert says in done.stderr, done.stderr
    for folder in ("positive", "negative"):
        for i in range(3, 12):
            os.remove(f"ex/{folder}/{i}.html")
    done = scent("train", "hockey.yaml", "--json")
    assert "fewer than 10 examples" in done.stderr, done.stderr


finish()
