#!/usr/bin/env python3
"""One host with very many of the best links, and many with a few worse ones: all of the few are fetched soon."""

import asyncio
import threading

from crawling import SLOW, check_crawl, finish, query, scent, test, topic

HUBS, LINKS = 4 if SLOW else 20, 5000  # of the rich host: 100,000 links
HOSTS, PAGES = 50, 10
GOOD = "ice hockey rink puck goalkeeper league stick skate"


class Site:
    """The first port is the rich host; its pages are about the topic, those of the others are not."""

    def __init__(self):
        self.ports = []
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()
        threading.Thread(target=self.run, daemon=True).start()
        assert self.ready.wait(10)

    def run(self):
        asyncio.set_event_loop(self.loop)
        for _ in range(1 + HOSTS):
            server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
            self.ports.append(server.sockets[0].getsockname()[1])
        self.ready.set()
        self.loop.run_forever()

    def page(self, port, path):
        if path == "/robots.txt":
            return ""
        if port != self.ports[0]:
            links = "".join(f"<a href=http://127.0.0.1:{other}/{i}>tax</a>" for i in range(PAGES)
                            for other in self.ports[1:]) if path == "/list" else ""
            return f"<title>{port} {path}</title><p>Number {path} of {port}, on tax forms, ledgers and invoices.{links}"
        links = [f"/hub{i}" for i in range(HUBS)] + [f"http://127.0.0.1:{self.ports[1]}/list"] if path == "/" else \
            [f"{path}/{i}" for i in range(LINKS)] if path.startswith("/hub") and path.count("/") == 1 else []
        return f"<title>{GOOD}</title><p>{GOOD} {path[1:]}" + "".join(f"<a href={link}>ice</a>" for link in links)

    async def serve(self, reader, writer):
        port = writer.get_extra_info("sockname")[1]
        try:
            while True:
                body = self.page(port, (await reader.readuntil(b"\r\n\r\n")).split()[1].decode())
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


def crawl(site, count, politeness):
    topic([f"http://127.0.0.1:{site.ports[0]}/"], relevant="hockey", limits="{per_pattern: 0, page_bytes: 16MiB, min_free_disk: 0}",
          politeness=politeness)
    scent("crawl", "topic.yaml", "-o", "out", "--allow-private", "-q", "--pages", count)
    check_crawl("out")


@test
def all_small_hosts_come_to_their_turn():
    site = Site()
    # Twice as many visits as a turn for each host at a time would need: the clocks of a busy machine are not exact.
    count = 2 * (HOSTS + 1) * PAGES + HUBS + 2
    crawl(site, count, "{delay: 20ms, per_host: 1, per_domain: 10000, per_ip: 10000, retries: 0}")
    site.stop()
    by_host = dict(query("out", "select host, count(*) from pages where counted group by host"))
    small = [by_host.get(f"127.0.0.1:{port}", 0) for port in site.ports[1:]]
    assert small == [PAGES + 1] + [PAGES] * (HOSTS - 1), small
    rich = f"url like 'http://127.0.0.1:{site.ports[0]}/hub%'"
    left, worst = query("out", f"select count(*), min(priority) from url where state = 'queued' and {rich}")[0]
    best = query("out", "select max(priority) from pages where counted and host != '127.0.0.1:%d'"
                 " and url not like '%%/list'" % site.ports[0])
    assert left > HUBS * LINKS - count and worst > best[0][0], f"{left} {worst} {best}: the rich host has nothing better left: this shows nothing"


finish()
