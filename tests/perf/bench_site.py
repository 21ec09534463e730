"""The documentation web of the benchmark: real HTML trees of Debian packages behind nginx on loopback."""

import html
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import zlib
from pathlib import Path

# name below the site's root, the package, its tree, the entry page
TREES = [
    ("python", "python3.11-doc", "/usr/share/doc/python3.11-doc/html", "index.html"),
    ("postgresql", "postgresql-doc-15", "/usr/share/doc/postgresql-doc-15/html", "index.html"),
    ("boost", "libboost1.74-doc", "/usr/share/doc/libboost1.74-doc/doc", "html/index.html"),
]
HREF = re.compile(rb"""<a\s[^>]*?href\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)

LINK = re.compile(rb"""(<(?:a|link)\s[^>]*?href\s*=\s*["']?)(?!#)([^"'\s>]+)""", re.IGNORECASE)
SAMPLE_SITE = "http://bench.test/"

NGINX = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    types {{ text/html html htm; text/css css; text/javascript js; image/png png; image/svg+xml svg; text/plain txt; }}
    default_type application/octet-stream;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    open_file_cache max=20000 inactive=600s;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {root};
        index index.html;
        absolute_redirect off;
    }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def page_links(page, text):
    """The HTML pages of the site that `page` (a path below its root) links to."""
    for href in HREF.findall(text):
        target = urllib.parse.urljoin("http://site/" + page, html.unescape(href.decode("latin-1")))
        parts = urllib.parse.urlsplit(target)
        if parts.netloc == "site" and not parts.query:
            yield urllib.parse.unquote(parts.path.lstrip("/"))


def walk_links(root, start):
    """The pages that links lead to from `start`."""
    seen, queue = set(start), list(start)
    while queue:
        page = queue.pop()
        for target in page_links(page, (root / page).read_bytes()):
            if target not in seen and target.endswith((".html", ".htm")) and (root / target).is_file():
                seen.add(target)
                queue.append(target)
    return seen


def make_site(root, say):
    """Fills `root` with the trees and an index page from which every page is reachable; returns their number."""
    root.mkdir(parents=True)
    entries, pages = [], []
    for name, package, tree, entry in TREES:
        if not (Path(tree) / entry).is_file():
            raise SystemExit(f"bench: {tree} is missing; scripts/setup bench installs {package} "
                             "(unless dpkg is told to leave out documentation)")
        (root / name).symlink_to(tree)
        entries.append(f"{name}/{entry}")
        # os.walk, because a tree of Debian's holds links to folders
        for folder, _, files in os.walk(root / name, followlinks=True):
            pages += [os.path.relpath(os.path.join(folder, file), root) for file in files
                      if file.endswith((".html", ".htm"))]
    linked = walk_links(root, entries)
    lost = sorted(set(pages) - linked)
    links = "\n".join(f'<li><a href="/{html.escape(urllib.parse.quote(page))}">{html.escape(page)}</a>'
                      for page in entries + lost)
    (root / "index.html").write_text(f"<!DOCTYPE html>\n<title>Documentation</title>\n<ul>\n{links}\n</ul>\n")
    say(f"the site has {len(linked | set(pages)) + 1} HTML pages: {len(linked)} reached by links from "
        f"{len(entries)} entry pages, {len(lost)} that nobody links to and the index page names, the index page")
    return len(linked | set(pages)) + 1


def choose_examples(folder, pages):
    """20 pages with the word "socket" and 40 without it, as topics take them."""
    has = [page for page in pages if b"socket" in page.read_bytes().lower()]
    lacks = [page for page in pages if page not in set(has)]
    for name, files, count in (("positive", has, 20), ("negative", lacks, 40)):
        (folder / name).mkdir(parents=True)
        for number in range(count):
            shutil.copy(files[number * len(files) // count], folder / name / f"{number}.html")


def make_sample(folder, count):
    """A closed web of `count` pages of the trees in folder/site, each a neighbour of none: links that lead out of the
    sample lead to pages inside instead, so that a crawl can fetch all of it and nothing else. Examples of a topic, of
    pages that are not in it, are beside it. Returns the number of pages."""
    everything = sorted(Path(tree) / name for _, _, tree, _ in TREES
                        for name in walk_links(Path(tree), [entry for _, _, of, entry in TREES if of == tree]))
    sample = [everything[number * len(everything) // count] for number in range(count - 1)]
    names = [f"{number}.html" for number in range(len(sample))]
    choose_examples(folder, sorted(set(everything) - set(sample)))
    (folder / "site").mkdir()
    for page, name in zip(sample, names):
        (folder / "site" / name).write_bytes(LINK.sub(
            lambda link: link[1] + names[zlib.crc32(link[2]) % len(names)].encode(), page.read_bytes()))
    (folder / "site" / "index.html").write_text("<!DOCTYPE html>\n<title>Documentation</title>\n<ul>\n" + "\n".join(
        f'<li><a href="{name}">{html.escape(page.stem)}</a>' for page, name in zip(sample, names)) + "\n</ul>\n")
    return len(sample) + 1


class Nginx:
    """nginx with a configuration of its own on a free loopback port; stopped when the `with` block ends."""

    def __init__(self, root, folder):
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        folder.mkdir(parents=True)
        user = "user root root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, root=root, port=self.port, user=user))

    def __enter__(self):
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        if not program:
            raise SystemExit("bench: nginx is missing; scripts/setup bench installs it")
        self.process = subprocess.Popen([program, "-p", self.folder, "-e", self.folder / "error.log",
                                         "-c", self.folder / "nginx.conf"], stdin=subprocess.DEVNULL)
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.__exit__()
        raise SystemExit("bench: nginx does not start:\n" + (self.folder / "error.log").read_text())

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
