#!/usr/bin/env python3
"""The extension in a real Chromium: a user browses a generated web, presses Useful, and it is all in the file; pages
that want to talk to the recorder get nowhere."""

import json
import signal
import time
from pathlib import Path

from browser import Browser
from crawling import *

EXTENSION = Path(__file__).resolve().parents[2] / "extension"
WEB = """
kind: generated
seed: 7
hosts: 30
pages_per_host: 12
errors: 0
redirects: 0
redirect_loops: 0
other_types: 0
dead_hosts: 0
traps: 0
"""
# Texts whose contrast with what lies behind them is below 4.5 (WCAG AA).
CONTRAST = """
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => [r, g, b].map((c) => linear(c / 255))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
function behind(node) {
    for (; node; node = node.parentElement) {
        const colour = parts(getComputedStyle(node).backgroundColor);
        if (colour[3] !== 0)
            return colour;
    }
    return [255, 255, 255];
}
return [...document.querySelectorAll('body *')].filter((node) => node.checkVisibility() && !node.disabled &&
        !node.closest(':disabled') && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .map((node) => {
        const [a, b] = [light(parts(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
        return [node.id || node.tagName, (a + 0.05) / (b + 0.05)];
    }).filter(([, ratio]) => ratio < 4.5);
"""
POPUP = """
const popup = chrome.extension.getViews({type: 'popup'})[0];
const at = (id) => popup.document.getElementById(id);
"""
OPEN = """
return (async () => {
    const own = await chrome.tabs.getCurrent(), tabs = await chrome.tabs.query({});
    await chrome.tabs.update(tabs.find((tab) => tab.id !== own.id).id, {active: true});
    await chrome.action.openPopup();
})()
"""


class Recorder(Server):
    def __init__(self, path="b.jsonl", port=0):
        super().__init__(SCENT, "browse", "record", "-q", "-o", path, "--port", port)
        self.token = self.line.partition("#")[2]

    def signal(self, number):
        self.child.send_signal(number)


class User:
    """Browses in one tab; a second one, which shows a page of the extension, holds the strings of the popup."""

    def __init__(self, *rules):
        self.browser = Browser(f"--load-extension={EXTENSION}", "--host-resolver-rules=" + ",".join(rules),
                               "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable")
        try:
            self.page = self.browser.here()
            self.strings = self.browser.tab()
            self.home = self.find_extension()
            self.browser.turn(self.strings)
            self.browser.open(self.home + "/popup.html")
            self.browser.turn(self.page)
        except BaseException:
            self.browser.__exit__()
            raise

    def find_extension(self):
        for _ in range(2000):
            for target in self.browser.tools("Target.getTargets")["targetInfos"]:
                if target["type"] == "service_worker" and target["url"].startswith("chrome-extension:"):
                    return target["url"].rsplit("/", 1)[0]
            time.sleep(0.05)
        raise AssertionError("the extension was not loaded")

    @contextlib.contextmanager
    def popup(self):
        """The real popup, over the tab of the page."""
        self.browser.turn(self.strings)
        self.browser.run(OPEN)
        self.browser.wait(POPUP + "return popup?.document.readyState === 'complete' && "
                          "at('state').textContent !== '…'", True)
        yield
        self.pull("popup.close()")
        self.browser.wait("return chrome.extension.getViews({type: 'popup'}).length", 0)
        self.browser.turn(self.page)

    def pull(self, script):
        return self.browser.run(POPUP + script)

    def await_popup(self, expression, value):
        self.browser.wait(POPUP + f"return {expression}", value)

    def connect(self, line, then="Recording"):
        with self.popup():
            self.pull(f"at('address').value = {json.dumps(line)}; at('off').requestSubmit()")
            self.await_popup("at('state').textContent", then)

    def useful(self, then):
        """Presses the button unless it shows `then` already."""
        with self.popup():
            self.pull(f"if (at('mark').getAttribute('aria-pressed') !== '{then}') at('mark').click()")
            self.await_popup("at('mark').getAttribute('aria-pressed')", then)

    def go(self, url):
        self.browser.open(url)

    def follow(self, number=0):
        """Clicks a link of the page's main part that leads to another page; where it led."""
        links = "[...document.links].filter(a => a.pathname.endsWith('.html') && !a.search && " \
                "a.pathname !== location.pathname)"
        before = self.browser.run("return location.href")
        self.browser.click(f"return {links}[{number}]")
        self.browser.wait(f"return location.href !== {json.dumps(before)} && document.readyState === 'complete'", True)
        return self.browser.run("return location.href")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.__exit__()


def events(path="b.jsonl"):
    return [json.loads(line) for line in Path(path).read_text().splitlines()][1:]


def steps():
    return [(event["visit"], event.get("from")) for event in events() if "visit" in event]


def wait_for(what, seconds=120):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, events()
        time.sleep(0.1)


def generated(port):
    return f"MAP *.test 127.0.0.1:{port}"


@beside
def what_is_browsed_and_marked_is_in_the_file():
    write("web.yaml", WEB)
    seed = scent("web", "generate", "web.yaml", "--seeds", 1).stdout.split()[0]
    with serve("web.yaml") as web, Recorder() as recorder, User(generated(web.port)) as user:
        user.go(seed)  # before the recording: nobody's business
        user.connect(recorder.line)
        user.go(seed)
        way = [seed] + [user.follow(n) for n in (0, 1, 2)]
        user.useful("true")
        user.useful("false")
        user.useful("true")
        user.browser.back()
        user.browser.wait("return location.href", way[2])
        user.browser.reload()
        user.browser.wait("return document.readyState", "complete")
        way.append(user.follow(3))
        user.useful("true")
        with user.popup():  # an impatient hand: each press counts
            user.pull("at('mark').click(); at('mark').click()")
            wait_for(lambda: len(events()) == 11)
        wait_for(lambda: len(steps()) == 5)
        assert steps() == [(way[0], None), *((way[n], way[n - 1]) for n in (1, 2, 3)), (way[4], way[2])], steps()
        marks = [event for event in events() if "visit" not in event]
        assert [next(iter(event.items())) for event in marks] == [("useful", way[3]), ("not_useful", way[3]),
                                                                  ("useful", way[3]), ("useful", way[4]),
                                                                  ("not_useful", way[4]), ("useful", way[4])], marks
        with user.popup():
            shown = user.pull("return popup.document.body.innerText")
            assert "5" in shown and "into b.jsonl" in shown and recorder.token not in shown, shown
            user.pull("at('stop').click()")
            user.await_popup("at('state').textContent", "Not recording")
        user.follow(1)
        user.go(seed)
        assert len(steps()) == 5
    told = json.loads(scent("browse", "info", "b.jsonl", "--json").stdout)
    assert (told["visits"], told["pages"], told["useful"], told["linked"]) == (5, 5, 2, 4), told


@beside
def a_model_is_trained_from_what_was_recorded():
    write("web.yaml", WEB)
    seed = scent("web", "generate", "web.yaml", "--seeds", 1).stdout.split()[0]
    with serve("web.yaml") as web, Recorder() as recorder, User(generated(web.port)) as user:
        user.connect(recorder.line)
        user.go(seed)
        for number in range(12):
            user.follow(number % 5)
            if number % 3 == 2:
                user.useful("true")
        wait_for(lambda: len(steps()) == 13)
    told = json.loads(scent("browse", "info", "b.jsonl", "--json").stdout)
    done = scent("browse", "train", "b.jsonl", "-o", "mine.browsing", "--from", "web.yaml")
    assert f"learned from {told['pages']} pages, {told['useful']} of them useful" in done.stdout, (told, done.stdout)
    topic([seed], browsing="mine.browsing", strategy="{name: hmm}")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "c", "--pages", 40, "-q")
    assert len(urls("c")) == 40


@beside
def redirects_frames_tabs_and_typed_addresses():
    site = {"/": html("<a id=r href=/r>r</a> <a id=t target=_blank href=/tab>t</a> <a id=h href=#x>h</a>"),
            "/r": (302, [("Location", "/r2")], b""), "/r2": (301, [("Location", "/c?utm_source=x&a=1#top")], b""),
            "/c?utm_source=x&a=1": html("<iframe src=/frame></iframe><a id=s href=#>s</a>"), "/frame": html("f"),
            "/tab": html("<a id=n href=/next>n</a>"), "/next": html("n"), "/typed": html("x"), "/pushed": html("p")}
    with Site(site) as served, Recorder() as recorder, User(f"MAP site.test {served.base[7:]}") as user:
        base, browser = "http://site.test", user.browser
        user.connect(recorder.line)
        user.go(base + "/")
        browser.click("return document.getElementById('h')")
        browser.click("return document.getElementById('t')")
        wait_for(lambda: len(steps()) == 2)
        browser.click("return document.getElementById('r')")
        wait_for(lambda: len(steps()) == 3)
        browser.run("history.pushState({}, '', '/pushed')")
        wait_for(lambda: len(steps()) == 4)
        user.go(base + "/typed")
        user.go("data:text/html,hello")
        user.go(base + "/next")
        wait_for(lambda: len(steps()) == 6)
        assert steps() == [(base + "/", None), (base + "/tab", base + "/"), (base + "/c?a=1", base + "/"),
                           (base + "/pushed", base + "/c?a=1"), (base + "/typed", None),
                           (base + "/next", None)], steps()


@beside
def events_wait_while_the_recorder_is_away():
    site = {f"/{n}": html(f"<a href=/{n + 1}>{n + 1}</a>") for n in range(9)}
    with Site(site) as served, User(f"MAP site.test {served.base[7:]}") as user:
        def badge():
            user.browser.turn(user.strings)
            text = user.browser.run("return chrome.action.getBadgeText({})")
            user.browser.turn(user.page)
            return text

        def follow(count):
            for _ in range(count):
                number = int(user.browser.run("return location.pathname")[1:])
                user.browser.click("return document.links[0]")
                user.browser.wait("return location.pathname + document.readyState", f"/{number + 1}complete")

        with Recorder() as recorder:
            assert badge() == ""
            user.connect(recorder.line)
            assert badge() == "REC"
            user.go("http://site.test/0")
            follow(1)
            wait_for(lambda: len(steps()) == 2)
            recorder.signal(signal.SIGSTOP)
            follow(2)
            recorder.signal(signal.SIGCONT)
            wait_for(lambda: len(steps()) >= 3)
        follow(1)
        wait_for(lambda: badge() == "…")
        with Recorder() as recorder:
            user.connect("http://127.0.0.1:1/#" + "0" * 32, then="The recorder is away")  # nobody is there
            user.connect(recorder.line)
            follow(1)
            wait_for(lambda: [step[0] for step in steps()][-1:] == ["http://site.test/5"])
            assert badge() == "REC"
            user.useful("true")
            wait_for(lambda: any("useful" in event for event in events()) and badge() == "REC")
        # What was sent to a recorder that stood still may have come in twice; nothing is missing, and in order.
        visited = [step[0].rsplit("/")[-1] for step in steps()]
        assert list(dict.fromkeys(visited)) == [str(n) for n in range(6)], visited
    told = json.loads(scent("browse", "info", "b.jsonl", "--json").stdout)
    assert (told["pages"], told["useful"]) == (6, 1), told


PLANT = '{"visit": "http://planted.test/"}'
EVIL = """
const to = %(recorder)s, token = %(token)s, results = {};
const ask = (name, path, options) => fetch(to + path, options).then(
    async (answer) => { results[name] = answer.type === 'opaque' ? 'opaque' : answer.status + await answer.text(); },
    (error) => { results[name] = 'refused'; });
const blob = new Blob([%(plant)s], {type: 'application/json'});
const body = %(plant)s, bearer = {Authorization: 'Bearer ' + token};
const load = (tag, attribute) => new Promise((done) => {
    const node = document.createElement(tag);
    node.onload = () => { results[tag] = 'loaded'; done(); };
    node.onerror = () => { results[tag] = 'refused'; done(); };
    node.rel = 'stylesheet';
    node[attribute] = to + '/status';
    document.body.append(node);
});
function post() {
    const form = document.createElement('form');
    Object.assign(form, {method: 'post', action: to + '/events', target: 'hole', enctype: 'text/plain'});
    form.innerHTML = '<input name=x>';
    form.elements[0].name = body;
    document.body.insertAdjacentHTML('beforeend', '<iframe name=hole></iframe>');
    document.body.append(form);
    form.submit();
    return new Promise((done) => setTimeout(done, 500));
}
function socket() {
    return new Promise((done) => {
        const wire = new WebSocket(to.replace('http', 'ws') + '/events');
        wire.onopen = () => { results.socket = 'open'; wire.send(body); done(); };
        wire.onerror = () => { results.socket = 'refused'; done(); };
    });
}
Promise.all([
    ask('read', '/status'),
    ask('read with the token', '/status', {headers: bearer}),
    ask('simple', '/events', {method: 'POST', body}),
    ask('opaque', '/events', {method: 'POST', mode: 'no-cors', body}),
    ask('opaque json', '/events', {method: 'POST', mode: 'no-cors', body: blob}),
    ask('with the token', '/events', {method: 'POST', body, headers: {...bearer, 'Content-Type': 'application/json'}}),
    ask('in the address', '/events?token=' + token, {method: 'POST', mode: 'no-cors', body}),
    load('img', 'src'), load('script', 'src'), load('link', 'href'), post(), socket(),
]).then(() => {
    results.beacon = String(navigator.sendBeacon(to + '/events', body));
    results.extension = String(globalThis.chrome?.runtime?.sendMessage);
    return fetch(%(home)s + '/popup.html').then(() => 'read', () => 'refused');
}).then((popup) => {
    results.popup = popup;
    window.results = results;
});
"""


@beside
def a_page_cannot_talk_to_the_recorder():
    """Not even one that knows the token."""
    with Recorder() as recorder, Site({"/": html("evil"), "/again": html("evil")}) as site, \
            User(f"MAP evil.test {site.base[7:]}", f"MAP rebound.test 127.0.0.1:{recorder.port}") as user:
        user.connect(recorder.line)
        for origin, to in (("http://evil.test", f"http://127.0.0.1:{recorder.port}"),
                           ("http://evil.test", f"http://localhost:{recorder.port}"),
                           ("http://rebound.test", "http://rebound.test"),
                           (site.base, f"http://127.0.0.1:{recorder.port}")):
            user.go(origin + "/")
            user.browser.run(EVIL % {"recorder": json.dumps(to), "token": json.dumps(recorder.token),
                                     "plant": json.dumps(PLANT), "home": json.dumps(user.home)})
            user.browser.wait("return Boolean(window.results)", True)
            results = user.browser.run("return window.results")
            for name in ("socket", "img", "script", "link", "popup"):
                assert results[name] == "refused", (origin, name, results)
            for name in ("read", "read with the token", "simple", "with the token"):
                same = results[name].startswith(("403", "404")) and '"visits"' not in results[name]
                assert results[name] == "refused" or origin == to and same, (origin, name, results)
            assert results["extension"] == "undefined", results
        user.go("http://evil.test/again")
        wait_for(lambda: steps() and steps()[-1][0] == "http://evil.test/again")
        assert "planted" not in Path("b.jsonl").read_text()
        assert [event for event in events() if "visit" not in event] == []


@beside
def the_popup_can_be_read_and_used_by_everybody():
    with Recorder() as recorder, User() as user:
        browser = user.browser
        browser.turn(user.strings)
        for state in ("off", "bad", "on"):
            for scheme in ("light", "dark"):
                browser.colours(scheme)
                faint = browser.run(CONTRAST)
                assert faint == [], (state, scheme, faint)
                browser.size(340, 500)
                assert browser.run("return document.documentElement.scrollWidth") <= 340
            assert browser.run("return [...document.querySelectorAll('input, button')].filter(e => e.checkVisibility() "
                               "&& !(e.labels?.[0] ?? e).textContent.trim()).length") == 0
            if state == "off":
                browser.run("document.getElementById('address').value = '<b>x';"
                            "document.getElementById('off').requestSubmit()")
                browser.wait("return document.getElementById('problem').textContent.includes('is not the line')", True)
            if state == "bad":
                browser.run(f"document.getElementById('address').value = {json.dumps(recorder.line)};"
                            "document.getElementById('off').requestSubmit()")
                browser.wait("return document.getElementById('state').textContent", "Recording")
        assert browser.run("return document.querySelector('[role=status]').textContent") == "Recording"
        assert browser.run("return document.querySelector('main b')") is None


finish(at_once=3)  # a browser each
