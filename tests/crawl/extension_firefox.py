#!/usr/bin/env python3
"""The extension and the import of a profile in a real Firefox."""

import json
from pathlib import Path

from crawling import *
from firefox import Firefox

EXTENSION = Path(__file__).resolve().parents[2] / "extension"
PAGES = {"/": html("<a id=a href=/r>a</a> <a id=t target=_blank href=/tab>t</a>"),
         "/r": (302, [("Location", "/a")], b""), "/a": html("<a href=/b>b</a>"), "/b": html("b"), "/tab": html("tab")}


def steps(path, base):
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return [tuple(url and url.removeprefix(base) for url in (line["visit"], line.get("from")))
            for line in lines if "visit" in line]


@test
def firefox_records_and_is_imported_while_it_runs():
    want = [("/", None), ("/tab", "/"), ("/a", "/"), ("/b", "/a")]
    record = [SCENT, "browse", "record", "-q", "-o", "b.jsonl"]
    with Site(PAGES) as site, Server(*record) as recorder, Firefox() as firefox:
        home, page = firefox.install(EXTENSION), firefox.here()
        strings = firefox.tab()
        firefox.turn(strings)
        firefox.open(home + "/popup.html")
        firefox.wait("return document.getElementById('state').textContent", "Not recording")
        firefox.run("document.getElementById('address').value = arguments[0];"
                    "document.getElementById('off').requestSubmit()", recorder.line)
        firefox.wait("return document.getElementById('state').textContent", "Recording")
        firefox.turn(page)
        firefox.open(site.base + "/")
        for count, selector in enumerate(("#t", "#a", "a"), 2):
            firefox.click(selector)
            wait_for(lambda: len(steps("b.jsonl", site.base)) == count)
        assert steps("b.jsonl", site.base) == want, steps("b.jsonl", site.base)
        firefox.turn(page)
        firefox.turn(strings, front=False)
        firefox.run("document.getElementById('mark').click()")
        firefox.wait("return document.getElementById('mark').getAttribute('aria-pressed')", "true")
        # The button shows the mark before the recorder has it.
        wait_for(lambda: '{"useful":"' in Path("b.jsonl").read_text())
        profile = firefox.profile
        # Firefox writes visits down as they come, but not at once.
        wait_for(lambda: subprocess.run([SCENT, "browse", "import", profile, "-o", "p.jsonl", "--host", "127.0.0.1"],
                                        stderr=subprocess.DEVNULL, timeout=200).returncode == 0 and
                 len(steps("p.jsonl", site.base)) == len(want))
    # Its history does not know the opener of a new tab.
    imported = [(page, came) for page, came in steps("p.jsonl", site.base) if page != "/tab"]
    assert imported == [step for step in want if step[0] != "/tab"], imported


finish()
