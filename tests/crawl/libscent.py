#!/usr/bin/env python3
"""libscent and plug-ins: the examples are compiled against the public headers and run; a strategy and a judge as shared
libraries save, load, explain and are refused where they do not fit."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from crawling import FRIENDLY, SCENT, Site, finish, html, pages, query, scent, test, topic, write

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(SCENT).resolve().parent
SANITIZER = {"asan": ["gcc", "-fsanitize=address,undefined"], "tsan": ["clang", "-fsanitize=thread"]}
COMPILER = SANITIZER.get(os.environ.get("SCENT_BUILD", "release"), ["cc"])


def compile(source, out, *flags):
    """With warnings as errors and nothing but what is installed: scent.h and scent_plugin.h in one folder."""
    if not Path("include").exists():
        os.mkdir("include")
        for name in ("include/scent.h", "include/scent_plugin.h"):
            shutil.copy(ROOT / name, "include")
    subprocess.run([*COMPILER, "-std=c17", "-Wall", "-Wextra", "-Werror", "-O1", "-Iinclude", "-o", out, source, *flags],
                   check=True)


def program(name):
    compile(ROOT / f"examples/lib/{name}.c", name, f"-L{BUILD}", "-lscent", f"-Wl,-rpath,{BUILD}")


def plugin(name, change=lambda text: text, out=None):
    write(f"{name}.c", change((ROOT / f"examples/plugins/{name}.c").read_text()))
    compile(f"{name}.c", out or f"{name}.so", "-shared", "-fPIC")


class Ring(Site):
    """Pages 0 to 29 on a ring with two links each; every third one is relevant."""

    def __init__(self):
        super().__init__({f"/{n}": html(f"<a href=/{(n + 1) % 30}>tennis</a> <a href=/{(n + 3) % 30}>cricket</a> number{n} "
                                        + ("cricket " * 3 if n % 3 == 0 else "tennis ")) for n in range(30)})


def crawl(site, *args, status=0, **keys):
    topic([site.base + "/0"], content="all", **keys)
    return scent("crawl", "topic.yaml", "--allow-private", "-o", "out", *args, status=status)


@test
def the_library_shows_its_functions_alone():
    done = subprocess.run(["nm", "-D", "--defined-only", BUILD / "libscent.so"], stdout=subprocess.PIPE, text=True, check=True)
    shown = {line.split()[2] for line in done.stdout.splitlines() if " T " in line}
    assert shown and all(re.fullmatch(r"scent_\w+@@LIBSCENT_0", name) for name in shown), shown
    declared = set(re.findall(r"\b(scent_\w+)\(", re.sub(r"/\*.*?\*/", "", (ROOT / "include/scent.h").read_text(), flags=re.S)))
    assert {name.split("@")[0] for name in shown} == declared, (shown, declared)


@test
def a_program_judges_a_page():
    program("judge_page")
    write("topic.yaml", "topic: t\nquery: cricket\ncontent: all\nstrategy: anchor-text\n")
    page = "<title>One</title><p>cricket and cricket <a href=/a>cricket</a> <a href=/b>bread</a>"
    done = subprocess.run(["./judge_page", "topic.yaml", "http://a.test/"], input=page, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[0].startswith("relevant 0.") and lines[0].endswith(" One"), done
    scores = {line.split()[1]: float(line.split()[0]) for line in lines if line.split()[1].startswith("http")}
    assert scores["http://a.test/a"] > scores["http://a.test/b"], scores
    said = json.loads(scent("judge", "topic.yaml", "-", "--json", "-b", "http://a.test/", input=page).stdout)
    assert f"{said['score']:.3f}" == lines[0].split()[1], (said, lines[0])
    write("topic.yaml", "topic: t\nqueri: cricket\n")
    done = subprocess.run(["./judge_page", "topic.yaml", "http://a.test/"], input=page, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "did you mean 'query'" in done.stderr, done


@test
def a_program_crawls_and_stops():
    program("crawl")
    write("web.yaml", FRIENDLY)
    topic(scent("web", "generate", "web.yaml", "--seeds", 5).stdout.split(), relevant="'true'")
    done = subprocess.run(["./crawl", "topic.yaml", "out", "web.yaml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done
    assert len(done.stdout.splitlines()) >= 10 and "the same command resumes" in done.stderr, done
    found = {page["url"] for page in pages("out")}
    assert {line.split()[1] for line in done.stdout.splitlines()} <= found, (found, done.stdout)


@test
def a_strategy_is_a_plug_in():
    plugin("shallow")
    with Ring() as site:
        crawl(site, "--pages", "12", strategy="{plugin: ./shallow.so, depth: 0.01}", relevant="cricket", window="1")
        order = [page["url"].rsplit("/", 1)[1] for page in pages("out")]
        assert order[:6] == ["0", "1", "3", "4", "6", "7"], order
        os.mkdir("elsewhere")
        url = site.base + "/3"
        said = scent("why", "../out", url, cwd="elsewhere").stdout
        assert "words of its anchor on relevant pages" in said and "score of the linking page" in said, said
        crawl(site, strategy="{plugin: ./shallow.so, depth: 0.01}", relevant="cricket", window="1")
        resumed = [page["url"].rsplit("/", 1)[1] for page in pages("out")]
        shutil.rmtree("out")
        crawl(site, strategy="{plugin: ./shallow.so, depth: 0.01}", relevant="cricket", window="1")
        assert [page["url"].rsplit("/", 1)[1] for page in pages("out")] == resumed, "its state was not kept"


@test
def a_judge_is_a_plug_in():
    plugin("keyword")
    with Ring() as site:
        crawl(site, judge="{plugin: ./keyword.so}")
        found = {page["url"].rsplit("/", 1)[1]: page["relevant"] for page in pages("out")}
        assert found == {str(n): True if n % 3 == 0 else found[str(n)] for n in range(30)}, found
        said = scent("why", "out", site.base + "/3").stdout
        assert "./keyword.so: 'cricket' stands in it 4 times" in said, said
        assert json.loads(scent("rejudge", "out", "--json").stdout)["read"] == 0
        plugin("keyword", lambda text: text.replace('"cricket"', '"number7"'))
        assert json.loads(scent("rejudge", "out", "topic.yaml", "--json").stdout)["relevant"] == 0


@test
def plug_ins_that_do_not_fit_are_refused():
    with Ring() as site:
        for change, message in ((lambda text: text.replace(".abi = SCENT_PLUGIN_ABI", ".abi = 99"), "another version of scent"),
                                (lambda text: text.replace(".size = sizeof table", ".size = 16"), "another version of scent"),
                                (lambda text: text.replace(", .load = load", ""), "one of 'save' and 'load' without the other")):
            plugin("shallow", lambda text: change(text).replace("static int load", "__attribute__((unused)) static int load"))
            done = crawl(site, strategy="{plugin: ./shallow.so}", status=2)
            assert message in done.stderr, done.stderr
        plugin("shallow")
        assert "there is no option 'nothing'" in crawl(site, strategy="{plugin: ./shallow.so, nothing: 1}", status=2).stderr
        assert "cannot be loaded" in crawl(site, strategy="{plugin: ./none.so}", status=2).stderr
        assert "it has no scent_judge_plugin()" in crawl(site, judge="{plugin: ./shallow.so}", status=2).stderr
        write("text.so", "this is not a library")
        assert "cannot be loaded" in crawl(site, strategy="{plugin: ./text.so}", status=2).stderr
        crawl(site, "--pages", "5", strategy="{plugin: ./shallow.so}", relevant="cricket")
        plugin("shallow", lambda text: text.replace('.version = "1"', '.version = "2"'))
        done = scent("why", "out", site.base + "/3")
        assert "another version of it" in done.stdout, done.stdout


@test
def a_directory_of_somebody_else_loads_nothing():
    plugin("shallow")
    with Ring() as site:
        crawl(site, "--pages", "5", strategy="{plugin: ./shallow.so}", relevant="cricket")
        shutil.copytree("out", "copy", ignore=shutil.ignore_patterns("control"))
        done = scent("why", "copy", site.base + "/3")
        assert "give --allow-programs" in done.stderr, done.stderr
        assert "words of its anchor" in scent("why", "copy", site.base + "/3", "--allow-programs").stdout


finish()
