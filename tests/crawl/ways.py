#!/usr/bin/env python3
"""Proxies, cookies and logins as the servers see them, and that no secret is left anywhere."""

import asyncio
import base64
import gzip
import os
import socket
import stat
import sys
import threading
import time
from pathlib import Path

from crawling import Server, check_crawl, finish, query, scent, test, topic, urls, write

HERE = Path(__file__).resolve().parent
AGENT = "ways/1.0 (+mailto:nobody@example.test)"
POLITENESS = f"{{delay: 0, per_host: 1, retries: 0, user_agent: '{AGENT}'}}"
SECRETS = {name: f"hush-{name}-7f3a" for name in
           ("user", "password", "port-password", "proxy-user", "proxy-password", "cookie", "sub", "path", "secure",
            "expired", "other", "environment")}


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def forms(secret):
    """How a secret could be spelled in what is left behind."""
    plain = secret.encode()
    return {plain, base64.b64encode(plain).rstrip(b"=")[:-1], plain.hex().encode(), plain[::-1]}


class Web:
    """One small server for many names, an HTTP proxy too; it writes down the head of every request."""

    def __init__(self, proxy_login=None):
        self.heads = []  # (host, path, {name: value}, absolute)
        self.proxy_login, self.refused = proxy_login, 0
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()
        threading.Thread(target=self.run, daemon=True).start()
        assert self.ready.wait(200)

    def run(self):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)

    def answer(self, host, path, headers):
        if path == "/robots.txt":
            return "404 Not Found", [], "none"
        if path.startswith("/closed") and headers.get("authorization") != basic(SECRETS["user"], SECRETS["password"]):
            return "401 Unauthorized", ['WWW-Authenticate: Basic realm="x"'], "who are you?"
        if path == "/away":
            return "302 Found", [f"Location: http://elsewhere.test:{self.port}/closed/target"], ""
        links = ["/", "/closed/1", "/shop/2", "/shopping", "/away", f"http://www.{host}/3"]
        text = " ".join(f'<a href="{link}">{link}</a>' for link in links)
        return "200 OK", [], f"<html lang=en><title>{host} {path}</title><p>Page {path} of {host} {text}"

    async def serve(self, reader, writer):
        try:
            while True:
                start, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                target = start.split()[1]
                absolute = target.startswith("http://")
                path = "/" + target.split("/", 3)[3] if absolute else target
                if self.proxy_login and headers.get("proxy-authorization") != basic(*self.proxy_login):
                    self.refused += 1
                    reply = ("407 Proxy Authentication Required", ['Proxy-Authenticate: Basic realm="x"'], "")
                else:
                    self.heads.append((headers["host"], path, headers, absolute))
                    reply = self.answer(headers["host"], path, headers)
                status, more, body = reply
                head = [f"HTTP/1.1 {status}", "Content-Type: text/html", f"Content-Length: {len(body.encode())}", *more]
                writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + body.encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def seen(self, header):
        """{(host without port, path): value or None} of all requests."""
        return {(host.rsplit(":", 1)[0], path): headers.get(header) for host, path, headers, _ in self.heads}


def secret_file(path, text, mode=0o600):
    write(path, text)
    os.chmod(path, mode)


def cookie(domain, subdomains, path, secure, expires, name):
    flag = {True: "TRUE", False: "FALSE"}
    return "\t".join([domain, flag[subdomains], path, flag[secure], str(expires), name, SECRETS[name]])


def write_cookies(host="site.test"):
    later = int(time.time()) + 86400
    secret_file("secrets/cookies.txt", "\n".join([
        "# Netscape HTTP Cookie File",
        cookie(host, False, "/", False, later, "cookie"),
        cookie("." + host, True, "/", False, 0, "sub"),
        cookie(host, False, "/shop", False, later, "path"),
        cookie(host, False, "/", True, later, "secure"),
        cookie(host, False, "/", False, 1000000000, "expired"),
        cookie("other.test", True, "/", False, later, "other")]) + "\n")


def write_logins(host="site.test", proxy=False):
    text = f"hosts:\n  {host}: {{user: {SECRETS['user']}, password: '{SECRETS['password']}'}}\n"
    text += f"  {host}:1: {{user: {SECRETS['user']}, password: {SECRETS['port-password']}}}\n"
    text += f"  usual.test:443: {{user: {SECRETS['user']}, password: {SECRETS['port-password']}}}\n"
    text += f"  usual.test:80: {{user: {SECRETS['user']}, password: {SECRETS['password']}}}\n"
    if proxy:
        text += f"proxy: {{user: {SECRETS['proxy-user']}, password: {SECRETS['proxy-password']}}}\n"
    secret_file("secrets/logins.yaml", text)


def find_secrets(folder, *outputs):
    """[(place, secret)] in all files below a folder, WARC files unpacked, and in what was printed."""
    found = []
    places = [(f"output {number}", text.encode()) for number, text in enumerate(outputs)]
    for path in Path(folder).rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            places.append((path, data))
            if ".gz" in path.name:
                places.append((f"{path}, unpacked", gzip.decompress(data)))
    assert any("unpacked" in str(place) for place, _ in places) and any("crawl.db" in str(place) for place, _ in places)
    for place, data in places:
        found += [(str(place), name) for name, secret in SECRETS.items() if any(form in data for form in forms(secret))]
    whole = basic(SECRETS["user"], SECRETS["password"]).split()[1][:-4].encode()
    return found + [(str(place), "user:password") for place, data in places if whole in data]


def crawl(*options, status=0, env=None):
    """With everything on standard error that there is to say."""
    return scent("crawl", "topic.yaml", "-o", "out", "--json", *options, status=status, env=os.environ | (env or {}))


def asked_of(socks):
    with socket.create_connection(("127.0.0.1", socks.port)) as client:
        client.sendall(b"ASKED\n")
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b"")).decode().splitlines()


def questions(dns, name):
    """How often a name server was asked for this name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(100)
        client.sendto(f"COUNT {name}".encode(), ("127.0.0.1", dns.port))
        return int(client.recv(100))


def socks_server(*options):
    return Server(sys.executable, HERE / "socksserver.py", *options)


@test
def cookies_and_logins_go_where_they_belong_and_stay_nowhere():
    web = Web()
    os.mkdir("secrets")
    write_cookies()
    write_logins()
    with socks_server() as socks:
        topic([f"http://site.test:{web.port}/", f"http://other.test:{web.port}/"], politeness=POLITENESS,
              ways=f"{{proxy: 'socks5://127.0.0.1:{socks.port}', cookies: secrets/cookies.txt, logins: secrets/logins.yaml}}")
        done = crawl()
        asked = set(asked_of(socks))
    web.stop()
    names = {line.split()[1] for line in asked}
    assert {"site.test", "www.site.test", "other.test", "elsewhere.test"} <= names, names
    assert {line.split()[0] for line in asked} == {"name"}, "names go to the proxy as they are"

    sent = web.seen("cookie")
    both, sub = f"cookie={SECRETS['cookie']}; sub={SECRETS['sub']}", f"sub={SECRETS['sub']}"
    assert sent["site.test", "/"] == both and sent["site.test", "/shopping"] == both, sent
    assert sent["site.test", "/shop/2"] == f"path={SECRETS['path']}; {both}", sent
    assert sent["www.site.test", "/3"] == sub, sent
    assert sent["other.test", "/"] == f"other={SECRETS['other']}", sent
    assert {value for (host, _), value in sent.items() if host == "elsewhere.test"} == {None}, sent
    assert not [value for value in sent.values() if value and ("expired" in value or "secure" in value)], sent

    logins = web.seen("authorization")
    good = basic(SECRETS["user"], SECRETS["password"])
    assert {value for (host, _), value in logins.items() if host == "site.test"} == {good}, logins
    assert {value for (host, _), value in logins.items() if host != "site.test"} == {None}, logins
    assert logins["elsewhere.test", "/closed/target"] is None, "a redirect took the login with it"
    assert f"http://site.test:{web.port}/closed/1" in urls("out")
    assert query("out", "select state, error from url where url like '%elsewhere.test%/target'")[0][0] == "failed"

    assert "warning" not in done.stderr, done.stderr
    assert find_secrets("out", done.stdout, done.stderr) == []
    check_crawl("out")
    with open("out/run.json", "a") as file:  # a leak would be seen
        file.write(SECRETS["cookie"])
    assert find_secrets("out") == [("out/run.json", "cookie")]
    with gzip.open("out/warc/planted.warc.gz", "wb") as file:
        file.write(b"Authorization: " + good.encode())
    assert {name for place, name in find_secrets("out") if "planted" in place} >= {"user:password"}


@test
def an_http_proxy_gets_its_login_from_the_file_or_the_environment():
    web = Web(proxy_login=(SECRETS["proxy-user"], SECRETS["proxy-password"]))
    os.mkdir("secrets")
    write_logins(proxy=True)
    ways = f"proxy: 'http://127.0.0.1:{web.port}'"
    topic([f"http://site.test:{web.port}/", "http://usual.test/"], politeness=POLITENESS,
          ways=f"{{{ways}, logins: secrets/logins.yaml}}")
    done = crawl()
    assert {"http://usual.test/closed/1"} < set(urls("out")), "a login for port 80 is one for no port"
    assert all(absolute for *_, absolute in web.heads) and web.refused == 0
    assert f"http://site.test:{web.port}/closed/1" in urls("out")
    assert set(web.seen("proxy-authorization").values()) == {basic(*web.proxy_login)}
    assert find_secrets("out", done.stdout, done.stderr) == []

    web.proxy_login = (SECRETS["proxy-user"], SECRETS["environment"])
    env = {"SCENT_PROXY_LOGIN": ":".join(web.proxy_login)}
    os.rename("out", "first")
    done = crawl(env=env)
    assert web.refused == 0 and find_secrets("out", done.stdout, done.stderr) == []
    os.rename("out", "second")
    topic([f"http://site.test:{web.port}/"], politeness=POLITENESS, ways=f"{{{ways}}}")
    crawl(status=1)
    assert web.refused > 0, "without a login it is turned away"
    done = scent("crawl", "topic.yaml", "-o", "bad", status=2, env=os.environ | {"SCENT_PROXY_LOGIN": SECRETS["user"]})
    assert "USER:PASSWORD" in done.stderr and SECRETS["user"] not in done.stderr, done.stderr
    web.stop()


@test
def a_socks_proxy_gets_its_login():
    web = Web()
    os.mkdir("secrets")
    write_logins(proxy=True)
    with socks_server("--login", f"{SECRETS['proxy-user']}:{SECRETS['proxy-password']}") as socks:
        topic([f"http://site.test:{web.port}/"], politeness=POLITENESS,
              ways=f"{{proxy: 'socks5://127.0.0.1:{socks.port}', logins: secrets/logins.yaml}}")
        done = crawl()
    web.stop()
    assert urls("out") and find_secrets("out", done.stdout, done.stderr) == []


@test
def onion_hosts_go_to_tor_alone():
    web = Web()
    plain = "is.7f000001.site.test"
    with socks_server() as tor, socks_server() as other, Server(sys.executable, HERE / "dnsserver.py") as dns:
        seeds = [f"http://abc.onion:{web.port}/", f"http://{plain}:{web.port}/"]
        ask = ["--dns", f"127.0.0.1:{dns.port}", "-q"]
        topic(seeds, politeness=POLITENESS,
              ways=f"{{proxy: 'socks5://127.0.0.1:{other.port}', onion: 127.0.0.1:{tor.port}}}")
        crawl("--pages", "12", *ask)
        by_tor, by_other = ({line.split()[1] for line in asked_of(way)} for way in (tor, other))
        assert by_tor and all(name.endswith(".onion") for name in by_tor), by_tor
        assert by_other and not any(name.endswith(".onion") for name in by_other), by_other
        assert questions(dns, plain) == 0, "the proxy looks names up"

        # Alone: the way to all others is the network itself, and no name server hears of .onion.
        topic(seeds, politeness=POLITENESS, ways=f"{{onion: 127.0.0.1:{tor.port}}}",
              scope=f"{{include: [abc.onion, {plain}]}}")
        before = len(asked_of(other))
        scent("crawl", "topic.yaml", "-o", "alone", "--allow-private", *ask)
        assert set(seeds) < set(urls("alone"))
        assert questions(dns, plain) > 0 and questions(dns, "abc.onion") == 0 and len(asked_of(other)) == before
        assert query("alone", "select name from dns") == [(plain,)]

        topic(seeds[:1], politeness=POLITENESS)
        before = len(asked_of(tor))
        scent("crawl", "topic.yaml", "-o", "none", *ask, status=1)
        assert query("none", "select error from url where url like '%/' and state = 'failed'")[0][0].startswith("forbidden")
        assert questions(dns, "abc.onion") == 0 and len(asked_of(tor)) == before
    web.stop()


@test
def they_are_read_again_when_a_crawl_goes_on():
    web = Web()
    os.mkdir("secrets")
    write_cookies("127.0.0.1")
    write_logins("127.0.0.1")
    topic([f"http://127.0.0.1:{web.port}/"])
    files = ["--cookies", "secrets/cookies.txt", "--logins", "secrets/logins.yaml", "--allow-private"]
    crawl("--pages", "2", *files)
    count = len(web.heads)
    done = crawl(*files)
    web.stop()
    assert len(web.heads) > count
    for name in ("authorization", "cookie"):
        assert all(headers.get(name) for _, _, headers, _ in web.heads), f"a request without {name}"
    assert find_secrets("out", done.stdout, done.stderr) == []


@test
def mistakes_are_named_and_their_secrets_are_not():
    os.mkdir("secrets")
    hush = SECRETS["password"]
    for ways, words in [
            (f"{{proxy: 'http://me:{hush}@127.0.0.1:1'}}", ("topic.yaml:3", "ways.proxy", "ways.logins", "SCENT_PROXY_LOGIN")),
            (f"{{onion: 'me:{hush}@127.0.0.1:1'}}", ("ways.onion", "ways.logins")),
            (f"{{logins: {{site.test: {{user: me, password: {hush}}}}}}}", ("topic.yaml:3", "ways.logins", "file of")),
            (f"{{cookies: [{hush}]}}", ("ways.cookies", "path of a file")),
            ("{proxy: 'ftp://x:1'}", ("http or socks5",)),
            ("{proxy: 'x:99999'}", ("HOST:PORT",)),
            ("{onion: 'http://127.0.0.1:1'}", ("SOCKS",)),
            ("{tor: x}", ("unknown key",)),
            ("{cookies: secrets/none.txt}", ("secrets/none.txt",)),
            ("{logins: secrets/none.yaml}", ("secrets/none.yaml",))]:
        topic(["http://127.0.0.1:1/"], ways=ways)
        done = scent("crawl", "topic.yaml", "-o", "out", "--allow-private", status=2)
        assert all(word in done.stderr for word in words), (ways, done.stderr)
        assert hush not in done.stderr, done.stderr
    topic([f"http://me:{hush}@127.0.0.1:1/"])
    done = scent("crawl", "topic.yaml", "-o", "out", status=2)
    assert "ways.logins" in done.stderr and hush not in done.stderr, done.stderr

    topic(["http://127.0.0.1:1/"], ways="{logins: secrets/logins.yaml}")
    for text, words in [
            (f"{hush}\n", ("logins.yaml:1", "hosts")),
            ("", ("empty",)),
            (f"hosts: {hush}\n", ("logins.yaml:1", "HOST")),
            (f"hosts:\n  a.test: me:{hush}\n", ("logins.yaml:2", "password: WORD")),
            (f"hosts:\n  a.test: {{user: 'a:b', password: {hush}}}\n", ("colons",)),
            (f"hosts:\n  a.test/x: {{user: a, password: {hush}}}\n", ("www.example.org",)),
            (f"hosts:\n  a.test: {{user: a, password: {hush}, pass: {hush}}}\n", ("unknown key",)),
            (f"hosts:\n  a.test: {{user: a, password: \"{hush}\n", ("logins.yaml:",)),
            (f"hosts:\n  a.test: {{user: a, password: [{hush}]}}\n", ("a text",))]:
        secret_file("secrets/logins.yaml", text)
        done = scent("crawl", "topic.yaml", "-o", "out", "--allow-private", status=2)
        assert all(word in done.stderr for word in words), (text, done.stderr)
        assert hush not in done.stderr, done.stderr
    topic(["http://127.0.0.1:1/"], ways="{cookies: secrets/cookies.txt}")
    secret_file("secrets/cookies.txt", f"127.0.0.1\t{hush}\n")
    done = scent("crawl", "topic.yaml", "-o", "out", "--allow-private", status=2)
    assert "cookies.txt:1" in done.stderr and hush not in done.stderr, done.stderr


@test
def files_that_others_can_read_are_named():
    web = Web()
    os.mkdir("secrets")
    write_cookies("127.0.0.1")
    write_logins("127.0.0.1")
    topic([f"http://127.0.0.1:{web.port}/"], ways="{cookies: secrets/cookies.txt, logins: secrets/logins.yaml}")
    os.chmod("secrets/logins.yaml", 0o644)
    done = crawl("--allow-private", "--pages", "1")
    web.stop()
    assert "chmod 600 secrets/logins.yaml" in done.stderr and "cookies.txt" not in done.stderr, done.stderr
    assert stat.S_IMODE(os.stat("secrets/logins.yaml").st_mode) == 0o644


finish()
