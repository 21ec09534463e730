#!/usr/bin/env python3
"""Servers that misbehave: the crawl comes to its end, and every failure is data with its reason."""

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import badserver
from badserver import PAGE
from crawling import SCENT, Server, all_records, check_crawl, finish, http_parts, query, test, topic

AGENT = "misbehaving/1.0 (+mailto:nobody@example.test)"
LIMIT = 1024 * 1024
GZIPPED = gzip.compress(PAGE, mtime=0)

# path: (state, status of the page row or None, what the reason begins with, decoded bytes or None for any)
FINE = ("fetched", 200, None, len(PAGE))
MOVED = ("redirected", 302, None, 0)
UNWANTED = ("dropped", None, "unwanted content type ", None)
EXPECTED = {
    # connections that end too early
    "/drop": ("failed", None, "connection closed: ", None),
    "/reset": ("failed", None, "connection closed: ", None),
    "/drop-in-head": ("failed", None, "connection closed: ", None),
    "/drop-before-empty-line": ("failed", None, "connection closed: ", None),
    "/drop-in-body": ("fetched", 200, None, 11),
    "/reset-in-body": ("fetched", 200, None, 4),
    "/partial": ("fetched", 200, None, 10),
    "/long": ("fetched", 200, None, 10),
    # framing
    "/broken-chunked": ("fetched", 200, None, 5),
    "/endless-chunked": ("fetched", 200, None, LIMIT),
    "/trailers": ("fetched", 200, None, 5),
    "/length-and-chunked": ("fetched", 200, None, 5),
    "/two-lengths": ("fetched", 200, None, None),
    "/negative-length": ("failed", None, "protocol error: ", None),
    "/huge-length": ("fetched", 200, None, 5),
    "/overflow-length": ("fetched", 200, None, 5),
    "/tiny-chunks": FINE,
    "/chunk-extensions": ("fetched", 200, None, 11),
    "/endless-extension": ("fetched", 200, None, 5),
    "/huge-chunk": ("fetched", 200, None, 5),
    "/negative-chunk": ("fetched", 200, None, 5),
    "/endless-trailers": ("fetched", 200, None, 5),
    "/transfer-gzip": FINE,
    "/transfer-unknown": ("fetched", 200, None, 0),
    # time
    "/hang": ("failed", None, "timeout: ", None),
    "/slow-head": ("failed", None, "timeout: ", None),
    "/slow-interim": ("failed", None, "timeout: ", None),
    "/slow-drip": ("fetched", 200, None, None),
    "/hang-in-body": ("fetched", 200, None, 5),
    "/delay/300": FINE,
    "/hesitate/10000": ("fetched", 200, None, 10000),
    # heads
    "/garbage": ("failed", None, "protocol error: ", None),
    "/http09": ("failed", None, "protocol error: ", None),
    "/http10": UNWANTED,
    "/huge-header": ("failed", None, "protocol error: header too large", None),
    "/many-headers": ("failed", None, "protocol error: header too large", None),
    "/many-short-headers": ("failed", None, "protocol error: header too large", None),
    "/endless-header": ("failed", None, "protocol error: header too large", None),
    "/endless-status-line": ("failed", None, "protocol error: header too large", None),
    "/switching": ("failed", None, "connection closed: ", None),
    "/null-header": ("failed", None, "protocol error: ", None),
    "/interim-flood": ("failed", None, "protocol error: header too large", None),
    "/interim": FINE,
    "/latin1-header": FINE,
    "/obs-fold": FINE,
    "/fold-first": ("failed", None, "protocol error: ", None),
    "/bare-lf": ("fetched", 200, None, 5),
    "/no-reason": FINE,
    "/no-content-type": FINE,
    "/odd-content-type": FINE,
    "/set-cookie": UNWANTED,
    # bodies
    "/binary": UNWANTED,
    "/endless-image": UNWANTED,
    "/gzip": FINE,
    "/deflate": FINE,
    "/br": FINE,
    "/zstd": FINE,
    "/gzip-in-br": FINE,
    "/gzip-chunked": FINE,
    "/cut-gzip": ("fetched", 200, None, None),
    "/not-gzip": ("failed", 200, "cannot decode the content encoding gzip", None),
    "/unknown-encoding": ("failed", 200, "cannot decode the content encoding rot13", None),
    "/bomb": ("fetched", 200, None, LIMIT),
    "/size/1": ("fetched", 200, None, 1),
    "/size/100000": ("fetched", 200, None, 100000),
    "/size/4000000": ("fetched", 200, None, LIMIT),
    "/endless": ("fetched", 200, None, LIMIT),
    "/empty": ("fetched", 200, None, 0),
    # well-behaved ones
    "/keepalive": UNWANTED,
    "/close": FINE,
    "/close-after": FINE,
    "/echo": UNWANTED,
    "/echo/caf%C3%A9?q=a%20b": UNWANTED,
    "/flaky/2": ("failed", 503, "http 503", None),
    "/status/204": ("fetched", 204, None, 0),
    **{f"/status/{n}": ("failed", n, f"http {n}", None) for n in (304, 400, 401, 403, 404, 410, 429, 500, 503, 600)},
    # redirects
    "/redirect": MOVED,
    "/redirect-to?/gzip": MOVED,
    "/redirect-to?http://192.0.2.1/": ("redirected", 302, "not on loopback", 0),
    "/redirect-to?mailto:nobody": ("failed", 302, "http 302 without a usable location", None),
    "/redirect-to?http://[": ("failed", 302, "http 302 without a usable location", None),
    "/redirect-nowhere": ("failed", 302, "http 302 without a usable location", None),
    "/loop": MOVED,
    "/ping": ("redirected", 303, None, 0),
    "/pong": ("redirected", 307, None, 0),
    **{f"/redirect/{n}": ("redirected", 301, None, 0) for n in (1, 2, 3, *range(11, 21))},
    "/redirect/10": ("redirected", 301, "too many redirects", 0),
    "/redirect/9": ("seen", None, "too many redirects", None),
}
CUT = {
    "length": ["/endless-chunked", "/endless", "/size/4000000"],
    "disconnect": ["/drop-in-body", "/reset-in-body", "/partial", "/broken-chunked", "/transfer-unknown",
                   "/two-lengths", "/huge-length", "/endless-extension", "/huge-chunk", "/negative-chunk",
                   "/endless-trailers"],
    "time": ["/slow-drip", "/hang-in-body"],
}
WIRE = {
    "/gzip": ("gzip", GZIPPED),
    "/deflate": ("deflate", zlib.compress(PAGE)),
    "/br": ("br", badserver.brotli_stored(PAGE)),
    "/zstd": ("zstd", badserver.zstd_stored(PAGE)),
    "/gzip-in-br": ("gzip, br", badserver.brotli_stored(GZIPPED)),
    "/gzip-chunked": ("gzip", GZIPPED),
    "/not-gzip": ("gzip", PAGE),
    "/close": (None, PAGE),
    "/transfer-gzip": (None, PAGE),
}


class Crawl:
    """One crawl of all that the server can do wrong, in a folder that lives as long as this."""

    def __init__(self, **keys):
        self.folder = tempfile.TemporaryDirectory()
        self.dir, self.log = self.folder.name + "/out", self.folder.name + "/log"
        with Server(sys.executable, Path(badserver.__file__), "--log", self.log) as server:
            self.origin = f"http://127.0.0.1:{server.port}"
            seeds = [self.origin + "/", f"https://127.0.0.1:{server.port}/tls", "http://127.0.0.1:1/closed"]
            agent = f"{{delay: 0, per_host: 100, per_ip: 100, retries: 0, user_agent: '{AGENT}'}}"
            path = topic(seeds, path=self.folder.name + "/topic.yaml", politeness=agent, **keys)
            started = time.monotonic()
            self.status = subprocess.run([SCENT, "crawl", path, "--allow-private", "-q", "-o", self.dir], timeout=200).returncode
            self.seconds = time.monotonic() - started
        self.requests, self.sent = [], {}
        for entry in map(json.loads, Path(self.log).read_text().splitlines()):
            if "sent" in entry:
                self.sent[entry["target"]] = entry["sent"]
            elif not entry["head"].startswith("BAD"):  # TLS where none is spoken
                self.requests.append(entry)
        if self.status == 0:
            rows = query(self.dir, "select url.url, state, status, error, bytes, tries, words, mime"
                                   " from url left join page on page.url_id = url.id where flags & 2 = 0")
            self.rows = {row[0].removeprefix(self.origin): row[1:] for row in rows}
            self.records = all_records(self.dir)

    def responses(self):
        """By path; a revisit with the body that it refers to."""
        found = self.records_of("response")
        for path, each in self.records_of("revisit").items():
            first = found[each["warc-refers-to-target-uri"].removeprefix(self.origin)]
            found[path] = {**each, "block": each["block"] + http_parts(first["block"])[2]}
        return found

    def records_of(self, kind):
        return {each["warc-target-uri"].removeprefix(self.origin): each for each in self.records
                if each["warc-type"] == kind}


crawl = Crawl(limits="{page_bytes: 1MiB}")


@test
def the_crawl_comes_to_its_end():
    assert crawl.status == 0, crawl.status
    assert not query(crawl.dir, "select url from url where state = 'queued'")
    assert query(crawl.dir, "select text from event where kind = 'stop'") == [("no links left",)]
    # What hangs is given up after 20 seconds; all others are done long before.
    assert crawl.seconds < 120, crawl.seconds
    check_crawl(crawl.dir)


@test
def every_path_is_known_and_has_its_outcome():
    others = {"/", "http://127.0.0.1:1/closed", "http://192.0.2.1/", crawl.origin.replace("http", "https") + "/tls"}
    assert set(crawl.rows) - others == set(EXPECTED), set(crawl.rows) - others ^ set(EXPECTED)
    wrong = []
    for path, (state, status, reason, size) in EXPECTED.items():
        row = crawl.rows[path]
        if (row[2] or "").startswith("the same as page"):
            row = (*row[:2], None, *row[3:])
        fits = row[:2] == (state, status) and (row[2] or "").startswith(reason or "") and bool(row[2]) == bool(reason)
        if not fits or size is not None and row[3] != size:
            wrong.append(f"{path}: {row[:4]} instead of {(state, status, reason, size)}")
    assert not wrong, "\n".join(wrong)


@test
def what_cannot_be_reached_has_a_reason():
    closed = crawl.rows["http://127.0.0.1:1/closed"]
    assert closed[0] == "failed" and closed[2] == "the host does not answer (no connection)", closed
    tls = crawl.rows[crawl.origin.replace("http", "https") + "/tls"]
    assert tls[0] == "failed" and tls[2].startswith("TLS error: "), tls
    refused = crawl.rows["http://192.0.2.1/"]
    assert refused[:3] == ("seen", None, "not on loopback"), refused


@test
def status_tells_the_reasons():
    told = subprocess.run([SCENT, "status", crawl.dir], stdout=subprocess.PIPE, text=True, check=True).stdout
    for words in ("http 404", "timeout: ", "connection closed: ", "protocol error: header too large", "no connection: "):
        assert words in told, f"{words} is not in\n{told}"


@test
def compressed_pages_are_decoded_and_analysed():
    for path in ("/gzip", "/deflate", "/br", "/zstd", "/gzip-in-br", "/gzip-chunked", "/transfer-gzip"):
        assert crawl.rows[path][5] == crawl.rows["/close"][5] == 7, f"{path}: {crawl.rows[path]}"
    size, words = crawl.rows["/cut-gzip"][3], crawl.rows["/cut-gzip"][5]
    assert 10000 < size < 40000 and words > 1000, f"half of the page should be there: {size} bytes, {words} words"


@test
def the_archive_holds_what_was_on_the_wire():
    responses = crawl.responses()
    for path, (encoding, body) in WIRE.items():
        _, headers, stored = http_parts(responses[path]["block"])
        assert headers.get("content-encoding") == encoding, (path, headers)
        assert stored == body, f"{path}: {stored[:60]} instead of {body[:60]}"
        assert "transfer-encoding" not in headers, path
        assert headers.get("content-length", str(len(body))) == str(len(body)), path


@test
def the_headers_are_kept_as_they_came():
    responses = crawl.responses()
    assert b"\r\nX-Name: caf\xe9 \xa0\xff\r\n" in responses["/latin1-header"]["block"]
    assert b"X-Folded: one" in responses["/obs-fold"]["block"]
    start, headers, body = http_parts(responses["/interim"]["block"])
    assert start == "HTTP/1.1 200 OK" and headers["content-type"] == "text/html" and body == PAGE, "103 is no response"
    assert responses["/no-reason"]["block"].startswith(b"HTTP/1.1 200")


@test
def what_was_cut_says_so():
    expected = {path: why for why, paths in CUT.items() for path in paths}
    found = {path: each["warc-truncated"] for path, each in crawl.responses().items()
             if "warc-truncated" in each}
    assert found == expected, {path: (found.get(path), expected.get(path))
                               for path in found.keys() | expected.keys() if found.get(path) != expected.get(path)}
    for path in CUT["length"]:
        assert len(http_parts(crawl.responses()[path]["block"])[2]) == LIMIT, path


@test
def the_digests_fit():
    def sha1(data):
        return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()
    for each in crawl.records:
        assert each["warc-block-digest"] == sha1(each["block"]), each
        if each["warc-type"] == "response":
            assert each["warc-payload-digest"] == sha1(http_parts(each["block"])[2]), each


@test
def only_responses_have_records_and_rows():
    responses = crawl.responses()
    with_row = {path for path, row in crawl.rows.items() if row[1] is not None}
    assert set(responses) == with_row | {"/robots.txt"}, set(responses) ^ with_row
    assert set(crawl.records_of("request")) == with_row | {"/robots.txt"}


@test
def requests_are_stored_as_the_server_got_them():
    heads = {}
    for entry in crawl.requests:
        heads.setdefault(entry["target"], []).append(entry["head"])
    for path, each in crawl.records_of("request").items():
        assert each["block"].decode("latin-1") in heads[path], f"{path}: {each['block']} instead of {heads[path]}"
    pairs = {each["warc-record-id"]: each for each in crawl.records}
    for each in crawl.records_of("request").values():
        response = pairs[each["warc-concurrent-to"]]
        assert response["warc-target-uri"] == each["warc-target-uri"] and response["warc-type"] in ("response", "revisit")


@test
def every_request_says_who_asks_and_nothing_of_before():
    for entry in crawl.requests:
        _, headers, _ = http_parts(entry["head"].encode("latin-1"))
        assert headers["user-agent"] == AGENT, entry
        assert headers["host"] == crawl.origin.removeprefix("http://"), entry
        assert headers["accept-encoding"] == "gzip, deflate, br, zstd", entry
        assert "cookie" not in headers and "referer" not in headers, entry


@test
def unwanted_types_are_dropped_without_a_body():
    # Only the socket's buffers may have taken some of it.
    assert crawl.sent["/endless-image"] < 512 * 1024, crawl.sent
    assert crawl.rows["/endless-image"][2] == "unwanted content type image/png"


@test
def redirects_end_and_are_visited_once():
    count = {}
    for entry in crawl.requests:
        count[entry["target"]] = count.get(entry["target"], 0) + 1
    for path in ("/loop", "/ping", "/pong", "/keepalive", "/gzip", "/redirect/3", "/redirect/20"):
        assert count[path] == 1, (path, count[path])
    assert "/redirect/9" not in count
    assert not any("192.0.2.1" in entry["head"].split("\r\n")[1] for entry in crawl.requests)


@test
def odd_types_are_stored_in_one_spelling():
    assert {row[6] for row in crawl.rows.values() if row[6]} == {"text/html"}


@test
def failures_are_retried_as_often_as_configured():
    # Each on a host of its own, so that no connection is used twice: libcurl asks again when a used one has died.
    paths = {"/status/503": 3, "/status/500": 3, "/status/429": 3, "/drop": 3, "/reset": 3, "/garbage": 3,
             "/drop-in-head": 3, "/flaky/2": 3, "/flaky/1": 2, "/status/404": 1, "/status/403": 1, "/loop": 1,
             "/endless-image": 1, "/partial": 3, "/gzip": 1, "/not-gzip": 1}
    with Server(sys.executable, Path(badserver.__file__), "--log", "log") as server:
        seeds = [f"http://h{i}.localhost:{server.port}{path}" for i, path in enumerate(paths)]
        seeds += [f"https://tls.localhost:{server.port}/"]
        topic(seeds, politeness="{delay: 0, retries: 2}")
        assert subprocess.run([SCENT, "crawl", "topic.yaml", "--allow-private", "-q", "-o", "out"], timeout=100).returncode == 0
    count = {}
    for entry in map(json.loads, Path("log").read_text().splitlines()):
        if "head" in entry and entry["target"] != "/robots.txt":
            count[entry["target"]] = count.get(entry["target"], 0) + 1
    tls = count.pop("/", 0)
    # On a connection that robots.txt has used libcurl asks once more by itself when it dies.
    for path in ("/drop", "/reset", "/drop-in-head"):
        count[path] -= count[path] == paths[path] + 1
    assert count == paths, {path: (count.get(path), n) for path, n in paths.items() if count.get(path) != n}
    assert tls <= 2, "a refused certificate stays refused, for robots.txt and for the page"
    tries = {re.sub(r"https?://[^/]*", "", url): n for url, n in query("out", "select url, tries from url")}
    assert {path: tries[path] for path in paths} == paths, tries
    fetched = {re.sub(r"https?://[^/]*", "", url): state for url, state in query("out", "select url, state from url")}
    assert fetched["/flaky/1"] == fetched["/flaky/2"] == fetched["/partial"] == "fetched" and fetched["/drop"] == "failed", fetched
    # A try that failed leaves no record; the last one does.
    assert len([each for each in all_records("out") if each["warc-type"] in ("response", "revisit")
                and each["warc-target-uri"].endswith("/flaky/2")]) == 1
    check_crawl("out")


finish()
