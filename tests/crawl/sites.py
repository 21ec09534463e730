"""Web servers on loopback for the crawl tests, in a thread of the test: they write down who came when.

    site = Site(answer, addresses=["127.0.0.1", "127.0.0.2"])
    site.port                                   the same on all addresses
    Site(answer, ports_each=10).hosts           or many ports, each of them a host: [(address, port)]
    site.log                                    the visits, in order of their ends
    site.stop()

`answer(visit)` returns an Answer; what it can do wrong is there too. Hosts are names of dnsserver.py, see name()."""

import asyncio
import dataclasses
import socket
import struct
import threading
import time


def name(address, label):
    """A host of this address, for whoever asks dnsserver.py."""
    return f"is.{bytes(map(int, address.split('.'))).hex()}.{label}.test"


@dataclasses.dataclass
class Answer:
    body: str = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: dict = dataclasses.field(default_factory=dict)
    wait: float = 0         # before the head
    cut: float = 1          # this part of the body comes, then the connection is reset
    drop: bool = False      # reset instead of an answer


@dataclasses.dataclass
class Visit:
    begin: float
    address: str
    port: int
    host: str               # as it was called
    path: str
    end: float = 0
    status: int = 0         # 0: the connection was lost before the answer was out
    reader: object = None   # while it is served


class Site:
    def __init__(self, answer, addresses=("127.0.0.1",), ports_each=1):
        self.answer, self.addresses = answer, addresses
        self.hosts, self.port, self.ports_each = [], 0, ports_each
        self.log, self.busy, self.connections, self.servers = [], {}, set(), []
        self.most = dict.fromkeys(addresses, 0)  # visits at once
        self.widest = 0                          # connections at once
        self.lag = []                            # (moment, seconds): when this thread did not run for so long
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.call(self.listen())
        self.watcher = asyncio.run_coroutine_threadsafe(self.watch_lag(), self.loop)

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(200)

    async def listen(self):
        places = self.hosts or [(address, 0) for address in self.addresses for _ in range(self.ports_each)]
        self.hosts = []
        for address, port in places:
            server = await asyncio.start_server(self.serve, address, port or self.port, backlog=512)
            self.servers.append(server)
            self.hosts.append(server.sockets[0].getsockname())
            self.port = self.hosts[0][1] if self.ports_each == 1 else 0

    async def watch_lag(self):
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.05)
            late = time.monotonic() - before - 0.05
            if late > 0.1:
                self.lag.append((before, late))

    async def close(self):
        """As the kernel does when the server is killed: nobody listens, and every connection is reset."""
        for server in self.servers:
            server.close()
        self.servers.clear()
        for writer in list(self.connections):
            reset(writer)

    def kill(self):
        self.call(self.close())

    def restart(self):
        self.call(self.listen())

    async def end(self):
        await self.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def stop(self):
        self.call(self.end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def serve(self, reader, writer):
        address, port = writer.get_extra_info("sockname")
        self.connections.add(writer)
        self.widest = max(self.widest, len(self.connections))
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.decode("latin-1").split("\r\n")
                fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
                visit = Visit(time.monotonic(), address, port, fields.get("host", "").split(":")[0],
                              lines[0].split(" ")[1])
                await self.visit(visit, reader, writer)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError, OSError):
            pass  # they went, or the test ends
        finally:
            self.connections.discard(writer)
            writer.close()

    async def visit(self, visit, reader, writer):
        self.busy[id(visit)] = visit
        visit.reader = reader
        self.most[visit.address] = max(self.most[visit.address],
                                       sum(each.address == visit.address and not each.reader.at_eof()  # they went
                                           for each in self.busy.values()))
        try:
            await self.send(visit, self.answer(visit), reader, writer)
        finally:
            del self.busy[id(visit)]
            visit.reader, visit.end = None, time.monotonic()
            self.log.append(visit)

    async def send(self, visit, answer, reader, writer):
        if answer.wait:
            await self.wait(answer.wait, reader)
        if answer.drop:
            reset(writer)
            raise ConnectionResetError
        body = answer.body.encode()
        fields = {"Content-Type": answer.kind, "Content-Length": len(body), **answer.headers}
        lines = "".join(f"{key}: {value}\r\n" for key, value in fields.items())
        writer.write(f"HTTP/1.1 {answer.status} .\r\n{lines}\r\n".encode())
        writer.write(body[:int(len(body) * answer.cut)])
        await writer.drain()
        if answer.cut < 1:
            await asyncio.sleep(0.05)  # a reset overtakes what was sent just before
            reset(writer)
            raise ConnectionResetError
        visit.status = answer.status

    async def wait(self, seconds, reader):
        """Waits, but not for somebody who has gone."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.sleep(min(0.1, seconds))
            if reader.at_eof() or reader.exception():
                raise ConnectionResetError


def reset(writer):
    """Closes a connection by a reset, as a crash does."""
    sock = writer.get_extra_info("socket")
    if sock and sock.fileno() >= 0:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
