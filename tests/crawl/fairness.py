#!/usr/bin/env python3
"""One host with very many of the best links, and many with a few worse ones: all of the few are fetched soon."""

import json

from crawling import SLOW, check_crawl, finish, query, scent, test, topic
from sites import Answer, Site

HUBS, LINKS = 4 if SLOW else 20, 5000  # of the rich host: 100,000 links
HOSTS, PAGES = 50, 10
GOOD = "ice hockey rink puck goalkeeper league stick skate"


class Hosts(Site):
    """The first port is the rich host; its pages are about the topic, those of the others are not."""

    def __init__(self):
        super().__init__(lambda visit: Answer(self.page(visit.port, visit.path)), ports_each=1 + HOSTS)
        self.ports = [port for _, port in self.hosts]

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


def crawl(site, count, politeness):
    topic([f"http://127.0.0.1:{site.ports[0]}/"], relevant="hockey", limits="{per_pattern: 0, page_bytes: 16MiB, min_free_disk: 0}",
          politeness=politeness, strategy="best-first")
    scent("crawl", "topic.yaml", "-o", "out", "--allow-private", "-q", "--pages", count)
    check_crawl("out")


@test
def all_small_hosts_come_to_their_turn():
    site = Hosts()
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


class Liar(Site):
    """Every page names thousands of URLs that nobody has named before, on its own host and on others of one domain."""
    OWN, OTHERS = 3000, 500

    def __init__(self):
        super().__init__(lambda visit: Answer(self.page(visit.path)))

    def page(self, path):
        if path == "/robots.txt":
            return ""
        return f"<title>{path}</title>" + "".join(f"<a href={path}{i}/>{i}</a>" for i in range(self.OWN)) + \
            "".join(f"<a href=http://h{i}-{len(path)}-{path.strip('/').replace('/', '-')}.evil.test/>{i}</a>" for i in range(self.OTHERS))


@test
def a_site_without_end_takes_no_more_memory_than_its_pages_allow():
    site, base, each, pages = Liar(), 1000, 500, 6
    topic([f"http://127.0.0.1:{site.port}/"], strategy="breadth-first", window=1, scope="{exclude: ['*.evil.test']}",
          limits=f"{{urls_per_domain: {base}, per_pattern: 0}}", politeness="{delay: 0, retries: 0}")
    for crawl, stops in ("whole", [pages]), ("resumed", [2, 5, pages]):
        for stop in stops:
            scent("crawl", "topic.yaml", "-o", crawl, "--allow-private", "-q", "--pages", stop)
        check_crawl(crawl)
        known = dict(query(crawl, """select name like '%evil.test', count(*) from url join host on host.id = host_id
            where flags < 2 group by 1"""))
        # The last page counts before its links are read.
        assert base + each * pages - 2 <= known[0] <= base + each * pages and known[1] == base, known
        assert query(crawl, "select count(*) from host") == [(1 + base,)]
        told = json.loads(scent("status", crawl, "--json").stdout)["left_out"]
        assert told == pages * (site.OWN + site.OTHERS) - sum(known.values()) + 1, (told, known)
        assert "their domain has too many URLs" in scent("status", crawl).stdout
    assert query("whole", "select url from url order by id") == query("resumed", "select url from url order by id")
    site.stop()


finish()
