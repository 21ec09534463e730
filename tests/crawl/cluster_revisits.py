#!/usr/bin/env python3
"""Pages are visited again by who has their hosts now: what is known of their versions moves with them."""

import json
import random
import sqlite3
from contextlib import closing

from crawling import check_crawl, finish, query, scent, test, topic, wait_for
from livesite import Site, page
from postgres import Postgres
from workers import CLUSTER, check_log, show_logs, start

PAGES, ROUNDS, SEED = 20, 3, 7


def make_due(crawl):
    """A week has passed."""
    with closing(sqlite3.connect(f"{crawl}/crawl.db")) as db:
        db.execute("""update revisit set next_visit_us = 1000, first_visit_us = first_visit_us - 604800000000,
            last_visit_us = last_visit_us - 604800000000""")
        db.commit()


def known(crawl):
    """What a worker knows of the pages that it is to visit again."""
    return {url: row for url, *row in query(crawl, """select url.url, state, depth, tries, revisit.visits, changes, first_visit_us,
        last_visit_us, next_visit_us, digest, etag, last_modified from revisit join url on url.id = revisit.url_id
        join page on page.number = page_number""")}


def change(site, rng):
    """Some pages have another text, some are gone, some are there again; and what each answers, for a worker that asks."""
    for path in [f"/{i}" for i in range(PAGES)]:
        lot = rng.random()
        if lot < 0.3:
            site.pages[path] = page(f"Page {path[1:]}", text=f"It has changed: {rng.random()}.")
            site.etags.pop(path, None)
            if lot < 0.2:
                site.etags[path] = f'"{lot}"'
        elif lot < 0.4:
            site.pages.pop(path, None)
        elif path not in site.pages:
            site.pages[path] = page(f"Page {path[1:]}")


def end_leases(server):
    server.sql("UPDATE scent.worker SET lease_until = now()")


def run(server, site, number, kill_after=0):
    """To its end, or until it was asked so much."""
    child = start(number, server, source=("--allow-private",))
    if kill_after:
        wait_for(lambda: len(site.asked) >= kill_after or child.poll() is not None)
        child.kill()
        child.wait()
        # With an error: the database knows that make_due() was there.
        done = scent("check", f"w{number}", "--join", server.uri, status=1)
        assert " of this worker: 0 problems" in done.stderr, done
    else:
        assert child.wait(200) == 0, child.args


def differences(one, two):
    return [(url, one.get(url), two.get(url)) for url in set(one) | set(two) if one.get(url) != two.get(url)][:5]


def move_and_visit(server, site, rng):
    run(server, site, 0)
    assert len(known("w0")) == PAGES + 1
    for number in range(1, ROUNDS + 1):
        end_leases(server)
        site.questions()
        run(server, site, number)  # it takes over, and nothing is due
        assert not site.questions()
        before, now = known(f"w{number - 1}"), known(f"w{number}")
        assert before == now, differences(before, now)
        change(site, rng)
        make_due(f"w{number}")
        run(server, site, number, kill_after=8)
        run(server, site, number)
        asked = site.questions()
        assert len(asked) == PAGES + 1, f"{len(asked)} pages were visited again"
        assert {question[0] for questions in asked.values() for question in questions} - {None}, "without what was known of them"
        looks = {row[3] for row in known(f"w{number}").values()}
        assert max(looks) == number + 1, looks
        check_crawl(f"w{number}")


def check_collection(last):
    """Several directories have the last version of each page, in whatever order they are named."""
    crawls = [f"w{i}" for i in range(ROUNDS + 1)]
    for names in (crawls, crawls[::-1]):
        pages = [json.loads(line) for line in scent("export", *names, "-f", "jsonl").stdout.splitlines()]
        assert sorted((one["url"], one["digest"]) for one in pages) == sorted((url, row[8]) for url, row in last.items())
        assert "visited by another directory" not in scent("check", *names).stdout


@test
def a_recrawl_goes_on_where_hosts_have_moved():
    rng = random.Random(SEED)
    with Site(index=page("Start", *(f"/{i}" for i in range(PAGES)))) as site, Postgres() as server:
        for i in range(PAGES):
            site.pages[f"/{i}"] = page(f"Page {i}")
            if i % 2:
                site.etags[f"/{i}"] = '"1"'
        topic([site.base + "/"], recrawl="{policy: fixed, interval: 1d}", strategy="breadth-first",
              cluster=CLUSTER % (1, "test", "20ms", "600s"))
        try:
            move_and_visit(server, site, rng)
            check_collection(known(f"w{ROUNDS}"))
            # Who comes back has older versions of its own: they are not counted any more.
            end_leases(server)
            run(server, site, 0)
            last, now = known(f"w{ROUNDS}"), known("w0")
            assert last == now, differences(last, now)
            for i in range(ROUNDS + 1):
                check_crawl(f"w{i}")
            check_log(server, "w0")
            stale = [url for url, digest in query("w0", "select url.url, digest from page join url on url.id = url_id where counted")
                     if digest != last[url][8]]
            assert not stale and any(row[4] for row in last.values()), stale
            logged = [json.loads(line) for line in scent("export", "test", "--join", server.uri, "-f", "jsonl").stdout.splitlines()]
            assert sorted((one["url"], one["digest"]) for one in logged) == sorted((url, row[8]) for url, row in last.items())
        except BaseException:
            show_logs()
            raise


finish()
