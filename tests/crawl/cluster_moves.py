#!/usr/bin/env python3
"""Hosts that change their worker: one joins, leaves, dies, sleeps past its lease, or loses its directory. Nothing is lost, and
what is read from the log is what its owner knew."""

import signal
from collections import Counter

from crawling import SLOW, beside, check_crawl, finish, query, scent, serve, wait_for, write
from postgres import Postgres
from sites import Answer, Site
from workers import (WEB, check_log, check_server, check_together, fetched, finish_all, hurry, prepare, show_logs, start,
                     wait_at_work)

POLITE = "{delay: %s, per_host: 1, retries: 1}"


LINKS, VISITED = 1, 2  # kinds of rows in the log


def log_rows(server, kind):
    """Rows of the log, once there is one."""
    tables = server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'scent' AND tablename = 'log_1'")
    return int(server.sql(f"SELECT count(*) FROM scent.log WHERE kind = {kind}")[0][0]) if tables == [["1"]] else 0


def owned(server, worker):
    """Partitions of the worker of this directory."""
    return int(server.sql(f"SELECT count(*) FROM scent.part JOIN scent.worker ON worker.id = owner WHERE name LIKE '%:w{worker}'")[0][0])


def end_lease(server, worker):
    """Of one that is dead: a lease that ends by itself soon would also end that of a worker on a busy machine."""
    server.sql(f"UPDATE scent.worker SET lease_until = now() WHERE name LIKE '%:w{worker}'")


class Crawl:
    """A server, a web that is visited politely, and one worker's pages to compare with. A crawl takes 16 seconds, unless its
    workers hurry()."""

    def __init__(self, workers, lease="600s"):
        prepare(workers, web=WEB.replace("pages_per_host: 15", "pages_per_host: 8"), lease=lease,
                politeness=POLITE % "2s")
        self.site = serve("web.yaml")
        self.end_site = self.site.__exit__
        self.source = ("--proxy-all", f"127.0.0.1:{self.site.port}")
        scent("crawl", "alone.yaml", *self.source, "-q", "-o", "alone")

    def __enter__(self):
        self.server = Postgres().__enter__()
        return self

    def __exit__(self, failure, *_):
        if failure:
            show_logs()
        self.server.__exit__()
        self.end_site()

    def start(self, number):
        return start(number, self.server, source=self.source)

    def finish(self, children):
        """Both workers hurry to the end, and have all pages together."""
        hurry(0, 1)
        finish_all(children)
        check_together(2)
        check_server(self.server)

    def wait_for_exchange(self, workers):
        """Until something was visited, and a link to a host of another worker was found."""
        wait_at_work(lambda: log_rows(self.server, VISITED) and log_rows(self.server, LINKS), workers)


class ClosedPages(Crawl):
    """Each page leads to one that robots.txt forbids, and to which no other leads."""

    def __init__(self, workers):
        self.site = Site(self.answer)
        self.end_site = self.site.stop
        self.source = ("--proxy-all", f"127.0.0.1:{self.site.port}")
        prepare(workers, seeds=["http://h0.test/0", "http://h6.test/0"], politeness=POLITE % "2s", lease="600s")
        scent("crawl", "alone.yaml", *self.source, "-q", "-o", "alone")

    def answer(self, visit):
        host, path = int(visit.host[1:].split(".")[0]), visit.path.split(".test/", 1)[1]
        if path == "robots.txt":
            return Answer("User-agent: *\nDisallow: /closed\n", kind="text/plain")
        if not path.isdigit() or int(path) > 11:
            return Answer("no", status=404)
        links = [f"http://h{host}.test/closed/{path}", f"http://h{host}.test/{int(path) + 1}", f"http://h{(host + 1) % 12}.test/{path}"]
        return Answer(f"<title>{host} {path}</title><p>" + "".join(f'<a href="{link}">{link}</a> ' for link in links))


@beside
def who_joins_later_gets_half_of_the_hosts():
    with Crawl(1) as crawl:
        first = crawl.start(0)
        wait_at_work(lambda: log_rows(crawl.server, VISITED), [first])
        first.send_signal(signal.SIGSTOP)  # nor does it end before the other one is here
        try:
            second = crawl.start(1)
            wait_at_work(lambda: crawl.server.sql("SELECT count(*) FROM scent.worker") == [["2"]], [second])
        finally:
            first.send_signal(signal.SIGCONT)
        wait_at_work(lambda: owned(crawl.server, 0) == owned(crawl.server, 1) == 8, [first, second])
        hurry(0, 1)
        finish_all([first, second])
        check_together(2)
        check_server(crawl.server)
        assert owned(crawl.server, 0) == owned(crawl.server, 1) == 8
        assert crawl.server.sql("SELECT count(*) FROM scent.part WHERE epoch = 2") == [["8"]], "not by one move each"


@beside
def sigterm_hands_over():
    with Crawl(2) as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        children[0].send_signal(signal.SIGTERM)
        assert children[0].wait(100) == 11
        assert owned(crawl.server, 0) == 0, "it keeps hosts that it does not visit"
        hurry(1)
        finish_all(children[1:])
        check_together(2)
        check_server(crawl.server)


@beside
def who_dies_is_taken_over_and_may_come_back():
    with Crawl(2) as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        children[0].kill()
        children[0].wait()
        end_lease(crawl.server, 0)
        hurry(1)
        finish_all(children[1:])
        together = fetched("w0") + fetched("w1")
        assert set(together) == set(fetched("alone")), "something is lost"
        assert owned(crawl.server, 1) == 16
        # What it had not told anybody before it died is not counted any more. Its links wait for nobody.
        end_lease(crawl.server, 1)
        finish_all([crawl.start(0)])
        check_together(2)
        check_server(crawl.server)


def leave_unheard(crawl, children):
    """The first one leaves all its hosts while there is no server, with state that it could not send, and dies."""
    wait_at_work(lambda: query("w0", "select count(*) from url where state = 'queued'")[0][0] >= 5, children)  # to visit then
    crawl.server.kill()
    sent = query("w0", "select coalesce(max(id), 0) from outgoing")[0][0]  # or not: that is forgotten with the next commit
    wait_at_work(lambda: query("w0", f"select 1 from outgoing where kind = {VISITED} and id > {sent}"), children)
    children[0].send_signal(signal.SIGTERM)
    wait_for(lambda: not query("w0", "select 1 from place where epoch > 0"))
    children[0].kill()
    children[0].wait()


def give(server, giver, taker):
    """All hosts of one worker to another, as if a lease had ended."""
    server.sql(f"UPDATE scent.part SET epoch = epoch + 1, owner = (SELECT id FROM scent.worker WHERE name LIKE '%:w{taker}')"
               f" WHERE owner = (SELECT id FROM scent.worker WHERE name LIKE '%:w{giver}')")


@beside
def who_dies_before_it_has_told_what_it_left_comes_back():
    """Others visit these hosts, so their state is never sent; it must not stand in the way of what is."""
    with Crawl(2, lease="600s") as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        leave_unheard(crawl, children)
        children[1].send_signal(signal.SIGSTOP)  # it would end, or give some of its hosts back
        try:
            crawl.server.start()
            give(crawl.server, 0, 1)
            children[0] = crawl.start(0)
            wait_at_work(lambda: not query("w0", f"select 1 from outgoing where kind = {VISITED}"), children)
        finally:
            children[1].send_signal(signal.SIGCONT)
        crawl.finish(children)


@beside
def who_dies_before_it_has_told_what_it_left_may_still_have_it():
    """Its log is read again, without what was never sent: these pages are visited once more, and are no copies of themselves."""
    with Crawl(2, lease="600s") as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        leave_unheard(crawl, children)
        crawl.server.start()
        children[0] = crawl.start(0)
        crawl.finish(children)


@beside
def what_was_refused_and_never_told_is_refused_again():
    """Hosts go and come back while their worker is dead: that robots.txt forbids a URL was not sent, and only a page of the same
    host leads to it."""
    with ClosedPages(2) as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        wait_at_work(lambda: query("w0", "select count(*) from url where state = 'queued'")[0][0] >= 3, children)  # to visit then
        crawl.server.kill()
        known = query("w0", "select coalesce(max(id), 0) from url")[0][0]
        wait_at_work(lambda: query("w0", f"select 1 from url where state = 'dropped' and error like 'robots%' and id > {known}"),
                     children)
        children[0].kill()
        children[0].wait()
        children[1].send_signal(signal.SIGSTOP)
        try:
            crawl.server.start()
            give(crawl.server, 0, 1)
            children[0] = crawl.start(0)
            wait_at_work(lambda: not query("w0", f"select 1 from outgoing where kind = {VISITED}"), children)
            children[0].kill()
            children[0].wait()
            give(crawl.server, 1, 0)
            children[0] = crawl.start(0)
        finally:
            children[1].send_signal(signal.SIGCONT)
        crawl.finish(children)


@beside
def who_sleeps_past_its_lease_is_shut_out():
    with Crawl(2, lease="12s") as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        children[0].send_signal(signal.SIGSTOP)
        try:
            hurry(1)
            finish_all(children[1:])
            told = log_rows(crawl.server, VISITED)
        finally:
            children[0].send_signal(signal.SIGCONT)
        finish_all(children[:1])
        # Links that it had found before may come late; what became of its hosts is not its to say any more.
        assert log_rows(crawl.server, VISITED) == told, "the sleeper has written"
        check_together(2)


@beside
def a_directory_that_is_lost_is_fetched_from_the_log():
    """Its pages are gone with its WARC files, but nobody fetches them again, and no URL is forgotten."""
    with Crawl(2) as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        children[0].kill()
        children[0].wait()
        end_lease(crawl.server, 0)
        children[0] = crawl.start(2)
        wait_at_work(lambda: owned(crawl.server, 2), children)
        hurry(1, 2)
        finish_all(children)
        done = Counter(url for i in (1, 2) for url, in query(f"w{i}", "select url from url where state = 'fetched' and flags & 10 = 0"))
        assert set(fetched("alone")) <= set(done), list(set(fetched("alone")) - set(done))[:5]
        for i in (1, 2):
            check_crawl(f"w{i}")


@beside
def partitions_that_go_to_and_fro_lose_nothing():
    """Each is wanted by the other worker again as soon as it has moved: news of an epoch that is over, visits under way and state
    that is not sent yet meet the next move."""
    with Crawl(2) as crawl:
        children = [crawl.start(0), crawl.start(1)]
        crawl.wait_for_exchange(children)
        moves, sql = 0, crawl.server.sql
        while moves < (4 if SLOW else 10) and sql("SELECT count(*) FROM scent.worker WHERE lease_until > now()") == [["2"]]:
            sql("UPDATE scent.part SET wanted_by = (SELECT id FROM scent.worker WHERE id <> owner)"
                f" WHERE wanted_by IS NULL AND part % 2 = {moves % 2}")
            wait_for(lambda: sql("SELECT count(*) FROM scent.part WHERE wanted_by IS NOT NULL") == [["0"]]
                     or any(child.poll() is not None for child in children))
            moves += 1
        hurry(0, 1)
        finish_all(children)
        assert moves > 2 and int(sql("SELECT max(epoch) FROM scent.part")[0][0]) > 2, moves
        check_together(2)
        check_server(crawl.server)


# ---- the log and crawl.db ----

def known(crawl):
    """What a worker knows of URLs of its own hosts, and of the pages that it is to visit again (cluster_revisits.py visits
    them). A reason may be worded by the one who visited it."""
    return {url: row for url, *row in query(crawl, """select url.url, state, depth, off_domain, redirects, tries, flags, hex(own),
        url.priority, visits, changes, first_visit_us, last_visit_us, next_visit_us, digest, etag from url
        left join revisit on revisit.url_id = url.id left join page on page.number = page_number
        where flags & 10 = 0 and coalesce(error, '') <> 'another worker visits it'""")}


def looked_at(server):
    """Rows of the log that the server has fetched from their table, for whomever."""
    return int(server.sql("SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'log_1'")[0][0])


def read_a_long_log(server, source, expected):
    """State that was written many times over says the same, and the server looks at each row about once: not at all that is
    behind a place for every few rows that are read."""
    server.sql("INSERT INTO scent.log(crawl, part, writer, epoch, kind, body) SELECT crawl, part, writer, epoch, kind, body"
               " FROM scent.log, generate_series(1, 40) AS copy WHERE kind = 2 ORDER BY copy, xid, id")
    rows, before = log_rows(server, VISITED), looked_at(server)
    child = start("long", server, source=source)
    assert child.wait(200) == 0
    wait_for(lambda: looked_at(server) - before >= rows)  # its backend says so when it ends
    assert known("wlong") == expected
    assert looked_at(server) - before < 2 * rows, f"{looked_at(server) - before} for {rows} rows"


@beside
def the_state_that_is_read_from_the_log_is_the_owners():
    """Random crawls with errors, redirects, robots.txt files and kills: another worker takes all of it over in the middle, and
    once more at the end, and knows what its owner knew."""
    for seed in (1,) if SLOW else (1, 2):
        web = f"kind: generated\nseed: {seed}\nhosts: 30\npages_per_host: 8\nslow_hosts: {{share: 0}}\ndead_hosts: 0\n" \
              "duplicates: 0\ntraps: 0.1\nerrors: 0.1\nredirects: 0.1\nrobots: {share: 0.4, crawl_delay: 0}\n"
        write("web.yaml", web)
        prepare(1, web=web, name=f"web {seed}", strategy="best-first", politeness=POLITE % "0", limits="{depth: 1000, per_pattern: 30}",
                recrawl="{policy: fixed, interval: 1d}")
        with serve("web.yaml") as site, Postgres() as server:
            source = ("--proxy-all", f"127.0.0.1:{site.port}")
            names = [f"{seed}{i}" for i in range(4)]
            for i, name in enumerate(names):
                child = start(name, server, source=source)
                if i < 2:  # it is killed, resumed, and killed again
                    for _ in range(2):
                        before = log_rows(server, VISITED)
                        wait_for(lambda: log_rows(server, VISITED) > before or child.poll() is not None)
                        child.kill()
                        child.wait()
                        check_log(server, f"w{name}")
                        child = start(name, server, source=source)
                    before = log_rows(server, VISITED)
                    wait_for(lambda: log_rows(server, VISITED) > before or child.poll() is not None)
                    child.kill()
                    child.wait()
                else:
                    assert child.wait(200) == 0
                check_log(server, f"w{name}")
                server.sql("UPDATE scent.worker SET lease_until = now()")
            one, two = known(f"w{names[2]}"), known(f"w{names[3]}")
            assert one == two, [(url, one.get(url), two.get(url)) for url in set(one) | set(two) if one.get(url) != two.get(url)][:5]
            assert sum(row[8] is not None for row in one.values()) > 50, "few pages are to be visited again"
            assert len(one) > 100 and {row[0] for row in one.values()} >= {"fetched", "failed", "redirected", "dropped"}
            if seed == 1:
                read_a_long_log(server, source, one)


finish(at_once=3)
