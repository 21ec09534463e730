#!/usr/bin/env python3
"""Crawls of many workers, seen and steered from outside: scent cluster init, list, stop, forget and purge, status --join."""

import json
import subprocess

from crawling import FRIENDLY, SCENT, SLOW, beside, finish, query, scent, wait_for
from postgres import Postgres
from workers import prepare, start


def listed(server, *words):
    done = scent("cluster", "list", *words, "--join", server.uri, "--json")
    return [json.loads(line) for line in done.stdout.splitlines()]


@beside
def what_a_server_knows_is_shown():
    prepare(2, FRIENDLY)
    with Postgres() as server:
        assert "no crawl yet" in scent("cluster", "list", "--join", server.uri, status=2).stderr
        assert "ready" in scent("cluster", "init", "--join", server.uri).stdout
        scent("cluster", "init", "--join", server.uri)
        assert "no crawls" in scent("cluster", "list", "--join", server.uri).stdout
        assert all(child.wait(200) == 0 for child in [start(i, server) for i in range(2)])
        crawl, = listed(server)
        assert crawl["name"] == "test" and crawl["state"] == "ended" and crawl["owned"] == crawl["partitions"] == 16
        assert crawl["waiting"] == 0 and len(crawl["workers"]) == 2 and all(one["waiting"] == 0 for one in crawl["workers"])
        pages = [query(f"w{i}", "select count(*) from page where counted")[0][0] for i in range(2)]
        assert sorted(one["pages"] for one in crawl["workers"]) == sorted(pages) and crawl["pages"] == sum(pages)
        text = scent("status", "--join", server.uri).stdout
        assert "test: ended, " in text and f"{sum(pages)} " in text.splitlines()[-1] and "together" in text, text
        assert json.loads(scent("status", "test", "--join", server.uri, "--json").stdout)["pages"] == sum(pages)
        assert "no crawl 'x'" in scent("status", "x", "--join", server.uri, status=2).stderr
        assert "missing argument DIR" in scent("status", status=2).stderr
        # It ends with its whole log.
        scent("cluster", "purge", "test", "--join", server.uri)
        assert listed(server) == [] and server.sql("SELECT count(*) FROM scent.log") == [["0"]]
        assert "no crawl 'test'" in scent("cluster", "purge", "test", "--join", server.uri, status=2).stderr


@beside
def a_crawl_is_stopped_and_a_worker_forgotten():
    prepare(2, FRIENDLY.replace("hosts: 30", f"hosts: {200 if SLOW else 1000}"), lease="5s")
    with Postgres() as server:
        children = [start(i, server) for i in range(2)]
        wait_for(lambda: server.sql("SELECT to_regclass('scent.worker') IS NOT NULL")[0] == ["t"])
        wait_for(lambda: int(server.sql("SELECT coalesce(sum(pages), 0) FROM scent.worker")[0][0]) > 20)
        names = [one["id"] for one in listed(server, "test")[0]["workers"]]
        assert "take part" in scent("cluster", "purge", "test", "--join", server.uri, status=2).stderr
        assert "is at work" in scent("cluster", "forget", "test", names[0], "--join", server.uri, status=2).stderr
        assert "is called 'nobody'" in scent("cluster", "forget", "test", "nobody", "--join", server.uri, status=2).stderr
        scent("cluster", "stop", "test", "--join", server.uri)
        codes = [child.wait(100) for child in children]
        crawl, = listed(server)
        assert crawl["state"] == "stopping" and crawl["owned"] == 16 and crawl["queued"] > 0, (codes, crawl)
        wait_for(lambda: not any(one["live"] for one in listed(server)[0]["workers"]))
        done = scent("cluster", "forget", "test", names[0], "--join", server.uri)
        freed = crawl["workers"][[one["id"] for one in crawl["workers"]].index(names[0])]["partitions"]
        assert done.stdout.startswith(f"{freed} partitions") and listed(server)[0]["owned"] == 16 - freed, done.stdout


@beside
def a_wrong_server_is_told():
    done = subprocess.run([SCENT, "cluster", "list", "--join", "postgresql://u:secret@127.0.0.1/d"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "password" in done.stderr and "secret" not in done.stderr, done.stderr
    assert "--join" in scent("cluster", "list", status=2).stderr


finish()
