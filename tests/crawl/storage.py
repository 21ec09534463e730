#!/usr/bin/env python3
"""What is stored, and when storing fails: full disks, limits, exports, reading while a crawl writes."""

import csv
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from crawling import (SCENT, SLOW, Skip, beside, check_crawl, contents, finish, pages, query, scent, serve, topic,
                      urls, write)

WEB = """kind: generated
seed: 21
hosts: 30
pages_per_host: 20
dead_hosts: 0
slow_hosts: {share: 0}
traps: 0
redirect_loops: 0
"""
NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
INSIDE = "--in-a-mount-namespace"


def small_web(**keys):
    write("web.yaml", WEB)
    return topic(scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split(), **keys)


def graph(crawl, *options):
    """({id: (url, title, relevant)}, [(source, target)]) of the exported GraphML; every end of an edge is a node."""
    root = ElementTree.fromstring(scent("export", crawl, "-f", "graphml", *options).stdout)
    nodes = {}
    for node in root.iter(NAMESPACE + "node"):
        data = {each.get("key"): each.text or "" for each in node}
        assert node.get("id") not in nodes, "a node stands there twice"
        nodes[node.get("id")] = (data["url"], data["title"], data["relevant"] == "true")
    edges = [(edge.get("source"), edge.get("target")) for edge in root.iter(NAMESPACE + "edge")]
    assert all(source in nodes and target in nodes for source, target in edges), "an edge leads nowhere"
    return nodes, edges


# ---- full disks

def mount(*args):
    subprocess.run(["mount", *args], check=True)


def committed_pages():
    """What a crawl left on a full disk; looked at elsewhere, since SQLite needs some room even to read."""
    shutil.copytree("disk/out", "copy")
    try:
        if not Path("copy/crawl.db").exists() or not query("copy", "select 1 from sqlite_master"):
            return []
        check_crawl("copy", killed=True)
        return urls("copy")
    finally:
        shutil.rmtree("copy")


def disk_full(size, first_pages=0):
    """Crawls onto a disk of so many KiB until it is full, then makes room and goes on."""
    os.makedirs("disk", exist_ok=True)
    mount("-t", "tmpfs", "-o", f"size={size}k", "none", "disk")
    try:
        command = ["crawl", "topic.yaml", "--from", "web.yaml", "-o", "disk/out", "-q"]
        if first_pages:  # a crawl of less than half a second commits but once, at its end
            scent(*command, "--pages", first_pages)
        for _ in range(2):
            done = scent(*command, status=3)
            for words in ("(?i)no space left", "disk/out", "free some disk space"):
                assert re.search(words, done.stderr), f"'{words}' is not in: {done.stderr}"
        committed = committed_pages()
        assert len(committed) >= first_pages, committed
        # With a device mount() passes no options of before: in a namespace of one user the owner among them is nobody.
        mount("-t", "tmpfs", "-o", "remount,size=64m", "none", "disk")
        scent(*command)
        assert contents("disk/out") == contents("whole")
        assert urls("disk/out")[:len(committed)] == committed, "what was committed is gone"
        check_crawl("disk/out")
    finally:
        subprocess.run(["umount", "disk"], check=True)


def disks_full():
    small_web(limits="{min_free_disk: 0}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "whole", "-q")
    needed = sum(path.stat().st_size for path in Path("whole").rglob("*")) // 1024
    for size in (16, 60, 120, 200, needed // 4, needed // 2):
        disk_full(size)
    for size in (needed // 2, needed * 5 // 8, needed * 3 // 4):
        disk_full(size, first_pages=30)


def others_fill_the_disk():
    """Somebody else's file leaves less than min_free_disk while the crawl runs. It waits for its reader meanwhile: a pipe
    holds a part of its pages."""
    small_web(limits="{min_free_disk: 8MiB}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "whole", "-q")
    os.mkdir("disk")
    mount("-t", "tmpfs", "-o", "size=64m", "none", "disk")
    try:
        command = [SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-o", "disk/out", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            with open("disk/theirs", "wb") as file:
                os.posix_fallocate(file.fileno(), 0, 58 << 20)
            _, said = child.communicate(timeout=120)
        assert child.returncode == 3 and "min_free_disk (8 MiB)" in said and "free some disk space" in said, (child.returncode, said)
        committed = committed_pages()
        assert len(committed) < len(urls("whole")), "it was over before the disk filled"
        os.remove("disk/theirs")
        scent(*command[1:])
        assert contents("disk/out") == contents("whole")
        assert urls("disk/out")[:len(committed)] == committed, "what was committed is gone"
        check_crawl("disk/out")
    finally:
        subprocess.run(["umount", "disk"], check=True)


if INSIDE in sys.argv:
    {each.__name__: each for each in (disks_full, others_fill_the_disk)}[sys.argv[-1]]()
    sys.exit(0)


def in_a_mount_namespace(function):
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if not shutil.which("unshare"):
        raise Skip("there is no unshare")
    os.mkdir("probe")
    if subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", "probe"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("a mount namespace of its own is not permitted here")
    done = subprocess.run([*unshare, sys.executable, __file__, INSIDE, function.__name__], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=240)
    assert done.returncode == 0, done.stdout


@beside
def a_full_disk_stops_the_crawl_and_room_lets_it_go_on():
    in_a_mount_namespace(disks_full)


@beside
def min_free_disk_is_kept_when_others_fill_the_disk():
    in_a_mount_namespace(others_fill_the_disk)


@beside
def min_free_disk_is_kept():
    small_web(limits="{min_free_disk: 1000TiB, pages: 50}")
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", status=3)
    for words in ("out", "min_free_disk", "free some disk space"):
        assert words in done.stderr, done.stderr
    small_web(limits="{min_free_disk: 1MiB, pages: 50}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out")
    assert len(urls("out")) == 50
    check_crawl("out")


# ---- how a crawl ends

@beside
def scores_that_are_damaged_are_made_anew():
    """Those of the last run's strategy, with a number in them that is none."""
    small_web(strategy="intelligent")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out", "--pages", 30)
    with sqlite3.connect("out/crawl.db") as db:
        saved, = db.execute("select value from value where name = 'scores'").fetchone()
        head = 2 + len("intelligent")  # a version and the name; then a number and a score of each URL
        assert len(saved) > head + 8, len(saved)
        db.execute("update value set value = ? where name = 'scores'", (saved[:head + 4] + b"\xff" * 4 + saved[head + 8:],))
    db.close()
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out", "--pages", 40)
    assert query("out", "select count(*) from page where counted") == [(40,)]


@beside
def no_seed_is_exit_status_1_with_a_reason():
    topic(["http://127.0.0.1:1/", "http://localhost:1/x"])
    done = scent("crawl", "topic.yaml", "--allow-private", "-o", "out", status=1)
    assert "no seed" in done.stderr and "scent status out" in done.stderr, done.stderr
    told = scent("status", "out").stdout
    assert re.search(r"2\s+no connection: ", told) or told.count("no connection: ") == 2, told
    assert json.loads(scent("status", "out", "--json").stdout), "status --json"


@beside
def the_time_limit_ends_it():
    small_web(politeness="{delay: 300ms, per_host: 1, retries: 0}")
    with serve("web.yaml") as server:
        started = time.monotonic()
        scent("crawl", "topic.yaml", "-o", "out", "--time", "2s", "--proxy-all", f"127.0.0.1:{server.port}")
        took = time.monotonic() - started
    assert took >= 2, took
    assert query("out", "select count(*) from url where state = 'queued'")[0][0] > 0, "nothing was left to do"
    assert query("out", "select text from event where kind = 'stop'") == [("limit reached",)]
    check_crawl("out")


@beside
def seeds_come_from_standard_input():
    small_web()
    seeds = scent("web", "generate", "web.yaml", "--seeds", "3").stdout
    write("none.yaml", "topic: no seeds of its own\n")
    scent("crawl", "none.yaml", "--from", "web.yaml", "--seeds", "-", "-o", "out", "--pages", "30",
          input="# by hand\n\n" + seeds)
    assert set(seeds.split()) <= set(urls("out"))
    assert query("out", "select count(*) from url where flags & 1") == [(len(seeds.split()),)]


@beside
def init_writes_a_file_that_loads_and_is_not_overwritten():
    small_web()
    scent("init", "mine")
    text = Path("mine.yaml").read_text()
    assert "topic: 'mine'" in text and "#" in text, text
    seed = scent("web", "generate", "web.yaml", "--seeds", "1").stdout.strip()
    write("seeds.txt", seed + "\n")
    scent("crawl", "mine.yaml", "--from", "web.yaml", "--seeds", "seeds.txt", "--pages", "5", "-o", "out")
    assert seed in urls("out")
    done = scent("init", "mine", status=2)
    assert "mine.yaml" in done.stderr and Path("mine.yaml").read_text() == text, done.stderr


# ---- JSON while it runs

@beside
def json_is_one_object_a_page():
    small_web()
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "--json", "--pages", "60", "-o", "out")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    stored = pages("out")
    assert [line["n"] for line in lines] == list(range(1, 61))
    assert [line["url"] for line in lines] == [page["url"] for page in stored]
    for line, page in zip(lines, stored):
        for key in ("status", "relevant", "depth", "links", "bytes", "lang", "title"):
            assert line[key] == page[key], (key, line, page)
        assert abs(line["score"] - page["score"]) < 1e-6, (line, page)


@beside
def json_comes_page_by_page_and_ends_with_its_reader():
    small_web(politeness="{delay: 300ms, per_host: 1, retries: 0}")
    with serve("web.yaml") as server:
        with subprocess.Popen([SCENT, "crawl", "topic.yaml", "--json", "-q", "-o", "out", "--proxy-all",
                               f"127.0.0.1:{server.port}"], stdout=subprocess.PIPE, text=True) as child:
            assert json.loads(child.stdout.readline())["n"] == 1
            assert child.poll() is None, "the first page came when the crawl was over"
            child.stdout.close()
            status = child.wait(200)
    assert status == 11, status
    assert query("out", "select count(*) from url where state = 'queued'")[0][0] > 0, "it went on to its end"
    check_crawl("out")


# ---- looking at it while it runs

@beside
def status_and_export_work_while_it_runs():
    small_web(politeness="{delay: 2s, per_host: 1, retries: 0}")
    counts, graphs, hurries = [], 0, False
    with serve("web.yaml") as server:
        child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--allow-private", "-q", "-o", "out", "--pages", "150", "--proxy-all",
                                  f"127.0.0.1:{server.port}"])
        try:
            while not Path("out/crawl.db").exists() or not query("out", "select 1 from sqlite_master"):
                time.sleep(0.05)
            while child.poll() is None:
                counts.append(json.loads(scent("status", "out", "--json").stdout)["pages"])
                listed = pages("out")
                assert [page["n"] for page in listed] == sorted({page["n"] for page in listed})
                assert len(listed) >= counts[-1], "export knows less than status did before"
                graphs += len(graph("out")[0]) > 0
                if len(set(counts)) > 2 and graphs and not hurries:  # enough was seen: it may come to its end
                    hurries = scent("control", "out", "set", "delay=20ms").returncode == 0
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(200)
    assert child.returncode == 0, child.returncode
    assert counts == sorted(counts) and hurries, counts
    assert len(urls("out")) == 150
    check_crawl("out")


# ---- exports

def check_exports(crawl, *options):
    listed = [json.loads(line) for line in scent("export", crawl, *options).stdout.splitlines()]
    table = list(csv.DictReader(io.StringIO(raw_export(crawl, "csv", *options), newline="")))
    nodes, _ = graph(crawl, *options)
    assert raw_export(crawl, "urls", *options).split("\n")[:-1] == [page["url"] for page in listed]
    assert sorted(nodes.values()) == sorted((page["url"], xml_title(page["title"]), page["relevant"]) for page in listed)
    assert len(table) == len(listed)
    for row, page in zip(table, listed):
        for key in ("n", "url", "time", "status", "depth", "mime", "lang", "bytes", "words", "links"):
            assert row[key] == str(page[key]), (key, row, page)
        assert row["title"] in (page["title"], "'" + page["title"]), (row, page)
        assert row["relevant"] == str(int(page["relevant"])) and abs(float(row["score"]) - page["score"]) < 1e-5, row
    return listed


def raw_export(crawl, form, *options):
    """As bytes: subprocess would change line ends."""
    return subprocess.check_output([SCENT, "export", crawl, "-f", form, *options]).decode()


def xml_title(title):
    """What XML cannot say is left out."""
    return re.sub("[\x00-\x08\x0b-\x1f\ufffe\uffff]", "", title)


@beside
def exports_agree_with_each_other():
    small_web(relevant="'similar() > 0.2'")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "--pages", "150")
    everything, relevant = check_exports("out"), check_exports("out", "--relevant")
    assert len(everything) == 150 and 0 < len(relevant) < 150
    assert relevant == [page for page in everything if page["relevant"]]
    nodes, edges = graph("out")
    links = query("out", """select s.url, t.url from link join page on page.number = link.page_number
        join url s on s.id = page.url_id join url t on t.id = link.target_id
        where page.counted and exists (select 1 from page p where p.url_id = t.id and p.counted)""")
    assert sorted((nodes[a][0], nodes[b][0]) for a, b in edges) == sorted(links) and links


@beside
def exports_survive_any_title():
    titles = ['a "quoted", comma', "=1+1", "-dash", "@at", "+plus", "line\nbreak", "tab\there", "<b>&amp;amp;</b>",
              "&#1; control &#x1f;", "&#xFFFF;&#xFFFE; none", "\U0001f600 smile", "\u202eright", "]]>", "caf\u00e9",
              "\x01raw control\x7f", "'single", "", "x" * 5000]
    os.mkdir("folder")
    for i, title in enumerate(titles):
        write(f"folder/{i}.html", f"<!doctype html><meta charset=utf-8><title>{title}</title>")
    write("folder/index.html", "".join(f"<a href='{i}.html'>x</a>" for i in range(len(titles))))
    scent("web", "pack", "folder", "-o", "packed", "-b", "http://titles.test/")
    topic(["http://titles.test/"])
    scent("crawl", "topic.yaml", "--from", "packed", "-o", "out")
    listed = check_exports("out")
    assert len(listed) == len(titles) + 1
    found = {page["title"] for page in listed}
    assert {'a "quoted", comma', "=1+1", "caf\u00e9", "\U0001f600 smile", "<b>&amp;</b>"} <= found, found


@beside
def an_export_ends_with_its_reader():
    small_web()
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "--pages", "300")
    assert len(raw_export("out", "jsonl")) > 65536, "it would fit into the pipe"
    with subprocess.Popen([SCENT, "export", "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdout.readline()
        child.stdout.close()
        assert child.wait(100) == -signal.SIGPIPE and child.stderr.read() == b"", child.returncode


@beside
def a_limit_of_file_sizes_is_told_like_a_full_disk():
    small_web(window=1)
    write("limited.sh", 'ulimit -f 150\nexec "$@"\n')
    command = ["sh", "limited.sh", SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-o", "out"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240)
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert "free some disk space" in done.stderr, done.stderr
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "-q")
    check_crawl("out")


def has_pages(crawl):
    try:
        return query(crawl, "select count(*) from page")[0][0] > 0
    except sqlite3.OperationalError:  # there is no database yet, or no table in it
        return False


@beside
def a_database_that_is_removed_ends_the_crawl_with_an_error():
    small_web()
    with serve("web.yaml") as server:
        topic(scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split(), politeness="{delay: 200ms}")
        child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--proxy-all", f"127.0.0.1:{server.port}", "-o", "out",
                                  "--allow-private", "-q"], stderr=subprocess.PIPE, text=True)
        while child.poll() is None and not has_pages("out"):
            time.sleep(0.05)
        assert child.poll() is None, child.stderr.read()
        Path("out/crawl.db").unlink()
        said = child.communicate(timeout=120)[1]
    assert child.returncode == 3, (child.returncode, said)
    assert "crawl.db was removed" in said, said


finish()
