"""Damaged files: each format in its own way.

mutate(data, dice) gives other bytes for the bytes of a file. The same bytes and the same dice (random.Random) give the
same result. Bytes alone rarely get past the first check of a reader; so what is inside is changed too, and the outside
is made right again: the content of gzip members, rows of SQLite databases, values of JSON, lengths of WARC records, and
the checksums of scent's own files."""

import contextlib
import ctypes
import ctypes.util
import functools
import gzip
import json
import os
import re
import sqlite3
import tempfile
import zlib
from pathlib import Path

MOST = 4 << 20  # bytes of a mutated file
SOURCES = Path(__file__).resolve().parents[2] / "src"
NUMBERS = [0, 1, -1, 2, 7, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62,
           2**63 - 1, 2**63, 2**64 - 1, -2**31, -2**63]
WORDS = [b"", b"\0", b"\x1b]0;title\x07", b"\x1b[2J", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80",
         b"\xf4\x90\x80\x80", "\u202e".encode(), "\u2028".encode(), b"%00", b"%s%n", b"../../x", b"/dev/null", b"nan",
         b"-inf", b"1e999", b"0x7f", b"null", b"true", b"~", b"[]", b"{}", b"- -", b"&a *a", b"!!x", b"<<: *a", b"\r\n",
         b"\r\n\r\n", b"\n\n", b"\t", b"\"", b"'", b"<!--", b"]]>", b"<![CDATA[", b"&#xffffffff;", b"&amp", b"<a href=",
         b"http://", b"http://[::1]/", b"http://a.test:99999/", b"https://user:word@a.test/", b"xn--\xff",
         b"javascript:", b"#", b"?", b"(", b")", b"#wsum(", b"not not", b"; DROP TABLE url"]
ODD_DIGITS = ["9" * 400, "0." + "0" * 400 + "1", "1e308", "-0", "1_0"]
NESTS = [(b"[", b"]"), (b"{a: ", b"}"), (b'{"a":', b"}"), (b"(", b")"), (b"<div>", b"</div>"),
         (b"<table><tr><td>", b""), (b"<x>", b"</x>"), (b"#sum(", b")"), (b"not ", b""), (b"- ", b"")]


# ---- bytes of any kind ----

def some_number(dice):
    return dice.choice(NUMBERS) if dice.random() < .7 else dice.getrandbits(dice.choice((8, 16, 32, 64)))


def piece(data, dice):
    """(from, to) of a part, most often a short one."""
    at = dice.randrange(len(data) + 1)
    return at, min(len(data), at + int(2 ** dice.uniform(0, 12)))


def flip_bits(data, dice):
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def set_bytes(data, dice):
    at, to = piece(data, dice)
    value = dice.choice((0, 255, dice.randrange(256)))
    return data[:at] + (bytes([value]) * (to - at) if dice.random() < .5 else dice.randbytes(to - at)) + data[to:]


def set_number(data, dice):
    """A binary number of 1 to 8 bytes: what lengths, counts and offsets are."""
    size = dice.choice((1, 2, 4, 8))
    at = dice.randrange(max(1, len(data) - size + 1))
    value = (some_number(dice) & (1 << 8 * size) - 1).to_bytes(size, dice.choice(("little", "big")))
    return data[:at] + value + data[at + size:]


def set_digits(data, dice):
    """A number that is written out."""
    found = list(re.finditer(rb"-?[0-9]+(\.[0-9]+)?", data[:1 << 20]))
    if not found:
        return set_number(data, dice)
    match = dice.choice(found)
    value = str(some_number(dice)) if dice.random() < .8 else dice.choice(ODD_DIGITS)
    return data[:match.start()] + value.encode() + data[match.end():]


def nudge_digits(data, dice):
    """A number that is written out becomes one that is still likely to be allowed."""
    found = list(re.finditer(rb"[0-9]+", data[:1 << 20]))
    if not found:
        return flip_bits(data, dice)
    match = dice.choice(found)
    old = int(match[0][:18])
    new = dice.choice((0, 1, 2, old + 1, max(0, old - 1), 2 * old, 10 * old))
    return data[:match.start()] + b"%d" % new + data[match.end():]


def swap_values(data, dice):
    """Two values of "key: value", wherever they stand."""
    found = list(re.finditer(rb"(?<=: )[^\s,{}\[\]]+|(?<=\t)[^\t\n]+|(?<==\")[^\"]+", data[:1 << 20]))
    if len(found) < 2:
        return move(data, dice)
    first, second = sorted(dice.sample(found, 2), key=lambda match: match.start())
    return (data[:first.start()] + second[0] + data[first.end():second.start()] +
            (first[0] if dice.random() < .5 else second[0]) + data[second.end():])


def drop_line(data, dice):
    lines = data.split(b"\n")
    del lines[dice.randrange(len(lines))]
    return b"\n".join(lines)


def cut(data, dice):
    return data[:dice.randrange(len(data) + 1)]


def leave_out(data, dice):
    at, to = piece(data, dice)
    return data[:at] + data[to:]


def double(data, dice):
    at, to = piece(data, dice)
    return data[:to] + data[at:to] * dice.choice((1, 1, 2, 50, 2000)) + data[to:]


def move(data, dice):
    at, to = piece(data, dice)
    rest = data[:at] + data[to:]
    where = dice.randrange(len(rest) + 1)
    return rest[:where] + data[at:to] + rest[where:]


def insert(data, dice):
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(WORDS) + data[at:]


def replace_word(data, dice):
    """A word of the text becomes another, of the text itself or one that hurts."""
    found = list(re.finditer(rb"[\w.:/@-]+", data[:1 << 20]))
    if not found:
        return insert(data, dice)
    match = dice.choice(found)
    new = dice.choice(WORDS) if dice.random() < .6 else dice.choice(found)[0]
    return data[:match.start()] + new + data[match.end():]


def nest(data, dice):
    opening, closing = dice.choice(NESTS)
    times = dice.choice((3, 60, 1000, 20000))
    at, to = piece(data, dice)
    return data[:at] + opening * times + data[at:to] + (closing * times if dice.random() < .5 else b"") + data[to:]


def lengthen(data, dice):
    at = dice.randrange(len(data) + 1)
    unit = dice.choice((b"x", b" ", b"\n", b"0", b"a.", b"/", b"\xff", b"\0", b"%41", b"word "))
    return data[:at] + unit * dice.choice((300, 5000, 70000, 1 << 20)) + data[at:]


def shuffle_lines(data, dice):
    lines = data.split(b"\n")
    way = dice.randrange(4)
    at, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    if way == 0:
        lines[at], lines[other] = lines[other], lines[at]
    elif way == 1:
        del lines[at]
    elif way == 2:
        lines[at:at] = [lines[other]] * dice.choice((1, 2, 30, 3000))
    else:
        lines[at] = b" " * dice.randrange(1, 9) + lines[at]
    return b"\n".join(lines)


BLIND = [flip_bits, set_bytes, set_number, cut, leave_out, double, move, insert, lengthen]
GENTLE = [nudge_digits, nudge_digits, swap_values, drop_line, set_digits]  # what is left can often be read
TEXTUAL = [set_digits, replace_word, replace_word, shuffle_lines, nest, insert, leave_out, double, cut, lengthen,
           flip_bits]


def is_text(data):
    return b"\0" not in data[:4096]


def mutate_bytes(data, dice):
    ways = BLIND if not is_text(data) else GENTLE if dice.random() < .5 else TEXTUAL
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        data = dice.choice(ways)(data, dice)[:MOST]
    return data


# ---- formats ----

def gzip_members(data):
    """The contents of the members of a gzip file, as far as they can be read."""
    members = []
    while data and len(members) < 10000:
        unpack = zlib.decompressobj(31)
        try:
            members.append(unpack.decompress(data, MOST))
        except zlib.error:
            break
        if not unpack.eof:
            break
        data = unpack.unused_data
    return members


def mutate_gzip(data, dice):
    members = gzip_members(data)
    if not members or dice.random() < .3:
        return mutate_bytes(data, dice)
    at = dice.randrange(len(members))
    members[at] = mutate(members[at], dice)
    if dice.random() < .1:
        return gzip.compress(b"".join(members), mtime=0)  # one member for all records
    return b"".join(gzip.compress(each, 1, mtime=0) for each in members)


def mutate_record(data, dice):
    """A WARC record whose length fits what is in it."""
    head, gap, block = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^Content-Length: *([0-9]+)", head)
    if not gap or not length or dice.random() < .4:
        return mutate_bytes(data, dice)
    size = int(length[1])
    body, rest = mutate_bytes(block[:size], dice), block[size:]
    http, gap_inside, payload = block[:size].partition(b"\r\n\r\n")
    if gap_inside and dice.random() < .5:
        body = http + gap_inside + mutate_bytes(payload, dice)
    head = head[:length.start(1)] + b"%d" % len(body) + head[length.end(1):]
    return head + gap + body + rest


@functools.lru_cache
def frames():
    """{magic: seed of the checksum} of scent's own binary files, as its sources state them."""
    text = "".join(path.read_text() for path in sorted(SOURCES.glob("*/*.c")))
    found = re.findall(r'\.magic = "(\w{8})",\s*\.version = [^,]*,\s*\.seed = (0x[0-9a-f]+)', text)
    return {magic.encode(): int(seed, 16) for magic, seed in found}


@functools.lru_cache
def checksum():
    name = ctypes.util.find_library("xxhash")
    function = ctypes.CDLL(name).XXH3_64bits_withSeed if name else None
    if function:
        function.restype, function.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)
    return function


def mutate_frame(data, dice):
    """Magic and version stay, most often, and the checksum fits: else no reader looks at the content."""
    if len(data) < 20 or not checksum() or dice.random() < .15:
        return mutate_bytes(data, dice)
    magic, content = data[:12], data[12:-8]
    for _ in range(dice.choice((1, 1, 2))):
        content = dice.choice(BLIND)(content, dice)[:MOST]
    whole = magic + content
    return whole + checksum()(whole, len(whole), frames()[data[:8]]).to_bytes(8, "little")


def odd_value(old, dice):
    """A value for a cell of a database or a place in JSON."""
    if isinstance(old, (bytes, bytearray)) and dice.random() < .7:
        return mutate(bytes(old), dice)[:1 << 18]
    if isinstance(old, str) and dice.random() < .6:
        return mutate_bytes(old.encode("utf-8", "surrogatepass"), dice)[:1 << 18].decode("utf-8", "replace")
    number = some_number(dice)
    return dice.choice([None, "", "x", "../../x", "\x1b[2Jx", "http://[", "9" * 30, 0.5, -1.0, 1e300, True, number,
                        number, number])


def places(tree, path=()):
    yield path
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def mutate_tree(tree, dice):
    *way, last = dice.choice([path for path in places(tree) if path] or [(None,)])
    if last is None:
        return odd_value(tree, dice)
    holder = functools.reduce(lambda at, key: at[key], way, tree)
    how = dice.randrange(6)
    if how == 0:
        del holder[last]
    elif how == 1:
        holder[last] = [holder[last]] * dice.choice((0, 1, 2, 300))
    elif how == 2:
        holder[last] = {"x": holder[last]}
    elif how == 3 and isinstance(holder, dict):
        name = dice.choice(list(holder)) + dice.choice(("", "x", "\0"))
        holder[name] = holder.pop(last)
    else:
        holder[last] = odd_value(holder[last], dice)
    return tree


def mutate_json(data, dice):
    """A file of one value, or of one a line."""
    if dice.random() < .4:
        return mutate_bytes(data, dice)
    lines = data.split(b"\n")
    whole = len(data) < 1 << 20 and parsed(data)
    if whole is not None and whole is not False:
        return json.dumps(mutate_tree(whole, dice), ensure_ascii=dice.random() < .5).encode("utf-8", "replace")
    at = dice.randrange(len(lines))
    value = parsed(lines[at])
    if value is None:
        return mutate_bytes(data, dice)
    lines[at] = json.dumps(mutate_tree(value, dice)).encode()
    return b"\n".join(lines)


def parsed(text):
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def change_database(db, dice):
    things = db.execute("select type, name from sqlite_master where name not like 'sqlite_%' order by 1, 2").fetchall()
    table = dice.choice([name for kind, name in things if kind == "table"])
    columns = [row[1] for row in db.execute(f"pragma table_info({quoted(table)})")]
    rows = [row[0] for row in db.execute(f"select rowid from {quoted(table)} order by 1")]
    column, how = quoted(dice.choice(columns)), dice.randrange(20)
    if how == 0:
        kind, name = dice.choice(things)
        db.execute(f"drop {kind} {quoted(name)}")
    elif how == 1:
        db.execute(f"alter table {quoted(table)} rename column {column} to {quoted(dice.choice(columns) + 'x')}")
    elif how == 2:
        db.execute(f"pragma {dice.choice(('user_version', 'application_id'))} = {some_number(dice) & 0x7fffffff}")
    elif how == 3:
        db.execute(f"delete from {quoted(table)} where rowid % {dice.randrange(1, 9)} = 0")
    elif how == 4:
        db.execute(f"update {quoted(table)} set {column} = ?", (odd_value(None, dice),))
    elif rows:
        for _ in range(dice.choice((1, 1, 2, 10))):
            row = dice.choice(rows)
            old = db.execute(f"select {column} from {quoted(table)} where rowid = ?", (row,)).fetchone()
            if old and how == 5:
                db.execute(f"delete from {quoted(table)} where rowid = ?", (row,))
            elif old:
                db.execute(f"update {quoted(table)} set {column} = ? where rowid = ?", (odd_value(old[0], dice), row))


def mutate_database(data, dice):
    if dice.random() < .35:
        return mutate_bytes(data, dice)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "db")
        Path(path).write_bytes(data)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.text_factory = lambda text: text.decode("utf-8", "replace")
            for _ in range(dice.choice((1, 1, 2, 5))):
                # What cannot be changed so (a constraint, a number that is too large) stays.
                with contextlib.suppress(sqlite3.Error, OverflowError, IndexError):
                    change_database(db, dice)
            db.commit()
        return Path(path).read_bytes()


def mutate(data, dice):
    """Other bytes for these; now and then the same are changed twice."""
    if data[:16] == b"SQLite format 3\0":
        return mutate_database(data, dice)
    if data[:2] == b"\x1f\x8b":
        return mutate_gzip(data, dice)
    if data[:8] in frames():
        return mutate_frame(data, dice)
    if data[:5] == b"WARC/":
        return mutate_record(data, dice)
    if data.lstrip()[:1] in (b"{", b"["):
        return mutate_json(data, dice)
    return mutate_bytes(data, dice)
