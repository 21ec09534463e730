#!/usr/bin/env python3
"""Bad input: the message names the place and the fix, the exit status is 2, and nothing is lost."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from crawling import SCENT, Site, Skip, check_crawl, finish, html, query, scent, test, topic, urls, write

WEB = "kind: generated\nseed: 3\nhosts: 20\npages_per_host: 20\ndead_hosts: 0\nslow_hosts: {share: 0}\n"


def refused(*args, says=(), status=2, **options):
    """Refused before anything is touched; stderr has all of `says`."""
    before = sorted(os.listdir("."))
    done = scent(*args, status=status, **options)
    for words in says:
        assert words in done.stderr, f"'{words}' is not in: {done.stderr}"
    assert sorted(os.listdir(".")) == before, "files were left behind"


def small_web():
    write("web.yaml", WEB)
    return scent("web", "generate", "web.yaml", "--seeds", "2").stdout.split()


@test
def usage_errors_point_to_the_help():
    refused(says=["usage: scent"])
    refused("crowl", says=["'crowl'", "did you mean 'scent crawl'", "scent --help"])
    refused("crawl", says=["missing argument TOPIC.yaml", "scent crawl --help"])
    refused("crawl", "--bogus", says=["unknown option '--bogus'"])
    refused("crawl", "--pagse", "3", says=["did you mean --pages?"])
    refused("crawl", "a.yaml", "b.yaml", says=["unexpected argument 'b.yaml'"])
    refused("crawl", "a.yaml", "--pages", "many", says=["'many'", "--pages"])
    refused("crawl", "a.yaml", "--time", "soon", says=["'soon'", "--time"])
    refused("crawl", "a.yaml", "--proxy-all", "example.org:80", says=["loopback"])
    refused("export", "x", "-f", "pdf", says=["'pdf'", "jsonl"])
    refused("web", "spin", says=["spin", "serve"])
    refused("crawl", "a.yaml", "--pages", "\x1b[2J", says=["'?[2J'", "--pages"])


def commands(*parents):
    """All commands, as the help lists them, subcommands included."""
    for line in scent(*parents, "--help").stdout.splitlines():
        name = re.match(r"  (?!scent )([a-z]+) ", line)
        if name:
            yield [*parents, name[1]]
            if not parents and "COMMAND …" in scent(name[1], "--help").stdout:
                yield from commands(name[1])


@test
def every_help_fits_a_screen_and_has_an_example():
    names = list(commands())
    assert len(names) > 25, names
    overview = scent("--help").stdout.splitlines()
    assert len(overview) <= 32 and max(map(len, overview)) <= 100, max(overview, key=len)
    for name in names:
        lines = scent(*name, "--help").stdout.splitlines()
        assert len(lines) <= 25 and max(map(len, lines)) <= 80, (name, len(lines))
        assert "Example:" in lines, name
        whole = scent(*name, "--help=all").stdout
        hidden = re.search(r"More, by --help=all: ((?:--[a-z-]+,?\s)+)", "\n".join(lines) + "\n")
        for option in hidden[1].replace(",", "").split() if hidden else []:
            assert re.search(rf"^ +(-\w, )?{option}\b", whole, re.M), (name, option)


@test
def the_version_has_the_features_of_this_machine():
    said = dict(line.partition(": ")[::2] for line in scent("--version").stdout.splitlines()[1:])
    assert "best-first" in said["strategies"].split() and "svm" in said["classifiers"].split(), said
    assert "wacz" in said["exports"].split() and said["plug-ins"] == "ABI 1", said
    assert "libcurl/" in said["libraries"] and said["many machines"].startswith(("yes", "no: ")), said
    without = scent("--version", env={"SCENT_PDF_READER": "/nowhere/pdftohtml"}).stdout
    assert "\nreads: HTML, text, but no PDF: /nowhere/pdftohtml is not installed (Debian: poppler-utils)\n" in without, without


@test
def the_manual_has_every_command():
    source = (Path(__file__).resolve().parents[2] / "man/scent.1.scd").read_text()
    manual = scent("--man", input=source).stdout
    assert "*-o*, *--output* _DIR_" in manual and not re.search("^@", manual, re.M), "something is not replaced"
    lacking = scent("--man", input=source.replace("@options lab run\n", "@options lab fun\n"), status=2).stderr
    assert "lacks '@options lab run'" in lacking and "lab fun" in lacking, lacking


@test
def missing_files_are_named():
    refused("crawl", "missing.yaml", says=["there is no topic file missing.yaml", "'scent init NAME URL…' writes one"])
    refused("status", "nowhere", says=["nowhere", "scent crawl"])
    refused("export", "nowhere", says=["nowhere"])
    refused("rejudge", "nowhere", says=["no crawl in nowhere"])
    refused("judge", "--crawl", "nowhere", "page.html", says=["no crawl in nowhere"])
    refused("init", "x", "nowhere", says=["'nowhere' is not the address of a page: expected http://"])
    refused("init", "x", "ftp://example.org/", says=["'ftp://example.org/' is not the address of a page"])
    refused("init", "x", "--contact", "me", says=["invalid value 'me' for --contact: expected a mail address"])
    refused("init", "nowhere/x", says=["cannot create nowhere/x.yaml: the folder nowhere does not exist"])
    topic(["http://127.0.0.1:9/"])
    refused("status", "topic.yaml", says=["topic.yaml is a file; expected a crawl directory"])
    os.mkdir("folder")
    refused("crawl", "folder", says=["folder is a folder; expected a topic file"])
    refused("web", "pack", "folder", "-o", "packed", says=["folder has no files to pack"])
    refused("crawl", "topic.yaml", "--from", "missing", says=["missing"])
    refused("crawl", "topic.yaml", "--seeds", "missing.txt", says=["missing.txt"])


@test
def topic_errors_name_file_line_and_fix():
    write("t.yaml", "topic: x\nseed: [http://a.test/]\n")
    refused("crawl", "t.yaml", says=["t.yaml:2"])
    write("t.yaml", "topic: x\nseeds: [http://a.test/]\nlimts: {pages: 3}\n")
    refused("crawl", "t.yaml", says=["t.yaml:3", "limts", "limits"])
    write("t.yaml", "topic: x\nseeds: [http://a.test/]\nlimits:\n  pages: many\n")
    refused("crawl", "t.yaml", says=["t.yaml:4", "pages", "many"])
    write("t.yaml", "topic: x\nseeds: [http://a.test/]\nrelevant: 'hockey and ('\n")
    refused("crawl", "t.yaml", says=["t.yaml:3", "relevant"])
    write("t.yaml", "topic: [unclosed\n")
    refused("crawl", "t.yaml", says=["t.yaml:"])
    topic([], path="t.yaml")
    refused("crawl", "t.yaml", says=["no seeds", "--seeds"])


@test
def unknown_strategies_and_options_are_named():
    seeds = small_web()
    topic(seeds, strategy="best-frist")
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", status=2)
    assert "there is no strategy 'best-frist'; did you mean 'best-first'?" in done.stderr, done.stderr
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "--strategy", "zzz", status=2)
    assert "there is no strategy 'zzz'; choose one of: breadth-first, " in done.stderr, done.stderr
    topic(seeds, strategy="{name: best-first, width: 3}")
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", status=2)
    assert "width" in done.stderr, done.stderr


@test
def one_bad_url_in_ten_thousand_is_found():
    lines = [f"http://h{i}.test/" for i in range(10000)]
    lines[7319] = "htp:/broken"
    write("seeds.txt", "\n".join(lines) + "\n")
    topic(["http://127.0.0.1:9/"])
    refused("crawl", "topic.yaml", "--seeds", "seeds.txt", says=["seeds.txt:7320", "htp:/broken"])
    with open("seeds.txt") as file:
        refused("crawl", "topic.yaml", "--seeds", "-", says=["7320", "htp:/broken"], stdin=file)


@test
def other_peoples_servers_want_a_contact_and_our_own_a_word():
    topic(["http://192.0.2.1/"])
    refused("crawl", "topic.yaml", "-o", "out", says=["topic.yaml", "user_agent", "(+mailto:you@example.org)'"])
    topic(["http://127.0.0.1:9/", "http://192.0.2.1/"])
    refused("crawl", "topic.yaml", "-o", "out", says=["topic.yaml", "--allow-private"])
    refused("crawl", "topic.yaml", "--allow-private", "-o", "out", says=["user_agent"])


@test
def leave_to_private_addresses_is_remembered_and_not_inherited():
    with Site({"/": html("<a href=/1>1</a>"), "/1": html("<a href=/2>2</a>"), "/2": html("end")}) as site:
        topic([site.base + "/"])
        scent("crawl", "topic.yaml", "--allow-private", "--pages", "1", "-o", "out")
        done = scent("crawl", "topic.yaml", "--pages", "2", "-o", "out")
        assert "--allow-private was given for out before" in done.stderr and len(urls("out")) == 2, done.stderr
        shutil.copytree("out", "received")
        refused("crawl", "topic.yaml", "-o", "received", says=["--allow-private"])
        os.rename("out", "elsewhere")
        os.rename("received", "out")
        refused("crawl", "topic.yaml", "-o", "out", says=["--allow-private"])
        assert len(urls("out")) == 2
        environment = os.environ | {"XDG_STATE_HOME": "", "HOME": ""}
        done = scent("crawl", "topic.yaml", "--allow-private", "--pages", "2", "-o", "homeless", env=environment)
        assert "--allow-private has to be given again for this crawl" in done.stderr, done.stderr


@test
def what_init_says_to_do_next_can_be_pasted():
    said = scent("init", "the crow's nest").stderr
    command = next(line for line in said.splitlines() if line.startswith("  scent crawl"))
    assert shlex.split(command) == ["scent", "crawl", "the crow's nest.yaml"], said
    # nothing that only stands there as an example is visited
    refused("crawl", "the crow's nest.yaml", says=["there are no seeds"])
    assert "  scent crawl tides.yaml\n" in scent("init", "tides").stderr


@test
def a_port_that_is_taken_is_named_and_the_crawl_continues():
    topic(small_web())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        says = [f"cannot listen on 127.0.0.1 port {port}", "choose another port"]
        refused("web", "serve", "web.yaml", "-l", port, says=says)
        assert all(words in scent("browse", "record", "-p", port, status=2).stderr for words in says)
        with Site({"/": html("<a href=/1>1</a>"), "/1": html("end")}) as site:
            topic([site.base + "/"], path="slow.yaml", politeness="{delay: 100s}")
            with subprocess.Popen([SCENT, "crawl", "slow.yaml", "--allow-private", "-o", "out", f"--dashboard={port}"],
                                  stderr=subprocess.PIPE, text=True) as crawl:
                while not (child := Path(f"/proc/{crawl.pid}/task/{crawl.pid}/children").read_text().split()):
                    time.sleep(0.05)
                while ") Z " not in Path(f"/proc/{child[0]}/stat").read_text() or not site.log:
                    time.sleep(0.05)
                crawl.send_signal(signal.SIGINT)
                said = crawl.communicate(timeout=200)[1]
            assert crawl.returncode == 11 and says[0] in said and says[1] in said, said
            assert "'scent serve out' shows it now" in said and "has ended" not in said, said
        refused("serve", "out", "-l", port, says=says)
    refused("serve", "out", "-l", "99999", says=["'99999' for --listen", "65535"])
    refused("serve", "out", "-l", "0.0.0.0:0", says=["0.0.0.0 is not a loopback address", "--allow-public"])


@test
def unusable_directories_are_named():
    seeds = small_web()
    topic(seeds)
    write("file", "x")
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "file", status=2)
    assert "file" in done.stderr and "directory" in done.stderr, done.stderr
    os.mkdir("notacrawl")
    write("notacrawl/crawl.db", "this is no database, whatever its name says " * 50)
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "notacrawl", status=2)
    assert "crawl.db" in done.stderr, done.stderr


@test
def a_directory_that_holds_other_things_is_left_alone():
    topic(small_web())
    os.mkdir("home")
    write("home/letter.txt", "dear")
    write("lab.yaml", "experiment: test\ncollection: web.yaml\ntopics: {level: 1, min_pages: 2, max: 1}\nseeds: 1\n"
                      "budget: 5\npoints: [5]\nstrategies: [breadth-first]\n")
    for command in (["crawl", "topic.yaml", "--from", "web.yaml"], ["lab", "run", "lab.yaml"], ["web", "pack", "."]):
        refused(*command, "-o", "home", says=["home", "letter.txt"])
    assert os.listdir("home") == ["letter.txt"]
    os.mkdir("empty")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "--pages", "3", "-o", "empty")
    write("empty/notes.txt", "mine")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "--pages", "5", "-o", "empty")


@test
def a_read_only_directory_is_named():
    if os.geteuid() == 0:
        raise Skip("root may write anywhere")
    topic(small_web())
    os.mkdir("readonly", 0o500)
    done = scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "readonly", status=2)
    assert "readonly" in done.stderr, done.stderr


@test
def a_second_crawl_of_a_directory_is_refused_and_the_first_goes_on():
    seeds = small_web()
    topic(seeds, politeness="{delay: 100ms, retries: 0}")
    with subprocess.Popen([SCENT, "web", "serve", "web.yaml"], stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1]
        proxy = ["--proxy-all", f"127.0.0.1:{port}", "-o", "out"]
        with subprocess.Popen([SCENT, "crawl", "topic.yaml", "--pages", "60", "-q", *proxy]) as first:
            while not Path("out/crawl.db").exists() or not query("out", "select 1 from sqlite_master"):
                time.sleep(0.05)
            done = scent("crawl", "topic.yaml", *proxy, status=2)
            assert "out" in done.stderr and str(first.pid) in done.stderr, done.stderr
            assert first.wait(200) == 0
        server.terminate()
    assert len(urls("out")) == 60
    check_crawl("out")


finish()
