#!/usr/bin/env python3
"""A crawl reads the access logs that its topic names: what it tells of them, bad ones, changed ones."""

import gzip
from pathlib import Path

from crawling import Site, finish, html, scent, test, topic, write


def plain(path, base, lines):
    """A list of `time user url`."""
    return write(path, "".join(f"{time} {user} {base}{page}\n" for time, user, page in lines))


def crawl(*args, **options):
    return scent("crawl", "topic.yaml", "-o", "crawl", "--allow-private", *args, **options)


def refused(site, traces, says):
    topic([site.base + "/"], traces=traces)
    done = crawl(status=2)
    assert says in done.stderr, done.stderr
    assert not site.log, site.log


@test
def all_kinds_of_files_are_one_trace_and_it_is_told():
    with Site({"/": html("hockey")}) as site:
        plain("a.log", site.base, [(1000, "u", "/1"), (1010, "v", "/2"), (1020, "u", "/x.png")])
        Path("b.log.gz").write_bytes(gzip.compress(f"1000 w {site.base}/1\nrubbish\n".encode()))
        write("own.log", '10.0.0.1 - - [07/Feb/2011:05:00:00 +0000] "GET /3 HTTP/1.1" 200 99\n')
        plain("c.log", site.base, [(1030, "t", "/4")])
        scent("trace", "import", "c.log", "-o", "c.trace")
        topic([site.base + "/"], traces=f"[a.log, b.log.gz, c.trace, {{file: own.log, base: '{site.base}/'}}]")
        told = crawl().stderr
        assert "traces: 5 accesses of 5 users to 4 pages, from 7 lines" in told, told
        assert "traces: left out 1: " in told and "columns" in told, told
        assert "have changed" not in crawl().stderr
        plain("a.log", site.base, [(1000, "u", "/1")])
        assert "the traces have changed" in crawl().stderr
        assert "have changed" not in crawl().stderr


@test
def bad_files_stop_a_crawl_with_their_line_and_the_fix():
    with Site({"/": html("hockey")}) as site:
        refused(site, "[no.log]", "topic.yaml:3: traces: no.log: No such file or directory; give the path of an access log")
        refused(site, "[.]", "topic.yaml:3: traces: . is a folder")
        plain("a.log", site.base, [(1000, "u", "/1")])
        scent("trace", "import", "a.log", "-o", "t")
        Path("cut").write_bytes(Path("t").read_bytes()[:-3])
        refused(site, "[a.log, cut]", "topic.yaml:3: traces: cut: the trace is damaged or cut off")
        Path("noise").write_bytes(bytes(range(256)) * 500)
        refused(site, "[noise]", "topic.yaml:3: traces: no access is left of 0 lines (1 files in an unknown format)")
        write("own.log", '10.0.0.1 - - [07/Feb/2011:05:00:00 +0000] "GET /3 HTTP/1.1" 200 99\n')
        refused(site, "[own.log]", "write it as {file: own.log, base: https://www.example.org/}")


finish()
