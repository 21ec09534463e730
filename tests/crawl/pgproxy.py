"""A proxy between workers and their PostgreSQL server, on a unix socket of its own: it makes each answer late, or cuts the
connection inside COMMIT, before the server has got it or after it has answered."""

import contextlib
import shutil
import socket
import tempfile
import threading
import time
from pathlib import Path

COMMIT = b"COMMIT\0"  # of the message Parse, as libpq sends it
READY = b"Z\0\0\0\x05"  # ReadyForQuery, behind the answer to each statement


class Proxy:
    """with Proxy(server, late=0.2) as proxy: … proxy.uri … proxy.cut("after") … proxy.cuts"""

    def __init__(self, server, late=0):
        self.target = str(server.folder / f".s.PGSQL.{server.port}")
        self.late, self.how, self.wait, self.cuts, self.lock = late, None, 0, 0, threading.Lock()
        self.folder = Path(tempfile.mkdtemp(prefix="px", dir="/tmp"))
        self.uri = f"postgresql://scent@/postgres?host={self.folder}&port={server.port}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / f".s.PGSQL.{server.port}"))
        self.listener.listen(64)

    def cut(self, how, wait=0):
        """A COMMIT, the next one or so many later: "before" it reaches the server, or "after" the server has answered it."""
        with self.lock:
            self.how, self.wait = how, wait

    def takes_cut(self):
        with self.lock:
            if self.how is None or self.wait > 0:
                self.wait -= 1
                return None
            how, self.how = self.how, None
            self.cuts += 1
        return how

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self.target)
                except OSError:
                    client.close()
                    continue
                silent = threading.Event()
                for pump in (self.send, self.answer):
                    threading.Thread(target=self.run, args=(pump, client, server, silent), daemon=True).start()

    def run(self, pump, client, server, silent):
        with contextlib.suppress(OSError):
            pump(client, server, silent)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def send(self, client, server, silent):
        while data := client.recv(1 << 16):
            how = self.takes_cut() if COMMIT in data else None
            if how == "before":
                return
            if how == "after":
                silent.set()
            server.sendall(data)

    def answer(self, client, server, silent):
        while data := server.recv(1 << 16):
            if silent.is_set() and READY in data:
                return
            if self.late:
                time.sleep(self.late)
            client.sendall(data)

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)
