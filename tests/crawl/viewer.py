#!/usr/bin/env python3
"""A collection in a real Chromium (`scent web serve`): archived pages look as they did and do nothing. Every name leads to a
canary, a server that must not be asked for anything."""

import http.client
import urllib.request

from browser import Canary, Visitor, of, png
from crawling import *


def write_warc(path, answers):
    """A collection of {URL: (status, [(name, value)], body)}."""
    Path(path).mkdir()
    with open(Path(path) / "a.warc", "wb") as file:
        for url, (status, headers, body) in answers.items():
            head = f"HTTP/1.1 {status} -\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers)
            block = head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
            file.write(f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-16T09:00:00Z\r\n"
                       f"Content-Type: application/http;msgtype=response\r\nWARC-Record-ID: <urn:x:{hash(url)}>\r\n"
                       f"Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n")
    return path


# Each way out asks for a path of its own; %s is the canary.
WAYS_OUT = """
<script>fetch('%s/script'); new Image().src = '%s/image'; top.document.title = 'taken'; document.cookie = 'a=b';
try { top.location = '%s/top-script'; } catch (e) {}</script>
<script src='%s/script-file'></script>
<img src=x onerror="new Image().src = '%s/handler'">
<img src='%s/img' srcset='%s/srcset 2x'>
<svg onload="new Image().src = '%s/svg-onload'"><script>new Image().src = '%s/svg-script'</script>
<image href='%s/svg-image' width=1 height=1 /></svg>
<link rel=stylesheet href='%s/sheet'><link rel=prefetch href='%s/prefetch'><link rel=icon href='%s/icon'>
<link rel=preload as=image href='%s/preload'><link rel=manifest href='%s/manifest'><link rel=preconnect href='%s'>
<style>@import '%s/import'; #a { background: url(%s/background) } #b { background: \\75rl('%s/escaped') }
@font-face { font-family: f; src: url(%s/font) } #a { font-family: f }</style>
<p id=a style="list-style: url('%s/attribute')">a<p id=b style="border-image: image-set('%s/image-set' 1x)">b
<video poster='%s/poster' src='%s/video' autoplay></video><input type=image src='%s/input'>
<object data='%s/object'></object><embed src='%s/embed'><iframe src='%s/frame'></iframe>
<iframe srcdoc="<img src='%s/srcdoc'>"></iframe><iframe src="javascript:parent.fetch('%s/javascript-frame')"></iframe>
<noscript><p title="</noscript><img src='%s/noscript'>"></noscript>
<svg><style><img src='%s/svg-style'></style></svg><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src='%s/mutated'&gt;">
</style></mglyph></table></mtext></math>
<title></title><textarea></textarea><img src='%s/textarea'>"""
RUNS_OPEN = {"/script", "/image", "/script-file", "/handler", "/img", "/svg-onload", "/svg-script", "/svg-image", "/sheet",
             "/import", "/background", "/escaped", "/font", "/attribute", "/image-set", "/poster", "/input", "/object",
             "/embed", "/frame", "/srcdoc", "/javascript-frame", "/textarea"}
ON_CLICK = """<a id=js href="javascript:fetch('%s/javascript-link')">j</a> <a id=out href='%s/link' ping='%s/ping'>o</a>
<a id=top target=_top href='%s/top'>t</a> <a id=blank target=_blank href='%s/blank'>b</a>
<form action='%s/form'><button id=send>s</button></form><label><input id=tick type=checkbox onclick="fetch('%s/tick')"></label>"""


def hostile(canary):
    text = WAYS_OUT.replace("%s", canary.base)
    svg = f"""<svg xmlns='http://www.w3.org/2000/svg'><script>fetch('{canary.base}/svg-file')</script>
              <image href='{canary.base}/svg-file-image' width='9' height='9'/></svg>"""
    cookie = ("Set-Cookie", "archived=1; Path=/")
    return {
        "http://bad.test/": of("text/html; charset=utf-8", "<!doctype html><body>" + text, cookie,
                               ("Link", f"<{canary.base}/link-header>; rel=preload; as=image"),
                               ("Refresh", f"0; url={canary.base}/refresh-header"),
                               ("Content-Security-Policy", f"report-uri {canary.base}/report")),
        "http://bad.test/click": of("text/html", ON_CLICK.replace("%s", canary.base)),
        "http://bad.test/refresh": of("text/html", f"<meta http-equiv=refresh content='0;url={canary.base}/refresh'>x"),
        "http://bad.test/base": of("text/html", f"<base href='{canary.base}/'><img src=base><a id=go href=based>x</a>"),
        "http://bad.test/drawing.svg": of("image/svg+xml", svg),
        "http://bad.test/frames": of("text/html", "<iframe src=drawing.svg></iframe><iframe src=/></iframe>"
                                                  "<iframe src=feed.xml></iframe>"),
        "http://bad.test/feed.xml": of("application/xml", f"""<?xml-stylesheet type="text/xsl" href="{canary.base}/xsl"?>
                                       <x xmlns:h="http://www.w3.org/1999/xhtml"><h:img src="{canary.base}/xml"/></x>"""),
        "http://bad.test/page.xhtml": of("application/xhtml+xml", f"""<html xmlns="http://www.w3.org/1999/xhtml"><body>
            <script>fetch('{canary.base}/xhtml')</script><img src="{canary.base}/xhtml-image"/></body></html>"""),
        "http://bad.test/moved": (302, [("Location", canary.base + "/moved"), ("Content-Type", "text/html"), cookie], b"x"),
        "http://bad.test/sw.js": of("text/javascript", "self.onfetch = 1", ("Service-Worker-Allowed", "/")),
        'http://bad.test/title"><script>alert(1)</script>': of(
            "text/html", "<title>&lt;/title>&lt;script>document.title='taken'&lt;/script>&lt;img src=x onerror=alert(1)></title>"),
    }


@beside
def hostile_pages_do_nothing():
    with Canary() as canary, serve(write_warc("bad", hostile(canary))) as server, Visitor(canary) as browser:
        # what is tried works where nobody prevents it
        ways = WAYS_OUT.replace("top.location = ", "0, ").replace("%s", canary.base)
        with Site({"/": of("text/html; charset=utf-8", "<!doctype html><body>" + ways)}) as live:
            browser.open(live.base)
            wait_for(lambda: RUNS_OPEN <= set(canary.asked))
            browser.open("about:blank")
            browser.open(canary.base + "/control")
            canary.asked.clear()
            browser.tools("Network.clearBrowserCookies")
        for url in hostile(canary):
            if "script" in url or "moved" in url:
                continue
            browser.show(server, url)
            assert browser.run("return document.title") != "taken"
            assert browser.run("return document.cookie") == "", "an archived header set a cookie"
        browser.open(f"{server.line}page/0/http://bad.test/moved")  # leads to a page that the archive does not have
        assert "Not in this collection" in browser.run("return document.body.innerText")
        browser.expect_silence()
        # as a user clicks
        for link in ("js", "out", "top", "blank", "send", "tick"):
            browser.show(server, "http://bad.test/click")
            tabs = len(browser.ask(f"/session/{browser.session}/window/handles"))
            browser.enter()
            browser.press("#" + link)
            browser.leave()
            assert browser.run("return location.origin") == server.line.rstrip("/"), f"{link} left the archive"
            assert len(browser.ask(f"/session/{browser.session}/window/handles")) == tabs, f"{link} opened a window"
        browser.show(server, "http://bad.test/base")
        browser.enter()
        browser.press("#go")
        browser.leave()
        browser.wait("return document.querySelector('#bar strong').textContent", "Not in this collection")
        # the list: a title and an address that are markup
        browser.open(server.line)
        assert browser.run("return document.scripts.length") == 0
        assert browser.run("return document.querySelectorAll('img, [onerror]').length") == 0
        assert "</title><script>" in browser.run("return document.querySelector('.pages').innerText")
        browser.click("return [...document.querySelectorAll('.title')].find(a => a.textContent.includes('script'))")
        browser.wait("return document.querySelector('#bar strong').textContent.startsWith('</title><script>')", True)
        assert browser.run("return document.title") != "taken"
        assert browser.run("return navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
        browser.expect_silence()


def fine(base):
    """A page with all that a page needs, on two hosts; `base` is where the second one is."""
    return {
        "/": of("text/html; charset=utf-8", f"""<!doctype html><title>Fine</title><link rel=stylesheet href=style.css>
                <h1>Grün</h1><img id=i src=red.png srcset="red.png 1x, red.png 2x" width=50 height=50>
                <div id=d></div><div id=o style="background:url({base}/blue.png)"></div>
                <iframe src=inner.html width=100 height=50></iframe>
                <object data=box.svg type=image/svg+xml width=40 height=40>none</object><p><a id=n href=next.html#part>next</a>
                <svg width=20 height=20><defs><linearGradient id=g><stop stop-color=lime /></linearGradient></defs>
                <rect width=20 height=20 fill="url(#g)" /></svg>"""),
        "/style.css": of("text/css", "@import url(more.css); body { font: 16px/1.5 sans-serif; background: #eef }"),
        "/more.css": of("text/css", "h1 { color: green } #d, #o { width: 60px; height: 40px; display: inline-block }"
                                    "#d { background: url( 'r\\65 d.png' ) }"),
        "/red.png": of("image/png", png(255, 0, 0)),
        "/blue.png": of("image/png", png(0, 0, 255)),
        "/box.svg": of("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'>"
                                        "<rect width='40' height='40' fill='purple'/></svg>"),
        "/inner.html": of("text/html", "<style>body { background: yellow }</style>inner"),
        "/next.html": of("text/html; charset=iso-8859-1", "<title>N\xe4chste</title><p>later".encode("latin-1")),
    }


@beside
def pages_look_as_they_did():
    """The picture of the frame is that of the live page, to the pixel."""
    with Canary() as canary, Site({}) as live:
        live.answers.update(fine(live.base))
        archived = {live.base + path: answer for path, answer in fine(live.base).items()}
        with serve(write_warc("fine", archived)) as server, Visitor(canary) as browser:
            browser.size(700, 400)
            browser.open(live.base)
            browser.wait("return document.readyState", "complete")
            seen = browser.part(0, 0, 700, 400)
            browser.show(server, live.base + "/")
            bar = browser.run("return document.querySelector('iframe').getBoundingClientRect().top")
            browser.size(700, 400 + int(bar))
            assert browser.run("return document.querySelector('iframe').getBoundingClientRect().height") == 400
            live.log.clear()
            browser.wait("return document.readyState", "complete")
            assert browser.part(0, int(bar), 700, 400) == seen, "the replayed page looks different"
            browser.enter()
            browser.press("#n")
            browser.leave()
            browser.follow(live.base + "/next.html")
            browser.wait("return document.title", "Nächste")
            assert browser.run("return document.querySelector('#bar strong').textContent") == "Nächste"
            browser.back()
            browser.wait("return document.title", "Fine")
            assert live.log == [], live.log
            browser.expect_silence()


@beside
def list_of_a_crawl():
    write("web.yaml", FRIENDLY)
    seed = scent("web", "generate", "web.yaml", "--seeds", 1).stdout.split()[0]
    topic([seed], limits="{pages: 120}", relevant="the")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "out", "-q")
    with Canary() as canary, serve("out") as server, Visitor(canary) as browser:
        browser.open(server.line)
        browser.wait("return document.querySelectorAll('.pages li').length", 50)
        rows = query("out", "select title, url.url from page join url on url.id = page.url_id where counted")
        assert f"{len(rows)} pages of" in browser.run("return document.querySelector('.top p').textContent")
        seen = set()
        while True:
            seen |= set(browser.run("return [...document.querySelectorAll('.title')].map(a => a.textContent)"))
            if not browser.run("return !!document.querySelector('[rel=next]')"):
                break
            browser.click("return document.querySelector('[rel=next]')")
        assert seen == {title or url for title, url in rows}
        # by keyboard: words of the title, Enter, Tab to the page, Enter
        titles = [t for t, _ in rows]
        title, url = next((t, u) for t, u in rows if t and titles.count(t) == 1 and u != seed)
        browser.open(server.line)
        field = browser.find("[type=search]")
        browser.command(f"element/{field}/value", {"text": " ".join(title.upper().split()[:3]) + "\ue007"})
        browser.wait("return document.querySelectorAll('.result').length", 1)
        browser.click(f"return [...document.querySelectorAll('.title')].find(a => a.textContent === {json.dumps(title)})")
        browser.follow(url)
        browser.run("document.querySelector('details').open = true")
        why = browser.run("return document.querySelector('.why').innerText")
        assert "The judge of the crawl called it" in why and "found on" in why and "scent why out" in why, why
        with serve(".") as folder:  # crawl directories in a folder are collections of it
            def page_two():
                with urllib.request.urlopen(folder.line + "?collection=2") as answer:
                    return answer.read().decode()
            wait_for(lambda: f"{len(rows)} pages in <strong>out</strong>" in page_two())
        for width in (390, 1200):
            for scheme in ("light", "dark"):
                browser.size(width, 800)
                browser.colours(scheme)
                for address in (server.line, server.line + "hosts", server.line + "?q=" + "x" * 300):
                    browser.open(address)
                    inside = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
                    assert inside[0] <= inside[1], (address, width, inside)
                    complaints = [entry["message"] for entry in browser.log("browser")]
                    assert complaints == [], complaints
        browser.expect_silence()


@test
def only_under_our_own_name():
    """A name that leads to this address by a trick of its owner (DNS rebinding) finds no list."""
    with serve(write_warc("one", {"http://one.test/": of("text/html", "<title>One</title>")})) as server:
        def ask(host, path="/"):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=200)
            connection.request("GET", path, headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.read()
        for host in (f"127.0.0.1:{server.port}", f"localhost:{server.port}", "127.0.0.1", f"[::1]:{server.port}"):
            wait_for(lambda: b"/page/20261116090000/http://one.test/" in ask(host)[1])
        for host in (f"evil.test:{server.port}", "127.0.0.1:1", f"127.0.0.1.evil.test:{server.port}", "", "localhost;x"):
            assert ask(host)[0] == 404 and b"one.test" not in ask(host)[1], host
        assert ask("one.test") == (200, b"<title>One</title>")  # the page itself, as virtual host
        assert ask("x", "http://one.test/") == (200, b"<title>One</title>")  # and through the proxy


if __name__ == "__main__":
    finish()
