#!/usr/bin/env python3
"""Crawls in a browser and for programs (`scent serve`): every view in a real Chromium, over pages that want to run scripts;
every route as docs/openapi.json describes it; requests that mean harm."""

import http.client
import socket
import urllib.parse
import urllib.request

from browser import Browser
from crawling import *

API = json.loads((Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text())
KEPT = os.environ.get("SCENT_SCREENSHOTS")  # a folder: pictures of every view stay there
VIEWS = ["overview", "pages", "why", "review", "map"]


class Dashboard(Server):
    def __init__(self, *arguments):
        super().__init__(SCENT, "serve", *arguments)
        self.base, self.token = self.line.strip().split("/#token=")
        self.port = int(self.base.rsplit(":", 1)[1])

    def ask(self, path, body=None, status=200, **headers):
        """The JSON of an answer with this status."""
        data = None if body is None else json.dumps(body).encode()
        if body is not None:
            headers = {"Content-Type": "application/json", "Authorization": "Bearer " + self.token} | headers
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET" if body is None else "POST", path, data, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status == status, f"{path}: {answer.status}, not {status}: {text[:300]}"
        return json.loads(text) if answer.getheader("Content-Type") == "application/json" else text.decode()

    def api(self, path, *arguments, **named):
        return self.ask("/api/v1" + path, *arguments, **named)

    def ready(self, crawl=0):
        wait_for(lambda: self.api("/crawls")["crawls"][crawl]["complete"])


def crawl_generated(pages=120):
    write("web.yaml", FRIENDLY)
    seeds = scent("web", "generate", "web.yaml", "--seeds", 5).stdout.split()
    topic(seeds, limits={"pages": pages}, relevant="similar() > 0.3")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out")


# ---- the description ----

def check(value, schema, where):
    """Is it as the schema says? As much of JSON Schema as the file uses."""
    if "$ref" in schema:
        schema = API["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    kind = ("null" if value is None else "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else
            "number" if isinstance(value, float) else "string" if isinstance(value, str) else
            "array" if isinstance(value, list) else "object")
    assert kind in kinds or (kind == "integer" and "number" in kinds), f"{where}: {kind}, not {kinds}"
    assert value in schema.get("enum", [value]), f"{where}: {value}"
    if kind == "array":
        for i, item in enumerate(value):
            check(item, schema["items"], f"{where}[{i}]")
    if kind == "object":
        for name in schema.get("required", []):
            assert name in value, f"{where}: no {name}"
        known = schema.get("properties")
        for name, item in value.items():
            assert known is None or name in known, f"{where}: {name} is not described"
            if known:
                check(item, known[name], f"{where}.{name}")


@beside
def every_route_is_as_described():
    crawl_generated()
    with Dashboard("out") as server:
        server.ready()
        routes = {(r["method"].lower(), r["path"]) for r in server.api("")["routes"]}
        described = {(method, path) for path, item in API["paths"].items() for method in item}
        assert routes == described, routes ^ described
        assert server.api("/openapi.json") == API
        page = server.api("/crawls/0/pages?limit=1")["pages"][0]
        wait_for(lambda: server.api("/crawls/0")["urls_complete"])
        for method, path in sorted(described):
            operation = API["paths"][path][method]
            if path in ("/api/v1/events", "/replay/{crawl}", "/api/v1/openapi.json") or "{lab}" in path or method != "get" or path.endswith("/search"):
                continue
            query = "?" + urllib.parse.urlencode({"url": page["url"]}) if any(
                p["name"] == "url" for p in operation.get("parameters", [])) else ""
            answer = server.ask(path.replace("{crawl}", "0").replace("{number}", str(page["number"])) + query)
            (kind,) = operation["responses"]["200"]["content"].values()
            check(answer, kind["schema"], path)
        wait_for(lambda: server.api("/crawls/0/search?q=the")["complete"])
        (kind,) = API["paths"]["/api/v1/crawls/{crawl}/search"]["get"]["responses"]["200"]["content"].values()
        found = server.api("/crawls/0/search?q=the")
        check(found, kind["schema"], "search")
        assert found["hits"] and any(piece["match"].lower() == "the" for piece in found["hits"][0]["excerpt"])
        events = urllib.request.urlopen(server.base + "/api/v1/events", timeout=60)
        line = events.readline()
        check(json.loads(line[6:]), API["components"]["schemas"]["Crawls"], "events")
        events.close()
        assert 'scent_pages{crawl="out",id="0"} %d' % server.api("/crawls")["crawls"][0]["pages"] in server.ask("/metrics")
        for path, status in [("/crawls/1", 404), ("/crawls/0/pages/999999", 404), ("/crawls/x", 404), ("/nothing", 404),
                             ("/crawls/0/why?url=x", 400), ("/crawls/0/why?url=http://no.test/", 404), ("/labs/0", 404)]:
            check(server.api(path, status=status), API["components"]["schemas"]["Error"], path)


@beside
def figures_are_those_of_the_database():
    crawl_generated()
    with Dashboard("out") as server:
        server.ready()
        crawl = server.api("/crawls")["crawls"][0]
        status = json.loads(scent("status", "out", "--json").stdout)
        assert (crawl["pages"], crawl["relevant"]) == (status["pages"], status["relevant"])
        wait_for(lambda: server.api("/crawls/0")["urls_complete"])
        whole = server.api("/crawls/0")
        assert {k: v for k, v in whole["urls"].items()} == status["urls"]
        assert sorted((e["reason"], e["count"]) for e in whole["errors"]) == sorted(
            (e["reason"], e["count"]) for e in status["errors"])
        assert sum(whole["queue"]["bins"]) == query("out", "select count(*) from url where state='queued' and abs(priority) < 1e300")[0][0]
        for order, sql in [("newest", "number desc"), ("best", "score desc, number desc")]:
            got, after = [], 0
            while after is not None:  # part by part: nothing twice, nothing left out
                part = server.api(f"/crawls/0/pages?order={order}&limit=7&verdict=relevant&after={after}")
                got += [p["number"] for p in part["pages"]]
                after = part["next"]
            assert got == [n for n, in query("out", f"select number from page where counted and relevant order by {sql}")]
        last = server.api("/crawls/0/curve")["points"][-1]
        assert (last["pages"], last["relevant"]) == (crawl["pages"], crawl["relevant"])
        hosts = server.api("/crawls/0/hosts?limit=2000")["hosts"]
        assert {(h["name"], h["pages"]) for h in hosts} == set(query("out", """select host.name, count(*) from page
            join url on url.id = url_id join host on host.id = host_id where counted group by 1"""))
        wait_for(lambda: server.api("/crawls/0/map")["complete"])
        found = server.api("/crawls/0/map?hosts=2000&links=20000")
        links = {(found["hosts"][a]["name"], found["hosts"][b]["name"], n) for a, b, n in found["links"]}
        assert links == set(query("out", """with h as (select distinct host_id from page join url on url.id = url_id where counted)
            select f.name, t.name, count(*) from link join page on number = page_number join url fu on fu.id = url_id
            join url tu on tu.id = target_id join host f on f.id = fu.host_id join host t on t.id = tu.host_id
            where counted and f.id <> t.id and t.id in h and f.id in h group by 1, 2"""))
        deep = query("out", "select url from urls join page on url_id = urls.id where counted order by depth desc limit 1")[0][0]
        why = server.api("/crawls/0/why?" + urllib.parse.urlencode({"url": deep}))
        assert len(why["chain"]) == why["depth"] and why["chain"][-1]["depth"] == 0, why
        queued = query("out", "select url from url where state = 'queued' limit 1")[0][0]
        assert server.api("/crawls/0/why?" + urllib.parse.urlencode({"url": queued}))["state"] == "queued"
        assert server.api("/crawls/0/parts?" + urllib.parse.urlencode({"url": deep}))["url"] == deep


@beside
def marks_are_set_and_undone():
    crawl_generated(40)
    with Dashboard("out") as server:
        server.ready()
        first = server.api("/crawls/0/review?limit=3")
        url = first["pages"][0]["url"]
        assert first["pages"][0]["text"] and first["yes"] == 0
        assert server.api("/crawls/0/marks", {"url": url, "mark": "yes"})["ok"]
        again = server.api("/crawls/0/review?limit=3")
        assert again["yes"] == 1 and url not in [p["url"] for p in again["pages"]]
        assert [m["url"] for m in server.api("/crawls/0/marks")["marks"]] == [url]
        assert url in scent("judge", "--marks", "out").stdout
        server.api("/crawls/0/marks", {"url": url, "mark": "none"})
        assert server.api("/crawls/0/marks")["marks"] == []
        server.api("/crawls/0/marks", {"url": "http://no.test/", "mark": "yes"}, 404)
        server.api("/crawls/0/marks", {"url": url, "mark": "perhaps"}, 400)
        server.api("/crawls/0/control", {"do": "pause"}, 409)


# ---- requests that mean harm ----

def raw(server, data, wait=True):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(data)
        return connection.recv(65536) if wait else b""


@beside
def hostile_requests_are_refused():
    crawl_generated(20)
    with Dashboard("out") as server:
        server.ready()
        own, mark = f"127.0.0.1:{server.port}", {"url": "http://x.test/", "mark": "yes"}
        server.api("/crawls", Host="evil.test", status=403)
        server.api("/crawls", Host=f"evil.test:{server.port}", status=403)
        server.api("/crawls", Host="127.0.0.1:1", status=403)
        server.ask("/", Host="evil.test", status=403)
        server.api("/crawls", Origin="http://evil.test", status=403)
        server.api("/crawls", Origin="null", status=403)
        server.api("/crawls", **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}, status=403)
        server.api("/crawls", Origin="http://" + own)
        for token in ["", "Bearer", "Bearer " + "0" * 32, server.token, "Bearer " + server.token[:-1]]:
            server.api("/crawls/0/marks", mark, 401, Authorization=token)
        server.api("/crawls/0/marks", mark, 415, **{"Content-Type": "text/plain"})
        server.api("/crawls/0/marks", mark, 403, Origin="http://evil.test")
        server.api("/crawls/0/marks", {"url": "x" * 70000}, 413)
        server.api("/crawls", {}, 405)
        for path in ["/../../etc/passwd", "/%2e%2e/etc/passwd", "/page.css/..", "//", "/api/v1/crawls/18446744073709551616"]:
            server.ask(path, status=404)
        head = f"GET /api/v1 HTTP/1.1\r\nHost: {own}\r\n".encode()
        assert b" 431 " in raw(server, head + b"X: " + b"x" * 100000 + b"\r\n\r\n")
        for data in [b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", head + b"Content-Length: -1\r\n\r\n",
                     head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"]:
            assert not raw(server, data).startswith(b"HTTP/1.1 200"), data
        crowd = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        for i, connection in enumerate(crowd):  # half of a request, a stream that nobody reads, nothing
            connection.sendall([head, head.replace(b"/api/v1 ", b"/api/v1/events ") + b"\r\n", b""][i % 3])
        raw(server, head + b"\r\n", wait=False)
        assert server.api("/crawls")["crawls"][0]["name"] == "out"
        for connection in crowd:
            connection.close()
        assert server.api("/crawls")["crawls"][0]["name"] == "out"


# ---- in a browser ----

SCRIPT = "<img src=x onerror=\"window.taken=1\"><script>window.taken=1</script>"
ESCAPED = SCRIPT.replace("&", "&amp;").replace("<", "&lt;")


class Hostile(Site):
    """Every page wants to run its script wherever it is shown: by its title, its text, the words of its links, its address."""

    def answer(self, path, headers):
        page = html(f"<p>hockey {len(self.log)} " + ESCAPED * 3 + "</p>" + "".join(
            f"<a href='/{i}/%3Cscript%3Ewindow.taken=1%3C/script%3E?q=\"onload=\"window.taken=1'>hockey {ESCAPED}</a>" for i in range(25)))
        return (200, page[1], page[2].replace(b"<title>Hockey", b"<title>Hockey " + ESCAPED.encode())) if path != "/robots.txt" else (404, [], b"")


def picture(browser, name):
    if KEPT:
        Path(KEPT).mkdir(parents=True, exist_ok=True)
        browser.picture(Path(KEPT) / f"{name}.png")


def show(browser, server, view, **parameters):
    browser.open(f"{server.base}/#/0/{view}" + ("?" + urllib.parse.urlencode(parameters) if parameters else ""))
    browser.wait(f"return !!document.querySelector('.view.{view}[data-ready]')", True)
    return browser.run("return document.body.innerText")


@beside
def every_view_shows_the_web_as_text():
    with Hostile({}) as site:
        topic([site.base + "/"], limits={"pages": 20}, politeness={"delay": "0s"})
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out")
    with Dashboard("out") as server, Browser(width=1280, height=900) as browser:
        server.ready()
        browser.open(f"{server.base}/#token={server.token}")
        browser.wait("return !!document.querySelector('.view.overview[data-ready]')", True)
        assert server.token not in browser.run("return location.href")
        url = server.api("/crawls/0/pages?limit=1")["pages"][0]["url"]
        for view in VIEWS:
            text = show(browser, server, view, **({"url": url} if view == "why" else {}))
            if view == "why":
                browser.wait("return document.querySelectorAll('ol.chain li').length", 2)
                browser.wait("return document.body.innerText.includes('Computing')", False)
                text = browser.run("return document.body.innerText")
            if view != "map":
                assert "<script>window.taken=1</script>" in text, (view, text[:500])
            assert browser.run("return window.taken") is None, view
            picture(browser, view)
        show(browser, server, "pages")
        browser.colours("dark")
        browser.tools("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        for view in VIEWS:
            show(browser, server, view, **({"url": url} if view == "why" else {}))
            wide = browser.run("return document.documentElement.scrollWidth")
            assert wide <= 390, f"{view} is {wide} wide on a phone"
            picture(browser, view + "-phone-dark")
        refused = [entry["message"] for entry in browser.log("browser") if "Content Security Policy" in entry["message"]]
        assert refused == [], refused


@beside
def pages_are_reviewed_with_keys():
    crawl_generated(40)
    with Dashboard("out") as server, Browser(width=1000, height=800) as browser:
        server.ready()
        browser.open(f"{server.base}/#token={server.token}")
        browser.wait("return !!document.querySelector('.view.overview[data-ready]')", True)
        show(browser, server, "review")
        first = browser.run("return document.querySelector('.review .url').textContent")

        def press(key, told):
            browser.tools("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            browser.tools("Input.dispatchKeyEvent", type="keyUp", key=key)
            browser.wait(f"return document.querySelector('[role=status].small').textContent.startsWith({json.dumps(told)})", True)

        marks = lambda: [(m["url"], m["mark"]) for m in server.api("/crawls/0/marks")["marks"]]
        press("y", "Marked as relevant.")
        assert marks() == [(first, "yes")]
        press("s", "Skipped.")
        press("n", "Marked as not relevant.")
        assert len(marks()) == 2
        for _ in range(3):  # as fast as somebody can press it
            press("u", "Undone.")
        browser.wait("return document.querySelector('.review .url').textContent", first)
        assert marks() == []
        show(browser, server, "pages", order="best")
        link = browser.run("return document.querySelector('a.title').href")
        assert "/replay/0?" in link
        browser.open(link)
        browser.wait("return !!document.querySelector('iframe') && location.port !== '%d'" % server.port, True)


@beside
def a_crawl_is_watched_and_steered():
    write("web.yaml", FRIENDLY.replace("pages_per_host: 15", "pages_per_host: 500"))
    with serve("web.yaml") as web, Browser(width=1280, height=900) as browser:
        seeds = scent("web", "generate", "web.yaml", "--seeds", 5).stdout.split()
        topic(seeds, relevant="similar() > 0.3", politeness="{delay: 200ms}")
        crawl = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--proxy-all", web.line.strip().split("//")[1].strip("/"), "--dashboard",
                                  "-o", "out", "-q"], stderr=subprocess.PIPE, text=True)
        try:
            server = Dashboard.__new__(Dashboard)
            line = next(line for line in crawl.stderr if "#token=" in line)
            server.base, server.token = line.strip().split("/#token=")
            server.port = int(server.base.rsplit(":", 1)[1])
            wait_for(lambda: server.api("/crawls")["crawls"][0]["pages"] > 10)
            check(server.api("/crawls/0"), API["paths"]["/api/v1/crawls/{crawl}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"], "live")
            browser.open(f"{server.base}/#token={server.token}")
            browser.wait("return document.getElementById('state').textContent", "running")
            url = server.api("/crawls/0/pages?limit=1")["pages"][0]["url"]
            for view in VIEWS + ["search", "control"]:
                show(browser, server, view, **({"url": url} if view == "why" else {"q": "the"} if view == "search" else {}))
                picture(browser, "live-" + view)
            browser.click("return document.querySelector('.view.control button.main')")
            browser.wait("return document.getElementById('state').textContent", "paused")
            still = server.api("/crawls")["crawls"][0]["live"]["pages"]
            assert server.api("/crawls/0/control", {"do": "set", "pages": 5000, "delay": "100ms"})["ok"]
            assert server.api("/crawls/0/control", {"do": "block", "host": "no.test"})["ok"]
            assert server.api("/crawls/0/control", {"do": "add", "urls": ["http://no.test/", seeds[0]]})["refused"][0]["why"]
            server.api("/crawls/0/control", {"do": "status"}, 400)
            server.api("/crawls/0/control", {"do": "set", "pages": "many"}, 400)
            wait_for(lambda: server.api("/crawls")["crawls"][0]["live"]["limits"]["pages"] == 5000)
            assert server.api("/crawls")["crawls"][0]["live"]["blocked"] == ["no.test"]
            assert server.api("/crawls/0/marks", {"url": url, "mark": "no"})["ok"]
            assert [m["mark"] for m in server.api("/crawls/0/marks")["marks"]] == ["no"]
            assert server.api("/crawls")["crawls"][0]["live"]["pages"] - still < 100
            browser.click("return document.querySelector('.view.control button.main')")
            browser.wait("return document.getElementById('state').textContent", "running")
            wait_for(lambda: server.api("/crawls/0/search?q=the")["hits"])
            assert server.api("/crawls/0/control", {"do": "stop"})["ok"]
            assert crawl.wait(60) == 11
            wait_for(lambda: not is_open(server.port))  # the page goes with its crawl
        finally:
            crawl.kill()
            crawl.wait()
            crawl.stderr.close()


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


finish()
