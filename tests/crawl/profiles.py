"""Profiles of browsers, as Firefox and Chromium keep them: databases with the visits and bookmarks that a test wants."""

import json
import sqlite3
from pathlib import Path

SINCE_1601 = 11644473600
DAY = 86400
BEGIN = 1790000000  # 2026-09-21T13:33:20Z
LINK, TYPED, EMBED, PERMANENT, TEMPORARY, DOWNLOAD, FRAMED, RELOAD = 1, 2, 4, 5, 6, 7, 8, 9
CHAIN = 0x30000000


def database(path, *statements, wal=False):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    if wal:
        db.execute("pragma journal_mode = wal")
    for statement, *rows in statements:
        if rows:
            db.executemany(statement, rows[0])
        else:
            db.execute(statement)
    db.commit()
    return db


FIREFOX = [
    ("create table moz_places (id integer primary key, url text, title text, hidden integer)",),
    ("create table moz_historyvisits (id integer primary key, from_visit integer, place_id integer, "
     "visit_date integer, visit_type integer, session integer)",),
    ("create table moz_bookmarks (id integer primary key, type integer, fk integer, parent integer, position integer, "
     "title text, dateAdded integer, guid text)",),
]


def firefox(path="ff", visits=(), bookmarks=(), wal=False):
    """visits: (id, from, url, seconds, type); bookmarks: (id, type, url, parent, title, seconds, guid)."""
    urls = list(dict.fromkeys([v[2] for v in visits] + [b[2] for b in bookmarks if b[2]]))
    places = [(n + 1, url, None, 0) for n, url in enumerate(urls)]
    return database(f"{path}/places.sqlite", *FIREFOX,
        ("insert into moz_places values (?,?,?,?)", places),
        ("insert into moz_historyvisits values (?,?,?,?,?,0)",
         [(i, f, urls.index(u) + 1, (BEGIN + s) * 10**6, t) for i, f, u, s, t in visits]),
        ("insert into moz_bookmarks values (?,?,?,?,0,?,?,?)",
         [(i, t, urls.index(u) + 1 if u else None, p, title, (BEGIN + s) * 10**6, guid)
          for i, t, u, p, title, s, guid in bookmarks]), wal=wal)


SOME = [(1, 0, "http://a.test/", 0, TYPED), (2, 1, "http://a.test/1", 60, LINK), (3, 2, "http://b.test/2", 120, LINK)]
FOLDERS = [(1, 2, None, 0, "", 0, "root________"), (2, 2, None, 1, "menu", 0, "menu________"),
           (3, 2, None, 1, "tags", 0, "tags________"), (4, 2, None, 2, "Hockey", 0, "x"),
           (5, 2, None, 4, "Inner", 0, "y"),
           (6, 2, None, 3, "sport", 0, "z"), (10, 1, "http://a.test/1", 5, "one", 60, "m"),
           (11, 1, "http://b.test/never", 4, "two", 2 * DAY, "n"), (12, 1, "http://a.test/tagged", 6, "", 0, "o"),
           (13, 1, "http://a.test/menu", 2, "", 0, "p"), (14, 1, "place:sort=8", 2, "", 0, "q")]


def chromium(path="ch", visits=(), bookmarks=None, columns=", external_referrer_url text, opener_visit integer"):
    """visits: (id, from, url, seconds, transition[, referrer, opener])."""
    urls = list(dict.fromkeys(v[2] for v in visits))
    db = database(f"{path}/History",
        ("create table urls (id integer primary key, url text, title text)",),
        (f"create table visits (id integer primary key, url integer, visit_time integer, from_visit integer, "
         f"transition integer{columns})",),
        ("insert into urls values (?,?,'')", [(n + 1, url) for n, url in enumerate(urls)]))
    for i, f, u, s, t, *more in visits:
        values = [i, urls.index(u) + 1, (BEGIN + s + SINCE_1601) * 10**6, f, t] + (more or ["", 0] if columns else [])
        db.execute(f"insert into visits values ({','.join('?' * len(values))})", values)
    db.commit()
    db.close()
    if bookmarks is not None:
        Path(path, "Bookmarks").write_text(json.dumps({"roots": bookmarks, "version": 1}))
    return path


def folder(name, *children):
    return {"type": "folder", "name": name, "children": list(children)}


def mark(url, seconds=0):
    return {"type": "url", "name": "x", "url": url, "date_added": str((BEGIN + seconds + SINCE_1601) * 10**6)}
