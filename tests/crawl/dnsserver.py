#!/usr/bin/env python3
"""A name server that answers, or misbehaves, as the first label of a name says.

    dnsserver.py [--seconds N] [--address A]

Listens on 127.0.0.1, or A (UDP and TCP, a free port), prints the port as one line on stdout, and ends when its stdin closes
or after N seconds (default 600). Every name below every top-level domain exists:

    is.7f000001.0a000001.x.test     has these addresses: 8 hex digits an A record, 32 an AAAA record
    then.7f000001.0a000001.x.test   has the first address at the first question about A, the second one from then on
    nxdomain.x.test                 and so on: see BEHAVIOURS

Labels that name no behaviour and no address make a name different from others. A datagram "COUNT name" is answered with
the number of questions about A records of that name so far. After a datagram "WEATHER behaviour" all names behave like
that, until "WEATHER fine".
"""

import argparse
import asyncio
import collections
import re
import struct

from ending import serve_until_end

A, CNAME, AAAA = 1, 5, 28
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
LOOPBACK = bytes([127, 0, 0, 1])
PRIVATE = bytes([10, 0, 0, 1])

BEHAVIOURS = {}
ASKED = collections.Counter()
WEATHER = []  # the behaviour of all names


def behaviour(function):
    BEHAVIOURS[function.__name__.strip("_")] = function
    return function


class Question:
    def __init__(self, data):
        self.id, self.flags = struct.unpack("!HH", data[:4])
        labels, at = [], 12
        while data[at]:
            labels.append(data[at + 1:at + 1 + data[at]])
            at += 1 + data[at]
        self.labels = [label.decode("latin-1").lower() for label in labels]
        self.name = ".".join(self.labels)
        self.type = struct.unpack("!H", data[at + 1:at + 3])[0]
        self.wire = data[12:at + 5]

    def addresses(self):
        """Those in the labels, of the type that is asked for."""
        digits = {A: 8, AAAA: 32}.get(self.type, 0)
        return [bytes.fromhex(label) for label in self.labels if re.fullmatch("[0-9a-f]{%d}" % digits, label)]

    def record(self, data, ttl=300, kind=None, owner=b"\xc0\x0c"):
        return owner + struct.pack("!HHIH", kind or self.type, 1, ttl, len(data)) + data

    def answer(self, *records, rcode=NOERROR, flags=0x8180, id=None, wire=None):
        return struct.pack("!HHHHHH", self.id if id is None else id, flags | rcode, 1, len(records), 0, 0) + (
            wire or self.wire) + b"".join(records)

    def loopback(self, ttl=300):
        """127.0.0.1, and no AAAA record."""
        return self.answer(*[self.record(LOOPBACK, ttl)] if self.type == A else [])


def wire_name(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


# A behaviour yields the datagrams that it sends, or numbers: seconds to wait in between.

@behaviour
def is_(q, tcp):
    yield q.answer(*[q.record(address) for address in q.addresses()])


@behaviour
def then(q, tcp):
    addresses = q.addresses()
    yield q.answer(*[q.record(addresses[0 if ASKED[q.name] == 1 else 1])] if q.type == A else [])


@behaviour
def ok(q, tcp):
    yield q.loopback()


@behaviour
def nxdomain(q, tcp):
    yield q.answer(rcode=NXDOMAIN)


@behaviour
def nodata(q, tcp):
    yield q.answer()


@behaviour
def servfail(q, tcp):
    yield q.answer(rcode=SERVFAIL)


@behaviour
def refused(q, tcp):
    yield q.answer(rcode=REFUSED)


@behaviour
def timeout(q, tcp):
    """Says nothing."""
    yield 0


@behaviour
def lost(q, tcp):
    """The first question is lost on the way."""
    if ASKED[q.name] > 1 or q.type != A:
        yield q.loopback()


@behaviour
def late(q, tcp):
    yield 0.3
    yield q.loopback()


@behaviour
def mistaken(q, tcp):
    """Names an address where nobody is."""
    yield q.answer(*[q.record(bytes([127, 0, 0, 99]))] if q.type == A else [])


@behaviour
def ttl0(q, tcp):
    yield q.loopback(0)


@behaviour
def ttlmax(q, tcp):
    yield q.loopback(2**31 - 1)


@behaviour
def cname(q, tcp):
    """An alias of a name with an address, whose own time to live is longer."""
    target = wire_name("elsewhere.test")
    address = [q.record(LOOPBACK, 600, owner=target)] if q.type == A else []
    yield q.answer(q.record(target, 120, CNAME), *address)


@behaviour
def loop(q, tcp):
    """An alias of itself."""
    yield q.answer(q.record(q.wire[:-4], 300, CNAME))


@behaviour
def wrongid(q, tcp):
    """A forged answer comes first."""
    yield q.answer(q.record(PRIVATE), id=q.id ^ 1)
    yield q.loopback()


@behaviour
def wrongname(q, tcp):
    """The answer to another question comes first."""
    yield q.answer(q.record(PRIVATE), wire=wire_name("other.test") + q.wire[-4:])
    yield q.loopback()


@behaviour
def truncated(q, tcp):
    """Does not fit a datagram: the client comes again over TCP."""
    yield q.loopback() if tcp else q.answer(flags=0x8380)


@behaviour
def garbage(q, tcp):
    yield q.answer()[:2] + bytes(range(64))


@behaviour
def halfanswer(q, tcp):
    """Ends in the middle of its record."""
    yield q.answer(q.record(LOOPBACK))[:-2] if q.type == A else q.answer()


async def respond(data, send, tcp=False):
    question = Question(data)
    if question.type == A and not tcp:
        ASKED[question.name] += 1
    wanted = WEATHER[0] if WEATHER else question.labels[0] if question.labels else ""
    for step in BEHAVIOURS.get(wanted, nxdomain)(question, tcp):
        if isinstance(step, bytes):
            send(step)
        else:
            await asyncio.sleep(step)


class Datagrams(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        if data.startswith(b"COUNT "):
            self.transport.sendto(b"%d" % ASKED[data[6:].decode()], address)
        elif data.startswith(b"WEATHER "):
            WEATHER[:] = [] if data == b"WEATHER fine" else [data[8:].decode()]
            self.transport.sendto(b"so be it", address)
        else:
            asyncio.ensure_future(respond(data, lambda answer: self.transport.sendto(answer, address)))


async def serve_tcp(reader, writer):
    try:
        while True:
            length, = struct.unpack("!H", await reader.readexactly(2))
            data = await reader.readexactly(length)
            await respond(data, lambda answer: writer.write(struct.pack("!H", len(answer)) + answer), tcp=True)
    except (asyncio.IncompleteReadError, OSError):
        writer.close()


async def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--address", default="127.0.0.1")
    options = parser.parse_args()
    server = await asyncio.start_server(serve_tcp, options.address, 0)
    port = server.sockets[0].getsockname()[1]
    await asyncio.get_running_loop().create_datagram_endpoint(Datagrams, local_addr=(options.address, port))
    await serve_until_end(server, options.seconds)


if __name__ == "__main__":
    asyncio.run(main())
