#!/usr/bin/env python3
"""A power cut at any moment of a crawl loses nothing that was committed.

A crawl of several runs is logged: every call that changes its directory. From the log the directory is rebuilt as a
disk may hold it after a cut at some point: what was synced is there, of the rest nothing, or any part. A directory
rebuilt so is crawled to its end."""

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from crawling import SCENT, check_same, finish, preloaded_disk, scent, test, topic, write

WEB = """kind: generated
seed: 7
hosts: 15
pages_per_host: 2
dead_hosts: 0
slow_hosts: {share: 0}
traps: 0
redirect_loops: 0
"""
CRAWL = ["crawl", "topic.yaml", "--from", "web.yaml", "--strategy", "best-first", "-q"]
SECTOR = 512


class File:
    """Bytes that were synced, and what was done since: (offset, bytes), or (size, None) for a cut."""

    def __init__(self):
        self.synced, self.pending = bytearray(), []

    def sync(self):
        self.synced, self.pending = self.with_changes(self.pending), []

    def with_changes(self, changes):
        data = bytearray(self.synced)
        for offset, new in changes:
            end = offset if new is None else offset + len(new)
            data.extend(bytes(max(0, end - len(data))))
            if new is None:
                del data[offset:]
            else:
                data[offset:end] = new
        return data

    def after_cut(self, kept):
        """kept(): True for a change that reached the disk; a write does so sector by sector."""
        changes = []
        for offset, new in self.pending:
            if new is None:
                changes += [(offset, None)] if kept() else []
                continue
            while new:
                size = SECTOR - offset % SECTOR
                changes += [(offset, new[:size])] if kept() else []
                offset, new = offset + size, new[size:]
        return self.with_changes(changes)


class Folder:
    """Names that were synced, and those that were given or taken since, in order: (name, File or Folder or None)."""

    def __init__(self):
        self.synced, self.pending = {}, []

    def sync(self):
        self.synced, self.pending = self.names(len(self.pending)), []

    def names(self, count):
        names = dict(self.synced)
        for name, entry in self.pending[:count]:
            names[name] = entry
        return {name: entry for name, entry in names.items() if entry}

    def now(self):
        return self.names(len(self.pending))


class Disk:
    """What a disk holds while the log is played to it."""

    def __init__(self, root):
        self.root, self.top = root, Folder()

    def entry(self, path):
        entry = self.top
        for part in Path(path).relative_to(self.root).parts:
            entry = entry.now()[part]
        return entry

    def set(self, path, entry):
        self.entry(Path(path).parent).pending.append((Path(path).name, entry))

    def play(self, name, number, data, path):
        if name in ("fsync", "fdatasync"):
            self.entry(path).sync()
        elif name in ("write", "pwrite", "pwrite64"):
            self.entry(path).pending.append((number, data))
        elif name in ("ftruncate", "ftruncate64"):
            self.entry(path).pending.append((number, None))
        elif name == "create":
            self.set(path, File())
        elif name == "mkdir":
            if Path(path) != self.root:
                self.set(path, Folder())
        elif name == "unlink":
            self.set(path, None)
        elif name == "rename":
            entry = self.entry(path)
            # Both names change at once: no file system shows the file under neither.
            self.set(Path.cwd() / data.decode(), entry)
            self.set(path, None)
        else:
            raise AssertionError(name)

    def store(self, out, kept, names_kept, folder=None):
        """Writes the directory as it is after a cut."""
        folder, out = folder or self.top, Path(out)
        out.mkdir()
        for name, entry in folder.names(names_kept(len(folder.pending))).items():
            if isinstance(entry, Folder):
                self.store(out / name, kept, names_kept, entry)
            else:
                (out / name).write_bytes(entry.after_cut(kept))

    def store_nothing_unsynced(self, out):
        self.store(out, lambda: False, lambda count: 0)

    def store_everything(self, out):
        self.store(out, lambda: True, lambda count: count)

    def store_some(self, out, dice):
        """File systems keep the order of what they do to names, not that of writes."""
        share = dice.choice((0.1, 0.5, 0.9))
        self.store(out, lambda: dice.random() < share, lambda count: dice.randint(0, count))


def read_log(path):
    data, offset, calls = Path(path).read_bytes(), 0, []
    while offset < len(data):
        end = data.index(b"\n", offset)
        name, number, length, name_of = data[offset:end].decode().split(" ", 3)
        offset = end + 1 + int(length)
        calls.append((name, int(number), data[end + 1:offset], name_of))
    return calls


def logged_crawl():
    """Several runs of one crawl: each opens, resumes, commits, seals and checkpoints. Returns the calls."""
    environment = preloaded_disk()
    write("web.yaml", WEB)
    topic(scent("web", "generate", "web.yaml", "--seeds", "2").stdout.split(), limits="{depth: 1000, text_memory: 1KiB}", seed="3")
    scent(*CRAWL, "-o", "undisturbed")
    for limit in (4, 12, 20, 1000):
        scent(*CRAWL, "-o", "logged", "--pages", limit, env=environment("logged", log=Path("log").resolve()))
    check_same("logged", "undisturbed")
    return read_log("log")


def pages_in(out):
    """The pages that are committed in a directory, read as SQLite reads them after a crash."""
    if not (Path(out) / "crawl.db").exists():
        return set()
    with contextlib.closing(sqlite3.connect(Path(out) / "crawl.db")) as db:
        if not db.execute("select 1 from sqlite_master where name = 'page'").fetchall():
            return set()
        return set(db.execute("select url, number, digest from page join url on url.id = url_id"))


def committed(disk):
    """What a commit that has just been synced has made durable."""
    disk.store_everything("now")
    try:
        return pages_in("now")
    finally:
        shutil.rmtree("now")


def go_on(point):
    """Crawls a directory after a cut to its end; returns what is wrong, or None."""
    out, safe = point
    try:
        before = pages_in(shutil.copytree(out, f"{out}-seen"))
        assert safe <= before, f"{len(safe - before)} committed pages are gone"
        done = subprocess.run([SCENT, *CRAWL, "-o", out], stderr=subprocess.PIPE, text=True, timeout=200)
        assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr.strip()}"
        assert safe <= pages_in(out), "committed pages are gone after the resume"
        check_same(out, "undisturbed")
    except (AssertionError, sqlite3.Error) as why:
        return f"{out}: {why}"
    finally:
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(f"{out}-seen", ignore_errors=True)


def directories_after_cuts(calls):
    """Yields (directory, the pages that must be in it). Where nothing unsynced is kept, a disk changes with syncs
    only; where some of it is, the most is at stake just before a sync."""
    dice = random.Random(1)
    disk, safe = Disk(Path("logged").resolve()), set()
    for i, call in enumerate(calls):
        is_sync = call[0] in ("fsync", "fdatasync")
        what = f"{call[0]}-{Path(call[3]).name}"
        if is_sync or dice.random() < 0.3:
            disk.store_some(f"cut-{i}-before-{what}", dice)
            yield f"cut-{i}-before-{what}", safe
        disk.play(*call)
        if is_sync and call[3].endswith("-wal"):
            safe = committed(disk)
        if is_sync:
            disk.store_nothing_unsynced(f"cut-{i}-after-{what}")
            yield f"cut-{i}-after-{what}", safe


@test
def a_power_cut_at_any_moment_loses_nothing_that_was_committed():
    points = list(directories_after_cuts(logged_crawl()))
    assert len(points) >= 120, f"only {len(points)} cuts"
    with ThreadPoolExecutor(2 * os.cpu_count()) as pool:  # they wait for the disk
        wrong = [why for why in pool.map(go_on, points) if why]
    print(f"{len(points)} cuts, {max(len(safe) for _, safe in points)} responses committed at the last", flush=True)
    assert not wrong, f"{len(wrong)} of {len(points)}:\n" + "\n".join(wrong)


finish()
