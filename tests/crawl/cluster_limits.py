#!/usr/bin/env python3
"""limits.pages and limits.time are limits of all workers together: never a page too many, also where workers are killed, taken
over or stopped; and the crawl ends where they are reached."""

import os
import random
import signal
from collections import Counter

from crawling import SLOW, beside, check_crawl, finish, serve, wait_for
from postgres import Postgres
from workers import WEB, fetched, finish_all, hurry, prepare, start

WORKERS, PAGES = int(os.environ.get("LIMIT_WORKERS") or 4), int(os.environ.get("LIMIT_PAGES") or 150)
POLITE = "{delay: 4s, per_host: 1, retries: 1}"


def limits(**more):
    return "{depth: 1000, " + ", ".join(f"{name}: {value}" for name, value in more.items()) + "}"


def told(server):
    """Pages of which the server knows."""
    tables = server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'scent' AND tablename = 'worker'")
    return int(server.sql("SELECT coalesce(sum(logged), 0) FROM scent.worker")[0][0]) if tables == [["1"]] else 0


def check_limit(server, workers, pages=PAGES):
    together = sum((fetched(f"w{i}") for i in range(workers)), Counter())
    assert sum(together.values()) == len(together) == pages, (sum(together.values()), len(together), pages)
    assert server.sql("SELECT state FROM scent.crawl") == [["ended"]] and told(server) == pages
    for i in range(workers):
        check_crawl(f"w{i}")


@beside
def workers_that_are_killed_fetch_as_many_pages_together_as_are_allowed():
    dice = random.Random(int(os.environ.get("CLUSTER_SEED") or 5))
    prepare(WORKERS, web=WEB.replace("hosts: 30", f"hosts: {PAGES // 5}"), limits=limits(pages=PAGES))
    with Postgres() as server:
        children = [start(i, server) for i in range(WORKERS)]
        for step in range(1, 4):
            wait_for(lambda: told(server) >= PAGES * step // 5)
            victim = dice.randrange(WORKERS)
            children[victim].kill()
            children[victim].wait()
            children[victim] = start(victim, server)
        finish_all(children)
        check_limit(server, WORKERS)
        # Who comes back finds that nothing is left, unless it may fetch more.
        finish_all([start(0, server)])
        check_limit(server, WORKERS)
        finish_all([start(i, server, "--pages", str(PAGES + 10)) for i in range(WORKERS)])
        check_limit(server, WORKERS, PAGES + 10)


@beside
def what_a_worker_was_granted_and_did_not_use_comes_back():
    """One is stopped and one dies; a third fetches what they would have. Turns follow each other so fast that the engine often
    has not heard of a grant when the next one is made."""
    prepare(3, limits=limits(pages=120), turn="10ms", politeness=POLITE)
    with Postgres() as server, serve("web.yaml") as site:
        children = [start(i, server, source=("--proxy-all", f"127.0.0.1:{site.port}")) for i in range(3)]
        wait_for(lambda: told(server) > 5)
        children[0].send_signal(signal.SIGTERM)
        children[1].kill()
        assert children[0].wait(100) in (0, 11) and children[1].wait() != 0
        server.sql("UPDATE scent.worker SET lease_until = now() WHERE name LIKE '%:w1'")
        hurry(2)
        finish_all(children[2:])
        shares = server.sql("SELECT name, granted, logged, pages FROM scent.worker ORDER BY name")
        assert told(server) == sum(int(granted) for _, granted, _, _ in shares) == 120, shares
        # What the dead one had not told anybody is not counted any more.
        finish_all([start(1, server, source=("--proxy-all", f"127.0.0.1:{site.port}"))])
        check_limit(server, 3, 120)


@beside
def the_time_limit_is_one_moment_for_all():
    web = WEB.replace("hosts: 30", f"hosts: {100 if SLOW else 1000}")
    prepare(2, web=web, limits=limits(time="1h"), politeness="{delay: 1s, per_host: 1, retries: 0}")
    with Postgres() as server, serve("web.yaml") as site:
        source = ("--proxy-all", f"127.0.0.1:{site.port}")
        deadline = "SELECT deadline > now() + interval '50 min' AND deadline < now() + interval '61 min' FROM scent.crawl"
        children = [start(i, server, source=source) for i in range(2)]
        wait_for(lambda: told(server) > 5)
        assert server.sql(deadline) == [["t"]]
        # Who joins or comes back does not begin a time of its own.
        children[1].kill()
        children[1].wait()
        before = server.sql("UPDATE scent.crawl SET deadline = deadline - interval '5 min' RETURNING deadline")
        children[1] = start(1, server, source=source)
        wait_for(lambda: server.sql("SELECT count(*) FROM scent.worker WHERE session = 2") == [["1"]])
        assert server.sql("SELECT deadline FROM scent.crawl") == before
        server.sql("UPDATE scent.crawl SET deadline = now()")
        finish_all(children)
        assert server.sql("SELECT state FROM scent.crawl") == [["ended"]]
        assert int(server.sql("SELECT sum(queued) FROM scent.worker")[0][0]) > 0
        # Where it continues, its time begins again.
        child = start(0, server, source=source)
        wait_for(lambda: server.sql(deadline) == [["t"]])
        child.kill()
        child.wait()


finish(at_once=3)
