#!/usr/bin/env python3
"""Servers that invite to send a request again at once: it is sent again after the delay, as the servers count."""

import asyncio
import shutil
import ssl
import struct
import subprocess
import time

from crawling import Skip, beside, check_crawl, finish, query, scent, topic, urls
from h2server import END_HEADERS, END_STREAM, HEADERS, RST_STREAM, talk
from sites import Site

STATUS_404 = b"\x8d"
REFUSED_STREAM, HTTP_1_1_REQUIRED = 7, 13
LINKS = "".join(f"<a href=/{i}>{i}</a>" for i in range(3))


class Hasty(Site):
    """Answers the first request of a connection, keeps it open, and closes it upon the second."""

    def __init__(self):
        super().__init__(None)
        self.asked = []

    async def serve(self, reader, writer):
        try:
            for turn in range(2):
                path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
                self.asked.append((time.monotonic(), path))
                if turn:
                    break
                body = "" if path == "/robots.txt" else f"<title>{path}</title><p>Page {path} {LINKS}"
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        except (asyncio.IncompleteReadError, OSError):
            pass
        writer.close()


@beside
def a_request_that_met_a_closing_connection_is_sent_again_in_its_time():
    site, delay = Hasty(), 0.4
    topic([f"http://127.0.0.1:{site.port}/"], politeness="{delay: 400ms, retries: 0}", strategy="breadth-first")
    scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q")
    site.stop()
    paths = ["/robots.txt", "/", "/0", "/1", "/2"]
    # All pages came, though failures are not retried: it was nobody's fault.
    assert {url.rpartition("/")[2] for url in urls("out")} == {path[1:] for path in paths[1:]}
    asked = [path for _, path in site.asked]
    assert asked == [paths[0], *(path for path in paths[1:] for _ in range(2))], asked
    # Half of the time would do if two of them came at once; the first may be written down late.
    took, least = site.asked[-1][0] - site.asked[0][0], (len(asked) - 1) * delay
    assert took > 0.8 * least, f"{len(asked)} requests within {took:.2f} s, not {least:.2f}"
    check_crawl("out")


class Picky(Site):
    """Speaks HTTP/2: has no robots.txt, and resets every other stream with `error`; HTTP/1.1 is answered."""

    def __init__(self, error):
        if not shutil.which("openssl"):
            raise Skip("there is no openssl")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain("cert.pem", "key.pem")
        self.context.set_alpn_protocols(["h2", "http/1.1"])
        self.error, self.asked = error, []
        super().__init__(None)

    async def listen(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context)
        self.servers.append(server)
        self.port = server.sockets[0].getsockname()[1]

    async def answer_stream(self, client):
        self.asked.append("h2")
        if len(self.asked) == 1:
            await client.send(HEADERS, END_HEADERS | END_STREAM, STATUS_404)
        else:
            await client.send(RST_STREAM, 0, struct.pack("!I", self.error))

    async def serve(self, reader, writer):
        try:
            if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
                await talk(reader, writer, self.answer_stream)
            while True:
                path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
                self.asked.append(path)
                body = f"<title>{path}</title><p>Page {path} {LINKS}"
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        except (asyncio.IncompleteReadError, OSError):
            pass
        writer.close()

    def crawl(self, status=0):
        topic([f"https://localhost:{self.port}/"], politeness="{delay: 50ms, retries: 2}", strategy="breadth-first")
        scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q", "--ca-file", "cert.pem", status=status)
        self.stop()
        check_crawl("out")


@beside
def a_stream_that_is_refused_is_a_visit_that_failed():
    site = Picky(REFUSED_STREAM)
    site.crawl(status=1)  # nothing came
    assert site.asked == ["h2"] * 4, site.asked  # robots.txt, and the seed with two retries
    assert query("out", "select error from url where state = 'failed' and flags = 1") == [
        ("connection closed: the server refused the request",)]


@beside
def who_wants_the_old_version_is_asked_in_it():
    site = Picky(HTTP_1_1_REQUIRED)
    site.crawl()
    assert site.asked == ["h2", "h2", "/", "/0", "/1", "/2"], site.asked
    assert len(urls("out")) == 4


finish()
