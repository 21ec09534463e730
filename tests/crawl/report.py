#!/usr/bin/env python3
"""The report of an experiment in a real browser: from file://, light and dark, wide and narrow, on paper."""

import os
from pathlib import Path

from browser import Browser
from crawling import *

LONG = "averyveryverylongnamewithoutanyspacesinitatallthatmustnotbreakthepage"
MARKUP = "<b onmouseover=alert(1)>bold</b>"
os.environ["XDG_CACHE_HOME"] = os.environ.get("TMPDIR", "/tmp") + "/lab-cache"


def make_report(topics, strategies, more=""):
    """The address of a report on a small generated web."""
    write("web.yaml", "kind: generated\nseed: 20\nhosts: 40\npages_per_host: 15\n")
    write("e.yaml", f"experiment: 'Windows & \"quotes\" <i>'\ncollection: web.yaml\nseeds: 4\nbudget: 60\npoints: [20, 60]\n"
          f"topics: {{level: 1, min_pages: 15, max: {topics}}}\nstrategies: {strategies}\n{more}")
    scent("lab", "run", "e.yaml", "-o", "out", "-q")
    return "file://" + str(Path("out/report.html").resolve())


def many():
    names = [f"w{n}" for n in range(2, 12)] + [LONG, MARKUP]
    windows = ", ".join(f"{{name: text-window, as: '{name}', words: {2 * n + 4}}}" for n, name in enumerate(names))
    return ["breadth-first", "full-page"] + names, make_report(4, f"[breadth-first, full-page, {windows}]", "committee: true\n")


def check_quiet(browser, url):
    """No script, no request but the file's own, nothing in the console."""
    asked = browser.requests()
    assert asked == [url], asked
    complaints = [e for e in browser.log("browser") if "favicon" not in e["message"]]
    assert complaints == [], complaints
    assert browser.run("return document.scripts.length") == 0
    assert browser.run("return document.querySelectorAll('[onmouseover], link, img, iframe').length") == 0


def first_cells(browser, selector):
    return browser.run(f"return [...document.querySelectorAll('{selector} tbody tr')].map(r => r.cells[0].textContent)")


@test
def all_is_there():
    with Browser() as browser:
        names, url = many()
        browser.requests()
        browser.open(url)
        check_quiet(browser, url)
        assert browser.run("return document.title") == 'Windows & "quotes" <i>'
        ranked = [name.removesuffix(" (baseline)") for name in first_cells(browser, "#ranking")]
        assert sorted(ranked) == sorted(names), ranked
        for table in browser.run("return [...document.querySelectorAll('table')].map(t => [...t.rows].map(r => r.cells.length))"):
            assert len(set(table)) == 1, table  # every row has every column
        assert browser.run("return document.querySelectorAll('figure polyline').length") == 3 * len(names)
        # no two curves of a chart look alike
        looks = browser.run("return [...document.querySelector('figure').querySelectorAll('polyline')].map("
                            "p => getComputedStyle(p).stroke + getComputedStyle(p).strokeDasharray)")
        assert len(set(looks)) == len(names), looks


@test
def light_and_dark():
    with Browser() as browser:
        _, url = many()
        browser.open(url)
        seen = {}
        for scheme in ("light", "dark"):
            browser.colours(scheme)
            # text and lines against the background: WCAG asks for 4.5 and 3
            seen[scheme] = browser.run("""
                const light = c => { const v = c.match(/\\d+/g).slice(0, 3).map(x => { x /= 255;
                    return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
                    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
                const contrast = (a, b) => { a = light(a); b = light(b); return (Math.max(a, b) + .05) / (Math.min(a, b) + .05); };
                const style = s => getComputedStyle(document.querySelector(s));
                const ground = style('body').backgroundColor;
                return [light(ground), contrast(style('body').color, ground), contrast(style('.soft').color, ground),
                    Math.min(...[...document.querySelectorAll('polyline')].map(p => contrast(getComputedStyle(p).stroke, ground)))];""")
        for scheme, (ground, text, soft, curve) in seen.items():
            assert text > 7 and soft > 4.5 and curve > 3, (scheme, text, soft, curve)
        assert seen["light"][0] > .9 and seen["dark"][0] < .1, seen


@test
def narrow():
    with Browser() as browser:
        _, url = many()
        browser.open(url)
        for width in (400, 800, 1600):
            browser.size(width, 800)
            inside = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            assert inside[0] <= inside[1], (width, inside)


@test
def one_topic_and_one_strategy():
    with Browser() as browser:
        url = make_report(1, "[breadth-first]")
        browser.requests()
        browser.open(url)
        check_quiet(browser, url)
        text = browser.run("return document.body.innerText")
        assert "1 strategy crawled" in text and "1 topic," in text, text[:500]
        assert "nan" not in text.lower().replace("governance", ""), text
        assert first_cells(browser, "#ranking") == ["breadth-first (baseline)"]


@test
def on_paper():
    with Browser() as browser:
        _, url = many()
        browser.open(url)
        paper = browser.pdf()
        assert paper.startswith(b"%PDF-") and len(paper) > 10000
        browser.tools("Emulation.setEmulatedMedia", media="print")
        browser.size(700, 1000)  # about what A4 has
        wide = browser.run("return [...document.querySelectorAll('#ranking')].map(t => t.getBoundingClientRect().right)")
        assert all(right <= 720 for right in wide), wide


if __name__ == "__main__":
    finish()
