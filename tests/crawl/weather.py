#!/usr/bin/env python3
"""The crawl goes on by itself when packets are lost, name servers fail and servers are restarted: at its end it has what
a crawl has to which nothing of that happened."""

import asyncio
import fcntl
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from crawling import SCENT, SLOW, Server, Skip, beside, check_crawl, contents, finish, states, topic
from sites import Answer, Site, name, reset

HERE = Path(__file__).resolve()
ADDRESSES = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
HOSTS = [f"h{i}" for i in range(6)]
PAGES = 12  # of a host
RETRIES = 6
DELAY = 0.1
WORDS = "the quick brown fox jumps over a lazy dog and runs from there to another one ".split()


class Web:
    """Every page has its links at its end: what of a page is lost, loses pages. Lonely hosts have one page without
    links."""

    def __init__(self, addresses, lonely=0):
        self.names = [name(addresses[i % len(addresses)], label) for i, label in enumerate(HOSTS)]
        self.lonely = [name(addresses[i % len(addresses)], f"lonely{i}") for i in range(lonely)]
        self.port = 0
        self.overloaded = False

    def url(self, host, page):
        return f"http://{self.names[host]}:{self.port}/{page}"

    def seeds(self):
        """Half of the hosts; the others are found on the way."""
        return [self.url(host, 0) for host in range(0, len(HOSTS), 2)] + [
            f"http://{host}:{self.port}/0" for host in self.lonely]

    def everything(self):
        return {(host, f"/{page}") for host in self.names for page in range(PAGES)} | {(host, "/0") for host in self.lonely}

    def answer(self, visit):
        if self.overloaded:
            return Answer(status=503)
        if visit.path == "/robots.txt" or visit.host not in self.names + self.lonely:
            return Answer(status=404)
        if visit.host in self.lonely:
            return Answer(f"<html lang=en><title>lonely</title><p>{visit.host} " + " ".join(WORDS * 20))
        host, page = self.names.index(visit.host), int(visit.path[1:])
        dice = random.Random(f"{host} {page}")
        text = " ".join(dice.choice(WORDS) for _ in range(1500))
        links = [(host, at) for at in (2 * page + 1, 2 * page + 2) if at < PAGES]
        links += [((host + 1) % len(HOSTS), 0)] if page == PAGES - 1 else []
        return Answer(f"<html lang=en><title>{host} {page}</title><p>{text}" +
                      "".join(f'<a href="{self.url(*link)}">on</a> ' for link in links))


class Names(Server):
    """dnsserver.py."""

    def __init__(self, address="127.0.0.1"):
        super().__init__(sys.executable, HERE.with_name("dnsserver.py"), "--address", address)
        self.address = address

    def say(self, words):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(100)
            sock.sendto(words.encode(), (self.address, self.port))
            return sock.recv(100).decode()


class Crawl:
    """A crawl of the web that runs while the weather changes."""

    def __init__(self, web, dns, out):
        topic(web.seeds(), path=f"{out}.yaml", limits="{depth: 1000, min_free_disk: 0}",
              politeness=f"{{delay: {int(DELAY * 1000)}ms, per_host: 1, per_domain: 8, per_ip: 4, retries: {RETRIES}, "
                         "user_agent: 'weather/1 (+mailto:nobody@example.test)'}")
        self.child = subprocess.Popen([SCENT, "crawl", f"{out}.yaml", "--allow-private", "--dns", dns, "-q", "-o", out])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def wait_for(self, what, seconds=120):
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end and self.child.poll() is None, "the crawl does not come so far"
            time.sleep(0.02)

    def end(self):
        status = self.child.wait(240)
        assert status == 0, f"exit status {status}"


def crawl(web, dns, out):
    with Crawl(web, dns, out) as running:
        running.end()


def requests_of(site):
    return Counter((visit.host, visit.path) for visit in site.log)


def undisturbed(web, site, dns):
    """The crawl that all others are compared with; returns the number of its requests and forgets them."""
    crawl(web, dns, "undisturbed")
    requests = len(site.log)
    assert {key for key in requests_of(site) if key[1] != "/robots.txt"} == web.everything(), "the web is not whole"
    assert requests == len(requests_of(site)), "something was fetched twice"
    site.log.clear()
    return requests


def check_same_pages(out):
    check_crawl(out)
    assert states(out) == states("undisturbed"), set(states(out)) ^ set(states("undisturbed"))
    assert contents(out) == contents("undisturbed"), "the pages have other contents"


def check_requests(site, good):
    """No more of them than the failures explain."""
    requests = requests_of(site)
    print(f"{len(site.log)} requests, {good} in good weather; at most {max(requests.values())} of one URL", flush=True)
    assert len(site.log) < 3 * good, f"{len(site.log)} requests, {good} in good weather"
    # libcurl asks once more by itself where a connection that was used before has died.
    assert max(requests.values()) <= 2 * (RETRIES + 1), requests.most_common(3)


# ---- packets ----

class Reflector:
    """A network of two addresses: what is sent to the one comes back from there to the other, unless it is lost. So this
    machine talks to itself through a device that loses packets."""

    HERE, THERE = "10.9.0.1", "10.9.0.2"
    TUNSETIFF, IFF_TUN_NO_PI = 0x400454ca, 0x1001

    def __init__(self, loss, seed=1):
        self.loss, self.dice = loss, random.Random(seed)
        self.carried = self.lost = 0
        self.device = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.device, self.TUNSETIFF, struct.pack("16sH22x", b"lossy", self.IFF_TUN_NO_PI))
        for command in ("link set lo up", f"addr add {self.HERE} peer {self.THERE} dev lossy", "link set lossy up"):
            subprocess.run(["ip", *command.split()], check=True)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            packet = os.read(self.device, 65536)
            if packet[0] >> 4 != 4:
                continue
            self.carried += 1
            if self.dice.random() < self.loss:
                self.lost += 1
            else:  # the checksums do not change
                os.write(self.device, packet[:12] + packet[16:20] + packet[12:16] + packet[20:])


def crawl_through_losses():
    """In a network namespace of its own."""
    reflector = Reflector(0)
    web = Web([Reflector.THERE])
    site = Site(web.answer, [Reflector.HERE])
    web.port = site.port
    with Names(Reflector.HERE) as names:
        dns = f"{Reflector.THERE}:{names.port}"
        good = undisturbed(web, site, dns)
        reflector.loss = 0.08
        crawl(web, dns, "out")
    site.stop()
    print(f"{reflector.lost} of {reflector.carried} packets were lost", flush=True)
    assert reflector.lost > 50
    check_same_pages("out")
    check_requests(site, good)


if sys.argv[1:] == ["--lossy"]:
    crawl_through_losses()
    sys.exit(0)


# ---- connections ----

class Storm:
    """A proxy for TCP in front of a site: some connections are reset, some are slow, some are cut. Those to lonely hosts
    stall: that takes all the patience that the crawler has, and makes it come back to the host much later. No request is
    cut more often than half of the retries, and no address is refused more often, or chance would some day take them all."""

    def __init__(self, site, stalls, seed=1):
        self.site, self.stalls, self.dice = site, stalls, random.Random(seed)
        self.rate = self.port = 0
        self.struck = Counter()
        self.cuts = Counter()  # by request
        self.refusals = Counter()  # by address
        site.call(self.listen())

    async def listen(self):
        for address in self.site.addresses:
            server = await asyncio.start_server(self.accept, address, self.port)
            self.port = server.sockets[0].getsockname()[1]

    def strikes(self, what, share):
        strikes = self.dice.random() < self.rate * share
        self.struck[what] += strikes
        return strikes

    async def accept(self, reader, writer):
        address = writer.get_extra_info("sockname")[0]
        share = 0.4 if self.struck["refused"] else 1 / (self.rate or 1)  # the first one surely
        if self.refusals[address] < RETRIES // 2 and self.strikes("refused", share):
            self.refusals[address] += 1
            return reset(writer)
        there, onward = await asyncio.open_connection(address, self.site.port)
        asked = [b""]  # the request that the connection carries now
        try:
            await asyncio.gather(self.carry(reader, onward, asked), self.carry(there, writer, asked))
        except OSError:
            pass
        reset(writer)
        reset(onward)

    async def carry(self, reader, writer, asked):
        while data := await reader.read(4096):
            if data.startswith(b"GET "):
                asked[0] = b"".join(line for line in data.split(b"\r\n") if line.startswith((b"GET ", b"Host: ")))
            if self.rate and b"<title>lonely" in data and self.struck["stalled"] < self.stalls:
                self.struck["stalled"] += 1
                self.cuts[asked[0]] += 1
                writer.write(data[:1000])
                await asyncio.sleep(30)
            if self.strikes("slow", 0.3):
                await asyncio.sleep(0.3)
            if self.cuts[asked[0]] < RETRIES // 2 and self.strikes("cut", 0.3):
                self.cuts[asked[0]] += 1
                writer.write(data[:len(data) // 2])
                await asyncio.sleep(0.02)
                raise ConnectionResetError
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError


@beside
def connections_that_break_and_stall_cost_no_page():
    web = Web(ADDRESSES, lonely=2)
    site = Site(web.answer, ADDRESSES)
    storm = Storm(site, stalls=len(web.lonely))
    web.port = storm.port
    with Names() as names:
        dns = f"127.0.0.1:{names.port}"
        good = undisturbed(web, site, dns)
        storm.rate = 0.3
        crawl(web, dns, "out")
    site.stop()
    print(dict(storm.struck), flush=True)
    assert storm.struck["cut"] > 2 and storm.struck["refused"] and storm.struck["stalled"] == 2, "that was no storm"
    check_same_pages("out")
    check_requests(site, good)


# ---- servers ----

@beside
def a_server_that_is_killed_and_started_again_costs_no_page():
    web = Web(ADDRESSES)
    site = Site(web.answer, ADDRESSES)
    web.port = site.port
    with Names() as names:
        dns = f"127.0.0.1:{names.port}"
        good = undisturbed(web, site, dns)
        with Crawl(web, dns, "out") as running:
            for part, seconds in ((0.2, 1), (0.4, 3), (0.7, 0)):
                running.wait_for(lambda: len(site.log) > part * good)
                site.kill()
                time.sleep(seconds)
                site.restart()
            running.end()
    site.stop()
    check_same_pages("out")
    check_requests(site, good)


@beside
def a_server_that_is_overloaded_is_left_alone_for_longer_and_longer():
    web = Web(ADDRESSES)
    site = Site(web.answer, ADDRESSES)
    web.port = site.port
    with Names() as names:
        dns = f"127.0.0.1:{names.port}"
        undisturbed(web, site, dns)
        with Crawl(web, dns, "out") as running:
            running.wait_for(lambda: len(site.log) > 20)
            web.overloaded = True
            time.sleep(6)
            web.overloaded = False
            running.end()
    site.stop()
    check_same_pages("out")
    refused = Counter(visit.host for visit in site.log if visit.status == 503)
    # Waits of at least 1/4, 1/2, 1, 2 and 4 seconds, then half a second more for what was under way.
    assert refused and max(refused.values()) <= 6, refused
    print(f"{sum(refused.values())} requests of {len(refused)} hosts within 6 seconds", flush=True)


# ---- names ----

def crawl_under(web, weather):
    """A crawl whose name server fails in this way at first."""
    with Names() as names, Crawl(web, f"127.0.0.1:{names.port}", f"out-{weather}") as running:
        names.say(f"WEATHER {weather}")
        time.sleep(4)
        names.say("WEATHER fine")
        running.end()
        return max(int(names.say(f"COUNT {each}")) for each in web.names)


@beside
def name_servers_that_fail_are_silent_or_wrong_cost_no_page():
    web = Web(ADDRESSES)
    site = Site(web.answer, ADDRESSES)
    web.port = site.port
    weathers = ["servfail", "refused", "timeout", "garbage", "mistaken"]
    with Names() as names:
        undisturbed(web, site, f"127.0.0.1:{names.port}")
    with ThreadPoolExecutor(len(weathers)) as pool:
        asked = dict(zip(weathers, pool.map(lambda weather: crawl_under(web, weather), weathers)))
    site.stop()
    print("questions about one name:", asked, flush=True)
    for weather in weathers:
        check_same_pages(f"out-{weather}")
    # Three tries a question, and some questions: far less than one a second.
    assert max(asked.values()) <= 24, asked


@beside
def lost_packets_cost_no_page():
    if SLOW:
        raise Skip("the release build tries it")
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK) or subprocess.run(
            ["unshare", "-n", "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("it needs root, /dev/net/tun and network namespaces")
    done = subprocess.run(["unshare", "-n", sys.executable, HERE, "--lossy"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=250)
    print(done.stdout, end="", flush=True)
    assert done.returncode == 0, "see above"


finish()
