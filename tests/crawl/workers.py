"""What the tests of several workers share: a topic for them and for one alone, workers, and what they must have fetched."""

import ctypes
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from crawling import FRIENDLY, SCENT, check_crawl, query, scent, topic, wait_for, write

WEB = FRIENDLY + "duplicates: 0\n"  # copies on other domains are known to their own worker alone
CLUSTER = "{workers: %d, name: %s, turn: %s, partitions: 16, lease: %s}"


def prepare(workers, web=WEB, name="test", lease="120s", turn="50ms", politeness=None, seeds=None, **keys):
    """web.yaml, unless there are seeds elsewhere, topic.yaml for workers, alone.yaml for one, which need not wait."""
    if not seeds:
        write("web.yaml", web)
        seeds = scent("web", "generate", "web.yaml", "--seeds", "4").stdout.split()
    keys.setdefault("strategy", "breadth-first")
    keys.setdefault("limits", "{depth: 1000}")
    topic(seeds, path="alone.yaml", **keys)
    if politeness:
        keys["politeness"] = politeness
    topic(seeds, cluster=CLUSTER % (workers, name, turn, lease), **keys)


def die_with_the_test():
    """In the child: a test that fails leaves nobody at work."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def start(number, server, *options, source=("--from", "web.yaml"), env=None):
    """What it says goes to a file, which a test that fails shows."""
    with open(f"w{number}.log", "ab") as log:
        return subprocess.Popen([SCENT, "crawl", "topic.yaml", *source, "-o", f"w{number}", "--join", server.uri, *options],
                                stdout=log, stderr=log, env=env, preexec_fn=die_with_the_test)


def hurry(*numbers):
    """These workers may be over soon: until the test has seen them at work their delay is long, however slow it looks."""
    for number in numbers:  # one that has just come back may not listen yet, another one may be over without it
        command = [SCENT, "control", f"w{number}", "set", "delay=10ms"]
        for _ in range(50):
            if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.2)


def show_logs():
    for path in sorted(Path().glob("w*.log")):
        print(f"---- {path}", *path.read_text(errors="replace").splitlines()[-30:], sep="\n")


def finish_all(children):
    for child in children:
        assert child.wait(200) == 0, child.args


def wait_at_work(what, children):
    """As wait_for(), for what workers do: none of them may end before."""
    def seen():
        if what():
            return True
        for child in children:
            assert child.poll() is None, f"{child.args} has ended before: {child.returncode}"
        return False

    wait_for(seen)


def fetched(crawl):
    """Pages by their URL."""
    return Counter(url for url, in query(crawl, "select url.url from page join url on url.id = page.url_id where counted"))


def check_together(workers):
    """The pages that one worker gets, each of one worker, once; and every directory is sound."""
    together, alone = sum((fetched(f"w{i}") for i in range(workers)), Counter()), fetched("alone")
    assert together == alone, (sum(together.values()), sum(alone.values()), list((together - alone).items())[:5],
                               list((alone - together).items())[:5])
    for i in range(workers):
        check_crawl(f"w{i}")


def check_log(server, *crawls):
    """What is replayed from the log is what the directories say, also where a worker was killed."""
    done = subprocess.run([SCENT, "check", *crawls, "--join", server.uri], capture_output=True, text=True, timeout=240)
    assert done.returncode in (0, 11), done
    assert done.stderr.count(" of this worker: 0 problems") == len(crawls), done


def check_server(server, links=True):
    """All was sent, applied and committed."""
    check_log(server, *(path.parent for path in Path().glob("w*/crawl.db")))
    assert server.sql("SELECT state FROM scent.crawl") == [["ended"]]
    sent, applied, rows = server.sql("SELECT (SELECT sum(sent) FROM scent.worker), (SELECT sum(applied) FROM scent.part),"
                                     " (SELECT count(*) FROM scent.log WHERE kind = 1)")[0]
    assert sent == applied == rows and (int(sent) > 0 or not links), (sent, applied, rows)
