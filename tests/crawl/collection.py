#!/usr/bin/env python3
"""Collections: packed, generated, served, crawled, and what a crawl brought home crawled again."""

import csv
import filecmp
import http.client
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

import badserver
from crawling import (SCENT, SHARED, SLOW, Server, Skip, beside, check_crawl, finish, http_parts, pages, query, record,
                      scent, serve, topic, urls, warc_records, write)

WEB = """kind: generated
seed: 4
hosts: 12
topics: 4
pages_per_host: 8
dead_hosts: 0
slow_hosts: {share: 0}
traps: 0
redirect_loops: 0
nofollow: 0
tracking: 0
"""
NAME = r"scent-\d{17}-00000-[a-z0-9]+-[0-9a-f]{4}\.warc\.gz"
ROWS = """select url.url, status, digest, bytes, words, links, title from page join url on url.id = page.url_id
          where flags & 2 = 0 order by url.url"""


def make_folder(name="folder"):
    """Pages in folders, one of them with a name that is not ASCII, and a picture. Returns {URL path: bytes}."""
    links = "".join(f'<a href="part{i}/">part {i}</a> ' for i in range(5))
    files = {"index.html": f'<title>Home</title>{links}<a href="gr%C3%BC%C3%9Fe.htm">hello</a><a href=gone.html>?</a>',
             "grüße.htm": '<meta charset=utf-8><title>Grüße</title><a href="a b&amp;c.html">odd</a><img src=dot.png>',
             "a b&c.html": "<title>Odd name</title><p>100 % &amp; more <a href=dot.png>dot</a>"}
    for i in range(5):
        files[f"part{i}/index.html"] = f"<title>{i}</title>" + "".join(f'<li><a href="{j}.html">{j}</a>\r\n' for j in range(8))
        files.update({f"part{i}/{j}.html": f"<title>{i}.{j}</title><p>" + f"word{j} " * 100 for j in range(8)})
    for path, text in files.items():
        file = Path(name) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    (Path(name) / "dot.png").write_bytes(bytes(range(256)))
    return {"/" + urllib.parse.quote(path): text.encode() for path, text in files.items()}


def pack(base="http://docs.test/"):
    files = make_folder()
    scent("web", "pack", "folder", "-o", "packed", "-b", base)
    return files


def path_of(url):
    path = urllib.parse.urlsplit(url).path
    return urllib.parse.quote(urllib.parse.unquote(path)) + ("index.html" if path.endswith("/") else "")


def generated_seeds(count=3):
    write("web.yaml", WEB)
    return scent("web", "generate", "web.yaml", "--seeds", count).stdout.split()


@beside
def a_packed_folder_is_crawled_byte_for_byte():
    files = pack()
    topic(["http://docs.test/"])
    scent("crawl", "topic.yaml", "--from", "packed", "-o", "out")
    found = pages("out")
    assert {path_of(page["url"]) for page in found} == set(files)
    for page in found:
        assert record("out", page)[2] == files[path_of(page["url"])], page["url"]
    states = dict(query("out", "select url, error from url where state in ('failed', 'dropped')"))
    assert states == {"http://docs.test/gone.html": "not in the archive",
                      "http://docs.test/dot.png": "unwanted content type image/png"}, states
    check_crawl("out")


@beside
def packing_again_gives_the_same_bytes():
    pack()
    scent("web", "pack", "folder", "-o", "again", "-b", "http://docs.test/")
    names = sorted(path.name for path in Path("packed").iterdir())
    assert names and names == sorted(path.name for path in Path("again").iterdir())
    assert filecmp.cmpfiles("packed", "again", names, shallow=False)[0] == names


@beside
def a_generated_web_is_packed_by_a_crawl_and_tells_its_labels():
    seeds = generated_seeds()
    labels = dict(line.split("\t") for line in scent("web", "generate", "web.yaml", "--labels").stdout.splitlines())
    assert len(labels) > 40 and set(labels.values()) <= {f"t{i}" for i in range(4)}, set(labels.values())
    assert all(labels[seed] == "t0" for seed in seeds), "the seeds are hubs of the wanted topic"
    topic(seeds)
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "made", "--strategy", "breadth-first", "--pages", "60")
    responses = {each["warc-target-uri"]: each["block"] for path in Path("made/warc").glob("*.warc.gz")
                 for each in warc_records(path) if each["warc-type"] == "response"}
    packed = [url for url in responses if url in labels]
    assert len(packed) > 40, len(packed)
    for url in packed[::10]:
        answer = subprocess.check_output([SCENT, "web", "generate", "web.yaml", "--url", url])
        assert answer.startswith(b"HTTP/1.1 200 ") and http_parts(answer)[2] == http_parts(responses[url])[2], url
    for source in ("made/warc", "web.yaml"):
        scent("crawl", "topic.yaml", "--from", source, "-o", Path(source).name + ".out", "--strategy", "breadth-first")
    again, whole = query("warc.out", ROWS), query("web.yaml.out", ROWS)
    assert len(again) >= 40 and set(again) <= set(whole), set(again) - set(whole)
    check_crawl("warc.out")


@beside
def served_by_the_host_header_each_host_has_its_pages():
    files = pack()
    with serve("packed") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=100)
        for path, data in list(files.items())[::7] + [("/part1/", files["/part1/index.html"])]:
            connection.request("GET", path, headers={"Host": "docs.test"})
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, data), path
            assert response.getheader("Content-Type").startswith("text/html"), path
        for host, path in (("docs.test", "/nothing.html"), ("other.test", "/")):
            connection.request("GET", path, headers={"Host": host})
            response = connection.getresponse()
            response.read()
            assert response.status == 404, (host, path, response.status)
        connection.request("HEAD", "/dot.png", headers={"Host": "docs.test"})
        response = connection.getresponse()
        assert response.status == 200 and response.read() == b"" and response.getheader("Content-Length") == "256"
        connection.close()


@beside
def served_as_a_proxy_curl_gets_the_same():
    if not shutil.which("curl"):
        raise Skip("there is no curl")
    files = pack()
    with serve("packed") as server:
        for path in list(files)[::11]:
            done = subprocess.run(["curl", "-sS", "--noproxy", "", "-x", f"http://127.0.0.1:{server.port}",
                                   "http://docs.test" + path], stdout=subprocess.PIPE, timeout=200, check=True)
            assert done.stdout == files[path], path


@beside
def the_default_host_answers_without_a_name():
    files = pack()
    with serve("packed", "--default-host", "docs.test") as server:
        topic([f"http://127.0.0.1:{server.port}/"])
        scent("crawl", "topic.yaml", "--allow-private", "-o", "out")
    assert {path_of(url) for url in urls("out")} == set(files)


@beside
def what_a_crawl_brought_home_can_be_crawled():
    topic(generated_seeds(), limits="{depth: 2}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "first")
    for source in ("first/warc", "first"):
        scent("crawl", "topic.yaml", "--from", source, "-o", "second")
        assert query("second", ROWS) == query("first", ROWS) and len(query("first", ROWS)) > 20, source
        shutil.rmtree("second")


@beside
def a_folder_of_crawl_directories_is_a_collection():
    pack("http://docs.test/")
    topic(["http://docs.test/"])
    scent("crawl", "topic.yaml", "--from", "packed", "-q", "-o", "all/docs.crawl")
    topic(generated_seeds(), limits="{depth: 2}", politeness="{delay: 0, per_host: 8, operator: 'The \u00e9cole'}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "all/web.crawl")
    files = [path.name for path in Path("all").glob("*/warc/*")]
    assert len(files) == len(set(files)) == 2 and all(re.fullmatch(NAME, name) for name in files), files
    both = {url for name in ("docs", "web") for url in urls(f"all/{name}.crawl")}
    topic(["http://docs.test/", *generated_seeds()], limits="{depth: 100}")
    scent("crawl", "topic.yaml", "--from", "all", "-q", "-o", "again")
    assert both <= set(urls("again")) and len(both) > 60, both - set(urls("again"))
    info = next(each for each in warc_records(next(Path("all/web.crawl/warc").iterdir())) if each["warc-type"] == "warcinfo")
    lines = dict(line.split(": ", 1) for line in info["block"].decode().split("\r\n") if line)
    assert lines["operator"] == "The \u00e9cole" and lines["http-header-user-agent"].startswith("scent/"), lines
    assert lines["robots"] == "obey" and lines["isPartOf"] == "test" and lines["software"].startswith("scent/"), lines
    with serve("all") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=100)
        for url in sorted(both)[::9]:
            parts = urllib.parse.urlsplit(url)
            connection.request("GET", parts.path + ("?" + parts.query if parts.query else ""), headers={"Host": parts.netloc})
            response = connection.getresponse()
            response.read()
            assert response.status == 200, url
        connection.close()


@beside
def compressed_and_chunked_pages_stay_readable_at_home():
    with Server(sys.executable, badserver.__file__) as server:
        paths = ["gzip", "br", "zstd", "deflate", "gzip-in-br", "gzip-chunked", "partial", "close", "redirect/3"]
        topic([f"http://127.0.0.1:{server.port}/{path}" for path in paths])
        scent("crawl", "topic.yaml", "--allow-private", "-o", "first")
    scent("crawl", "topic.yaml", "--from", "first/warc", "-o", "second")
    assert query("second", ROWS) == query("first", ROWS)
    assert len(query("first", ROWS)) == 11
    sizes = dict(query("first", "select url.url, bytes from page join url on url.id = page.url_id where words = 7"))
    assert set(sizes.values()) == {len(badserver.PAGE)} and len(sizes) == 7, sizes


@beside
def wikispeedia_is_crawled_completely():
    collection = SHARED / "data" / "wikispeedia"
    if not collection.exists():
        raise Skip(f"{collection} is not here")
    # Its portals say noindex and nofollow.
    topic(["http://wikispeedia.test/index.htm"],
          politeness="{delay: 0, per_host: 8, retries: 0, page_robots: ignore}")
    options = ["--pages", "300"] if SLOW else []
    scent("crawl", "topic.yaml", "--from", collection, "-o", "out", *options)
    found = urls("out")
    if SLOW:
        assert len(found) == 300
    else:
        assert len(found) >= 5350, f"only {len(found)} pages"
        assert not query("out", "select url from url where state = 'queued'")
        labelled = {line.split("\t")[0] for line in (collection / "categories.tsv").read_text().splitlines()}
        reached = len(labelled & set(found)) / len(labelled)
        assert reached > 0.95, f"only {reached:.3f} of the articles with a category"
    check_crawl("out")


@beside
def another_crawler_gets_the_same_pages_from_the_proxy():
    if not shutil.which("wget2"):
        raise Skip("there is no wget2")
    seeds = generated_seeds(1)
    topic(seeds, limits="{depth: 1000}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out")
    with serve("web.yaml") as server:
        subprocess.run(["wget2", "-q", "-r", "-l", "inf", "-H", "--robots=off", "--tries=1", "--max-threads=2",
                        f"--http-proxy=127.0.0.1:{server.port}", "--stats-site=csv:stats.csv", "-P", "got", *seeds],
                       timeout=120, stdout=subprocess.DEVNULL)
    with open("stats.csv", newline="") as file:
        got = {row["URL"] for row in csv.DictReader(file) if row["Status"] == "200" and not row["URL"].endswith(".css")}
    types = query("out", "select url from url where state = 'dropped'")
    found = {url for url, in query("out", "select url from url where state = 'fetched'")}
    assert got - {url for url, in types} == found, got ^ found
    assert len(got) > 50


finish()
