#!/usr/bin/env python3
"""WARC files that are compressed with zstd: read by the command zstd, read everywhere where gzip is, killed and resumed."""

import json
import random
import re
import subprocess
import urllib.request
from pathlib import Path

from crawling import SCENT, Server, Site, all_records, check_same, finish, html, query, scent, test, topic, urls, wait_for, \
    warc_records

PAGES = 40  # the dictionary comes after 2 MiB: random bytes as digits can be halved


class PatientSite(Site):
    """The dictionary comes with the first commit after 2 MiB: one page waits for it, the later ones are packed with it."""
    out = None

    def answer(self, path, headers):
        if path == "/30":
            wait_for(lambda: query(self.out, "select count(*) from page")[0][0] >= 25)
        return super().answer(path, headers)


def site():
    """Pages that share what the pages of a site share."""
    chance, answers, size = random.Random(7), {}, (3 << 20) // PAGES
    for i in range(PAGES):
        links = f"<a href=/{i * 2 + 1}>one</a> <a href=/{i * 2 + 2}>two</a>"
        answers["/" if i == 0 else f"/{i}"] = html(
            f"<div id=navigation class='sidebar left'>{links}</div><main><p>The sea, number {i}. "
            f"<!-- {chance.randbytes(size).hex(' ', 3)} --></main><footer>All text is available under a free licence.</footer>")
    return PatientSite(answers)


def crawl(site, out, compression, **keys):
    site.out = out
    topic([site.base + "/"], relevant="sea", compression=compression, strategy="breadth-first", window="1", **keys)
    scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", out)


def blocks(out):
    return {(each["warc-target-uri"], each["block"]) for each in all_records(out) if each["warc-type"] == "response"}


def body(port, base, path):
    proxy = urllib.request.build_opener(urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{port}"}))
    return proxy.open(base + path, timeout=200).read()


@test
def the_same_pages_as_with_gzip_for_everyone_who_reads():
    with site() as web:
        crawl(web, "gzip", "gzip")
        crawl(web, "zstd", "zstd")
    first, second = sorted(Path("zstd/warc").iterdir())
    assert first.name.endswith(".warc.zst") and second.read_bytes()[:4] == b"\x5d\x2a\x4d\x18", "no dictionary"
    dates = lambda found: {(url, re.sub(rb"\r\nDate: [^\r]*", b"", block)) for url, block in found}
    assert dates(blocks("zstd")) == dates(blocks("gzip")) and len(urls("zstd")) == PAGES
    check_same("zstd", "gzip")
    # exports: records become gzip, the rest is the same
    scent("export", "zstd", "-f", "warc", "-o", "x.warc.gz")
    assert {(each["warc-target-uri"], each["block"]) for each in warc_records("x.warc.gz")
            if each["warc-type"] == "response"} == blocks("zstd")
    scent("export", "zstd", "-f", "wacz", "-o", "x.wacz")
    texts = [[json.loads(line)["text"] for line in scent("export", out, "-f", "text").stdout.splitlines()]
             for out in ("zstd", "gzip")]
    assert len(texts[0]) == PAGES and texts[0] == texts[1]
    # as an archive: for a crawl, for the browser, for judging again
    topic([web.base + "/"], relevant="sea")
    scent("crawl", "topic.yaml", "--from", "zstd", "-q", "-o", "again")
    assert sorted(urls("again")) == sorted(urls("gzip"))
    with Server(SCENT, "web", "serve", second) as served:
        assert b"number 39." in body(served.port, web.base, "/39")
    topic([web.base + "/"], path="other.yaml", relevant="'\"number 7\"'")
    scent("rejudge", "zstd", "other.yaml")
    assert query("zstd", "select count(*) from page where relevant") == [(1,)]
    # without one page, which lay in the file without a dictionary
    scent("purge", "zstd", web.base + "/3")
    assert "0 problems" in scent("check", "zstd").stderr
    assert {url for url, _ in blocks("gzip")} - {url for url, _ in blocks("zstd")} == {web.base + "/3"}


@test
def killed_and_resumed():
    with site() as web:
        crawl(web, "undisturbed", "zstd")
        web.out = "out"
        for number in ("00000", "00001"):  # before the dictionary comes, and after
            child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--allow-private", "-q", "-o", "out"])
            wait_for(lambda: list(Path().glob(f"out/warc/*-{number}-*")) or child.poll() is not None)
            child.kill()
            child.wait()
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out")
        check_same("out", "undisturbed")
        # another compression from now on: what there is stays
        web.answers["/new"] = html("The sea, anew.")
        topic([web.base + "/", web.base + "/new"], relevant="sea", compression="gzip")
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out")
        assert sorted(Path("out/warc").iterdir())[-1].name.endswith(".warc.gz")
        assert "0 problems" in scent("check", "out").stderr
        assert b"anew" in next(block for url, block in blocks("out") if url.endswith("/new"))


finish()
