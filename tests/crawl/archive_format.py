#!/usr/bin/env python3
"""What a crawl leaves is read by others: the npm package warcio reads the WARC files, and index.cdxj fits them."""

import gzip
import json
import os
import shutil
import sys
import urllib.parse
import zlib
from pathlib import Path

import badserver
from crawling import SCENT, SLOW, Server, all_records, check_crawl, finish, http_parts, load_warcio, pages, scent, serve, \
    test, topic, warc_records, write

ENCODED = ["gzip", "br", "zstd", "deflate", "gzip-chunked", "transfer-gzip"]
PLAIN = ["close", "empty", "trailers", "partial", "broken-chunked", "drop-in-body", "size/4000000", "latin1-header",
         "obs-fold", "bare-lf", "no-reason", "no-content-type", "length-and-chunked", "status/404", "status/204",
         "status/500", "redirect/2", "delay/1?q=a|b&amp;c=\u00e9"]
WEB = "kind: generated\nseed: 8\nhosts: 20\npages_per_host: 15\ndead_hosts: 0\nslow_hosts: {share: 0}\n"


def install(warcio):
    """Once for all builds, if the release build has it already."""
    if not shutil.which("node") or not shutil.which("npm"):
        warcio.skip("there is no node or no npm")
    build = Path(SCENT).resolve().parent
    release = build.parent / "release"
    return warcio.install(str(release if (release / "npm").exists() else build))


warcio = load_warcio()
folder = install(warcio)


def crawl_bad_server():
    with Server(sys.executable, badserver.__file__) as server:
        topic([f"http://127.0.0.1:{server.port}/{path}" for path in ENCODED + PLAIN], limits="{page_bytes: 1MiB}")
        scent("crawl", "topic.yaml", "--allow-private", "-o", "out")
    check_crawl("out")


def crawl_generated():
    write("web.yaml", WEB)
    topic(scent("web", "generate", "web.yaml", "--seeds", "3").stdout.split())
    with serve("web.yaml") as server:
        scent("crawl", "topic.yaml", "-o", "out", "--proxy-all", f"127.0.0.1:{server.port}", "--pages",
              "40" if SLOW else "200")
    check_crawl("out")


def decode(encoding, body):
    return gzip.decompress(body) if encoding == "gzip" else zlib.decompress(body) if encoding == "deflate" else body


def read_by_warcio():
    """Every record of out, as warcio sees it, beside the bytes of it."""
    os.mkdir("read")
    files = sorted(map(str, Path("out/warc").iterdir()))
    assert files and all(name.endswith(".warc.gz") for name in files), files
    return [(each, Path(f"read/{each['n']}.raw").read_bytes(), Path(f"read/{each['n']}.decoded").read_bytes())
            for each in warcio.read_with_warcio(folder, files, "read")]


def compare():
    ours, theirs = all_records("out"), read_by_warcio()
    assert len(ours) == len(theirs), (len(ours), len(theirs))
    kinds = {}
    for mine, (their, raw, decoded) in zip(ours, theirs):
        kinds[mine["warc-type"]] = kinds.get(mine["warc-type"], 0) + 1
        assert their["version"] == "WARC/1.1" and their["type"] == mine["warc-type"], their
        expected = {name: value for name, value in mine.items() if name not in ("block", "offset", "length")}
        assert their["headers"] == expected, (their["headers"], expected)
        if mine["warc-type"] != "response":
            continue
        start, headers, body = http_parts(mine["block"])
        assert their["url"] == mine["warc-target-uri"] and their["statusline"] == start, their
        assert raw == body, f"{their['url']}: {raw[:60]} instead of {body[:60]}"
        assert their["encoding"] == headers.get("content-encoding"), their
        assert decoded == decode(their["encoding"], body), their["url"]
    assert kinds["warcinfo"] == 1 and kinds["request"] == kinds["response"] + kinds.get("revisit", 0) > 20, kinds


def surt(url):
    parts = urllib.parse.urlsplit(url)
    host = ",".join(reversed(parts.hostname.split("."))) if not parts.hostname[-1].isdigit() else parts.hostname
    return host


def check_index():
    """Each line leads to the response or revisit that it speaks of, and each of them has its line."""
    lines = Path("out/index.cdxj").read_bytes().splitlines(keepends=True)
    responses = {(each["warc-target-uri"], each["offset"]): each for each in all_records("out")
                 if each["warc-type"] in ("response", "revisit")}
    assert lines == sorted(lines) and all(line.endswith(b"\n") for line in lines)
    assert len(lines) == len(responses), (len(lines), len(responses))
    for line in lines:
        key, when, text = line.decode().split(" ", 2)
        entry = json.loads(text)
        offset, length = int(entry["offset"]), int(entry["length"])
        with open("out/warc/" + entry["filename"], "rb") as file:
            file.seek(offset)
            Path("member.warc.gz").write_bytes(file.read(length))
        found, = warc_records("member.warc.gz")
        assert found["warc-type"] == ("revisit" if entry["mime"] == "warc/revisit" else "response"), entry
        assert found["warc-target-uri"] == entry["url"], entry
        assert found["warc-payload-digest"] == "sha1:" + entry["digest"].removeprefix("sha1:"), entry
        assert found["block"].split(b" ", 2)[1].split(b"\r")[0].decode() == str(entry["status"]), entry
        assert "".join(c for c in found["warc-date"][:19] if c.isdigit()) == when, (found["warc-date"], when)
        assert responses.pop((entry["url"], offset))["length"] == length
        assert key.startswith(surt(entry["url"])) and ")/" in key, key
    assert not responses


@test
def warcio_reads_the_crawl_of_a_bad_server():
    crawl_bad_server()
    compare()


@test
def warcio_reads_the_crawl_of_a_generated_web():
    crawl_generated()
    compare()


@test
def the_index_leads_to_every_response():
    for crawl in (crawl_bad_server, crawl_generated):
        crawl()
        check_index()
        shutil.rmtree("out")


@test
def exported_index_and_written_index_are_the_same():
    crawl_generated()
    assert scent("export", "out", "-f", "cdxj").stdout == Path("out/index.cdxj").read_text()
    entries = [json.loads(line.split(" ", 2)[2]) for line in Path("out/index.cdxj").read_text().splitlines()]
    places = {entry["url"]: (entry["filename"], int(entry["offset"]), int(entry["length"])) for entry in entries}
    for page in pages("out"):
        assert places[page["url"]] == (page["warc"], page["offset"], page["length"]), page


finish()
