#!/usr/bin/env python3
"""What one crawl learned begins another: better than from nothing, weighed, added up, once and not twice."""

import errno
import fcntl
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

from crawling import SCENT, SLOW, beside, check_crawl, finish, pages, preloaded_disk, query, scent, topic, urls, write

WEB = """kind: generated
seed: 11
hosts: 400
pages_per_host: 20
topics: 12
wanted: {}
dead_hosts: 0
slow_hosts: {{share: 0}}
traps: 0
redirect_loops: 0
robots: {{share: 0}}
"""
# Two words that hardly any page has which is not about topic 0. The seeds are about others, so that the way there is
# what is to be learned.
RELEVANT = """'"quonpro" and "kigrushu"'"""
PAGES = 300


def seeds_of(wanted):
    write("other.yaml", WEB.format(wanted))
    return scent("web", "generate", "other.yaml", "--seeds", 12).stdout.split()[:4]


def make_topic(wanted, path="topic.yaml", **keys):
    write("web.yaml", WEB.format(0))
    keys = {"strategy": "{name: intelligent, seeds: each}", "relevant": RELEVANT, "window": "1", "seed": "5",
            "limits": f"{{pages: {PAGES}}}"} | keys
    return topic(seeds_of(wanted), path=path, **keys)


def crawl(out, *args, path="topic.yaml", **options):
    return scent("crawl", path, "--from", "web.yaml", "-o", out, *args, **options)


def harvest(out, first):
    return sum(page["relevant"] for page in sorted(pages(out), key=lambda page: page["n"])[:first])


def varint(data, at):
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def count(data, at):
    twice, at = varint(data, at)
    return (twice / 2, at) if twice % 2 == 0 else (struct.unpack_from("<d", data, at)[0], at + 8)


def learned(out):
    """(pages in all, relevant ones) of what intelligent learned, recalled ones included."""
    data = (Path(out) / "learned" / "intelligent.learned").read_bytes()
    assert data[:12] == b"scentlrn\1\0\0\0", data[:12]
    at = 12
    for _ in range(2):  # strategy, topic
        at += 1 + data[at]
    at += 8 + 8 + 8  # pages, relevant, the length of what follows
    at += 1 + 1 + data[at + 1]  # version, meaning
    total, at = count(data, at)
    return total, count(data, at)[0]


@beside
def a_second_crawl_begins_better():
    found = {"fresh": 0, "reused": 0}
    pairs = ((2, 6), (6, 4), (4, 8), (9, 5))
    for first, second in pairs[:1] if SLOW else pairs:
        make_topic(first, "first.yaml")
        make_topic(second)
        crawl(f"first-{first}", path="first.yaml")
        crawl(f"fresh-{second}", "--pages", PAGES // 3)
        crawl(f"reused-{second}", "--pages", PAGES // 3, "--reuse", f"first-{first}")
        for kind in found:
            found[kind] += harvest(f"{kind}-{second}", PAGES // 3)
    print(f"   relevant pages among the first {PAGES // 3}: {found}")
    assert found["reused"] > 2 * found["fresh"], found


@beside
def old_evidence_weighs_what_was_said_and_adds_up():
    make_topic(2)
    for name in ("one", "two"):
        crawl(name, "--pages", 40)
    assert learned("one") == (40, harvest("one", 40))
    Path("sub").mkdir()
    make_topic(6, "sub/topic.yaml", reuse="{from: ../one, weight: 0.5}")
    done = crawl("half", "--pages", 10, path="sub/topic.yaml")
    assert "learned of 'test' on 40 pages, weight 0.5: sub/../one/learned/intelligent.learned" in done.stderr, done.stderr
    assert learned("half")[0] == 10 + 20
    assert json.loads(Path("half/run.json").read_text())["runs"][0]["reuse"] == [{"from": "sub/../one", "weight": 0.5}]
    crawl("both", "--pages", 10, "--reuse", "one", "--reuse", "two/learned/intelligent.learned:0.25", path="sub/topic.yaml")
    assert learned("both")[0] == 10 + 40 + 10
    crawl("third", "--pages", 10, "--reuse", "half:0.5")  # what it had from others fades once more
    assert learned("third")[0] == 10 + (10 + 20) / 2


def run_and_kill(out, lines, *args):
    """Kills it after so many pages; the pipe is small, so that it does not run ahead."""
    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, 4096)
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-o", out, "--json", "-q", *args],
                             stdout=writable)
    os.close(writable)
    seen = 0
    while seen < lines and select.select([readable], [], [], 60)[0]:
        data = os.read(readable, 512)
        if not data:
            break
        seen += data.count(b"\n")
        time.sleep(0.05)  # it commits every half second
    child.send_signal(signal.SIGKILL)
    child.wait()
    os.close(readable)
    return seen


@beside
def kill_and_resume_do_not_double_it():
    make_topic(2)
    crawl("one", "--pages", 40)
    make_topic(6, limits=f"{{pages: {PAGES // 2}}}")
    crawl("whole", "--reuse", "one")
    want = learned("whole")
    assert want[0] == PAGES // 2 + 40
    for kills, lines in enumerate((1, 30, 30)):
        run_and_kill("out", lines, "--reuse", "one")
        if kills == 1:
            stored = query("out", "select count(*) from page")[0][0]
            assert 0 < stored < PAGES // 2, f"{stored} pages: it was not killed in between"
            shutil.move("one", "gone")  # it is in the checkpoint
    done = crawl("out", "--reuse", "one")
    assert "'reuse' is for the beginning of a crawl" in done.stderr, done.stderr
    assert len(pages("out")) == PAGES // 2 and learned("out")[0] == want[0], learned("out")
    check_crawl("out")


@beside
def an_interrupted_crawl_leaves_what_it_learned():
    make_topic(2)
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "--json"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(20):
        child.stdout.readline()
    child.send_signal(signal.SIGINT)
    child.communicate()
    assert child.returncode == 11, child.returncode
    assert learned("out")[0] == len(pages("out")) >= 20


@beside
def a_bad_disk_or_a_kill_leaves_the_old_one_or_the_new_one():
    environment = preloaded_disk()
    make_topic(2)
    crawl("one", "--pages", 20)
    before = (Path("one/learned/intelligent.learned")).read_bytes()
    for does in (errno.ENOSPC, errno.EIO, 0):  # 0: it is killed there
        for at in range(1, 20):
            shutil.rmtree("out", ignore_errors=True)
            shutil.copytree("one", "out")
            done = subprocess.run([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "--pages", "25"],
                                  env=environment("out/learned", at=at, does=does), stderr=subprocess.PIPE, text=True)
            if done.returncode == 0:
                break
            assert done.returncode == (3 if does else -signal.SIGKILL), done
            assert not does or "learned" in done.stderr, done.stderr
            assert Path("out/learned/intelligent.learned").read_bytes() == before or learned("out")[0] == 25, at
            crawl("out", "--pages", 25)
            assert learned("out")[0] == 25
        assert 3 < at < 19, f"{at - 1} calls could fail"


@beside
def a_purge_forgets_and_the_next_run_learns_anew():
    make_topic(2)
    crawl("one", "--pages", 40)
    make_topic(6)
    crawl("out", "--pages", 30, "--reuse", "one")
    scent("purge", "out", urls("out")[10])
    assert not list(Path("out/learned").glob("*.learned"))
    crawl("out", "--pages", 35, "--reuse", "one")
    assert learned("out")[0] == 40 + len(pages("out")), learned("out")


@beside
def the_statistics_of_a_query_are_reused():
    make_topic(2, strategy="query-context", query="'#sum(quonpro kigrushu)'", relevant="query() > 0.41")
    crawl("one", "--pages", 40)
    assert sorted(path.name for path in Path("one/learned").iterdir()) == ["query-context.learned", "query.census"]
    done = crawl("two", "--pages", 10, "--reuse", "one:0.5")
    assert "query's statistics of 40 pages, weight 0.5" in done.stderr, done.stderr
    counted = int(Path("two/learned/query.census").read_text().splitlines()[1].split()[1])
    assert counted == 10 + 20, counted


@beside
def what_cannot_be_reused_is_told():
    make_topic(2)
    crawl("one", "--pages", 20)
    for args, says in (
            (("--reuse", "nowhere"), "nowhere"),
            (("--reuse", "one:2"), "the weight behind the colon is a number above 0, at most 1"),
            (("--reuse", "one:0"), "above 0, at most 1"),
            (("--reuse", "topic.yaml"), "this is not a learned file of scent"),
            (("--reuse", "one", "--strategy", "best-first"), "strategy best-first learns nothing"),
            (("--reuse", "one", "--strategy", "intelligent:tokens=fine"), "learned there with tokens: plain"),
            (("--reuse", "one", "--strategy", "fusion:of=intelligent + best-first"), "these learned: intelligent")):
        said = crawl("out", "--pages", 10, *args, status=2).stderr
        assert says in said, said
    path = Path("one/learned/intelligent.learned")
    whole = path.read_bytes()
    for damaged, says in ((whole[:-1], "damaged or cut off"), (whole[:100] + b"x" + whole[101:], "damaged or cut off"),
                          (whole[:8] + b"\2" + whole[9:], "has version 2"), (b"", "not a learned file")):
        path.write_bytes(damaged)
        said = crawl("out", "--pages", 10, "--reuse", "one", status=2).stderr
        assert says in said and "one/learned/intelligent.learned" in said, said
    path.write_bytes(whole)
    crawl("out", "--pages", 10, "--reuse", "one")
    assert learned("out")[0] == 30
    for reuse, says in (("{weight: 1}", "the key 'from' is missing"), ("{from: one, weight: 0}", "nothing is reused"),
                        ("{from: one, weight: 3}", "weight"), ("[]", "expected 1 to 100"), ("{form: one}", "form")):
        make_topic(2, reuse=reuse)
        said = crawl("new", status=2).stderr
        assert says in said and "topic.yaml:" in said, said


finish()
