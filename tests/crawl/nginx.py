#!/usr/bin/env python3
"""A real server: nginx with a folder of files, over HTTP/1.1 and over TLS with HTTP/2, and how politely it is asked."""

import collections
import gzip
import os
import shutil
import socket
import statistics
import subprocess
import time
import urllib.parse
from pathlib import Path

from crawling import SLOW, Skip, all_records, check_crawl, finish, http_parts, query, scent, test, topic, urls

FOLDERS, FILES = (5, 10) if SLOW else (10, 30)
CONFIGURATION = """daemon off; {user} worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
    log_format timed '$msec $request_time $host $connection $status "$request" "$http_user_agent"';
    access_log {folder}/access.log timed;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    types {{ text/html html; image/png png; }}
    gzip on; gzip_min_length 1; gzip_comp_level 5; keepalive_requests 100000; absolute_redirect on;
    server {{
        listen 127.0.0.1:{port};
        listen 127.0.0.1:{tls_port} ssl http2;
        ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
        root {folder}/site;
        location /slow/ {{ gzip off; limit_rate 4k; }}
    }}
}}
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_certificates():
    """A certificate authority, ca.pem, and its certificate for localhost alone, server.pem."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=an authority")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    Path("names").write_text("subjectAltName = DNS:localhost\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem")


class Nginx:
    """nginx in the current folder, serving its folder `site`; `with` ends it."""

    def __init__(self):
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if not program:
            raise Skip("there is no nginx")
        if not shutil.which("openssl"):
            raise Skip("there is no openssl")
        make_certificates()
        folder = os.getcwd()
        for _ in range(5):  # somebody else may take the port in between
            self.port, self.tls_port = free_ports(2)
            user = "user root;" if os.geteuid() == 0 else ""
            Path("nginx.conf").write_text(CONFIGURATION.format(folder=folder, user=user, port=self.port,
                                                               tls_port=self.tls_port))
            self.child = subprocess.Popen([program, "-p", folder, "-e", folder + "/error.log", "-c",
                                           folder + "/nginx.conf"], stdin=subprocess.DEVNULL)
            if self.is_up():
                return
        raise AssertionError("nginx does not start: " + Path("error.log").read_text())

    def is_up(self):
        for _ in range(2000):
            if self.child.poll() is not None:
                return False
            try:
                socket.create_connection(("127.0.0.1", self.tls_port), 1).close()
                return True
            except OSError:
                time.sleep(0.05)
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(100)

    def log(self):
        """The requests: (start, end, host, connection, status, request line, user agent), times in seconds."""
        found = []
        for line in Path("access.log").read_text().splitlines():
            end, took, host, connection, status, rest = line.split(" ", 5)
            request, agent = rest.strip('"').split('" "')
            found.append((float(end) - float(took), float(end), host, connection, int(status), request, agent))
        return found


def page(title, links):
    items = "".join(f'<li><a href="{link}">{link}</a>\n' for link in links)
    return f"<!doctype html><meta charset=utf-8><title>{title}</title>\n<p>{title} has words.\n<ul>{items}</ul>\n"


def put(path, text):
    file = Path("site") / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


def make_site():
    """Several hundred pages that are reached by every kind of relative link. Returns {URL path: bytes}."""
    put("index.html", page("Home", ["d0/", "d1", "/d2/index.html", "./café.html", "missing.html", "picture.png",
                                    "with space.html", "d3?query", "//example.invalid/elsewhere"]))
    put("café.html", page("Café", ["#here", "caf%c3%a9.html", "d4/p0.html", "d5/../d5/p1.html"]))
    put("with space.html", page("A space", ["with%20space.html", "index.html"]))
    put("picture.png", "not for us")
    for i in range(FOLDERS):
        put(f"d{i}/index.html", page(f"Folder {i}", [f"p{j}.html" for j in range(0, FILES, 2)] + [f"../d{i + 1}/"]))
        for j in range(FILES):
            put(f"d{i}/p{j}.html", page(f"Page {i} {j}", [f"p{j + 1}.html", f"/d{(i + 1) % FOLDERS}/p{j}.html", "."]))
    files = {str(file.relative_to("site")): file.read_bytes() for file in Path("site").rglob("*.html")}
    return {"/" + urllib.parse.quote(name): data for name, data in files.items()}


def decoded(record):
    _, headers, body = http_parts(record["block"])
    return gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body


def path_of(url):
    parts = urllib.parse.urlsplit(url)
    return parts.path + "index.html" if parts.path.endswith("/") else parts.path


def check_site(crawl, origin, files, protocol):
    """Every file was found, and lies in the archive as it lies in the folder."""
    responses = {each["warc-target-uri"]: each for each in all_records(crawl) if each["warc-type"] == "response"}
    pages = set(urls(crawl))
    assert {path_of(url) for url in pages} == set(files), {path_of(url) for url in pages} ^ set(files)
    zipped = 0
    for url in pages:
        assert decoded(responses[url]) == files[path_of(url)], url
        assert responses[url]["warc-protocol"] == protocol, responses[url]["warc-protocol"]
        zipped += http_parts(responses[url]["block"])[1].get("content-encoding") == "gzip"
    assert zipped == len(pages), f"only {zipped} of {len(pages)} pages came in gzip"
    rows = {url.removeprefix(origin): rest for url, *rest in
            query(crawl, "select url.url, state, status, error from url left join page on page.url_id = url.id")}
    assert rows["/missing.html"] == ["failed", 404, "http 404"], rows["/missing.html"]
    assert rows["/d1"][:2] == ["redirected", 301] and rows["/d1/"][0] == "fetched", (rows["/d1"], rows["/d1/"])
    assert rows["/d3?query"][:2] == ["redirected", 301] and rows["/d3/?query"][0] == "fetched", rows["/d3?query"]
    assert rows["/picture.png"][0] == "dropped", rows["/picture.png"]
    assert rows["http://example.invalid/elsewhere".replace("http:", origin.split("/")[0])][0] == "seen"
    check_crawl(crawl)


def crawl_site(nginx, origin, *options):
    # Which pages lie within a smaller depth depends on the way by which they are found first.
    topic([origin + "/"], limits="{depth: 1000}",
          politeness="{delay: 0, per_host: 8, retries: 0, user_agent: 'polite/1 (+mailto:a@b.test)'}")
    scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q", *options)
    connections = collections.Counter(entry[3] for entry in nginx.log())
    assert {entry[6] for entry in nginx.log()} == {"polite/1 (+mailto:a@b.test)"}
    # One more than per_host: that of the picture is closed instead of reading what nobody wants.
    assert len(connections) <= 9, f"{len(connections)} connections for {sum(connections.values())} requests"


@test
def http_1_1_brings_every_file():
    files = make_site()
    with Nginx() as nginx:
        origin = f"http://localhost:{nginx.port}"
        crawl_site(nginx, origin)
        check_site("out", origin, files, "http/1.1")
        assert {entry[5].rsplit(" ", 1)[1] for entry in nginx.log()} == {"HTTP/1.1"}


@test
def https_speaks_http_2():
    files = make_site()
    with Nginx() as nginx:
        origin = f"https://localhost:{nginx.tls_port}"
        crawl_site(nginx, origin, "--ca-file", "ca.pem")
        check_site("out", origin, files, "h2")
        assert {entry[5].rsplit(" ", 1)[1] for entry in nginx.log()} == {"HTTP/2.0"}
    for each in all_records("out"):
        if each["warc-type"] == "request":
            assert each["block"].split(b"\r\n")[0].endswith(b" HTTP/1.1"), each["block"]


@test
def untrusted_certificates_are_failures():
    make_site()
    with Nginx() as nginx:
        # Of an authority that nobody knows, and for another name than it is for.
        for name, host, *options in (["unknown", "localhost"], ["name", "other.localhost", "--ca-file", "ca.pem"]):
            url = f"https://{host}:{nginx.tls_port}/"
            topic([url], politeness="{delay: 0, retries: 2}")
            scent("crawl", "topic.yaml", "--allow-private", "-o", name, "-q", *options, status=1)
            state, error, tries = query(name, "select state, error, tries from url")[0]
            assert state == "failed" and error.startswith("TLS error: ") and tries == 1, (state, error, tries)
            assert "certificate" in error.lower(), error
            assert error in scent("status", name).stdout
            assert not query(name, "select * from page")
        assert nginx.log() == [], "it was spoken to all the same"


def hosts_site(hosts, files):
    for j in range(files):
        put(f"p{j}.html", page(f"Page {j}", [f"p{j + 1}.html", f"p{j + 2}.html"] if j + 2 < files else []))
    put("index.html", page("Home", ["p0.html"]))
    return [f"{host}.localhost" for host in "abcdefgh"[:hosts]]


@test
def a_host_is_asked_once_in_its_delay_while_others_are_asked():
    delay, files = 0.5, 7
    hosts = hosts_site(6, files)
    with Nginx() as nginx:
        # The hosts are copies of each other, whose links are not followed: each page is a seed.
        paths = ["", *(f"p{j}.html" for j in range(files))]
        topic([f"http://{host}:{nginx.port}/{path}" for path in paths for host in hosts],
              politeness="{delay: 500ms, per_host: 1, retries: 0}")
        started = time.monotonic()
        scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q")
        took = time.monotonic() - started
        log = nginx.log()
    begins = {host: sorted(entry[0] for entry in log if entry[2] == host) for host in hosts}
    for host, times in begins.items():
        gaps = [after - before for before, after in zip(times, times[1:])]
        assert len(times) == files + 2, f"{host}: {len(times)} requests"
        # The log has milliseconds, and a busy machine holds single requests up: those come nearer to the next one.
        # The sum cannot be smaller than it should be by more than the first one was late.
        assert min(gaps) > delay / 2, f"{host}: {min(gaps):.3f} s between two requests"
        assert statistics.median(gaps) > delay * 0.9, f"{host}: {gaps}"
        assert sum(gaps) > delay * (len(gaps) - 0.5), f"{host}: {sum(gaps):.3f} s for {len(gaps)} delays"
    one_by_one = delay * (files + 2) * len(hosts)
    assert took < one_by_one / 2, f"{took:.1f} s: the hosts waited for each other"


@test
def a_host_has_as_many_requests_at_once_as_allowed():
    put("index.html", page("Home", [f"slow/{j}.html" for j in range(6)]))
    for j in range(6):
        put(f"slow/{j}.html", page(f"Slow {j}", []) + "x" * 5000)
    with Nginx() as nginx:
        topic([f"http://localhost:{nginx.port}/"], politeness="{delay: 0, per_host: 2, retries: 0}")
        scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q")
        log = nginx.log()
    assert len(log) == 8  # robots.txt, the index and what it links to
    # In the order of time, ends before beginnings: a log of milliseconds shows them as one moment.
    moments = sorted([(entry[0], 1) for entry in log] + [(entry[1], -1) for entry in log])
    busy, most = 0, 0
    for _, change in moments:
        busy += change
        most = max(most, busy)
    assert most == 2, f"{most} requests at once"


finish()
