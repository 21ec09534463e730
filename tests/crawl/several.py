#!/usr/bin/env python3
"""Several crawl directories as one collection: export in all forms, check, status, search and why."""

import csv
import gzip
import io
import json
import re
import zipfile
from pathlib import Path

from crawling import Site, finish, pages, scent, test, topic


def page(title, body):
    return 200, [("Content-Type", "text/html; charset=utf-8")], f"<title>{title}</title><body>{body}".encode()


WORDS = " ".join(f"word{i}" for i in range(100))
PAGES = {
    "/a/": page("A", "<p>First <a href=/a/one>one</a> <a href=/a/mirror>m</a> <a href=/shared>s</a> <a href=/b/two>two</a>"),
    "/a/one": page("One", "<main><p>The spring tide comes with the moon."),
    "/a/mirror": page("Mirror", f"<main><p>A tide table. {WORDS}"),
    "/b/": page("B", "<p>Second <a href=/b/two>two</a> <a href=/b/mirror>m</a> <a href=/shared>s</a> <a href=/a/one>one</a>"),
    "/b/two": page("Two", "<main><p>Rivers have no tide."),
    "/b/mirror": page("Mirror", f"<main><p>A tide table. {WORDS}"),
    "/shared": page("Shared", "<main><p>Both visit this tide."),
}
ALL = {"/a/", "/a/one", "/a/mirror", "/b/", "/b/two", "/shared"}  # /b/mirror is /a/mirror, byte by byte


def crawl_both(shared=True):
    """Each visits its own folder; with `shared` both visit one page."""
    with Site(PAGES) as site:
        for name, other in (("a", "b"), ("b", "a")):
            also = "" if shared or name == "a" else ", '*/shared'"
            topic([f"{site.base}/{name}/"], path=f"{name}.yaml", relevant="tide", strategy="breadth-first",
                  politeness="{delay: 0, per_host: 1}", scope=f"{{exclude: ['*/{other}/*'{also}]}}")
            scent("crawl", f"{name}.yaml", "--allow-private", "-q", "-o", f"{name}.crawl")
    assert sum(len(pages(f"{name}.crawl")) for name in "ab") == (8 if shared else 7)
    return site.base


def export(*options, dirs=("a.crawl", "b.crawl")):
    done = scent("export", *dirs, *options)
    return done.stdout, done.stderr


@test
def tables_have_each_page_once():
    base = crawl_both()
    out, err = export("-f", "urls")
    assert {url[len(base):] for url in out.split()} == ALL and len(out.split()) == len(ALL), out
    assert "2 pages that another directory has were left out" in err, err
    rows = list(csv.DictReader(io.StringIO(export("-f", "csv")[0])))
    assert {row["url"][len(base):] for row in rows} == ALL and all(row["n"] != "n" for row in rows)
    lines = [json.loads(line) for line in export()[0].splitlines()]
    assert {line["url"][len(base):] for line in lines} == ALL
    # The first directory has it; the other way round it is the other one.
    other, _ = export("-f", "urls", dirs=("b.crawl", "a.crawl"))
    assert {url[len(base):] for url in other.split()} == ALL - {"/a/mirror"} | {"/b/mirror"}
    graph, _ = export("-f", "graphml")
    ids = dict(re.findall(r'<node id="([^"]+)"><data key="url">([^<]+)<', graph))
    assert len(ids) == len(ALL) and len(set(ids.values())) == len(ALL)
    edges = {(ids[a][len(base):], ids[b][len(base):]) for a, b in re.findall(r'<edge source="([^"]+)" target="([^"]+)"', graph)}
    assert {("/a/", "/a/one"), ("/b/", "/b/two"), ("/a/", "/b/two"), ("/b/", "/a/one"), ("/b/", "/shared")} <= edges, edges
    assert graph.count("<graphml") == graph.count("</graphml>") == 1


@test
def texts_and_records_come_from_both():
    base = crawl_both()
    lines = [json.loads(line) for line in export("-f", "text")[0].splitlines()]
    assert {line["url"][len(base):] for line in lines} == ALL and any("spring tide" in line["text"] for line in lines)
    export("-f", "markdown", "-o", "md")
    assert len(list(Path("md").rglob("*.md"))) == len(ALL)
    export("-f", "warc", "-o", "all.warc.gz")
    text = gzip.decompress(Path("all.warc.gz").read_bytes()).decode(errors="replace")
    assert text.count("WARC-Type: warcinfo") == 1
    found = set(re.findall(r"WARC-Type: response\r\n(?:[^\r]*\r\n)*?WARC-Target-URI: (\S+)", text))
    assert {url[len(base):] for url in found if not url.endswith("robots.txt")} == ALL, found
    export("-f", "wacz", "-o", "all.wacz")
    with zipfile.ZipFile("all.wacz") as packed:
        assert {"logs/run.json", "logs/run-2.json"} <= set(packed.namelist())
        shown = [json.loads(line) for name in ("pages", "extraPages") if f"pages/{name}.jsonl" in packed.namelist()
                 for line in packed.read(f"pages/{name}.jsonl").decode().splitlines()[1:]]
    assert {one["url"][len(base):] for one in shown} == ALL and len({one["id"] for one in shown}) == len(ALL)
    near, err = export("-f", "urls", "--unique")
    assert len(near.split()) == len(ALL), (near, err)


@test
def check_tells_what_both_visited():
    base = crawl_both()
    done = scent("check", "a.crawl", "b.crawl", status=1)
    assert f"b.crawl: visited by another directory, too: {base}/shared" in done.stdout, done.stdout
    assert "together: 8 pages, 1 of them visited by two directories, 1 equal" in done.stderr, done.stderr


@test
def a_divided_crawl_is_sound():
    crawl_both(shared=False)
    done = scent("check", "a.crawl", "b.crawl")
    assert not done.stdout and "7 pages, 0 of them" in done.stderr, (done.stdout, done.stderr)


@test
def status_sums():
    crawl_both(shared=False)
    lines = scent("status", "a.crawl", "b.crawl").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["4", "3", "7"], lines
    assert [line.split()[-1] for line in lines[1:]] == ["a.crawl", "b.crawl", "together"], lines
    one, two, both = (json.loads(scent("status", *dirs, "--json").stdout) for dirs in
                      (["a.crawl"], ["b.crawl"], ["a.crawl", "b.crawl"]))
    assert both["pages"] == one["pages"] + two["pages"] == 7 and both["relevant"] == one["relevant"] + two["relevant"]
    assert "no crawl" in scent("status", "a.crawl", "nowhere", status=2).stderr


@test
def search_finds_each_page_once():
    base = crawl_both()
    hits = [json.loads(line) for line in scent("search", "a.crawl", "b.crawl", "tide", "--json", "-n", "100").stdout.splitlines()]
    assert len(hits) == 4 and {hit["url"][len(base):] for hit in hits} - {"/a/mirror", "/b/mirror"} == \
        {"/a/one", "/b/two", "/shared"}, hits
    assert {hit["crawl"] for hit in hits} == {"a.crawl", "b.crawl"}
    assert "missing argument QUERY" in scent("search", "a.crawl", "b.crawl", status=2).stderr


@test
def why_asks_who_has_visited():
    base = crawl_both()
    for path in ("/a/one", "/b/two"):
        told = json.loads(scent("why", "a.crawl", "b.crawl", base + path, "--json").stdout)
        assert told["state"] == "fetched" and told["url"] == base + path, told
    told = scent("why", "a.crawl", "b.crawl", base + "/b/two", base + "/a/one").stdout
    assert "/b/two" in told and "/a/one" in told
    assert "missing argument URL" in scent("why", "a.crawl", "b.crawl", status=2).stderr


finish()
