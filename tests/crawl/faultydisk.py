#!/usr/bin/env python3
"""Each single call to the disk fails once: scent says so, loses nothing, and the same command goes on afterwards."""

import errno
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from crawling import SCENT, beside, check_same, finish, preloaded_disk, query, scent, topic
from labbing import write_warc

PAGES, HOSTS = 8, 3  # every kind of call is made; more pages only make some of them more often
CRAWL = ["crawl", "topic.yaml", "--from", "web.warc", "--strategy", "best-first", "-q"]
# When the database is closed all is committed; what then fails in moving it from the WAL to the file is made up for by
# the next run. And SQLite overlooks that the directory cannot be synced after it made the WAL. No crawl stops for want of
# a line in its log.
HARMLESS = {"pwrite64 of crawl.db", "fdatasync of crawl.db", "ftruncate64 of crawl.db", "fdatasync of crawl.db-wal",
            "unlink of crawl.db-wal", "fdatasync of the directory", "open of crawl.log", "write of crawl.log"}
STARTS = "select count(*) from event where kind in ('start', 'resume')"


def write_web():
    """A tree of pages on some hosts."""
    url = "http://h{}.test/{}".format
    write_warc("web.warc", {url(i % HOSTS, i): f"<html lang=en><title>page {i}</title><p>words of page {i} " + " ".join(
        f"<a href={url(j % HOSTS, j)}>to {j}</a>" for j in (2 * i + 1, 2 * i + 2) if j < PAGES) for i in range(PAGES)})
    topic([url(0, 0)], limits="{depth: 1000}", seed="3")


def read_failure(log):
    """"fsync of crawl.db": the call that failed; None: there were not so many calls."""
    head, found, rest = Path(log).read_bytes().rpartition(b"failed ")
    if not found or rest.count(b"\n") == 0:
        return None
    line, _, name = rest.partition(b"\n")
    _, length, path = line.decode().split(" ", 2)
    name, path = name[:int(length)].decode(), Path(path)
    return f"{name} of {'the directory' if path.name.startswith('out-') else path.name}"


def crawl(out, environment=None):
    return subprocess.run([SCENT, *CRAWL, "-o", out], env=environment, stderr=subprocess.PIPE, text=True, timeout=200)


def check_failed_run(done, out):
    """Status 3, or 2 if the crawl had not begun, and a message; 0 only where all is there nevertheless."""
    if done.returncode == 0:
        check_same(out, "undisturbed")
        return
    assert done.returncode in (2, 3), f"status {done.returncode}: {done.stderr}"
    assert "scent: error: " in done.stderr, f"status {done.returncode} without a message: {done.stderr}"


def go_on(out, begun_before, status):
    again = crawl(out)
    assert again.returncode == 0, f"after it, status {again.returncode}: {again.stderr}"
    check_same(out, "undisturbed")
    if status == 2:
        assert query(out, STARTS)[0][0] == begun_before + 1, "status 2, but the crawl had begun"


def try_call(environment, start, number, error):
    """Returns (the call that failed, the status of the run, what is wrong, or None)."""
    out, log = Path(f"out-{error}-{number}"), Path(f"log-{error}-{number}").resolve()
    if start:
        shutil.copytree(start, out)
    failure, status = None, None
    try:
        done = crawl(out, environment(out, at=number, does=error, log=log))
        failure, status = read_failure(log), done.returncode
        if failure:
            check_failed_run(done, out)
        go_on(out, 1 if start else 0, status)
        return failure, status, None
    except AssertionError as why:
        return failure, status, f"call {number}, {failure}, {errno.errorcode[error]}, status {status}: {why}"
    finally:
        shutil.rmtree(out, ignore_errors=True)
        log.unlink(missing_ok=True)


def try_each_call(environment, start):
    """One error and the other by turns; a crawl that goes on has them the other way round."""
    errors = (errno.EIO, errno.ENOSPC) if start else (errno.ENOSPC, errno.EIO)
    results, number, batch = [], 1, 16
    with ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        while not results or results[-1][0]:
            results += pool.map(lambda n: try_call(environment, start, n, errors[n % 2]), range(number, number + batch))
            number += batch
    return [result for result in results if result[0] or result[2]]


def try_all(start):
    environment = preloaded_disk()
    write_web()
    scent(*CRAWL, "-o", "undisturbed")
    if start:
        scent(*CRAWL, "-o", start, "--pages", 3)
    results = try_each_call(environment, start)
    wrong = [why for _, _, why in results if why]
    unnoticed = sorted({failure for failure, status, _ in results if status == 0})
    print(f"{len(results)} calls failed; no harm came of: {', '.join(unnoticed)}", flush=True)
    assert not wrong, f"{len(wrong)} of {len(results)}:\n" + "\n".join(wrong)
    assert len(results) > 60, f"only {len(results)} calls"
    assert set(unnoticed) <= HARMLESS, f"exit status 0 in spite of: {set(unnoticed) - HARMLESS}"


@beside
def each_call_to_the_disk_may_fail_in_a_new_crawl():
    try_all(None)


@beside
def each_call_to_the_disk_may_fail_in_a_crawl_that_goes_on():
    try_all("begun")


finish()
