#!/usr/bin/env python3
"""robots.txt in trouble: redirects, failures, files that are cut, two schemes on one host. A crawl ends, asks seldom, and
visits no page that robots.txt forbids. See RFC 9309, section 2.3."""

import asyncio
import itertools
import ssl
import subprocess
import threading
from collections import Counter

from crawling import beside, check_crawl, finish, query, scent, topic, urls
from sites import Answer, Site

RULES = "User-agent: *\nDisallow: /private\n"
POLITE = "{delay: 20ms, per_host: 1, retries: 1}"


pages = itertools.count()


def page(*links):
    """No two have the same bytes: copies would not count as pages."""
    return Answer(f"<html lang=en><title>A page</title><p>Some words of page {next(pages)}. "
                  + " ".join(f'<a href="{link}">{link}</a>' for link in links))


def robots(text=RULES, **more):
    return Answer(text, kind="text/plain", **more)


def moved(where):
    return Answer(status=301, headers={"Location": where})


def crawl(seeds, politeness=POLITE, status=0, **keys):
    """limits.time is a net below: a crawl that is ended by it has failed the test."""
    keys.setdefault("limits", "{time: 100s, pages: 500}")
    topic(seeds, politeness=politeness, **keys)
    done = scent("crawl", "topic.yaml", "--allow-private", "-o", "out", status=status)
    assert "time limit" not in done.stderr, done.stderr
    check_crawl("out")


def paths(site, port=None):
    return Counter(visit.path for visit in site.log if port in (None, visit.port))


@beside
def a_redirect_on_the_own_host_is_followed():
    def answer(visit):
        return {"/robots.txt": moved("/rules/robots.txt"), "/rules/robots.txt": robots(),
                "/": page("/a", "/private/b")}.get(visit.path) or page()
    site = Site(answer)
    crawl([f"http://127.0.0.1:{site.port}/"])
    site.stop()
    assert paths(site) == Counter(["/robots.txt", "/rules/robots.txt", "/", "/a"]), paths(site)


@beside
def hosts_that_share_one_robots_txt_are_all_visited_and_all_obey_it():
    def answer(visit):
        if visit.path == "/robots.txt":
            return moved(f"http://127.0.0.1:{site.hosts[0][1]}/shared.txt")
        if visit.path == "/shared.txt":
            return robots(wait=0.05)
        return page("/a", "/private/b")
    site = Site(answer, ports_each=12)
    crawl([f"http://127.0.0.1:{port}/" for _, port in site.hosts])
    site.stop()
    seen = paths(site)
    assert seen["/"] == seen["/a"] == 12 and not seen["/private/b"], seen
    assert seen["/robots.txt"] == seen["/shared.txt"] == 12, seen


@beside
def the_target_of_a_redirect_stays_a_page():
    """A bare domain that sends everything to the home page of another host, which is a seed."""
    def answer(visit):
        if visit.port == bare:
            return moved(home + "/")
        return robots() if visit.path == "/robots.txt" else page("/a")
    site = Site(answer, ports_each=2)
    bare = site.hosts[0][1]
    home = f"http://127.0.0.1:{site.hosts[1][1]}"
    crawl([f"http://127.0.0.1:{bare}/", home + "/"])
    site.stop()
    assert set(urls("out")) == {home + "/", home + "/a"}, urls("out")


@beside
def a_page_that_robots_txt_calls_a_sitemap_stays_a_page():
    def answer(visit):
        if visit.path == "/robots.txt":
            return robots(f"Sitemap: {origin}/a\nSitemap: {origin}/map.txt\n")
        if visit.path == "/map.txt":
            return Answer(f"{origin}/b\n", kind="text/plain")
        return page("/a")
    site = Site(answer)
    origin = f"http://127.0.0.1:{site.port}"
    crawl([origin + "/"], sitemaps="true")
    site.stop()
    assert set(urls("out")) == {f"{origin}/{name}" for name in ("", "a", "b")}, urls("out")


@beside
def a_redirect_without_end_is_no_robots_txt():
    def answer(visit):
        if visit.path.startswith("/loop"):
            return moved("/loop" + str(int(visit.path[5:]) + 1))
        return {"/robots.txt": moved("/robots.txt" if visit.port == site.hosts[0][1] else "/loop1")}.get(visit.path) or page()
    site = Site(answer, ports_each=2)
    crawl([f"http://127.0.0.1:{port}/" for _, port in site.hosts])
    site.stop()
    assert paths(site)["/"] == 2, paths(site)
    assert paths(site)["/robots.txt"] == 2 and sum(paths(site).values()) < 12, paths(site)


FAILURES = {
    "500": lambda: Answer("oops", status=500),
    "520": lambda: Answer("oops", status=520),
    "304": lambda: Answer(status=304),
    "closed": lambda: Answer(drop=True),
    "redirected to a failure": None,
    "cut": lambda: robots(RULES * 50, cut=0.5),
    "broken gzip": lambda: Answer("\x1f\x8b garbage", kind="text/plain", headers={"Content-Encoding": "gzip"}),
}


@beside
def a_robots_txt_that_fails_is_asked_for_a_few_times_and_no_page_is_visited():
    def answer(visit):
        kind = list(FAILURES)[site.hosts.index((visit.address, visit.port))]
        if visit.path == "/robots.txt":
            return FAILURES[kind]() if FAILURES[kind] else moved("/gone")
        return Answer("oops", status=500) if visit.path == "/gone" else page("/a")
    site = Site(answer, ports_each=len(FAILURES))
    crawl([f"http://127.0.0.1:{port}/" for _, port in site.hosts], status=1)
    site.stop()
    for kind, (_, port) in zip(FAILURES, site.hosts):
        seen = paths(site, port)
        assert not seen["/"] and not seen["/a"], (kind, seen)
        assert 2 <= seen["/robots.txt"] <= 6, (kind, seen)
    states = dict(query("out", "select error, count(*) from url where flags & 1 group by error"))
    assert sum(states.values()) == len(FAILURES) and all("does not answer" in error for error in states), states


@beside
def a_long_robots_txt_is_read_to_the_end_whatever_the_limit_of_pages():
    def answer(visit):
        if visit.path == "/robots.txt":
            return robots("# a comment of some length\n" * 9000 + RULES)
        return page("/private/a", "/b")
    site = Site(answer)
    crawl([f"http://127.0.0.1:{site.port}/"], limits="{time: 100s, page_bytes: 4KiB}")
    site.stop()
    assert paths(site) == Counter(["/robots.txt", "/", "/b"]), paths(site)


@beside
def a_forbidden_link_costs_no_delay():
    """Sixty of them would take two minutes at this delay, and the limit of time would end the crawl."""
    def answer(visit):
        return robots() if visit.path == "/robots.txt" else page(*(f"/private/{i}" for i in range(60)), "/a")
    site = Site(answer)
    crawl([f"http://127.0.0.1:{site.port}/"], politeness="{delay: 2s, retries: 0}")
    site.stop()
    assert paths(site) == Counter(["/robots.txt", "/", "/a"]), paths(site)
    assert query("out", "select count(*) from url where error = 'robots.txt forbids it'") == [(60,)]


@beside
def utf_16_is_read():
    class Wide(Site):
        async def send(self, visit, answer, reader, writer):
            if visit.path != "/robots.txt":
                return await super().send(visit, answer, reader, writer)
            body = RULES.encode("utf-16")
            writer.write(b"HTTP/1.1 200 .\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    site = Wide(lambda visit: page("/private/a", "/b"))
    crawl([f"http://127.0.0.1:{site.port}/"])
    site.stop()
    assert paths(site) == Counter(["/", "/b"]) + Counter(paths(site)["/robots.txt"] * ["/robots.txt"]), paths(site)


class TwoSchemes:
    """One port for http and https: the first byte tells which of two sites gets the connection."""

    def __init__(self, plain, secure):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.targets = {True: secure, False: plain}
        self.server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self.serve, "127.0.0.1", 0), self.loop).result(20)
        self.port = self.server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        first = await reader.read(1)
        if not first:
            return writer.close()
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self.targets[first == b"\x16"])
        to_writer.write(first)
        await asyncio.gather(self.copy(reader, to_writer), self.copy(to_reader, writer))

    async def copy(self, reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    def stop(self):
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)


class Secure(Site):
    """A site behind TLS, with a certificate for localhost that was signed by itself."""

    def __init__(self, answer):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain("cert.pem", "key.pem")
        super().__init__(answer)

    async def listen(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context)
        self.servers.append(server)
        self.hosts = [server.sockets[0].getsockname()]
        self.port = self.hosts[0][1]


def crawl_two_schemes(*options):
    plain = Site(lambda visit: robots("User-agent: *\nDisallow: /a\n") if visit.path == "/robots.txt" else page())
    secure = Secure(lambda visit: robots("User-agent: *\nDisallow: /b\n") if visit.path == "/robots.txt" else page())
    both = TwoSchemes(plain.port, secure.port)
    topic([f"{scheme}://localhost:{both.port}/{name}" for scheme in ("https", "http") for name in "ab"], politeness=POLITE,
          limits="{time: 100s}")
    scent("crawl", "topic.yaml", "--allow-private", "-o", "out", *options)
    both.stop()
    plain.stop()
    secure.stop()
    return paths(plain), paths(secure)


@beside
def http_and_https_have_a_robots_txt_each():
    plain, secure = crawl_two_schemes("--ca-file", "cert.pem")
    assert plain == Counter(["/robots.txt", "/b"]), plain
    assert secure == Counter(["/robots.txt", "/a"]), secure


@beside
def a_bad_certificate_says_nothing_about_http():
    plain, secure = crawl_two_schemes()
    assert plain == Counter(["/robots.txt", "/b"]), plain
    assert not secure, secure


finish()
