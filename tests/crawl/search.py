#!/usr/bin/env python3
"""Full-text search in a crawl: hits, several crawls, a purge, an index that was killed, deleted, damaged or cannot be written."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from crawling import SCENT, SLOW, Site, finish, query, scent, test, topic, wait_for, write

WEB = f"kind: generated\nseed: 5\nhosts: {15 if SLOW else 40}\npages_per_host: 20\ndead_hosts: 0\nslow_hosts: {{share: 0}}\n"


def page(title, body, head=""):
    return 200, [("Content-Type", "text/html; charset=utf-8")], f"<title>{title}</title>{head}<body>{body}".encode()


def sea():
    links = "".join(f"<a href=/{name}>x</a> " for name in ("tide", "river", "tokyo", "hidden", "evil"))
    return {
        "/": page("Start", f"<p>Start {links}"),
        "/tide": page("Tide", "<main><p>The spring tide comes with the moon, and tides rise and fall."),
        "/river": page("River", "<main><p>A river has no tide. Rivers flow in spring."),
        "/tokyo": page("東京", "<main><p>東京都は日本の首都である。"),
        "/hidden": page("Hidden", "<p>tide", "<meta name=robots content=noindex>"),
        "/evil": page("\x1b]0;x\x07V", "<main><p>volcano &lt;script&gt;alert(1)&lt;/script&gt; \x1b[31mred"),
    }


def crawl_sea(out="out"):
    with Site(sea()) as site:
        topic([site.base + "/"], relevant="tide", strategy="breadth-first", politeness="{delay: 0, per_host: 1}")
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", out)
    return site.base


def find(*words, where="out", status=0, **options):
    done = scent("search", where, *words, "--json", "-n", "1000", status=status, **options)
    return [json.loads(line) for line in done.stdout.splitlines()]


def paths(*words, **options):
    return [hit["url"].split("/", 3)[3] for hit in find(*words, **options)]


@test
def words_phrases_and_filters():
    crawl_sea()
    assert not Path("out/search.db").exists(), "the crawl has nothing to do with it"
    assert paths("tides") == ["tide", "river"]
    assert paths('"spring tide"') == ["tide"]
    assert paths("riv*") == ["river"]
    assert paths("tide -river") == ["tide"]
    assert paths("東京") == ["tokyo"] and paths("首") == ["tokyo"]
    assert paths("tide", "nowhere") == ["tide", "river"]
    assert paths("nowhere", status=1) == []
    assert sorted(paths("relevant:yes spring")) == ["river", "tide"] and paths("relevant:no spring", status=1) == []
    for hostile in ('"', "*", "a AND", "NEAR(", "{", "x" * 100000, "' OR 1=1 --", "\n", "--", "title:"):
        done = subprocess.run([SCENT, "search", "out", "--", hostile], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert done.returncode in (0, 1) and b"error" not in done.stderr, (hostile[:20], done)
    hit = find("spring tides")[0]
    snippet = hit["snippet"].encode()
    assert [snippet[start:end] for start, end in hit["marks"]] == [b"spring", b"tide", b"tides"], hit
    assert hit["title"] == "Tide" and hit["relevant"] and hit["score"] > 0, hit


@test
def what_a_page_says_does_not_command_the_terminal():
    crawl_sea()
    shown = scent("search", "out", "volcano").stdout
    assert "*volcano* <script>alert(1)</script>" in shown and "\x1b" not in shown and "\x07" not in shown, shown


@test
def several_crawls_and_a_purge():
    os.mkdir("all")
    first, second = crawl_sea("all/one"), crawl_sea("all/two")
    [hit] = find('"spring tide"', where="all")  # both have the same page: it is shown once
    assert hit["url"] == first + "/tide" and hit["crawl"] == "all/one", hit
    scent("purge", "all/one", first + "/tide")
    assert not Path("all/one/search.db").exists()
    assert [hit["url"] for hit in find('"spring tide"', where="all")] == [second + "/tide"]
    assert b"moon" not in b"".join(path.read_bytes() for path in Path("all/one").glob("search.db*"))
    assert "no crawl in" in scent("search", ".", "tide", status=2).stderr


@test
def kills_lose_nothing():
    """The index is killed again and again while it is made, also while the crawl runs; the result is that of one go."""
    write("web.yaml", WEB)
    topic(scent("web", "generate", "web.yaml", "--seeds", "3").stdout.split(), relevant="'url ~ \".\"'",
          limits="{depth: 1000}")
    running = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out"])
    wait_for(lambda: Path("out/crawl.db").exists() and Path("out/topic.yaml").exists())
    chance = random.Random(1)
    for number in range(3 if SLOW else 8):
        child = subprocess.Popen([SCENT, "search", "out", "the"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(chance.random() / 3)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
        if number == 3:
            running.send_signal(signal.SIGKILL)
            running.wait()
            running = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out"])
    assert running.wait() == 0
    word = query("out", "SELECT title FROM page WHERE counted AND title <> '' LIMIT 1")[0][0].split()[0]
    disturbed = [(hit["url"], round(hit["score"], 6)) for hit in find(word)]
    pages = query("out", "SELECT count(*) FROM page WHERE counted")[0][0]
    for path in Path("out").glob("search.db*"):
        path.unlink()
    done = scent("search", "out", word, "-n", "1")
    assert f"{pages} pages were indexed" in done.stderr, done.stderr
    assert [(hit["url"], round(hit["score"], 6)) for hit in find(word)] == disturbed != []


@test
def several_at_once():
    crawl_sea()
    at_once = [subprocess.Popen([SCENT, "search", "out", "tides", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True) for _ in range(6)]
    for process in at_once:
        shown, said = process.communicate(timeout=240)
        assert process.returncode == 0 and len(shown.splitlines()) == 2, (shown, said)


@test
def a_damaged_index_is_made_again():
    crawl_sea()
    expected = paths("spring")
    index = Path("out/search.db")
    good = index.read_bytes()
    chance = random.Random(2)
    for number in range(4 if SLOW else 12):
        bad = bytearray(good)
        for _ in range(1 + number):
            bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        index.write_bytes(bad if number % 4 else good[:chance.randrange(len(good))])
        assert paths("spring") == expected, number
    index.write_text("no database")
    assert "it is made again" in scent("search", "out", "spring").stderr


@test
def a_directory_that_cannot_be_written_to():
    """By another user where we are root, who may write everywhere; in a folder that others can look into."""
    crawl_sea()
    others = {"user": 65534} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        shutil.copytree("out", folder + "/out")
        shutil.copy(SCENT, folder)
        os.chmod(folder + "/out", 0o555)
        command = [folder + "/scent", "search", folder + "/out", "tides"]
        for index in (False, True):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, **others)
            assert done.returncode == 0 and "/river" in done.stdout, done
            assert ("a temporary index is made" in done.stderr) != index, done.stderr
            assert Path(folder, "out/search.db").exists() == index
            if not index:
                find("tides")
                os.chmod(folder + "/out", 0o755)
                shutil.copy("out/search.db", folder + "/out")
                os.chmod(folder + "/out", 0o555)
        os.chmod(folder + "/out", 0o755)


finish()
