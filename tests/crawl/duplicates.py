#!/usr/bin/env python3
"""Pages that are no new pages: copies, near copies, error pages that say 200, pages that name a better address."""

import json
import os
from pathlib import Path

from crawling import (SLOW, all_records, check_crawl, contents, finish, http_parts, query, scent, test, topic, urls,
                      write)
from livesite import Site, page

WEB = f"""kind: generated
seed: 11
hosts: {20 if SLOW else 40}
pages_per_host: 20
dead_hosts: 0
slow_hosts: {{share: 0}}
traps: 0
redirect_loops: 0
robots: {{share: 0}}
duplicates: 0.1
near_duplicates: 0.1
"""
ROWS = """select number, url.url, state, status, counted, duplicate_of, simhash, digest, page.links, error
    from page join url on url.id = page.url_id order by number"""


def copied_web():
    write("web.yaml", WEB)
    topic(scent("web", "generate", "web.yaml", "--seeds", "5").stdout.split(), limits="{depth: 1000}")


def crawl(out, *args):
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", out, *args)


def is_clean(out):
    assert "0 problems" in scent("check", out).stderr + scent("check", out).stdout
    check_crawl(out)


@test
def copies_are_counted_once_and_kept_as_revisits():
    copied_web()
    crawl("out")
    is_clean("out")
    copies = query("out", """select copy.url_id, url.url, error, copy.duplicate_of, copy.digest = first.digest,
            first.counted, (select count(*) from link where page_number = copy.number)
        from page copy join page first on first.number = copy.duplicate_of join url on url.id = copy.url_id
        where not copy.counted""")
    assert len(copies) > 10, len(copies)
    for _, _, error, first, same, counted, links in copies:
        assert error == f"the same as page {first}" and same and counted, (error, first, same, counted)
    counted = [row[0] for row in query("out", "select digest from page where counted and bytes > 0")]
    assert len(counted) == len(set(counted)), "the same bytes were counted twice"
    assert not {url for _, url, *_ in copies} & set(urls("out"))
    listed = [json.loads(line.split(" ", 2)[2]) for line in Path("out/index.cdxj").read_text().splitlines()]
    assert sorted(entry["url"] for entry in listed if entry["mime"] == "warc/revisit") == sorted(
        url for _, url, *_ in copies)
    assert "the same as" not in scent("status", "out").stdout


@test
def a_revisit_names_the_record_that_has_its_bytes():
    copied_web()
    crawl("out")
    records = all_records("out")
    responses = {each["warc-target-uri"]: each for each in records if each["warc-type"] == "response"}
    revisits = [each for each in records if each["warc-type"] == "revisit"]
    assert len(revisits) > 10
    for each in revisits:
        first = responses[each["warc-refers-to-target-uri"]]
        assert each["warc-profile"].endswith("/revisit/identical-payload-digest"), each
        assert each["warc-refers-to-date"] == first["warc-date"], each
        assert each["warc-payload-digest"] == first["warc-payload-digest"], each
        assert each["warc-target-uri"] not in responses
        start, headers, body = http_parts(each["block"])
        assert start.startswith("HTTP/1.1 200") and headers and body == b"", each
        concurrent = [other for other in records if other.get("warc-concurrent-to") == each["warc-record-id"]]
        assert [other["warc-type"] for other in concurrent] == ["request"], each


@test
def a_crawl_of_the_crawl_finds_the_copies_again():
    copied_web()
    crawl("out", "--window", 1)
    scent("crawl", "topic.yaml", "--from", "out/warc", "-q", "-o", "again", "--window", 1)
    fetched = "select url.url, counted, digest, duplicate_of from page join url on url.id = url_id where state = 'fetched' order by 1"
    assert [row[:3] for row in query("again", fetched)] == [row[:3] for row in query("out", fetched)]


@test
def near_copies_are_pages_that_name_the_first():
    copied_web()
    crawl("out")
    near = query("out", """select page.simhash, first.simhash, page.links, first.duplicate_of, page.digest = first.digest,
            (select count(*) from link where page_number = page.number)
        from page join page first on first.number = page.duplicate_of where page.counted""")
    assert len(near) > 10
    for mine, other, links, chained, same, stored in near:
        assert bin((mine ^ other) & (1 << 64) - 1).count("1") <= 3 and chained is None and not same
        assert stored == links
    assert any(links for _, _, links, *_ in near)


@test
def relative_links_of_a_copy_lead_elsewhere():
    listing = page("Listing", "one", "two", "/en/one")
    with Site(index=page("Start", "/en/", "/de/")) as site:
        site.pages.update({"/en/": listing, "/de/": listing, "/en/one": page("One"), "/en/two": page("Two"),
                           "/de/one": page("Eins"), "/de/two": page("Zwei")})
        topic([site.base + "/"])
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out", "--window", 1)
        assert sorted(title for title, in query("out", "select title from page where counted")) == [
            "Eins", "Listing", "One", "Start", "Two", "Zwei"]
        assert query("out", "select count(*) from page where duplicate_of and not counted") == [(1,)]
        is_clean("out")


@test
def a_page_that_stands_everywhere_comes_to_an_end():
    parts = [f"/part{i}/" for i in range(9)]
    with Site(index=page("Start", *parts[:3], "/real", *parts[3:]), real=page("Real")) as site:
        site.everywhere = page("Catch all", "deeper/one", "deeper/two", "other/three")
        topic([site.base + "/"], limits="{depth: 15}", strategy="breadth-first")
        for pages in (3, 50):  # the first run ends after two copies: a resume counts them too
            scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out", "--window", 1, "--pages", pages)
            copies = query("out", "select number from page where not counted and duplicate_of")
            assert pages > 3 or len(copies) == 2, copies
        first, = query("out", "select number from page where title = 'Catch all' and counted")
        followed = query("out", "select distinct page_number from link join page on number = page_number where not counted")
        # Nine parts, three links of the first and of four copies: 24 at most, all of them but the first copies.
        assert len(followed) == 4 and 9 < len(copies) <= 23, (len(followed), len(copies))
        assert len(urls("out")) == 3 and first
        is_clean("out")


@test
def threads_do_not_change_who_is_the_first():
    copied_web()
    for threads in (1, 4):
        crawl(f"out-{threads}", "--window", 7, "--threads", threads)
    assert query("out-1", ROWS) == query("out-4", ROWS)


@test
def copies_are_known_after_a_restart():
    copied_web()
    crawl("whole", "--window", 1)
    pages = len(urls("whole"))
    for part in (3, 2, 1):
        crawl("parts", "--window", 1, "--pages", pages // part)
    crawl("parts", "--window", 1)
    assert query("parts", "select count(*) from event where kind = 'resume'") == [(3,)]
    assert contents("parts") == contents("whole")
    before = query("parts", f"select count(*) from page where not counted and duplicate_of <= {pages // 3}"
                            f" and number > {pages // 2}")
    assert before[0][0] > 0, "no copy came after the restart"
    is_clean("parts")


@test
def the_first_can_be_purged():
    copied_web()
    crawl("out")
    number, url = query("out", """select first.number, url.url from page join page first on first.number = page.duplicate_of
        join url on url.id = first.url_id where not page.counted limit 1""")[0]
    scent("purge", "out", url)
    assert query("out", f"select count(*) from page where duplicate_of = {number}") == [(0,)]
    is_clean("out")


PARAGRAPH = "<p>" + " ".join(f"word{i} about gardens and rivers number {i * 7}." for i in range(60)) + "</p>"


def site(**files):
    """Packs pages; each is (title, rest of the head, body)."""
    os.mkdir("site")
    for name, (title, head, body) in files.items():
        write(f"site/{name}.html", f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1>{body}</body></html>")
    scent("web", "pack", "site", "-b", "http://docs.test/", "-o", "packed")


def states(out):
    return {url.removeprefix("http://docs.test/"): (state, error) for url, state, error in
            query(out, "select url, state, error from url where flags & 2 = 0")}


def links(*names):
    return "".join(f'<p><a href="/{name}.html">{name} is here</a></p>' for name in names)


def crawl_site(*seeds):
    topic([f"http://docs.test/{seed}.html" for seed in seeds])
    scent("crawl", "topic.yaml", "--from", "packed", "-q", "-o", "out", "--window", 1)
    is_clean("out")
    return states("out")


@test
def an_error_page_that_says_200_is_no_page():
    missing = ("Page not found", "", "<p>Sorry, the page you requested could not be found.</p>" + links("behind"))
    site(start=("Gardens", "", PARAGRAPH + links("gone", "article")), gone=missing,
         article=("An article", "", PARAGRAPH), behind=("Behind", "", PARAGRAPH + "other"))
    found = crawl_site("start")
    state, error = found["gone.html"]
    assert state == "failed" and error.startswith("soft 404: title, heading"), found
    assert "behind.html" not in found and found["article.html"][0] == "fetched", found
    row = query("out", "select counted, status, warc_length > 0 from page join url on url.id = url_id where url like '%gone%'")
    assert row == [(0, 200, 1)], row


@test
def a_seed_is_wanted_whatever_it_says():
    site(gone=("Page not found", "", "<p>Sorry, the page could not be found.</p>" + links("behind")),
         behind=("Behind", "", PARAGRAPH))
    found = crawl_site("gone")
    assert {state for state, _ in found.values()} == {"fetched"} and len(found) == 2, found


def canonical(name):
    return f'<link rel="canonical" href="{name}">'


@test
def a_canonical_address_is_queued_in_the_place_of_the_page():
    site(start=("Gardens", "", PARAGRAPH + links("copy", "off", "wrong", "self")),
         copy=("Copy", canonical("/real.html#top"), PARAGRAPH + "copy"), real=("Real", "", PARAGRAPH + "real"),
         off=("Off", canonical("http://elsewhere.test/off.html"), PARAGRAPH + "off"),
         wrong=("Wrong", canonical("/"), PARAGRAPH + "wrong"), self=("Self", canonical("/self.html"), PARAGRAPH + "self"))
    found = crawl_site("start")
    assert set(found) == {f"{name}.html" for name in ("start", "copy", "real", "off", "wrong", "self")}, found
    assert {state for state, _ in found.values()} == {"fetched"}, found
    depths = dict(query("out", "select url, depth from url where flags & 2 = 0"))
    assert depths["http://docs.test/real.html"] == depths["http://docs.test/copy.html"] == 1
    flags = query("out", "select flags from url where url like '%real%'")
    assert flags == [(0,)], flags


@test
def a_seed_that_repeats_a_seed_is_a_copy():
    body = ("Gardens", "", PARAGRAPH + links("more"))
    site(a=body, b=body, more=("More", "", PARAGRAPH + "more"))
    found = crawl_site("a", "b")
    assert found == {"a.html": ("fetched", None), "b.html": ("fetched", "the same as page 1"),
                     "more.html": ("fetched", None)}, found
    topic(["http://docs.test/a.html", "http://docs.test/b.html"])
    scent("crawl", "topic.yaml", "--from", "packed", "-q", "-o", "out", "--window", 1)
    assert len(urls("out")) == 2
    is_clean("out")


finish()
