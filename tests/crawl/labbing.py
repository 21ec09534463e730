"""What the tests of the lab share: experiments on a generated web, or on a small collection that a test writes."""

import filecmp
import os
import random
from pathlib import Path

from crawling import *

WEB = f"kind: generated\nseed: 20\nhosts: {40 if SLOW else 120}\npages_per_host: 20\n"
os.environ["XDG_CACHE_HOME"] = os.environ.get("TMPDIR", "/tmp") + "/lab-cache"


def experiment(path="e.yaml", **keys):
    """Writes an experiment on a generated web, or on the folder 'pages'; keys are YAML values as text."""
    if "collection" not in keys:
        write("web.yaml", WEB)
    keys = {"collection": "web.yaml", "topics": "{level: 1, min_pages: 20, max: 5}", "seeds": "5", "budget": "100",
            "points": "[20, 50, 100]", "strategies": "[breadth-first, random, full-page, {name: text-window, as: w 10, words: 10}]",
            "baseline": "full-page", "fusions": "[[full-page, w 10]]", **keys}
    return write(path, "".join(f"{key}: {value}\n" for key, value in keys.items() if value))


def files_of(folder):
    return sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*") if p.is_file())


def same_results(a, b):
    assert files_of(a) == files_of(b), set(files_of(a)) ^ set(files_of(b))
    differ = [name for name in files_of(a) if name != "times.csv" and not
              filecmp.cmp(f"{a}/{name}", f"{b}/{name}", shallow=False)]
    assert not differ, differ


def write_warc(path, pages):
    """{url: html} as a WARC file."""
    with open(path, "wb") as out:
        for number, (url, text) in enumerate(pages.items()):
            body = text.encode()
            http_message = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            out.write(b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
                      b"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\nContent-Type: application/http;msgtype=response\r\n"
                      b"Content-Length: %d\r\n\r\n" % (number, url.encode(), len(http_message)) + http_message + b"\r\n\r\n")


TOPICS = {"sport.ice": "hockey puck rink goalie skate", "sport.grass": "football pitch striker goal keeper",
          "food.sweet": "cake sugar honey cream chocolate"}


def write_pages(folder="pages", topics=TOPICS, each=20):
    """A collection of three topics whose pages link to their own topic more often; with its labels beside it."""
    dice, pages, labels = random.Random(1), {}, []
    urls = {(t, i): f"http://{t.replace('.', '-')}.test/{i}" for t in topics for i in range(each)}
    for (topic, i), url in urls.items():
        own = [urls[topic, k] for k in dice.sample(range(each), 4)]
        other = dice.sample(sorted(urls.values()), 3)
        words = topics[topic].split()
        links = " ".join(f"<p>{' '.join(dice.choices(words, k=4))} <a href={u}>{dice.choice(words)}</a></p>" for u in own)
        links += " ".join(f"<p>see also <a href={u}>more</a></p>" for u in other)
        pages[url] = f"<html lang=en><title>{topic} {i}</title><body>{' '.join(dice.choices(words, k=30))} {links}</body></html>"
        labels.append(f"{url}\t{topic}\n")
    Path(folder).mkdir()
    write_warc(f"{folder}/a.warc", pages)
    write(f"{folder}/labels.tsv", "".join(labels))
    return urls


def run(*args, **options):
    return scent("lab", "run", *args, **options)
