#!/usr/bin/env python3
"""scent why: what became of a URL, and why, told the same as the crawl did it."""

import math

from crawling import *

WORDS = {"ice": "hockey puck rink goalie skate", "tea": "kettle leaf cup saucer steam"}


def page(kind, name, links):
    """No two have the same bytes: copies teach nothing."""
    body = f"<html lang=en><title>{kind}</title><p>{' '.join([WORDS[kind]] * 6)} {name} {name}</p>"
    body += " ".join(f"<a href={link}>{kind}</a>" for link in links)
    return 200, [("Content-Type", "text/html; charset=utf-8")], body.encode()


def site():
    """Two hubs: the children of one are relevant. Fetched in the order of the links, from one host."""
    answers = {"/": page("ice", "home", ["/ice/hub.html", "/tea/hub.html", "/gone.html", "/login"])}
    answers["/ice/hub.html"] = page("ice", "icehub", [f"/ice/{i}.html" for i in range(12)])
    answers["/tea/hub.html"] = page("tea", "teahub", [f"/tea/{i}.html" for i in range(12)])
    for i in range(12):
        answers[f"/ice/{i}.html"] = page("ice", f"number{i}", [])
        answers[f"/tea/{i}.html"] = page("tea", f"number{i}", [])
    return Site(answers)


def crawl(base, strategy, pages=12):
    topic([f"{base}/"], relevant="'\"hockey\"'", strategy=strategy, limits=f"{{pages: {pages}}}",
          scope="{exclude: ['*/login*']}")
    scent("crawl", "topic.yaml", "-o", "out", "--window", "1", "-q", "--allow-private")


def rows(query):
    with contextlib.closing(sqlite3.connect("out/crawl.db")) as db:
        return db.execute(query).fetchall()


def why(url):
    return json.loads(scent("why", "out", url, "--json").stdout)


@test
def the_ratios_of_a_candidate_come_with_their_counts():
    with site() as web:
        crawl(web.base, "{name: intelligent, significance: 0}")
        queued = [url for url, in rows("SELECT url FROM url WHERE state = 'queued'")]
        assert queued
        for url in queued:
            told = why(url)
            assert told["state"] == "queued" and told["score"]["strategy"] == "intelligent", told
            for score in told["score"], told["score"].get("now", told["score"]):
                parts = {part["name"]: part for part in score["parts"]}
                total = sum(part["weight"] * part["value"] for part in parts.values())
                assert math.isclose(total, score["priority"], rel_tol=1e-4, abs_tol=1e-5), told
            links = rows(f"SELECT count(*), sum(page.relevant) FROM link JOIN page ON page.number = link.page_number "
                         f"JOIN url ON url.id = link.target_id WHERE url.url = '{url}'")[0]
            assert (parts["linking pages"]["of"], parts["linking pages"]["count"]) == links, (parts, links)
            kind = "ice" if "/ice/" in url else "tea"
            visited = rows(f"SELECT count(*), sum(relevant) FROM page JOIN url ON url.id = page.url_id WHERE counted AND "
                           f"url LIKE '%/{kind}/%' AND url NOT LIKE '%hub%'")[0]
            if visited[0]:
                assert (parts["siblings"]["of"], parts["siblings"]["count"]) == (visited[0], visited[1]), (parts, visited)
            assert math.isclose(parts["siblings"]["ratio"], math.exp(parts["siblings"]["value"]), rel_tol=1e-6)
        text = scent("why", "out", queued[0]).stdout
        assert "visited siblings are relevant" in text, text


@test
def other_strategies_kept_what_they_said_of_the_best_link():
    with site() as web:
        crawl(web.base, "best-first", pages=6)
        for url, priority in rows("SELECT url, priority FROM url WHERE state = 'queued'"):
            told = why(url)
            assert math.isclose(told["score"]["priority"], priority, rel_tol=1e-5), (told, priority)
            assert told["score"]["from"] == "when it was scored" and told["links"][0]["priority"] == told["priority"], told


@test
def a_page_has_its_verdict_with_reasons():
    with site() as web:
        crawl(web.base, "breadth-first", pages=20)
        told = why(f"{web.base}/tea/hub.html")
        assert told["state"] == "fetched" and told["page"]["status"] == 200 and not told["page"]["relevant"], told
        assert "hockey" in told["page"]["reasons"] and told["found_on"] == f"{web.base}/", told
        assert why(f"{web.base}/ice/hub.html")["page"]["relevant"]
        seed = why(f"{web.base}/")
        assert seed["seed"] and seed["links"] == [] and "found_on" not in seed, seed
        text = scent("why", "out", f"{web.base}/tea/hub.html").stdout
        assert "verdict    not relevant" in text and "linked     1 time" in text, text


@test
def a_learner_says_nothing_of_a_seed():
    """No link made it a candidate: what one link would be worth alone is no score of it."""
    with Site({"/": page("ice", "home", ["/1.html"]), "/1.html": page("tea", "one", ["/"])}) as web:
        crawl(web.base, "intelligent")
        told = why(f"{web.base}/")
        assert told["seed"] and told["linked"] == 1 and "score" not in told, told
        text = scent("why", "out", f"{web.base}/").stdout
        assert "priority   seed: before all other URLs" in text and "score      " not in text, text
        assert "'home page' is not an http or https URL" in scent("why", "out", "home page", status=2).stderr


@test
def what_was_not_fetched_says_why():
    with site() as web:
        crawl(web.base, "breadth-first", pages=20)
        assert why(f"{web.base}/gone.html")["reason"] == "http 404"
        refused = why(f"{web.base}/login")
        assert refused["state"] == "seen" and "exclude" in refused["reason"], refused


@test
def to_ask_why_trains_and_writes_nothing():
    with site() as web:
        os.makedirs("pages/positive")
        os.makedirs("pages/negative")
        for i in range(4):
            write(f"pages/positive/{i}.txt", f"ice hockey puck goalie rink number {i} " * 9)
            write(f"pages/negative/{i}.txt", f"green tea leaf kettle cup number {i} " * 9)
        topic([web.base + "/"], examples="{positive: [pages/positive], negative: [pages/negative]}")
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out", "--pages", 6)
        url = rows("SELECT url FROM url WHERE state = 'fetched'")[0][0]
        assert why(url)["state"] == "fetched" and os.path.exists("out/learned/model")
        os.remove("out/learned/model")
        told = why(url)
        assert told["state"] == "fetched" and not os.path.exists("out/learned/model"), told
        assert "no longer exist" in scent("why", "out", url).stdout


@test
def an_interrupted_crawl_can_be_asked():
    with site() as web:
        crawl(web.base, "intelligent", pages=5)
        before = sorted(os.listdir("out"))
        url = rows("SELECT url FROM url WHERE state = 'queued'")[0][0]
        assert why(url)["state"] == "queued"
        assert [name for name in sorted(os.listdir("out")) if not name.startswith("crawl.db-")] == \
               [name for name in before if not name.startswith("crawl.db-")]
        crawl(web.base, "intelligent", pages=40)
        assert why(url)["state"] in ("fetched", "failed")


@test
def a_choice_is_told_with_its_reason():
    with site() as web:
        topic([f"{web.base}/"], relevant="'\"hockey\"'", limits="{pages: 12}")
        told = scent("crawl", "topic.yaml", "-o", "out", "--window", "1", "--allow-private").stderr
        assert "strategy adaptive, because the topic names none" in told, told
        for url, priority in rows("SELECT url, priority FROM url WHERE state = 'queued'"):
            told = why(url)["score"]
            assert told["strategy"] == "adaptive" and told["chosen"] == "the topic names none", told
            assert math.isclose(told["priority"], priority, rel_tol=1e-5), (told, priority)
            assert told["parts"][0]["name"] == "probability of a relevant page", told
            assert "words around the links to it" in [part["name"] for part in told.get("now", told)["parts"]], told
        told = json.loads(scent("why", "out", url, "--json", "--strategy", "breadth-first").stdout)
        assert "chosen" not in told["score"], told


@test
def a_strategy_of_the_command_line_is_remembered():
    with site() as web:
        topic([f"{web.base}/"], relevant="'\"hockey\"'", limits="{pages: 8}")
        scent("crawl", "topic.yaml", "-o", "out", "--window", "1", "-q", "--allow-private", "--strategy", "intelligent")
        url = rows("SELECT url FROM url WHERE state = 'queued'")[0][0]
        assert why(url)["score"]["strategy"] == "intelligent"
        told = json.loads(scent("why", "out", url, "--json", "--strategy", "breadth-first").stdout)
        assert told["score"]["strategy"] == "breadth-first", told
        for wrong in ("intelligent:rascore=never", "intelligent:content=2", "fusion:of=fish + hmm"):
            assert wrong.split(":")[0] in scent("why", "out", url, "--strategy", wrong).stdout, wrong


@test
def what_cannot_be_told_is_said():
    with site() as web:
        crawl(web.base, "best-first", pages=6)
        unknown = scent("why", "out", f"{web.base}/ice/999.html", status=1).stderr
        assert f"did you mean {web.base}/ice/" in unknown, unknown
        url = rows("SELECT url FROM url WHERE state = 'queued'")[0][0]
        shutil.rmtree("out/warc")
        assert "not told" in scent("why", "out", url).stdout
        os.remove("out/topic.yaml")
        assert "the topic" in why(url)["not_told"]
    os.mkdir("empty")
    assert "no crawl in" in scent("why", "empty", "http://a.test/", status=2).stderr
    assert "missing argument URL" in scent("why", "out", status=2).stderr


@test
def text_of_servers_commands_no_terminal():
    """The title is what the page says, the error what the server says; both as far as they are characters."""
    escape = "\x1b]0;owned\x07\x1b[2J\u009b31m"
    with site() as web:
        crawl(web.base, "best-first", pages=6)
        (url,) = rows("SELECT url FROM pages WHERE counted LIMIT 1")[0]
        with contextlib.closing(sqlite3.connect("out/crawl.db")) as db:
            db.execute("UPDATE page SET title = ? WHERE counted", (f"Caf\u00e9 {escape}",))
            db.execute("UPDATE url SET error = ?, state = 'failed' WHERE url <> ?", (f"http 500 {escape}", url))
            db.commit()
        told = scent("why", "out", url).stdout + scent("status", "out").stdout
        assert "Caf\u00e9 ?]0;owned??[2J?31m" in told and "http 500 ?]0;owned" in told, told
        assert not set(told) & {chr(c) for c in [*range(32), 127, *range(128, 160)]} - set("\n\t"), repr(told)


finish()
