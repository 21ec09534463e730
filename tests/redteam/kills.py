"""Kills: a crawl that is killed (kill -9) at random moments and resumed must end as if nothing had happened.

There is a target for each strategy that the program lists, so that new ones are included by themselves. The crawl is
that of the corpus's people.yaml, which gives a strategy everything that one may ask for: seeds, query, taxonomy, rules,
traces and browsing. With a window of one page and without a query (unasked.yaml) the order must be the same, too, and
each score. Otherwise it may differ: what was under way at a kill is chosen anew, by more knowledge; the statistics of a
query's terms are taken anew; and a strategy that scores candidates again in turns (rescore: bounded) scores all of them
(docs/papers/aggarwal.md), so that there rescore: always is compared."""

import contextlib
import fcntl
import json
import os
import random
import select
import sqlite3
import subprocess
import time
from dataclasses import dataclass

from table import Result
from watch import Child, Limits, last_line, run

PAGES_A_SECOND = 40
LONGEST_RUN = 2.0  # seconds; a run commits every half second, so some are killed before, some after


def take_lines(pipe, pages, end):
    """Reads what --json prints, one line a page, at the pace that the crawl is to have, until so many pages or the
    moment `end`."""
    while pages > 0 and (now := time.monotonic()) < end:
        if not select.select([pipe], [], [], end - now)[0]:
            return
        data = os.read(pipe, 1024)
        if not data:
            return
        pages -= data.count(b"\n")
        time.sleep(min(data.count(b"\n") / PAGES_A_SECOND, max(0, end - time.monotonic())))


def run_and_kill(command, folder, dice):
    """One run that is killed, after so long or after so many pages."""
    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, 4096)  # so small that the crawl waits when nobody reads
    pages, seconds = (dice.randrange(1, 45), 60) if dice.random() < .6 else (1000, dice.uniform(0, LONGEST_RUN))
    child = Child(command, folder, Limits(), stdout=writable)
    os.close(writable)
    try:
        take_lines(readable, pages, time.monotonic() + seconds)
        time.sleep(dice.choice((0, 0, .01, .5)))
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        os.close(readable)
    return child.end()


def rows(folder, sql):
    with contextlib.closing(sqlite3.connect(f"file:{folder}/crawl.db?mode=ro", uri=True)) as db:
        return db.execute(sql).fetchall()


def pages(folder):
    """What became of each page, in the order in which they were examined."""
    return rows(folder, """select u.url, p.status, p.digest, p.relevant, p.score, p.priority from page p
                           join url u on u.id = p.url_id order by p.number""")


def states(folder):
    return rows(folder, "select url, state, error from url order by url")


def difference(whole, resumed, ordered):
    """One line about how the resumed crawl differs, or None."""
    if sorted(states(whole)) != sorted(states(resumed)):
        return "URLs have other states"
    want, have = pages(whole), pages(resumed)
    if not ordered:  # scores and priorities may depend on what was seen before
        want, have = (sorted(each[:4] for each in those) for those in (want, have))
    if len(want) != len(have):
        return f"{len(have)} pages instead of {len(want)}"
    for number, (one, other) in enumerate(zip(want, have), 1):
        if one != other:
            return f"page {number} is {other} instead of {one}"
    return None


@dataclass
class Killed:
    strategy: str
    ordering: str = ""  # options with which a resume keeps the order

    @property
    def name(self):
        return f"kills, {self.strategy}"

    def attack(self, seed, number, place):
        dice, result = random.Random(f"{seed} {self.name} {number}"), Result(self.name)
        ordered = dice.random() < .75
        place.fill()

        def watched(command, may_refuse=False):
            """Its outcome; a fault of it is kept."""
            outcome = run(command, place.here, Limits(120))
            result.add(outcome)
            told = (outcome.stderr + outcome.stdout).decode(errors="replace")
            refused = outcome.status == 2 and may_refuse
            fault = outcome.fault()
            if not fault and outcome.status and not refused:
                fault = "wrong", f"exit status {outcome.status}: {last_line(told)}"
            if fault:
                place.keep(result, number, fault, [command[1:]], outcome, {}, place.here)
            return not fault, outcome

        def crawl_of(topic, strategy, window):
            return [place.program, "crawl", topic, "--from", "plain", "-q", "--strategy", strategy, "--window", window]

        crawl = crawl_of("unasked.yaml", self.strategy + self.ordering, "1")
        if ordered:
            sound, outcome = watched([*crawl, "-o", "undisturbed"], may_refuse=True)
            ordered = outcome.status != 2  # else it needs the query
        if not ordered:
            crawl = crawl_of("people.yaml", self.strategy, "4")
            sound, _ = watched([*crawl, "-o", "undisturbed"])
        for _ in range(dice.randrange(1, 4) if sound else 0):
            outcome = run_and_kill([*crawl, "--json", "-o", "resumed"], place.here, dice)
            result.runs, result.peak = result.runs + 1, max(result.peak, outcome.memory)
            fault = outcome.fault() if outcome.status != -9 else None
            if fault:
                place.keep(result, number, fault, [[*crawl[1:], "-o", "resumed"]], outcome, {}, place.here)
                return result
        if not sound or not watched([*crawl, "-o", "resumed"])[0]:
            return result
        sound, outcome = watched([place.program, "check", "resumed"])
        fault = sound and difference(place.here / "undisturbed", place.here / "resumed", ordered)
        if fault:
            place.keep(result, number, ("wrong", fault), [[*crawl[1:], "-o", "again"]], outcome, {}, place.here)
        return result


def targets(program):
    listed = subprocess.run([program, "strategies", "--json"], stdout=subprocess.PIPE, check=True)
    return [Killed(each["name"], ":rescore=always" * any(option["name"] == "rescore" for option in each["options"]))
            for each in json.loads(listed.stdout)]
