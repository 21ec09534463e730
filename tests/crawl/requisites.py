#!/usr/bin/env python3
"""Complete pages (`requisites`): what relevant pages need to look as they did is fetched, politely and once, and is not a
page; it survives kills, comes along in exports, and a browser that replays the pages asks nobody else."""

import base64
import collections
import random
import urllib.error
import urllib.request
import zipfile

from browser import Canary, Visitor, of, png
from crawling import *

WORDS = "The tide rises and falls twice a day because the moon pulls at the water, and ships wait for it in the harbour. "
RED, BLUE, GREEN = png(255, 0, 0), png(0, 0, 255), png(0, 160, 0)
HUGE = b"\x89PNG" + b"x" * 200_000


def prose(name):
    return WORDS + " ".join(f"{name}{i}" for i in range(60))


def document(name, body, head=""):
    return of("text/html; charset=utf-8", f"<!doctype html><html lang=en><title>{name}</title>{head}<body><p>{prose(name)} {body}")


def a_site(other):
    """A page with all that a page can need, one that needs the same, and one that is not relevant. `other` is a second host."""
    head = f"""<link rel=stylesheet href=/style.css><link rel="shortcut icon" href=/icon.png><link rel=canonical href=/sea>
        <link rel=preload as=font href=/preloaded.woff><link rel=next href=/next><link rel=dns-prefetch href=//nobody.test>
        <style>@import url("/inline.css"); p {{ background: image-set("/set1.png" 1x, url(/set2.png) 2x) }}</style>
        <script src=/script.js></script><script>var x = "<img src=/not-a-reference.png>"</script>"""
    body = f"""sea <h1 style="background: url('{other}/far.png')">Sea</h1>
        <img id=i src=/a.png srcset="/a.png 1x, /b,c.png 2x" width=50 height=50 alt=a><img src=/missing.png alt=m>
        <picture><source srcset="/p1.png 10w, /p2.png 20w"><img src=/p3.png></picture><table background=/table.png></table>
        <video poster=/poster.png></video><img src=/secret/forbidden.png><img src=/huge.png><img src=/moved.png>
        <img src="data:image/png;base64,{base64.b64encode(RED).decode()}"><svg><image href=/svg.png /></svg>
        <iframe src=/frame.html></iframe><object data=/object.png></object><embed src=/embed.png><input type=image src=/input.png>
        <noscript><img src=/noscript.png></noscript><iframe srcdoc="<img src='/inside.png'>"></iframe>
        <a href=/sea>sea</a> <a href=/harbour>harbour</a> <a href=/land>land</a> <a href=/a.png>picture</a>"""
    css = """@import "/imported.css"; @import '/loop.css' screen; /* url(/comment.png) */
        @font-face { font-family: f; src: url(font.woff2) format("woff2"), u\\72l( '/font.ttf' ) }
        body { font-family: f; background: url(/b\\61 ck.png) } #i { content: "url(/string.png)"; color: green }"""
    answers = {
        "/robots.txt": of("text/plain", "User-agent: *\nDisallow: /secret\n"),
        "/": document("start", "<a href=/sea>here</a><img src=/start.png>"),
        "/sea": document("sea", body, head),
        "/harbour": document("harbour", "sea <img src=/a.png><img src=/only-harbour.png><a href=/quay>quay</a>", "<link rel=stylesheet href=style.css>"),
        "/quay": document("quay", "<img src=/quay.png>"),
        "/land": document("land", "<img src=/land.png><link rel=stylesheet href=/land.css>"),
        "/next": document("next", ""),
        "/style.css": of("text/css", css),
        "/imported.css": of("text/css", "h1 { background: url(/imported.png) }"),
        "/loop.css": of("text/css", "@import '/loop2.css';"), "/loop2.css": of("text/css", "@import '/loop.css'; @import '/deep1.css';"),
        "/inline.css": of("text/css", "p { color: blue }"),
        "/moved.png": (302, [("Location", "/there.png")], b""),
        "/script.js": of("text/javascript", "document.title = 'ran'"),
        "/frame.html": document("frame", "<img src=/framed.png><iframe src=/frame2.html></iframe>"),
        "/frame2.html": document("frame2", "<img src=/framed2.png>"),
        "/huge.png": of("image/png", HUGE),
        "/secret/forbidden.png": of("image/png", RED),
    }
    for i in range(1, 9):
        answers[f"/deep{i}.css"] = of("text/css", f"@import '/deep{i + 1}.css';")
    for name in ("font.woff2", "font.ttf", "preloaded.woff"):
        answers["/" + name] = of("font/woff2", b"not a font " + name.encode())
    for name in FILES:
        answers.setdefault("/" + name, of("image/png", png(len(name), ord(name[0]), sum(name.encode()) % 256)))
    answers["/b,c.png"] = answers["/a.png"] = of("image/png", RED)
    return answers


FILES = """icon.png set1.png set2.png a.png b,c.png p1.png p2.png p3.png table.png poster.png svg.png object.png embed.png input.png
    noscript.png inside.png back.png imported.png framed.png framed2.png there.png only-harbour.png""".split()
SHEETS = "style.css imported.css loop.css loop2.css inline.css deep1.css deep2.css".split()  # no deeper: there are five levels
NEEDED = {"/" + name for name in FILES + SHEETS} | {"/font.woff2", "/font.ttf", "/preloaded.woff", "/script.js", "/frame.html",
                                                     "/frame2.html", "/missing.png", "/huge.png", "/moved.png"}
PAGES = ["/", "/harbour", "/land", "/quay", "/sea"]


@contextlib.contextmanager
def two_sites():
    """On two addresses, so that they are two hosts."""
    with Site({"/far.png": of("image/png", BLUE)}, "127.0.0.2") as far:
        with Site(a_site(far.base)) as site:
            yield site, far


def write_topic(site, requisites="{bytes: 100KiB}", **keys):
    keys.setdefault("politeness", "{delay: 0, per_host: 1, retries: 0}")
    topic([site.base + "/"], requisites=requisites, relevant="sea", strategy="breadth-first", **keys)


def crawl(out="out", *args):
    scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", out, *args)
    found = scent("check", out)
    assert found.stdout == "" and "0 problems" in found.stderr, found


def requisites(site, out="out"):
    """What became of each: {path: (state, error)}."""
    found = query(out, "select url, state, error from url where flags & 18 = 16")
    assert len({url for url, *_ in found}) == len(found)
    return {url.removeprefix(site.base): tuple(rest) for url, *rest in found}


def asked(site):
    """How often each path was asked for, but for pages and robots.txt."""
    return {path: n for path, n in collections.Counter(site.log).items() if path not in PAGES + ["/robots.txt"]}


@test
def relevant_pages_get_all_that_they_need_once_and_nothing_else():
    with two_sites() as (site, far):
        write_topic(site)
        crawl()
        found = requisites(site)
        assert set(found) == NEEDED | {far.base + "/far.png", "/secret/forbidden.png"}, set(found) ^ NEEDED
        assert found["/secret/forbidden.png"] == ("dropped", "robots.txt forbids it") and "/secret/forbidden.png" not in site.log
        assert found["/missing.png"] == ("failed", "http 404") and found["/moved.png"] == ("redirected", None)
        assert found["/huge.png"] == ("dropped", "larger than requisites.bytes (102400)")
        assert all(state == ("fetched", None) for path, state in found.items()
                   if path not in ("/secret/forbidden.png", "/missing.png", "/moved.png", "/huge.png")), found
        # A frame is a page by its link, and a requisite; a picture is dropped as a page.
        twice = {path for path, n in asked(site).items() if n > 1}
        assert twice == {"/frame.html", "/frame2.html", "/a.png"} and far.log == ["/robots.txt", "/far.png"], (twice, far.log)
        assert set(site.log) - set(PAGES) == (NEEDED | {"/robots.txt"})
        assert sorted(url.removeprefix(site.base) for url in urls("out")) == sorted(PAGES + ["/frame.html", "/frame2.html"])
        # Equal bytes are kept once.
        copies = query("out", "select url.url, first.url from page join url on url.id = page.url_id join page as o on o.number ="
                              " page.duplicate_of join url as first on first.id = o.url_id where url.flags & 16")
        assert {tuple(url.removeprefix(site.base) for url in each) for each in copies} == {
            ("/b,c.png", "/a.png"), ("/frame.html", "/frame.html"), ("/frame2.html", "/frame2.html")}, copies
        kinds = collections.Counter(each["warc-type"] for each in all_records("out"))
        assert kinds["revisit"] == 3, kinds
        status = json.loads(scent("status", "out", "--json").stdout)
        assert status["pages"] == 7 and status["relevant"] == 2 and status["urls"]["fetched"] == 9, status
        assert status["requisites"] == {"queued": 0, "fetched": len(NEEDED) - 2, "redirected": 1, "failed": 1, "dropped": 2,
                                        "seen": 0, "purged": 0}, status["requisites"]
        assert "requisites" not in [each["reason"] for each in status["errors"]] and len(status["errors"]) == 1, status
        # Once more: nothing is left to do.
        before = len(site.log)
        crawl()
        assert len(site.log) == before, site.log[before:]


def visits(out):
    return query(out, "select url, relevant, round(score, 9), depth, priority from pages where counted order by number")


@test
def pages_are_the_same_with_and_without():
    with two_sites() as (site, _):
        for keys in ({"window": "1"}, {"window": "3"}, {"window": "2", "limits": "{pages: 4}"}, {"window": "2", "limits": "{per_host: 3}"}):
            runs = {}
            for wanted in ("false", "true", "{of: all}"):
                out = f"out-{len(runs)}-{'-'.join(keys.values()).replace(' ', '')}"
                write_topic(site, wanted, **keys)
                start = len(site.log)
                crawl(out)
                order = [path for path in site.log[start:]]
                done = [path for path in order if path in PAGES]
                runs[wanted] = visits(out), done, query(out, "select url, state, error from url where flags & 16 = 0 order by id")
                count = len(requisites(site, out))
                assert (count == 0) == (wanted == "false"), (wanted, count)
                # No page comes after the first requisite.
                assert wanted == "false" or not set(order[order.index("/style.css"):]) & set(PAGES), order
            assert runs["false"] == runs["true"] == runs["{of: all}"], runs


@test
def limits_of_their_own():
    with two_sites() as (site, _):
        write_topic(site, "{of: all, count: 3}")
        crawl("few")
        found = requisites(site, "few")
        assert {"/start.png", "/quay.png", "/land.png", "/land.css", "/only-harbour.png"} <= set(found), found
        assert "/style.css" in found and "/inline.css" not in found and "/table.png" not in found, found
        write_topic(site, "{total_bytes: 600}", window="1")
        crawl("small")
        ends = collections.Counter(error for _, error in requisites(site, "small").values())
        assert ends["requisites.total_bytes is reached"] > 5 and ends[None] > 2, ends


@test
def a_crawl_that_did_not_ask_for_them_can_ask_later():
    with two_sites() as (site, far):
        write_topic(site, "false")
        crawl()
        assert requisites(site) == {} and not asked(site).keys() & {"/style.css"}
        write_topic(site)
        pages_before, start = visits("out"), len(site.log)
        crawl()
        assert set(requisites(site)) == NEEDED | {far.base + "/far.png", "/secret/forbidden.png"}
        assert visits("out") == pages_before and not set(site.log[start:]) & set(PAGES)


class Slow(Site):
    """So slow that something is committed before a kill."""

    def answer(self, path, headers):
        time.sleep(0.03)
        return super().answer(path, headers)


def finished(site, out="out"):
    """Stored, so that nobody has to ask for it again. What is a page and a requisite is asked for twice."""
    both = {url for url, in query(out, "select url from url where flags & 18 <> 16")}
    rows = query(out, "select url from url where flags & 18 = 16 and state not in ('queued', 'seen')")
    return {url.removeprefix(site.base) for url, in rows if url not in both}


@test
def kills_lose_nothing_and_fetch_nothing_twice():
    draw = random.Random(7)
    with Site({"/far.png": of("image/png", BLUE)}, "127.0.0.2") as far, Slow(a_site(far.base)) as site:
        write_topic(site)
        crawl("whole")
        done, during = set(), 0
        for kills in range(100):
            start = len(site.log)
            kill_crawl(site, draw.randrange(12, 40))
            assert not done & set(site.log[start:]), f"fetched though it was stored: {done & set(site.log[start:])}"
            if Path("out/crawl.db").exists() and query("out", "select 1 from sqlite_master where name = 'requisite'"):
                done = finished(site)
                during += 0 < len(done) < len(NEEDED) / 2
            if not query("out", "select 1 from url where state = 'queued'") and len(done) > len(NEEDED) / 2:
                break
        assert kills > 1 and during, "the kills came at the wrong time"
        crawl()
        check_same("out", "whole")
        edges = "select distinct source, url from requisites order by 1, 2"
        assert query("out", edges) == query("whole", edges)


@test
def exports_take_them_along():
    with two_sites() as (site, far):
        write_topic(site, "{of: all, bytes: 100KiB}")
        crawl()
    scent("export", "out", "-f", "warc", "--relevant", "-o", "some.warc.gz")
    records = [each for each in warc_records("some.warc.gz") if each["warc-type"] in ("response", "revisit")]
    got = {each["warc-target-uri"].removeprefix(site.base) for each in records}
    gone = {"/huge.png", "/secret/forbidden.png"}
    assert got == (NEEDED | {far.base + "/far.png", "/sea", "/harbour"}) - gone, got ^ NEEDED
    for each in records:  # what a revisit refers to is there
        if each["warc-type"] == "revisit":
            assert any(other["warc-target-uri"] == each["warc-refers-to-target-uri"] and other["warc-type"] == "response"
                       for other in records), each
    cdxj = scent("export", "out", "-f", "cdxj", "--relevant").stdout.splitlines()
    assert len(cdxj) == len(records)
    scent("export", "out", "-f", "wacz", "--relevant", "-o", "some.wacz")
    with zipfile.ZipFile("some.wacz") as file:
        listed = [json.loads(line)["url"] for line in file.read("pages/pages.jsonl").decode().splitlines()[1:]]
    assert sorted(listed) == [site.base + "/harbour", site.base + "/sea"], listed
    assert sorted(scent("export", "out", "-f", "urls", "--relevant").stdout.split()) == sorted(listed)
    warcio = load_warcio()
    build = Path(SCENT).resolve().parent
    release = build.parent / "release"
    try:
        folder = warcio.install(str(release if (release / "npm").exists() else build))
    except SystemExit:
        raise Skip("npm cannot install warcio") from None
    os.mkdir("read")
    theirs = warcio.read_with_warcio(folder, ["some.warc.gz"], "read")
    assert len(theirs) == len(warc_records("some.warc.gz"))


# Else what frames ask for is not in the log.
SHARED_PROCESS = "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,IsolateSandboxedIframes"


@test
def a_browser_finds_all_in_the_archive():
    with two_sites() as (site, _):
        write_topic(site)
        crawl()
    with Canary() as canary, serve("out") as server, Visitor(canary, SHARED_PROCESS) as browser:
        browser.show(server, site.base + "/sea")
        browser.enter()
        browser.wait("return document.readyState", "complete")
        pictures = browser.run("return [...document.images].map(i => [new URL(i.src).pathname, i.naturalWidth])")
        absent = {path.rsplit("/", 1)[-1] for path, width in pictures if not width}
        assert absent == {"missing.png", "forbidden.png", "huge.png"}, pictures
        browser.leave()
        asked_for = set(browser.requests())
        assert all(url.startswith(server.line) for url in asked_for), asked_for
        wanted = {"far.png", "style.css", "imported.css", "loop.css", "loop2.css", "inline.css", "frame.html", "back.png",
                  "font.woff2", "poster.png", "noscript.png", "set1.png", "svg.png", "frame2.html", "framed.png", "framed2.png"}
        loaded = {url.rsplit("/", 1)[-1] for url in asked_for}
        assert wanted <= loaded, wanted - loaded
        codes = {}
        for url in asked_for:
            try:
                codes[url] = urllib.request.urlopen(url).status
            except urllib.error.HTTPError as error:
                codes[url] = error.code
        missing = {url.rsplit("/", 1)[-1] for url, code in codes.items() if code != 200 and "favicon" not in url}
        assert missing == {"missing.png", "forbidden.png", "huge.png", "deep3.css"}, missing
        browser.expect_silence()


@test
def purging_a_page_takes_what_only_it_needs():
    with two_sites() as (site, far):
        write_topic(site)
        crawl()
        scent("purge", "out", site.base + "/harbour")
        found = scent("check", "out")
        assert found.stdout == "" and "0 problems" in found.stderr, found
        left = set(requisites(site))
        assert "/only-harbour.png" not in left and "/style.css" in left and "/a.png" in left, left
        scent("purge", "out", far.base.removeprefix("http://"))
        assert not any("far.png" in path for path in requisites(site))


finish()
