"""The crawlers that the benchmark compares: each fetches a site once, measured as a whole process."""

import json
import os
import shutil
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAX_SECONDS = 1800  # a crawler that hangs must not hang the bench


class Run:
    """One finished process: wall clock, CPU of it and its children, peak memory, and what the crawler counted."""

    def __init__(self, seconds, usage, status):
        self.seconds = seconds
        self.cpu = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024
        self.status = status
        self.pages = 0
        self.stages = {}

    def facts(self):
        pages = max(self.pages, 1)
        return {"pages": self.pages, "seconds": round(self.seconds, 3), "pages_per_second": round(pages / self.seconds, 1),
                "cpu_ms_per_page": round(1000 * self.cpu / pages, 4), "peak_mib": round(self.megabytes, 1),
                "stages_ms_per_page": {stage: round(ms / pages, 4) for stage, ms in self.stages.items()}}


def measure(command, log, cwd=None):
    """Runs a command to its end; os.wait4 gives the resources of that child alone."""
    with open(log, "wb") as output:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=cwd)
        watchdog = threading.Timer(MAX_SECONDS, process.kill)
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        watchdog.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(seconds, usage, process.returncode)


def count_files(folder):
    return sum(len(files) for _, _, files in os.walk(folder))


def check(client, run, allowed, log):
    if run.status not in allowed or run.pages == 0:
        tail = "\n".join(Path(log).read_text(errors="replace").splitlines()[-20:])
        raise SystemExit(f"bench: {client} ended with status {run.status} after {run.pages} pages\n{tail}")
    return run


class Wget2:
    """wget2 writes files and no WARC; it analyses only to find links, and syncs nothing.

    What it can do at best shows where files cost nothing: in memory."""

    def __init__(self, threads, in_memory=False):
        self.name = f"wget2 x{threads}" + (" to memory" if in_memory else "")
        self.threads = threads
        self.in_memory = in_memory

    def available(self):
        return shutil.which("wget2") is not None and (not self.in_memory or os.access("/dev/shm", os.W_OK))

    def crawl(self, url, pages, folder):
        log = folder / "log"
        run = measure(["wget2", "--recursive", "--level=0", "--no-robots", f"--max-threads={self.threads}", "--quiet",
                       "--progress=none", "--accept=html,htm", f"--directory-prefix={folder / 'pages'}", url], log)
        run.pages = count_files(folder / "pages")
        return check(self.name, run, (0, 8), log)  # 8: there were broken links


class Scrapy:
    """Scrapy follows the same links and writes bodies; see bench_spider.py."""

    in_memory = False

    def __init__(self, concurrency):
        self.name = f"Scrapy x{concurrency}"
        self.concurrency = concurrency

    def available(self):
        return shutil.which("scrapy") is not None

    def crawl(self, url, pages, folder):
        log = folder / "log"
        (folder / "pages").mkdir()
        run = measure(["scrapy", "runspider", "-L", "ERROR", "-s", f"CONCURRENT_REQUESTS={self.concurrency}",
                       "-a", f"start={url}", "-a", f"folder={folder / 'pages'}", "-a", f"pages={pages}",
                       str(HERE / "bench_spider.py")], log)
        run.pages = count_files(folder / "pages")
        return check(self.name, run, (0,), log)


class Crawlee:
    """Crawlee (Node.js, its CheerioCrawler) does the same as Scrapy; see bench_crawlee.mjs. npm installs it below build/bench,
    for this comparison alone."""

    in_memory = False
    folder = HERE.parents[1] / "build" / "bench" / "crawlee"

    def __init__(self, concurrency):
        self.name = f"Crawlee x{concurrency}"
        self.concurrency = concurrency

    def available(self):
        if not shutil.which("node") or not shutil.which("npm"):
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        return (self.folder / "node_modules/@crawlee/cheerio").is_dir() or subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(self.folder), "@crawlee/cheerio@3"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def crawl(self, url, pages, folder):
        log = folder / "log"
        (folder / "pages").mkdir()
        run = measure(["node", str(HERE / "bench_crawlee.mjs"), url, str(folder / "pages"), str(pages), str(self.concurrency)],
                      log, cwd=self.folder)
        run.pages = count_files(folder / "pages")
        return check(self.name, run, (0,), log)


TOPIC = """
topic: bench
{seeds}
scope: {{types: [text/html, application/xhtml+xml]{include}}}
limits: {{pages: {pages}, depth: 1000}}
politeness: {{delay: 0s, per_host: {concurrency}, per_ip: {concurrency}}}
strategy: {{name: {strategy}}}
"""


def find_last(value, key):
    """The last object that has `key`, anywhere in a JSON value: run.json holds every run of its folder."""
    found = value if isinstance(value, dict) and key in value else None
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        found = find_last(part, key) or found
    return found


def database_pages(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute("select count(*) from page").fetchone()[0]


class Scent:
    """scent does the whole way of a page: WARC, analysis, judgement, links, store; the last sync included."""

    in_memory = False

    def __init__(self, program, concurrency, strategy="breadth-first", extra=(), name="scent"):
        self.program = program
        self.concurrency = concurrency
        self.strategy = strategy
        self.extra = [str(word) for word in extra]
        self.name = name

    def available(self):
        if not os.access(self.program, os.X_OK):
            return False
        done = subprocess.run([self.program, "crawl", "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode == 0 and "TOPIC" in done.stdout

    def crawl(self, url, pages, folder):
        """Crawls from `url`, or from where the web of `extra` begins when it is None."""
        topic, out, log = folder / "topic.yaml", folder / "bench.crawl", folder / "log"
        topic.write_text(TOPIC.format(seeds=f"seeds: ['{url}']" if url else "",
                                      include=", include: ['127.0.0.1']" if url else "", pages=pages,
                                      concurrency=self.concurrency, strategy=self.strategy))
        run = measure([self.program, "crawl", topic, "--allow-private", "-o", out, "--pages", str(pages), "--quiet"]
                      + self.extra, log)
        self.read_counts(run, out)
        return check(self.name, run, (0,), log)

    @staticmethod
    def read_counts(run, out):
        try:
            last = find_last(json.loads((out / "run.json").read_text()), "cpu_ms") or {}
        except (OSError, ValueError):
            last = {}
        run.stages = {stage: float(ms) for stage, ms in last.get("cpu_ms", {}).items()}
        run.pages = last.get("pages") or (database_pages(out / "crawl.db") if (out / "crawl.db").exists() else 0)
