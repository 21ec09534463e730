"""A real Chromium for tests, driven through chromedriver's HTTP interface."""

import base64
import json
import re
import shutil
import struct
import subprocess
import zlib
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from crawling import Site, Skip

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """with Browser() as browser: browser.open(url); browser.run("return document.title")

    More arguments are Chromium's."""

    def __init__(self, *more, width=1200, height=1000):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("chromium-browser")
        if not driver or not chromium:
            raise Skip("no chromium with chromedriver here (Debian: chromium chromium-driver)")
        self.profile = tempfile.mkdtemp()
        self.base = f"http://127.0.0.1:{self.start(driver)}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     f"--user-data-dir={self.profile}", f"--window-size={width},{height}", *more]
        options = {"binary": chromium, "args": arguments}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = self.ask("/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def start(self, driver):
        """Its port. It takes the same one of IPv4 and of IPv6, and ends where somebody else has one of them."""
        for _ in range(5):
            self.child = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            said = ""
            for line in self.child.stdout:
                found, said = re.search(r"successfully on port (\d+)", line), said + line
                if found:
                    return found[1]
            self.child.wait()
        raise AssertionError(f"chromedriver does not start: {said}")

    def ask(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=200) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as failure:
            raise AssertionError(f"{path} {body}: {json.load(failure)['value']['message']}") from None

    def command(self, name, body):
        return self.ask(f"/session/{self.session}/{name}", body)

    def tools(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.command("goog/cdp/execute", {"cmd": name, "params": parameters})

    def tab(self):
        """A new tab; see turn()."""
        return self.command("window/new", {"type": "tab"})["handle"]

    def here(self):
        return self.ask(f"/session/{self.session}/window")

    def turn(self, handle):
        """What is asked for from now on is asked for in this tab."""
        self.command("window", {"handle": handle})

    def open(self, url):
        self.command("url", {"url": url})

    def run(self, script):
        return self.command("execute/sync", {"script": script, "args": []})

    def back(self):
        """A script that leaves its page may be run twice: chromedriver tries again."""
        self.command("back", {})

    def reload(self):
        self.command("refresh", {})

    def click(self, script):
        """As with a mouse, on the element that the script returns."""
        (element,) = self.run(script).values()
        self.command(f"element/{element}/click", {})

    def wait(self, script, value, seconds=120):
        """Until the script returns that value."""
        end = time.monotonic() + seconds
        while (got := self.run(script)) != value:
            assert time.monotonic() < end, f"{script}: {got!r}, not {value!r}"
            time.sleep(0.05)

    def colours(self, scheme):
        self.tools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def size(self, width, height):
        self.tools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def log(self, kind):
        return self.command("se/log", {"type": kind})

    def requests(self):
        """URLs that pages asked for since the last call; not what the browser's own first page shows."""
        events = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("chrome:", "chrome-untrusted:", "data:"))]

    def picture(self, path):
        Path(path).write_bytes(base64.b64decode(self.ask(f"/session/{self.session}/screenshot")))

    def part(self, x, y, width, height):
        """The picture of a part of the page, as PNG."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        return base64.b64decode(self.tools("Page.captureScreenshot", format="png", clip=clip)["data"])

    def pdf(self):
        return base64.b64decode(self.tools("Page.printToPDF")["data"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask(f"/session/{self.session}", method="DELETE")
        finally:
            self.child.terminate()
            self.child.wait(100)
            self.child.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)


def png(red, green, blue):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(bytes([0, red, green, blue]))) + chunk(b"IEND", b""))


def of(kind, text, *headers):
    return 200, [("Content-Type", kind), *headers], text if isinstance(text, bytes) else text.encode()


class Canary(Site):
    """Whoever asks it has left the archive. (The browser asks servers of its maker's now and then, by their names.)"""

    def __init__(self):
        super().__init__({})
        self.asked = []

    def answer(self, path, headers):
        host = headers.get("Host", "").partition(":")[0]
        if (host == "127.0.0.1" or host.endswith(".test")) and path not in ("/control", "/favicon.ico"):
            self.asked.append(path)
        return super().answer(path, headers)


class Visitor(Browser):
    """Whatever host a page wants to reach, it reaches the canary."""

    def __init__(self, canary, *more, **options):
        super().__init__(f"--host-resolver-rules=MAP * 127.0.0.1:{canary.server.server_address[1]},EXCLUDE 127.0.0.1",
                         "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable", "--disable-component-update",
                         "--disable-background-networking", *more, **options)
        self.canary = canary

    def enter(self):
        """What is asked for from now on is asked for inside of the frame."""
        self.command("frame", {"id": self.run("return document.querySelector('iframe')")})

    def leave(self):
        self.command("frame", {"id": None})

    def find(self, selector):
        return self.command("element", {"using": "css selector", "value": selector})[ELEMENT]

    def press(self, selector):
        self.command(f"element/{self.find(selector)}/click", {})

    def show(self, server, url):
        """An archived page, once its frame has loaded it and the bar has followed."""
        self.open(f"{server.line}page/0/{url}")
        self.follow(url)

    def follow(self, url):
        self.wait(f"return location.pathname.endsWith({json.dumps(url.split('?')[0])}) && document.title !== ''", True)
        self.wait("return !!document.querySelector('#bar .what')", True)

    def expect_silence(self):
        """Nobody asked the canary for anything; a request of our own comes after all others."""
        self.open(self.canary.base + "/control")
        assert self.canary.asked == [], self.canary.asked
