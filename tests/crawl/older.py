#!/usr/bin/env python3
"""Crawl directories of earlier versions are read, checked and resumed.

tests/crawl/older/VERSION.tar.xz was made by that version (0.1: schema 4 of the database): for each NAME a topic file, NAME.crawl (the first 8 pages of a
generated web, one at a time) and NAME.urls (what the same version fetched when it resumed it, in this order)."""

import shutil
import tarfile
from pathlib import Path

from crawling import finish, query, scent, test

ARCHIVES = sorted((Path(__file__).parent / "older").glob("*.tar.xz"))
# What these have learned is counted otherwise by now, so they may go other ways from here on.
OTHER_WAYS = {"intelligent", "query"}


def unpack(archive):
    for left in Path(".").iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(".")
    return sorted(path.stem for path in Path(".").glob("*.urls"))


@test
def a_crawl_of_an_earlier_version_can_be_looked_at():
    for archive in ARCHIVES:
        for name in unpack(archive):
            before = Path(f"{name}.crawl/crawl.db").read_bytes()
            assert '"pages": 8' in scent("status", f"{name}.crawl", "--json").stdout.replace(":8", ": 8")
            exported = scent("export", f"{name}.crawl", "-f", "urls").stdout.split()
            assert len(exported) == 8, exported
            scent("why", f"{name}.crawl", exported[-1])
            assert Path(f"{name}.crawl/crawl.db").read_bytes() == before, "a look changes nothing"
            scent("check", f"{name}.crawl")


@test
def a_crawl_of_an_earlier_version_resumes_on_its_way():
    for archive in ARCHIVES:
        for name in unpack(archive):
            expected = Path(f"{name}.urls").read_text().split()
            with open(f"{name}.yaml", "a") as topic:
                topic.write("\ncontent: all\n")  # earlier versions read whole pages
            scent("crawl", f"{name}.yaml", "--from", "web.yaml", "--pages", 60, "-o", f"{name}.crawl", "-q")
            got = [url for (url,) in query(f"{name}.crawl", "select url from pages where counted order by number")]
            assert len(got) == len(expected) == 60, (name, len(got))
            assert got[:8] == expected[:8], name
            if name not in OTHER_WAYS:
                assert got == expected, (name, next(pair for pair in zip(got, expected) if pair[0] != pair[1]))
            scent("check", f"{name}.crawl")


finish()
