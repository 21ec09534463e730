#!/usr/bin/env python3
"""`scent seeds`: candidates out of browsers, lists, crawls, archives, indexes and search engines, none of them trusted."""

import gzip
import json
import os
import sqlite3
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from crawling import FRIENDLY, finish, scent, test, topic, write
from labbing import write_warc

EVIL = "https://evil.example.com/hockey/'x'"


def seeds(*args, status=0, **options):
    done = scent("seeds", *args, status=status, **options)
    return done


def proposed(*args, **options):
    """The addresses in order, by way of JSON."""
    return [json.loads(line)["url"] for line in seeds(*args, "-f", "json", **options).stdout.splitlines()]


def firefox(path="places.sqlite"):
    db = sqlite3.connect(path)
    db.executescript("""
        create table moz_places(id integer primary key, url, title, visit_count, hidden, last_visit_date);
        create table moz_bookmarks(id integer primary key, type, fk, parent, title, guid, dateAdded);
        insert into moz_places values
            (1, 'https://www.example.org/hockey', 'Ice hockey news', 40, 0, 1600000000000000),
            (2, 'https://cooking.example.net/', 'Bread and cakes', 90, 0, 1600000000000000),
            (3, 'https://league.example.com/', null, 1, 0, 0),
            (4, 'https://hidden.example.com/hockey', 'hidden', 5, 1, 0),
            (5, 'https://mail.example.com/reset?token=secret', 'hockey password', 2, 0, 0),
            (6, 'http://192.168.1.1/hockey', 'hockey router', 2, 0, 0),
            (7, 'file:///etc/hockey', 'hockey', 2, 0, 0),
            (8, 'https://user:pass@example.com/hockey', 'hockey', 2, 0, 0),
            (9, 'https://tagged.example.com/hockey', 'hockey', 0, 0, 0);
        insert into moz_bookmarks values
            (1, 2, null, 0, '', 'root________', 0), (2, 2, null, 1, 'tags', 'tags________', 0),
            (3, 2, null, 2, 'sport', 'x', 0), (4, 1, 9, 3, null, 'y', 0),
            (5, 1, 3, 1, 'The hockey league', 'z', 0);
    """)
    db.commit()
    db.close()


@test
def a_profile_of_firefox():
    os.mkdir("profile")
    firefox("profile/places.sqlite")
    done = seeds("profile", "--about", "hockey", "-f", "json")
    urls = [json.loads(line)["url"] for line in done.stdout.splitlines()]
    assert sorted(urls) == ["https://league.example.com/", "https://www.example.org/hockey"], done.stdout
    for reason in ("1 are hosts of a local network", "1 are log-ins, or visited pages with a query",
                   "2 are not addresses", "1 have no word of the topic"):
        assert reason in done.stderr, (reason, done.stderr)
    assert proposed("profile")[0] == "https://league.example.com/", "a bookmark comes first"
    assert proposed("profile/places.sqlite", "--about", "bread") == ["https://cooking.example.net/"]


@test
def a_profile_of_chromium():
    os.mkdir("profile")
    db = sqlite3.connect("profile/History")
    db.executescript("""create table urls(id integer primary key, url, title, visit_count, last_visit_time, hidden);
        insert into urls values (1, 'https://a.example.org/', 'hockey', 3, 13300000000000000, 0),
                                (2, 'https://b.example.org/', 'chess', 30, 0, 0);""")
    db.close()
    bookmarks = {"roots": {"bookmark_bar": {"children": [
        {"name": "goalies of hockey", "url": "https://c.example.org/"},
        {"name": "folder", "children": [{"name": "x", "url": "javascript:alert(1)"}]}]}, "other": {"children": []}}}
    write("profile/Bookmarks", json.dumps(bookmarks))
    assert set(proposed("profile", "-a", "hockey")) == {"https://a.example.org/", "https://c.example.org/"}
    assert proposed("profile/Bookmarks") == ["https://c.example.org/"]


@test
def bookmarks_that_were_exported():
    write("bookmarks.html", """<!DOCTYPE NETSCAPE-Bookmark-file-1>
        <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8"><TITLE>Bookmarks</TITLE>
        <DL><p><DT><H3>Sport</H3><DL><p><DT><A HREF="https://www.example.org/nhl" ADD_DATE="1">National Hockey League</A>
        <DT><A HREF="place:sort=8">Most visited</A><DT><A HREF="https://example.com/bread">Bread</A></DL></DL>""")
    assert proposed("bookmarks.html", "-a", "hockey") == ["https://www.example.org/nhl"]
    assert "bookmark: Bread" in seeds("bookmarks.html").stdout


@test
def the_output_is_a_part_of_a_topic_file():
    write("list.txt", f"{EVIL} Hockey: \033[31mred\\n\nhttps://www.example.org/hockey\n")
    write("topic.yaml", "topic: hockey\nrelevant: hockey\n")
    said = seeds("list.txt", "--topic", "topic.yaml").stdout
    assert "\033" not in said and "\\x1b[31mred" in said, said
    with open("topic.yaml", "a") as file:
        file.write(said)
    again = scent("crawl", "topic.yaml", "-o", "out", status=2).stderr  # it has no contact: the file was read
    assert "user_agent" in again, again
    write("seeds.txt", seeds("list.txt", "-f", "list").stdout)
    write("other.yaml", "topic: hockey\nseeds_file: seeds.txt\n")
    assert "user_agent" in scent("crawl", "other.yaml", "-o", "out", status=2).stderr


@test
def seeds_are_appended_to_the_topic_file_of_init():
    write("list.txt", "https://www.example.org/hockey Ice hockey\n")
    scent("init", "hockey")
    with open("hockey.yaml", "a") as topic_file:
        topic_file.write(scent("seeds", "list.txt", "--topic", "hockey.yaml", "--all").stdout)
    write("web.yaml", FRIENDLY)
    done = scent("crawl", "hockey.yaml", "--from", "web.yaml", status=1)
    assert "https://www.example.org/hockey: " in done.stderr and "no seed could be fetched" in done.stderr, done.stderr


@test
def a_list_has_addresses_hosts_and_names():
    write("list.txt", "# mine\nhttps://www.example.org/a  Title\nexample.net\nNational Hockey League\n\nnot a host.\n")
    done = seeds("list.txt", "-f", "json")
    urls = [json.loads(line)["url"] for line in done.stdout.splitlines()]
    assert sorted(urls) == ["https://example.net/", "https://www.example.org/a"], done.stdout
    assert "2 lines are names and not addresses" in done.stderr, done.stderr
    assert proposed("-", input="example.net\n") == ["https://example.net/"]


@test
def an_earlier_crawl():
    write("web.yaml", FRIENDLY)
    first = scent("web", "generate", "web.yaml", "--seeds", 3).stdout.split()
    topic(first, limits="{pages: 60}", relevant="'true'")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "-q")
    urls = proposed("out", "--allow-private", "-n", "5")
    assert len(urls) == 5, urls
    db = sqlite3.connect("out/crawl.db")
    count = dict(db.execute("""select u.url, count(*) from link l join page p on p.number = l.page_number join url u on u.id = p.url_id
        join page t on t.url_id = l.target_id where t.counted group by p.number""").fetchall())
    assert count[urls[0]] >= sorted(count.values())[len(count) // 2], "pages that link to many relevant ones come first"
    db.close()
    assert proposed("out", status=1) == [], "hosts that end in .test are nobody's"


@test
def archives_and_their_indexes():
    pages = {"https://a.example.org/": "<title>One</title><p>all about hockey, hockey and hockey",
             "https://b.example.org/": "<title>Two</title><p>all about bread"}
    write_warc("pages.warc", pages)
    assert proposed("pages.warc", "-a", "hockey") == ["https://a.example.org/"]
    cdxj = ('org,example,a)/ 20260101000000 {"url": "https://a.example.org/", "mime": "text/html", "status": "200"}\n'
            'org,example,b)/x 20260101000000 {"url": "https://b.example.org/x", "mime": "image/png", "status": "200"}\n'
            'org,example,c)/ 20260101000000 {"url": "https://c.example.org/", "mime": "text/html", "status": "404"}\n'
            'org,example,d)/ 20260101000000 {broken\n')
    write("index.cdxj", cdxj)
    assert proposed("index.cdxj") == ["https://a.example.org/"]
    Path("index.cdxj.gz").write_bytes(gzip.compress(cdxj.encode()))
    assert proposed("index.cdxj.gz") == ["https://a.example.org/"]
    write("index.cdx", " CDX N b a m s k r M S V g\n"
          "org,example,a)/ 20260101000000 https://a.example.org/ text/html 200 AAAA - - 1 2 x.warc.gz\n"
          "org,example,b)/ 20260101000000 https://b.example.org/ text/css 200 AAAA - - 1 2 x.warc.gz\nshort\n")
    assert proposed("index.cdx") == ["https://a.example.org/"]
    write("other.cdx", " CDX a b m s\nhttps://a.example.org/z 20260101000000 text/html 200\n")
    assert proposed("other.cdx") == ["https://a.example.org/z"]


class Searx(BaseHTTPRequestHandler):
    """Speaks SearXNG's JSON."""
    asked = []
    answer = None

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(parts.query)
        self.asked.append((parts.path, query["q"][0], query["pageno"][0], query["format"][0]))
        status, text = self.answer or (200, json.dumps({"query": query["q"][0], "number_of_results": 3, "results": [
            {"url": "https://www.example.org/" + query["pageno"][0], "title": "About " + query["q"][0],
             "content": "ice hockey", "engine": "x", "score": 1.0},
            {"url": "http://127.0.0.1/admin", "title": "hockey"}, {"title": "no address"}]}))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def with_searx(function):
    server = HTTPServer(("127.0.0.1", 0), Searx)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Searx.asked, Searx.answer = [], None
    try:
        function(f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@test
def a_search_engine_is_asked():
    def ask(base):
        assert proposed("--search", base + "/", "--query", "ice & hockey+é", "-a", "hockey") == ["https://www.example.org/1"]
        assert Searx.asked == [("/search", "ice & hockey+é", "1", "json")], Searx.asked
        Searx.asked = []
        write("names.txt", "National Hockey League\n")
        assert proposed("names.txt", "--search", base + "/search", "--result-pages", "2") == \
            ["https://www.example.org/1", "https://www.example.org/2"]
        assert [(path, query, page) for path, query, page, _ in Searx.asked] == \
            [("/search", "National Hockey League", "1"), ("/search", "National Hockey League", "2")], Searx.asked
        for answer, message in (((403, "no"), "search.formats"), ((200, "<html>"), "is it a SearXNG?"),
                                ((200, "{}"), "is it a SearXNG?"), ((302, ""), "HTTP 302")):
            Searx.answer = answer
            assert message in seeds("--search", base, "--query", "x", status=2).stderr
    with_searx(ask)


@test
def a_program_is_asked():
    write("find", "#!/bin/sh\nprintf 'https://www.example.org/%s\\tTitle of %s\\tmore text\\n' \"$1\" \"$1\"\n"
          "echo 'nonsense'\necho '{\"url\": \"https://www.example.com/\", \"title\": \"T\"}'\n")
    os.chmod("find", 0o755)
    said = [json.loads(line) for line in seeds("--search-command", "./find", "--query", "a", "--query", "$(touch x)", "-f",
                                               "json", "--per-host", 0).stdout.splitlines()]
    assert {one["url"] for one in said} == {"https://www.example.org/a", "https://www.example.com/",
                                            "https://www.example.org/$(touch%20x)"}, said
    assert not Path("x").exists(), "a shell has read the query"
    write("find", "#!/bin/sh\nexit 3\n")
    assert "failed: exit status 3" in seeds("--search-command", "./find", "--query", "a", status=2).stderr
    write("find", "#!/bin/sh\nyes\n")
    assert "wrote more than 4 MiB" in seeds("--search-command", "./find", "--query", "a", status=2).stderr
    assert "begins with '-'" in seeds("--search-command", "./find", "--query", "-x", status=2).stderr


@test
def the_model_of_a_topic_orders():
    for kind, text in (("positive", "hockey puck goalie rink ice skate"), ("negative", "bread flour oven cake sugar")):
        os.mkdir(kind)
        for i in range(4):
            write(f"{kind}/{i}.txt", (text + " ") * (i + 3))
    write("topic.yaml", "topic: t\nexamples: {positive: positive, negative: negative}\nscope: {include: ['*.org']}\n")
    write("list.txt", "https://a.example.org/ flour and cake\nhttps://b.example.org/ puck and goalie\n"
                      "https://b.example.com/ puck\n")
    done = seeds("list.txt", "-t", "topic.yaml", "--all", "-f", "json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["url"] for row in rows] == ["https://b.example.org/", "https://a.example.org/"], rows
    assert rows[0]["relevance"] > 2 * rows[1]["relevance"], rows
    assert "1 lie outside of the scope" in done.stderr, done.stderr


@test
def damaged_and_hostile_sources_are_told():
    firefox()
    data = bytearray(Path("places.sqlite").read_bytes())
    data[100:4000] = os.urandom(3900)
    Path("broken.sqlite").write_bytes(data)
    assert seeds("broken.sqlite", status=2).stderr
    db = sqlite3.connect("other.sqlite")
    db.execute("create table x(y)")
    db.close()
    assert "not a history that we know" in seeds("other.sqlite", status=2).stderr
    write("Bookmarks", '{"roots": {"other": ' + '{"children": [' * 5000)
    assert seeds("Bookmarks", status=2).stderr
    assert "does not exist" in seeds("nowhere", status=2).stderr
    os.mkdir("empty")
    assert "neither a crawl directory" in seeds("empty", status=2).stderr
    Path("noise").write_bytes(os.urandom(20000))
    seeds("noise", status=1)
    for args in (("--query", "x"), (), ("--search", "x"), ("--search", "http://a/", "--search-command", "x")):
        seeds(*args, status=2)


finish()
