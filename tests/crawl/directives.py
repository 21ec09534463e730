#!/usr/bin/env python3
"""What pages and links ask of robots, and what is done about it: noindex, nofollow, noarchive, rel."""

import contextlib
import json
import sqlite3
from pathlib import Path

from crawling import Site, all_records, beside, check_crawl, finish, html, kill_crawl, pages, query, scent, topic, urls

WORDS = "The ice hockey league has teams with players who skate on ice and shoot a puck at the goal. "
NOINDEX, NOFOLLOW, NOARCHIVE = 1, 2, 4


def meta(content, name="robots"):
    return f'<meta name="{name}" content="{content}">'


def tag(value):
    return ("X-Robots-Tag", value)


def page(name, links="", *headers, head="", status=200):
    """A page of its own: the same words as all, and words that no other has, lest it is taken for a copy."""
    own = " ".join(f"{name}{i}" for i in range(60))
    return html(f"<p>{WORDS * 3} {own} {links}</p>", *headers, head=head, status=status)


def link(path, rel=None):
    return f'<a href="{path}"{f" rel={json.dumps(rel)}" if rel else ""}>{path}</a> '


def crawl(*args, out="out", status=0):
    return scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", out, *args, status=status)


def write_topic(site, politeness="", seed="/", **keys):
    topic([site.base + seed], politeness=f"{{delay: 0, per_host: 4, retries: 0{politeness}}}", **keys)


def rows(site, out="out"):
    """path -> (state, error) of the URLs that are no robots.txt."""
    found = query(out, "select url, state, error from url where flags & 2 = 0")
    return {url.removeprefix(site.base): (state, error) for url, state, error in found}


def robots(site, out="out"):
    found = query(out, "select url.url, robots from page join url on url.id = url_id where flags & 2 = 0")
    return {url.removeprefix(site.base): bits or 0 for url, bits in found}


def is_clean(out="out"):
    found = scent("check", out)
    assert found.stdout == "" and "0 problems" in found.stderr, found
    check_crawl(out)


RELS = {"/nofollow": "nofollow", "/ugc": "external UGC", "/sponsored": "sponsored,noopener", "/plain": "noopener"}


@beside
def links_that_their_author_disowns_are_not_followed():
    with Site({path: page(path[1:]) for path in RELS}) as site:
        site.answers["/"] = page("home", "".join(link(path, rel) for path, rel in RELS.items()))
        write_topic(site)
        crawl()
        assert sorted(site.log) == ["/", "/plain", "/robots.txt"], site.log
        said = {path: rows(site)[path] for path in RELS}
        assert said == {"/nofollow": ("seen", "its link says nofollow"), "/ugc": ("seen", "its link says ugc"),
                        "/sponsored": ("seen", "its link says sponsored"), "/plain": ("fetched", None)}, said
        # They are known all the same, with what was said of them.
        assert query("out", "select count(*), max(rel) from link") == [(4, 4)]
        write_topic(site, ", rel_nofollow: ignore")
        crawl(out="all")
        assert set(site.log) == {"/", "/robots.txt", *RELS}, site.log
        is_clean()


@beside
def the_same_url_without_the_word_is_followed():
    with Site({"/a": page("a", link("/once", "nofollow") + link("/twice", "nofollow")), "/b": page("b", link("/twice")),
               "/once": page("once"), "/twice": page("twice"), "/both": page("both")}) as site:
        site.answers["/"] = page("home", link("/a") + link("/both", "nofollow") + link("/both") + link("/b"))
        write_topic(site, window=1)
        crawl()
        found = rows(site)
        assert found["/once"] == ("seen", "its link says nofollow"), found
        assert found["/twice"] == found["/both"] == ("fetched", None), found
        is_clean()


@beside
def a_page_whose_time_is_over_is_not_shown():
    past, future = "Fri, 25 Jun 2010 15:00:00 GMT", "Thu, 25 Jun 2099 15:00:00 GMT"
    ways = {"/header": ([tag(f"unavailable_after: {past}")], ""), "/meta": ([], meta("unavailable_after: 2010-06-25")),
            "/ours": ([tag(f"scent: unavailable_after: {past}")], ""),
            "/both": ([tag(f"unavailable_after: {future}")], meta(f"unavailable_after: {past}")),
            "/later": ([tag(f"unavailable_after: {future}")], meta(f"unavailable_after: {future}")),
            "/other": ([tag(f"otherbot: unavailable_after: {past}")], ""), "/odd": ([tag("unavailable_after: soon")], "")}
    with Site({path: page(path[1:], "", *headers, head=head) for path, (headers, head) in ways.items()}) as site:
        site.answers["/"] = page("home", "".join(map(link, ways)))
        write_topic(site)
        crawl()
        over = {"/header", "/meta", "/ours", "/both"}
        assert {path for path, bits in robots(site).items() if bits == NOINDEX} == over, robots(site)
        assert {url.removeprefix(site.base) for url in urls("out")} == {"/", *ways} - over
        is_clean()
        write_topic(site, ", page_robots: ignore")
        crawl(out="all")
        assert len(urls("all")) == 1 + len(ways)


WAYS = {"meta": lambda word: ([], meta(word)), "header": lambda word: ([tag(word)], ""),
        "our name in meta": lambda word: ([], meta(word, "Scent")),
        "our name in the header": lambda word: ([tag("otherbot: none"), tag(f"scent: {word}")], ""),
        "both": lambda word: ([tag("index")], meta("follow, " + word))}
NOT_OURS = {"another's meta": ([], meta("none, noarchive", "otherbot")),
            "another's header": ([tag("otherbot: none, noarchive")], "")}


def directed(word, names):
    """A home page with links to pages that say `word` in every way, and pages behind those."""
    answers, links = {}, ""
    for i, name in enumerate(names):
        headers, head = WAYS[name](word) if name in WAYS else NOT_OURS[name]
        answers[f"/{i}"] = page(f"p{i}x", link(f"/behind{i}"), *headers, head=head)
        answers[f"/behind{i}"] = page(f"behind{i}x")
        links += link(f"/{i}")
    answers["/"] = page("home", links)
    return answers


@beside
def the_links_of_a_nofollow_page_are_not_followed():
    for word in ("nofollow", "NONE"):
        with Site(directed(word, WAYS)) as site:
            write_topic(site)
            crawl(out=word)
            found = rows(site, word)
            for i, name in enumerate(WAYS):
                assert found[f"/{i}"] == ("fetched", None), name
                assert found[f"/behind{i}"] == ("seen", "its page says nofollow"), (name, found)
                assert robots(site, word)[f"/{i}"] & NOFOLLOW, name
            is_clean(word)


@beside
def a_noindex_page_is_visited_but_not_shown():
    with Site(directed("noindex", WAYS)) as site:
        write_topic(site, relevant="hockey")
        told = [json.loads(line) for line in crawl("--json").stdout.splitlines()]
        everything, marked = set(site.answers), {f"/{i}" for i in range(len(WAYS))}
        assert {path for path, (state, _) in rows(site).items() if state == "fetched"} == everything
        assert {path for path, bits in robots(site).items() if bits == NOINDEX} == marked
        assert {each["url"].removeprefix(site.base) for each in told if each.get("noindex")} == marked
        shown = everything - marked
        for listed in (urls("out"), [each["url"] for each in pages("out")],
                       [row[0] for row in query("out", "select url from relevant")],
                       scent("export", "out", "--relevant", "-f", "urls").stdout.split()):
            assert {url.removeprefix(site.base) for url in listed} == shown, listed
        graph = scent("export", "out", "-f", "graphml").stdout
        assert site.base + "/behind0" in graph and site.base + "/0<" not in graph
        status = json.loads(scent("status", "out", "--json").stdout)
        assert (status["pages"], status["relevant"]) == (len(everything), len(shown)), status
        # The archive has them: it is asked to keep no copy by noarchive, not by noindex.
        kept = {each["warc-target-uri"].removeprefix(site.base) for each in all_records("out")
                if each["warc-type"] == "response"}
        assert kept >= everything
        assert len(Path("out/index.cdxj").read_text().splitlines()) >= len(everything)
        is_clean()


@beside
def a_noarchive_page_leaves_no_body_behind():
    for word in ("noarchive", "nocache, max-snippet:2"):
        with Site(directed(word, WAYS)) as site:
            write_topic(site)
            out = word[:6]
            crawl(out=out)
            marked = {f"/{i}" for i in range(len(WAYS))}
            assert {path for path, bits in robots(site, out).items() if bits == NOARCHIVE} == marked
            records = all_records(out)
            responses = {each["warc-target-uri"].removeprefix(site.base) for each in records
                         if each["warc-type"] in ("response", "revisit", "request")}
            assert responses == set(site.answers) - marked | {"/robots.txt"}, responses
            notes = [each for each in records if each["warc-type"] == "metadata"]
            assert {each["warc-target-uri"].removeprefix(site.base) for each in notes} == marked
            for each in notes:
                assert each["content-type"] == "application/warc-fields", each
                assert b"robots: noarchive\r\n" in each["block"] and b"status: 200\r\n" in each["block"], each
            for path in (f"p{i}x7" for i in range(len(WAYS))):
                assert not [each for each in records if path.encode() in each["block"]], "a body was kept"
            # Its row stays, and it is a page of the collection.
            assert len(urls(out)) == len(site.answers)
            assert query(out, "select count(*) from page where robots & 4 and warc_file is null and digest is not null"
                              " and counted") == [(len(WAYS),)]
            is_clean(out)


@beside
def a_crawl_goes_on_whose_pages_were_not_kept():
    """A killed crawl counts the words of a query again, as far as it has the pages."""
    with Site(directed("noarchive", WAYS)) as site:
        write_topic(site, query="'#sum(hockey puck)'")
        crawl("--pages", "3")
        with contextlib.closing(sqlite3.connect("out/crawl.db")) as db:
            db.execute("delete from value where name like 'census%'")
            db.commit()
        crawl()
        assert len(urls("out")) == len(site.answers)
        is_clean()


@beside
def what_is_said_to_others_is_not_for_us():
    with Site(directed("none", NOT_OURS)) as site:
        write_topic(site)
        crawl()
        assert set(robots(site).values()) == {0}
        assert {path for path, (state, _) in rows(site).items() if state == "fetched"} == set(site.answers)


@beside
def we_listen_to_the_name_that_we_give():
    with Site({"/": page("home", link("/a") + link("/b")),
               "/a": page("a", "", head=meta("noindex", "Prospector")), "/b": page("b", "", head=meta("noindex", "scent"))}) as site:
        write_topic(site, ", user_agent: 'prospector/2 (+https://www.example.org/bot)'")
        crawl()
        assert robots(site) == {"/": 0, "/a": NOINDEX, "/b": 0}


@beside
def who_may_can_overrule_the_pages():
    with Site(directed("noindex, nofollow, noarchive", WAYS)) as site:
        write_topic(site, ", page_robots: ignore")
        crawl()
        assert len(urls("out")) == len(site.answers)
        assert set(robots(site).values()) == {0}
        assert not [each for each in all_records("out") if each["warc-type"] == "metadata"]
        is_clean()
    for key in ("page_robots", "rel_nofollow"):
        topic(["http://127.0.0.1:9/"], politeness=f"{{{key}: maybe}}")
        refused = crawl(out="never", status=2).stderr
        assert f"topic.yaml:3: politeness.{key}: expected obey or ignore, got 'maybe'" in refused, refused


@beside
def other_answers_are_not_archived_either():
    with Site({"/": page("home", link("/gone") + link("/moved")),
               "/gone": page("gone", "", tag("noarchive"), status=410),
               "/moved": page("moved", "", tag("noarchive"), ("Location", "/there"), status=301),
               "/there": page("there")}) as site:
        write_topic(site)
        crawl()
        kept = {each["warc-target-uri"].removeprefix(site.base): each["warc-type"] for each in all_records("out")
                if each["warc-type"] in ("response", "metadata")}
        assert kept == {"/": "response", "/robots.txt": "response", "/there": "response", "/gone": "metadata",
                        "/moved": "metadata"}, kept
        assert rows(site)["/moved"] == ("redirected", None) and rows(site)["/gone"] == ("failed", "http 410")
        is_clean()


@beside
def a_copy_that_may_be_kept_is_kept():
    def same(*headers):
        return html(f"<p>{WORDS * 5}</p>", *headers)

    with Site({"/": page("home", "".join(link(f"/{c}") for c in "abcdef")), "/a": same(tag("noarchive")),
               "/b": same(tag("noarchive")), "/c": same(), "/d": same(), "/e": same(tag("noindex")),
               "/f": same(tag("noindex"))}) as site:
        write_topic(site, window=1, strategy="breadth-first")
        crawl()
        kept = {(each["warc-target-uri"].removeprefix(site.base), each["warc-type"]) for each in all_records("out")
                if each["warc-type"] in ("response", "metadata", "revisit")} - {("/", "response"), ("/robots.txt", "response")}
        assert kept == {("/a", "metadata"), ("/b", "metadata"), ("/c", "response"), ("/d", "revisit"),
                        ("/e", "response"), ("/f", "revisit")}, kept
        assert {url.removeprefix(site.base) for url in urls("out")} == {"/", "/a", "/c"}
        is_clean()


def chain(length):
    """Pages in a row, each with one link to the next and some directive; the first, a seed, is not archived."""
    words = ["noarchive", "noindex", "noarchive, noindex", "index"]
    return {f"/{i}": page(f"p{i}x", link(f"/{i + 1}") + link(f"/no{i}", "nofollow"), tag(words[i % 4]))
            for i in range(length)}


@beside
def it_holds_across_a_restart():
    with Site(chain(24)) as site:
        write_topic(site, seed="/0", relevant="'similar() > 0.1'")
        crawl(out="whole")
        for pages_more in (1, 5, 9, 15, 100):
            crawl("--pages", pages_more)
        assert [url.removeprefix(site.base) for url in urls("out")] == [
            url.removeprefix(site.base) for url in urls("whole")]
        # The seed's words are the judge's example. They are not in the archive, and still known.
        scores = "select number, relevant, round(score, 6), robots from page where counted"
        assert query("out", scores) == query("whole", scores)
        assert query("out", "select min(score) from page where counted")[0][0] > 0.1
        assert rows(site) == rows(site, "whole")
        is_clean()
        scent("purge", "out", site.base + "/0")
        assert not query("out", "select name from value where name glob 'example *'")
        assert not [each for each in all_records("out") if each.get("warc-target-uri") == site.base + "/0"]
        is_clean()


@beside
def a_kill_changes_nothing():
    with Site(chain(40)) as site:
        topic([site.base + "/0"], politeness="{delay: 30ms, per_host: 1, retries: 0}", relevant="'similar() > 0.1'")
        for _ in range(3):
            kill_crawl(site, 25)  # more than it commits at a time
        crawl()
        crawl(out="whole")
        facts = """select url.url, counted, relevant, round(score, 6), robots, digest, warc_file is null
            from page join url on url.id = url_id where flags & 2 = 0 order by 1"""
        assert query("out", facts) == query("whole", facts)
        is_clean()


finish()
