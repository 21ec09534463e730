#!/usr/bin/env python3
"""A crawl that runs is watched and steered by its control socket, and no client can disturb it."""

import json
import os
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path

from crawling import FRIENDLY, SCENT, SLOW, Site, finish, html, query, scent, test, topic, wait_for, write

PAGES = 20 if SLOW else 60


class Tree(Site):
    """An endless tree: page N links to three more."""

    def __init__(self):
        super().__init__({})

    def answer(self, path, headers):
        if not path.startswith("/p"):
            return 404, [], b"not here"
        number = int(path[2:] or 0)
        return html(f"hockey {number} " + " ".join(f"<a href=/p{3 * number + i}>rink {i}</a>" for i in (1, 2, 3)))


class Crawl:
    """`scent crawl` in the background, with its control socket."""

    def __init__(self, folder="out", *options):
        self.folder = folder
        self.child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--allow-private", "-o", folder, *options],
                                      stderr=subprocess.PIPE, text=True)
        wait_for(lambda: self.child.poll() is not None or self.answers())
        assert self.child.poll() is None, self.child.stderr.read()

    def answers(self):
        try:
            connect(self.folder).close()
            return True
        except OSError:
            return False

    def ask(self, **request):
        with connect(self.folder) as one, one.makefile("rw") as file:
            file.write(json.dumps(request) + "\n")
            file.flush()
            return json.loads(file.readline())

    def do(self, what, **values):
        answer = self.ask(do=what, **values)
        assert answer.get("ok"), answer
        return answer

    def status(self):
        return self.ask(do="status")

    def wait(self, status=0):
        err = self.child.communicate(timeout=240)[1]
        assert self.child.returncode == status, f"exit status {self.child.returncode}\n{err}"
        return err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        self.child.stderr.close()


def connect(folder):
    """Its path may be longer than an address of a socket."""
    one = socket.socket(socket.AF_UNIX)
    where = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        one.settimeout(120)
        one.connect(f"/proc/self/fd/{where}/control")
    except OSError:
        one.close()
        raise
    finally:
        os.close(where)
    return one


def slow_topic(site, delay="30ms", limit=100000):
    topic([site.base + "/p"], limits=f"{{pages: {limit}, depth: 100}}",
          politeness=f"{{delay: {delay}, per_host: 1, retries: 0}}")


@test
def a_crawl_is_watched_paused_and_stopped():
    with Tree() as site:
        slow_topic(site)
        with Crawl() as crawl:
            mode = os.lstat("out/control").st_mode
            assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600, oct(mode)
            with connect("out") as one, one.makefile("rw") as file:
                file.write('{"do":"watch"}\n')
                file.flush()
                first, second = json.loads(file.readline()), json.loads(file.readline())
            assert first["running"] and second["seconds"] > first["seconds"], (first, second)
            wait_for(lambda: crawl.status()["pages"] > 5)
            crawl.do("pause")
            wait_for(lambda: crawl.status()["in_flight"] == 0)
            still, asked = crawl.status(), len(site.log)
            assert still["state"] == "paused" and "paused" in still["waits_for"], still
            time.sleep(0.3)
            assert len(site.log) == asked and crawl.status()["pages"] == still["pages"], "it was visited in a pause"
            assert crawl.status()["seconds"] == still["seconds"], "a pause counts as time"
            crawl.do("resume")
            wait_for(lambda: crawl.status()["pages"] > still["pages"])
            assert scent("control", "out", "stop").stdout.startswith('{"ok":true')
            crawl.wait(11)
        assert not Path("out/control").exists(), "the socket is left behind"
        assert "no crawl is running" in scent("control", "out", "status", status=2).stderr
        seen = json.loads(scent("status", "out", "--json").stdout)
        assert not seen["running"] and seen["pages"] > still["pages"]
        kinds = [kind for kind, in query("out", "select text from event where kind = 'control' order by id")]
        assert kinds == ["the crawl is paused", "the crawl continues", "the crawl stops"], kinds


@test
def what_was_asked_survives_a_kill():
    with Tree() as site, Tree() as other:
        slow_topic(site)
        with Crawl() as crawl:
            wait_for(lambda: crawl.status()["pages"] > 2)
            crawl.do("pause")
            crawl.do("set", pages=PAGES, delay="10ms")
            answer = crawl.do("add", urls=[other.base + "/p", "ftp://nothing", "http://192.0.2.7/"])
            assert answer["added"] == 1 and len(answer["refused"]) == 2, answer
            crawl.do("block", host="Localhost")
            crawl.child.send_signal(signal.SIGKILL)
            crawl.child.wait()
        assert Path("out/control").is_socket(), "there is nothing stale to be replaced"
        with Crawl() as crawl:
            now = crawl.status()
            assert now["state"] == "paused" and now["limits"]["pages"] == PAGES and now["delay"] == 0.01, now
            assert now["blocked"] == ["localhost"], now["blocked"]
            assert not other.log, other.log
            crawl.do("unblock", host="localhost")
            crawl.do("resume")
            assert "still is" in crawl.wait()
        assert len(other.log) > 1, "the seed that was added was not visited"
        assert query("out", "select count(*) from page where counted") == [(PAGES,)]
        # Whoever says another limit afterwards means it.
        done = scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "--pages", PAGES + 5)
        assert f"{PAGES + 5} pages" in done.stderr, done.stderr


@test
def a_blocked_host_is_not_visited_any_more():
    with Tree() as site:
        slow_topic(site)
        with Crawl() as crawl:
            wait_for(lambda: crawl.status()["pages"] > 3)
            crawl.do("block", host="127.0.0.1")
            before = len(site.log)
            crawl.wait()
        asked = len(site.log)
        reasons = dict(query("out", "select error, count(*) from url where state = 'dropped' group by 1"))
        assert reasons["the host is blocked"] > 3, reasons
        assert asked <= before + 2, (before, asked)  # what was under way


@test
def requests_that_make_no_sense_are_refused():
    with Tree() as site:
        slow_topic(site)
        with Crawl() as crawl:
            for request in [{"do": "fly"}, {"do": "set"}, {"do": "set", "pages": []}, {"do": "set", "pages": -1},
                            {"do": "set", "pagez": 1}, {"do": "set", "pages": 7, "more": 1}, {"do": "set", "delay": 0},
                            {"do": "set", "time": "soon"}, {"do": "set", "depth": 10 ** 9}, {"do": "add"},
                            {"do": "add", "urls": "x"}, {"do": "block"}, {"do": "block", "host": "a/b"},
                            {"do": "mark", "url": site.base + "/p"}, {"do": 7}, {}, [], "pause",
                            {"do": "mark", "url": site.base + "/nowhere", "relevant": True}, {"do": "unmark"}]:
                with connect("out") as one, one.makefile("rw") as file:
                    file.write(json.dumps(request) + "\n")
                    file.flush()
                    assert "error" in json.loads(file.readline()), request
            assert crawl.status()["limits"]["pages"] == 100000
            wait_for(lambda: crawl.status()["pages"] > 0)
            assert crawl.do("mark", url=site.base + "/p", relevant=True) == {"ok": True, "trains": False}
            assert crawl.do("unmark", url=site.base + "/p")["ok"]
            marks = [line.split("\t")[1:] for line in Path("out/marks.tsv").read_text().splitlines()]
            assert marks == [["yes", site.base + "/p"], ["none", site.base + "/p"]], marks
            crawl.do("stop")
            crawl.wait(11)


def wait_for_log(text, count=1):
    wait_for(lambda: Path("out/crawl.log").read_text().count(text) >= count)


def write_examples():
    for kind, words in (("positive", "hockey rink puck goal skate stick"), ("negative", "bread oven flour yeast dough")):
        for i in range(8):
            path = Path(f"ex/{kind}/{i}.html")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"<html lang=en><title>{kind} {i}</title><p>" + " ".join(words.split()[i % 4:] * 5))


@test
def a_mark_trains_the_judge_while_the_crawl_is_paused():
    write_examples()
    with Tree() as site:
        topic([site.base + "/p"], limits="{depth: 100}", politeness="{delay: 10ms, per_host: 1, retries: 0}",
              examples="{positive: ex/positive, negative: ex/negative}")
        with Crawl() as crawl:
            wait_for(lambda: crawl.status()["pages"] > 5)
            crawl.do("pause")
            assert crawl.do("mark", url=site.base + "/p", relevant=True)["trains"]
            wait_for_log("and 1 marks;")
            crawl.do("mark", url=site.base + "/p1", relevant=False)
            wait_for_log("and 2 marks;")
            crawl.do("unmark", url=site.base + "/p1")
            wait_for_log("and 1 marks;", 2)
            crawl.do("resume")
            pages = crawl.status()["pages"]
            wait_for(lambda: crawl.status()["pages"] > pages + 3)
            crawl.do("stop")
            crawl.wait(11)
    scent("check", "out")


class Sports(Site):
    """A page with links among words of two subjects, and their pages."""

    WORDS = {"curling": "curling stone broom sheet skip sweep ", "bakery": "cake sugar butter cream glaze tart "}

    def __init__(self):
        links = " ".join(f"<p>{words * 4} <a href=/{kind}{i}>{words} {kind}{i}</a> {words * 4}</p>"
                         for i in range(25) for kind, words in self.WORDS.items())
        pages = {f"/{kind}{i}": html(f"<title>{kind} {i}</title>" + f"{words} number{i} " * 5)
                 for kind, words in self.WORDS.items() for i in range(25)}
        super().__init__({**pages, "/p": html("<title>sports</title>hockey rink puck goal " + links)})


def queued(site):
    return {url[len(site.base):]: priority
            for url, priority in query("out", "SELECT url, priority FROM url WHERE state = 'queued'")}


def ahead(priorities):
    """By how much the links to one subject are ahead of those to the other, in the mean."""
    means = [[priority for path, priority in priorities.items() if kind in path] for kind in Sports.WORDS]
    return sum(means[0]) / len(means[0]) - sum(means[1]) / len(means[1])


def marks_reorder_the_queue(strategy):
    write_examples()
    with Sports() as site:
        topic([site.base + "/p"], limits="{depth: 100}", politeness="{delay: 300ms, per_host: 1, retries: 0}",
              examples="{positive: ex/positive, negative: ex/negative}", **strategy)
        with Crawl() as crawl:
            wait_for(lambda: crawl.status()["pages"] > 7)
            crawl.do("pause")
            wait_for(lambda: crawl.status()["in_flight"] == 0)
            before = queued(site)
            marked = [url[len(site.base):] for url, in query("out", "SELECT url FROM url WHERE state = 'fetched'")]
            marked = [path for path in marked if "curling" in path or "bakery" in path]
            for path in marked:
                crawl.do("mark", url=site.base + path, relevant="curling" in path)
            wait_for_log(f"and {len(marked)} marks;")
            crawl.child.kill()  # at whatever point of the pass
            crawl.child.wait()
        with Crawl() as crawl:  # it is still paused
            wait_for_log("have other priorities after marks")
            wait_for(lambda: query("out", "SELECT length(value) FROM value WHERE name = 'rescoring'") == [(0,)])
            after = queued(site)
            assert after.keys() == before.keys() and len(after) > 20, (before, after)
            assert ahead(after) > ahead(before) + .1, (ahead(before), ahead(after), before, after)
            for path in list(after)[::9]:
                told = json.loads(scent("why", "out", site.base + path, "--json").stdout)["score"]
                assert abs(told["priority"] - after[path]) < 1e-6 and told["parts"], (told, after[path])
            crawl.do("resume")
            wait_for(lambda: len(queued(site)) <= len(after) - 4)
            crawl.do("stop")
            crawl.wait(11)
        gone = sorted(after.keys() - queued(site).keys(), key=after.get, reverse=True)
        assert all("curling" in path for path in gone[:3]), gone
    scent("check", "out")


@test
def marks_give_queued_links_other_priorities():
    marks_reorder_the_queue({"strategy": "{name: text-window, words: 10}"})


@test
def marks_give_queued_links_of_the_default_other_priorities():
    marks_reorder_the_queue({})


@test
def whoever_watches_is_told_that_pages_are_judged_once_more():
    write("web.yaml", FRIENDLY.replace("pages_per_host: 15", "pages_per_host: 100"))
    seeds = scent("web", "generate", "web.yaml", "--seeds", 5).stdout.split()
    topic(seeds, query="the OR that", limits=f"{{pages: {300 if SLOW else 1500}}}")
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out"])
    wait_for(lambda: Path("out/control").exists())
    with connect("out") as one, one.makefile("rw") as file:
        file.write('{"do":"watch"}\n')
        file.flush()
        states = [json.loads(line)["state"] for line in file]
    assert child.wait() == 0 and states[-1] == "ending", states
    assert not Path("out/control").exists()


@test
def no_client_disturbs_a_crawl():
    with Tree() as site:
        slow_topic(site, "1ms", 10 ** 6)
        with Crawl() as crawl:
            before = crawl.status()["pages"]
            lazy = [connect("out") for _ in range(20)]  # that watch, and read nothing
            for one in lazy:
                one.sendall(b'{"do":"watch"}\n')
            half = [connect("out") for _ in range(20)]  # that never end their line
            for one in half:
                one.sendall(b'{"do":"sta')
            with connect("out") as one, one.makefile("rb") as file:  # garbage
                one.sendall(b"\x00\xff\n\n{\n" + b"[" * 1000 + b"\n")
                for _ in range(4):
                    assert b"error" in file.readline()
            with connect("out") as one, one.makefile("rb") as file:  # a line without end
                try:
                    one.sendall(b"x" * (200 << 10))
                except OSError:
                    pass
                assert b"too long" in file.readline()
                try:
                    assert not file.readline()
                except ConnectionResetError:
                    pass  # it did not read the rest
            with connect("out") as one:  # that asks and goes
                one.sendall(b'{"do":"status"}\n' * 500)
            many = []
            for _ in range(40):
                many.append(connect("out"))
            assert any(b"too many" in one.recv(100) for one in many[-3:]), "there is no limit"
            for one in lazy + half + many:
                one.close()
            wait_for(lambda: crawl.status().get("pages", 0) > before + 20)  # those who went may still have their places
            with connect("out") as one, one.makefile("rb") as file:  # that says no more, but listens
                one.sendall(b'{"do":"status"}\n{"do":"pause"}\n')
                one.shutdown(socket.SHUT_WR)
                assert json.loads(file.readline())["running"] and json.loads(file.readline())["ok"]
                assert not file.readline()
            crawl.do("stop")
            crawl.wait(11)
    scent("check", "out")


@test
def what_is_in_the_place_of_the_socket_is_left_alone():
    for make in (lambda: Path("victim").write_text("mine") and os.symlink("../victim", "out/control"),
                 lambda: Path("out/control").write_text("mine"),
                 lambda: os.symlink("../nowhere", "out/control")):
        subprocess.run(["rm", "-rf", "out", "victim"], check=True)
        with Tree() as site:
            topic([site.base + "/p"], limits="{pages: 3}")
            scent("crawl", "topic.yaml", "--allow-private", "-o", "out")
            make()
            done = scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "--pages", "6")
            assert "cannot be watched" in done.stderr, done.stderr
        assert os.path.lexists("out/control")
        if Path("victim").exists():
            assert Path("victim").read_text() == "mine"
        refused = scent("control", "out", "status", status=2)
        assert "socket" in refused.stderr or "symbolic" in refused.stderr, refused.stderr


@test
def a_socket_lies_under_a_long_path_too():
    folder = Path("/".join("x" * 100 for _ in range(3))) / "out"
    folder.parent.mkdir(parents=True)
    with Tree() as site:
        slow_topic(site)
        with Crawl(str(folder)) as crawl:
            assert json.loads(scent("control", folder, "status").stdout)["running"]
            crawl.do("stop")
            crawl.wait(11)


@test
def a_window_does_not_hide_requests():
    with Tree() as site:
        slow_topic(site)
        with Crawl("out", "--window", "2") as crawl:
            wait_for(lambda: crawl.status()["pages"] > 3)
            crawl.do("set", pages=crawl.status()["pages"] + 5)
            crawl.wait()


finish()
