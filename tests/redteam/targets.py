"""Every kind of file that scent reads, and the commands that read it.

A Target is attacked once for each number: a copy of the corpus, of which one file is mutated, and a few commands on it.
Seed, name and number give the same damage to the same file."""

import contextlib
import random
import sqlite3
from dataclasses import dataclass, field

from mutation import WORDS, mutate, mutate_bytes, odd_value
from table import Result
from watch import Limits, run

CRAWL = "crawl {topic} --from plain -q --time 20s -o out --pages".split()
INSPECT = [line.split() for line in (
    "status {dir}", "status {dir} --json", "why {dir} http://person.test/1", "why {dir} http://hockey.test/1 --json",
    "export {dir} -f jsonl", "export {dir} -f csv", "export {dir} -f urls", "export {dir} -f cdxj",
    "export {dir} -f graphml", "check {dir}", "check {dir} --repair", "purge {dir} http://person.test/1 hockey.test",
    "purge -n {dir} person.test",
    "crawl people.yaml --from plain -q --time 20s -o {dir} --strategy {strategy} --pages 40",
    "crawl reused.yaml --from plain -q --time 20s -o fresh --reuse {dir} --pages 10")]
# Commands whose output is for people: nothing of a file may reach the terminal as it is.
SHOWN = {"status", "why", "check", "judge", "train", "rules", "trace", "browse", "lab"}
# Their work grows with the numbers in the file. They must end when they are told to.
WORKING = Limits(stop=15)


def crawl(topic, pages=12, *more):
    return [part.format(topic=topic) for part in CRAWL] + [str(pages), *more]


def lines(*texts):
    return [text.split() for text in texts]


@dataclass
class Target:
    name: str
    files: list            # patterns, below the corpus
    commands: list         # {file}: what was mutated; {dir}, {strategy}: of a crawl directory
    how: object = mutate   # (bytes, dice) -> bytes
    limits: Limits = field(default_factory=Limits)

    def attack(self, seed, number, place):
        """One attack in the empty folder of `place`; what is found is kept by it."""
        dice = random.Random(f"{seed} {self.name} {number}")
        result = Result(self.name)
        name = dice.choice(sorted(match for pattern in self.files for match in place.corpus_files(pattern)))
        data = self.how((place.corpus / name).read_bytes(), dice)
        link = "crawl/" in name and dice.random() < .05
        place.fill()
        damage(place.here / name, data, link)
        done = []
        for command in dice.sample(self.commands, min(len(self.commands), dice.choice((1, 1, 2, 3)))):
            command = [part.format(file=name, dir=name.split("/")[0], strategy=strategy_of(name)) for part in command]
            outcome = run([place.program, *command], place.here, self.limits)
            done.append(command)
            fault = outcome.fault() or misplaced(command, outcome, place)
            if fault and fault[0] == "hang" and not self.hangs_again(done, name, data, link, place):
                fault = None
            result.add(outcome)
            if fault:
                place.keep(result, number, fault, done, outcome, {name: data})
                break
        return result

    def hangs_again(self, commands, name, data, link, place):
        """A loaded machine is slow: what hangs does so with thrice the time, too."""
        place.fill()
        damage(place.here / name, data, link)
        patient = Limits(3 * self.limits.seconds, self.limits.stop, self.limits.memory)
        return any(run([place.program, *command], place.here, patient).ended == "time" for command in commands)


def damage(path, data, link):
    if link:  # a crawl directory of somebody else's may lead elsewhere
        path.unlink()
        path.symlink_to("../" * (len(path.parts) - path.parts.index("here") - 1) + "sentinel")
    else:
        path.write_bytes(data)


def strategy_of(name):
    return "combined" if name.startswith("people.crawl") else "intelligent"


def misplaced(command, outcome, place):
    if command[0] in SHOWN and "-o" not in command and b"\x1b" in outcome.stdout:
        return "wrong", "an escape sequence reaches the terminal"
    if not place.sentinel_is_whole():
        return "wrong", "a file outside of the crawl directory was changed"
    return None


# ---- special damage ----

def mutate_checkpoint(data, dice):
    """The state of the strategy and what else a crawl keeps of its last run: the table of values, alone."""
    db = sqlite3.connect(":memory:")
    with contextlib.closing(db):
        db.deserialize(data[:18] + b"\1\1" + data[20:])  # in memory there is no write-ahead log
        names = [name for (name,) in db.execute("select name from value order by name")]
        for _ in range(dice.choice((1, 1, 2))):
            name = dice.choice(names)
            old = db.execute("select value from value where name = ?", (name,)).fetchone()[0]
            with contextlib.suppress(sqlite3.Error, OverflowError):
                db.execute("update value set value = ? where name = ?", (odd_value(old, dice), name))
        db.commit()
        data = db.serialize()
    return data[:18] + b"\2\2" + data[20:]


# What a user or a script may get wrong on a command line; no paths of output, nothing that leaves the machine.
ARGUMENTS = {
    "crawl people.yaml --from plain -q -o out --pages 5 --strategy": ["text-window:words=20,threshold=0.1",
                                                                      "fusion:of=fish + shark,by=ranks"],
    "crawl people.yaml --from plain -q -o out --time 1s --pages": ["12"],
    "crawl people.yaml --from plain -q -o out --pages 5 --window": ["7"],
    "crawl people.yaml --from plain -q -o out --pages 5 --time": ["1h30m"],
    "crawl people.yaml --from plain -q -o out --pages 5 --reuse": ["learned.crawl:0.5"],
    "crawl people.yaml -q -o out --proxy-all": ["127.0.0.1:1"],
    "judge people.yaml site/note.txt --from plain -b": ["http://a.test/x/"],
    "purge people.crawl": ["http://person.test/1", "person.test:80"],
    "why people.crawl": ["http://person.test/1"],
    "why people.crawl http://person.test/1 --strategy": ["intelligent:rescore=never"],
    "web generate web.yaml --url": ["http://host1.test/1"],
    "web generate web.yaml --seeds": ["4"],
    "trace import squid.log -o t --idle": ["30"],
    "trace import squid.log -o t --memory": ["100"],
    "trace import common.log -o t -b": ["http://a.test/"],
    "browse import mine.jsonl -o b --since": ["2026-01-01"],
    "browse import firefox -o b --folder": ["Hockey"],
    "browse import mine.jsonl -o b --host": ["*.test"],
    "rules show people.rules --to": ["School.Person"],
    "rules show people.rules --depth": ["2"],
    "lab contexts plain --labels labels.tsv -c cache --category": ["School"],
    "lab contexts plain --labels labels.tsv -c cache --words": ["10,20"],
    "export people.crawl -f": ["csv"],
}


class Arguments(Target):
    """Words of a command line instead of files."""

    def __init__(self):
        super().__init__("arguments", [], [])

    def attack(self, seed, number, place):
        dice, result = random.Random(f"{seed} {self.name} {number}"), Result(self.name)
        place.fill()
        for start in dice.sample(sorted(ARGUMENTS), 3):
            old = dice.choice(ARGUMENTS[start]).encode()
            word = dice.choice(WORDS) if dice.random() < .2 else mutate_bytes(old, dice)
            command = start.split() + [word.replace(b"\0", b"")[:60000].decode("utf-8", "surrogateescape")]
            outcome = run([place.program, *command], place.here, WORKING)
            result.add(outcome)
            fault = outcome.fault() or misplaced(command, outcome, place)
            if fault:
                place.keep(result, number, fault, [command], outcome, {})
        return result


TARGETS = [
    Target("topic file", ["people.yaml", "odp.yaml", "shown.yaml", "asked.yaml", "walked.yaml", "followed.yaml",
                          "reused.yaml", "closed.yaml"],
           [crawl("{file}"), *lines("train {file} --from plain -o m",
                                    "judge {file} site/note.txt site/person1.html --from plain")]),
    Target("experiment file", ["lab.yaml"], lines("lab run lab.yaml -o out -c cache -q -t 1"), limits=WORKING),
    Target("web file", ["web.yaml"],
           lines("crawl generated.yaml --from web.yaml -q --time 20s -o out --pages 12",
                 "web generate web.yaml --seeds 5", "web generate web.yaml --labels",
                 "web generate web.yaml --url http://host1.test/1",
                 "lab run weblab.yaml -o out -c cache -q -t 1"), limits=WORKING),
    Target("WARC", ["plain/a.warc"],
           [crawl("people.yaml", 40), crawl("people.yaml", 40, "--strategy", "rules"),
            *lines("judge people.yaml plain/a.warc --json", "lab contexts plain --labels labels.tsv -c fresh",
                   "train people.yaml --from plain -o m")]),
    Target("WARC, gzip", ["packed/a.warc.gz", "site.packed/*"],
           lines("crawl people.yaml --from packed -q --time 20s -o out --pages 40", "judge people.yaml {file} --json",
                 "lab contexts packed --labels labels.tsv -c fresh",
                 "crawl people.yaml --from site.packed -q -o out --pages 4")),
    Target("page", ["site/*"],
           lines("judge people.yaml {file} --json", "judge shown.yaml {file}", "judge asked.yaml {file}",
                 "web pack site -b http://site.test/ -o out")),
    Target("crawl.db", ["*.crawl/crawl.db", "killed.crawl/crawl.db-wal"], INSPECT),
    Target("checkpoint", ["people.crawl/crawl.db", "learned.crawl/crawl.db"], INSPECT[-3:-1] + INSPECT[2:3],
           mutate_checkpoint),
    Target("crawl directory", ["people.crawl/*.*", "killed.crawl/*.*", "killed.crawl/lock", "*.crawl/warc/*",
                               "*.crawl/learned/*"], INSPECT),
    Target("learned counts", ["people.crawl/learned/*", "learned.crawl/learned/*"],
           [*INSPECT[-2:], crawl("reused.yaml"),
            *lines("crawl asked.yaml --from plain -q -o out --pages 12 --strategy intelligent "
                   "--reuse learned.crawl:0.5")]),
    Target("model", ["people.model", "shown.model"],
           [crawl("people.yaml"), crawl("shown.yaml"),
            *lines("judge people.yaml site/note.txt", "judge shown.yaml site/note.txt --json")]),
    Target("census", ["people.census"], [crawl("people.yaml"), *lines("judge people.yaml site/note.txt")]),
    Target("rules", ["people.rules"],
           [crawl("people.yaml", 12, "--strategy", "rules"),
            *lines("rules show people.rules", "rules show people.rules --svg", "rules show people.rules --dot",
                   "rules show people.rules --to School.Person --depth 3")]),
    Target("browsing model", ["mine.browsing"], [crawl("walked.yaml"), *lines("judge walked.yaml site/note.txt")]),
    Target("trace", ["people.trace"],
           [crawl("followed.yaml"), *lines("trace info people.trace", "trace info people.trace --json")]),
    Target("access log", ["squid.log", "common.log", "combined.log", "plain.log.gz"],
           [crawl("followed.yaml"),
            *lines("trace import {file} -o t", "trace import {file} -o t -b http://a.test/ --keep-users",
                   "trace import {file} -o t -f squid", "trace import {file} -o t -f combined -b http://a.test/",
                   "browse import {file} -o b -b http://a.test/")]),
    Target("browsing file", ["mine.jsonl", "visited.txt"],
           lines("browse info {file}", "browse import {file} -o b",
                 "browse import mine.jsonl --useful visited.txt -o b",
                 "browse train {file} -o m --from plain --clusters 3")),
    Target("browser profile", ["firefox/places.sqlite", "chromium/History", "chromium/Bookmarks"],
           lines("browse import firefox -o b", "browse import chromium -o b",
                 "browse import chromium -o b --folder Hockey",
                 "browse import firefox chromium -o b --since 2026-01-01")),
    Target("taxonomy", ["taxonomy.tsv", "content.rdf.u8"],
           lines("train people.yaml --from plain -o m", "train odp.yaml --from plain -o m",
                 "rules build people.yaml --from plain -o r -q")),
    Target("labels", ["labels.tsv"],
           lines("lab run lab.yaml -o out -c fresh -q -t 1", "lab contexts plain --labels labels.tsv -c fresh")),
    Target("results of experiments", ["results/*", "results/runs/*/*"],
           lines("lab compare results others", "lab compare others results --json", "lab compare results results --csv",
                 "lab run lab.yaml -o results -c cache -q -t 1")),
    Target("cache of the lab", ["cache/*"],
           lines("lab run lab.yaml -o out -c cache -q -t 1", "lab contexts plain --labels labels.tsv -c cache")),
    Target("seeds", ["seeds.txt"], [crawl("people.yaml", 12, "--seeds", "seeds.txt"), crawl("shown.yaml")]),
    Target("cookies", ["cookies.txt"], [crawl("closed.yaml"), crawl("people.yaml", 12, "--cookies", "cookies.txt")]),
    Target("logins", ["logins.yaml"], [crawl("closed.yaml"), crawl("people.yaml", 12, "--logins", "logins.yaml")]),
    Target("examples", ["examples/*/*"],
           lines("train shown.yaml --from plain -o m", "init new --examples examples", "judge shown.yaml {file}")),
    Arguments(),
]
