#!/usr/bin/env python3
"""Pages of Debian's PostgreSQL and Boost documentation, archived with their requisites and replayed offline in a real
Chromium: by `scent web serve`, and as WACZ in ReplayWeb.page. No request leaves the archive, nothing is missing, and the
picture is that of the live page. Pictures are kept in build/…/pictures (SCENT_PICTURES)."""

import base64
import mimetypes
import tarfile
import urllib.parse
from typing import NamedTuple

from browser import Canary, Visitor
from crawling import *

WIDTH, HEIGHT = 900, 600
DOCS = {
    "postgresql": ("/usr/share/doc/postgresql-doc-15/html", "/gin-implementation.html", 3),  # page, stylesheet, drawing
    "boost": ("/usr/share/doc/libboost1.74-doc", "/doc/html/array.html", 6),
}
REPLAY_VERSION = "2.5.3"
KEPT = Path(os.environ.get("SCENT_PICTURES") or Path(SCENT).resolve().parent / "pictures")


class Folder(Site):
    """Files of a folder, also ranges of them: as a web server has them."""

    def __init__(self, root):
        super().__init__({})
        self.root = str(root)

    def answer(self, path, headers):
        path = urllib.parse.unquote(path.partition("?")[0])
        found = Path(self.root + path + ("index.html" if path.endswith("/") else ""))
        if not found.is_file():
            return super().answer(path, headers)
        kind, data = mimetypes.guess_type(found.name)[0] or "application/octet-stream", found.read_bytes()
        span = headers.get("Range", "").removeprefix("bytes=")
        if not span:
            return 200, [("Content-Type", kind), ("Accept-Ranges", "bytes")], data
        begin, _, end = span.partition("-")
        first, last = (int(begin), int(end or len(data) - 1)) if begin else (max(0, len(data) - int(end)), len(data) - 1)
        last = min(last, len(data) - 1)
        return 206, [("Content-Type", kind), ("Content-Range", f"bytes {first}-{last}/{len(data)}")], data[first:last + 1]


def replay_tools():
    """Where ui.js and sw.js of ReplayWeb.page are: of the npm package, which is fetched once for all builds."""
    folder = Path(SCENT).resolve().parent.parent / "replaywebpage" / REPLAY_VERSION
    if not (folder / "package" / "sw.js").exists():
        if not shutil.which("npm"):
            raise Skip("there is no npm")
        done = subprocess.run(["npm", "pack", f"replaywebpage@{REPLAY_VERSION}", "--silent"], capture_output=True, text=True,
                              timeout=240)
        if done.returncode:
            raise Skip(f"npm cannot fetch replaywebpage: {done.stderr.strip()[-200:]}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Scratch folders may lie in another file system, into which nothing can be renamed.
        with tarfile.open(done.stdout.split()[-1]) as package, tempfile.TemporaryDirectory(dir=folder.parent) as place:
            package.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12 has no filters yet
            package.extractall(f"{place}/package")
            with contextlib.suppress(OSError):  # the other case was faster
                os.rename(f"{place}/package", folder)
    return folder / "package"


def keep(name, data):
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{name}.png").write_bytes(data)
    return data


class Archived(NamedTuple):
    name: str
    url: str
    picture: bytes
    broken: set  # what the page asks for and the live server does not have either


def archive(name):
    """The crawl is in "out"."""
    root, path, files = DOCS[name]
    if not Path(root + path).is_file():
        raise Skip(f"there is no {root} (scripts/setup bench)")
    live = Folder(root)
    with live:
        topic([live.base + path], relevant="'url ~ \".\"'", requisites="true", limits="{pages: 1}")
        scent("crawl", "topic.yaml", "--allow-private", "-q", "-o", "out")
        asked = {each for each in live.log if each != "/robots.txt"}
        assert len(asked) >= files, asked
        live.log.clear()
        with Canary() as canary, Visitor(canary) as browser:
            browser.size(WIDTH, HEIGHT)
            browser.open(live.base + path)
            browser.wait("return document.readyState", "complete")
            seen = keep(f"{name}-live", browser.part(0, 0, WIDTH, HEIGHT))
            needed = {each for each in live.log if each != "/favicon.ico"}
    have = {row[0].removeprefix(live.base) for row in
            query("out", "select url.url from page join url on url.id = page.url_id where status = 200")}
    missing = {each for each in needed - have if Path(root + each).is_file()}
    assert not missing, f"not archived: {missing}"
    return Archived(name, live.base + path, seen, needed - have)


# The largest difference of a colour of a pixel, of 255, and how many colours in a thousand differ; [256, 0]: other sizes.
COMPARE = """
const read = async data => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height).data;
};
return Promise.all([read('%s'), read('%s')]).then(([a, b]) => {
    let most = 0, count = 0;
    for (let i = 0; i < a.length; i++) {
        most = Math.max(most, Math.abs(a[i] - b[i]));
        count += a[i] !== b[i];
    }
    return a.length === b.length ? [most, count * 1000 / a.length] : [256, 0];
});"""


def check_picture(browser, page, how, found, most=2, share=1):
    """Chromium draws the edges of a drawing with one level more or less when they lie elsewhere on the screen."""
    keep(f"{page.name}-{how.replace(' ', '-')}", found)
    browser.open(browser.canary.base + "/control")
    largest, many = browser.run(COMPARE % tuple(base64.b64encode(each).decode() for each in (page.picture, found)))
    print(f"{page.name}, {how}: colours differ by {largest} of 255 at most, {many / 10:.2f}% of them")
    assert largest <= most and many <= share, f"with {how} {page.url} looks different from the live page: see {KEPT}"


def by_the_viewer(page):
    with Canary() as canary, serve("out") as server, Visitor(canary) as browser:
        browser.size(WIDTH, HEIGHT)
        browser.show(server, page.url)
        bar = int(browser.run("return document.querySelector('iframe').getBoundingClientRect().top"))
        browser.size(WIDTH, HEIGHT + bar)
        browser.wait("return document.readyState", "complete")
        browser.wait("return document.querySelector('iframe').getBoundingClientRect().height", HEIGHT)
        found = browser.part(0, bar, WIDTH, HEIGHT)
        check_requests(browser, server.line, page)
        check_picture(browser, page, "web serve", found)
        browser.expect_silence()


def check_requests(browser, base, page):
    """All of this server's, and all answered. (Only the browser's own pages have other addresses.)"""
    events = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    answers = [each["params"]["response"] for each in events if each["method"] == "Network.responseReceived"]
    asked = [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]
    asked = [each for each in asked if not each.startswith(("data:", "about:", "blob:", "chrome"))]
    assert asked and all(each.startswith(base) for each in asked), [each for each in asked if not each.startswith(base)]
    failed = [(each["status"], each["url"]) for each in answers if each["status"] >= 400
              and not each["url"].endswith(("/favicon.ico", *page.broken))]
    assert not failed, failed


PAGE = """<!doctype html><title>replay</title><script src="/ui.js"></script>
<replay-web-page source="/x.wacz" replaybase="/replay/" coll="x" url="%s"></replay-web-page>"""
# Its service worker is asked from the frame that it controls; one that leaves its page never hears the answer.
COLLECTION = """const frame = document.querySelector('replay-web-page').shadowRoot?.querySelector('iframe');
return frame && Promise.race([new Promise(then => setTimeout(then, 2000)), frame.contentWindow.fetch('/replay/w/api/coll-index')
    .then(a => a.json()).then(a => a.colls[0]?.id).catch(() => null)])"""
FRAME = """<!doctype html><title>framed</title><style>body { margin: 0 } iframe { border: 0; display: block }</style>
<iframe src="/replay/w/%s/mp_/%s" width=%d height=%d></iframe>"""


def by_replay_web_page(page):
    package = replay_tools()
    scent("export", "out", "-f", "wacz", "-o", "x.wacz")
    os.makedirs("replay")
    for source, place in (("ui.js", "ui.js"), ("ui.js", "replay"), ("sw.js", "replay"), ("index.html", "replay")):
        shutil.copy(package / source, place)
    write("index.html", PAGE % page.url)
    with Folder(Path.cwd()) as server, Canary() as canary, Visitor(canary) as browser:
        browser.size(WIDTH, HEIGHT)
        browser.open(server.base + "/index.html")
        wait_for(lambda: browser.run(COLLECTION))
        collection = browser.run(COLLECTION)
        write("replay/framed.html", FRAME % (collection, page.url, WIDTH, HEIGHT))
        browser.requests()  # those by which the program came
        browser.open(server.base + "/replay/framed.html")
        browser.wait("return document.querySelector('iframe').contentDocument.readyState", "complete")
        found = browser.part(0, 0, WIDTH, HEIGHT)
        check_requests(browser, server.base, page)
        # thin lines of a drawing (SVG) come out in other greys there; nothing else differs
        check_picture(browser, page, "ReplayWeb.page", found, most=80, share=10)
        browser.expect_silence()


@beside
def a_page_of_postgresql():
    page = archive("postgresql")
    by_the_viewer(page)
    by_replay_web_page(page)


@beside
def a_page_of_boost():
    page = archive("boost")
    by_the_viewer(page)
    by_replay_web_page(page)


finish(2)
