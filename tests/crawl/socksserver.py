#!/usr/bin/env python3
"""A SOCKS5 proxy (RFC 1928) whose every way leads to 127.0.0.1.

    socksserver.py [--login USER:PASSWORD] [--seconds N]

Listens on 127.0.0.1 (a free port), prints the port as one line on stdout, and ends when its stdin closes or after N
seconds (default 600). Whatever host is asked for, the connection goes to that port of loopback; hosts whose name begins
with "refused" are refused. A client that says "ASKED" instead of SOCKS gets a line a request so far: "name HOST PORT"
or "address IP PORT".
"""

import argparse
import asyncio
import socket
import struct

from ending import serve_until_end

ASKED = []


async def read_host(reader, kind):
    if kind == 3:
        return "name", (await reader.readexactly((await reader.readexactly(1))[0])).decode("latin-1")
    family, length = (socket.AF_INET, 4) if kind == 1 else (socket.AF_INET6, 16)
    return "address", socket.inet_ntop(family, await reader.readexactly(length))


async def log_in(reader, writer, login):
    """RFC 1929."""
    await reader.readexactly(1)
    user = await reader.readexactly((await reader.readexactly(1))[0])
    password = await reader.readexactly((await reader.readexactly(1))[0])
    good = (user + b":" + password).decode("latin-1") == login
    writer.write(bytes([1, 0 if good else 1]))
    return good


async def pump(source, sink):
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    except OSError:
        pass
    sink.close()


async def talk(reader, writer, login):
    if await reader.readexactly(1) != b"\x05":
        writer.write("".join("%s %s %d\n" % asked for asked in ASKED).encode())
        return
    methods = await reader.readexactly((await reader.readexactly(1))[0])
    method = 2 if login else 0
    writer.write(bytes([5, method if method in methods else 0xff]))
    if method not in methods or (login and not await log_in(reader, writer, login)):
        return
    _, _, _, kind = await reader.readexactly(4)
    what, host = await read_host(reader, kind)
    port, = struct.unpack("!H", await reader.readexactly(2))
    ASKED.append((what, host, port))
    if host.startswith("refused"):
        writer.write(b"\x05\x05\x00\x01" + bytes(6))
        return
    up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"\x05\x00\x00\x01" + bytes(6))
    await asyncio.gather(pump(reader, up_writer), pump(up_reader, writer))


async def serve(reader, writer, login):
    try:
        await talk(reader, writer, login)
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--login")
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    server = await asyncio.start_server(lambda reader, writer: serve(reader, writer, options.login), "127.0.0.1", 0)
    await serve_until_end(server, options.seconds)


if __name__ == "__main__":
    asyncio.run(main())
