#!/usr/bin/env python3
"""A hostile look at the program, bounded and repeatable: mutated files, hostile servers, kills.

    redteam.py [--seconds N] [--seed N] [--only NAME [--number N]]

Attacks $SCENT (build/asan/scent: AddressSanitizer and UndefinedBehaviorSanitizer) for N seconds (120), and prints a
table of what was tried and found, which is also written to build/redteam/table.md. A seed gives the same attacks in the
same order; how many of them there is time for depends on the machine. Without one it is the number of the commit, so
that short runs begin with other kinds of input for each commit, and can be repeated. What is found is kept below
build/redteam/findings, with the command that shows it again; --only NAME --number N makes one attack once more. Exit
status: 0 nothing was found, 1 something was, 77 there is nothing to attack.

`make redteam` runs it for ten minutes, and the suite asan of tests/run for two."""

import argparse
import concurrent.futures
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "crawl"))
os.environ.setdefault("SCENT", str(ROOT / "build" / "asan" / "scent"))

import corpus
import kills
import servers
import targets
import watch
from place import Place
from table import Result, as_markdown, as_text

JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
SHARES = {"file": 5, "server": 3, "kill": 2}  # of the time


class Class:
    """Attacks of one class, in turns. Its share of the time decides when it is its turn."""

    def __init__(self, share, members):
        self.share, self.members, self.next, self.used = share, members, 0, 0.0

    def take(self):
        attack = self.members[self.next % len(self.members)], self.next // len(self.members)
        self.next += 1
        return attack


def attack(target, seed, number, program, sources, findings):
    """In a process of its own: (result, seconds)."""
    started = time.monotonic()
    with Place(program, sources, findings) as place:
        os.environ["XDG_CACHE_HOME"] = str(place.scratch / "cache")
        try:
            result = target.attack(seed, number, place)
        except Exception:  # what goes wrong here is a fault, too: else nobody would see that nothing is tested
            result = Result(target.name)
            line = traceback.format_exc().strip().splitlines()[-1]
            print(f"attack {target.name} {number}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            result.findings.append(("wrong", f"the attack itself failed: {line}", f"number {number}"))
    return result, time.monotonic() - started


def campaign(classes, seed, end, arguments, report):
    """Attacks until `end`, as many at once as there are cores."""
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(JOBS, mp_context=context) as pool:
        running = {}
        while running or time.monotonic() < end:
            while len(running) < JOBS and time.monotonic() < end:
                each = min(classes, key=lambda one: one.used / one.share)
                target, number = each.take()
                # An estimate until it is done, so that two of a class do not begin because neither has used any time.
                each.used += 1
                running[pool.submit(attack, target, seed, number, *arguments)] = each, target, number
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                each, target, number = running.pop(future)
                result, seconds = future.result()
                each.used += seconds - 1
                report(target, number, result)


def wage(classes, seed, seconds, program, sources, output, number=None):
    """Attacks, tells what was found, writes the table; returns the exit status. `number`: this attack of the first kind
    alone."""
    started, findings = time.monotonic(), output / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    rows = {target.name: Result(target.name) for each in classes for target in each.members}

    def report(target, number, result):
        rows[target.name].merge(result)
        for kind, line, kept in result.findings:
            print(f"{target.name} {number}: {kind}: {line} ({kept})", flush=True)

    if number is None:
        campaign(classes, seed, started + seconds, (program, sources, findings), report)
    else:
        target = classes[0].members[0]
        report(target, number, attack(target, seed, number, program, sources, findings)[0])
    title = f"Seed {seed}, {time.monotonic() - started:.0f} seconds"
    print(as_text(rows.values()), flush=True)
    (output / "table.md").write_text(as_markdown(rows.values(), title))
    found = sum(len(row.findings) for row in rows.values())
    print(f"{title}: {found} findings" + (f", kept in {findings}" if found else ""))
    return 1 if found else 0


def seed_of_commit():
    """Another one for each commit, the same for the same; 1 where there is no commit."""
    told = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True)
    return int(told.stdout, 16) if told.returncode == 0 else 1


def in_any_order(members, seed):
    """Not all kinds have their turn in a short run: which come first depends on the seed."""
    return random.Random(seed).sample(members, len(members))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, help="default: the commit's")
    parser.add_argument("--only", metavar="NAME", help="the kinds of input whose names begin so")
    parser.add_argument("--number", type=int, help="one attack of that kind")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "redteam")
    return parser.parse_args()


def main():
    options, started = arguments(), time.monotonic()
    program = Path(os.environ["SCENT"]).resolve()
    if not program.exists():
        print(f"there is no {program}; 'make redteam' builds it")
        return 77
    watch.fix_addresses()
    shutil.rmtree(options.output, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="redteam-") as folder:
        sources = Path(folder, "corpus")
        os.environ["XDG_CACHE_HOME"] = folder
        corpus.build(sources)
        every = {"file": targets.TARGETS, "server": servers.targets(sources), "kill": kills.targets(program)}
        wanted = {name: [each for each in members if each.name.startswith(options.only or "")]
                  for name, members in every.items()}
        seed = seed_of_commit() if options.seed is None else options.seed
        print(f"seed {seed}", flush=True)
        classes = [Class(SHARES[name], in_any_order(members, seed)) for name, members in wanted.items() if members]
        if not classes:
            names = [each.name for members in every.values() for each in members]
            print(f"no kind '{options.only}': {', '.join(names)}")
            return 2
        left = options.seconds - (time.monotonic() - started)
        return wage(classes, seed, left, program, sources, options.output, options.number)


if __name__ == "__main__":
    sys.exit(main())
