#!/usr/bin/env python3
"""Shells complete command lines of scent from its own tables, and each command has a page of the manual."""

import re
import shutil
import subprocess
from pathlib import Path

from crawling import Skip, finish, scent, test, write

SOURCE = (Path(__file__).resolve().parents[2] / "man/scent.1.scd").read_text()
BASH = r"""source completion
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scent; printf '%s\n' "${COMPREPLY[@]}"; }
complete_line "$@"
"""
# zsh's own functions would ask the line editor; what they are given is what matters.
ZSH = r"""compdef() { }
_describe() { print -rl -- "${(P@)2}" }
_arguments() { print -rl -- "$@" }
source completion
words=("$@") CURRENT=$#
_scent
"""
FISH = "source completion; complete -C (string join ' ' -- $argv)"


def completed(shell, *words):
    """What a shell offers behind the words, the last of which is not finished."""
    if not shutil.which(shell):
        raise Skip(f"{shell} is not here")
    write("completion", scent("--completion", shell).stdout)
    command = {"bash": ["--norc", "-c", BASH, "bash"], "zsh": ["-f", "-c", ZSH, "zsh"], "fish": ["--no-config", "-c", FISH]}
    done = subprocess.run([shell, *command[shell], "scent", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=200)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def offers(shell):
    """The first words of a line that the shell shows: what it completes with."""
    def words(*line):
        return {re.split(r"[\t:]", offer)[0] for offer in completed(shell, *line)}
    return words


@test
def bash_completes_commands_options_and_values():
    words = offers("bash")
    assert words("cr") == {"crawl"} and {"export", "lab", "web"} < words("")
    assert {"run", "compare"} < words("lab", "") and words("lab", "ru") == {"run"}
    assert {"--output", "--help"} < words("lab", "run", "--") and "--pages" not in words("lab", "run", "--")
    assert words("export", "out", "-f", "ma") == {"markdown"} == words("export", "--format", "ma")
    assert words("crawl", "--pages", "") == {""}
    Path("folder").mkdir()
    assert words("crawl", "-o", "") == {"folder"} and words("crawl", "") == {"folder", "completion"}


@test
def zsh_completes_commands_options_and_values():
    words = offers("zsh")
    assert {"crawl", "lab", "web"} < words("")
    assert {"run", "compare"} < words("lab", "")
    told = completed("zsh", "export", "out", "-f", "")
    assert any(line.startswith("(-f --format)--format=[") and "(jsonl csv " in line for line in told), told
    assert any(line.startswith("(-o --output)--output=[") and line.endswith(":DIR:_files -/")
               for line in completed("zsh", "lab", "run", "")), "the options of a part"


@test
def fish_completes_commands_options_and_values():
    words = offers("fish")
    assert words("cr") == {"crawl"}
    assert {"run", "compare"} < words("lab", "")
    assert words("export", "out", "-f", "ma") == {"markdown"}
    assert "--pages" in words("crawl", "--p") and "--pages" not in words("lab", "run", "--p")
    # "browse train" is not "train".
    assert "--anchors" in words("browse", "train", "--a") and "--anchors" not in words("train", "--a")


@test
def other_shells_are_refused():
    for shell in (["--completion"], ["--completion", "csh"]):
        assert "bash, zsh or fish" in scent(*shell, status=2).stderr


@test
def every_command_has_a_page_of_the_manual():
    names = re.findall(r"^  ([a-z]+) ", scent("--help").stdout, re.M)
    assert len(names) > 15
    for name in names:
        page = scent("--man", name, input=SOURCE).stdout
        assert page.startswith(f"scent-{name}(1)\n") and not re.search("^@", page, re.M), page
        parts = re.findall(r"^## ([a-z]+ [a-z]+)$", SOURCE, re.M)
        wanted = [part for part in parts if part.startswith(name + " ")]
        assert re.findall(r"^## scent ([a-z]+ [a-z]+)$", page, re.M) == wanted, page
        if shutil.which("scdoc"):
            subprocess.run(["scdoc"], input=page.encode(), stdout=subprocess.DEVNULL, check=True)
    assert "no command 'fly'" in scent("--man", "fly", input=SOURCE, status=2).stderr


finish()
