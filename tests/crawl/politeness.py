#!/usr/bin/env python3
"""Politeness as the servers see it: 50 hosts on 5 loopback addresses, their clocks and their logs."""

import asyncio
import signal
import subprocess
import threading
import time
from collections import defaultdict

from crawling import SCENT, check_crawl, finish, query, scent, test, topic, urls

ADDRESSES = [f"127.0.0.{i}" for i in range(1, 6)]
PORTS_EACH = 10
PAGES = 4  # of a host, beside its index and what is forbidden
DELAY, PER_IP = 0.3, 3
# A busy machine lets a request wait before the server looks at its clock, and the next one seems near. So a few gaps may be
# short, but not many, and one that was late does not make all visits of a host take less time.
SLACK, LATE, FEW = 0.15, 0.6, 0.03


class Site:
    """Fifty small servers that write down who came when. Every fifth asks for a crawl delay."""

    CRAWL_DELAY = 1.0

    def __init__(self):
        self.log = []  # (begin, end, address, port, path)
        self.hosts = []
        self.ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.run, daemon=True).start()
        assert self.ready.wait(10)

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.listen())
        self.ready.set()
        self.loop.run_forever()

    async def listen(self):
        for address in ADDRESSES:
            for _ in range(PORTS_EACH):
                server = await asyncio.start_server(self.serve, address, 0)
                self.hosts.append((address, server.sockets[0].getsockname()[1]))

    def is_slow(self, address, port):
        return self.hosts.index((address, port)) % 5 == 0

    def answer(self, address, port, path):
        if path == "/robots.txt":
            delay = f"Crawl-delay: {self.CRAWL_DELAY:.0f}\n" if self.is_slow(address, port) else ""
            return "200 OK", "text/plain", f"User-agent: scent\nDisallow: /private\n{delay}"
        links = "".join(f'<a href="/{i}">{i}</a> ' for i in range(PAGES)) + '<a href="/private/x">x</a>'
        return "200 OK", "text/html", f"<html lang=en><title>{path}</title><p>Page {path} of {address} {port} {links}"

    async def serve(self, reader, writer):
        address, port = writer.get_extra_info("sockname")
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                begin, path = time.monotonic(), head.split()[1].decode()
                status, kind, body = self.answer(address, port, path)
                await asyncio.sleep(0.02)
                writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
                await writer.drain()
                self.log.append((begin, time.monotonic(), address, port, path))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def seeds(self):
        return [f"http://{address}:{port}/" for address, port in self.hosts]

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


def begins(site, key):
    times = defaultdict(list)
    for entry in sorted(site.log):
        times[key(entry)].append(entry[0])
    return times


def check_gaps(times, delay, at_once=1):
    """Of visits of which `at_once` may begin within `delay`: how many came too early."""
    least = (len(times) - at_once) // at_once * delay
    assert times[-1] - times[0] > least - LATE, f"{len(times)} visits within {times[-1] - times[0]:.3f} s, not {least:.1f}"
    return sum(last - first < delay - SLACK for first, last in zip(times, times[at_once:]))


def check_politeness(site):
    early = 0
    for (address, port), times in begins(site, lambda e: (e[2], e[3])).items():
        if site.is_slow(address, port):  # known from its robots.txt on
            early += check_gaps(times[1:], Site.CRAWL_DELAY)
        early += check_gaps(times, DELAY)
    for times in begins(site, lambda e: e[2]).values():
        early += check_gaps(times, DELAY, PER_IP)
    assert early <= FEW * len(site.log), f"{early} of {len(site.log)} visits came too early"
    for address in ADDRESSES:
        moments = sorted([(e[0], 1) for e in site.log if e[2] == address] + [(e[1], -1) for e in site.log if e[2] == address])
        busy = most = 0
        for _, change in moments:
            busy += change
            most = max(most, busy)
        assert most <= PER_IP, f"{address}: {most} visits at once"
    assert not [e for e in site.log if e[4].startswith("/private")], "a forbidden page was fetched"
    for host, entries in begins(site, lambda e: (e[2:4], e[4])).items():
        assert len(entries) == 1 or host[1] != "/robots.txt", f"{host} was read {len(entries)} times"


def write_topic(site):
    topic(site.seeds(), politeness=f"{{delay: {int(DELAY * 1000)}ms, per_host: 1, per_domain: 100, per_ip: {PER_IP}, retries: 0}}")


def everything(site):
    return {f"http://{a}:{p}/{path}" for a, p in site.hosts for path in ["", *map(str, range(PAGES))]}


@test
def no_host_and_no_address_is_visited_more_often_than_configured():
    site = Site()
    write_topic(site)
    scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q")
    site.stop()
    assert set(urls("out")) == everything(site)
    first = {}
    for entry in sorted(site.log):
        first.setdefault(entry[2:4], entry[4])
    assert set(first.values()) == {"/robots.txt"}, "robots.txt comes first"
    forbidden = query("out", "select count(*), min(error) from url where state = 'dropped'")
    assert forbidden == [(len(site.hosts), "robots.txt forbids it")], forbidden
    check_politeness(site)
    check_crawl("out")


@test
def a_restart_does_not_make_visits_come_nearer():
    site = Site()
    write_topic(site)
    command = [SCENT, "crawl", "topic.yaml", "--allow-private", "-o", "out", "-q"]
    for seconds in (1.5, 2.2, 2.9):
        child = subprocess.Popen(command)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
    scent(*command[1:])
    site.stop()
    assert set(urls("out")) == everything(site)
    # What was not committed when it was killed is fetched again, robots.txt too; how often that is bounded by the kills.
    seen = begins(site, lambda e: (e[2:4], e[4]))
    assert max(map(len, seen.values())) <= 4, "something is fetched again and again"
    again = {key for key, times in seen.items() if len(times) > 1}
    site.log = [entry for entry in site.log if not (entry[4] == "/robots.txt" and (entry[2:4], entry[4]) in again)]
    check_politeness(site)
    check_crawl("out")


finish()
