#!/usr/bin/env python3
"""The table of `make bench`: a row for each figure, and where a section cannot run, a row with the reason.

The programs that measure are stand-ins here; what they print is copied from the real ones."""

from crawling import *

BENCH_TABLE = Path(__file__).resolve().parents[1] / "perf" / "bench_table"
FRONTIER = """   100000 urls     1000 hosts  fill   511 ns/url, 1.96 M/s
  page  15.1 us, slowest   197, 0.00 texts loaded, 0.18 waits  score again   70 ns/url, next visit 4 us
  peak 22.0 MB, 146.9 B/url, texts 11.6 MB"""


def stand_in(name, says, status=0):
    os.chmod(write(f"build/tests/perf/{name}", f"#!/bin/sh\ncat <<'END'\n{says}\nEND\nexit {status}\n"), 0o755)


def rows(*sections):
    """{what: (figure, command)}"""
    only = [word for section in sections for word in ("--only", section)]
    done = subprocess.run([BENCH_TABLE, "--quick", "--build", "build", "--collection", "nowhere", *only],
                          env=os.environ | {"SCENT_BENCH": os.getcwd()}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    assert Path("table.md").read_text() == done.stdout, done.stdout
    cells = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    return {what: (figure, command.strip("`")) for what, figure, command in cells[1:]}


@test
def a_section_has_its_figures():
    os.makedirs("build/tests/perf")
    stand_in("perf_frontier_scale", FRONTIER)
    found = rows("frontier")
    assert found == {"frontier": ("100,000 URLs on 1,000 hosts: 146.9 bytes and 511 ns a URL", "make bench-frontier")}, found
    assert Path("frontier.txt").read_text().strip() == FRONTIER.strip()


@test
def a_section_that_cannot_run_says_why():
    os.makedirs("build/tests/perf")
    stand_in("perf_frontier_scale", "the machine has too little memory", status=1)
    found = rows("frontier", "learning", "lab")
    assert found["frontier"][0] == "the machine has too little memory", found
    assert found["lab"][0].startswith("left out"), found
    reason = found["classifiers"][0]  # without scikit-learn another one
    assert "nowhere/categories.tsv is not there" in reason or "No module named" in reason, found
    assert not reason.startswith("["), found
    os.remove("build/tests/perf/perf_frontier_scale")
    assert "No such file" in rows("frontier")["frontier"][0]


finish()
