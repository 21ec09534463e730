#!/usr/bin/env python3
"""The judge of a crawl is the same for all its workers: it knows the words and the seeds of all of them, and at the end every
page has the verdict that it has where one worker crawls alone. The log has these verdicts, too."""

import json
import re
from collections import Counter
from pathlib import Path

from crawling import beside, finish, query, scent, serve, wait_for, write
from postgres import Postgres
from workers import WEB, check_log, check_server, check_together, finish_all, hurry, prepare, show_logs, start, wait_at_work

WORKERS = 4


def telling_words():
    """Words that the seeds, which are of the wanted topic, have in common."""
    words = Counter()
    for seed in scent("web", "generate", "web.yaml", "--seeds", "4").stdout.split():
        page = scent("web", "generate", "web.yaml", "--url", seed, errors="replace").stdout
        words.update(sorted(set(re.findall(r"[a-z]{5,}", re.sub(r"<[^>]*>", " ", page)))))  # of equals the same in every run
    return [word for word, _ in words.most_common(60)][-6:]


def verdicts(crawl):
    return {url: (relevant, round(score, 6)) for url, relevant, score in query(
        crawl, "select url.url, relevant, score from page join url on url.id = page.url_id where counted")}


def judges(crawl):
    """The digests of the judges whose verdicts the pages have."""
    return {digest for digest, in query(crawl, "select distinct judge.digest from page join judge on judge.id = page.judge_version"
                                                " where counted and warc_length > 0")}


def crawl_and_compare(**keys):
    prepare(WORKERS, strategy="best-first", **keys)
    with Postgres() as server:
        try:
            finish_all([start(i, server) for i in range(WORKERS)])
        except BaseException:
            show_logs()
            raise
        check_server(server)
        logged = {page["url"]: (int(page["relevant"]), round(page["score"], 6)) for page in
                  map(json.loads, scent("export", "test", "--join", server.uri, "-f", "jsonl").stdout.splitlines())}
        told = int(server.sql("SELECT sum(relevant) FROM scent.worker")[0][0])
    scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
    check_together(WORKERS)
    alone = verdicts("alone")
    together = {url: verdict for i in range(WORKERS) for url, verdict in verdicts(f"w{i}").items()}
    differ = {url: (alone[url], together[url]) for url in alone if alone[url] != together[url]}
    assert not differ, (len(differ), list(differ.items())[:5])
    assert set.union(*(judges(f"w{i}") for i in range(WORKERS))) == judges("alone"), "not one judge"
    relevant = sum(verdict for verdict, _ in alone.values())
    assert 0 < relevant < len(alone), f"all or none of {len(alone)} pages are relevant"
    assert logged.keys() == alone.keys()
    near = {url: (logged[url], alone[url]) for url in alone
            if logged[url][0] != alone[url][0] or abs(logged[url][1] - alone[url][1]) > 1e-5}  # the log has floats
    assert not near, (len(near), list(near.items())[:5])
    assert told == relevant, (told, relevant)


@beside
def the_words_of_a_query_are_counted_in_the_pages_of_all():
    write("web.yaml", WEB)
    crawl_and_compare(query=f"'#sum({' '.join(telling_words())})'")


@beside
def pages_are_compared_with_the_seeds_of_all():
    crawl_and_compare(relevant="similar() > 0.3")


@beside
def who_waits_for_the_last_counts_outlives_the_server():
    """A worker that has ended waits for another one, which never tells; the server is killed meanwhile, and comes back."""
    prepare(1, politeness="{delay: 2s, per_host: 1, retries: 1}", relevant="similar() > 0.3",
            web=WEB.replace("pages_per_host: 15", "pages_per_host: 4"))
    with serve("web.yaml") as site, Postgres() as server:
        child = start(0, server, source=("--proxy-all", f"127.0.0.1:{site.port}"))
        try:
            wait_for(lambda: server.sql("SELECT to_regclass('scent.part') IS NOT NULL") == [["t"]])
            wait_at_work(lambda: server.sql("SELECT count(owner) FROM scent.part") == [["16"]], [child])
            server.sql("INSERT INTO scent.worker(crawl, id, name, session, lease_until) VALUES(1, 7, 'other', 1, now() + interval '1 hour')")
            hurry(0)
            wait_at_work(lambda: server.sql("SELECT settled FROM scent.worker WHERE id <> 7") == [["t"]], [child])
            server.kill()
            server.start()
            assert child.poll() is None, "it does not wait"
            server.sql("UPDATE scent.worker SET settled = true WHERE id = 7")
            finish_all([child])
            assert "told before" not in Path("w0.log").read_text()
            check_log(server, "w0")
        except BaseException:
            show_logs()
            raise


@beside
def another_classifier_or_judge_is_told():
    """A worker with other examples cannot join; and one whose pages were judged otherwise is named."""
    for kind in ("positive", "negative"):
        Path("ex", kind).mkdir(parents=True)
        for i in range(6):
            write(f"ex/{kind}/{i}.txt", f"The {kind} words of example {i}: " + " ".join(f"{kind}{j}" for j in range(i, i + 20)))
    prepare(1, examples="{positive: ex/positive, negative: ex/negative}", limits="{depth: 1000, pages: 20}")
    crawl = ("crawl", "topic.yaml", "--from", "web.yaml", "--join")
    with Postgres() as server:
        scent(*crawl, server.uri, "-q", "-o", "w0")
        write("ex/negative/6.txt", "Of another example, which only this machine has.")
        refused = scent(*crawl, server.uri, "-o", "w1", status=2)
        assert "classifier are not the same" in refused.stderr, refused.stderr
        Path("ex/negative/6.txt").unlink()
        server.sql("INSERT INTO scent.worker(crawl, id, name, session, lease_until, judge) VALUES(1, 7, 'stranger', 1, now(), 5)")
        told = scent(*crawl, server.uri, "-o", "w0").stderr
        assert "1 other workers, stranger among them, have judged their pages by another judge" in told, told


finish()
