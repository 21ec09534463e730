#!/usr/bin/env python3
"""A program of the user's judges pages over a pipe: batches, time-outs, deaths, resumed crawls, `why`, the lab."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from labbing import experiment
from crawling import FRIENDLY, Site, Skip, finish, html, pages, query, scent, test, topic, wait_for, write

ROOT = Path(__file__).resolve().parents[2]

# Scores by a word; `extra` runs before each answer, `page` and `log` at hand.
PROGRAM = """#!/usr/bin/python3
import json, os, sys, time
log = open("asked.txt", "a")
print("start", os.getpid(), file=log, flush=True)
batch = 0
for line in sys.stdin:
    page = json.loads(line)
    batch += 1
    {extra}
    print(json.dumps({{"id": page["id"], "score": 0.9 if "cricket" in page["text"] else 0.1,
                      "why": "because \\033[31m" + page["url"][-2:]}}))
    if page["left"] == 0:
        print("batch", batch, file=log, flush=True)
        batch = 0
        sys.stdout.flush()
"""


class Ring(Site):
    """Pages 0 to 29 on a ring with two links each; every third one is relevant."""

    def __init__(self):
        super().__init__({f"/{n}": html(f"<a href=/{(n + 1) % 30}>x</a> "
                                        f"<a href=/{(n + 7) % 30}>y</a> number{n} " + ("cricket " * 30 if n % 3 == 0
                                                                                     else "tennis " * 30))
                          for n in range(30)})


def program(extra="pass", name="judge.py"):
    write(name, PROGRAM.format(extra=extra))
    os.chmod(name, 0o755)


def crawl(keys="{command: ./judge.py}", status=0, args=(), **more):
    with Ring() as site:
        topic([site.base + "/0"], content="all", judge=keys, **more)
        return scent("crawl", "topic.yaml", "--allow-private", "-o", "out", *args, status=status)


def asked(kind):
    return [int(line.split()[1]) for line in Path("asked.txt").read_text().splitlines() if line.startswith(kind)]


def judged():
    return {page["url"].rsplit("/", 1)[1]: (page["relevant"], round(page["score"], 3)) for page in pages("out")}


RIGHT = {str(n): (n % 3 == 0, 0.9 if n % 3 == 0 else 0.1) for n in range(30)}


@test
def pages_have_the_verdicts_of_the_program():
    program()
    crawl()
    assert judged() == RIGHT, judged()
    assert len(asked("start")) == 1
    assert sum(asked("batch")) == 30, "a page was asked twice"
    assert query("out", "SELECT count(*) FROM page WHERE counted AND judge_version = 0") == [(0,)]


@test
def pages_that_wait_are_asked_as_one_batch():
    program("time.sleep(0.05) if page['left'] == 0 else None")
    write("web.yaml", FRIENDLY)
    topic(scent("web", "generate", "web.yaml", "--seeds", 5).stdout.split(), content="all", judge="{command: ./judge.py, batch: 8}", limits="{pages: 60}")
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out")
    sizes = asked("batch")
    assert sum(sizes) >= 10, (sizes, done.stderr)
    assert 1 < max(sizes) <= 8, sizes


@test
def a_program_that_dies_is_started_again_and_no_page_is_lost():
    program("os._exit(3) if page['url'].endswith('/7') and not os.path.exists('died') and not open('died', 'w').close() "
            "else None")
    done = crawl()
    assert judged() == RIGHT
    assert len(asked("start")) == 2
    assert "failed: it ended (exit status 3); it is started again" in done.stderr, done.stderr


@test
def a_page_without_an_answer_waits_and_the_others_are_judged():
    program("time.sleep(600) if page['url'].endswith('/7') and os.path.exists('hang') else None")
    write("hang", "")
    done = crawl("{command: ./judge.py, timeout: 500ms}")
    assert "it gave no answer for 500ms" in done.stderr, done.stderr
    assert {**judged(), "7": None} == {**RIGHT, "7": None}
    assert query("out", "SELECT url FROM page JOIN url ON url.id = page.url_id WHERE counted AND judge_version = 0")[0][0] \
        .endswith("/7")
    os.remove("hang")
    said = json.loads(scent("rejudge", "out", "--json").stdout)
    assert said["unanswered"] == 0, said
    assert judged() == RIGHT
    assert query("out", "SELECT count(*) FROM page WHERE counted AND judge_version = 0") == [(0,)]


@test
def nonsense_and_silence_end_the_crawl_and_it_resumes():
    for extra, message in (("print('[')", "it is not a JSON object"),
                           ("page['id'] = 99999", "'id' is not that of a page that was asked"),
                           ("print('{\"id\": %d, \"score\": 1.5}' % page['id'])", "'score' is not a number from 0 to 1"),
                           ("print('x' * 200000)", "it is longer than 64 KiB"),
                           ("sys.exit(1)", "it ended (exit status 1)")):
        shutil.rmtree("out", ignore_errors=True)
        program(extra)
        done = crawl(status=2)
        assert message in done.stderr, (message, done.stderr)
        assert "failed 5 times without an answer" in done.stderr, done.stderr
    program()
    crawl()
    assert judged() == RIGHT


@test
def another_program_judges_all_pages_again():
    program()
    crawl(args=("--pages", "10"))
    before = pages("out")
    assert len(before) == 10
    program("page['text'] = 'cricket'")
    done = crawl(args=("--pages", "12"))
    assert "has changed" in done.stderr, done.stderr
    assert all(page["relevant"] for page in pages("out")), pages("out")
    judges = query("out", "SELECT count(DISTINCT digest) FROM judge")
    assert judges == [(2,)], judges


@test
def why_shows_the_reason_as_text():
    program()
    crawl()
    url = next(page["url"] for page in pages("out") if page["url"].endswith("/3"))
    said = scent("why", "out", url).stdout
    assert "relevant, score 0.9000: what the topic's own judge says" in said, said
    assert "./judge.py: because \\x1b[31m/3" in said, said
    assert "\033[31m" not in said


@test
def a_directory_of_somebody_else_runs_nothing():
    program()
    crawl()
    url = pages("out")[3]["url"]
    shutil.copytree("out", "copy", ignore=shutil.ignore_patterns("control"))
    count = len(asked("start"))
    for args, status in ((("why", "copy", url), 0), (("rejudge", "copy"), 2), (("judge", "--crawl", "copy", url), 2)):
        done = scent(*args, status=status)
        assert "give --allow-programs" in done.stderr, done.stderr
    assert len(asked("start")) == count, "it was run"
    assert "./judge.py: because" in scent("why", "copy", url, "--allow-programs").stdout


@test
def a_page_without_an_answer_is_not_a_verdict():
    """Whoever tries a judge must not take its failure for 'not relevant'."""
    program("os._exit(3) if 'tennis' in page['text'] else None")
    topic([], judge="{command: ./judge.py}")
    done = scent("judge", "topic.yaml", "-", input="about tennis", status=2)
    assert "the topic's own judge gave no answer" in done.stderr and "exit status 3" in done.stderr, done.stderr
    assert done.stdout == "", done.stdout
    assert scent("judge", "topic.yaml", "-", input="about cricket").stdout.startswith("relevant"), done.stdout


@test
def mistakes_of_the_key_are_told():
    for keys, message in (("{command: './judge.py -x'}", "write the program and its arguments as a list"),
                          ("{command: ./nowhere.py}", "nowhere.py does not exist"),
                          ("{command: ./topic.yaml}", "cannot be run; chmod +x"),
                          ("{batch: 3}", "name a program"),
                          ("{command: ''}", "the text is empty")):
        done = crawl(keys, status=2)
        assert message in done.stderr, (keys, done.stderr)
    topic(["http://127.0.0.1:1/"], relevant="'judge() > 0.2'")
    assert "add the key 'judge'" in scent("crawl", "topic.yaml", "--allow-private", "-o", "x", status=2).stderr


@test
def the_program_ends_with_the_crawl():
    program()
    crawl()
    for pid in asked("start"):
        wait_for(lambda: not Path(f"/proc/{pid}").exists())


@test
def the_lab_asks_once_a_page():
    program()
    experiment(judge="{command: ./judge.py}", examples="false", strategies="[breadth-first, best-first]", fusions="",
               baseline="", repeats="2", budget="20", points="[20]", topics="{level: 1, min_pages: 20, max: 2}")
    done = scent("lab", "run", "e.yaml", "-o", "result")
    visits = [json.loads(line) for path in Path("result/runs").rglob("*.jsonl") for line in path.open()]
    assert visits and all(abs(visit["score"] - 0.1) < 1e-6 or abs(visit["score"] - 0.9) < 1e-6 for visit in visits), \
        (visits[:2], done.stderr)
    assert len(asked("start")) == 1


@test
def the_example_with_scikit_learn_judges():
    python = shutil.which("python3", path="/usr/bin:/bin")
    if subprocess.run([python, "-c", "import sklearn"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("scikit-learn is not installed")
    examples = ROOT / "examples"
    write("topic.yaml", f"topic: hockey\njudge: {{command: [{python}, {examples}/judge/judge.py, "
                        f"{examples}/hockey/positive, {examples}/hockey/negative]}}\n")
    write("wanted.txt", "The goalie froze the puck, and the referee blew the whistle after the power play.")
    write("other.txt", "Bake the bread for forty minutes and let the dough rest.")
    said = scent("judge", "topic.yaml", "wanted.txt", "other.txt", "--json").stdout
    wanted, other = [json.loads(line) for line in said.splitlines()]
    assert wanted["relevant"] and not other["relevant"], said
    assert "puck +" in wanted["reasons"], said


finish()
