#!/usr/bin/env python3
"""Crawls of many workers, seen and steered from outside: scent cluster init, list, stop, forget and purge, status --join."""

import contextlib
import json
import shutil
import sqlite3
import subprocess

from crawling import FRIENDLY, SCENT, SLOW, beside, finish, query, scent, wait_for
from postgres import Postgres
from workers import check_server, fetched, prepare, start


def listed(server, *words):
    done = scent("cluster", "list", *words, "--join", server.uri, "--json")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_export(server):
    """The pages in the log are those of the directories, and lie where it says."""
    def export(*options):
        return scent("export", "test", "--join", server.uri, *options).stdout.splitlines()
    rows = {}
    for i in range(2):
        for url, *row in query(f"w{i}", "select url.url, page.status, page.relevant, page.digest, warc_file, warc_offset, warc_length"
                               " from page join url on url.id = page.url_id where counted"):
            rows[url] = [f"w{i}", *row]
    pages = {page["url"]: page for page in map(json.loads, export())}
    assert {url: [page["worker"].rpartition(":")[2], page["status"], page["relevant"], page["digest"], page["warc"],
                  page["offset"], page["length"]] for url, page in pages.items()} == rows
    assert sorted(export("-f", "urls")) == sorted(rows) and len(rows) > 100
    assert set(export("-f", "urls", "--relevant")) == {url for url, row in rows.items() if row[2]}
    lines = export("-f", "cdxj")
    assert lines == sorted(lines) and {json.loads(line.split(" ", 2)[2])["url"] for line in lines} == set(rows)
    assert "what the log has" in scent("export", "test", "--join", server.uri, "-f", "wacz", status=2).stderr


def check_damage(server):
    """What a directory and the log do not both say is found, and told by URL."""
    def problems(*statements):
        shutil.rmtree("copy", ignore_errors=True)
        shutil.copytree("w0", "copy")
        with contextlib.closing(sqlite3.connect("copy/crawl.db")) as db:
            for statement in statements:
                assert db.execute(statement).rowcount == 1, statement
            db.commit()
        return scent("check", "copy", "--join", server.uri, status=1).stdout

    check_server(server)
    (page, url), = query("w0", "select number, url.url from page join url on url.id = url_id where counted limit 1")
    row = f"url = '{url}'"
    assert f"{url}: queued in the directory, fetched in the log" in problems(f"update url set state = 'queued' where {row}")
    assert f"{url}: redirects 7 in the directory, 0 in the log" in problems(f"update url set redirects = 7 where {row}")
    assert f"{url}: in the log as page {page}, and not in" in problems(f"delete from page where number = {page}")
    assert f"{url}: page {page} of the directory is another one" in problems(f"update page set status = 203 where number = {page}")
    rename = "update url set url = 'http://elsewhere.test/' where "
    assert f"{url}: in the log, fetched, and not in the directory" in problems(rename + row)
    server.sql("CREATE TABLE kept AS SELECT * FROM scent.log WHERE kind = 2")
    server.sql("DELETE FROM scent.log WHERE kind = 2")
    said = scent("check", "w0", "--join", server.uri, status=1).stdout
    assert f"{url}: fetched in the directory, and not in the log" in said and "of the directory is not in the log" in said
    assert "was sent to this worker" not in said, said
    # Who had a host before may have found its URLs without sending them.
    found = query("w1", "select url from url where error = 'another worker visits it' and depth > 0")
    known = {each for each, in query("w0", "select url from url")}
    assert any(f"{each}: was sent to this worker, and it does not know it" in problems(rename + f"url = '{each}'")
               for each, in found[:40] if each in known)
    server.sql("INSERT INTO scent.log SELECT * FROM kept")
    check_server(server)
    server.sql("DROP TABLE kept")


def check_refetch(server):
    """Pages that are lost with their worker are fetched again, and nothing else is."""
    lost, kept = fetched("w0"), fetched("w1")
    server.sql("UPDATE scent.worker SET lease_until = now()")
    name = next(one["id"] for one in listed(server)[0]["workers"] if one["name"].endswith(":w0"))
    done = scent("cluster", "forget", "test", name, "--refetch", "--join", server.uri)
    assert f"{sum(lost.values())} pages are queued again" in done.stdout, done.stdout
    assert start(1, server).wait(200) == 0
    assert fetched("w1") == lost + kept, (sum(lost.values()), list((lost + kept - fetched("w1")).items())[:5])
    again = subprocess.run([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "w0", "--join", server.uri], stderr=subprocess.PIPE, text=True, timeout=100)
    assert again.returncode == 2 and "--refetch" in again.stderr, again
    assert sorted(scent("export", "test", "--join", server.uri, "-f", "urls").stdout.split()) == sorted(lost + kept)


@beside
def what_a_server_knows_is_shown():
    prepare(2)
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
        check_damage(server)
        check_export(server)
        check_refetch(server)
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
