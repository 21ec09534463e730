#!/usr/bin/env python3
"""What of a page is judged: its content, and the blocks that are learned to repeat on a host."""

import sqlite3

from crawling import Site, finish, html, pages, query, scent, test, topic, write

NAV = "<nav><a href=/>cricket grounds</a> <a href=/a>pucks</a></nav>"
PROSE = "<p>" + "Bread is made of flour and water, and of patience that the baker brings along. " * 4 + "</p>"
NOTICE = "<p>Our cricket shop sends sticks and skates to every town in the land."


def crawled(site, out, *args, **keys):
    topic([site.base + "/"], f"{out}.yaml", **keys)
    scent("crawl", f"{out}.yaml", "-o", out, "-q", "--allow-private", *args)
    return {page["url"].removeprefix(site.base): page for page in pages(out)}


def relevant(found):
    return {path for path, page in found.items() if page["relevant"]}


@test
def navigation_is_not_content():
    with Site({"/": html(NAV + "<main><h1>Cricket</h1>" + PROSE + "</main><a href=/b>b</a>"),
               "/a": html(NAV + "<main>" + PROSE + "</main>"),
               "/b": html(NAV + "<main>" + PROSE + "<p>A cricket ground is of grass.</main>")}) as site:
        assert relevant(crawled(site, "main", relevant="cricket")) == {"/", "/b"}
        assert relevant(crawled(site, "all", relevant="cricket", content="all")) == {"/", "/a", "/b"}
        assert relevant(crawled(site, "phrase", relevant='\'"cricket grounds"\'')) == {"/b"}
        assert relevant(crawled(site, "phrase-all", relevant='\'"cricket grounds"\'', content="all")) == {"/", "/a", "/b"}
        found = crawled(site, "query", query="'#sum(cricket)'")
        assert found["/a"]["score"] == 0.4 < found["/b"]["score"], found
        found = crawled(site, "query-all", query="'#sum(cricket)'", content="all")
        assert found["/a"]["score"] > 0.4, found


@test
def blocks_that_repeat_are_learned_and_kept():
    """Every page has the notice; from some pages on it is known, a resume knows it from the start, and at the end the
    first pages are judged again."""
    web = {"/": html("".join(f"<a href=/p{i}>page {i}</a> " for i in range(40)) + PROSE)}
    for i in range(40):
        web[f"/p{i}"] = html(PROSE.replace("patience", f"patience of grade {i}") + NOTICE)
    with Site(web) as site:
        found = crawled(site, "out", "--pages", "20", relevant="cricket", window="1")
        first = query("out", "select url from pages where coalesce(first_relevant, relevant)")
        assert 3 <= len(first) <= 6 and not relevant(found), (first, found)
        assert len(query("out", "select 1 from value where name in ('repeats', 'repeats_at')")) == 2
        scent("crawl", "out.yaml", "-o", "out", "-q", "--allow-private", "--pages", "40")
        again = {page["url"].removeprefix(site.base): page for page in pages("out")}
        assert len(again) > len(found) and not relevant(again), relevant(again)
        assert query("out", "select url from pages where coalesce(first_relevant, relevant)") == first
        why = scent("why", "out", site.base + "/p30").stdout
        assert "cricket" in why, why


@test
def a_disturbed_crawl_ends_as_an_undisturbed_one():
    web = {"/": html("".join(f"<a href=/p{i}>page {i}</a> " for i in range(30)) + PROSE)}
    for i in range(30):
        web[f"/p{i}"] = html(PROSE.replace("patience", f"patience of grade {i}") + NOTICE * (i % 3 > 0))
    results = {}
    with Site(web) as site:
        for name in ("whole", "paused", "recounted"):
            topic([site.base + "/"], f"{name}.yaml", relevant="cricket", window="1", seed="1")
            run = ("crawl", f"{name}.yaml", "-o", name, "-q", "--allow-private")
            if name != "whole":
                scent(*run, "--pages", "13")
            if name == "recounted":  # as if it had been killed before its first checkpoint
                with sqlite3.connect(f"{name}/crawl.db") as db:
                    db.execute("delete from value where name like 'repeats%'")
                db.close()
            scent(*run)
            results[name] = query(name, "select url, coalesce(first_score, score), coalesce(first_relevant, relevant),"
                                        " score, relevant from pages where counted order by number")
    assert len(results["whole"]) == 31 and any(row[1:3] != row[3:] for row in results["whole"])
    assert results["whole"] == results["paused"] == results["recounted"], results


@test
def a_wrong_value_is_told():
    write("bad.yaml", "topic: t\nseeds: [http://a.test/]\ncontent: most\n")
    assert "content: expected main or all" in scent("crawl", "bad.yaml", status=2).stderr


finish()
