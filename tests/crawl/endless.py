#!/usr/bin/env python3
"""Inputs without an end, or of a huge size: every command that reads a file refuses them with one clear line, in little
memory. docs/internals/security.md lists the inputs and their caps."""

import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import profiles
from crawling import FRIENDLY, SCENT, SLOW, beside, finish, scent, topic, write

if os.environ.get("SCENT_BUILD") == "tsan":
    print("one thread reads an input, and the other builds try them all")
    sys.exit(77)

PEAK = 256 << 20
HANGS = 240  # seconds: a guard, not a measure

# What reads a file, with @ for that file. The folder has a topic, a web, a crawl and results of an experiment.
READERS = [
    "crawl @ --from web.yaml -o new",
    "crawl topic.yaml --from @ -o new",
    "crawl topic.yaml --from web.yaml -o new --seeds @",
    "crawl topic.yaml --from web.yaml -o new --cookies @",
    "crawl topic.yaml --from web.yaml -o new --logins @",
    "crawl learner.yaml --from web.yaml -o new --reuse @",
    "crawl seeds_file.yaml --from web.yaml -o new",
    "crawl private.yaml --allow-private -o new --ca-file @",
    "crawl browsing.yaml --from web.yaml -o new",
    "crawl traces.yaml --from web.yaml -o new",
    "crawl rules.yaml --from web.yaml -o new",
    "init new --examples @",
    "train examples.yaml",
    "train taxonomy.yaml",
    "judge @ topic.yaml",
    "judge topic.yaml ./@ --from web.yaml",
    "judge topic.yaml http://a.test/ --from @",
    "lab run @ -o new",
    "lab run lab.yaml -o new",
    "lab run labels.yaml -o new",
    "lab contexts @",
    "lab contexts web.yaml --labels @",
    "trace import @ -o new",
    "trace import @ -o new -f common",
    "trace import @ -o new -f plain -b http://a.test/",
    "trace import log --key @ -o new",
    "trace info @",
    "browse record -o @",
    "browse import @ -o new",
    "browse import log -o new --useful @",
    "browse info @",
    "browse train @ -o new --from web.yaml",
    "seeds @",
    "rules build @",
    "rules build taxonomy.yaml --from web.yaml",
    "rules show @",
    "web serve @",
    "web generate @",
]
# What reads the files of a crawl directory, one of which is bad.
INSIDE = [f"{command} crawl{more}" for command, more in
          [("status", ""), ("why", " http://a.test/"), ("export", ""), ("check", ""), ("check", " --repair"),
           ("purge", " a.test")]]
# Those that read a stream without an end as it comes.
STREAMS = [command for command in READERS if re.match(r".*(--seeds|train tax|labels|trace import @|--useful|browse info|"
                                                      r"rules show)", command)]
RESUMES = "crawl topic.yaml --from web.yaml -o crawl"


def prepare():
    write("web.yaml", FRIENDLY)
    seeds = scent("web", "generate", "web.yaml", "--seeds", "2").stdout.split()
    topic(seeds)
    topic(["http://127.0.0.1:9/"], "private.yaml")
    topic(seeds, "learner.yaml", strategy="intelligent")
    topic(seeds, "seeds_file.yaml", seeds_file="input")
    topic(seeds, "browsing.yaml", browsing="input", strategy="browsing-hmm")
    topic(seeds, "traces.yaml", traces="[input]", strategy="collaborative")
    topic(seeds, "rules.yaml", rules="input", strategy="rules", taxonomy="{file: taxonomy, target: A}")
    topic(seeds, "examples.yaml", examples="{positive: [input], negative: [input]}")
    topic(seeds, "taxonomy.yaml", taxonomy="{file: input, target: A}")
    for name in ("A", "B"):
        os.makedirs(f"taxonomy/{name}")
        for i in range(4):
            write(f"taxonomy/{name}/{i}.txt", f"words of the class {name} and the number {i} " * 9)
    lab = ("experiment: test\ntopics: {{level: 1, min_pages: 2, max: 1}}\nseeds: 1\nbudget: 5\npoints: [5]\n"
           "strategies: [breadth-first]\ncollection: {}\n")
    write("lab.yaml", lab.format("input"))
    write("labels.yaml", lab.format("web.yaml") + "labels: input\n")
    write("log", '127.0.0.1 - - [10/Oct/2020:13:55:36 +0000] "GET http://a.test/ HTTP/1.0" 200 2326\n')
    scent("crawl", "topic.yaml", "--from", "web.yaml", "--pages", "5", "-o", "crawl", "-q")
    os.mkdir("results")


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(64 << 30)


def random_bytes(path):
    Path(path).write_bytes(random.Random(1).randbytes(8 << 20))


class Pipe:
    """A pipe into which the same bytes are written for ever, or what a function gives for 0, 1, 2, …; without bytes, into
    which nobody writes."""

    def __init__(self, path, bytes):
        os.mkfifo(path)
        self.path, self.bytes, self.over = path, bytes, False
        self.thread = threading.Thread(target=self.write, daemon=True)
        self.thread.start()

    def write(self):
        while self.bytes and not self.over:
            try:
                with open(self.path, "wb", buffering=0) as file:
                    for number in itertools.count():
                        if self.over:
                            break
                        file.write(self.bytes(number) if callable(self.bytes) else self.bytes)
            except OSError:
                pass  # its reader has gone; there may be another

    def close(self):
        self.over = True
        if self.bytes:
            os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))  # who waits for a reader has had one
        self.thread.join(10)


def run(command, name):
    """(exit status, standard error, peak of resident bytes); None as the status of what never ends."""
    args = [SCENT, *(word.replace("@", name) for word in command.split())]
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                                 env=os.environ | {"HOME": os.getcwd(), "XDG_CACHE_HOME": os.getcwd()})
        guard = threading.Timer(HANGS, child.kill)
        guard.start()
        _, how, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(how)
        guard.cancel()
        said.seek(0)
        return child.returncode, said.read().decode(errors="replace").strip(), used.ru_maxrss << 10


def refuse_all(commands, name, wrong):
    for command in commands:
        before = set(os.listdir("."))
        status, said, peak = run(command, name)
        if os.environ.get("ENDLESS_SHOW"):
            print(command, "|", name, "|", status, said[-300:], "|", peak >> 20, "MB", flush=True)
        if status == -signal.SIGKILL:
            wrong.append(f"{command}: never ends")
        elif status <= 0 or not said or (status > 1 and "scent: error: " not in said):
            wrong.append(f"{command}: exit status {status}: {said}")
        if peak > PEAK and not SLOW:
            wrong.append(f"{command}: {peak >> 20} MB")
        for left in set(os.listdir(".")) - before:
            shutil.rmtree(left) if os.path.isdir(left) else os.remove(left)


def refuse(make, commands=READERS, name="input"):
    wrong = []
    prepare()
    made = make("input")
    refuse_all(commands, name, wrong)
    if made:
        made.close()
    assert not wrong, "\n".join(wrong)


@beside
def a_device_without_an_end():
    refuse(lambda path: os.symlink("/dev/zero", path))


@beside
def a_huge_file_of_zeros():
    refuse(sparse)


@beside
def random_data():
    refuse(random_bytes)


@beside
def a_pipe_of_garbage_lines():
    refuse(lambda path: Pipe(path, b"4f\x01 what is this, and when does it end?\n" * 1000))


@beside
def a_pipe_of_one_line():
    refuse(lambda path: Pipe(path, b"x" * 65536), STREAMS)


@beside
def a_pipe_of_empty_lines():
    # A sanitizer sees fewer of them: caps count bytes, and a line costs it ten times as much.
    lines = b"\n" * 4096 + b" " * 61439 + b"\n" if SLOW else b"\n" * 65536
    refuse(lambda path: Pipe(path, lines), STREAMS)


@beside
def a_pipe_to_which_nobody_writes():
    refuse(lambda path: Pipe(path, b""), ["trace import @ -o new", "browse info @"])


def good_lines(line):
    """For ever, all of them different, and long, so that few fill the memory."""
    return lambda number: "".join(line.format(number * 100 + i, "x" * 1500) for i in range(100)).encode()


ENDLESS_LISTS = {
    "browse info @": '{{"visit": "http://a.test/{}/{}"}}\n',
    "browse train @ -o new --from web.yaml": '{{"useful": "http://a.test/{}/{}"}}\n',
    "browse import log -o new --useful @": "http://a.test/{}/{}\n",
    "crawl topic.yaml --from web.yaml -o new --seeds @": "http://a.test/{}/{}\n",
    "train taxonomy.yaml": "Top/A/{}\thttp://a.test/{}\n",
    "lab contexts web.yaml --labels @": "http://a.test/{}/{}\tA\n",
}


@beside
def lists_of_good_lines_without_an_end():
    wrong = []
    prepare()
    for command, line in ENDLESS_LISTS.items():
        made = Pipe("input", good_lines(line))
        refuse_all([command], "input", wrong)
        made.close()
        os.remove("input")
    assert not wrong, "\n".join(wrong)


@beside
def a_log_of_good_lines_without_an_end():
    """What fits the memory is taken, and the rest is not waited for."""
    prepare()
    made = Pipe("input", good_lines("1 user http://a.test/{}/{}\n"))
    status, said, peak = run("trace import @ -o new -f plain", "input")
    made.close()
    assert status == 0 and "not read to its end" in said and os.path.getsize("new") > 1 << 20, said
    assert SLOW or peak < PEAK, f"{peak >> 20} MB"
    status, said, peak = run("trace import log -o other --memory 1", "")
    assert status == 0 and "not read to its end" not in said, said


@beside
def a_taxonomy_of_good_lines_without_an_end():
    """Of few categories a sample is kept, so it may go on for long: people are told so."""
    prepare()
    made = Pipe("input", b"A\thttp://a.test/\nB\thttp://b.test/\n" * 1000)
    child = subprocess.Popen([SCENT, "train", "taxonomy.yaml"], stderr=subprocess.PIPE, text=True)
    said = child.stderr.readline()
    child.kill()
    child.wait()
    made.close()
    assert re.search(r"input: \d+ MB read, \d+ pages so far", said), said


@beside
def more_seeds_than_memory():
    wrong = []
    prepare()
    Path("seeds").write_text("".join(f"http://{i}.test/\n" for i in range(500000)))
    refuse_all(["crawl topic.yaml --from web.yaml -o new --seeds seeds"], "", wrong)
    assert not wrong, "\n".join(wrong)


@beside
def browser_profiles_without_an_end():
    wrong = []
    os.mkdir("huge")
    sparse("huge/places.sqlite")
    # Each bookmark is joined with each page: none has a number of its own.
    many = 30000
    profiles.database("slow/places.sqlite", ("create table moz_places (id integer, url text, title text, hidden integer)",),
                      *profiles.FIREFOX[1:],
                      ("insert into moz_places values (1, 'http://a.test/', '', 0)", [()] * many),
                      ("insert into moz_bookmarks values (?, 1, 1, 0, 0, '', 0, '')", [(i,) for i in range(many)])).close()
    refuse_all(["browse import huge -o new", "browse import slow -o new"], "", wrong)
    assert not wrong, "\n".join(wrong)


@beside
def bad_files_inside_a_crawl_directory():
    wrong = []
    prepare()
    for file in ("crawl.db", "topic.yaml", "index.cdxj"):
        for make in (sparse, lambda path: Pipe(path, b"x" * 65536), lambda path: os.symlink("/dev/zero", path)):
            shutil.copytree("crawl", "kept")
            os.remove(f"crawl/{file}")
            made = make(f"crawl/{file}")
            for command in INSIDE + ([RESUMES] if file == "crawl.db" else []):
                status, said, peak = run(command, "")
                if os.environ.get("ENDLESS_SHOW"):
                    print(command, "|", file, "|", status, said[-300:], "|", peak >> 20, "MB", flush=True)
                if status == -signal.SIGKILL or (file == "crawl.db" and (status <= 0 or not said)):
                    wrong.append(f"{command} with such a {file}: {status}: {said}")
                if peak > PEAK and not SLOW:
                    wrong.append(f"{command} with such a {file}: {peak >> 20} MB")
            if made:
                made.close()
            shutil.rmtree("crawl")
            os.rename("kept", "crawl")
    assert not wrong, "\n".join(wrong)


@beside
def huge_archives_without_a_record():
    wrong = []
    prepare()
    # A gibibyte is read of each: that of a hole in memory costs a tenth of that on a disk.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as place:
        os.symlink(place, "place")
        os.mkdir("place/folder")
        for name, start in (("folder/a.warc", b""), ("a.warc", b"WARC/1.1\r\n"), ("a.warc.gz", b"\x1f\x8b\x08")):
            with open(f"place/{name}", "wb") as file:
                file.write(start)
                file.truncate(64 << 30)
        refuse_all([f"crawl topic.yaml --from place/{path} -o new" for path in ("folder", "a.warc", "a.warc.gz")] +
                   ["judge topic.yaml place/a.warc --from web.yaml"], "", wrong)
    assert not wrong, "\n".join(wrong)


@beside
def a_huge_summary():
    wrong = []
    os.mkdir("results")
    for make in (sparse, lambda path: os.symlink("/dev/zero", path)):
        make("results/summary.json")
        refuse_all(["lab compare results"], "", wrong)
        os.remove("results/summary.json")
    assert not wrong, "\n".join(wrong)


finish(2)
