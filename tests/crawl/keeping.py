#!/usr/bin/env python3
"""What is kept stays whole, or `scent check` says what is wrong; what is purged is gone, and nothing else."""

import contextlib
import fcntl
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from crawling import SCENT, SLOW, Skip, all_records, beside, finish, preloaded_disk, query, scent, topic, urls, write

WEB = """kind: generated
seed: 7
hosts: 16
pages_per_host: 8
dead_hosts: 0
slow_hosts: {share: 0}
traps: 0
redirect_loops: 0
"""


# What comes and goes with those who have the directory open.
NO_DATA = ("lock", "crawl.db-wal", "crawl.db-shm")


def crawl(out="out", pages=60):
    write("web.yaml", WEB)
    topic(scent("web", "generate", "web.yaml", "--seeds", "4").stdout.split(), limits="{depth: 1000, text_memory: 1KiB}", seed="3")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", out, "--pages", pages)
    return Path(out)


def go_on(out, *options, **keys):
    return scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", out, *options, **keys)


def check(out, *options, status=0):
    return scent("check", out, *options, status=status).stdout


def change(out, *statements):
    with contextlib.closing(sqlite3.connect(Path(out) / "crawl.db")) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def contents_of(out):
    return {path.name: path.read_bytes() for path in out.iterdir() if path.is_file() and path.name not in NO_DATA}


def warc_file(out):
    return next(iter(sorted((Path(out) / "warc").iterdir())))


# ---- check ----

def flip(path, offset, count=8):
    with open(path, "r+b") as file:
        file.seek(offset)
        old = file.read(count)
        file.seek(offset)
        file.write(bytes(byte ^ 0xFF for byte in old))


def page(out, number):
    return query(out, f"select warc_offset, warc_length, url_id from page where number = {number}")[0]


def damage_record(out):
    offset, length, _ = page(out, 5)
    flip(warc_file(out), offset + length // 2)
    return f"byte {offset}:"


def damage_last_byte(out):
    path = warc_file(out)
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size - 1)
    return f"{path.name}: holds {path.stat().st_size} bytes, but {path.stat().st_size + 1} were committed"


def damage_file_is_gone(out):
    warc_file(out).unlink()
    return f"warc/{warc_name}: is missing"


def damage_strange_file(out):
    (out / "warc" / "holiday.jpg").write_text("x")
    return "warc/holiday.jpg: is not a file of this crawl"


def damage_page_row_is_gone(out):
    number = query(out, "select number from page where counted and number > 6")[0][0]
    offset, _, url = page(out, number)
    change(out, f"delete from link where page_number = {number}", f"delete from page where number = {number}")
    return (f"page: row {number} is missing", f"byte {offset}: no page row knows the record",
            f"url: row {url} is fetched, but")


def damage_offset(out):
    offset, _, _ = page(out, 9)
    change(out, "update page set warc_offset = warc_offset + 1 where number = 9")
    return f"byte {offset + 1}: there is no record for page 9", f"byte {offset}: no page row knows"


def damage_length(out):
    change(out, "update page set warc_length = warc_length + 1 where number = 9")
    return "page 9 (", "has another length"


def damage_status(out):
    change(out, "update page set status = 418 where number = 3")
    return "page 3 (", "has another status"


def damage_digest(out):
    change(out, "update page set digest = 'AAAA' where number = 3")
    return "page 3 (", "states another digest"


def damage_url_of_a_page(out):
    change(out, "update page set url_id = 1 where number = 4")
    return "page 4 (", "has another target URI"


def damage_url_row_is_gone(out):
    _, _, url = page(out, 5)
    change(out, f"delete from url where id = {url}")
    return f"url: row {url} is missing", f"page: row 5 refers to the missing row {url} of url"


def damage_two_of_one_url(out):
    change(out, "update url set (url, host_id) = (select url, host_id from url where id = 1) where id = 2")
    return "url: row 2 is a second one of http://"


def damage_host_of_a_url(out):
    change(out, "update url set host_id = (select id from host where id <> url.host_id limit 1) where id = 1")
    return "url: row 1 is 'http://", "but its host is"


def damage_state(out):
    change(out, "update url set state = 'asleep' where id = 4")
    return "url: row 4 has the unknown state 'asleep'"


def damage_links(out):
    number, has = query(out, "select number, links from page where links > 1")[0]
    change(out, f"delete from link where id = (select min(id) from link where page_number = {number})")
    return f"page: row {number} says {has} links, there are {has - 1}"


def damage_link_target(out):
    change(out, "update link set target_id = 99999 where id = 3")
    return "link: row 3 refers to the missing row 99999 of url"


def damage_number_of_a_page(out):
    change(out, "update page set status = status + 4096 where number = 6", "update page set relevant = 65 where number = 7")
    return "page: row 6 holds a number that cannot be", "page: row 7 holds a number that cannot be"


def damage_numbers_of_a_url(out):
    change(out, "update url set depth = depth + 65536 where id = 3", "update url set own = x'01' where id = 5")
    return "url: row 3 holds a number that cannot be", "url: row 5 holds a number that cannot be"


def damage_huge_page_number(out):
    change(out, "update page set number = 4611686018427387904 where number = (select max(number) from page)")
    return "page: row 4611686018427387903 is missing"


def damage_key(out):
    change(out, "delete from value where name = 'key'")
    return "value: key is missing"


def damage_database_page(out):
    size = (out / "crawl.db").stat().st_size
    for at in range(3, size // 4096 - 1, 5):
        flip(out / "crawl.db", at * 4096, 600)
    return "crawl.db"


def damage_database_head(out):
    flip(out / "crawl.db", 0, 16)
    return "crawl.db: file is not a database"


def mend_tail(out):
    with open(warc_file(out), "ab") as file:
        file.write(b"never committed")
    return "15 bytes lie behind the committed end"


def mend_name(out):
    path = warc_file(out)
    path.rename(path.with_name(path.name + ".open"))
    return "the name ends in .open"


def mend_younger(out):
    shutil.copy(warc_file(out), out / "warc" / "scent-00077.warc.gz")
    return "warc/scent-00077.warc.gz: nothing of it was committed"


def edit_index(out, edit):
    path = out / "index.cdxj"
    lines = path.read_text().splitlines(keepends=True)
    edit(lines)
    path.write_text("".join(lines))


def mend_index_line_is_gone(out):
    edit_index(out, lambda lines: lines.pop(4))
    return "index.cdxj: line 5: before it a line is missing"


def mend_index_line_too_many(out):
    edit_index(out, lambda lines: lines.append("zz,zz)/ 20260101000000 {}\n"))
    return "no page has this record: zz,zz)/"


def mend_index_line_is_wrong(out):
    edit_index(out, lambda lines: lines.__setitem__(2, lines[2].replace('"offset": "', '"offset": "9')))
    return "index.cdxj: line 3:"


def mend_index_order(out):
    edit_index(out, lambda lines: lines.insert(0, lines.pop()))
    return "index.cdxj: line 2 is not in order"


def mend_index_is_gone(out):
    (out / "index.cdxj").unlink()
    return "index.cdxj is missing"


def each_damage(prefix):
    return [(name, function) for name, function in globals().items() if name.startswith(prefix)]


def with_damage(original, name, function):
    interrupted = name == "mend_name"  # no run that ended leaves such a name
    out = Path(name)
    shutil.copytree(original, out)
    wanted = function(out)
    found = check(out, status=11 if interrupted else 1)
    for part in [wanted] if isinstance(wanted, str) else wanted:
        assert part in found, f"{name}: '{part}' is not told in:\n{found}"
    assert found.splitlines() == sorted(set(found.splitlines()), key=found.splitlines().index), f"{name}: told twice"
    return out


@beside
def a_whole_crawl_has_no_problems():
    out = crawl()
    done = scent("check", out)
    assert done.stdout == "" and "0 problems" in done.stderr, done
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name not in NO_DATA}
    assert "0 problems" in scent("check", out, "--repair").stderr
    assert before == {path: path.read_bytes() for path in before}, "repair changed what was whole"


@beside
def each_damage_is_found_and_named():
    global warc_name
    out = crawl()
    warc_name = warc_file(out).name
    for name, function in each_damage("damage_"):
        damaged = with_damage(out, name, function)
        rows = {} if "database" in name else query(damaged, "select count(*), sum(number) from page")
        check(damaged, "--repair", status=1)
        if rows:
            assert query(damaged, "select count(*), sum(number) from page") == rows, f"{name}: repair removed rows"


@beside
def a_damaged_database_is_an_error_and_not_a_crash():
    out = crawl()
    for value in (-1, 0, 99999, 1 << 40, "'x'"):
        damaged = Path("host")
        shutil.copytree(out, damaged)
        change(damaged, f"update url set host_id = {value} where id = (select max(id) from url where state = 'queued')")
        assert "crawl.db is damaged" in go_on(damaged, status=2).stderr
        shutil.rmtree(damaged)
    for flags in (3, 5, 255):
        damaged = Path("flags")
        shutil.copytree(out, damaged)
        change(damaged, f"update url set flags = {flags} where id = (select max(id) from url where state = 'queued')")
        go_on(damaged)
        shutil.rmtree(damaged)


@beside
def a_huge_page_number_costs_no_memory():
    out = crawl()
    before = scent("export", out, "--format", "graphml").stdout
    change(out, "update page set number = 1073741824 where number = (select max(number) from page)",
           "update link set page_number = 1073741824 where page_number = (select max(page_number) from link)")
    bound = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    after = scent("export", out, "--format", "graphml", preexec_fn=None if SLOW else bound).stdout
    assert after == before, "the same graph"


@beside
def what_can_be_mended_is():
    out = crawl()
    for name, function in each_damage("mend_"):
        damaged = with_damage(out, name, function)
        assert "repaired: " in check(damaged, "--repair"), name
        assert check(damaged) == "", name
        assert (damaged / "index.cdxj").read_bytes() == (out / "index.cdxj").read_bytes(), name
        assert warc_file(damaged).read_bytes() == warc_file(out).read_bytes(), name


@beside
def a_run_that_was_cut_off_before_its_index_is_not_damaged():
    write("web.yaml", WEB)
    topic(scent("web", "generate", "web.yaml", "--seeds", "4").stdout.split(), seed="3")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out", "--pages", "5")
    index = Path("out/index.cdxj")
    before = index.read_bytes()
    # A folder instead of the new index: all the rest of the run is done.
    os.mkdir("out/index.cdxj.new")
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out", "--pages", "9", status=3)
    os.rmdir("out/index.cdxj.new")
    assert index.read_bytes() == before and not list(Path("out/warc").glob("*.open"))
    found = check("out", status=11)
    assert found and all(line.endswith("(the next run mends this)") for line in found.splitlines()), found
    shutil.copytree("out", "repaired")
    check("repaired", "--repair")
    assert check("repaired") == ""
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out", "--pages", "9")
    assert check("out") == ""
    index.write_bytes(before)
    check("out", status=1)


@beside
def a_crawl_that_was_killed_is_mended_or_goes_on():
    write("web.yaml", WEB.replace("hosts: 16", "hosts: 20000"))
    topic(scent("web", "generate", "web.yaml", "--seeds", "4").stdout.split(), seed="3")
    child = subprocess.Popen([SCENT, "crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "out"])
    while not (Path("out/crawl.db").exists() and query("out", "select count(*) from sqlite_schema where name = 'page'")
               [0][0] and query("out", "select count(*) from page")[0][0] > 20):
        assert child.poll() is None, "it ended before it could be killed"
        time.sleep(0.02)
    child.kill()
    child.wait()
    found = check("out", status=11)
    assert ".open" in found and "index.cdxj is missing" in found, found
    assert all(line.endswith("(the next run mends this)") for line in found.splitlines()), found
    shutil.copytree("out", "damaged", ignore=shutil.ignore_patterns("control"))  # a socket cannot be copied
    change("damaged", "update page set status = 999 where number = 3")
    told = [line for line in check("damaged", status=1).splitlines() if not line.endswith("(the next run mends this)")]
    assert len(told) >= 1 and "page 3" in "".join(told), told
    check("out", "--repair")
    assert check("out") == ""
    go_on("out", "--pages", query("out", "select count(*) from page where counted")[0][0] + 10)
    assert check("out") == ""


FLIPS = 74


def free_pages(data):
    """The pages of a database that hold nothing and are not read: the leaves of its list of free pages."""
    def number(at):
        return int.from_bytes(data[at:at + 4], "big")

    leaves, trunk = set(), number(32)
    while trunk:
        at = (trunk - 1) * 4096
        leaves.update(number(at + 8 + 4 * i) for i in range(number(at + 4)))
        trunk = number(at)
    return leaves


def flip_bit(path, draw, spared):
    """One bit of the database, anywhere but in the spared pages."""
    data = bytearray(Path(path).read_bytes())
    while (at := draw.randrange(100, len(data))) // 4096 + 1 in spared:  # the head of the file is damage_database_head()'s
        pass
    data[at] ^= 1 << draw.randrange(8)
    Path(path).write_bytes(data)
    return at // 4096 + 1


@beside
def a_flipped_bit_is_noticed():
    draw, missed = random.Random(7), []
    whole = (crawl() / "crawl.db").read_bytes()
    free = free_pages(whole)
    for _ in range(FLIPS):
        Path("out/crawl.db").write_bytes(whole)
        page_number = flip_bit("out/crawl.db", draw, free)
        done = subprocess.run([SCENT, "check", "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode in (0, 1, 2), done
        if done.returncode == 0:
            missed.append(page_number)
    assert not missed, (missed, free, len(whole) // 4096)


def check_as_nobody(out):
    """What a user who may write nothing finds."""
    if not shutil.which("setpriv") or os.geteuid() != 0:
        raise Skip("it needs root, to become somebody who may not write")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    os.chmod(".", 0o755)  # a scratch folder is for its owner alone
    subprocess.run(["chmod", "-R", "a+rX,a-w", out], check=True)
    for needed in (["test", "-r", f"{os.getcwd()}/{out}/crawl.db"], [SCENT, "--help"]):
        if subprocess.run([*nobody, *needed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            raise Skip("others may not enter the scratch folder, or the folder of the program")
    return subprocess.run([*nobody, SCENT, "check", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@beside
def a_directory_that_cannot_be_written_to_is_checked():
    before = contents_of(crawl())
    done = check_as_nobody("out")
    assert (done.returncode, done.stdout) == (0, ""), done
    os.remove("out/lock")
    done = check_as_nobody("out")
    assert (done.returncode, done.stdout) == (0, ""), done
    change("out", "update page set status = 999 where number = 3")
    done = check_as_nobody("out")
    assert done.returncode == 1 and "page 3" in done.stdout, done
    assert contents_of(Path("out")).keys() == before.keys(), "something was written"


@beside
def a_directory_on_a_read_only_medium_is_checked():
    crawl()
    if os.geteuid() != 0 or subprocess.run(["mount", "--bind", "out", "out"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("it needs the right to mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", "out"], check=True)
        assert check("out") == ""
    finally:
        subprocess.run(["umount", "out"], check=True)


@beside
def nobody_checks_or_purges_while_a_crawl_runs():
    out = crawl(pages=10)
    with open(out / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (["check", out], ["check", out, "--repair"], ["purge", out, "a.test"],
                        ["purge", out, "a.test", "-n"]):
            assert "another crawl is using" in scent(*command, status=2).stderr


@beside
def a_directory_without_a_crawl_is_left_alone():
    os.mkdir("empty")
    for command in (["check", "empty"], ["check", "empty", "--repair"], ["purge", "empty", "a.test"]):
        assert "no crawl in" in scent(*command, status=2).stderr
    assert os.listdir("empty") == []


# ---- purge ----

def secret_page(out):
    """A page that is no seed and has no copies, and its number; its address is no part of another's."""
    return query(out, """select url.url, page.number from page join url on url.id = page.url_id
                         where counted and not flags and url.id in (select target_id from link)
                         and number not in (select duplicate_of from page where duplicate_of)
                         and not exists (select 1 from url as other where other.id <> url.id
                         and instr(other.url, url.url)) limit 1""")[0]


def secret_host(out, but):
    return query(out, f"""select host.name from page join url on url.id = page.url_id
                          join host on host.id = url.host_id where counted and instr('{but}', host.name) = 0
                          and not exists (select 1 from url as seed where seed.host_id = host.id and seed.flags)
                          group by host.name having count(*) > 1 limit 1""")[0][0]


def assert_gone(out, *texts):
    """In no file, nor in the head of any WARC record."""
    for path in Path(out).rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        for text in texts:
            assert text.encode() not in data, f"{path} still holds {text}"
    for record in all_records(out):
        for name in ("warc-target-uri", "warc-refers-to-target-uri"):
            for text in texts:
                assert text not in record.get(name, ""), f"a record of {record[name]} is left"


def assert_others_stay(before, out, gone):
    now = urls(out)
    assert [url for url in before if not gone(url)] == now[:len(before)] or set(now) >= {
        url for url in before if not gone(url)}, "other pages went too"
    assert not [url for url in now if gone(url)]


@beside
def a_purged_url_is_gone_everywhere():
    out = crawl()
    before = urls(out)
    url, number = secret_page(out)
    records = len(all_records(out))
    listed = scent("purge", out, url, "--dry-run").stdout.splitlines()
    assert f"url {url}" in listed and listed.count(f"record {url}") == 2, listed
    assert check(out) == "" and urls(out) == before, "a dry run changed something"
    change(out, f"insert into event values(null, 1, 'note', 'look at {url}')",
           f"update url set error = 'see {url}' where id = 3",
           f"update page set title = 'secret title', etag = 'secret tag' where number = {number}",
           f"""update link set anchor = 'secret anchor'
               where target_id = (select url_id from page where number = {number}) or page_number = {number}""")
    assert b"secret anchor" in (out / "crawl.db").read_bytes()
    scent("purge", out, url)
    assert check(out) == ""
    assert_gone(out, url, "secret ")
    assert len(all_records(out)) == records - 2
    assert_others_stay(before, out, lambda other: other == url)
    assert query(out, f"select counted, title, warc_file from page where number = {number}") == [(0, None, None)]
    assert query(out, "select count(*) from url where state = 'purged'") == [(1,)]
    scent("purge", out, url)  # once more is no error
    assert check(out) == ""


@beside
def a_purged_host_is_gone_everywhere():
    out = crawl()
    before = urls(out)
    host = secret_host(out, "")
    assert host.encode() in (out / "crawl.db").read_bytes()
    scent("purge", out, host)
    assert check(out) == ""
    assert_gone(out, host)
    assert_others_stay(before, out, lambda url: f"//{host}/" in url)
    scent("purge", out, host)


@beside
def a_purged_seed_leaves_the_copy_of_the_topic():
    out = crawl(pages=20)
    seed, number = query(out, "select url, id from url where flags limit 1")[0]
    assert f"'{seed}'" in (out / "topic.yaml").read_text()
    scent("purge", out, seed)
    text = (out / "topic.yaml").read_text()
    assert f"'{seed}'" not in text and "'http://purged.invalid/'" in text, text
    go_on(out, "--pages", 30)
    assert query(out, f"select state, flags from url where id = {number}") == [("purged", 1)]
    assert check(out) == ""


@beside
def a_crawl_goes_on_without_what_was_purged():
    out = crawl(pages=40)
    url, _ = secret_page(out)
    host = secret_host(out, url)
    scent("purge", out, url, host)
    go_on(out)
    assert check(out) == ""
    assert_gone(out, host)
    assert not any(record.get("warc-target-uri") == url for record in all_records(out))
    assert url not in [row[0] for row in query(out, "select url from url")]
    scent("crawl", "topic.yaml", "--from", "web.yaml", "-q", "-o", "whole")
    fetched = [row[0] for row in query("whole", "select url from url where state = 'fetched'")]  # whichever copy counts
    expected = {each for each in fetched if each != url and f"//{host}/" not in each}
    assert set(urls(out)) <= expected and len(expected) > 50
    assert query(out, "select max(number) - count(*) from page") == [(0,)]


@beside
def unknown_names_are_told():
    out = crawl(pages=10)
    done = scent("purge", out, "nowhere.test", "http://nowhere.test/x", status=1)
    assert done.stderr.count("the crawl does not know") == 2
    for name in ("a b", "ftp://a.test/", "/etc/passwd", ""):
        scent("purge", out, name, status=2)
    assert check(out) == ""


def purge_and_die(environment, out, names, nth):
    """True: it was killed before its end, at the nth call that changes a file."""
    return subprocess.run([SCENT, "purge", out, *names], env=environment(out, at=nth, does=0),
                          stderr=subprocess.DEVNULL).returncode != 0


def after_a_purge_was_killed(out, how, names, before, gone):
    """Whatever comes next finds a directory in which nothing is lost that should stay."""
    if how == "crawl":
        go_on(out, "--pages", 41)
        found = check(out)
    else:
        check(out, "--repair")
        found = check(out)
    assert found == "", found
    assert {url for url in before if not gone(url)} <= set(urls(out)), "other pages went too"
    scent("purge", out, *names)
    assert check(out) == ""
    assert_gone(out, names[1])
    assert_others_stay(before, out, gone)


@beside
def a_purge_that_is_killed_at_any_write_loses_nothing():
    environment = preloaded_disk()
    original = crawl(pages=30)
    before = urls(original)
    names = [url, host] = [secret_page(original)[0], secret_host(original, secret_page(original)[0])]
    killed, nth = 0, 1
    while nth < 2000:
        out = Path(f"out-{nth}")
        shutil.copytree(original, out)
        if not purge_and_die(environment, out, names, nth):
            break
        killed += 1
        after_a_purge_was_killed(out, ("crawl", "repair")[nth % 2], names, before,
                                 lambda other: other == url or f"//{host}/" in other)
        shutil.rmtree(out)
        nth += 1 if nth < 12 else random.randint(1, 9)
    assert killed > 20, f"only {killed} moments were tried"


@beside
def a_purge_that_is_killed_at_a_random_moment_loses_nothing():
    original = crawl(pages=30)
    before = urls(original)
    names = [url, host] = [secret_page(original)[0], secret_host(original, secret_page(original)[0])]
    for i in range(3 if SLOW else 8):
        out = Path(f"out-{i}")
        shutil.copytree(original, out)
        child = subprocess.Popen([SCENT, "purge", out, *names], stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 1 if SLOW else 0.15))
        child.send_signal(signal.SIGKILL)
        child.wait()
        after_a_purge_was_killed(out, ("crawl", "repair")[i % 2], names, before,
                                 lambda other: other == url or f"//{host}/" in other)


@beside
def a_purge_that_cannot_write_says_so_and_loses_nothing():
    original = crawl(pages=30)
    before = urls(original)
    names = [url, host] = [secret_page(original)[0], secret_host(original, secret_page(original)[0])]
    failed = 0
    for i, limit in enumerate(range(40_000, 400_000, 120_000 if SLOW else 40_000)):
        out = Path(f"out-{i}")
        shutil.copytree(original, out)
        done = subprocess.run([SCENT, "purge", out, *names], stderr=subprocess.PIPE, text=True, restore_signals=False,
                              preexec_fn=lambda size=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        assert done.returncode in (0, 2, 3), done
        if done.returncode:
            failed += 1
            assert "scent: error: " in done.stderr and "cannot" in done.stderr, done.stderr
        after_a_purge_was_killed(out, ("crawl", "repair")[i % 2], names, before,
                                 lambda other: other == url or f"//{host}/" in other)
    assert failed > 0


finish()
