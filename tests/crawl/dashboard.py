#!/usr/bin/env python3
"""Crawls in a browser and for programs (`scent serve`): every view in a real Chromium, over pages that want to run scripts;
every route as docs/openapi.json describes it; requests that mean harm."""

import http.client
import socket
import urllib.parse
import urllib.request

from browser import Browser
from crawling import *
from labbing import write_warc

API = json.loads((Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text())
# Pictures of every view stay here.
KEPT = Path(os.environ.get("SCENT_SCREENSHOTS") or Path(__file__).resolve().parents[2] / "build" / "test" / "screenshots")
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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=200)
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
        events = urllib.request.urlopen(server.base + "/api/v1/events", timeout=200)
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
        # A page may have been found again by a longer way, with a better link.
        assert len(why["chain"]) >= why["depth"] and why["chain"][-1]["depth"] == 0, why
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
    with socket.create_connection(("127.0.0.1", server.port), timeout=200) as connection:
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


# As far as a host name can go: no < and no blank can stand in one.
HOSTS = ["a\"onload=\"window.taken=1.test", "b'onerror='window.taken=1.test", "c');window.taken=1;('.test", "d`${window.taken=1}`.test"]


def write_hostile():
    """Pages that want to run their script wherever they are shown: by title, text, words of links, address, name of the host."""
    paths = ["/%d/%%3Cscript%%3Ewindow.taken=1%%3C/script%%3E?q=%%22onload=%%22window.taken=1" % i for i in range(8)]
    urls = ["http://seed.test/"] + [f"http://{host}{path}" for host in ["seed.test", *HOSTS] for path in paths]
    links = "".join(f"<a href='{url.replace(chr(39), '&#39;')}'>hockey {ESCAPED}</a>" for url in urls)
    write_warc("hostile.warc", {url: f"<html lang=en><title>Hockey {ESCAPED}</title><p>hockey {i} {ESCAPED * 3}</p>{links}"
                                for i, url in enumerate(urls)})


def picture(browser, name):
    KEPT.mkdir(parents=True, exist_ok=True)
    browser.picture(KEPT / f"{name}.png")


def show(browser, server, view, **parameters):
    browser.open(f"{server.base}/#/0/{view}" + ("?" + urllib.parse.urlencode(parameters) if parameters else ""))
    browser.wait(f"return !!document.querySelector('.view.{view}[data-ready]')", True)
    return browser.run("return document.body.innerText")


@beside
def every_view_shows_the_web_as_text():
    write_hostile()
    topic(["http://seed.test/"], strategy="breadth-first")
    scent("crawl", "topic.yaml", "--from", "hostile.warc", "-q", "-o", "out")
    hosts = {name for name, in query("out", "SELECT DISTINCT host FROM urls JOIN page ON url_id = urls.id WHERE counted")}
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
                browser.wait("return document.body.innerText.includes('Reading the page again')", False)
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
        show(browser, server, "overview")
        assert not set(HOSTS) - hosts, f"not crawled: {set(HOSTS) - hosts}"
        for name in HOSTS:  # in words, and as the value of a field
            assert name in show(browser, server, "pages", host=name)
            assert browser.run("return document.querySelector('input[name=host]').value") == name
        wait_for(lambda: server.api("/crawls/0/search?q=hockey")["complete"])
        assert "<script>window.taken=1</script>" in show(browser, server, "search", q="hockey taken")
        assert browser.run("return window.taken") is None
        assert_nothing_was_refused(browser)


def assert_nothing_was_refused(browser):
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


# What has too little contrast for WCAG 2.1 AA: text (1.4.3), and lines and bars that tell something (1.4.11).
CONTRAST = """
const parse = text => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const over = (top, below) => [0, 1, 2].map(i => top[i] * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)));
const light = color => { const [r, g, b] = color.map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
const back = element => element ? over(parse(getComputedStyle(element).backgroundColor), back(element.parentElement)) : [255, 255, 255];
const seen = element => element.getClientRects().length && getComputedStyle(element).visibility === 'visible' && !element.closest('.hidden, .skip, :disabled');
const faults = [];
function look(element, color, need, what) {
  const below = back(element), got = ratio(over(parse(color), below), below);
  if (got < need) faults.push(`${what}: ${got.toFixed(2)}, not ${need}: ${color} on ${below.map(Math.round)}`);
}
let looked = 0;
for (const element of document.querySelectorAll('body *')) {
  if (!seen(element)) continue;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  const own = [...element.childNodes].filter(n => n.nodeType === 3 && n.data.trim()).map(n => n.data.trim()).join(' ');
  if (own && !element.closest('noscript')) {
    looked++;
    look(element, element.closest('svg') ? style.fill : style.color, size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5, own.slice(0, 40));
  }
  if (element.placeholder) look(element, getComputedStyle(element, '::placeholder').color, 4.5, 'placeholder ' + element.placeholder);
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)) look(element.parentElement, style.borderTopColor, 3, 'border of ' + element.tagName);
  if (element.matches('svg .one, svg .two, svg .more') && style.stroke !== 'none') look(element, style.stroke, 3, 'line');
  if (element.matches('svg rect')) look(element, style.fill, 3, 'column');
  if (element.matches('.track i')) look(element.parentElement, style.backgroundColor, 3, 'bar');
  if (element.matches('.legend i')) look(element, style.borderTopColor, 3, 'key');
}
for (let i = 0; i <= 10 && document.querySelector('.map canvas'); i++) {
  const probe = document.createElement('i'), box = document.querySelector('.map canvas').parentElement;
  probe.style.color = harvestColor(i / 10, matchMedia('(prefers-color-scheme: dark)').matches);
  box.append(probe);
  look(box, getComputedStyle(probe).color, 3, `a host with a harvest rate of ${i * 10}%`);
  probe.remove();
}
return [looked, [...new Set(faults)]];
"""


def check_looks(browser, server, views, name, width, height, scheme, phone):
    """Every view: nothing wider than the screen, nothing too pale to read. A picture of each stays."""
    browser.colours(scheme)
    browser.tools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
    for view, parameters in views.items():
        show(browser, server, view, **parameters)
        wide = browser.run("return document.documentElement.scrollWidth")
        assert wide <= width, f"{view} is {wide} wide on a screen of {width}"
        looked, faults = browser.run(CONTRAST)
        assert looked > 10 and not faults, f"{view}, {name}: {looked} texts, too pale: {faults}"
        picture(browser, f"{view}-{name}")


@beside
def every_view_is_used_while_a_crawl_runs():
    write("web.yaml", FRIENDLY.replace("pages_per_host: 15", "pages_per_host: 500"))
    write("e.yaml", "collection: small.yaml\ntopics: {level: 1, min_pages: 10, max: 2}\nseeds: 3\nbudget: 40\npoints: [10, 20, 40]\n"
          "strategies: [breadth-first, best-first]\nbaseline: breadth-first\n")
    write("small.yaml", "kind: generated\nseed: 20\nhosts: 20\npages_per_host: 20\n")
    scent("lab", "run", "e.yaml", "-o", "results", env={"XDG_CACHE_HOME": os.path.abspath("cache")})
    with serve("web.yaml") as web, Browser(width=1280, height=900) as browser:
        seeds = scent("web", "generate", "web.yaml", "--seeds", 5).stdout.split()
        topic(seeds, relevant="similar() > 0.3", politeness="{delay: 100ms}")
        crawl = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--proxy-all", web.line.split("//")[1].strip("/"), "-o", "out", "-q"],
                                 stderr=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: Path("out/control").exists())
            with Dashboard("out", "results") as server:
                use_every_view(browser, server)
                assert crawl.wait(200) == 11
                browser.wait("return document.getElementById('state').textContent", "stopped")
                browser.wait("return document.body.innerText.includes('does not run')", True)
                assert_nothing_was_refused(browser)
        finally:
            crawl.kill()
            crawl.wait()
            crawl.stderr.close()


def use_every_view(browser, server):
    find = lambda selector: f"document.querySelector({json.dumps(selector)})"
    text = lambda selector: f"return {find(selector)}?.textContent"
    arrived = lambda view: browser.wait(f"return !!document.querySelector('.view.{view}[data-ready]')", True)

    def fill(selector, value, event="change"):
        browser.run(f"const e = {find(selector)}; e.value = {json.dumps(value)}; e.dispatchEvent(new Event('{event}', {{ bubbles: true }}))")

    def go(view):
        browser.click(f"return [...document.querySelectorAll('nav a')].find(a => a.textContent === '{view.title()}')")
        arrived(view)

    def told(words, over="false"):
        browser.wait(f"return ({find('[role=status]:not(.pill)')}?.textContent.includes({json.dumps(words)}) ?? false) || {over}", True)

    browser.open(f"{server.base}/#token={server.token}")
    arrived("overview")
    browser.wait("return document.getElementById('state').textContent", "running")
    wait_for(lambda: browser.run("return state.crawls[0].live?.pages") > 20)
    pages = browser.run(text(".tile b"))
    browser.wait(f"return {find('.tile b')}.textContent !== {json.dumps(pages)}", True)  # it changes by itself
    browser.wait("return !!document.querySelector('svg.chart path')", True)
    go("pages")
    browser.wait("return document.querySelectorAll('ol.pages .snippet').length > 5", True)
    fill("select[name=verdict]", "relevant")
    browser.wait("return location.hash.includes('verdict=relevant')", True)
    arrived("pages")
    assert browser.run("return [...document.querySelectorAll('.score small')].every(e => e.textContent === 'relevant')")
    url = server.api("/crawls/0/pages?order=best&limit=1")["pages"][0]["url"]
    deep = lambda: [page["url"] for page in server.api("/crawls/0/pages?limit=60")["pages"] if page["depth"] > 1]
    wait_for(deep)
    found = deep()[0]
    go("why")
    fill("input[name=url]", found)
    browser.click("return document.querySelector('.view.why button.main')")
    browser.wait("return document.querySelectorAll('ol.chain li').length > 2 && document.querySelectorAll('ul.bars li').length > 1", True)
    queued = query("out", "SELECT url FROM url WHERE state = 'queued' AND length(parts) LIMIT 1")[0][0]
    show(browser, server, "why", url=queued)  # its parts are in its row
    assert "probability of a relevant page" in browser.run("return document.querySelector('ul.bars li').textContent")
    go("search")
    fill("input[type=search]", "the")
    browser.click("return document.querySelector('.view.search button.main')")
    browser.wait("return document.querySelectorAll('ol.pages mark').length > 3", True)
    go("review")
    for key, words in ("y", "Marked as relevant."), ("n", "Marked as not relevant."), ("u", "Undone."):
        browser.tools("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        browser.tools("Input.dispatchKeyEvent", type="keyUp", key=key)
        told(words)
    assert [mark["mark"] for mark in server.api("/crawls/0/marks")["marks"]] == ["yes"]
    go("map")
    browser.wait("return /of the|of \\d+ hosts/.test(document.querySelector('.view.map').innerText) && !!document.querySelector('.map canvas')", True)
    fill(".view.map select", "100")
    browser.wait("return location.hash.includes('hosts=100')", True)
    go("lab")
    assert "best-first" in browser.run("return document.querySelector('table').innerText")
    fill("select[aria-label=measure]", browser.run("return [...document.querySelector('select[aria-label=measure]').options].at(-1).value"))
    arrived("lab")
    views = {"overview": {}, "pages": {}, "search": {"q": "the"}, "why": {"url": found}, "review": {}, "map": {}, "control": {}, "lab": {}}
    screens = [("phone-dark", 390, 844, "dark", True)]
    if not SLOW:
        screens += [("wide", 1600, 1000, "light", False), ("wide-dark", 1600, 1000, "dark", False), ("phone", 390, 844, "light", True)]
    for screen in screens:
        check_looks(browser, server, views, *screen)
    browser.colours("light")
    browser.size(1280, 900)
    go("control")
    browser.click("return document.querySelector('.view.control button.main')")
    browser.wait("return document.getElementById('state').textContent", "paused")
    for inside, fields, words in ((0, {"input[name=pages]": "500000", "input[name=delay]": "90ms"}, "from now on"),
                                  (1, {"textarea": "http://no.test/ " + url}, " added"), (2, {"input[name=host]": "no.test"}, "not visited any more")):
        for selector, value in fields.items():
            fill(".view.control " + selector, value)
        browser.click(f"return document.querySelectorAll('.view.control form')[{inside}].querySelector('button')")
        told(words)
    live = lambda: server.api("/crawls")["crawls"][0]["live"]
    wait_for(lambda: live()["limits"]["pages"] == 500000 and live()["blocked"] == ["no.test"])
    browser.wait("return document.querySelector('.view.control').innerText.includes('Blocked: no.test')", True)
    browser.click("return [...document.querySelectorAll('.view.control button')].find(b => b.textContent === 'Allow')")
    wait_for(lambda: live()["blocked"] == [])
    browser.click("return document.querySelector('.view.control button.main')")
    browser.wait("return document.getElementById('state').textContent", "running")
    browser.click("return [...document.querySelectorAll('.view.control button')].find(b => b.textContent === 'Stop')")
    browser.command("alert/accept", {})
    told("The crawl stops", "document.getElementById('state').textContent !== 'running'")  # then the form is gone


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
            wait_for(lambda: server.api("/crawls")["crawls"][0]["live"]["blocked"] == ["no.test"])
            assert server.api("/crawls/0/marks", {"url": url, "mark": "no"})["ok"]
            assert [m["mark"] for m in server.api("/crawls/0/marks")["marks"]] == ["no"]
            assert server.api("/crawls")["crawls"][0]["live"]["pages"] - still < 100
            browser.click("return document.querySelector('.view.control button.main')")
            browser.wait("return document.getElementById('state').textContent", "running")
            wait_for(lambda: server.api("/crawls/0/search?q=the")["hits"])
            assert server.api("/crawls/0/control", {"do": "stop"})["ok"]
            assert crawl.wait(200) == 11
            wait_for(lambda: not is_open(server.port))  # the page goes with its crawl
        finally:
            crawl.kill()
            crawl.wait()
            crawl.stderr.close()


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


finish()
