"""What the crawl tests share: run scent, look into what it left, count checks.

A test script calls test() or beside() for each of its cases and ends with finish(). Everything happens below $TMPDIR
and on loopback; what is started here is stopped here."""

import contextlib
import gzip
import http.server
import importlib.machinery
import importlib.util
import json
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib
from pathlib import Path

SCENT = os.environ.get("SCENT") or str(Path(__file__).resolve().parents[2] / "build" / "release" / "scent")
SHARED = Path(__file__).resolve().parents[3] / "shared"
SLOW = os.environ.get("SCENT_BUILD", "release") != "release"  # under a sanitizer: fewer pages do
os.environ["XDG_STATE_HOME"] = os.path.join(os.path.realpath(tempfile.gettempdir()), "state")  # not the user's
failures = 0
later = []
FRIENDLY = """kind: generated
seed: 11
hosts: 30
pages_per_host: 15
dead_hosts: 0
slow_hosts: {share: 0}
traps: 0
redirect_loops: 0
robots: {share: 0}
"""


class Skip(Exception):
    """A case that cannot be tried here; its text says why."""


def test(function):
    """Runs one case in a folder of its own and reports it. The name is the function's."""
    global failures
    name = function.__name__.replace("_", " ")
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            function()
            print(f"ok {name}", flush=True)
        except Skip as why:
            print(f"skip {name}: {why}", flush=True)
        except Exception:
            failures += 1
            print(f"not ok {name}", flush=True)
            traceback.print_exc(file=sys.stdout)
        finally:
            os.chdir(before)
    return function


def beside(function):
    """A case that waits for most of its time: finish() runs all of these at the same time, each in a process of its own."""
    later.append(function)
    return function


def run_apart(function, output):
    """In a new process: what it says comes out whole when it has ended."""
    os.dup2(output, 1)
    os.dup2(output, 2)
    test(function)
    sys.exit(1 if failures else 0)


def run_beside(at_once):
    global failures
    start, running = multiprocessing.get_context("fork").Process, {}
    sys.stdout.flush()
    while later or running:
        while later and len(running) < at_once:
            output = tempfile.TemporaryFile()
            child = start(target=run_apart, args=(later.pop(0), output.fileno()), daemon=True)
            child.start()
            running[child.sentinel] = child, output
        for ended in multiprocessing.connection.wait(running):
            child, output = running.pop(ended)
            child.join()
            failures += child.exitcode != 0
            with output:
                output.seek(0)
                print(output.read().decode(errors="replace"), end="", flush=True)


def finish(at_once=6):
    """Ends the script, once what stands beside() has run: so many cases at the same time."""
    run_beside(at_once)
    sys.exit(1 if failures else 0)


def scent(*args, status=0, **options):
    """Runs scent to its end and holds it to its exit status."""
    done = subprocess.run([SCENT, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=240, **options)
    assert done.returncode == status, f"{args}: exit status {done.returncode}, not {status}\n{done.stderr}{done.stdout[-2000:]}"
    return done


def kill_crawl(site, requests):
    """Starts the crawl of topic.yaml into "out" and kills it when it has asked the site so much more, or has ended."""
    enough, late = len(site.log) + requests, time.monotonic() + 120
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--allow-private", "-q", "-o", "out"])
    while len(site.log) < enough and child.poll() is None and time.monotonic() < late:
        time.sleep(0.005)
    child.kill()
    child.wait()
    assert len(site.log) >= enough or child.returncode == 0, f"it asked {len(site.log)} times, not {enough}"


def wait_for(what, seconds=120):
    """Until `what()` is true; the time is for machines that are very busy."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


def write(path, text):
    Path(path).write_text(text)
    return path


def topic(seeds, path="topic.yaml", **keys):
    """Writes a topic file; keys are YAML values as text."""
    lines = ["topic: test", "seeds: [" + ", ".join(f"'{seed}'" for seed in seeds) + "]"]
    keys.setdefault("politeness", "{delay: 0, per_host: 8, retries: 0}")
    lines += [f"{key}: {value}" for key, value in keys.items()]
    return write(path, "\n".join(lines) + "\n")


class Server:
    """A child that prints its address as its first line and ends when told to."""

    def __init__(self, *command):
        self.child = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
        self.line = self.child.stdout.readline().strip()
        assert self.line, f"{command} did not start"
        self.port = int("".join(c if c.isdigit() else " " for c in self.line.rsplit(":", 1)[-1]).split()[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.child.stdin.close()
        self.child.stdout.close()


def complain(*_):
    """Of what went wrong in a server; that a client was killed is nothing."""
    if not isinstance(sys.exc_info()[1], ConnectionError):
        traceback.print_exc(file=sys.stdout)


class Site:
    """A server in this process that gives what it was told, and writes down what was asked for.

        with Site({"/": html("<a href=/x>x</a>")}) as site: …

    Who knows more about its answers overrides answer()."""

    def __init__(self, answers, address="127.0.0.1"):
        self.answers, self.log, site = answers, [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body at once: sent apart, the body would wait for the head's acknowledgement

            def do_GET(self):
                site.log.append(self.path)
                status, headers, body = site.answer(self.path, self.headers)
                self.send_response_only(status)
                for name, value in headers:
                    self.send_header(name, value)
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = complain
        self.base = "http://%s:%d" % self.server.server_address
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})

    def answer(self, path, headers):
        """(status, [(name, value)], body) for a request with these headers."""
        return self.answers.get(path, (404, [], b"not here"))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def html(body, *headers, head="", status=200):
    """An answer of a Site."""
    text = f"<html lang=en><head><title>Hockey</title>{head}</head><body>{body}</body></html>"
    return status, [("Content-Type", "text/html; charset=utf-8"), *headers], text.encode()


def serve(path, *options):
    return Server(SCENT, "web", "serve", path, *options)


def query(crawl, sql):
    with contextlib.closing(sqlite3.connect(f"file:{crawl}/crawl.db?mode=ro", uri=True)) as db:
        return db.execute(sql).fetchall()


def urls(crawl):
    return scent("export", crawl, "-f", "urls").stdout.split()


def contents(crawl):
    """What the counted pages say, and how often each came again: the same whichever copy comes first."""
    return (query(crawl, "select digest from page where counted order by 1"),
            query(crawl, "select digest, count(*) from page where duplicate_of and not counted group by 1 order by 1"))


def pages(crawl):
    return [json.loads(line) for line in scent("export", crawl).stdout.splitlines()]


def warc_path(crawl, name):
    """A file that a crawl was killed over still ends in .open."""
    path = Path(crawl) / "warc" / name
    return path if path.exists() else path.with_name(name + ".open")


def record(crawl, page):
    """The WARC record of an exported page: (WARC headers, HTTP head, body)."""
    with open(warc_path(crawl, page["warc"]), "rb") as file:
        file.seek(page["offset"])
        data = gzip.decompress(file.read(page["length"]))
    head, _, block = data.partition(b"\r\n\r\n")
    http, _, body = block.partition(b"\r\n\r\n")
    return head.decode(), http.decode("latin-1"), body[:-4]


def gzip_member(data, offset):
    """(what the member at this offset holds, its length). In pieces: the rest of a file is long."""
    unpack, parts, at = zlib.decompressobj(31), [], offset
    while not unpack.eof and at < len(data):
        parts.append(unpack.decompress(data[at:at + 65536]))
        at = min(at + 65536, len(data))
    assert unpack.eof, f"the member at {offset} is cut off"
    return b"".join(parts), at - offset - len(unpack.unused_data)


def zstd_frames(data):
    """(dictionary, [(offset, length, length of what it holds)]) of a WARC file as "Zstandard Compression for WARC Files" 1.0
    has it, by the frame headers of RFC 8878 alone."""
    number = lambda at, size: int.from_bytes(data[at:at + size], "little")
    dictionary, at, frames = None, 0, []
    if number(0, 4) == 0x184D2A5D:
        at = 8 + number(4, 4)
        dictionary = bytes(data[8:at])
        assert dictionary[:4] == b"\x37\xa4\x30\xec", "that is not a dictionary"
    while at < len(data):
        begin, flags = at, data[at + 4]
        single, size_flag, id_flag = flags >> 5 & 1, flags >> 6, flags & 3
        assert number(at, 4) == 0xFD2FB528 and flags >> 2 & 1, "no frame, or one without a checksum"
        assert single or size_flag, "the size of the content is missing"
        at += 5 + (not single)
        if dictionary:
            assert id_flag and number(at, (0, 1, 2, 4)[id_flag]) == int.from_bytes(dictionary[4:8], "little")
        at += (0, 1, 2, 4)[id_flag]
        size = number(at, (1, 2, 4, 8)[size_flag]) + (256 if size_flag == 1 else 0)
        at += (1, 2, 4, 8)[size_flag]
        last = False
        while not last:
            block = number(at, 3)
            last = block & 1
            at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
        at += 4
        assert at <= len(data), f"the frame at {begin} is cut off"
        frames.append((begin, at - begin, size))
    return dictionary, frames


def zstd_members(path):
    """(offset, length, content) of each frame; the command zstd unpacks them."""
    if not shutil.which("zstd"):
        raise Skip("there is no zstd")
    dictionary, frames = zstd_frames(Path(path).read_bytes())
    command = ["zstd", "-dc", path]
    if dictionary:
        Path("dictionary").write_bytes(dictionary)
        command += ["-D", "dictionary"]
    content, at = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout, 0
    assert len(content) == sum(size for _, _, size in frames)
    for offset, length, size in frames:
        yield offset, length, content[at:at + size]
        at += size


def gzip_members(path):
    data, offset = memoryview(Path(path).read_bytes()), 0
    while offset < len(data):
        member, length = gzip_member(data, offset)
        yield offset, length, member
        offset += length


def each_record(path):
    """The records of a WARC file in their order, a gzip member or a zstd frame each: dicts of the WARC headers (lower case),
    with "block", "offset" and "length" beside them."""
    for offset, length, member in zstd_members(path) if ".warc.zst" in str(path) else gzip_members(path):
        head, _, rest = member.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        assert lines[0] == "WARC/1.1", lines[0]
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
        size = int(headers["content-length"])
        assert rest[size:] == b"\r\n\r\n", f"{path}: the record at {offset} has another length than it says"
        yield {**headers, "block": rest[:size], "offset": offset, "length": length}


def warc_records(path):
    return list(each_record(path))


def all_records(crawl):
    return [each for path in sorted((Path(crawl) / "warc").iterdir()) for each in warc_records(path)]


def http_parts(block):
    """(start line, {name in lower case: value}, body) of an HTTP message."""
    head, _, body = block.partition(b"\r\n\r\n")
    start, *lines = head.decode("latin-1").split("\r\n")
    return start, {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}, body


def states(crawl):
    """What became of each URL, whatever the order in which they were visited."""
    return query(crawl, """select url.url, state, status, digest from url left join page on page.url_id = url.id
                           where flags & 2 = 0 order by 1""")


def check_same(crawl, undisturbed):
    """What holds of a crawl that came to its end after whatever happened to it: it has all that one has to which
    nothing happened, once, and each record in its WARC files belongs to a page."""
    found = scent("check", crawl)
    assert found.stdout == "" and "0 problems" in found.stderr, found
    listed = query(crawl, "select url.url from page join url on url.id = page.url_id where counted")
    assert len(listed) == len(set(listed)), "a page was counted twice"
    assert contents(crawl) == contents(undisturbed), "other pages"
    assert states(crawl) == states(undisturbed), "other states"
    rows = {tuple(row) for row in query(crawl, """select warc_file, warc_offset, warc_length from page
                                                  where warc_length > 0""")}
    records = {(path.name, each["offset"], each["length"]) for path in (Path(crawl) / "warc").iterdir()
               for each in each_record(path) if each["warc-type"] in ("response", "revisit")}
    assert records == rows, f"records and pages differ: {sorted(records ^ rows)[:5]}"


def preloaded_disk():
    """tests/fault/disk.c as a library: the environment in which calls to the disk fail or are logged.

        environment = preloaded_disk()
        subprocess.run(…, env=environment("out", at=7, does=errno.EIO))"""
    if SLOW or not shutil.which("cc"):
        raise Skip("it needs a preloaded library, which sanitizers do not like, and a compiler")
    library = Path("disk.so").resolve()
    source = Path(__file__).resolve().parents[1] / "fault" / "disk.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)

    def environment(below, **settings):
        settings = {f"DISK_{name.upper()}": str(value) for name, value in settings.items()}
        return os.environ | {"LD_PRELOAD": str(library), "DISK_BELOW": str(Path(below).resolve())} | settings
    return environment


def check_crawl(crawl, killed=False):
    """What must hold of every crawl directory, whatever happened to it. Only one that was killed, and not
    resumed since, may have bytes behind what was committed."""
    assert query(crawl, "pragma integrity_check") == [("ok",)]
    exported = pages(crawl)
    assert len(exported) == len({page["url"] for page in exported}), "a page was counted twice"
    for page in exported:
        if not page["length"]:
            continue  # it asked not to be archived
        head, http, _ = record(crawl, page)
        assert f"WARC-Target-URI: {page['url']}\r\n" in head + "\r\n", page
        assert str(page["status"]) in http.split("\r\n")[0], page
    if killed:
        return
    end = query(crawl, "select value from value where name = 'warc_end'")[0][0]
    name, size = (end.decode() if isinstance(end, bytes) else end).split()
    files = sorted(path.name for path in (Path(crawl) / "warc").iterdir())
    assert files[-1] == name, f"{files[-1]} is not the committed {name}"
    assert (Path(crawl) / "warc" / name).stat().st_size == int(size), "bytes behind the committed end"


def load_warcio():
    """tests/conformance/warcio installs the package and runs it."""
    path = Path(__file__).resolve().parents[1] / "conformance" / "warcio"
    loader = importlib.machinery.SourceFileLoader("warcio", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("warcio", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module
