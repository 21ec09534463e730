#!/usr/bin/env python3
"""Sitemaps: what hosts list of themselves is visited where the topic wants it, after all links, and within bounds."""

import gzip

from crawling import Site, beside, check_crawl, finish, html, kill_crawl, query, scent, topic, urls

WORDS = "The ice hockey league has teams with players who skate on ice and shoot a puck at the goal. "
XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def page(name, links=()):
    own = " ".join(f"{name}{i}" for i in range(60))
    return html(f"<p>{WORDS * 2} {own} " + " ".join(f'<a href="{link}">{link}</a>' for link in links) + "</p>")


def text(body, kind="text/plain"):
    return 200, [("Content-Type", kind)], body if isinstance(body, bytes) else body.encode()


def robots(*sitemaps, rules="User-agent: *\nDisallow: /private\n"):
    return text(rules + "".join(f"Sitemap: {each}\n" for each in sitemaps))


def urlset(*listed):
    entries = "".join(f"<url><loc>{each}</loc></url>" for each in listed)
    return f'<?xml version="1.0"?><urlset {XMLNS}>{entries}</urlset>'


def index(*listed):
    entries = "".join(f"<sitemap><loc>{each}</loc></sitemap>" for each in listed)
    return f'<?xml version="1.0"?><sitemapindex {XMLNS}>{entries}</sitemapindex>'


def xml(body):
    return text(body, "application/xml")


def gz(body):
    return text(gzip.compress(body.encode()), "application/gzip")


def write_topic(site, sitemaps="true", delay=0, **keys):
    topic([site.base + "/"], politeness=f"{{delay: {delay}, per_host: {1 if delay else 4}, retries: 0}}",
          sitemaps=sitemaps, **keys)


def crawl(*args, out="out"):
    scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", out, *args)
    found = scent("check", out)
    assert found.stdout == "" and "0 problems" in found.stderr, found
    check_crawl(out)


def rows(site, out="out"):
    found = query(out, "select url, state, error, depth, priority, found_on from urls")
    return {url.removeprefix(site.base): rest for url, *rest in found}


def visited(site, out="out"):
    return sorted(url.removeprefix(site.base) for url in urls(out))


def simple_site():
    site = Site({f"/{name}": page(name) for name in ("listed1", "listed2", "linked", "behind", "private")})
    site.answers |= {
        "/": page("home", ["/linked"]), "/linked": page("linked", ["/behind"]),
        "/robots.txt": robots(site.base + "/map.xml"),
        "/map.xml": xml(urlset(*(site.base + path for path in ("/listed1", "/behind", "/listed2#top", "/private"))))}
    return site


@beside
def they_are_not_read_unless_the_topic_says_so():
    with simple_site() as site:
        write_topic(site, "false")
        crawl()
        assert visited(site) == ["/", "/behind", "/linked"] and "/map.xml" not in site.log, site.log


@beside
def what_is_listed_comes_after_all_links():
    with simple_site() as site:
        write_topic(site, window=1)
        crawl()
        assert site.log[:5] == ["/robots.txt", "/", "/linked", "/behind", "/map.xml"], site.log
        assert sorted(site.log[5:]) == ["/listed1", "/listed2"], site.log
        found = rows(site)
        assert found["/private"][:2] == ["dropped", "robots.txt forbids it"], found
        assert found["/listed1"] == ["fetched", None, 1, float("-inf"), site.base + "/map.xml"], found
        assert found["/map.xml"][0] == "fetched" and found["/behind"][2] == 2, found
        # It is no page, but it is in the archive.
        assert visited(site) == ["/", "/behind", "/linked", "/listed1", "/listed2"]
        assert query("out", "select count(*) from page join url on url.id = url_id where flags & 8 and not counted"
                            " and warc_length > 0") == [(1,)]


@beside
def every_form_is_read():
    with simple_site() as site:
        listed = {f"/{kind}": page(kind) for kind in ("a", "b", "c", "d", "e", "f")}
        site.answers |= listed | {
            "/robots.txt": robots("/index.xml", site.base + "/feed.rss", site.base + "/list.txt", "/moved.xml"),
            "/index.xml": xml(index(site.base + "/one.xml.gz", site.base + "/two.xml")),
            "/one.xml.gz": gz(urlset(site.base + "/a")), "/two.xml": xml(urlset(site.base + "/b", "/c")),
            "/feed.rss": text(f"<rss version='2.0'><channel><item><link>{site.base}/d</link></item></channel></rss>",
                              "application/rss+xml"),
            "/list.txt": text(site.base + "/e\n"),
            "/moved.xml": (301, [("Location", "/there.xml")], b""), "/there.xml": xml(urlset(site.base + "/f"))}
        write_topic(site)
        crawl()
        assert set(listed) <= set(visited(site)), visited(site)


@beside
def indexes_that_lead_in_circles_come_to_an_end():
    with simple_site() as site:
        site.answers |= {"/robots.txt": robots("/index.xml"),
                         "/index.xml": xml(index(*(site.base + path for path in ("/index.xml", "/other.xml", "/map.xml")))),
                         "/other.xml": xml(index(site.base + "/index.xml", site.base + "/third.xml")),
                         "/third.xml": xml(index(site.base + "/other.xml"))}
        write_topic(site)
        crawl()
        assert "/listed1" in visited(site)
        assert {path: site.log.count(path) for path in ("/index.xml", "/other.xml", "/map.xml", "/third.xml")} == {
            "/index.xml": 1, "/other.xml": 1, "/map.xml": 1, "/third.xml": 0}, site.log


@beside
def other_hosts_are_listed_by_themselves_only():
    with simple_site() as site, simple_site() as helper, simple_site() as stranger:
        both = xml(urlset(site.base + "/listed1", helper.base + "/listed1", stranger.base + "/listed1"))
        site.answers |= {"/robots.txt": robots(helper.base + "/map.xml", "/own.xml", "/index.xml"),
                         "/own.xml": xml(urlset(site.base + "/listed2", helper.base + "/listed2")),
                         "/index.xml": xml(index(stranger.base + "/map.xml"))}
        helper.answers |= {"/map.xml": both, "/listed1": page("helpers"), "/robots.txt": robots(rules="User-agent: *\nDisallow: /linked\n")}
        write_topic(site)
        crawl()
        assert stranger.log == [], "a sitemap led to a host that nobody asked"
        assert set(helper.log) == {"/robots.txt", "/map.xml", "/listed1"} and helper.log[0] == "/robots.txt", helper.log
        assert {"/listed1", "/listed2"} <= set(visited(site)), visited(site)


@beside
def a_forbidden_sitemap_is_not_read():
    with simple_site() as site:
        site.answers["/robots.txt"] = robots("/private/map.xml", "/missing.xml", "/page.html", "/map.xml")
        site.answers["/page.html"] = page("nothing", ["/listed1"])
        del site.answers["/map.xml"]
        write_topic(site)
        crawl()
        found = rows(site)
        assert found["/private/map.xml"][:2] == ["dropped", "robots.txt forbids it"], found
        assert found["/missing.xml"][:2] == ["failed", "http 404"], found
        assert found["/page.html"][0] == "failed" and found["/page.html"][1].startswith("no sitemap"), found
        assert "/listed1" not in found and "/private/map.xml" not in site.log


@beside
def a_thousand_sitemaps_are_a_few():
    with simple_site() as site:
        names = [f"/map{i}.xml" for i in range(1000)]
        site.answers |= {name: xml(urlset(f"{site.base}/listed1")) for name in names}
        site.answers["/robots.txt"] = robots(*names)
        write_topic(site)
        crawl()
        assert sorted(path for path in site.log if path.startswith("/map")) == sorted(names[:10]), site.log
        # Ten indexes of a thousand each: fifty of one, a hundred of all.
        children = [f"/child{i}-{j}.xml" for i in range(10) for j in range(1000)]
        site.answers |= {f"/map{i}.xml": xml(index(*(f"{site.base}/child{i}-{j}.xml" for j in range(1000)))) for i in range(10)}
        site.answers |= {name: xml(urlset(f"{site.base}/listed2")) for name in children}
        site.log.clear()
        crawl(out="indexes")
        asked = [path for path in site.log if path.startswith("/child")]
        assert len(asked) == len(set(asked)) == 90, len(asked)
        assert max(sum(path.startswith(f"/child{i}-") for path in asked) for i in range(10)) <= 50
        assert "/listed2" in visited(site, "indexes")


@beside
def a_bomb_gives_what_fits():
    with simple_site() as site:
        first = [f"{site.base}/listed1", f"{site.base}/listed2"]
        spaces = " " * (1 << 20)
        bomb = f'<?xml version="1.0"?><urlset {XMLNS}>' + "".join(f"<url><loc>{each}</loc></url>" for each in first)
        many = urlset(*(f"{site.base}/n{i}x{j}/" for i in range(300) for j in range(150)))
        site.answers |= {"/robots.txt": robots("/bomb.xml.gz", "/many.xml.gz", "/cut.xml.gz", rules="User-agent: *\nDisallow: /n\n"),
                         "/bomb.xml.gz": gz(bomb + 80 * spaces + f"<url><loc>{site.base}/late</loc></url></urlset>"),
                         "/many.xml.gz": gz(many),
                         "/cut.xml.gz": text(gzip.compress(urlset(f"{site.base}/linked").encode())[:-20])}
        write_topic(site, limits="{per_pattern: 0, depth: 1}")
        crawl()
        found = rows(site)
        assert {"/listed1", "/listed2"} <= set(found) and "/late" not in found
        assert sum(path.startswith("/n") for path in found) == 10000, len(found)


@beside
def the_rules_for_links_hold():
    with simple_site() as site:
        write_topic(site, limits="{depth: 0}")
        crawl(out="deep")
        assert visited(site, "deep") == ["/"], visited(site, "deep")
        assert rows(site, "deep")["/listed1"][:2] == ["seen", "too deep"]
        write_topic(site, scope="{exclude: ['*/listed2']}")
        crawl(out="scope")
        assert rows(site, "scope")["/listed2"][0] == "seen" and "/listed1" in visited(site, "scope")
    # A host at the edge of the scope does not come nearer by listing itself.
    with simple_site() as far, Site({"/": page("start", [far.base + "/"])}) as near:
        near.base = near.base.replace("127.0.0.1", "localhost")
        far.answers["/"] = page("far")
        write_topic(near, scope="{hops_off_domain: 1}")
        crawl(out="hops")
        found = dict(query("hops", "select url, error from url where url like '%listed%'"))
        assert set(found.values()) == {"too far off the seeds' domains"}, found


@beside
def a_kill_changes_nothing():
    with simple_site() as site:
        listed = [f"/p{i}" for i in range(12)]
        site.answers |= {path: page("p" + path[1:] + "x") for path in listed}
        site.answers |= {"/robots.txt": robots("/index.xml"), "/index.xml": xml(index(*(f"{site.base}/m{i}.xml" for i in range(4))))}
        site.answers |= {f"/m{i}.xml": gz(urlset(*(site.base + path for path in listed[3 * i:3 * i + 3]))) for i in range(4)}
        write_topic(site, delay="60ms")
        for _ in range(4):
            kill_crawl(site, 12)  # more than it commits at a time
        crawl()
        crawl(out="whole")
        assert rows(site) == rows(site, "whole")
        assert set(listed) <= set(visited(site))


finish()
