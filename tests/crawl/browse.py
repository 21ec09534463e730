#!/usr/bin/env python3
"""A user imports what was browsed: profiles of Firefox and Chromium, of a running one too, lists, logs."""

import contextlib
import gzip
import json
import os
import stat
import time
from pathlib import Path

from browser import Browser
from crawling import *
from profiles import *


def lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def steps(path):
    """(page, from) of each visit, without the host."""
    def short(url):
        return url and url.removeprefix("http://a.test")
    return [(short(line["visit"]), short(line.get("from"))) for line in lines(path) if "visit" in line]


def marks(path):
    return [line["useful"] for line in lines(path) if "useful" in line]


def imported(*args):
    told = scent("browse", "import", *args, "-o", "out").stderr
    assert stat.S_IMODE(os.stat("out").st_mode) == 0o600
    return told


def refused(*args, says, status=2):
    done = scent("browse", "import", *args, "-o", "out", status=status)
    assert says in done.stderr and not Path("out").exists(), done.stderr


@test
def firefox_visits_know_where_they_came_from():
    firefox(visits=[
        (1, 0, "http://a.test/", 0, TYPED), (2, 1, "http://a.test/old", 1, LINK),
        (3, 2, "http://a.test/older", 1, PERMANENT), (4, 3, "http://a.test/new", 1, TEMPORARY),
        (5, 4, "http://a.test/frame", 2, FRAMED), (6, 5, "http://a.test/inside", 3, LINK),
        (7, 6, "http://a.test/file.zip", 4, DOWNLOAD), (8, 6, "http://a.test/new", 5, RELOAD),
        (9, 8, "http://a.test/next", 6, LINK), (10, 9, "http://a.test/next#part", 7, LINK),
        (11, 10, "http://a.test/last", 8, LINK), (12, 0, "file:///etc/passwd", 9, LINK),
        (13, 12, "about:home", 9, LINK),
        (14, 13, "http://a.test/home", 10, LINK), (15, 99, "http://a.test/gone", 11, LINK),
        (16, 17, "http://a.test/early", 12, LINK), (17, 0, "http://a.test/late", 13, TYPED),
        (18, 1, "http://a.test/embedded", 14, EMBED)]).close()
    told = imported("ff")
    assert steps("out") == [("/", None), ("/new", "/"), ("/inside", "/new"), ("/next", "/new"), ("/last", "/next"),
                            ("/home", None), ("/gone", None), ("/early", None), ("/late", None)], steps("out")
    for reason in ("2  redirects", "2  reloads", "2  frames", "1  downloads", "2  neither http nor https"):
        assert f"left out  {reason}" in told, told
    assert lines("out")[1]["time"] == "2026-09-21T14:13:20.000Z", lines("out")[1]
    assert "no page is marked as useful" in told


@test
def firefox_bookmarks_of_a_folder_are_marks():
    firefox(visits=SOME, bookmarks=FOLDERS).close()
    told = imported("ff")
    assert marks("out") == ["http://a.test/1", "http://b.test/never", "http://a.test/menu"], marks("out")
    assert "left out  1  bookmarks that are neither" in told, told
    imported("ff", "--folder", "hockey")
    assert marks("out") == ["http://a.test/1", "http://b.test/never"], marks("out")
    imported("ff", "--folder", "Inner")
    assert marks("out") == ["http://a.test/1"], marks("out")
    os.remove("out")
    refused("ff", "--folder", "Soccer", says="no folder of bookmarks 'Soccer'; there are 'menu', 'tags', 'Hockey'")


@test
def dates_and_hosts_limit_what_is_taken():
    visits = SOME + [(4, 3, "http://www.a.test/later", DAY, LINK)]
    firefox(visits=visits, bookmarks=FOLDERS).close()
    told = imported("ff", "--since", "2026-09-22")
    assert steps("out") == [("http://www.a.test/later", None)] and marks("out") == ["http://b.test/never"], steps("out")
    assert "left out  5  visits outside the dates" in told, told
    imported("ff", "--until", "2026-09-21")
    assert len(steps("out")) == 3 and len(marks("out")) == 2
    imported("ff", "--host", "A.test")
    assert steps("out") == [("/", None), ("/1", "/"), ("http://www.a.test/later", None)], steps("out")
    assert marks("out") == ["http://a.test/1", "http://a.test/menu"]
    imported("ff", "--host", "b.test", "--host", "www.a.test", "--until", "2026-09-21T14:16:00Z")
    assert steps("out") == [("http://b.test/2", None)], steps("out")
    os.remove("out")
    refused("ff", "--host", "test.a", says="no visit and no useful page is left")
    refused("ff", "--since", "yesterday", says="invalid value 'yesterday' for --since: expected a date")
    refused("ff", "--since", "2026-10-01", "--until", "2026-09-01", says="--since is not before --until")


@test
def chromium_visits_know_where_they_came_from():
    chromium(visits=[
        (1, 0, "http://a.test/", 0, CHAIN | 1), (2, 1, "http://a.test/r", 1, 0x10000000),
        (3, 2, "http://a.test/r2", 1, 0x80000000), (4, 3, "http://a.test/new", 1, 0xA0000000),
        (5, 4, "http://ads.test/", 2, CHAIN | 3), (6, 4, "http://a.test/manual", 2, CHAIN | 4),
        (7, 0, "http://a.test/", 3, CHAIN | 0x01000001), (8, 7, "http://a.test/after", 4, CHAIN),
        (9, 8, "http://a.test/after", 5, CHAIN | 8), (10, 9, "http://a.test/end", 6, CHAIN),
        (11, 0, "http://a.test/tab", 7, CHAIN, "http://a.test/end", 0),
        (12, 0, "http://c.test/tab", 8, CHAIN, "http://a.test/", 0),  # any page of a.test
        (13, 0, "http://c.test/opened", 9, CHAIN, "", 8), (14, 0, "chrome://newtab/", 10, CHAIN)])
    told = imported("ch")
    assert steps("out") == [("/", None), ("/new", "/"), ("/after", "/"), ("/end", "/after"), ("/tab", "/end"),
                            ("http://c.test/tab", None), ("http://c.test/opened", "/after")], steps("out")
    for reason in ("2  redirects", "1  reloads", "1  steps back", "2  frames", "1  neither http nor https"):
        assert f"left out  {reason}" in told, told


@test
def chromium_bookmarks_of_a_folder_are_marks():
    roots = {"bookmark_bar": folder("Bookmarks bar", mark("http://a.test/bar", DAY), mark("javascript:alert(1)")),
             "other": folder("Other bookmarks", folder("Hockey", mark("http://a.test/h"),
                                                       folder("x", mark("http://a.test/x")))),
             "synced": folder("Mobile bookmarks")}
    chromium(visits=[(1, 0, "http://a.test/", 0, CHAIN)], bookmarks=roots, columns="")
    imported("ch")
    assert marks("out") == [f"http://a.test/{name}" for name in ("bar", "h", "x")], marks("out")
    imported("ch", "--folder", "Hockey")
    assert marks("out") == ["http://a.test/h", "http://a.test/x"]
    imported("ch", "--since", "2026-09-22")
    assert marks("out") == ["http://a.test/bar"] and steps("out") == []
    os.remove("out")
    refused("ch", "--folder", "Soccer", says="'Bookmarks bar', 'Other bookmarks', 'Hockey', 'x'")
    write("ch/Bookmarks", '{"roots": {"bookmark_bar": ')
    refused("ch", says="Bookmarks is damaged")
    write("ch/Bookmarks", '{"roots": {"bookmark_bar": ' + '{"children": [' * 5000 + "]}" * 5000 + "}}")
    refused("ch", says="Bookmarks is damaged")


@test
def a_profile_that_is_open_and_locked_is_read():
    with contextlib.closing(firefox(visits=SOME[:1], wal=True)) as db:
        db.execute("pragma locking_mode = exclusive")
        db.execute("begin exclusive")
        db.execute("insert into moz_places values (7, 'http://a.test/wal', '', 0)")
        db.execute("insert into moz_historyvisits values (7, 1, 7, ?, 1, 0)", [(BEGIN + 9) * 10**6])
        db.commit()  # stays in the write-ahead log
        db.execute("begin exclusive")
        db.execute("insert into moz_historyvisits values (8, 1, 7, ?, 1, 0)", [(BEGIN + 10) * 10**6])
        assert Path("ff/places.sqlite-wal").stat().st_size > 0
        before = {name: Path(f"ff/{name}").read_bytes() for name in os.listdir("ff")}
        imported("ff")
        assert steps("out") == [("/", None), ("/wal", "/")], steps("out")
        assert {name: Path(f"ff/{name}").read_bytes() for name in os.listdir("ff")} == before
    assert not [name for name in os.listdir(os.environ.get("TMPDIR", "/tmp")) if name.startswith("scent-copy")]


@test
def profiles_that_cannot_be_read_say_why():
    refused("nowhere", says="nowhere")
    os.mkdir("empty")
    refused("empty", says="is not a profile: it has neither Firefox's places.sqlite nor Chromium's History")
    firefox("home/x.default", visits=SOME).close()
    refused("home", says="holds some: name one of 'x.default'")
    os.mkdir("bad")
    write("bad/places.sqlite", "this is no database, but it is long enough to be looked at as one " * 50)
    refused("bad", says="damaged or not an SQLite database")
    Path("bad/places.sqlite").write_bytes(b"")
    refused("bad", says="has no column moz_historyvisits.id")
    database("new/History", ("create table visits (id integer primary key, url integer)",),
             ("create table urls (id, url)",)).close()
    refused("new", says="has no column visits.visit_time: its browser is newer or older")
    database("view/History", ("create table t (id, url, visit_time, from_visit, transition)",),
             ("create view visits as select * from t",), ("create view urls as select * from t",)).close()
    refused("view", says="has no column visits.id")
    os.mkdir("folder")
    os.makedirs("folder/History")
    refused("folder", says="folder/History is not a file")


@test
def a_damaged_profile_is_refused_wherever_it_is_damaged():
    firefox(visits=[(n, n - 1, f"http://a.test/{'x' * 50}{n}", n, LINK) for n in range(1, 400)]).close()
    whole = Path("ff/places.sqlite").read_bytes()
    damaged = 0
    for page in range(0, len(whole), 4096):
        broken = bytearray(whole)
        broken[page:page + 200] = b"\xa5" * 200
        Path("ff/places.sqlite").write_bytes(broken)
        Path("out").unlink(missing_ok=True)
        done = subprocess.run([SCENT, "browse", "import", "ff", "-o", "out"], stderr=subprocess.PIPE, text=True,
                              timeout=200)
        assert done.returncode in (0, 2), done
        assert done.returncode == 0 or "ff/places.sqlite" in done.stderr, done.stderr
        damaged += "is damaged" in done.stderr
    assert damaged > 5, damaged


@test
def lists_logs_and_browsing_files_are_one():
    write("list", "# mine\nhttp://a.test/\nhttp://a.test/1\thttp://a.test/\n")
    Path("log.gz").write_bytes(gzip.compress(b"1790000000 anna http://a.test/l1\n1790000060 anna http://a.test/l2\n"
                                             b"1790000000 bert http://a.test/l3\n"))
    write("useful", "http://a.test/l2#x\n")
    write("more", '{"visit": "http://a.test/2", "from": "http://a.test/1"}\n{"useful": "http://a.test/2"}\n')
    told = imported("list", "log.gz", "more", "-u", "useful")
    assert steps("out") == [("/", None), ("/1", "/"), ("/l1", None), ("/l2", "/l1"), ("/l3", None),
                            ("/2", None)], steps("out")
    assert marks("out") == ["http://a.test/l2", "http://a.test/2"] and "anna" not in Path("out").read_text()
    assert "useful    2\n" in told, told
    info = json.loads(scent("browse", "info", "out", "more", "--json").stdout)
    assert (info["visits"], info["linked"], info["pages"], info["useful"]) == (7, 3, 6, 2), info
    assert "visits    6, 2 with the page before" in scent("browse", "info", "out").stdout
    os.remove("out")
    write("bad", "http://a.test/\nhttp:///\n")
    refused("bad", says="bad:2: 'http:///' is not a URL")
    refused("list", "-u", "bad", says="bad:2: 'http:///' is not a URL")
    refused("list", "-u", "none", says="none")
    write("bad.jsonl", '{"visit": "http://a.test/"}\n{"visit": "nowhere"}\n')
    refused("bad.jsonl", says="bad.jsonl:2: 'nowhere' is not a URL of http or https")
    assert scent("browse", "info", "bad.jsonl", status=2).stderr.count("bad.jsonl:2")


@test
def a_running_chromium_is_read():
    site = {"/": html("<a id=a href=/a>a</a> <a id=r href=/r>r</a>"), "/r": (302, [("Location", "/r2")], b""),
            "/a": html("<a id=b target=_blank href=/b>b</a>"), "/b": html("<iframe src=/frame></iframe>"),
            "/r2": (301, [("Location", "/c")], b""), "/frame": html("f"), "/c": html("c")}
    with Site(site) as served, Browser() as browser:
        def click(name, where):
            browser.click(f"return document.getElementById('{name}')")
            browser.wait("return location.pathname", where)

        browser.open(served.base + "/")
        click("a", "/a")
        browser.click("return document.getElementById('b')")
        browser.back()
        browser.wait("return location.pathname", "/")
        click("r", "/c")
        for _ in range(240):  # Chromium writes its history down every ten seconds
            time.sleep(0.5)
            done = subprocess.run([SCENT, "browse", "import", f"{browser.profile}/Default", "-o", "out"],
                                  stderr=subprocess.PIPE, text=True, timeout=200)
            if done.returncode == 0 and "/c" in Path("out").read_text():
                break
        found = [tuple(url and url.removeprefix(served.base) for url in step) for step in steps("out")]
    assert found == [("/", None), ("/a", "/"), ("/b", "/a"), ("/c", "/")], (found, done.stderr)
    assert "left out  2  redirects" in done.stderr, done.stderr


finish()
