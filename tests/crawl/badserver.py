#!/usr/bin/env python3
"""A web server that misbehaves on purpose, each path in the way that its name says.

    badserver.py [--port PORT] [--seconds N] [--log FILE]

Listens on 127.0.0.1 (a free port by default), prints the port as one line on stdout, and ends when its stdin closes
or after N seconds (default 600), so that a test that dies leaves nothing behind. `/` links to every path. It also
serves as an HTTP proxy: absolute targets are answered as if they were its own, CONNECT opens a tunnel to loopback.
FILE gets a JSON object a line: {"target", "head"} for each request, as it came, and {"target", "sent"} with the
bytes of a body that was sent until the client hung up, for paths that tell.

To add a path, write a coroutine below `@path("/name")` with one line that says what it does wrong. It gets a Client:
`await client.send(bytes)` writes raw bytes, `await client.reply(body, ...)` a well-formed response. A coroutine that
returns leaves the connection open for the next request; `client.close()` and `client.reset()` end it.
Path names that end in "/" match everything below them; `client.rest` is what follows. Further arguments of `@path`
are appended to the name where `/` links to it; without any, the name itself is linked.
"""

import argparse
import asyncio
import gzip
import html
import json
import socket
import struct
import zlib

from ending import serve_until_end

PATHS = {}
EXAMPLES = {}
PAGE = b"<!doctype html><title>A page</title><p>Some text of a page.</p>\n"
MAX_HEAD = 64 * 1024


def path(name, *examples):
    def register(coroutine):
        PATHS[name] = coroutine
        EXAMPLES[name] = examples or [""]
        return coroutine
    return register


class Closed(Exception):
    """The handler has ended the connection."""


class Client:
    """One request on one connection."""

    def __init__(self, reader, writer, head, connection, request, note):
        self.reader, self.writer, self.head, self.note = reader, writer, head, note
        self.connection, self.request = connection, request  # numbers, from 1
        self.method, self.target = (head.split(b"\r\n")[0].decode("latin-1").split(" ") + ["", ""])[:2]
        self.path = self.target
        if "://" in self.target.partition("?")[0]:  # we are its proxy
            self.path = "/" + self.target.split("://", 1)[1].partition("/")[2]
        self.path, _, self.query = self.path.partition("?")
        self.rest = ""

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self, body=PAGE, status="200 OK", headers=(), kind="text/html"):
        lines = ["HTTP/1.1 " + status] + (["Content-Type: " + kind] if kind else [])
        lines += list(headers) + ["Content-Length: %d" % len(body)]
        await self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    def close(self):
        raise Closed

    def reset(self):
        """Ends with RST instead of FIN."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        raise Closed


# ---- connections that end too early

@path("/drop")
async def drop(client):
    """Closes without a byte."""
    client.close()


@path("/reset")
async def reset(client):
    """Resets without a byte."""
    client.reset()


@path("/drop-in-head")
async def drop_in_head(client):
    """Closes in the middle of a header line."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Half: abc")
    client.close()


@path("/drop-before-empty-line")
async def drop_before_empty_line(client):
    """Closes after the last header line, before the empty one."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
    client.close()


@path("/drop-in-body")
async def drop_in_body(client):
    """Closes in the middle of a chunk."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5\r\nfirst\r\n64\r\nsecond")
    client.close()


@path("/reset-in-body")
async def reset_in_body(client):
    """Resets in the middle of the body."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\npart")
    await asyncio.sleep(0.2)  # the bytes shall arrive before the reset discards them
    client.reset()


@path("/partial")
async def partial(client):
    """Announces 1000 bytes and sends 10."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n0123456789")
    client.close()


@path("/long")
async def long(client):
    """Announces 10 bytes and sends 20."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n01234567890123456789")
    client.close()


# ---- framing

@path("/broken-chunked")
async def broken_chunked(client):
    """The second chunk has no size."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5\r\nfirst\r\nnonsense\r\nsecond\r\n0\r\n\r\n")
    client.close()


@path("/endless-chunked")
async def endless_chunked(client):
    """Sends chunks for ever."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await client.send(b"400\r\n" + b"x" * 1024 + b"\r\n")


@path("/tiny-chunks")
async def tiny_chunks(client):
    """A page in chunks of one byte."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      + b"".join(b"1\r\n%c\r\n" % byte for byte in PAGE) + b"0\r\n\r\n")


@path("/chunk-extensions")
async def chunk_extensions(client):
    """Adds something to each chunk size (RFC 9112 section 7.1.1)."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5;name=value\r\nfirst\r\n6 ; x=\"y z\"\r\nsecond\r\n0;last\r\n\r\n")


@path("/endless-extension")
async def endless_extension(client):
    """A chunk extension that never ends: no byte of it is a byte of the body."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5\r\nfirst\r\n5;x=")
    while True:
        await client.send(b"y" * 16384)


@path("/huge-chunk")
async def huge_chunk(client):
    """Announces a chunk of 2^64 - 1 bytes."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5\r\nfirst\r\nffffffffffffffff\r\nsecond")
    client.close()


@path("/negative-chunk")
async def negative_chunk(client):
    """Announces a chunk of -5 bytes."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5\r\nfirst\r\n-5\r\nsecond\r\n0\r\n\r\n")
    client.close()


@path("/endless-trailers")
async def endless_trailers(client):
    """Sends header lines after the last chunk for ever."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5\r\nhello\r\n0\r\n")
    while True:
        await client.send(b"X-Trailer: late\r\n" * 100)


@path("/huge-length")
async def huge_length(client):
    """Announces 2^62 bytes and sends 5."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4611686018427387904\r\n\r\nhello")
    client.close()


@path("/overflow-length")
async def overflow_length(client):
    """Announces more bytes than a number holds and sends 5."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999999999999999999\r\n\r\n"
                      b"hello")
    client.close()


@path("/trailers")
async def trailers(client):
    """Sends header lines after the last chunk."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"5\r\nhello\r\n0\r\nX-Trailer: late\r\n\r\n")


@path("/length-and-chunked")
async def length_and_chunked(client):
    """Announces both a length and chunks (RFC 9112 section 6.3: chunks win)."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n"
                      b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    client.close()


@path("/two-lengths")
async def two_lengths(client):
    """Announces two different lengths."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nhello")
    client.close()


@path("/negative-length")
async def negative_length(client):
    """Announces a length of -5."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: -5\r\n\r\nhello")
    client.close()


@path("/transfer-gzip")
async def transfer_gzip(client):
    """Compresses as a transfer coding, which hardly anybody does."""
    packed = gzip.compress(PAGE, mtime=0)
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: gzip, chunked\r\n\r\n%x\r\n"
                      % len(packed) + packed + b"\r\n0\r\n\r\n")


@path("/transfer-unknown")
async def transfer_unknown(client):
    """Uses a transfer coding that does not exist."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: rot13\r\n\r\nhello")
    client.close()


# ---- time

@path("/hang")
async def hang(client):
    """Never answers."""
    await asyncio.sleep(3600)


@path("/slow-head")
async def slow_head(client):
    """Sends a header byte every 50 ms, for ever."""
    await client.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        await client.send(b"x")
        await asyncio.sleep(0.05)


@path("/slow-drip")
async def slow_drip(client):
    """Sends a body byte every 50 ms, for ever."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        await client.send(b"x")
        await asyncio.sleep(0.05)


@path("/hang-in-body")
async def hang_in_body(client):
    """Sends half of the body and falls silent."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\nhello")
    await asyncio.sleep(3600)


@path("/hesitate/", "10000")
async def hesitate(client):
    """/hesitate/N sends the first half of N bytes at once and the second half 200 ms later."""
    length = int(client.rest)
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % length
                      + b"x" * (length // 2))
    await asyncio.sleep(0.2)
    await client.send(b"x" * (length - length // 2))


@path("/delay/", "300")
async def delay(client):
    """/delay/MS answers after so many milliseconds."""
    await asyncio.sleep(int(client.rest) / 1000)
    await client.reply()


# ---- heads

@path("/garbage")
async def garbage(client):
    """Answers with bytes that are no HTTP."""
    await client.send(bytes(range(256)) * 8)
    client.close()


@path("/http09")
async def http09(client):
    """Answers with a body and no head."""
    await client.send(PAGE)
    client.close()


@path("/http10")
async def http10(client):
    """Speaks HTTP/1.0 and keeps the connection."""
    await client.send(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n"
                      % len(client.head) + client.head)


@path("/huge-header")
async def huge_header(client):
    """Sends one header line of 200 KB."""
    await client.reply(headers=["X-Huge: " + "x" * 200000])


@path("/many-headers")
async def many_headers(client):
    """Sends 20,000 header lines."""
    await client.reply(headers=["X-%d: y" % i for i in range(20000)])


@path("/many-short-headers")
async def many_short_headers(client):
    """Sends 5,000 header lines of 4 bytes."""
    await client.reply(headers=["a:"] * 5000)


@path("/endless-header")
async def endless_header(client):
    """A header line that never ends."""
    await client.send(b"HTTP/1.1 200 OK\r\nX-Endless: ")
    while True:
        await client.send(b"x" * 16384)


@path("/endless-status-line")
async def endless_status_line(client):
    """A status line that never ends."""
    await client.send(b"HTTP/1.1 200 ")
    while True:
        await client.send(b"x" * 16384)


@path("/interim")
async def interim(client):
    """Sends 100 and 103 before its 200."""
    await client.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n"
                      b"Content-Type: image/png\r\n\r\n")
    await client.reply()


@path("/interim-flood")
async def interim_flood(client):
    """Sends 103 for ever."""
    while True:
        await client.send(b"HTTP/1.1 103 Early Hints\r\nX-Hint: none\r\n\r\n" * 100)


@path("/slow-interim")
async def slow_interim(client):
    """Sends 100 every 50 ms, for ever."""
    while True:
        await client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        await asyncio.sleep(0.05)


@path("/switching")
async def switching(client):
    """Answers 101 to a client that asked for no other protocol, then a page."""
    await client.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n")
    await client.reply()
    client.close()


@path("/null-header")
async def null_header(client):
    """A header value with a NUL byte."""
    await client.reply(headers=["X-Null: a\0b"])


@path("/latin1-header")
async def latin1_header(client):
    """Header values in Latin-1."""
    await client.reply(headers=["X-Name: caf\xe9 \xa0\xff"])


@path("/obs-fold")
async def obs_fold(client):
    """Folds a header line (RFC 9112 section 5.2)."""
    await client.reply(headers=["X-Folded: one\r\n  two\r\n\tthree"])


@path("/fold-first")
async def fold_first(client):
    """Folds its first header line, which has nothing before it to belong to (RFC 9112 section 2.2)."""
    await client.send(b"HTTP/1.1 200 OK\r\n X-Folded: first\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE)


@path("/bare-lf")
async def bare_lf(client):
    """Ends its header lines with LF alone."""
    await client.send(b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 5\n\nhello")


@path("/no-reason")
async def no_reason(client):
    """A status line without a reason phrase."""
    await client.reply(status="200")


@path("/no-content-type")
async def no_content_type(client):
    """Does not say what it is."""
    await client.reply(kind=None)


@path("/odd-content-type")
async def odd_content_type(client):
    """Text/HTML in odd spelling, with parameters."""
    await client.reply(kind="  Text/HTML ; Charset=\"utf-8\"")


@path("/set-cookie")
async def set_cookie(client):
    """Sets a cookie that nobody shall send back."""
    await client.reply(client.head, headers=["Set-Cookie: id=1; Path=/"], kind="text/plain")


# ---- bodies

@path("/binary")
async def binary(client):
    """Every byte value, as application/octet-stream."""
    await client.reply(bytes(range(256)), kind="application/octet-stream")


@path("/gzip")
async def gzipped(client):
    """A page in gzip."""
    await client.reply(gzip.compress(PAGE, mtime=0), headers=["Content-Encoding: gzip"])


@path("/deflate")
async def deflated(client):
    """A page in deflate, with the zlib wrapper."""
    await client.reply(zlib.compress(PAGE), headers=["Content-Encoding: deflate"])


def brotli_stored(data):
    """RFC 7932: window size 16 (0), an uncompressed metablock, an empty last one. For data below 64 KiB."""
    header = 0 | 0 << 1 | 0 << 2 | (len(data) - 1) << 4 | 1 << 20  # WBITS, ISLAST, MNIBBLES = 4, MLEN - 1, ISUNCOMPRESSED
    return header.to_bytes(3, "little") + data + b"\x03"


@path("/br")
async def brotli(client):
    """A page in brotli."""
    await client.reply(brotli_stored(PAGE), headers=["Content-Encoding: br"])


def zstd_stored(data):
    """RFC 8878: one segment with its size, one raw block, the last. For data below 256 bytes."""
    return bytes.fromhex("28b52ffd20") + bytes([len(data)]) + (len(data) << 3 | 1).to_bytes(3, "little") + data


@path("/zstd")
async def zstd(client):
    """A page in zstd."""
    await client.reply(zstd_stored(PAGE), headers=["Content-Encoding: zstd"])


@path("/gzip-in-br")
async def gzip_in_br(client):
    """A page in gzip, and that in brotli."""
    await client.reply(brotli_stored(gzip.compress(PAGE, mtime=0)), headers=["Content-Encoding: gzip, br"])


@path("/gzip-chunked")
async def gzip_chunked(client):
    """A page in gzip, and that in chunks of 7 bytes."""
    packed = gzip.compress(PAGE, mtime=0)
    chunks = [packed[i:i + 7] for i in range(0, len(packed), 7)]
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
                      b"Transfer-Encoding: chunked\r\n\r\n"
                      + b"".join(b"%x\r\n" % len(chunk) + chunk + b"\r\n" for chunk in chunks) + b"0\r\n\r\n")


@path("/cut-gzip")
async def cut_gzip(client):
    """A long page in gzip whose second half is missing, though the length is right."""
    text = b"<p>" + b" ".join(b"word%d" % i for i in range(5000))
    packed = gzip.compress(PAGE + text, mtime=0)
    await client.reply(packed[:len(packed) // 2], headers=["Content-Encoding: gzip"])


@path("/unknown-encoding")
async def unknown_encoding(client):
    """A content encoding that nobody knows."""
    await client.reply(headers=["Content-Encoding: rot13"])


@path("/not-gzip")
async def not_gzip(client):
    """Says gzip and sends a plain page."""
    await client.reply(headers=["Content-Encoding: gzip"])


@path("/bomb")
async def bomb(client):
    """100 MB of zeros in 100 KB of gzip."""
    await client.reply(gzip.compress(bytes(100_000_000), compresslevel=6, mtime=0), headers=["Content-Encoding: gzip"])


@path("/size/", "1", "100000", "4000000")
async def size(client):
    """/size/N is a page of N bytes."""
    await client.reply(b"x" * int(client.rest))


@path("/endless")
async def endless(client):
    """A page without an announced length that never ends."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        await client.send(b"x" * 4096)


@path("/endless-image")
async def endless_image(client):
    """An image that never ends; a client that does not want images hangs up before the first byte of it."""
    sent = 0
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
    await asyncio.sleep(0.3)
    try:
        while True:
            await client.send(b"x" * 16384)
            sent += 16384
    finally:
        client.note(target=client.target, sent=sent)


@path("/empty")
async def empty(client):
    """No bytes."""
    await client.reply(b"")


# ---- well-behaved ones, to compare with

@path("/keepalive")
async def keepalive(client):
    """Says which request of which connection this is."""
    await client.reply(b"connection %d, request %d\n" % (client.connection, client.request), kind="text/plain")


@path("/close")
async def close(client):
    """A page whose end is the end of the connection."""
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + PAGE)
    client.close()


@path("/close-after")
async def close_after(client):
    """A page with a length, as if the connection stayed open; but it closes."""
    await client.reply()
    client.close()


@path("/status/", "204", "304", "400", "401", "403", "404", "410", "429", "500", "503", "600")
async def status(client):
    """/status/NNN answers with that status."""
    await client.reply(status=client.rest + " Said So")


FAILURES = {}


@path("/flaky/", "2")
async def flaky(client):
    """/flaky/N answers 503 to its first N requests."""
    FAILURES[client.path] = FAILURES.get(client.path, 0) + 1
    await client.reply(status="503 Busy" if FAILURES[client.path] <= int(client.rest) else "200 OK")


@path("/echo")
async def echo(client):
    """The request head, as it came."""
    await client.reply(client.head, kind="text/plain")


@path("/echo/", "caf%C3%A9?q=a%20b")
async def echo_below(client):
    """The request head, as it came, for any path below."""
    await client.reply(client.head, kind="text/plain")


@path("/redirect")
async def redirect(client):
    """Leads to /keepalive."""
    await client.reply(b"", status="302 Found", headers=["Location: /keepalive"])


@path("/redirect/", "3", "20")
async def redirect_chain(client):
    """/redirect/N leads to /redirect/N-1, the last one to /keepalive."""
    left = int(client.rest)
    target = "/redirect/%d" % (left - 1) if left > 1 else "/keepalive"
    await client.reply(b"", status="301 Moved Permanently", headers=["Location: " + target])


@path("/redirect-to", "?http://192.0.2.1/", "?mailto:nobody", "?http://[", "?/gzip")
async def redirect_to(client):
    """/redirect-to?URL leads anywhere."""
    await client.reply(b"", status="302 Found", headers=["Location: " + client.query])


@path("/loop")
async def loop(client):
    """Leads to itself."""
    await client.reply(b"", status="302 Found", headers=["Location: /loop"])


@path("/ping")
async def ping(client):
    """Leads to /pong."""
    await client.reply(b"", status="303 See Other", headers=["Location: pong"])


@path("/pong")
async def pong(client):
    """Leads to /ping."""
    await client.reply(b"", status="307 Temporary Redirect", headers=["Location: ./ping#fragment"])


@path("/redirect-nowhere")
async def redirect_nowhere(client):
    """A redirect without a Location."""
    await client.reply(b"", status="302 Found")


@path("/")
async def index(client):
    """Links to all the others; for everything below that has no name, 404."""
    if client.rest:
        await client.reply(b"no such path\n", status="404 Not Found", kind="text/plain")
        return
    items = ["<li><a href=\"%s\">%s</a>: %s" % (html.escape(name + example), name, html.escape(coroutine.__doc__))
             for name, coroutine in sorted(PATHS.items()) if name != "/" for example in EXAMPLES[name]]
    await client.reply(("<!doctype html><title>badserver</title><ul>\n" + "\n".join(items) + "</ul>\n").encode())


# ---- the server

async def tunnel(client):
    """CONNECT: to loopback only; a host named refused.test is refused."""
    host, _, port = client.target.rpartition(":")
    if host == "refused.test":
        await client.reply(b"no\n", status="403 Forbidden", kind="text/plain")
        client.close()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    await client.send(b"HTTP/1.1 200 Connection established\r\nX-Proxy: badserver\r\n\r\n")

    async def pump(source, sink):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
        sink.close()
    await asyncio.gather(pump(client.reader, writer), pump(reader, client.writer))
    client.close()


def handler_of(client):
    if client.method in ("BAD", "CONNECT"):
        return refuse if client.method == "BAD" else tunnel
    if client.path in PATHS:
        return PATHS[client.path]
    name = max((name for name in PATHS if name.endswith("/") and client.path.startswith(name)), key=len, default="/")
    client.rest = client.path[len(name):]
    return PATHS[name]


async def read_head(reader):
    first = await reader.readexactly(1)
    if not first.isalpha():
        return b"BAD / HTTP/1.1\r\n\r\n"  # TLS, most likely
    return first + await reader.readuntil(b"\r\n\r\n")


async def refuse(client):
    """What is no request gets the answer that most servers give, and the end."""
    await client.reply(b"bad request\n", status="400 Bad Request", kind="text/plain")
    client.close()


class Server:
    def __init__(self, log):
        self.connections = 0
        self.log = log

    def note(self, **what):
        if self.log:
            self.log.write(json.dumps(what) + "\n")
            self.log.flush()

    async def serve(self, reader, writer):
        self.connections += 1
        connection, request = self.connections, 0
        try:
            while True:
                head = await read_head(reader)
                request += 1
                client = Client(reader, writer, head, connection, request, self.note)
                self.note(target=client.target, head=head.decode("latin-1"))
                await handler_of(client)(client)
        except (Closed, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()


async def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--log", type=argparse.FileType("w"))
    options = parser.parse_args()
    server = await asyncio.start_server(Server(options.log).serve, "127.0.0.1", options.port, limit=MAX_HEAD,
                                        backlog=4096)
    await serve_until_end(server, options.seconds)


if __name__ == "__main__":
    asyncio.run(main())
