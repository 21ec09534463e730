#!/usr/bin/env python3
"""Names are looked up before their hosts are visited, a few ahead, while others hold everything up."""

import contextlib
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from crawling import SCENT, Server, Site, check_crawl, finish, html, query, scent, test, topic, urls
from sites import name

AGENT = "user_agent: 'scent/0.1 (+https://www.example.org/bot)'"
IN_FLIGHT, AHEAD, WAITING = 1024, 64, 150


class Names(Server):
    def __init__(self):
        super().__init__(sys.executable, Path(__file__).resolve().with_name("dnsserver.py"))

    def asked(self, host):
        """How often; asked until it answers: a thousand questions at once are more than fit in its socket."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(0.2)
            for _ in range(100):
                sock.sendto(f"COUNT {host}".encode(), ("127.0.0.1", self.port))
                with contextlib.suppress(TimeoutError):
                    return int(sock.recv(100))
        raise AssertionError("the name server says nothing")


def seeds(site, hosts):
    port = site.base.rsplit(":", 1)[1]
    return [f"http://{host}:{port}/" for host in hosts]


def start(dns, **options):
    return subprocess.Popen([SCENT, "crawl", "topic.yaml", "--allow-private", "--dns", f"127.0.0.1:{dns.port}", "-q",
                             "-o", "out"], **options)


def kill(child):
    child.send_signal(signal.SIGKILL)
    child.wait()


class Silence:
    """All of 127.0.0.0/8: takes connections, and says nothing."""

    def __init__(self):
        self.sock = socket.create_server(("0.0.0.0", 0), backlog=1024)
        self.port = self.sock.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()


@test
def a_few_names_are_asked_for_ahead():
    """As many hosts as may be under way do not answer. Of those behind them the next are looked up nevertheless, and no
    others before there is an answer. (The descriptors do not suffice for all that are under way: they wait inside.)"""
    busy = [f"127.0.{i // 250 + 1}.{i % 250 + 1}" for i in range(IN_FLIGHT)]
    behind = [f"timeout.g{i}.test" for i in range(WAITING)]
    with Names() as dns, Silence() as site:
        topic([f"http://{host}:{site.port}/" for host in busy + behind],
              politeness=f"{{delay: 0, retries: 0, {AGENT}}}")
        child = start(dns, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)))
        try:
            until = time.monotonic() + 30
            while time.monotonic() < until and sum(map(dns.asked, behind)) < AHEAD:
                time.sleep(0.05)
            time.sleep(0.3)  # were there no bound, the others would come now
            asked = [host for host in behind if dns.asked(host)]
        finally:
            kill(child)
        assert len(asked) == AHEAD, f"{len(asked)} names were asked for"


@test
def what_was_asked_for_ahead_is_visited_and_not_asked_for_again():
    good = [name("127.0.0.1", f"g{i}") for i in range(40)]
    broken = [f"nxdomain.b{i}.test" for i in range(10)]
    with Names() as dns, Site({"/": html("<p>here")}) as site:
        for number, host in enumerate(good):
            site.answers[f"/{number}"] = html(f"<p>{number} " + " ".join(f"{number}x{i}" for i in range(50)))
        port = site.base.rsplit(":", 1)[1]
        wanted = [f"http://{host}:{port}/{number}" for number, host in enumerate(good)]
        topic(wanted + seeds(site, broken), politeness=f"{{delay: 0, per_host: 1, per_ip: 2, retries: 0, {AGENT}}}")
        scent("crawl", "topic.yaml", "--allow-private", "--dns", f"127.0.0.1:{dns.port}", "-q", "-o", "out")
        assert sorted(urls("out")) == sorted(wanted)
        assert {dns.asked(host) for host in good} == {1}
        failed = query("out", "select distinct error from url where state = 'failed' and flags & 1")
        assert failed == [("the host does not answer (no such name)",)], failed
        check_crawl("out")


finish()
