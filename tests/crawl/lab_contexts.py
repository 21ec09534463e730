#!/usr/bin/env python3
"""scent lab contexts and experiments with back-links, as users meet them."""

import json
import os

from crawling import *

WEB = f"kind: generated\nseed: 20\nhosts: {20 if SLOW else 60}\npages_per_host: 20\n"
WAYS = ["anchor", "window-10", "window-20", "window-40", "tag-tree", "leaves", "path", "full-page"]
os.environ["XDG_CACHE_HOME"] = os.environ.get("TMPDIR", "/tmp") + "/lab-contexts-cache"


def contexts(*args, **options):
    return scent("lab", "contexts", *args, **options)


@test
def the_same_table_every_time():
    write("web.yaml", WEB)
    first = contexts("web.yaml").stdout
    assert [line.split()[0] for line in first.splitlines()[1:9]] == WAYS, first
    assert contexts("web.yaml").stdout == first
    assert contexts("web.yaml", "--seed", "2").stdout != first


@test
def json_says_what_was_measured():
    write("web.yaml", WEB)
    table = json.loads(contexts("web.yaml", "--json", "--backlinks", "3", "--words", "20").stdout)
    assert table["backlinks"] == 3 and table["description_words"] == 20 and table["seed"] == 1, table
    assert table["pages"] < table["links"] <= 3 * table["pages"], table
    assert [row["context"] for row in table["contexts"]] == WAYS
    rows = {row["context"]: row for row in table["contexts"]}
    assert all(0 <= row["zero"] <= 1 and 0 < row["similarity"] <= 1 for row in rows.values()), rows
    assert rows["window-10"]["words"] < rows["window-20"]["words"] < rows["window-40"]["words"] < rows["full-page"]["words"]
    assert rows["full-page"]["zero"] < rows["window-40"]["zero"] < rows["window-10"]["zero"] < rows["anchor"]["zero"]


@test
def a_category_alone():
    write("web.yaml", WEB)
    every = json.loads(contexts("web.yaml", "--json").stdout)["pages"]
    some = json.loads(contexts("web.yaml", "--json", "--category", "t1").stdout)["pages"]
    assert 0 < some < every, (some, every)


@test
def mistakes_are_named():
    write("web.yaml", WEB)
    assert "missing argument COLLECTION" in contexts(status=2).stderr
    assert "nowhere" in contexts("nowhere", status=2).stderr
    assert "invalid value 'few' for --words: expected a number" in contexts("web.yaml", "--words", "few", status=2).stderr
    assert "no page has the category 'cheese'" in contexts("web.yaml", "--category", "cheese", status=2).stderr
    assert "nolabels" in contexts("web.yaml", "--labels", "nolabels", status=2).stderr


@test
def models_learn_from_links_and_crawls_begin_at_hubs():
    write("web.yaml", WEB)
    keys = ("collection: web.yaml\ntopics: {level: 1, min_pages: 20, max: 3}\nseeds: 8\nbudget: 60\n"
            "strategies: [text-window, {name: text-window, as: links, model: {train: backlinks}}]\n")
    write("plain.yaml", keys)
    write("hubs.yaml", keys + "hubs: 4\n")
    scent("lab", "run", "plain.yaml", "-o", "plain", "-q")
    scent("lab", "run", "hubs.yaml", "-o", "hubs", "-q")
    for topic_dir in [p for p in Path("plain/runs").iterdir() if p.is_dir()]:
        pages, links = ((topic_dir / f"{name}.jsonl").read_text() for name in ("text-window", "links"))
        assert pages != links
        urls = [json.loads(line)["url"] for line in pages.splitlines()]
        hubs = [json.loads(line)["url"] for line in Path("hubs/runs", topic_dir.name, "text-window.jsonl").read_text().splitlines()]
        assert hubs[:8] == urls[:8] and hubs[8:12] != urls[8:12], (urls[:12], hubs[:12])


if __name__ == "__main__":
    finish()
