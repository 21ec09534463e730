#!/usr/bin/env python3
"""Crawls that follow people: the access logs that a topic names, bad ones, changed ones; what is visited, and after a kill."""

import gzip
import random
from pathlib import Path

from crawling import SLOW, Site, beside, finish, html, kill_crawl, pages, query, scent, topic, urls, write


RELEVANT = '\'"puck"\''  # every page of html() has hockey in its title


def plain(path, base, lines):
    """A list of `time user url`."""
    return write(path, "".join(f"{time} {user} {base}{page}\n" for time, user, page in lines))


def crawl(*args, into="crawl", **options):
    return scent("crawl", "topic.yaml", "-o", into, "--allow-private", *args, **options)


def refused(site, traces, says):
    topic([site.base + "/"], traces=traces, strategy="collaborative")
    done = crawl(status=2)
    assert says in done.stderr, done.stderr
    assert not site.log, site.log


@beside
def all_kinds_of_files_are_one_trace_and_it_is_told():
    with Site({"/": html("puck")}) as site:
        plain("a.log", site.base, [(1000, "u", "/1"), (1010, "v", "/2"), (1020, "u", "/x.png")])
        Path("b.log.gz").write_bytes(gzip.compress(f"1000 w {site.base}/1\nrubbish\n".encode()))
        write("own.log", '10.0.0.1 - - [07/Feb/2011:05:00:00 +0000] "GET /3 HTTP/1.1" 200 99\n')
        plain("c.log", site.base, [(1030, "t", "/4")])
        scent("trace", "import", "c.log", "-o", "c.trace")
        topic([site.base + "/"], traces=f"[a.log, b.log.gz, c.trace, {{file: own.log, base: '{site.base}/'}}]",
              strategy="collaborative")
        told = crawl().stderr
        assert "traces: 5 accesses of 5 users to 4 pages, from 7 lines" in told, told
        assert "traces: left out 1: " in told and "columns" in told, told
        assert "have changed" not in crawl().stderr
        plain("a.log", site.base, [(1000, "u", "/1")])
        scent("why", "crawl", site.base + "/")  # only looks: the crawl is still told that they have changed
        assert "the traces have changed" in crawl().stderr
        assert "have changed" not in crawl().stderr
        for left in b"", b"12":  # what was kept of them is damaged
            Path("crawl/learned/traces").write_bytes(left)
            assert "the traces have changed" in crawl().stderr
            assert "have changed" not in crawl().stderr
        # The copy of the topic in the crawl names them as the topic did.
        told = scent("crawl", "crawl/topic.yaml", "-o", "crawl", "--allow-private").stderr
        assert "traces: 4 accesses" in told and "have changed" not in told, told


@beside
def bad_files_stop_a_crawl_with_their_line_and_the_fix():
    with Site({"/": html("puck")}) as site:
        refused(site, "[no.log]", "topic.yaml:3: traces: no.log: No such file or directory; give the path of an access log")
        refused(site, "[.]", "topic.yaml:3: traces: . is a folder")
        plain("a.log", site.base, [(1000, "u", "/1")])
        scent("trace", "import", "a.log", "-o", "t")
        Path("cut").write_bytes(Path("t").read_bytes()[:-3])
        refused(site, "[a.log, cut]", "topic.yaml:3: traces: cut: the trace is damaged or cut off")
        Path("noise").write_bytes(bytes(range(256)) * 500)
        refused(site, "[noise]", "topic.yaml:3: traces: no access is left of 0 lines (1 files have an unknown format)")
        write("own.log", '10.0.0.1 - - [07/Feb/2011:05:00:00 +0000] "GET /3 HTTP/1.1" 200 99\n')
        refused(site, "[own.log]", "write it as {file: own.log, base: https://www.example.org/}")


@beside
def bad_lines_are_counted_and_the_good_ones_used():
    draw = random.Random(1)
    with Site({"/": html("puck"), "/1": html("puck one"), "/2": html("cheese two")}) as site:
        good = [f"{1000 + i} u{i % 3} {site.base}/{1 + i % 2}" for i in range(300)]
        bad = ["1000 u", "never u http://a.test/", f"1000 u {'x' * 3000}", f"1000 u http://a.test/{'x' * 70000}",
               f"1000 u http://a.test/{'x' * 30000}", "1000 u ftp://a.test/", "1 u http://[::g]/", "99999999999999999999 u http://a.test/",
               f"500 u0 {site.base}/1"]
        lines = [line.encode() for line in good + bad * 5] + [bytes(draw.randrange(256) for _ in range(40)).replace(b"\n", b"") for _ in range(50)]
        Path("a.log").write_bytes(b"\n".join(lines) + b"\n1000 u0 http://cut")
        packed = gzip.compress(b"\n".join(lines))
        Path("b.log.gz").write_bytes(packed[:len(packed) // 2])
        Path("empty.log").write_bytes(b"")
        with open("holes.log", "wb") as holes:  # two gigabytes of zeros
            holes.write(b"\n".join(lines) + b"\n")
            holes.truncate(1 << 31 if not SLOW else 1 << 25)
        topic([site.base + "/"], traces="[a.log, b.log.gz, empty.log, holes.log]", strategy="collaborative", relevant=RELEVANT)
        told = crawl().stderr
        for reason in "columns", "date", "URL", "64 KiB", "binary data", "go back in time":
            assert reason in told, (reason, told)
        assert "damaged or cut off" in told, told
        assert sorted(urls("crawl")) == sorted(site.base + page for page in ("/", "/1", "/2")), urls("crawl")


@beside
def other_strategies_do_not_read_them_and_this_one_needs_them():
    with Site({"/": html("puck")}) as site:
        topic([site.base + "/"], traces="[no.log]", strategy="best-first")
        assert "the traces are not read: best-first" in crawl().stderr
        topic([site.base + "/"], strategy="collaborative")
        assert "add 'traces: [access.log]'" in crawl(into="other", status=2).stderr


@beside
def people_are_followed_and_every_rule_holds_for_them():
    site = Site({
        "/robots.txt": (200, [("Content-Type", "text/plain")], b"User-agent: *\nDisallow: /secret\n"),
        "/": html("puck <a href=/linked>more</a> <a href=/1>one</a>"),
        "/linked": html("puck"), "/1": html("puck one"), "/2": html("cheese two"), "/3": html("puck three"),
        "/moved": (302, [("Location", "/4")], b""), "/4": html("puck four"), "/5": html("cheese five"),
        "/secret": html("puck"), "/private/1": html("puck"), "/lonely": html("puck"),
    })
    with site:
        plain("a.log", site.base, [
            (1000, "a", "/"), (1010, "a", "/1"), (1020, "a", "/secret"), (1030, "a", "/private/1"), (1040, "a", "/gone"),
            (1050, "a", "/moved"), (1000, "b", "/2"), (1010, "b", "/1"), (1000, "c", "/2"), (1010, "c", "/3"),
            (1000, "d", "/4"), (1010, "d", "/5"), (1000, "e", "/lonely")])
        write("b.log", "1060 a http://elsewhere.test/\n1070 a http://127.0.0.9:1/\n")
        topic([site.base + "/"], traces="[a.log, b.log]", strategy="collaborative", relevant=RELEVANT, window=1,
              scope=f"{{exclude: ['*/private/*'], include: ['{site.base.removeprefix('http://')}/*']}}")
        crawl()
        found = [url.removeprefix(site.base) for url in urls("crawl")]
        # /4 was not looked at by anybody like the others, but /moved leads there, and so to d and /5. /lonely comes last,
        # when there is nothing else.
        assert sorted(found) == ["/", "/1", "/2", "/3", "/4", "/5", "/lonely"], found
        assert found[-1] == "/lonely", found
        assert not {"/linked", "/secret", "/private/1"} & set(site.log), site.log
        why = dict(query("crawl", "select url, error from url where error is not null"))
        assert why["http://elsewhere.test/"] == "not on loopback", why
        assert why["http://127.0.0.9:1/"] == "no pattern of scope.include matches", why
        assert "exclude" in why[site.base + "/private/1"] and why[site.base + "/linked"] == "dropped by the strategy", why
        assert "robots" in why[site.base + "/secret"], why


@beside
def combined_follows_people_and_the_links_of_relevant_pages():
    with Site({
        "/": html("puck <a href=/linked>more</a>"), "/linked": html("puck linked"), "/1": html("puck one"),
        "/2": html("cheese two <a href=/milk>milk</a> <a href=/3>three</a>"), "/milk": html("puck milk"), "/3": html("puck three"),
    }) as site:
        plain("a.log", site.base, [(1000, "a", "/"), (1010, "a", "/1"), (1020, "a", "/2"), (1030, "a", "/3")])
        topic([site.base + "/"], traces="[a.log]", strategy="combined", relevant=RELEVANT, window=1)
        crawl()
        found = [url.removeprefix(site.base) for url in urls("crawl")]
        assert sorted(found) == ["/", "/1", "/2", "/3", "/linked"], found


@beside
def a_page_behind_thousands_that_no_rule_admits_is_found():
    with Site({"/": html("cheese"), "/last": html("puck")}) as site:
        write("a.log", "".join(f"{1000 + i} a http://0.test/{i}\n" for i in range(9000)) + f"1000 b {site.base}/last\n")
        topic([site.base + "/"], traces="[a.log]", strategy="collaborative", relevant=RELEVANT)
        crawl()
        assert urls("crawl") == [site.base + "/", site.base + "/last"], urls("crawl")


@beside
def dead_seeds_do_not_end_a_crawl_that_has_a_trace():
    with Site({"/1": html("puck")}) as site:
        plain("a.log", site.base, [(1000, "a", "/1")])
        topic([site.base + "/dead"], traces="[a.log]", strategy="collaborative")
        crawl()
        assert urls("crawl") == [site.base + "/1"]


def people(site, count=60, users=12):
    """Pages of two subjects, and users who like one of them."""
    draw = random.Random(3)
    subject = [draw.random() < 0.4 for _ in range(count)]
    for i in range(count):
        site.answers[f"/{i}"] = html(("hockey rink puck " if subject[i] else "cheese milk curd ") + f"page{i} " * 3 +
                                    f"<a href=/{i * 7 % count}>more</a> <a href=/{i * 11 % count}>and more</a>")
    lines = []
    for user in range(users):
        for i in range(14):
            page = draw.randrange(count)
            while draw.random() > (0.9 if subject[page] == (user % 2 == 0) else 0.15):
                page = draw.randrange(count)
            lines.append((1000 + i * 60, f"u{user}", f"/{page}"))
    plain("a.log", site.base, lines)


def order(crawl_dir):
    return [page["url"] for page in pages(crawl_dir)]


@beside
def a_crawl_that_stops_and_goes_on_visits_the_same_pages_in_the_same_order():
    with Site({}) as site:
        people(site)
        for name, way in ("collaborative", "always"), ("collaborative", "never"), ("combined", "always"):
            topic([site.base + "/0", site.base + "/1"], traces="[a.log]", relevant=RELEVANT, window=1,
                  strategy=f"{{name: {name}, rescore: {way}}}")
            whole, parts = f"whole-{name}-{way}", f"parts-{name}-{way}"
            crawl("--pages", 40, into=whole)
            for stop in 5, 6, 19, 40:
                crawl("--pages", stop, into=parts)
            assert order(whole) == order(parts), (name, way)
            assert len(order(whole)) == 40


@beside
def what_links_told_before_a_stop_counts_when_people_lead_there():
    """/x is named by a page that is not relevant, then by somebody who looked at a relevant one."""
    with Site({"/": html("puck"), "/n": html("cheese <a href=/x>x</a>"), "/r": html("puck r"), "/x": html("puck x")}) as site:
        plain("a.log", site.base, [(1000, "a", "/"), (1010, "a", "/n"), (1020, "a", "/r"), (1000, "b", "/r"), (1010, "b", "/x")])
        topic([site.base + "/"], traces="[a.log]", relevant=RELEVANT, window=1, strategy="{name: combined, rescore: never}")
        crawl(into="whole")
        for stop in 2, 4:
            crawl("--pages", stop, into="parts")
        told = {way: query(way, "select url, priority from pages where counted") for way in ("whole", "parts")}
        assert told["whole"] == told["parts"] and len(told["whole"]) == 4, told


@beside
def what_was_learned_of_people_begins_another_crawl():
    with Site({"/start": html("curd start")}) as site:
        people(site, count=200, users=20)
        # With user_n: all a fresh crawl finds nearly everything here, and nothing is left to be gained.
        topic([site.base + "/0"], traces="[a.log]", relevant=RELEVANT, window=1,
              strategy="{name: collaborative, user_n: event}")
        crawl("--pages", 60, into="first")
        Path("topic.yaml").write_text(Path("topic.yaml").read_text().replace(site.base + "/0", site.base + "/start"))
        crawl("--pages", 25, into="fresh")
        crawl("--pages", 25, "--reuse", "first:0.5", into="taught")
        found = {way: sum(page["relevant"] for page in pages(way)) for way in ("fresh", "taught")}
        assert found["taught"] > found["fresh"] + 4, found
        # It goes on as it began.
        topic([site.base + "/start"], traces="[a.log]", relevant=RELEVANT, window=1,
              strategy="{name: combined, rescore: always}")
        crawl("--pages", 20, into="parts")
        crawl("--pages", 20, "--reuse", "parts", into="again")
        crawl("--pages", 40, "--reuse", "parts", into="again")
        crawl("--pages", 40, "--reuse", "parts", into="whole")
        assert order("again") == order("whole")


@beside
def a_killed_crawl_goes_on():
    with Site({}) as site:
        people(site)
        topic([site.base + "/0"], traces="[a.log]", relevant=RELEVANT, strategy="collaborative",
              politeness="{delay: 20ms, retries: 0}")
        for _ in range(4):
            kill_crawl(site, 32)  # more than it commits at a time
        crawl(into="out")
        accessed = {line.split()[2] for line in Path("a.log").read_text().splitlines()} | {site.base + "/0"}
        assert sorted(urls("out")) == sorted(accessed), set(urls("out")) ^ accessed
        scent("check", "out")


finish()
