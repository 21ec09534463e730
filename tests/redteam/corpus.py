"""A sound file of every kind that scent reads, in one folder: what is mutated afterwards.

Everything tells of the same few pages, so that each file fits the others: a taxonomy of their classes, a model and
rules of it, logs and browsing of people who read them, crawls and experiments on them. What only the program can write
it writes here itself."""

import fcntl
import gzip
import itertools
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import profiles
from crawling import SCENT, scent, write
from labbing import write_warc

WORDS = {
    "School.University": "campus rector students enroll tuition lecture hall alumni charter degree".split(),
    "School.Department": "faculty dean staff offices research groups seminar budget committee institute".split(),
    "School.Person": "resume hobbies family photos biography interests email birthday garden travels".split(),
    "Sports.Hockey": "hockey puck rink goalie skates ice stick penalty trophy season".split(),
}
NAMES = {category: category.split(".")[-1].lower() for category in WORDS}
COUNT = 12
UNIVERSITY, DEPARTMENT, PERSON, HOCKEY = WORDS
PLAN = {UNIVERSITY: [(DEPARTMENT, 0), (DEPARTMENT, 1), (HOCKEY, 2), (UNIVERSITY, 3)],
        DEPARTMENT: [(PERSON, 0), (PERSON, 1), (DEPARTMENT, 5), (UNIVERSITY, 1)],
        PERSON: [(PERSON, 2), (DEPARTMENT, 3), (HOCKEY, 0)],
        HOCKEY: [(HOCKEY, 1), (HOCKEY, 5), (UNIVERSITY, 4), (PERSON, 7)]}
QUERY = "'#wsum(2 hobbies 1 #or(family photos) 1 resume)'"
POLITE = "politeness: {delay: 0, retries: 0}\n"
SEEDS = ["http://university.test/1", "http://hockey.test/1"]


def url_of(category, i):
    return f"http://{NAMES[category]}.test/{i % COUNT}"


def page_of(category, i):
    words = WORDS[category]
    text = " ".join(words[(i + k * (1 + i % 3)) % len(words)] for k in range(40))
    links = " ".join(f'<p>{WORDS[to][i % 10]} {words[k]} <a href="{url_of(to, i + step)}">{WORDS[to][k]}</a></p>'
                     for k, (to, step) in enumerate(PLAN[category]))
    return (f"<html lang=en><head><title>{words[0]} {i}</title><meta name=description content='{words[1]} page'></head>"
            f"<body><p>{text} number{i} the and of</p><ul><li>{links}</li></ul></body></html>")


def all_pages():
    return {url_of(category, i): page_of(category, i) for category, i in itertools.product(WORDS, range(COUNT))}


def write_collection():
    """The pages as plain and as compressed WARC files, with records of other kinds, and as a folder."""
    Path("plain").mkdir()
    Path("packed").mkdir()
    write_warc("plain/a.warc", all_pages())
    records = Path("plain/a.warc").read_bytes().split(b"WARC/1.1\r\n")[1:]
    Path("packed/a.warc.gz").write_bytes(b"".join(gzip.compress(b"WARC/1.1\r\n" + each, mtime=0) for each in records))
    Path("site").mkdir()
    for url, text in all_pages().items():
        host, number = url.removeprefix("http://").split(".test/")
        Path("site", f"{host}{number}.html").write_text(text)
    write("site/feed.xml", "<?xml version='1.0'?><rss version='2.0'><channel><title>f</title><item><title>x</title>"
                           "<link>http://a.test/1</link><description><![CDATA[<b>bold</b>]]></description></item>"
                           "</channel></rss>")
    write("site/note.txt", "A note about hobbies and family photos.\n")
    scent("web", "pack", "site", "-b", "http://site.test/", "-o", "site.packed")


def write_lists():
    pairs = [(category, url_of(category, i)) for category in WORDS for i in range(0, COUNT, 2)]
    write("taxonomy.tsv", "".join(f"{category}\t{url}\n" for category, url in pairs))
    topics = "".join(f'<Topic r:id="Top/{category.replace(".", "/")}"><catid>{n}</catid>' +
                     "".join(f'<link r:resource="{url}"/>' for other, url in pairs if other == category) + "</Topic>\n"
                     for n, category in enumerate(WORDS))
    about = "".join(f'<ExternalPage about="{url}"><d:Title>A &amp; B</d:Title><d:Description>x &#233;</d:Description>'
                    f'<topic>Top/{category.replace(".", "/")}</topic></ExternalPage>\n' for category, url in pairs)
    write("content.rdf.u8", '<?xml version="1.0" encoding="UTF-8"?>\n<RDF xmlns:r="http://www.w3.org/TR/RDF/" '
                            'xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf">\n<!-- dump -->\n' +
          topics + about + "</RDF>\n")
    write("labels.tsv", "".join(f"{url_of(category, i)}\t{category}\n" for category in WORDS for i in range(COUNT)))
    write("seeds.txt", "# seeds\n" + "\n".join(SEEDS) + "\n")
    for side, category in (("positive", PERSON), ("negative", HOCKEY)):
        Path("examples", side).mkdir(parents=True)
        for i in range(10):
            write(f"examples/{side}/{i}.html", page_of(category, i))
    write("cookies.txt", "# Netscape HTTP Cookie File\nuniversity.test\tFALSE\t/\tFALSE\t4102444800\tname\tvalue\n"
                         "#HttpOnly_.hockey.test\tTRUE\t/x\tTRUE\t0\tother\tthing\n")
    write("logins.yaml", "hosts:\n  university.test: {user: jane, password: 'a word'}\n"
                         "  hockey.test:8443: {user: j, password: 'b'}\nproxy: {user: jane, password: 'c'}\n")
    for path in ("cookies.txt", "logins.yaml"):
        os.chmod(path, 0o600)


def write_logs():
    """Six people, each of whom reads one class most of the time: as squid, Apache and plain lists write it down."""
    visits = [(1300000000 + 5000 * user + 40 * k, f"10.0.0.{user}",
               url_of(list(WORDS)[(user + (k % 7 == 0)) % 4], user + k)) for user in range(6) for k in range(12)]
    squid = [f"{time}.{user[-1]}00 120 {user} TCP_MISS/200 20480 GET {url} - DIRECT/a.test text/html"
             for time, user, url in visits]
    write("squid.log", "\n".join(squid) + "\n")
    common = ['%s - - [07/Feb/2011:05:%02d:%02d +0000] "GET /%d HTTP/1.1" 200 99' % (user, n // 60, n % 60, n % COUNT)
              for n, (_, user, _) in enumerate(visits)]
    write("common.log", "\n".join(common) + "\n")
    write("combined.log", "".join(f'{line} "http://a.test/" "Mozilla/5.0 (X)"\n' for line in common))
    plain = "".join(f"{time} {user} {url}\n" for time, user, url in visits)
    Path("plain.log.gz").write_bytes(gzip.compress(plain.encode(), mtime=0))
    write("key", "secret\n")


def write_browsing():
    lines = ['{"browsing": 1}']
    for i in range(6):
        for category, number in [(UNIVERSITY, i), (DEPARTMENT, i), (PERSON, i), (PERSON, i + 1), (HOCKEY, i)]:
            lines.append(json.dumps({"visit": url_of(category, number), "time": f"2026-01-01T00:0{i}:00Z",
                                     "title": category}))
            if category == PERSON:
                lines.append(json.dumps({"useful": url_of(category, number)}))
    write("mine.jsonl", "\n".join(lines) + "\n")
    write("visited.txt", "# mine\nhttp://a.test/\nhttp://a.test/1\thttp://a.test/\n")
    profiles.firefox("firefox", visits=profiles.SOME, bookmarks=profiles.FOLDERS).close()
    roots = {"bookmark_bar": profiles.folder("Bar", profiles.mark("http://a.test/bar", 86400)),
             "other": profiles.folder("Other", profiles.folder("Hockey", profiles.mark("http://a.test/h")))}
    profiles.chromium("chromium", visits=profiles.SOME, bookmarks=roots)


def write_topics():
    seeds = "seeds: [" + ", ".join(SEEDS) + "]\n"
    taxonomy = "taxonomy: {file: %s, collection: plain, target: School.Person}\n"
    # Everything that any strategy asks for; the second without the query.
    people = (f"topic: people\n{seeds}{POLITE}{taxonomy % 'taxonomy.tsv'}seed: 5\ntraces: [squid.log]\n"
              "browsing: mine.browsing\nrules: people.rules\nlimits: {depth: 1000}\n")
    write("people.yaml", people + f"query: {QUERY}\n")
    write("unasked.yaml", people)
    write("odp.yaml", f"topic: odp\n{seeds}{POLITE}{taxonomy % 'content.rdf.u8'}")
    write("shown.yaml", f"""topic: shown
{seeds}seeds_file: seeds.txt
{POLITE}examples: {{positive: examples/positive, negative: [examples/negative]}}
model: {{kind: svm, C: 2, max_features: 200}}
relevant: '"hobbies" and classifier() > 0.3 and url ~ "test(/|$)" or not (lang = "de") and (size > 10 or depth <= 5)'
scope: {{include: ['*.test'], exclude: ['*/login*'], hops_off_domain: 3, types: ['text/*']}}
limits: {{pages: 20, time: 1m, depth: 9, page_bytes: 512KiB, per_host: 20, per_domain: 50, per_pattern: 100}}
recrawl: {{policy: adaptive, interval: 1d, min: 1h, max: 30d}}
strategy: {{name: text-window-combo, words: 20, beta: 0.3, threshold: none}}
sitemaps: true
strip_tracking: false
""")
    write("asked.yaml", f"topic: asked\n{seeds}{POLITE}query: {QUERY}\n"
                        "strategy: {name: fusion, of: 'query-context + best-first'}\n")
    write("walked.yaml", f"topic: walked\n{seeds}{POLITE}browsing: mine.browsing\nstrategy: hmm\n")
    write("followed.yaml", f"topic: followed\n{seeds}{POLITE}traces:\n  - squid.log\n"
                           "  - {file: common.log, base: 'http://a.test/'}\n  - people.trace\nstrategy: combined\n"
                           "relevant: '\"hobbies\"'\n")
    write("reused.yaml", f"topic: reused\n{seeds}{POLITE}strategy: intelligent\n"
                         "reuse: [{from: learned.crawl, weight: 0.5}]\nrelevant: '\"hobbies\"'\n")
    write("closed.yaml", f"topic: closed\n{seeds}{POLITE}ways: {{cookies: cookies.txt, logins: logins.yaml}}\n")
    write("web.yaml", "kind: generated\nseed: 11\nhosts: 12\npages_per_host: 6\ntopics: 3\nlinks: 8\nwords: 60\n"
                      "slow_hosts: {share: 0}\ntunnels: {share: 0.1, length: 2}\n"
                      "vocabulary: {background: 500, topic: 50}\n"
                      "large: {share: 0.01, factor: 3}\nrobots: {share: 0.5}\n")
    write("lab.yaml", "collection: plain\nlabels: labels.tsv\ntopics: {level: 1, min_pages: 5, max: 2}\nseeds: 3\n"
                      "budget: 20\npoints: [10, 20]\n"
                      "strategies: [breadth-first, full-page, {name: text-window, as: w 10, words: 10}]\n"
                      "baseline: full-page\nfusions: [[full-page, w 10]]\n")
    write("weblab.yaml", "collection: web.yaml\ntopics: {level: 1, min_pages: 2, max: 2}\nseeds: 2\nbudget: 20\n"
                         "points: [10, 20]\nstrategies: [breadth-first, full-page]\nbaseline: full-page\n")


def kill_a_crawl():
    """A crawl directory as a kill leaves it: with an open WARC file and what the database has not taken in."""
    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, 4096)  # so small that the crawl waits when nobody reads
    command = [SCENT, "crawl", "people.yaml", "--from", "plain", "--strategy", "intelligent", "-q", "--json"]
    with subprocess.Popen([*command, "-o", "killed.crawl"], stdout=writable) as child:
        os.close(writable)
        os.read(readable, 2000)
        time.sleep(.7)  # a run commits every half second
        child.send_signal(signal.SIGKILL)
    os.close(readable)


def make_files():
    """Models, traces, crawls and experiments: what the program writes of the files above."""
    scent("trace", "import", "squid.log", "-o", "people.trace", "--key", "key")
    scent("browse", "train", "mine.jsonl", "-o", "mine.browsing", "--from", "plain", "--clusters", 3, "-q")
    scent("rules", "build", "people.yaml", "--from", "plain", "-q")
    scent("train", "people.yaml", "--from", "plain", "-q")
    scent("train", "shown.yaml", "--from", "plain", "-q")
    common = ("--from", "plain", "-q", "--pages", 30)
    scent("crawl", "people.yaml", *common, "--strategy", "combined", "-o", "people.crawl")
    scent("crawl", "asked.yaml", *common, "--strategy", "intelligent", "-o", "learned.crawl")
    kill_a_crawl()
    for out in ("results", "others"):
        scent("lab", "run", "lab.yaml", "-o", out, "-c", "cache", "-q", "-t", 1)
    seeds = scent("web", "generate", "web.yaml", "--seeds", 3).stdout.split()
    write("generated.yaml", f"topic: generated\nseeds: [{', '.join(seeds)}]\n{POLITE}")


def build(folder):
    """Writes everything below `folder`."""
    before = os.getcwd()
    Path(folder).mkdir(parents=True)
    os.chdir(folder)
    try:
        write_collection()
        write_lists()
        write_logs()
        write_browsing()
        write_topics()
        make_files()
    finally:
        os.chdir(before)
