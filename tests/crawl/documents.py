#!/usr/bin/env python3
"""Answers that are not HTML: PDFs are read, judged and their links followed; images and archives are kept, not judged."""

import os
import subprocess
import zlib
from pathlib import Path

from crawling import Site, check_crawl, finish, html, pages, query, scent, test, topic, write

READER = subprocess.run(["sh", "-c", "command -v pdftohtml"], capture_output=True).returncode == 0


def pdf(text, link):
    """A document of one page, by hand."""
    stream = zlib.compress(f"BT /F1 18 Tf 72 695 Td ({text}) Tj ET".encode())
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>"
               b"/Annots[6 0 R]>>",
               b"<</Length %d/Filter/FlateDecode>>\nstream\n" % len(stream) + stream + b"\nendstream",
               b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
               b"<</Type/Annot/Subtype/Link/Rect[70 690 300 712]/A<</S/URI/URI(%s)>>>>" % link.encode()]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + b"xref\n0 7\n0000000000 65535 f \n" + table + \
        b"trailer\n<</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(out)


def answer(kind, body):
    return 200, [("Content-Type", kind)], body


def a_web():
    web = {"/": html("<p>cricket</p>" + "".join(f"<a href=/{name}>x</a>" for name in
                                                ("doc.pdf", "bad.pdf", "a.png", "b.zip", "c.bin", "d.txt"))),
           "/bad.pdf": answer("application/pdf", b"%PDF-1.4\nno more" + b" " * 2000),
           "/a.png": answer("image/png", b"\x89PNG\r\n\x1a\n" + b"cricket " * 50),
           "/b.zip": answer("text/html", b"PK\x03\x04" + b"cricket " * 50),
           "/c.bin": answer("application/octet-stream", b"cricket " * 50),
           "/d.txt": answer("text/plain", b"cricket is a game"),
           "/behind": html("<p>cricket behind the document</p>")}
    return web


def crawled(site, out, **env):
    site.answers["/doc.pdf"] = answer("application/pdf", pdf("All about cricket grounds", site.base + "/behind"))
    topic([site.base + "/"], relevant="cricket", scope="{types: ['*/*']}")
    done = scent("crawl", "topic.yaml", "-o", out, "--allow-private", env={**os.environ, **env})
    found = {page["url"].removeprefix(site.base): page for page in pages(out)}
    errors = {url.removeprefix(site.base): error for url, error in
              query(out, "select url, error from url where state = 'fetched' and error like 'not judged%'")}
    check_crawl(out)
    return found, errors, done.stderr


@test
def what_is_not_text_is_kept_and_not_judged():
    with Site(a_web()) as site:
        found, errors, said = crawled(site, "out", SCENT_PDF_READER="/nowhere/pdftohtml")
        assert set(found) == {"/", "/d.txt"} and all(page["relevant"] for page in found.values()), found
        assert errors == {name: "not judged: not text" for name in ("/a.png", "/b.zip", "/c.bin")} | {
            name: "not judged: PDFs cannot be read here" for name in ("/doc.pdf", "/bad.pdf")}, errors
        assert said.count("PDFs are kept, but not judged") == 1 and "poppler-utils" in said, said
        kept = query("out", "select count(*) from page where not counted and warc_length > 0")[0][0]
        assert kept >= 5, kept


@test
def a_pdf_is_read_judged_and_its_links_are_followed():
    if not READER:
        return
    with Site(a_web()) as site:
        found, errors, said = crawled(site, "out")
        assert set(found) == {"/", "/d.txt", "/doc.pdf", "/behind"}, found
        assert found["/doc.pdf"]["relevant"] and errors["/bad.pdf"] == "not judged: it is damaged or encrypted", errors
        assert "PDFs are kept" not in said
        assert "cricket" in scent("why", "out", site.base + "/doc.pdf").stdout
        assert scent("crawl", "topic.yaml", "-o", "out", "-q", "--allow-private").returncode == 0  # resumes
        topic([site.base + "/bad.pdf"], scope="{types: ['*/*']}", limits="{page_bytes: 1KiB}")
        scent("crawl", "topic.yaml", "-o", "cut", "-q", "--allow-private", status=1)  # no seed is a page
        assert "it was cut at limits.page_bytes, raise that" in query("cut", "select error from url")[0][0]


@test
def a_reader_that_misbehaves_harms_nothing():
    write("crash", "#!/usr/bin/python3\nimport os\nos.abort()\n")
    Path("crash").chmod(0o700)
    with Site(a_web()) as site:
        found, errors, _ = crawled(site, "out", SCENT_PDF_READER=str(Path("crash").resolve()))
        assert set(found) == {"/", "/d.txt"}, found
        assert errors["/doc.pdf"] == "not judged: the reader crashed", errors


finish()
