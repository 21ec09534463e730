"""Servers that answer with mutated heads, bodies, chunks, encodings, redirects, robots.txt, sitemaps, HTTP/2 frames and
TLS records; and clients that send mutated requests to scent's own servers.

A crawl of such a server must end by itself, within its limits, and leave a directory in which `scent check` finds
nothing. They build on the misbehaving servers of tests/crawl: badserver.py and h2server.py."""

import asyncio
import contextlib
import gzip
import http.client
import random
import re
import select
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import zlib
from dataclasses import dataclass

import badserver
import h2server
from corpus import all_pages
from mutation import mutate, mutate_bytes, some_number
from table import Result
from watch import Child, Limits, run

HOSTS = 3
PAGES = list(all_pages().values())
TOPIC = """topic: hostile
seeds: [%s]
politeness: {delay: 0, per_host: 4, retries: 1, timeout: 3s, connect_timeout: 3s}
limits: {pages: 40, time: 12s, page_bytes: 256KiB}
relevant: '"hobbies"'
sitemaps: true
seed: 3
"""


# ---- what a server says ----

def links(dice, base=""):
    paths = [f"/page/{dice.randrange(100)}" for _ in range(4)]
    paths += [f"/{kind}/{dice.randrange(20)}" for kind in ("packed", "chunks", "away")]
    paths += [f"/status/{dice.choice((200, 204, 304, 404, 410, 429, 500, 503, 999))}", "/feed.xml"]
    return " ".join(f'<a href="{base}{path}">{path}</a>' for path in paths)


def response(status, headers, body):
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n", body


def page(dice):
    text = dice.choice(PAGES).replace("</body>", links(dice) + "</body>").encode()
    charset = dice.choice(("utf-8", "iso-8859-1", "utf-16", "shift_jis", "x-none", ""))
    head = [f"Content-Type: text/html{'; charset=' + charset if charset else ''}", f'ETag: "{dice.getrandbits(32)}"',
            "Last-Modified: Mon, 16 Nov 2026 05:00:00 GMT"]
    if dice.random() < .2:
        head.append(dice.choice(("X-Robots-Tag: noindex", "X-Robots-Tag: unavailable_after: 25 Jun 2010 15:00:00 PST",
                                 "Link: <http://h0.localhost/>; rel=canonical", "Refresh: 0; url=/page/1",
                                 "Set-Cookie: a=b")))
    return head, text.decode().encode("utf-16") if charset == "utf-16" else text


def packed(dice):
    head, text = page(dice)
    packer = dice.choice(("gzip", "deflate", "br", "zstd", "gzip, gzip"))
    short = text[:200]
    body = {"gzip": gzip.compress(text), "deflate": zlib.compress(text), "br": badserver.brotli_stored(text),
            "zstd": badserver.zstd_stored(short), "gzip, gzip": gzip.compress(gzip.compress(text))}[packer]
    return [*head, "Content-Encoding: " + packer], body


def robots(dice, host):
    rules = ["User-agent: *", "Disallow: /private", "Allow: /private/x$", "Crawl-delay: 0", "User-agent: scent",
             "Disallow: /*?q=*&x", "Disallow: /page/7", f"Sitemap: http://{host}/sitemap.xml",
             f"Sitemap: http://{host}/sitemap.xml.gz"]
    if dice.random() < .3:
        rules = dice.sample(rules, dice.randrange(1, len(rules)))
    return "\n".join(rules).encode() + b"\n"


def sitemap(dice, host):
    urls = "".join(f"<url><loc>http://{host}/page/{dice.randrange(1000)}</loc><lastmod>2026-01-0{n}</lastmod>"
                   f"<priority>0.{n}</priority></url>" for n in range(1, 9))
    index = "".join(f"<sitemap><loc>http://{host}/sitemap{n}.xml</loc></sitemap>" for n in range(4))
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    whole = f"<urlset {space}>{urls}</urlset>"
    if dice.random() < .3:
        whole = f"<sitemapindex {space}>{index}</sitemapindex>"
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + whole.encode()


def in_chunks(body, dice):
    out, at = b"", 0
    while at < len(body):
        size = dice.choice((1, 7, 100, 4000))
        part = body[at:at + size]
        out += b"%x%s\r\n" % (len(part), dice.choice((b"", b"", b";name=value", b" "))) + part + b"\r\n"
        at += size
    return out + b"0\r\n" + dice.choice((b"", b"Trailer: x\r\n")) + b"\r\n"


def answer(path, host, dice):
    """(head, body) of a sound answer."""
    if path == "/robots.txt":
        return response("200 OK", ["Content-Type: text/plain"], robots(dice, host))
    if path.startswith("/sitemap"):
        body = sitemap(dice, host)
        body = gzip.compress(body) if path.endswith(".gz") else body
        return response("200 OK", ["Content-Type: application/xml"], body)
    if path == "/feed.xml":
        feed = b"<rss><channel><item><link>/page/1</link></item></channel></rss>"
        return response("200 OK", ["Content-Type: application/rss+xml"], feed)
    if path.startswith("/away"):
        target = dice.choice((f"/page/{dice.randrange(100)}", f"/away/{dice.randrange(20)}", f"//{host}/", "?x",
                              "http://192.0.2.1/", "mailto:x"))
        status = dice.choice(("301 Moved", "302 Found", "303 See", "307 T", "308 P"))
        return response(status, ["Location: " + target], b"")
    if path.startswith("/status/"):
        wait = dice.choice(("1", str(some_number(dice)), "Mon, 16 Nov 2026 05:00:00 GMT"))
        return response(f"{path[8:11]} Said So", ["Retry-After: " + wait], b"no")
    head, body = packed(dice) if path.startswith("/packed") else page(dice)
    if path.startswith("/chunks"):
        text = "\r\n".join(["HTTP/1.1 200 OK", *head, "Transfer-Encoding: chunked"]).encode()
        return text + b"\r\n\r\n", in_chunks(body, dice)
    return response("200 OK", head, body)


# ---- servers ----

class Listener:
    """A server on a free port of loopback in a thread of its own; `with` ends it."""

    def __init__(self, serve, context=None):
        self.serve, self.context, self.ready = serve, context, threading.Event()
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda loop, details: None)  # clients that leave are no news
        self.thread = threading.Thread(target=self.listen, daemon=True)

    def listen(self):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.guarded, "127.0.0.1", 0, ssl=self.context,
                                                                   limit=1 << 17))
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))

    async def guarded(self, reader, writer):
        try:
            await self.serve(reader, writer)
        except (OSError, badserver.Closed, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            writer.close()

    def __enter__(self):
        self.thread.start()
        assert self.ready.wait(200)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)


class Asked:
    """How often each path was asked for, so that a path's first, second, … answer is the same in every run."""

    def __init__(self, name):
        self.name, self.times = name, {}

    def dice(self, path):
        self.times[path] = self.times.get(path, 0) + 1
        return random.Random(f"{self.name} {path} {self.times[path]}")


async def send_oddly(writer, data, dice):
    """In pieces of any size; at the end the connection stays, or closes, or is reset."""
    if dice.random() < .5:
        cuts = sorted(dice.randrange(len(data) + 1) for _ in range(dice.choice((1, 3, 20))))
        for begin, end in zip([0, *cuts], [*cuts, len(data)]):
            writer.write(data[begin:end])
            await writer.drain()
            await asyncio.sleep(dice.choice((0, 0, .001)))
    else:
        writer.write(data)
        await writer.drain()
    way = dice.random()
    if way < .1:
        writer.transport.abort()
    if way < .4:
        raise badserver.Closed


def spoil(what, path, head, body, dice):
    """One part of an answer, as the target wants it; half of the answers stay sound so that a crawl finds its way."""
    special = {"robots.txt": "/robots.txt", "sitemaps": "/sitemap", "redirects": "/away", "chunks": "/chunks"}.get(what)
    if special and not path.startswith(special) or dice.random() < .4:
        return head + body
    if what in ("heads", "redirects"):
        return mutate_bytes(head, dice) + body
    if what in ("chunks", "anything"):
        return head + mutate_bytes(body, dice) if dice.random() < .7 else mutate_bytes(head + body, dice)
    body = mutate(body, dice)
    return re.sub(rb"(?i)(content-length: *)[0-9]+", rb"\g<1>%d" % len(body), head) + body


def plain_server(what, asked):
    async def serve(reader, writer):
        while True:
            request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = (request.split(" ") + ["", ""])[1]
            dice = asked.dice(path)
            host = re.search(r"(?i)\r\nhost: *([^\r]*)", request)
            await send_oddly(writer, spoil(what, path, *answer(path, host[1] if host else "x", dice), dice), dice)
    return serve


class HostileClient(badserver.Client):
    """What a path of badserver.py sends, now and then mutated."""

    async def send(self, data):
        if self.writer.is_closing():
            raise badserver.Closed
        await super().send(mutate_bytes(data, self.dice) if self.dice.random() < .3 else data)


def misbehaving_server(asked):
    async def serve(reader, writer):
        number = 0
        while True:
            head, number = await badserver.read_head(reader), number + 1
            client = HostileClient(reader, writer, head, 1, number, lambda **_: None)
            client.dice = asked.dice(client.target)
            await badserver.handler_of(client)(client)
    return serve


class HostileStream(h2server.Client):
    """What a behaviour of h2server.py sends, now and then with other flags, streams, lengths and payloads."""

    def __init__(self, client, dice):
        super().__init__(client.writer, client.stream)
        self.dice = dice

    async def send(self, kind, flags=0, payload=b"", stream=None, times=1):
        dice = self.dice
        if dice.random() < .25:
            kind = dice.randrange(12) if dice.random() < .4 else kind
            flags = dice.randrange(256) if dice.random() < .4 else flags
            stream = some_number(dice) & 0x7fffffff if dice.random() < .3 else stream
            payload = mutate_bytes(payload, dice)[:1 << 14] if dice.random() < .6 else payload
        await super().send(kind, flags, payload, stream, times)


def h2_server(asked):
    async def serve(reader, writer):
        name = getattr(writer.get_extra_info("ssl_object"), "asked_for", "").partition(".")[0]
        behaviour = h2server.BEHAVIOURS.get(name, h2server.ok)
        await h2server.talk(reader, writer, lambda client: behaviour(HostileStream(client, asked.dice(name))))
    return serve


def tls_tamperer(port, asked):
    """Between client and server: records of TLS are changed on their way."""
    async def serve(reader, writer):
        dice = asked.dice("connection")
        inner, outer = await asyncio.open_connection("127.0.0.1", port)

        async def pump(source, sink, changes):
            while data := await source.read(65536):
                sink.write(mutate_bytes(data, dice) if changes and dice.random() < .3 else data)
                await sink.drain()
            sink.close()
        await asyncio.gather(pump(reader, outer, False), pump(inner, writer, dice.random() < .8))
    return serve


# ---- attacks on a crawl ----

@dataclass
class Crawled:
    """A crawl of hostile servers, and what it left."""
    what: str

    @property
    def name(self):
        return f"server, {self.what}"

    def attack(self, seed, number, place):
        asked, result = Asked(f"{seed} {self.name} {number}"), Result(self.name)
        place.fill()
        with contextlib.ExitStack() as stack:
            seeds, more = self.start(stack, asked, place)
            (place.here / "hostile.yaml").write_text(TOPIC % ", ".join(f"'{url}'" for url in seeds))
            commands = [["crawl", "hostile.yaml", "--allow-private", "-q", "-o", "out", *more], ["check", "out"],
                        ["status", "out"], ["export", "out"]]
            for command in commands:
                outcome = run([place.program, *command], place.here, Limits(90))
                result.add(outcome)
                fault = outcome.fault()
                if not fault and command[0] == "crawl" and outcome.status not in (0, 1):
                    fault = "wrong", f"exit status {outcome.status}: {outcome.stderr.decode(errors='replace')[-200:]}"
                elif not fault and command[0] == "check" and outcome.status:
                    fault = "wrong", "check: " + outcome.stdout.decode(errors="replace")[:300]
                elif not fault and command[0] == "status" and b"\x1b" in outcome.stdout:
                    fault = "wrong", "an escape sequence reaches the terminal"
                if fault:
                    place.keep(result, number, fault, [command], outcome, {}, place.here)
                    break
        return result

    def start(self, stack, asked, place):
        """(seeds, further options of crawl)"""
        if self.what == "misbehaving paths":
            port = stack.enter_context(Listener(misbehaving_server(asked))).port
            paths = [name + example for name in badserver.PATHS for example in badserver.EXAMPLES[name] if name != "/"]
            chosen = asked.dice("paths").sample(paths, 12)
            return [f"http://h{n}.localhost:{port}{path}".replace(" ", "%20") for n, path in enumerate(chosen)], []
        if self.what in ("HTTP/2 frames", "TLS records"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(place.here / "tls/server.pem", place.here / "tls/server.key")
            context.sni_callback = h2server.note_name
            more = ["--ca-file", "tls/ca.pem"]
            if self.what == "HTTP/2 frames":
                context.set_alpn_protocols(["h2"])
                port = stack.enter_context(Listener(h2_server(asked), context)).port
                names = asked.dice("names").sample(sorted(h2server.BEHAVIOURS), 8)
                return [f"https://{name}.h2.localhost:{port}/" for name in names], more
            inner = stack.enter_context(Listener(plain_server("anything", asked), context)).port
            port = stack.enter_context(Listener(tls_tamperer(inner, asked))).port
            return [f"https://h{n}.h2.localhost:{port}/page/{n}" for n in range(HOSTS)], more
        port = stack.enter_context(Listener(plain_server(self.what, asked))).port
        return [f"http://h{n}.localhost:{port}/page/{n}" for n in range(HOSTS)], []


# ---- attacks on scent's own servers ----

REQUESTS = {
    "web serve": ["GET http://person.test/1 HTTP/1.1\r\nHost: person.test\r\nAccept-Encoding: gzip\r\n\r\n",
                  "GET / HTTP/1.1\r\nHost: university.test\r\nIf-None-Match: \"x\"\r\nRange: bytes=0-9\r\n\r\n",
                  "HEAD /robots.txt HTTP/1.0\r\n\r\n", "CONNECT person.test:443 HTTP/1.1\r\nHost: x\r\n\r\n",
                  "POST /1 HTTP/1.1\r\nHost: person.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                  "GET /?q=person+1&host=person.test&order=date&page=2&collection=1 HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n",
                  "GET /hosts?q=%C3%A4&page=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nSec-Fetch-Site: cross-site\r\n\r\n",
                  "GET /page/20261116/http://person.test/1?a#b HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
                  "GET /replay/{token}.1/0/http://person.test/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                  "Sec-Fetch-Dest: iframe\r\n\r\n",
                  "GET /bar/{token}.1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
                  "GET /file/{token}/0/http://person.test/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"],
    "browse record": ["POST /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                      "Content-Type: application/json\r\nContent-Length: 77\r\n\r\n"
                      '{{"visit": "http://a.test/", "time": "2026-11-15T08:58:00.250Z", "title": "A b"}} ',
                      "GET /status HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {token}\r\n"
                      "Origin: moz-extension://abc\r\n\r\n",
                      "OPTIONS /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://a.test\r\n\r\n"],
}


def find_token(port, line):
    """Of the recorder, whose first line has it; of the viewer, whose pages do."""
    if "#" in line:
        return line.strip().partition("#")[2]
    with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as link:
        link.request("GET", "/page/0/http://person.test/1")
        return re.search(rb"/replay/(\w+)", link.getresponse().read())[1].decode()
    return "0" * 32


def send_request(port, data, dice):
    """Sends, and takes what comes; who hangs on purpose is left after a moment."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as link:
        link.settimeout(dice.choice((.05, .2)))
        link.sendall(data)
        if dice.random() < .3:
            link.shutdown(socket.SHUT_WR)
        while link.recv(65536):
            pass


@dataclass
class Serving:
    """Mutated requests to a server of scent's own."""
    command: str
    options: list

    @property
    def name(self):
        return f"requests to {self.command}"

    def attack(self, seed, number, place):
        dice, result = random.Random(f"{seed} {self.name} {number}"), Result(self.name)
        place.fill()
        words = [*self.command.split(), *self.options]
        child = Child([place.program, *words], place.here, Limits(120), stdout=subprocess.PIPE)
        ready = select.select([child.process.stdout], [], [], 60)[0]
        line = child.process.stdout.readline().decode() if ready else ""
        sent = []
        if line:
            port = int(re.search(r":([0-9]+)", line)[1])
            token = find_token(port, line)
            for _ in range(25):
                request = dice.choice(REQUESTS[self.command]).format(port=port, token=token).encode()
                sent.append(mutate_bytes(request, dice) if dice.random() < .9 else request)
                send_request(port, sent[-1], dice)
        with contextlib.suppress(ProcessLookupError):
            child.process.send_signal(signal.SIGTERM)
        outcome = child.end()
        child.process.stdout.close()
        result.add(outcome)
        result.runs += len(sent) - 1
        fault = outcome.fault()
        if not fault and (not line or outcome.status):
            fault = "wrong", f"exit status {outcome.status}" if line else "it does not listen"
        if fault:
            place.keep(result, number, fault, [words], outcome, {f"request{n}": data for n, data in enumerate(sent)})
        return result


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_certificates(folder):
    """An authority, and its certificate for all names below h2.localhost."""
    folder.mkdir()
    names = ("ca.key", "ca.pem", "server.key", "server.csr", "server.pem", "names")
    path = {name: str(folder / name) for name in names}
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", path["ca.key"], "-out", path["ca.pem"], "-days", "2", "-subj", "/CN=ca")
    openssl("req", *key, "-keyout", path["server.key"], "-out", path["server.csr"], "-subj", "/CN=localhost")
    (folder / "names").write_text("subjectAltName = DNS:*.h2.localhost\n")
    openssl("x509", "-req", "-in", path["server.csr"], "-CA", path["ca.pem"], "-CAkey", path["ca.key"], "-days", "2",
            "-CAcreateserial", "-extfile", path["names"], "-out", path["server.pem"])


def targets(sources):
    """All of them; those with TLS need the command openssl, which makes their certificates beside the corpus."""
    kinds = ["heads", "bodies", "chunks", "redirects", "robots.txt", "sitemaps", "misbehaving paths"]
    if shutil.which("openssl"):
        make_certificates(sources / "tls")
        kinds += ["HTTP/2 frames", "TLS records"]
    return [*map(Crawled, kinds), Serving("web serve", ["plain"]),
            Serving("browse record", ["-q", "-o", "recorded.jsonl"])]
