#!/usr/bin/env python3
"""An HTTP/2 server that misbehaves as the first label of the host's name says.

    h2server.py CERTIFICATE KEY [--seconds N]

Listens on 127.0.0.1 (a free port, TLS with ALPN h2), prints the port as one line on stdout, and ends when its stdin
closes or after N seconds (default 600). https://goaway.h2.localhost:PORT/ is answered by the coroutine `goaway` below,
and so on: it runs once for each request. The names are told apart by SNI, so that no header needs to be decoded.
"""

import argparse
import asyncio
import ssl
import struct

from ending import serve_until_end

DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
ACK = END_STREAM = 1
END_HEADERS = 4
NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM = 0, 2, 7, 8, 11
STATUS_200, STATUS_103 = b"\x88", b"\x08\x03103"  # RFC 7541: an indexed field; a literal with an indexed name
HTML = b"\x0f\x10\x09text/html"
BEHAVIOURS = {}


def behaviour(coroutine):
    BEHAVIOURS[coroutine.__name__.replace("_", "-")] = coroutine
    return coroutine


def frame(kind, flags, stream, payload=b""):
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


def header(name, value):
    """A literal that is not indexed; for lengths below 127."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


class Client:
    """One stream of one connection."""

    def __init__(self, writer, stream):
        self.writer, self.stream = writer, stream

    async def send(self, kind, flags=0, payload=b"", stream=None, times=1):
        """Raises OSError when the client has gone: drain() alone would let an endless sender spin."""
        if self.writer.is_closing():
            raise ConnectionResetError
        self.writer.write(frame(kind, flags, self.stream if stream is None else stream, payload) * times)
        await self.writer.drain()
        await asyncio.sleep(0)

    async def reply(self):
        await self.send(HEADERS, END_HEADERS, STATUS_200 + HTML)
        await self.send(DATA, END_STREAM, b"hello")

    async def head(self, block):
        """A header block in as many frames as it needs."""
        parts = [block[at:at + 16000] for at in range(0, len(block), 16000)]
        for i, part in enumerate(parts):
            await self.send(CONTINUATION if i else HEADERS, END_HEADERS if i == len(parts) - 1 else 0, part)

    async def go_away(self, last, error):
        await self.send(GOAWAY, 0, struct.pack("!II", last, error), stream=0)


@behaviour
async def ok(client):
    await client.reply()


@behaviour
async def silent(client):
    """Takes the request and says nothing."""


@behaviour
async def drop(client):
    """Closes instead of an answer."""
    client.writer.close()


@behaviour
async def goaway(client):
    """Sends every client away."""
    await client.go_away(0, NO_ERROR)
    client.writer.close()


@behaviour
async def goaway_calm(client):
    """Complains about the client."""
    await client.go_away(client.stream, ENHANCE_YOUR_CALM)
    client.writer.close()


@behaviour
async def goaway_after(client):
    """Answers one request a connection."""
    await client.reply()
    await client.go_away(client.stream, NO_ERROR)


@behaviour
async def rst(client):
    await client.send(RST_STREAM, 0, struct.pack("!I", INTERNAL_ERROR))


@behaviour
async def refuse(client):
    """Invites the client to try again, every time."""
    await client.send(RST_STREAM, 0, struct.pack("!I", REFUSED_STREAM))


@behaviour
async def rst_in_body(client):
    await client.send(HEADERS, END_HEADERS, STATUS_200 + HTML)
    await client.send(DATA, 0, b"part")
    await client.send(RST_STREAM, 0, struct.pack("!I", CANCEL))


@behaviour
async def wrong_length(client):
    """Announces 10 bytes and sends 5."""
    await client.send(HEADERS, END_HEADERS, STATUS_200 + HTML + header(b"content-length", b"10"))
    await client.send(DATA, END_STREAM, b"hello")


@behaviour
async def huge_headers(client):
    """A header list of a megabyte."""
    await client.head(STATUS_200 + header(b"x", b"y" * 100) * 10000)


@behaviour
async def many_headers(client):
    """5,000 header fields."""
    await client.head(STATUS_200 + header(b"a", b"") * 5000)


@behaviour
async def hpack_bomb(client):
    """One field of 4,000 bytes goes into the table and is named 16,000 times by a byte each."""
    value = b"y" * 4000
    entry = b"\x40\x01x\x7f" + bytes([(len(value) - 127) % 128 | 128, (len(value) - 127) // 128]) + value
    await client.head(STATUS_200 + entry + b"\xbe" * 16000)


@behaviour
async def endless_continuation(client):
    """A header block that never ends."""
    await client.send(HEADERS, 0, STATUS_200)
    while True:
        await client.send(CONTINUATION, 0, header(b"x", b"y" * 100) * 100)


@behaviour
async def empty_continuation(client):
    """A header block that never ends, in frames of no bytes."""
    await client.send(HEADERS, 0, STATUS_200)
    while True:
        await client.send(CONTINUATION, times=1000)


@behaviour
async def interim_flood(client):
    """103 for ever."""
    while True:
        await client.send(HEADERS, END_HEADERS, STATUS_103 + header(b"x", b"y"))


@behaviour
async def settings_flood(client):
    while True:
        await client.send(SETTINGS, stream=0, times=1000)


@behaviour
async def ping_flood(client):
    while True:
        await client.send(PING, 0, bytes(8), stream=0, times=1000)


@behaviour
async def empty_data(client):
    """A body in frames of no bytes, for ever."""
    await client.send(HEADERS, END_HEADERS, STATUS_200 + HTML)
    while True:
        await client.send(DATA, times=1000)


@behaviour
async def endless(client):
    """A body that never ends; it minds no window, for the client will go before that is used up."""
    await client.send(HEADERS, END_HEADERS, STATUS_200 + HTML)
    while True:
        await client.send(DATA, 0, b"x" * 16000)


@behaviour
async def window_overflow(client):
    """Opens the client's window beyond 2^31 - 1."""
    for _ in range(3):
        await client.send(WINDOW_UPDATE, 0, struct.pack("!I", 2**31 - 1))
    await client.reply()


@behaviour
async def push(client):
    """Promises what nobody asked for."""
    await client.send(PUSH_PROMISE, END_HEADERS, struct.pack("!I", 2) + b"\x82\x84\x87\x41\x01a")
    await client.reply()


@behaviour
async def no_status(client):
    await client.send(HEADERS, END_HEADERS | END_STREAM, HTML)


@behaviour
async def bad_hpack(client):
    """Names an entry that the table does not have."""
    await client.send(HEADERS, END_HEADERS | END_STREAM, STATUS_200 + b"\xff\xff\x7f")


@behaviour
async def stream_zero(client):
    """Data on the stream that is none."""
    await client.send(DATA, 0, b"hello", stream=0)


@behaviour
async def long_frame(client):
    """A frame beyond the size that was agreed on."""
    await client.send(HEADERS, END_HEADERS, STATUS_200 + HTML)
    await client.send(DATA, END_STREAM, b"x" * 70000)


@behaviour
async def http1(client):
    """Answers in HTTP/1.1."""
    client.writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    await client.writer.drain()


@behaviour
async def garbage(client):
    client.writer.write(bytes(range(256)) * 100)
    await client.writer.drain()


async def talk(reader, writer, coroutine):
    tasks = []
    await reader.readexactly(24)
    writer.write(frame(SETTINGS, 0, 0))
    try:
        while True:
            head = await reader.readexactly(9)
            await reader.readexactly(int.from_bytes(head[:3], "big"))
            if head[3] == HEADERS:
                stream = int.from_bytes(head[5:9], "big")
                tasks.append(asyncio.ensure_future(coroutine(Client(writer, stream))))
            elif head[3] == SETTINGS and not head[4] & ACK:
                writer.write(frame(SETTINGS, ACK, 0))
    finally:
        for task in tasks:
            task.cancel()


async def serve(reader, writer):
    try:
        name = getattr(writer.get_extra_info("ssl_object"), "asked_for", "")
        await talk(reader, writer, BEHAVIOURS.get(name.partition(".")[0], ok))
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def note_name(socket, name, context):
    socket.asked_for = name or ""


async def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("certificate")
    parser.add_argument("key")
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    context.set_alpn_protocols(["h2"])
    context.sni_callback = note_name
    asyncio.get_running_loop().set_exception_handler(lambda loop, details: None)  # clients that leave are no news
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    await serve_until_end(server, options.seconds)


if __name__ == "__main__":
    asyncio.run(main())
