#!/usr/bin/env python3
"""One crawl of several workers, who tell each other links through a PostgreSQL server: the same pages as one alone, each
once, also where workers and the server are killed; and what cannot be joined is refused, with the reason."""

import os
import random
import signal
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

from crawling import SCENT, SLOW, beside, finish, scent, topic, wait_for, write
from pgproxy import Proxy
from postgres import Postgres
from workers import WEB, check_server, check_together, fetched, finish_all, prepare, start

def crawl_together(workers, limits="{depth: 1000}"):
    prepare(workers, limits=limits)
    scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
    with Postgres() as server:
        finish_all([start(i, server) for i in range(workers)])
        check_together(workers)
        check_server(server)
        assert all(fetched(f"w{i}") for i in range(workers)), "somebody had nothing to do"
        # Who comes back finds nothing to do, and changes nothing.
        finish_all([start(0, server)])
        check_together(workers)


@beside
def two_workers_fetch_what_one_does():
    crawl_together(2)


@beside
def four_workers_fetch_what_one_does():
    """With a limit that is not reached: what is left of grants goes to and fro."""
    crawl_together(4, "{depth: 1000, pages: 2000}")


def restart_unreached(server, children):
    """Who began while there was no server says so, and ends, sooner or later. True while anybody is at work."""
    for i, child in enumerate(children):
        if child.poll() == 2 and "cannot reach the server" in Path(f"w{i}.log").read_text().splitlines()[-1]:
            children[i] = start(i, server)
    return any(child.poll() is None for child in children)


@beside
def kill_9_of_workers_and_of_the_server_loses_nothing_and_repeats_nothing():
    """A page is fetched twice only where its worker was killed before it was committed: then no row of it is left."""
    workers, dice = 3, random.Random(int(os.environ.get("CLUSTER_SEED") or 5))
    kills = int(os.environ.get("CLUSTER_KILLS") or (3 if SLOW else 12))
    prepare(workers, web=WEB.replace("hosts: 30", f"hosts: {20 if SLOW else 60}").replace("pages_per_host: 15", "pages_per_host: 40"))
    scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
    with Postgres() as server:
        children = [start(i, server) for i in range(workers)]
        wait_for(lambda: os.path.exists("w0/crawl.db") and any(Path(f"w{i}/warc").exists() for i in range(workers)))
        ended = 0
        for i in range(kills):
            time.sleep(dice.uniform(0, 2 if SLOW else 0.7))
            if i % 4 == 3:
                server.kill()
                server.start()
                continue
            victim = dice.randrange(workers)
            children[victim].kill()
            ended += children[victim].wait() == 0
            children[victim] = start(victim, server)
        assert ended < kills, "the crawl was over before anybody was killed"
        wait_for(lambda: not restart_unreached(server, children), seconds=200)
        finish_all(children)
        check_together(workers)
        check_server(server)


@beside
def strategies_that_order_by_what_they_know_crawl_together():
    strategies = ["intelligent", "in-degree", "{name: fusion, of: 'adaptive + best-first'}", "shark", "best-n-first", "query-context"]
    with Postgres() as server:
        for i, strategy in enumerate(strategies[:2 if SLOW else 6]):
            os.mkdir(f"{i}")
            os.chdir(f"{i}")
            prepare(2, strategy=strategy, query="'#sum(a b)'", web=WEB.replace("hosts: 30", "hosts: 15"), name=f"crawl {i}")
            finish_all([start(j, server) for j in range(2)])
            os.chdir("..")
        assert server.sql("SELECT DISTINCT state FROM scent.crawl") == [["ended"]]


@beside
def a_worker_whose_turns_take_longer_than_its_lease_crawls():
    """Each answer of the server is late, so that a turn takes more than a second."""
    prepare(2, web=WEB.replace("hosts: 30", "hosts: 15").replace("pages_per_host: 15", "pages_per_host: 4"), lease="1s")
    scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
    with Postgres() as server, Proxy(server, late=0.12) as far:
        finish_all([start(i, far) for i in range(2)])
        check_together(2)
        check_server(server, links=False)  # one of them may have had all hosts


@beside
def partitions_of_a_turn_whose_answer_was_lost_are_crawled():
    """The first turn takes all of them, and the worker, who has not heard of it, has nothing to do: that is not the end."""
    prepare(1)
    scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
    with Postgres() as server, Proxy(server) as proxy:
        proxy.cut("after", wait=2)  # tables and the crawl are made by two commits
        finish_all([start(0, proxy)])
        assert proxy.cuts == 1
        check_together(1)
        assert server.sql("SELECT state, pages FROM scent.crawl, scent.worker") == [["ended", str(len(fetched("alone")))]], "too early"


# ---- what is refused ----

def refused(*words, options=(), status=2, env=None):
    done = subprocess.run([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, timeout=100)
    assert done.returncode == status and all(word in done.stderr for word in words), (done.returncode, done.stderr)


@beside
def what_cannot_be_divided_or_trusted_is_refused():
    prepare(1)
    topic(["http://a.test/"], strategy="breadth-first", cluster="{join: 'postgresql://u:secret@127.0.0.1/d'}")
    refused("topic.yaml: cluster.join", "password", ".pgpass")
    prepare(1)
    refused("--join", "password", options=["--join", "postgresql://u:secret@127.0.0.1/d"])
    refused("--join", "postgresql://", options=["--join", "mysql://a/b"])
    refused("verify-full", options=["--join", "postgresql://u@192.0.2.1/d?sslmode=require"])
    refused("verify-full", options=["--join", "postgresql://u@127.0.0.1,192.0.2.1/d?sslmode=prefer"])
    with Postgres() as server:
        join = ["--join", server.uri]
        refused("window", "order", options=["--window", "2", *join])
        refused("pagerank", "links of all pages", options=["--strategy", "pagerank", *join])
        refused("fusion", "cash", options=["--strategy", "fusion:of=opic + best-first", *join])
        topic(["http://a.test/"], requisites="true")
        refused("requisites", options=join)
        prepare(1)
        assert not Path("out/warc").exists(), "something was begun"
        scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "w0", *join)
        # Without a server a worker's directory does not go on, and with one it begins anew.
        assert "--join" in scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "w0", status=2).stderr
        scent("crawl", "alone.yaml", "--from", "web.yaml", "-q", "-o", "alone")
        assert "without --join" in scent("crawl", "topic.yaml", "--from", "web.yaml", "-o", "alone", *join, status=2).stderr
        # Another topic under the same name, another format of the tables.
        before = server.sql("SELECT * FROM scent.crawl")
        topic(["http://a.test/"], strategy="breadth-first")
        refused("another topic", options=join)
        prepare(1)
        version = server.sql("SELECT version FROM scent.format")[0][0]
        server.sql("UPDATE scent.format SET version = 99")
        refused("format 99", options=join)
        server.sql(f"UPDATE scent.format SET version = {version}")
        assert server.sql("SELECT * FROM scent.crawl") == before
        finish_all([start(0, server)])


@beside
def wrong_credentials_are_refused():
    prepare(1)
    with Postgres(tcp=True) as server:
        server.sql("ALTER ROLE scent PASSWORD 'right'")
        (server.data / "pg_hba.conf").write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        server.sql("SELECT pg_reload_conf()")
        for password in (None, "wrong"):
            env = os.environ | ({"PGPASSWORD": password} if password else {"PGPASSFILE": "/nonexistent"})
            refused("cannot reach the server", "password", options=["--join", server.tcp_uri], env=env)
        passfile = write("pgpass", f"127.0.0.1:{server.port}:postgres:scent:right\n")
        os.chmod(passfile, 0o600)
        subprocess.run([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out", "--join", server.tcp_uri],
                       env=os.environ | {"PGPASSFILE": os.path.abspath(passfile)}, check=True, timeout=200)


@beside
def a_server_that_is_too_old_is_refused():
    """One that says so is enough: nothing else is asked of it."""
    def answer(listener):
        connection, _ = listener.accept()
        with connection:
            while True:
                length, code = struct.unpack("!II", connection.recv(8, socket.MSG_WAITALL))
                connection.recv(length - 8, socket.MSG_WAITALL)
                if code not in (80877103, 80877104):  # encryption
                    break
                connection.sendall(b"N")
            version = b"server_version\x0012.9\x00"
            connection.sendall(b"R" + struct.pack("!II", 8, 0) + b"S" + struct.pack("!I", 4 + len(version)) + version
                               + b"Z" + struct.pack("!Ic", 5, b"I"))
            connection.recv(100)

    prepare(1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer, args=(listener,), daemon=True).start()
        refused("PostgreSQL 12.9", "13 or later",
                options=["--join", f"postgresql://scent@127.0.0.1:{listener.getsockname()[1]}/d"])


@beside
def a_crawl_alone_does_not_load_the_library():
    prepare(1)
    child = subprocess.Popen([SCENT, "crawl", "alone.yaml", "--from", "web.yaml", "--json", "-o", "out"], stdout=subprocess.PIPE)
    child.stdout.readline()
    maps = Path(f"/proc/{child.pid}/maps").read_text()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert "libsqlite3" in maps and "libpq" not in maps


finish(at_once=3)
