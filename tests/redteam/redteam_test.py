#!/usr/bin/env python3
"""The red team can find something: a program with planted faults shows each of them in the table, a sound one none. And
the same seed gives the same damage."""

import contextlib
import gzip
import io
import json
import os
import random
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crawl"))
os.environ["SCENT"] = "/bin/false"  # nothing here needs the program

import mutation
from crawling import finish, test
from kills import Killed
from redteam import Class, in_any_order, seed_of_commit, wage
from servers import Crawled
from targets import Target, mutate_checkpoint
from watch import Limits

# A program with the faults that its first argument names, for a file that says "bad"; a sound one otherwise.
FAKE = '''#!%s
import os, sqlite3, sys, time
word = sys.argv[1]
def crash(): os.kill(os.getpid(), 11)
def leak(): sys.stderr.write("==1==ERROR: LeakSanitizer: detected memory leaks\\n"); sys.exit(99)
def undefined(): sys.stderr.write("x.c:1: runtime error: null pointer\\n"); sys.exit(0)
def hang(): time.sleep(1000)
def eat(): hoard = bytearray(b"x") * (400 << 20); time.sleep(1000)
def escape(): sys.stderr.write("bad title: \\x1b[2J\\n"); sys.exit(2)
def silent(): sys.exit(2)
def strange(): sys.exit(5)
def stray(): open("../sentinel", "w").write("mine now"); sys.exit(0)
def refuse(): sys.stderr.write("input:1: what is this?\\n"); sys.exit(2)
def crawl():
    out = sys.argv[sys.argv.index("-o") + 1]
    os.makedirs(out, exist_ok=True)
    while "--json" in sys.argv:  # until it is killed
        print("{}", flush=True); time.sleep(.01)
    pages = [1, 2, 3]
    if out == "resumed":
        pages = {"forgetful": [1, 2], "fickle": [2, 1, 3], "sound": pages}[sys.argv[sys.argv.index("--strategy") + 1]]
    db = sqlite3.connect(out + "/crawl.db")
    db.executescript("create table url (id, url, state, error);"
                     "create table page (number, url_id, status, digest, relevant, score, priority)")
    for number, page in enumerate(pages):
        db.execute("insert into url values (?, ?, 'fetched', null)", (page, "http://a.test/%%d" %% page))
        db.execute("insert into page values (?, ?, 200, 'x', 1, .5, .5)", (number, page))
    db.commit()
def check(): print("page: row 7 is missing"); sys.exit(1 if "out" in sys.argv else 0)
sound = word in ("status", "export") or word not in ("crawl", "check") and b"bad" not in open("input", "rb").read()
sys.exit(0) if sound else globals()[word]()
'''
WORDS = {"crash": "crash", "leak": "crash", "undefined": "crash", "hang": "hang", "eat": "memory", "escape": "wrong",
         "silent": "wrong", "strange": "wrong", "stray": "wrong"}


def setting(text="bad"):
    """(program, corpus, output) in the current folder."""
    program = Path("fake").resolve()
    program.write_text(FAKE % sys.executable)
    program.chmod(0o755)
    Path("corpus").mkdir()
    Path("corpus/input").write_text(text)
    return program, Path("corpus").resolve(), Path("out").resolve()


def wage_on(members, number=0):
    """(exit status, {kind of input: faults}, what was printed) of one attack of each."""
    program, sources, output = setting()
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        for member in members:
            status |= wage([Class(1, [member])], 1, 0, program, sources, output, number)
            said.write((output / "table.md").read_text())
    return status, said.getvalue(), output


def leave(data, dice):
    return data


def mend(data, dice):
    return b"good"


def planted(word, limits=None, how=leave):
    return Target(word, ["input"], [[word, "input"]], how, limits or Limits())


def cells(text, name):
    """What the table says of this kind: {column: cell}."""
    head, row = (next(line for line in text.splitlines() if line.startswith(f"| {name} |")) for name in ("input", name))
    return dict(zip((cell.strip() for cell in head.split("|")), (cell.strip() for cell in row.split("|"))))


@test
def every_planted_fault_stands_in_the_table():
    columns = {"crash": "crashes", "hang": "hangs", "memory": "over memory", "wrong": "wrong"}
    limits = {"hang": Limits(seconds=.5), "eat": Limits(memory=200 << 20)}
    status, text, output = wage_on([planted(word, limits.get(word)) for word in WORDS])
    assert status == 1
    for word, kind in WORDS.items():
        row = cells(text, word)
        assert row["runs"] == "1", (word, row)
        assert {name for name in columns.values() if row[name] != "0"} == {columns[kind]}, (word, row)
    assert int(cells(text, "eat")["peak memory"].split()[0]) >= 200, cells(text, "eat")
    kept = sorted(path.name for path in (output / "findings").iterdir())
    assert len(kept) == len(WORDS), kept
    for path in (output / "findings").iterdir():
        assert (path / "here/input").read_text() == "bad" and "fake" in (path / "command").read_text(), path


@test
def a_sound_program_has_no_findings():
    status, text, _ = wage_on([planted(word, how=mend) for word in WORDS] + [planted("refuse")])
    assert status == 0 and cells(text, "refuse")["refused"] == "1", text


@test
def the_time_is_used_and_no_more():
    program, sources, output = setting("good")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        classes = [Class(2, [planted("crash"), planted("hang")]), Class(1, [planted("eat")])]
        status = wage(classes, 1, 3, program, sources, output)
    text = (output / "table.md").read_text()
    runs = [int(cells(text, word)["runs"].replace(",", "")) for word in ("crash", "hang", "eat")]
    assert status == 0 and all(runs) and abs(runs[0] - runs[1]) <= 2, (runs, said.getvalue())


@test
def seeds_begin_with_different_kinds():
    kinds = [f"kind {i}" for i in range(30)]
    orders = [in_any_order(kinds, seed) for seed in (1, 2, 3, 1)]
    assert all(sorted(order) == sorted(kinds) for order in orders) and orders[0] == orders[3]
    assert len({tuple(order[:5]) for order in orders}) == 3
    assert seed_of_commit() == seed_of_commit() > 0


@test
def a_crawl_that_forgets_by_a_kill_is_seen():
    status, text, _ = wage_on([Killed("sound"), Killed("forgetful"), Killed("fickle")], number=7)
    assert status == 1
    found = [cells(text, f"kills, {name}")["wrong"] for name in ("sound", "forgetful", "fickle")]
    assert found == ["0", "1", "1"], text


@test
def a_damaged_crawl_of_a_hostile_server_is_seen():
    status, text, _ = wage_on([Crawled("heads")])
    assert status == 1 and "check: page: row 7 is missing" in text, text


def samples():
    """A sound file of each format."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript("create table value (name text primary key, value); create index i on value (value);"
                         "insert into value values ('state', x'000102'), ('number', 7), ('text', 'abc')")
        database = db.serialize()
    record = (b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 40\r\n\r\n" +
              b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n<p>hello</p>xy\r\n\r\n")
    frame = b"scentmdl\1\0\0\0" + bytes(range(200))
    frame += mutation.checksum()(frame, len(frame), mutation.frames()[frame[:8]]).to_bytes(8, "little")
    return {"yaml": b"topic: x\nseeds: [http://a.test/]\nlimits: {pages: 7}\n",
            "json": json.dumps({"a": [1, {"b": "c"}]}).encode(),
            "jsonl": b'{"browsing": 1}\n{"visit": "http://a.test/"}\n',
            "gzip": gzip.compress(b"one line\n", mtime=0) * 3,
            "database": database, "record": record, "frame": frame, "binary": bytes(range(256)) * 4, "empty": b""}


@test
def the_same_seed_gives_the_same_damage():
    for name, data in samples().items():
        for how in [mutation.mutate] + [mutate_checkpoint] * (name == "database"):
            once, again = ([how(data, random.Random(f"{seed} {name}")) for seed in range(60)] for _ in range(2))
            assert once == again, name
            assert len(set(once)) > 25 or not data, (name, len(set(once)))
            assert max(map(len, once)) <= 2 * mutation.MOST, name


@test
def damage_gets_past_the_outer_checks():
    sound, data = 0, samples()["frame"]
    assert len(mutation.frames()) >= 4, mutation.frames()
    for seed in range(100):
        new = mutation.mutate(data, random.Random(seed))
        sound += new != data and new[:12] == data[:12] and \
            mutation.checksum()(new[:-8], len(new) - 8, mutation.frames()[data[:8]]).to_bytes(8, "little") == new[-8:]
    assert sound > 60, sound
    members = [mutation.gzip_members(mutation.mutate(samples()["gzip"], random.Random(seed))) for seed in range(100)]
    assert sum(len(each) == 3 and len(set(each)) > 1 for each in members) > 30
    opened = 0
    for seed in range(100):
        with contextlib.closing(sqlite3.connect(":memory:")) as db, contextlib.suppress(sqlite3.Error):
            db.deserialize(mutation.mutate(samples()["database"], random.Random(seed)))
            opened += db.execute("pragma integrity_check").fetchone() == ("ok",)
    assert opened > 40, opened


finish()
