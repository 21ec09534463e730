#!/usr/bin/env python3
"""The lab as its users meet it: the same bytes whatever the threads and interruptions, figures that a second program
agrees with, and clear words about what is wrong."""

import filecmp
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import lab_measures
from crawling import *
from labbing import *

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "lab"


# ---- what it gives ----

@test
def the_generated_example_runs():
    if SLOW:
        raise Skip("a sanitizer needs too long for 6,000 pages; the smaller webs below go the same way")
    done = run(EXAMPLES / "generated.yaml", "-o", "out")
    assert "window 40" in done.stdout and "+-" in done.stdout, done.stdout
    assert done.stderr == "the report: out/report.html\n", done.stderr
    result = json.loads(Path("out/summary.json").read_text())
    means = {s["name"]: s["points"][-1]["harvest"]["mean"] for s in result["series"]}
    assert means["window 40"] > means["full-page"] > means["breadth-first"] > means["random"], means
    assert len(result["topics"]) == 12 and len(list(Path("out/runs").glob("*/*.jsonl"))) == 12 * 7 * 2


@test
def threads_change_nothing():
    experiment(repeats="2", committee="true", similarity="true")
    run("e.yaml", "-o", "one", "-t", 1)
    run("e.yaml", "-o", "two", "-t", 2)
    same_results("one", "two")
    run("e.yaml", "-o", "two", "-t", 2)  # again, from the crawls that are there
    same_results("one", "two")


@test
def figures_agree_with_a_second_program():
    experiment(repeats="2", committee="true", topics="{level: 1, min_pages: 20, max: 7}",
               fusions="[[full-page, w 10], [random, full-page, breadth-first]]")
    run("e.yaml", "-o", "out", "-q")
    result = lab_measures.compare("out")
    assert not result.wrong, "\n".join(result.wrong[:20])
    assert result.checked > 1000, result.checked
    write_pages()  # a crawl that runs out of links, and exclusive harvest by label
    experiment("p.yaml", collection="pages", topics="[sport, food]", seeds="4", budget="200", points="[10, 200]")
    run("p.yaml", "-o", "p", "-q")
    result = lab_measures.compare("p")
    assert not result.wrong, "\n".join(result.wrong[:20])


def rows_of(*folders):
    """{(results, strategy, pages): object} of a comparison."""
    lines = scent("lab", "compare", *folders, "--json").stdout.splitlines()
    return {(r["results"], r["strategy"], r["pages"]): r for r in map(json.loads, lines)}


@test
def results_side_by_side():
    experiment(topics="{level: 1, min_pages: 20, max: 5}")
    experiment("f.yaml", topics="{level: 1, min_pages: 20, max: 4}", points="[50, 100]", strategies="[full-page, random]",
               fusions="", baseline="random")
    run("e.yaml", "-o", "a", "-q")
    run("f.yaml", "-o", "b", "-q")
    rows = rows_of("a", "b")
    summary = json.loads(Path("a/summary.json").read_text())
    assert {key[2] for key in rows} == {50, 100}  # the points that both have
    for series in summary["series"]:
        for point in series["points"][1:]:
            mine, theirs = rows["a", series["name"], point["pages"]], point
            for test in ("harvest_test", "recall_test"):  # against the same baseline: what the run says
                assert mine[test]["topics"] == 5 and abs(mine[test]["difference"] - theirs[test]["difference"]) < 1e-12
                assert series["name"] == "full-page" or mine[test]["p"] == theirs[test]["p"], (series["name"], mine, theirs[test])
            assert mine["harvest"] == {k: theirs["harvest"][k] for k in ("mean", "error")}
    same = rows["b", "full-page", 100]["harvest_test"]  # the same crawls: topics do not depend on each other
    assert same == {"difference": 0, "p": .5, "p_worse": .5, "topics": 4}, same
    done = scent("lab", "compare", "a", "b")
    assert "b: lacks 1 topics of a and has 0 others" in done.stderr, done.stderr
    assert "full-page" in done.stdout and "baseline" in done.stdout and "over 4 topics" in done.stdout, done.stdout
    table = scent("lab", "compare", "a", "b", "--csv").stdout.splitlines()
    assert len(table) == 1 + len(rows) and len({row.count(",") for row in table}) == 1, table[:3]


def cells_of(table):
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]


@test
def one_strategy_against_the_others():
    """p as the second program computes it, two-sided; a variant of the strategy is not one of the others."""
    experiment(topics="{level: 1, min_pages: 20, max: 9}", repeats="1", points="[20, 100]",
               strategies="[breadth-first, random, full-page, {name: full-page, as: 'full-page, again'}, {name: text-window, "
                          "as: full-pages}]", fusions="", baseline="random")
    run("e.yaml", "-o", "a", "-q")
    summary = json.loads(Path("a/summary.json").read_text())
    values = {s["name"]: [p["harvest"]["topics"] for p in s["points"]] for s in summary["series"]}
    others = ["breadth-first", "random", "full-pages"]
    head, _, *rows = cells_of(scent("lab", "compare", "a", "--against", "full-page").stdout)
    assert head == ["harvest, 9 topics", "20", "100"], head
    rows = {row[0]: row[1:] for row in rows}
    for i in range(2):
        own = values["full-page"][i]
        ps = [min(1, 2 * min(lab_measures.wilcoxon(own, values[s][i]), lab_measures.wilcoxon(values[s][i], own))) for s in others]
        for name, p in zip(others, lab_measures.holm(ps)):
            mean, record, told = rows[name][i].split(", ")
            assert abs(float(mean) - lab_measures.mean(values[name][i])) < .00051, (name, rows[name])
            assert abs(float(told) - p) < .00051, (name, p, rows[name])
            pairs = list(zip(own, values[name][i]))
            assert record == f"{sum(a - b > 1e-12 for a, b in pairs)}–{sum(b - a > 1e-12 for a, b in pairs)}", (name, record)
        for name in ("full-page", "full-page, again"):
            assert abs(float(rows[name][i]) - lab_measures.mean(own)) < .00051, rows[name]
        best = max(others, key=lambda name: lab_measures.mean(values[name][i]))
        assert rows["best other, by itself"][i].startswith(f"{best}, "), rows
    table = scent("lab", "compare", "a", "a", "--against", "random", "--measure", "recall").stdout
    assert table.startswith("a:\n\n| recall, 9 topics |") and table.count("recall") == 2, table
    assert "a has no strategy 'best'" in scent("lab", "compare", "a", "--against", "best", status=2).stderr
    assert "only one of" in scent("lab", "compare", "a", "--against", "random", "--csv", status=2).stderr


@test
def a_share_of_what_is_possible():
    experiment(topics="{level: 1, min_pages: 20, max: 5}", repeats="1", points="[20, 100]")
    run("e.yaml", "-o", "a", "-q")
    summary = json.loads(Path("a/summary.json").read_text())
    series = {s["name"]: s["points"][1] for s in summary["series"]}
    bounds = summary["bounds"][1]
    assert bounds["pages"] == 100 and abs(bounds["breadth_first"] - series["breadth-first"]["harvest"]["mean"]) < 1e-12, bounds
    for point in series.values():  # the measure 'oracle' is the share of its harvest
        oracles = [h / o for h, o in zip(point["harvest"]["topics"], point["oracle"]["topics"])]
        assert abs(lab_measures.mean(oracles) - bounds["oracle"]) < 1e-9, (oracles, bounds)
    head, _, limits, *rows = cells_of(scent("lab", "compare", "a", "--possible", 100).stdout)
    assert head == ["strategy", "a"] and limits[0] == "breadth-first, one-step oracle", (head, limits)
    assert [row[0] for row in rows] == list(series), rows
    for name, share in rows:
        mine = (series[name]["harvest"]["mean"] - bounds["breadth_first"]) / (bounds["oracle"] - bounds["breadth_first"])
        assert abs(float(share) - mine) < .0051, (name, share, mine)
    assert "what was possible after 99 pages" in scent("lab", "compare", "a", "--possible", 99, status=2).stderr


@test
def results_that_cannot_be_compared():
    write_pages()
    experiment(points="[20, 100]")
    experiment("p.yaml", collection="pages", topics="[sport, food]", seeds="4", points="[10, 100]")
    experiment("q.yaml", collection="pages", topics="[sport, food]", seeds="4", points="[10, 99]")
    for name in ("e", "p", "q"):
        run(f"{name}.yaml", "-o", name, "-q")
    done = scent("lab", "compare", "e", "p")
    assert "p: another collection than e" in done.stderr and "not paired" in done.stdout, done
    assert rows_of("e", "p")["p", "random", 100]["harvest_test"]["topics"] == 0
    assert "common 'points'" in scent("lab", "compare", "e", "q", status=2).stderr
    assert "x has no summary.json" in scent("lab", "compare", "e", "x", status=2).stderr
    Path("x").mkdir()
    write("x/summary.json", "{")
    assert "x/summary.json" in scent("lab", "compare", "e", "x", status=2).stderr
    write("x/summary.json", '{"series": 3}')
    assert "not the summary of an experiment" in scent("lab", "compare", "e", "x", status=2).stderr
    assert "missing argument DIR" in scent("lab", "compare", status=2).stderr


def damaged(value, chance):
    """The value with some of its parts left out, renamed, or of another kind."""
    if isinstance(value, dict):
        kept = {}
        for key, item in value.items():
            draw = chance.random()
            if draw > .06:
                kept[key] = damaged(item, chance)
            elif draw > .04:
                kept[key] = chance.choice([None, "", [], {}, -1, 1e308, True, [None]])
            elif draw > .02:
                kept[chance.choice(["name", "topics", "pages", "x"])] = item
        return kept
    if isinstance(value, list):
        return [damaged(item, chance) for item in value if chance.random() > .02]
    return value


@test
def damaged_results_are_compared_or_refused():
    experiment(topics="{level: 1, min_pages: 20, max: 3}")
    run("e.yaml", "-o", "a", "-q")
    whole = json.loads(Path("a/summary.json").read_text())
    assert scent("lab", "compare", "a").stderr == ""  # a sanitizer sees what is done with remarks that are empty
    Path("b").mkdir()
    write("b/summary.json", json.dumps(whole).replace("full-page", "full\\u001b[2Jpage"))
    done = scent("lab", "compare", "b", "a")
    assert "full?[2Jpage" in done.stdout and "\x1b" not in done.stdout + done.stderr, "a terminal would obey a name"
    forms, orders = ([], ["--csv"], ["--json"], ["--against", "random"], ["--possible", "100"]), (["a", "b"], ["b", "a"], ["b"])
    for seed in range(6 if os.environ.get("SCENT_BUILD") == "tsan" else 40):  # one thread compares
        write("b/summary.json", json.dumps(damaged(whole, random.Random(seed))))
        for number, folders in enumerate(orders):  # each form with each order, in five seeds
            done = subprocess.run([SCENT, "lab", "compare", *folders, *forms[(seed + number) % 5]], capture_output=True,
                                  timeout=200)
            assert done.returncode in (0, 2) and b"runtime error" not in done.stderr, (seed, folders, done)


# ---- interruptions ----

def interrupt(cut, sign, status):
    """Stops a run into this folder when some of its crawls are there; the rest must give what an undisturbed run gives."""
    child = subprocess.Popen([SCENT, "lab", "run", "e.yaml", "-o", cut, "-q"], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while len(list(Path(cut).glob("runs/*/*.jsonl"))) < 3 and child.poll() is None and time.monotonic() < until:
        time.sleep(.002)
    child.send_signal(sign)
    said = child.communicate(timeout=120)[1]
    assert child.returncode == status, (child.returncode, said)
    kept = {p: p.stat().st_mtime_ns for p in Path(cut).glob("runs/*/*.jsonl")}
    assert 3 <= len(kept) < len(list(Path("whole").glob("runs/*/*.jsonl"))), len(kept)
    assert not Path(cut, "summary.json").exists()
    run("e.yaml", "-o", cut, "-q")
    for leftover in Path(cut).rglob("*.tmp*"):
        leftover.unlink()
    same_results("whole", cut)
    assert all(p.stat().st_mtime_ns == before for p, before in kept.items()), "crawls that were there were made again"
    return said


@test
def goes_on_after_an_interrupt_and_after_a_kill():
    experiment(repeats="6" if SLOW else "15")  # so many that it cannot end before it is stopped
    run("e.yaml", "-o", "whole", "-q")
    assert "interrupted; run it again to resume" in interrupt("interrupted", signal.SIGINT, 11)
    interrupt("killed", signal.SIGKILL, -signal.SIGKILL)


@test
def experiments_that_begin_at_once_share_a_cache():
    write_pages(each=200)
    experiment(collection="pages", strategies="[breadth-first]", baseline="", fusions="", budget="20", points="[20]")
    command = [SCENT, "lab", "run", "e.yaml", "-q", "--cache", "cache", "-o"]
    children = [subprocess.Popen([*command, f"at-once-{number}"], stderr=subprocess.PIPE, text=True) for number in range(4)]
    said = [child.communicate(timeout=120)[1] for child in children]
    assert [child.returncode for child in children] == [0] * 4, said
    same_results("at-once-0", "at-once-3")
    assert not list(Path("cache").glob("*.part"))


# ---- bad input ----

@test
def labels_of_absent_pages():
    write_pages()
    with open("pages/labels.tsv", "a") as labels:
        labels.write("http://absent.test/1\tsport.ice\nhttp://absent.test/2\tsport.ice\nno label\n")
    experiment(collection="pages", topics="[sport, food]", seeds="4")
    done = run("e.yaml", "-o", "out")
    assert "http://absent.test/1 is not in the collection" in done.stderr, done.stderr
    assert "60 labels read; left out: 2 whose page is not in the collection, 1 bad lines" in done.stderr, done.stderr
    write("pages/labels.tsv", "http://absent.test/1\tA\n")
    assert "no line fits the collection" in run("e.yaml", "-o", "other", status=2).stderr


@test
def labels_beside_the_archives():
    write_pages()
    experiment(collection="pages", topics="{level: 1, min_pages: 10}", seeds="4")
    run("e.yaml", "-o", "one", "-q")
    os.rename("pages/labels.tsv", "pages/categories.tsv")
    run("e.yaml", "-o", "two", "-q")
    same_results("one", "two")
    os.rename("pages/categories.tsv", "elsewhere.tsv")
    assert "name a file with 'labels:'" in run("e.yaml", "-o", "three", status=2).stderr
    experiment("f.yaml", collection="pages", labels="elsewhere.tsv", topics="{level: 1, min_pages: 10}", seeds="4")
    run("f.yaml", "-o", "three", "-q")
    assert filecmp.cmp("one/summary.csv", "three/summary.csv", shallow=False)


@test
def a_folder_of_crawl_directories_is_a_collection():
    """Two crawls, each of a part of the pages, the second one with zstd: the labels find all pages."""
    urls = write_pages()
    Path("crawls").mkdir()
    for out, part, compression in (("one", "sport", "gzip"), ("two", "food", "zstd")):
        topic([url for (name, _), url in urls.items() if name.startswith(part)], relevant="the", compression=compression,
              scope=f"{{include: ['{part}-*.test']}}")
        scent("crawl", "topic.yaml", "--from", "pages", "-q", "-o", f"crawls/{out}")
    os.rename("pages/labels.tsv", "crawls/labels.tsv")
    experiment(collection="crawls", topics="{level: 1, min_pages: 10}", seeds="4")
    done = run("e.yaml", "-o", "out")
    assert "left out" not in done.stderr, done.stderr
    assert json.loads(Path("out/summary.json").read_text())["topics_left_out"] == 0
    shutil.rmtree("crawls/two")
    assert "left out: 20 whose page is not in the collection" in run("e.yaml", "-o", "half", status=2).stderr


@test
def a_small_topic_is_left_out():
    write_pages()
    experiment(collection="pages", topics="[sport, food, music]", seeds="25")
    done = run("e.yaml", "-o", "out")
    assert "left out: topic food: it has 20 pages: too few for 25 seeds" in done.stderr, done.stderr
    assert "left out: topic music: it has 0 pages" in done.stderr, done.stderr
    assert json.loads(Path("out/summary.json").read_text())["topics_left_out"] == 2
    assert "2 topics were left out" in Path("out/report.html").read_text()


@test
def wrong_experiments():
    for keys, message in [
        ({"strategies": "[breadth-frist]", "baseline": "", "fusions": ""}, "there is no strategy 'breadth-frist'"),
        ({"strategies": "[{name: text-window, wrods: 3}]", "baseline": "", "fusions": ""}, "wrods"),
        ({"strategies": "[{name: text-window, words: many}]", "baseline": "", "fusions": ""}, "words"),
        ({"budgte": "3"}, "did you mean 'budget'"),
        ({"collection": "nowhere"}, "nowhere"),
    ]:
        experiment(**keys)
        done = run("e.yaml", "-o", "out", status=2)
        assert message in done.stderr, (keys, done.stderr)
        assert "nowhere" in done.stderr or "e.yaml:" in done.stderr, done.stderr
    assert "e.yml" in run("e.yml", "-o", "out", status=2).stderr
    assert "-o" in run("e.yaml", status=2).stderr


@test
def damaged_archives():
    write_pages()
    whole = Path("pages/a.warc").read_bytes()
    Path("pages/b.warc.gz").write_bytes(b"this is no gzip")
    Path("pages/c.warc").write_bytes(whole[: len(whole) // 3].replace(b".test/", b".cut/"))
    experiment(collection="pages", topics="[sport, food]", seeds="4")
    done = run("e.yaml", "-o", "out")
    assert "b.warc.gz" in done.stderr and "c.warc" in done.stderr, done.stderr
    assert Path("out/summary.json").exists()
    for name in ("a.warc", "c.warc"):
        Path(f"pages/{name}").unlink()
    done = run("e.yaml", "-o", "other", status=2)
    assert "no readable WARC" in done.stderr, done.stderr


@test
def folders_that_do_not_do():
    write_pages()
    experiment(collection="pages", topics="[sport, food]", seeds="4")
    run("e.yaml", "-o", "out", "-q")
    with open("pages/labels.tsv", "a") as labels:
        labels.write("http://sport-ice.test/1\tfood\n")
    assert "holds the crawls of another experiment" in run("e.yaml", "-o", "out", status=2).stderr
    experiment(collection="pages", topics="[sport, food]", seeds="5")
    assert "holds the crawls of another experiment" in run("e.yaml", "-o", "out", status=2).stderr
    write("file", "")
    assert "file" in run("e.yaml", "-o", "file/below", status=2).stderr
    run("e.yaml", "-o", "pages/results", "-q")  # inside the collection: it is none of its pages
    run("e.yaml", "-o", "pages/results", "-q")


@test
def a_damaged_crawl_is_named():
    write_pages()
    experiment(collection="pages", topics="[sport, food]", seeds="4")
    run("e.yaml", "-o", "out", "-q")
    path = next(Path("out/runs").glob("sport/full-page.jsonl"))
    path.write_text(path.read_text().replace('"n":7,', '"n":8,'))
    said = run("e.yaml", "-o", "out", status=2).stderr
    assert "full-page.jsonl:7" in said and "remove the file" in said, said
    path.unlink()
    run("e.yaml", "-o", "out", "-q")


if __name__ == "__main__":
    finish()
