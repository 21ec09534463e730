#!/usr/bin/env python3
"""A user makes traces of access logs: import of all formats, what is left out, secrets of users, damaged files."""

import gzip
import json
import os
import random
import resource
import stat
from pathlib import Path

from crawling import SHARED, SLOW, Skip, finish, scent, test, write

SQUID = "{time} 120 {user} TCP_MISS/200 20480 GET {url} - DIRECT/a.test text/html"
COMMON = '{user} - - [07/Feb/2011:05:{minute:02}:00 +0000] "GET {path} HTTP/1.1" 200 99'


def info(path):
    return json.loads(scent("trace", "info", path, "--json").stdout)


def left(told):
    return {reason: count for reason, count in told["left_out"].items() if count}


def refused(*args, says):
    done = scent(*args, status=2)
    assert says in done.stderr, done.stderr


def squid(path="access.log", lines=((1000, "10.0.0.1", "http://a.test/1"), (1100, "10.0.0.2", "http://a.test/2"))):
    return write(path, "".join(SQUID.format(time=time, user=user, url=url) + "\n" for time, user, url in lines))


def limit_memory(size):
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


@test
def several_logs_of_several_formats_become_one_trace():
    squid()
    write("common.log", "".join(COMMON.format(user="10.0.0.1", minute=m, path=f"/{m}") + "\n" for m in range(3)))
    write("combined.log", COMMON.format(user="10.0.0.9", minute=1, path="/2") + ' "-" "Mozilla/5.0"\n' +
          COMMON.format(user="10.0.0.8", minute=1, path="/2") + ' "-" "Googlebot/2.1"\n')
    Path("plain.gz").write_bytes(gzip.compress(b"1100.5 10.0.0.2 http://a.test/3\n") +
                                 gzip.compress(b"9999 10.0.0.2 http://a.test/3\n"))
    logs = ["access.log", "common.log", "combined.log", "plain.gz"]
    done = scent("trace", "import", *logs, "-o", "t", "-b", "http://a.test")
    assert "left out  1  programs" in done.stderr and done.stdout == "", done
    assert stat.S_IMODE(os.stat("t").st_mode) == 0o600
    told = info("t")
    assert (told["accesses"], told["users"], told["pages"], told["sessions"], told["files"]) == (8, 3, 4, 5, 4), told
    assert left(told) == {"bot": 1} and told["pseudonyms"] and told["first"] == "1970-01-01T00:16:40Z", told
    shown = scent("trace", "info", "t").stdout
    assert "accesses  8\n" in shown and "to 2011-02-07T05:02:00Z" in shown, shown


@test
def order_of_logs_does_not_matter():
    squid("a.log")
    squid("b.log", [(500, "10.0.0.7", "http://a.test/0"), (1050, "10.0.0.1", "http://a.test/2")])
    write("key", "secret\n")
    scent("trace", "import", "a.log", "b.log", "--key", "key", "-o", "ab")
    scent("trace", "import", "b.log", "a.log", "--key", "key", "-o", "ba")
    assert Path("ab").read_bytes() == Path("ba").read_bytes()


@test
def users_are_hidden_unless_they_shall_be_kept():
    squid()
    write("key", "secret")
    scent("trace", "import", "access.log", "-o", "drawn")
    scent("trace", "import", "access.log", "-o", "drawn2")
    scent("trace", "import", "access.log", "-o", "keyed", "--key", "key")
    scent("trace", "import", "access.log", "-o", "kept", "--keep-users")
    hidden = [Path(name).read_bytes() for name in ("drawn", "drawn2", "keyed")]
    assert not any(b"10.0.0." in each for each in hidden) and len(set(hidden)) == 3
    assert b"secret" not in hidden[2]
    assert b"10.0.0.1" in Path("kept").read_bytes() and not info("kept")["pseudonyms"]


@test
def sessions_are_cut_where_the_user_says():
    squid(lines=[(0, "u", "http://a.test/"), (700, "u", "http://a.test/"), (3000, "u", "http://a.test/")])
    for minutes, sessions in ((None, 2), (10, 3), (60, 1)):
        scent("trace", "import", "access.log", "-o", "t", *(("--idle", minutes) if minutes else ()))
        assert info("t")["sessions"] == sessions, minutes


@test
def bad_lines_are_counted_and_the_rest_is_kept():
    dice = random.Random(1)
    good = [SQUID.format(time=1000 + i, user="u", url=f"http://a.test/{i}").encode() for i in range(100)]
    bad = [good[0][:40], b"\0\1\2" * 9, b"x " * 50000, good[0].replace(b"1000", b"soon"),
           good[0].replace(b"http:", b"gopher:"), b"one two",
           SQUID.format(time=9, user="u", url="http://a.test/" + "y" * 9000).encode()]
    lines = good + bad
    dice.shuffle(lines)
    Path("log").write_bytes(b"\n".join(lines))
    scent("trace", "import", "log", "-o", "t", "--format", "squid")
    told = info("t")
    assert told["accesses"] == 100 and told["lines"] == 107 and told["backwards"] > 0, told
    assert left(told) == {"columns": 2, "binary": 1, "long": 1, "time": 1, "url": 1, "url_long": 1}, told


@test
def files_that_are_no_logs_are_left_out():
    squid()
    Path("binary").write_bytes(random.Random(2).randbytes(300000))
    cut = gzip.compress(b"".join(b"%d u http://a.test/%d\n" % (i, i) for i in range(9000)))
    Path("cut.gz").write_bytes(cut[:len(cut) // 2])
    done = scent("trace", "import", "binary", "cut.gz", "access.log", "-o", "t")
    assert "binary: left out" in done.stderr and "cut.gz: the data is damaged" in done.stderr, done.stderr
    told = info("t")
    assert told["unknown_files"] == 1 and told["damaged_files"] == 1 and told["accesses"] > 1000, told
    refused("trace", "import", "binary", "-o", "none", says="no access is left")
    assert not Path("none").exists()


@test
def mistakes_are_explained():
    squid()
    write("empty", " \n")
    refused("trace", says="import LOG")
    refused("trace", "export", says="did you mean 'trace import'")
    refused("trace", "import", "access.log", says="-o")
    refused("trace", "import", "-o", "t", says="missing argument LOG;")
    refused("trace", "import", "nowhere.log", "-o", "t", says="cannot open nowhere.log")
    refused("trace", "import", ".", "-o", "t", says="it is a directory")
    refused("trace", "import", "access.log", "-o", "t", "-f", "iis", says="invalid value 'iis' for --format: expected")
    refused("trace", "import", "access.log", "-o", "t", "--idle", "0", says="invalid value '0' for --idle: expected a number from 1")
    refused("trace", "import", "access.log", "-o", "t", "-b", "x", says="the base 'x'")
    refused("trace", "import", "access.log", "-o", "t", "--key", "empty", says="the key is empty")
    refused("trace", "import", "access.log", "-o", "no/where/t", says="no/where/t")
    refused("trace", "info", says="missing argument FILE")
    refused("trace", "info", "access.log", says="not a trace of scent")
    scent("trace", "import", "access.log", "-o", "t")
    whole = Path("t").read_bytes()
    Path("t").write_bytes(whole[:-9])
    refused("trace", "info", "t", says="damaged or cut off")


@test
def wikispeedia_has_the_known_numbers():
    log = SHARED / "data" / "wikispeedia" / "access.log"
    if not log.exists():
        raise Skip("no ../shared/data/wikispeedia/access.log")
    scent("trace", "import", log, "-o", "t")
    told = info("t")
    assert (told["accesses"], told["users"], told["pages"], told["sessions"]) == (116388, 11485, 4061, 15718), told
    assert left(told) == {} and told["backwards"] == 0, told


@test
def memory_does_not_grow_with_what_is_left_out():
    """As much as the accesses that are kept, not as the file: a log of images, under a limit on memory."""
    if SLOW:
        raise Skip("a sanitizer needs its own memory")
    line = b"1000 1 u X/200 9 GET http://a.test/%d.png - - image/png " + b"z" * 4000 + b"\n"
    with open("log", "wb") as out:
        for i in range(50000):
            out.write(line % i)
        out.write(SQUID.format(time=1, user="u", url="http://a.test/").encode())
    done = scent("trace", "import", "log", "-o", "t", preexec_fn=lambda: limit_memory(100 << 20))
    assert "left out  50000  images" in done.stderr, done.stderr


finish()
