#!/usr/bin/env python3
"""The extension in a real Chromium: a user browses a generated web, presses Useful, and it is all in the file; pages that
want to talk to the recorder get nowhere."""

import json
import os
import signal
import time
from pathlib import Path

from browser import Browser
from crawling import *

EXTENSION = Path(__file__).resolve().parents[2] / "web" / "extension"
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
POPUP = "const popup = chrome.extension.getViews({type: 'popup'})[0]; const at = (id) => popup.document.getElementById(id);"


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
        for _ in range(200):
            for target in self.browser.tools("Target.getTargets")["targetInfos"]:
                if target["type"] == "service_worker" and target["url"].startswith("chrome-extension:"):
                    return target["url"].rsplit("/", 1)[0]
            time.sleep(0.05)
        raise AssertionError("the extension was not loaded")

    @contextlib.contextmanager
    def popup(self):
        """The real popup, over the tab of the page."""
        self.browser.turn(self.strings)
        self.browser.run("return (async () => { const own = await chrome.tabs.getCurrent(), tabs = await chrome.tabs.query({});"
                         "await chrome.tabs.update(tabs.find(tab => tab.id !== own.id).id, {active: true});"
                         "await chrome.action.openPopup(); })()")
        self.browser.wait(POPUP + "return popup?.document.readyState === 'complete' && at('state').textContent !== '…'", True)
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
        """Presses the button; `then` is what it shows after that."""
        with self.popup():
            self.pull("at('mark').click()")
            self.await_popup("at('mark').getAttribute('aria-pressed')", then)

    def go(self, url):
        self.browser.open(url)

    def follow(self, number=0):
        """Clicks a link of the page's main part that leads to another page; where it led."""
        links = "[...document.links].filter(a => a.pathname.endsWith('.html') && a.pathname !== location.pathname && !a.search)"
        before = self.browser.run("return location.href")
        self.browser.run(f"{links}[{number}].click()")
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


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, events()
        time.sleep(0.1)


def generated(port):
    return f"MAP *.test 127.0.0.1:{port}"


@test
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
        user.browser.run("history.back()")
        user.browser.wait("return location.href", way[2])
        user.browser.run("location.reload()")
        user.browser.wait("return document.readyState", "complete")
        way.append(user.follow(3))
        user.useful("true")
        wait_for(lambda: len(steps()) == 5)
        assert steps() == [(way[0], None), (way[1], way[0]), (way[2], way[1]), (way[3], way[2]), (way[4], way[2])], steps()
        marks = [event for event in events() if "visit" not in event]
        assert [next(iter(event.items())) for event in marks] == [("useful", way[3]), ("not_useful", way[3]),
                                                                  ("useful", way[3]), ("useful", way[4])], marks
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


finish()
