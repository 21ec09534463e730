#!/usr/bin/env python3
"""Politeness as the servers see it: 50 hosts on 5 loopback addresses, their clocks and their logs."""

import re
import signal
import socket
import subprocess
from collections import defaultdict

from crawling import SCENT, beside, check_crawl, finish, query, scent, topic, urls
from sites import Answer, Site

ADDRESSES = [f"127.0.0.{i}" for i in range(1, 6)]
PORTS_EACH = 10
PAGES = 4  # of a host, beside its index and what is forbidden
DELAY, PER_IP = 0.3, 3
# A busy machine lets a request wait before the server looks at its clock, and the next one seems near. So a few gaps may be
# short, but not many, and one that was late does not make all visits of a host take less time.
SLACK, LATE, FEW = 0.15, 0.6, 0.03


class Hosts(Site):
    """Fifty small hosts. Every fifth asks for a crawl delay."""

    CRAWL_DELAY = 1.0

    def __init__(self):
        super().__init__(self.answer_to, ADDRESSES, PORTS_EACH)

    def is_slow(self, address, port):
        return self.hosts.index((address, port)) % 5 == 0

    def answer_to(self, visit):
        if visit.path == "/robots.txt":
            delay = f"Crawl-delay: {self.CRAWL_DELAY:.0f}\n" if self.is_slow(visit.address, visit.port) else ""
            return Answer(f"User-agent: scent\nDisallow: /private\n{delay}", kind="text/plain", wait=0.02)
        links = "".join(f'<a href="/{i}">{i}</a> ' for i in range(PAGES)) + '<a href="/private/x">x</a>'
        text = f"Page {visit.path} of {visit.address} {visit.port}"
        return Answer(f"<html lang=en><title>{visit.path}</title><p>{text} {links}", wait=0.02)

    def seeds(self):
        return [f"http://{address}:{port}/" for address, port in self.hosts]


def begins(site, key):
    times = defaultdict(list)
    for visit in sorted(site.log, key=lambda visit: visit.begin):
        times[key(visit)].append(visit.begin)
    return times


def place(visit):
    return (visit.address, visit.port), visit.path


def check_gaps(times, delay, at_once=1):
    """Of visits of which `at_once` may begin within `delay`: how many came too early."""
    least = (len(times) - at_once) // at_once * delay
    assert times[-1] - times[0] > least - LATE, f"{len(times)} visits within {times[-1] - times[0]:.3f} s, not {least:.1f}"
    return sum(last - first < delay - SLACK for first, last in zip(times, times[at_once:]))


def check_politeness(site):
    early = 0
    for (address, port), times in begins(site, lambda visit: (visit.address, visit.port)).items():
        if site.is_slow(address, port):  # known from its robots.txt on
            early += check_gaps(times[1:], Hosts.CRAWL_DELAY)
        early += check_gaps(times, DELAY)
    for times in begins(site, lambda visit: visit.address).values():
        early += check_gaps(times, DELAY, PER_IP)
    assert early <= FEW * len(site.log), f"{early} of {len(site.log)} visits came too early"
    for address, most in site.most.items():
        assert most <= PER_IP, f"{address}: {most} visits at once"
    assert not [visit for visit in site.log if visit.path.startswith("/private")], "a forbidden page was fetched"
    for host, entries in begins(site, place).items():
        assert len(entries) == 1 or host[1] != "/robots.txt", f"{host} was read {len(entries)} times"


def write_topic(site):
    topic(site.seeds(), politeness=f"{{delay: {int(DELAY * 1000)}ms, per_host: 1, per_domain: 100, per_ip: {PER_IP}, retries: 0}}")


def everything(site):
    return {f"http://{a}:{p}/{path}" for a, p in site.hosts for path in ["", *map(str, range(PAGES))]}


@beside
def no_host_and_no_address_is_visited_more_often_than_configured():
    site = Hosts()
    write_topic(site)
    scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q")
    site.stop()
    assert set(urls("out")) == everything(site)
    first = {}
    for visit in sorted(site.log, key=lambda visit: visit.begin):
        first.setdefault((visit.address, visit.port), visit.path)
    assert set(first.values()) == {"/robots.txt"}, "robots.txt comes first"
    forbidden = query("out", "select count(*), min(error) from url where state = 'dropped'")
    assert forbidden == [(len(site.hosts), "robots.txt forbids it")], forbidden
    check_politeness(site)
    check_crawl("out")


@beside
def a_restart_does_not_make_visits_come_nearer():
    site = Hosts()
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
    seen = begins(site, place)
    assert max(map(len, seen.values())) <= 4, "something is fetched again and again"
    again = {key for key, times in seen.items() if len(times) > 1}
    site.log = [visit for visit in site.log if not (visit.path == "/robots.txt" and place(visit) in again)]
    check_politeness(site)
    check_crawl("out")


@beside
def a_topic_sets_how_long_hosts_are_waited_for():
    """One host never answers, one accepts no connection: its queue is full."""

    def answer(visit):
        return Answer("too late", wait=3600) if visit.path == "/hang" else Answer("<p>A page <a href=/hang>here</a>")

    site = Site(answer)
    deaf = socket.create_server(("127.0.0.1", 0), backlog=0)
    callers = [socket.socket() for _ in range(4)]
    for caller in callers:
        caller.setblocking(False)
        caller.connect_ex(deaf.getsockname())
    here, there = f"http://127.0.0.1:{site.port}/", f"http://127.0.0.1:{deaf.getsockname()[1]}/"
    topic([here, there], politeness="{delay: 10ms, retries: 0, connect_timeout: 700ms, timeout: 1500ms}")
    scent("crawl", "topic.yaml", "--allow-private", "-o", "out", "-q")
    site.stop()
    failed = dict(query("out", "select url, error from url where state = 'failed'"))
    for url, least, most in ((there + "robots.txt", 700, 10_000), (here + "hang", 1500, 20_000)):
        told = re.match(r"timeout: .* after (\d+) m", failed[url])
        assert told and least <= int(told[1]) < most, failed
    check_crawl("out")


finish()
