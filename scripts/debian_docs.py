#!/usr/bin/python3
"""Packs Debian's documentation packages into webs for the lab: their sites are hosts of their own, and have labels.

    scripts/debian_docs.py pack [WEB [DIR]]   into a collection (default: debian-docs, into build/WEB)
    scripts/debian_docs.py labels [WEB]       how many pages each topic has on each site; nothing is written

WEB is debian-docs, with which strategies are fitted and chosen, or kernel-docs or manuals, which are for reports alone.
The sites hardly link to each other, so the page http://docs.test/ links to the home page of each. A label says that a
page is about a topic: at least LEAST words of its main content, and at least SHARE of them, belong to a term of the
topic. The main content is found by the template of the site (PARTS) and not by scent, which is measured with it.
"""

import html as entities
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from lxml import html

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("SCENT") or ROOT / "build" / "release" / "scent"
DOC = Path("/usr/share/doc")

# web: {site: (package, folder, home page, title)}
WEBS = {
    "debian-docs": {
        "apache": ("apache2-doc", DOC / "apache2-doc/manual/en", "index.html", "Apache HTTP server"),
        "boost": ("libboost1.74-doc", DOC / "libboost1.74-doc/doc/html", "index.html", "Boost C++ libraries"),
        "git": ("git-doc", DOC / "git-doc", "git.html", "Git"),
        "postgresql": ("postgresql-doc-15", DOC / "postgresql-doc-15/html", "index.html", "PostgreSQL"),
        "python": ("python3.11-doc", DOC / "python3.11/html", "index.html", "Python"),
        "sqlite": ("sqlite3-doc", DOC / "sqlite3", "index.html", "SQLite"),
    },
    "kernel-docs": {
        "kernel": ("linux-doc-6.1", DOC / "linux-doc-6.1/html", "index.html", "Linux kernel"),
    },
    "manuals": {
        "django": ("python-django-doc", DOC / "python-django-doc/html", "index.html", "Django"),
        "erlang": ("erlang-doc", DOC / "erlang-doc", "doc/index.html", "Erlang"),
        "gimp": ("gimp-help-en", Path("/usr/share/gimp/2.0/help/en"), "index.html", "GIMP"),
        "octave": ("octave-doc", DOC / "octave/octave.html", "index.html", "Octave"),
    },
}
# site: (the content of its pages, parts of it that are not content), as XPath
PARTS = {
    "apache": ("//div[@id='page-content']", ".//div[@class='toplang' or @id='quickview' or @class='top' or @class='up']"),
    "boost": ("//body[.//div[@class='spirit-nav']]",
              "./table[1][.//img[contains(@src,'boost.png')]]|.//div[@class='spirit-nav']"
              "|.//div[@class='copyright-footer']"),
    "django": ("//div[@id='yui-main']", None),
    "erlang": ("//div[@id='content']", None),
    "gimp": ("//body", ".//div[@class='navheader' or @class='navfooter' or @class='breadcrumbs']"),
    "git": ("//body[div[@id='content']]", ".//div[@id='footer']|.//div[@id='toc']"),
    "kernel": ("//div[@role='main']", None),
    "octave": ("//body", ".//div[@class='header' or @class='nav-panel']"),
    "postgresql": ("//body", ".//div[@class='navheader' or @class='navfooter']"),
    "python": ("//div[@class='body']", None),
    "sqlite": ("//body", ".//div[contains(@class,'nosearch')]|./p[@align='center'][.//a[@id='mtimelink']]"),
}

# Of a page of a topic: so many words of its content belong to terms of the topic, and this share of all its words.
LEAST, SHARE = 5, .01
# web: {topic: its terms}. They were fixed before any crawl. Of debian-docs the first six are for reports, the others for
# choosing.
TOPICS = {"debian-docs": {
    "sockets": r"sockets?|tcp|udp|ipv[46]|ip addresse?s?|port numbers?|hostnames?|listen(?:s|ing)? on|accept(?:s|ing)? connections?",
    "regex": r"regular expressions?|regex(?:es|p)?|reg_?ex|match(?:es|ing)? patterns?|pattern matching|backreferences?|lookahead|lookbehind|quantifiers?",
    "tls": r"ssl|tls|certificates?|openssl|x\.?509|ciphers?|handshakes?|private keys?|certificate authority",
    "planning": r"query plans?|query planner|planner|optimizer|index scans?|indexe?s|indices|sequential scans?|cost estimates?|explain",
    "time": r"time ?zones?|timezones?|utc|dates?|datetime|timestamps?|calendars?|gregorian|posix time|leap",
    "encodings": r"unicode|utf-?8|utf-?16|encodings?|charsets?|character sets?|code points?|codecs?|latin-?1|iso-?8859(?:-\d+)?",
    "threads": r"threads?|mutex(?:es)?|locks?|locking|deadlocks?|semaphores?|condition variables?|concurren(?:t|cy)|atomic",
    "iterators": r"iterators?|iterables?|iterat(?:e|es|ing|ion)|generators?|ranges?|containers?",
    "transactions": r"transactions?|commits?|rollbacks?|savepoints?|isolation levels?|serializable|two-phase",
    "logging": r"logs?|logging|loggers?|log files?|log levels?|syslog|handlers?|sinks?|severity",
    "replication": r"replicat(?:ion|ed|e)|standby|backups?|wal|write-ahead|recovery|primary server|archiv(?:e|ing)|restore",
    "random": r"random|distributions?|probabilit(?:y|ies)|variance|statistic(?:s|al)|normal distribution|quantiles?|mean|median",
}, "kernel-docs": {
    "memory": r"huge ?pages?|swap|slab|page tables?|page cache|oom|numa|memory cgroups?|memory controller|zswap|reclaim",
    "networking": r"sockets?|tcp|udp|ethernet|packets?|skb|netdev|net_device|network devices?|ipv[46]|routing|bridge",
    "filesystems": r"file ?systems?|inodes?|superblocks?|dentry|journal|mount options?|vfs|extents?|xattrs?",
    "tracing": r"trace|tracing|tracepoints?|ftrace|kprobes?|uprobes?|perf|trace events?|ring buffer|histogram",
    "power": r"suspend|resume|runtime pm|power management|cpufreq|cpuidle|wakeup|power domains?|governors?|hibernation",
    "media": r"v4l2?|video4linux|pixel formats?|cameras?|dvb|tuners?|media controller|subdev(?:ice)?s?|bayer|yuv",
    "locking": r"spinlocks?|mutex(?:es)?|rcu|lockdep|semaphores?|seqlocks?|critical sections?|memory barriers?|deadlocks?",
    "security": r"vulnerabilit(?:y|ies)|mitigations?|spectre|selinux|keyrings?|capabilit(?:y|ies)|lsm|encryption|integrity",
}, "manuals": {
    "colours": r"colou?rs?|rgb|cmyk|hue|saturation|palettes?|brightness|colormaps?|contrast",
    "databases": r"databases?|queries|querysets?|sql|tables?|foreign keys?|migrations?|mnesia|transactions?",
    "matrices": r"matri(?:x|ces)|vectors?|eigenvalues?|determinants?|sparse|linear algebra|inverse|decomposition",
    "plots": r"plots?|plotting|axes|axis|figures?|graphics|legends?|surfaces?|contours?",
    "processes": r"process(?:es)?|supervisors?|messages?|nodes?|signals?|spawn|gen_server|mailbox|pids?",
    "strings": r"strings?|characters?|regular expressions?|regex(?:p|es)?|unicode|substrings?|concatenat(?:e|ion)",
    "testing": r"tests?|testing|test cases?|test suites?|assert(?:ion)?s?|fixtures?|coverage|mock",
    "selections": r"selections?|layers?|masks?|channels?|brush(?:es)?|opacity|alpha|paint",
}}


def main_text(body, what, without):
    """The text of the content; None where the page has another template, or hardly any text."""
    try:
        tree = html.fromstring(body, parser=html.HTMLParser(encoding="utf-8"))
    except (ValueError, html.etree.ParserError):
        return None
    for element in tree.xpath("//script|//style|//noscript|//template|//iframe|//comment()"):
        drop(element)
    parts = tree.xpath(what)
    for part in parts:
        for element in part.xpath(without) if without else []:
            drop(element)
    # every element is set off by a space, as readers see cells and lines
    text = " ".join(t for part in parts for t in part.itertext())
    return text if parts and len(text.split()) >= 20 else None


def drop(element):
    if element.getparent() is not None:
        element.drop_tree()


def topics_of(text, topics):
    """Terms count by their words, and so do the parts of names_like_this."""
    text = text.lower().replace("_", " ")
    words = max(1, len(re.findall(r"\w+", text)))
    for name, terms in topics.items():
        hits = sum(len(found.split()) for found in re.findall(rf"\b(?:{terms})\b", text))
        if hits >= LEAST and hits >= SHARE * words:
            yield name


def pages_of(folder):
    return [path for path in sorted(folder.rglob("*.html")) if path.is_file()]


def labels_of(web, site):
    folder = WEBS[web][site][1]
    for path in pages_of(folder):
        text = main_text(path.read_bytes(), *PARTS[site])
        for name in topics_of(text, TOPICS[web]) if text else []:
            yield f"http://{site}.test/{path.relative_to(folder)}", name


def home_page(sites):
    items = "".join(f'<li><a href="http://{site}.test/{home}">{entities.escape(title)}</a></li>\n'
                    for site, (_, _, home, title) in sites.items())
    return f"<!DOCTYPE html>\n<html lang=en><title>Documentation</title>\n<h1>Documentation</h1>\n<ul>\n{items}</ul>\n"


def stage(source, folder):
    """The pages alone: scripts, images and sources are nothing to crawl."""
    for path in pages_of(source):
        copy = folder / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)


def pack(web, out):
    sites = WEBS[web]
    if out.exists():
        raise SystemExit(f"debian_docs: {out} exists; remove it first")
    with tempfile.TemporaryDirectory() as scratch:
        base, made = Path(scratch), Path(scratch) / "made"
        (base / "docs").mkdir()
        (base / "docs" / "index.html").write_text(home_page(sites))
        os.utime(base / "docs" / "index.html", (1.6e9, 1.6e9))
        for site in sites:
            stage(sites[site][1], base / site)
        for site in ("docs", *sites):
            subprocess.run([PROGRAM, "web", "pack", base / site, "-o", made / site, "-b", f"http://{site}.test/"], check=True)
        labels = [f"{url}\t{name}\n" for site in sites for url, name in labels_of(web, site)]
        (made / "labels.tsv").write_text("".join(labels))
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, out)


def show_labels(web):
    sites = WEBS[web]
    counts = {site: Counter(name for _, name in labels_of(web, site)) for site in sites}
    print(f"{'topic':14}", *(f"{site:>10}" for site in sites), f"{'all':>10}")
    for name in TOPICS[web]:
        row = [counts[site][name] for site in sites]
        print(f"{name:14}", *(f"{count:10}" for count in row), f"{sum(row):10}")


def main():
    command, web, out, *more = (sys.argv[1:] + [None] * 3)[:max(3, len(sys.argv) - 1)]
    web = web or "debian-docs"
    if command not in ("pack", "labels") or web not in WEBS or more or (out and command == "labels"):
        print(__doc__)
        return 0 if command in ("-h", "--help") else 2
    # The folder may be another package's.
    missing = [package for package, folder, home, _ in WEBS[web].values() if not (folder / home).exists()]
    if missing:
        raise SystemExit(f"debian_docs: missing packages; apt-get install {' '.join(missing)}")
    if command == "labels":
        show_labels(web)
    else:
        pack(web, Path(out) if out else ROOT / "build" / web)
    return 0


if __name__ == "__main__":
    sys.exit(main())
