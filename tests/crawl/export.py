#!/usr/bin/env python3
"""What others get of a crawl: text, Markdown, WARC and WACZ, whole or of some pages; and kills in between."""

import gzip
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

from crawling import SCENT, SLOW, Site, Skip, each_record, finish, load_warcio, query, scent, test, topic, wait_for, \
    warc_records, write

PROSE = "The tide rises and falls twice a day because the moon pulls at the water of the sea, and ships wait for it. "
FRENCH = "La mer monte et descend deux fois par jour parce que la lune attire les eaux, et les bateaux attendent le port. "
WEB = f"kind: generated\nseed: 3\nhosts: {15 if SLOW else 30}\npages_per_host: 20\ndead_hosts: 0\nslow_hosts: {{share: 0}}\n"
RELEVANT = ["/copy", "/fr", "/near", "/sea"]  # /tide has the bytes of /copy
NAV = "<nav><a href=/>Home</a> <a href=/old>Old</a></nav>"


def words(start, count):
    return " ".join(f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}word{chr(97 + i % 7)}" for i in range(start, start + count))


def page(title, body, lang="en"):
    text = f"<html lang={lang}><head><title>{title}</title></head><body>{body}</body></html>"
    return 200, [("Content-Type", "text/html; charset=utf-8")], text.encode()


def sea():
    """Pages about the sea and others; one moved, one has a copy, one a near copy, two ask for something."""
    long = (f"<main><h1>The <i>sea</i></h1><p>{PROSE}{words(0, 300)}<ul><li>high *tide*<li><a href='/land?a=(1)'>land</a>"
            "</ul><table><tr><th>day<th>tide<tr><td>1<td>high</table><pre>wave()\n  crash()</pre>")
    links = "".join(f"<a href=/{name}>x</a> " for name in
                    ("sea", "moved", "copy", "near", "fr", "land", "hidden", "unkept"))
    return {
        "/": page("Start", f"{NAV}<p>Links. {links}"),
        "/sea": page("Sea &amp; tide", f"{NAV}{long}</main>"),
        "/moved": (301, [("Location", "/tide")], b""),
        "/copy": page("Tide", f"<main><p>{PROSE}{words(400, 200)} sea</main>"),
        "/tide": page("Tide", f"<main><p>{PROSE}{words(400, 200)} sea</main>"),
        "/near": page("Sea tonight", f"{NAV}{long}<p>tonight</main>"),
        "/fr": page("Mer", f"<main><p>{FRENCH * 3} sea</main>", "fr"),
        "/land": page("Land", f"<main><p>{words(900, 200)}</main>"),
        "/hidden": page("Hidden", f"<meta name=robots content=noindex><p>sea {words(1200, 99)}"),
        "/unkept": page("Unkept", f"<meta name=robots content=noarchive><p>sea {words(1400, 99)}"),
    }


def crawl_sea():
    with Site(sea()) as site:
        topic([site.base + "/"], relevant="sea", strategy="breadth-first", politeness="{delay: 0, per_host: 1}")
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out")
    return site.base


def crawl_generated():
    write("web.yaml", WEB)
    topic(scent("web", "generate", "web.yaml", "--seeds", "3").stdout.split(), relevant="'url ~ \".\"'",
          limits="{depth: 1000}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out")


def lines(*args):
    return [json.loads(line) for line in scent("export", "out", *args).stdout.splitlines()]


def paths(found, base):
    return sorted(each["url"].removeprefix(base) for each in found)


@test
def text_of_the_pages_that_are_asked_for():
    base = crawl_sea()
    done = scent("export", "out", "-f", "text", "--relevant")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert paths(found, base) == RELEVANT, paths(found, base)
    assert "1 page is not in the archive" in done.stderr, done.stderr
    page, = (each for each in found if each["url"].endswith("/sea"))
    assert list(page) == ["url", "title", "language", "date", "score", "relevant", "host", "text"], list(page)
    assert page["title"] == "Sea & tide" and page["host"] == "127.0.0.1" and page["relevant"] is True
    assert page["text"].startswith("The sea\n\n" + PROSE) and "Home" not in page["text"], page["text"][:200]
    assert page["text"].endswith("high *tide*\nland\n\nday\ttide\n1\thigh\n\nwave()\n  crash()\n"), page["text"][-90:]
    everything = lines("-f", "text")
    assert paths(everything, base) == ["/", *RELEVANT[:2], "/land", *RELEVANT[2:]], paths(everything, base)
    assert paths(lines("-f", "text", "--lang", "fr"), base) == ["/fr"]
    assert len(lines("-f", "text", "--lang", "fr", "--lang", "EN")) == len(everything)
    assert lines("-f", "text", "--host", "*.org") == [] and len(lines("--host", "127.*")) > 5
    best = max(each["score"] for each in everything)
    assert [each["score"] for each in lines("-f", "text", "--min-score", best)] == [best] * sum(
        each["score"] == best for each in everything)
    unique = scent("export", "out", "-f", "urls", "--relevant", "--unique")
    assert "/near" not in unique.stdout and "1 near copy was left out" in unique.stderr, unique


@test
def markdown_as_lines_and_as_files():
    base = crawl_sea()
    page, = (each for each in lines("-f", "markdown", "--relevant") if each["url"].endswith("/sea"))
    want = (f"- high \\*tide\\*\n- [land]({base}/land?a=%281%29)\n\n| day | tide |\n| --- | --- |\n| 1 | high |\n\n"
            "```\nwave()\n  crash()\n```\n")
    assert page["markdown"].startswith("# The sea\n\nThe tide") and page["markdown"].endswith(want), page["markdown"]
    scent("export", "out", "-f", "markdown", "-o", "folder")
    files = sorted(Path("folder").rglob("*.md"))
    assert len(files) == 6 and not Path("folder.part").exists(), files
    text = next(path for path in files if path.name.endswith("-sea.md")).read_text()
    assert text.startswith(f'---\nurl: "{base}/sea"\ntitle: "Sea & tide"\n') and text.endswith(want), text[:200]
    assert "exists" in scent("export", "out", "-f", "markdown", "-o", "folder", status=2).stderr
    scent("export", "out", "-f", "markdown", "-o", "all.jsonl")
    assert len(Path("all.jsonl").read_text().splitlines()) == 6


def selected(base):
    """What belongs to the relevant pages: the redirect and the copy come along, hidden and unkept pages do not."""
    return sorted(base + path for path in (*RELEVANT, "/tide", "/moved"))


def check_members(found, crawl="out"):
    """Every record but warcinfo is, byte by byte, one of the crawl; each response has its request."""
    known = set()
    for path in Path(crawl, "warc").iterdir():
        data = path.read_bytes()
        known |= {data[each["offset"]:each["offset"] + each["length"]] for each in each_record(path)}
    ids = {each["warc-record-id"] for each, _ in found if each["warc-type"] in ("response", "revisit")}
    assert {each["warc-concurrent-to"] for each, _ in found if each["warc-type"] == "request"} == ids
    assert all(member in known for each, member in found if each["warc-type"] != "warcinfo")
    assert [each["warc-type"] for each, _ in found].index("warcinfo") == 0


def members(path):
    data = Path(path).read_bytes()
    return [(each, data[each["offset"]:each["offset"] + each["length"]]) for each in warc_records(path)]


def targets(found):
    return sorted(each["warc-target-uri"] for each in found if each["warc-type"] in ("response", "revisit"))


@test
def warc_and_index_of_the_relevant_pages():
    base = crawl_sea()
    scent("export", "out", "-f", "warc", "--relevant", "-o", "sea.warc.gz")
    found = members("sea.warc.gz")
    check_members(found)
    assert targets(each for each, _ in found) == selected(base), targets(each for each, _ in found)
    index = [json.loads(line.split(" ", 2)[2]) for line in
             scent("export", "out", "-f", "cdxj", "--relevant").stdout.splitlines()]
    assert sorted(each["url"] for each in index) == selected(base)
    # a copy is of no use without the page that it refers to
    scent("export", "out", "-f", "warc", "-o", "all.warc.gz")
    everything = members("all.warc.gz")
    check_members(everything)
    others = {url.removeprefix(base) for url in set(targets(each for each, _ in everything)) - set(selected(base))}
    assert others == {"/", "/land", "/land?a=(1)", "/old", "/robots.txt"}, others
    # what was exported is an archive like any other
    topic([base + "/tide", base + "/copy"], relevant="sea")
    scent("crawl", "topic.yaml", "--from", "sea.warc.gz", "-q", "-o", "again")
    assert query("again", "select count(*) from page where status = 200") == [(2,)]


def check_wacz(name):
    with zipfile.ZipFile(name) as package:
        assert package.testzip() is None and {each.compress_type for each in package.infolist()
                                              if each.filename.startswith(("archive/", "indexes/index.cdx"))} == {0}
        # wabac.js takes the bytes of a member to begin right behind its name
        raw = Path(name).read_bytes()
        assert all(raw[each.header_offset + 28:each.header_offset + 30] == bytes(2) for each in package.infolist())
        manifest = json.loads(package.read("datapackage.json"))
        digest = json.loads(package.read("datapackage-digest.json"))
        assert digest == {"path": "datapackage.json",
                          "hash": "sha256:" + hashlib.sha256(package.read("datapackage.json")).hexdigest()}
        assert manifest["profile"] == "data-package" and manifest["wacz_version"] == "1.1.1"
        listed = {each["path"]: each for each in manifest["resources"]}
        assert set(listed) == set(package.namelist()) - {"datapackage.json", "datapackage-digest.json"}
        for path, each in listed.items():
            data = package.read(path)
            assert each["bytes"] == len(data) and each["hash"] == "sha256:" + hashlib.sha256(data).hexdigest(), path
            assert each["name"] == path.rsplit("/", 1)[1]
        index = package.read("indexes/index.cdx.gz")
        summary = package.read("indexes/index.idx").decode().splitlines()
        assert json.loads(summary[0].split(" ", 2)[2]) == {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
        cdxj = []
        for line in summary[1:]:
            key, when, place = line.split(" ", 2)
            place = json.loads(place)
            block = gzip.decompress(index[place["offset"]:place["offset"] + place["length"]]).decode().splitlines()
            assert block[0].startswith(f"{key} {when} ")
            cdxj += block
        assert cdxj == sorted(cdxj)
        for line in cdxj:
            entry = json.loads(line.split(" ", 2)[2])
            data = package.read("archive/" + entry["filename"])
            Path("member.warc.gz").write_bytes(data[int(entry["offset"]):][:int(entry["length"])])
            found, = warc_records("member.warc.gz")
            assert found["warc-target-uri"] == entry["url"] and found["warc-payload-digest"] == entry["digest"]
        pages = {path: [json.loads(line) for line in package.read(path).decode().splitlines()]
                 for path in package.namelist() if path.startswith("pages/")}
        for path in package.namelist():
            if path.startswith("archive/"):
                Path(path.rsplit("/", 1)[1]).write_bytes(package.read(path))
    return manifest, [json.loads(line.split(" ", 2)[2]) for line in cdxj], pages


@test
def wacz_of_the_relevant_pages():
    base = crawl_sea()
    scent("export", "out", "-f", "wacz", "--relevant", "-o", "sea.wacz")
    manifest, index, pages = check_wacz("sea.wacz")
    assert sorted(each["url"] for each in index) == selected(base)
    (head, *listed), = pages.values()
    assert head["format"] == "json-pages-1.0" and paths(listed, base) == RELEVANT
    assert all(each["ts"] and each["title"] and "text" in each for each in listed)
    assert manifest["mainPageUrl"] in {each["url"] for each in listed}
    name, = (each["name"] for each in manifest["resources"] if each["path"].startswith("archive/"))
    check_members(members(name))
    scent("export", "out", "-f", "wacz", "-o", "all.wacz")
    _, index, pages = check_wacz("all.wacz")
    assert paths(pages["pages/extraPages.jsonl"][1:], base) == ["/", "/land"], pages
    assert len(index) == len(selected(base)) + 5
    assert "-o" in scent("export", "out", "-f", "wacz", status=2).stderr


@test
def warcio_reads_every_record():
    if not shutil.which("node") or not shutil.which("npm"):
        raise Skip("there is no node or no npm")
    crawl_generated()
    warcio = load_warcio()
    build = Path(SCENT).resolve().parent
    release = build.parent / "release"
    try:
        folder = warcio.install(str(release if (release / "npm").exists() else build))
    except SystemExit:
        raise Skip("npm cannot install warcio") from None
    scent("export", "out", "-f", "warc", "--relevant", "-o", "some.warc.gz")
    scent("export", "out", "-f", "wacz", "-o", "all.wacz")
    manifest, index, _ = check_wacz("all.wacz")
    names = [each["name"] for each in manifest["resources"] if each["path"].startswith("archive/")]
    os.mkdir("read")
    for name in ["some.warc.gz", *names]:
        theirs = warcio.read_with_warcio(folder, [name], "read")
        ours = warc_records(name)
        assert len(theirs) == len(ours) > 20, (len(theirs), len(ours))
        assert [each["headers"]["warc-record-id"] for each in theirs] == [each["warc-record-id"] for each in ours]
    assert len(index) == len(targets(ours))


FORMS = [("text", "x.jsonl"), ("markdown", "folder"), ("markdown", "x.md.jsonl"), ("warc", "x.warc.gz"), ("wacz", "x.wacz"),
         ("jsonl", "pages.jsonl"), ("csv", "x.csv"), ("urls", "x.txt"), ("cdxj", "x.cdxj"), ("graphml", "x.graphml")]


@test
def a_kill_leaves_no_half_file_under_its_name():
    crawl_generated()
    cut = 0
    for form, name in FORMS:
        command = [SCENT, "export", "out", "-f", form, "-o", name]
        part = Path(name + ".part")
        for _ in range(5):  # an export takes some milliseconds, and may be over before this looks again
            child = subprocess.Popen(command)
            while not part.exists() and child.poll() is None:
                pass
            child.send_signal(signal.SIGKILL)
            if child.wait() == -signal.SIGKILL:
                cut += 1
                # between the rename and the end it is whole
                assert not Path(name).exists() or not part.exists(), form
                break
            assert Path(name).exists() and not part.exists(), form
            shutil.rmtree(name) if Path(name).is_dir() else os.remove(name)
        if Path(name).is_dir():
            shutil.rmtree(name)
        elif part.is_dir():
            assert "cut off" in scent("export", "out", "-f", form, "-o", name, status=2).stderr
            shutil.rmtree(part)
        scent("export", "out", "-f", form, "-o", name)
        assert Path(name).exists() and not part.exists(), form
    assert cut >= 3, f"only {cut} of {len(FORMS)} exports were cut"
    check_wacz("x.wacz")
    assert not [path for path in Path(".").iterdir() if ".part" in path.name]


@test
def a_full_disk_leaves_what_was_there():
    crawl_generated()
    write("x.jsonl", "before")
    bound = "ulimit -f 48; exec \"$@\""
    done = subprocess.run(["bash", "-c", "trap '' XFSZ; " + bound, "-", SCENT, "export", "out", "-f", "text", "-o", "x.jsonl"],
                          stderr=subprocess.PIPE, text=True, timeout=240)
    assert done.returncode != 0 and "x.jsonl.part" in done.stderr, done
    assert Path("x.jsonl").read_text() == "before" and not Path("x.jsonl.part").exists()


@test
def a_pipe_is_written_to_and_stays_one():
    """A file that was renamed to its name would take its place, or that of a device."""
    crawl_generated()
    whole = scent("export", "out", "-f", "text").stdout
    os.mkfifo("pipe")
    with open("came", "w") as came, subprocess.Popen(["cat", "pipe"], stdout=came) as reader:
        scent("export", "out", "-f", "text", "-o", "pipe")
        assert reader.wait(200) == 0
    assert Path("came").read_text() == whole
    assert Path("pipe").is_fifo() and not Path("pipe.part").exists()
    assert scent("export", "out", "-f", "text", "-o", "/dev/stdout").stdout == whole
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.DEVNULL) as reader:
        assert "name a file" in scent("export", "out", "-f", "wacz", "-o", "pipe", status=2).stderr
    assert "the folder nowhere does not exist" in scent("export", "out", "-o", "nowhere/x.jsonl", status=2).stderr


finish()
