#!/usr/bin/env python3
"""Pages are visited again: what the server is asked, what is kept of its answers, and what a crash may cost."""

import json
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path

from crawling import (SCENT, all_records, beside, check_crawl, finish, http_parts, kill_crawl, query, scent, topic, urls,
                      wait_for)
from livesite import Site, page

DATE = "Tue, 01 Sep 2026 10:00:00 GMT"
FIXED = "{policy: fixed, interval: 1d}"
ONE = "{delay: 0, per_host: 1, retries: 0}"  # connection for all: what one request carries must not stick to the next


def crawl(site, *args, recrawl=FIXED, status=0, **keys):
    topic([site.base + "/"], recrawl=recrawl, **keys)
    return scent("crawl", "topic.yaml", "-q", "--allow-private", "-o", "out", *args, status=status)


def make_due(where="1"):
    """A week has passed."""
    with closing(sqlite3.connect("out/crawl.db")) as db:
        db.execute(f"""update revisit set next_visit_us = 1000, first_visit_us = first_visit_us - 604800000000,
            last_visit_us = last_visit_us - 604800000000
            where url_id in (select id from url where {where})""")
        db.commit()


def is_clean():
    found = scent("check", "out")
    assert "0 problems" in found.stderr, found.stdout
    check_crawl("out")


def visits(path):
    """The rows of a URL: (status, counted, is a copy of, previous, replaced by) in their order."""
    return query("out", f"""select status, counted, duplicate_of, previous, replaced_by from page
        join url on url.id = url_id where url like '%:%{path}' order by number""")


def revisit(path):
    return query("out", f"""select page_number, visits, changes, next_visit_us > last_visit_us from revisit
        join url on url.id = url_id where url like '%:%{path}'""")[0]


def number_of(path):
    return query("out", f"select number from page join url on url.id = url_id where url like '%:%{path}'")[0][0]


def records(path, kind):
    return [each for each in all_records("out")
            if each["warc-type"] == kind and each["warc-target-uri"].endswith(path)]


@beside
def without_a_policy_nothing_is_visited_again():
    with Site(index=page("Start", "/a"), a=page("A")) as site:
        site.etags["/a"] = '"1"'
        crawl(site, recrawl="{policy: none}")
        assert query("out", "select count(*) from revisit") == [(0,)]
        assert query("out", "select etag from page where etag is not null") == [('"1"',)]
        site.questions()
        crawl(site, recrawl="{policy: none}")
        assert site.questions() == {}
        # A policy that comes later takes up what is there.
        crawl(site)
        assert query("out", "select count(*), min(visits), max(changes) from revisit") == [(2, 1, 0)]
        make_due()
        crawl(site)
        assert site.questions() == {"/": [(None, None)], "/a": [('"1"', None)]}
        is_clean()


@beside
def what_is_due_is_asked_with_what_was_offered():
    with Site(index=page("Start", "/tag", "/weak", "/date", "/both", "/none"), tag=page("Tag"), weak=page("Weak"),
              date=page("Date"), both=page("Both"), none=page("None")) as site:
        site.etags = {"/tag": '"abc"', "/weak": 'W/"5-x"', "/both": '"b"'}
        site.dates = {"/date": DATE, "/both": DATE}
        crawl(site, politeness=ONE)
        assert set(map(tuple, site.questions().values())) == {((None, None),)}
        crawl(site, politeness=ONE)
        assert site.questions() == {}, "nothing was due"
        make_due()
        crawl(site, politeness=ONE)
        assert site.questions() == {"/": [(None, None)], "/tag": [('"abc"', None)], "/weak": [('W/"5-x"', None)],
                                    "/date": [(None, DATE)], "/both": [('"b"', DATE)], "/none": [(None, None)]}
        for path in ("/tag", "/weak", "/date", "/both"):
            first = number_of(path)
            assert visits(path) == [(200, 1, None, None, None), (304, 0, first, first, None)], visits(path)
            again, = records(path, "revisit")
            response, = records(path, "response")
            assert again["warc-profile"] == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
            assert again["warc-refers-to-target-uri"] == response["warc-target-uri"] == again["warc-target-uri"]
            assert again["warc-refers-to-date"] == response["warc-date"]
            assert again["warc-payload-digest"] == response["warc-payload-digest"]
            assert http_parts(again["block"])[0] == "HTTP/1.1 304 Not Modified"
            assert revisit(path) == (first, 2, 0, 1)
        # Sent whole once more: the bytes tell.
        again, = records("/none", "revisit")
        assert again["warc-profile"].endswith("/identical-payload-digest") and len(records("/none", "response")) == 1
        assert visits("/none") == [(200, 1, None, None, None), (200, 0, number_of("/none"), number_of("/none"), None)]
        assert len(urls("out")) == 6
        is_clean()


@beside
def a_changed_page_takes_the_place_of_the_old_one():
    with Site(index=page("Start", "/a", "/b"), a=page("A"), b=page("B")) as site:
        site.etags = {"/a": '"1"', "/b": '"1"'}
        crawl(site)
        site.questions()
        site.pages["/a"], site.etags["/a"] = page("A", "/new", text="It has changed."), '"2"'
        site.pages["/new"] = page("New")
        make_due()
        crawl(site)
        assert sorted(site.questions()) == ["/", "/a", "/b", "/new"], "the new link was not followed"
        first = number_of("/a")
        second = query("out", "select replaced_by from page where replaced_by is not null")[0][0]
        assert visits("/a") == [(200, 0, None, None, second), (200, 1, None, first, None)], visits("/a")
        assert revisit("/a") == (second, 2, 1, 1)
        assert len(records("/a", "response")) == 2 and records("/a", "revisit") == []
        assert len(urls("out")) == 4 == len(set(urls("out")))
        status = json.loads(scent("status", "out", "--json").stdout)
        assert status["pages"] == 4, status
        # Its own earlier version is no other page's copy, and the newest validator is the one that counts.
        site.pages["/a"], site.etags["/a"] = page("A"), '"3"'
        make_due()
        crawl(site)
        assert site.questions()["/a"] == [('"2"', None)]
        assert [row[:3] for row in visits("/a")] == [(200, 0, None), (200, 0, None), (200, 1, None)], visits("/a")
        assert revisit("/a")[1:3] == (3, 2)
        make_due()
        crawl(site)
        assert site.questions()["/a"] == [('"3"', None)]
        is_clean()


@beside
def a_new_copy_of_a_known_page_is_still_a_copy():
    with Site(index=page("Start", "/a"), a=page("A")) as site:
        crawl(site)
        site.pages["/"] = page("Start", "/a", "/copy", text="more")
        site.pages["/copy"] = page("A")
        make_due()
        crawl(site)
        assert visits("/copy")[0][:3] == (200, 0, number_of("/a"))
        make_due()
        site.questions()
        crawl(site)
        assert "/copy" not in site.questions(), "a copy is no page: it is not visited again"
        is_clean()


@beside
def a_server_that_lies_is_not_believed_too_far():
    always_304 = lambda headers: (304, {"ETag": '"x"'}, b"")
    with Site(index=page("Start", "/huge", "/garbage", "/bare", "/split", "/lied"), huge=page("Huge"),
              garbage=page("Garbage"), bare=page("Bare"), split=page("Split"), lied=page("Lied")) as site:
        site.etags = {"/huge": '"' + "x" * 10240 + '"', "/bare": "no quotes", "/split": '"a\tb"'}
        site.dates = {"/garbage": "the day before yesterday"}
        crawl(site)
        stored = query("out", "select count(*) from page where etag is not null or last_modified is not null")
        assert stored == [(0,)], stored
        site.questions()
        first = number_of("/lied")
        site.pages["/lied"] = always_304
        make_due()
        crawl(site)
        for path, asked in site.questions().items():
            assert asked == [(None, None)], (path, asked)
        # A 304 that nobody asked for says nothing: the page stays, and is due later.
        assert visits("/lied") == [(200, 1, None, None, None), (304, 0, None, first, None)], visits("/lied")
        assert revisit("/lied") == (first, 1, 0, 1)
        assert query("out", "select state, error from url where url like '%/lied'") == [
            ("fetched", "visited again: http 304")]
        assert records("/lied", "revisit") == []
        assert len(urls("out")) == 6
        is_clean()


@beside
def what_went_wrong_leaves_the_page_as_it_was():
    with Site(index=page("Start", "/gone", "/moved", "/broken"), gone=page("Gone"), moved=page("Moved"),
              broken=page("Broken")) as site:
        crawl(site)
        del site.pages["/gone"]
        site.pages["/there"] = page("There")
        site.pages["/moved"] = lambda headers: (301, {"Location": "/there"}, b"")
        site.pages["/broken"] = lambda headers: (500, {}, b"")
        make_due()
        crawl(site)
        errors = dict(query("out", "select url, error from url where error is not null and flags & 2 = 0"))
        errors = {url.removeprefix(site.base): error for url, error in errors.items()}
        assert errors == {"/gone": "visited again: http 404", "/moved": "visited again: it has moved",
                          "/broken": "visited again: http 500"}, errors
        assert {url.removeprefix(site.base) for url in urls("out")} == {"/", "/gone", "/moved", "/broken", "/there"}
        for path in ("/gone", "/moved", "/broken"):
            assert revisit(path)[1:] == (1, 0, 1)
        assert json.loads(scent("status", "out", "--json").stdout)["urls"]["failed"] == 0
        site.pages["/gone"] = page("Gone")
        make_due()
        crawl(site)
        assert query("out", "select error from url where url like '%/gone'") == [(None,)]
        is_clean()


@beside
def what_a_page_asks_of_robots_counts_again():
    headers = {"Content-Type": "text/html", "ETag": '"1"'}
    hidden = dict(headers)

    def answer(body, offer):
        return lambda asked: (304, offer, b"") if asked.get("If-None-Match") == '"1"' else (200, offer, body.encode())
    with Site(index=page("Start", "/private", "/shown")) as site:
        site.pages["/private"] = answer(page("Private"), headers | {"X-Robots-Tag": "noarchive"})
        site.pages["/shown"] = lambda asked: (200, hidden, page("Shown").encode())
        crawl(site)
        assert len(urls("out")) == 3
        # The same bytes, but they are not to be shown any more.
        hidden["X-Robots-Tag"] = "noindex"
        make_due()
        crawl(site)
        assert visits("/private")[1][:2] == (304, 0) and revisit("/private")[1:3] == (2, 0)
        assert records("/private", "revisit") == records("/private", "response") == []
        assert [row[1] for row in visits("/shown")] == [0, 1] and len(urls("out")) == 2
        is_clean()
        # Nothing has changed but the headers: the page is not to be shown after a date, which has passed. It stays so.
        for tag in ({"X-Robots-Tag": "unavailable_after: 25 Jun 2010 15:00:00 GMT"}, {}):
            site.pages["/private"] = answer(page("Private"), headers | tag)
            make_due()
            crawl(site)
            assert visits("/private")[-1][:2] == (304, 0) and len(urls("out")) == 1, urls("out")
            assert json.loads(scent("status", "out", "--json").stdout)["relevant"] == 1
            is_clean()


@beside
def robots_txt_and_the_scope_still_count():
    with Site(index=page("Start", "/a", "/b"), a=page("A"), b=page("B")) as site:
        crawl(site)
        site.questions()
        site.pages["/robots.txt"] = lambda headers: (200, {"Content-Type": "text/plain"},
                                                     b"User-agent: *\nDisallow: /a\n")
        with closing(sqlite3.connect("out/crawl.db")) as db:
            db.execute("delete from robots")
            db.commit()
        make_due()
        crawl(site, scope="{exclude: ['*/b']}")
        assert set(site.questions()) == {"/"}
        assert revisit("/a")[1:] == (1, 0, 1) and revisit("/b")[1:] == (1, 0, 1), "they are put off"
        is_clean()


@beside
def a_crawl_that_has_all_its_pages_still_looks_at_them():
    with Site(index=page("Start", *(f"/{i}" for i in range(9))), **{str(i): page(f"Page {i}") for i in range(9)}) as site:
        crawl(site, limits="{pages: 5}")
        assert len(urls("out")) == 5
        site.questions()
        make_due()
        crawl(site, limits="{pages: 5}")
        asked = site.questions()
        assert len(asked) == 5 and len(urls("out")) == 5, asked
        make_due()
        crawl(site, limits="{pages: 7}")
        asked = site.questions()
        assert len(asked) == 7 and len(urls("out")) == 7, asked
        is_clean()


@beside
def a_running_crawl_visits_what_becomes_due():
    with Site(index=page("Start", "/a"), a=page("A")) as site:
        site.etags["/a"] = '"1"'
        topic([site.base + "/"], recrawl="{policy: fixed, interval: 1s, wait: true}")
        child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "-q", "--allow-private", "-o", "out"])
        wait_for(lambda: len([path for path, _ in site.asked if path == "/a"]) >= 3 or child.poll() is not None)
        child.send_signal(signal.SIGINT)
        assert child.wait(120) == 11
        asked = site.questions()
        assert len(asked["/a"]) >= 3 and set(asked["/a"][1:]) == {('"1"', None)}, asked
        assert visits("/a")[0][:2] == (200, 1) and {row[0] for row in visits("/a")[1:]} == {304}
        is_clean()


@beside
def a_host_with_many_pages_has_them_all_visited():
    names = [f"p{i}" for i in range(300)]
    with Site(index=page("Start", *(f"/{name}" for name in names)), **{name: page(name) for name in names}) as site:
        crawl(site)
        site.questions()
        make_due()
        crawl(site)
        asked = site.questions()
        assert len(asked) == 301 and all(len(each) == 1 for each in asked.values()), len(asked)
        is_clean()


@beside
def known_pages_take_half_of_a_hosts_time_at_most():
    with Site(index=page("Start", "/a", "/b", "/c"), a=page("A"), b=page("B"), c=page("C")) as site:
        crawl(site, recrawl="{policy: fixed, interval: 1s}", politeness="{delay: 500ms}", limits="{pages: 4}")
        waits = [wait for wait, in query("out", """select (next_visit_us - last_visit_us) / 1e6 from revisit
            where visits = 1 order by last_visit_us""")]
        # Two visits to each page that the host has so far, at its delay.
        assert all(wait >= 2 * 0.5 * (i + 1) for i, wait in enumerate(waits)), waits


@beside
def an_adaptive_policy_follows_the_page():
    with Site(index=page("Start", "/still", "/lively"), still=page("Still"), lively=page("Lively")) as site:
        policy = "{policy: adaptive, interval: 7d, min: 1d, max: 60d}"
        crawl(site, recrawl=policy)
        for version in range(1, 5):
            site.pages["/lively"] = page("Lively", text=f"version {version}")
            make_due()
            crawl(site, recrawl=policy)
        waits = dict(query("out", """select substr(url, -5), (next_visit_us - last_visit_us) / 86400e6 from revisit
            join url on url.id = url_id"""))
        # Four looks a week apart: 7 / ln(9) = 3.19 days, and twice the last week.
        assert abs(waits["ively"] - 3.19) < 0.01 and abs(waits["still"] - 14) < 0.01, waits
        assert revisit("/lively")[1:3] == (5, 4) and revisit("/still")[1:3] == (5, 0)
        is_clean()


@beside
def another_policy_holds_for_what_was_planned():
    def wait():
        return query("out", """select distinct (next_visit_us - last_visit_us) / 86400000000 from revisit""")
    with Site(index=page("Start", "/a"), a=page("A")) as site:
        crawl(site, recrawl="{policy: fixed, interval: 30d}")
        assert wait() == [(30,)]
        crawl(site, recrawl="{policy: fixed, interval: 30d}")
        crawl(site, recrawl="{policy: fixed, interval: 2d}")
        assert wait() == [(2,)]
        make_due()
        crawl(site, recrawl="{policy: fixed, interval: 2d}")
        crawl(site, recrawl="{policy: adaptive, interval: 7d}")
        assert wait() == [(14,)], wait()  # unchanged after a week
        is_clean()


@beside
def who_listens_hears_of_changes():
    with Site(index=page("Start", "/a"), a=page("A")) as site:
        crawl(site)
        site.pages["/a"] = page("A", text="new")
        make_due()
        lines = [json.loads(line) for line in crawl(site, "--json").stdout.splitlines()]
        assert [(line["url"], line["changed"]) for line in lines] == [(site.base + "/a", True)], lines
        runs = json.loads(Path("out/run.json").read_text())["runs"]
        assert [(run["revisits"], run["changes"], run["new_pages"]) for run in runs] == [(0, 0, 2), (2, 1, 0)]


@beside
def status_tells_what_is_due():
    with Site(index=page("Start", "/a"), a=page("A")) as site:
        crawl(site)
        told = json.loads(scent("status", "out", "--json").stdout)["revisits"]
        assert told["pages"] == 2 and told["due"] == 0 and told["next"].startswith("20"), told
        make_due("url like '%/a'")
        told = json.loads(scent("status", "out", "--json").stdout)["revisits"]
        assert told["due"] == 1, told
        assert "1 due" in scent("status", "out").stdout


@beside
def a_kill_in_the_middle_loses_nothing_and_counts_nothing_twice():
    names = [f"p{i}" for i in range(60)]
    slow = threading.Event()
    with Site(index=page("Start", *(f"/{name}" for name in names)), **{name: page(name) for name in names}) as site:
        site.etags = {f"/{name}": '"1"' for name in names[::2]}
        crawl(site)
        for name in names[::3]:
            site.pages[f"/{name}"], site.etags[f"/{name}"] = page(name, text="new"), '"2"'
        make_due()
        plain = site.answer

        def answer(path, headers):
            if len(site.asked) > 30 and not slow.is_set():
                time.sleep(0.05)
            return plain(path, headers)
        site.answer = answer
        for kill in range(4):
            site.asked = []
            kill_crawl(site, 12 + 5 * kill)
        slow.set()
        crawl(site)
        is_clean()
        listed = urls("out")
        assert len(listed) == 61 == len(set(listed))
        for name in names:
            changed = name in names[::3]
            rows = visits(f"/{name}")
            assert [row[1] for row in rows].count(1) == 1, rows
            assert len([row for row in rows if row[4]]) == changed, rows
            assert revisit(f"/{name}")[1:3] == (2, int(changed)), (name, revisit(f"/{name}"))
            assert query("out", f"""select bytes from page join url on url.id = url_id
                where url like '%/{name}' and counted""")[0][0] == len(site.pages[f"/{name}"])


@beside
def a_visit_that_is_tried_again_leaves_no_trace_before_its_end():
    with Site(index=page("Start", "/a"), a=page("A")) as site:
        crawl(site, politeness="{delay: 0, retries: 5}")
        site.questions()
        third, over = threading.Event(), threading.Event()

        def answer(headers):
            if len([path for path, _ in site.asked if path == "/a"]) < 3:
                return 500, {}, b""
            third.set()
            over.wait(100)
            return 500, {}, b""
        site.pages["/a"] = answer
        make_due()
        child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "-q", "--allow-private", "-o", "out"])
        assert third.wait(200), "it was not tried again"
        wait_for(lambda: len(visits("/")) == 2)  # the other page is committed, which came before
        time.sleep(1)  # and what follows it
        child.kill()
        child.wait()
        over.set()
        assert query("out", "select state, flags from url where url like '%/a'") == [("fetched", 0)]
        assert revisit("/a")[1:] == (1, 0, 0), "it is due"
        site.pages["/a"] = page("A", text="new")
        crawl(site, politeness="{delay: 0, retries: 5}")
        assert revisit("/a")[1:3] == (2, 1) and len(urls("out")) == 2
        is_clean()


@beside
def what_is_purged_is_not_visited_again():
    with Site(index=page("Start", "/a", "/b"), a=page("A"), b=page("B")) as site:
        crawl(site)
        site.pages["/a"] = page("A", text="new")
        make_due()
        crawl(site)
        scent("purge", "out", site.base + "/a")
        is_clean()
        assert query("out", "select count(*) from revisit") == [(2,)]
        make_due()
        site.questions()
        crawl(site)
        assert set(site.questions()) == {"/", "/b"}
        is_clean()


@beside
def the_archive_gives_the_newest_version():
    with Site(index=page("Start", "/a", "/b"), a=page("A"), b=page("B")) as site:
        site.etags["/b"] = '"1"'
        crawl(site)
        site.pages["/a"] = page("A newer", text="new")
        make_due()
        crawl(site)
        scent("crawl", "topic.yaml", "--from", "out/warc", "-q", "-o", "again", "--window", 1)
        titles = {title for title, in query("again", "select title from page where counted")}
        assert titles == {"Start", "A newer", "B"}, titles
        found = scent("export", "out", "-f", "cdxj").stdout.splitlines()
        assert len([line for line in found if "warc/revisit" in line]) == 2, found


finish()
