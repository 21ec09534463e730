"""A real Firefox for tests, driven through Marionette: lengths and JSON over a socket."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from crawling import Skip

PREFERENCES = {"browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
               "app.update.enabled": False, "network.captive-portal-service.enabled": False,
               "network.connectivity-service.enabled": False, "extensions.update.enabled": False,
               "services.settings.server": "http://127.0.0.1:1/"}


class Firefox:
    """with Firefox() as firefox: firefox.open(url); firefox.click("#link")"""

    def __init__(self):
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if not program:
            raise Skip("no firefox here (Debian: firefox-esr)")
        self.profile, self.number = tempfile.mkdtemp(), 0
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        wanted = {**PREFERENCES, "marionette.port": port}
        lines = [f'user_pref("{name}", {json.dumps(value)});\n' for name, value in wanted.items()]
        Path(self.profile, "user.js").write_text("".join(lines))
        command = [program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile"]
        self.child = subprocess.Popen([*command, self.profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      env=os.environ | {"HOME": self.profile})
        try:
            self.wire = self.dial(port)
            self.hear()
            self.ask("WebDriver:NewSession", capabilities={})
        except BaseException:
            self.__exit__()
            raise

    def dial(self, port):
        end = time.monotonic() + 200
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=200)
            except OSError:
                assert time.monotonic() < end and self.child.poll() is None, "Firefox did not start"
                time.sleep(0.2)

    def hear(self):
        length = b""
        while not length.endswith(b":"):
            length += self.wire.recv(1)
        text, size = b"", int(length[:-1])
        while len(text) < size:
            text += self.wire.recv(size - len(text))
        return json.loads(text)

    def ask(self, name, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, name, parameters]).encode()
        self.wire.sendall(b"%d:%s" % (len(text), text))
        _, _, error, value = self.hear()
        assert not error, f"{name} {parameters}: {error['message']}"
        return value

    def install(self, folder):
        """The base URL of the extension's pages."""
        name = self.ask("Addon:Install", path=str(folder), temporary=True)["value"]
        self.ask("Marionette:SetContext", value="chrome")
        host = self.run("return WebExtensionPolicy.getByID(arguments[0]).mozExtensionHostname", name, sandbox="system")
        self.ask("Marionette:SetContext", value="content")
        return f"moz-extension://{host}"

    def run(self, script, *arguments, **more):
        return self.ask("WebDriver:ExecuteScript", script=script, args=list(arguments), **more)["value"]

    def open(self, url):
        self.ask("WebDriver:Navigate", url=url)

    def click(self, selector):
        (element,) = self.ask("WebDriver:FindElement", using="css selector", value=selector)["value"].values()
        self.ask("WebDriver:ElementClick", id=element)

    def here(self):
        return self.ask("WebDriver:GetWindowHandle")["value"]

    def tab(self):
        return self.ask("WebDriver:NewWindow", type="tab")["handle"]

    def turn(self, handle, front=True):
        self.ask("WebDriver:SwitchToWindow", handle=handle, focus=front)

    def wait(self, script, value, seconds=120):
        end = time.monotonic() + seconds
        while (got := self.run(script)) != value:
            assert time.monotonic() < end, f"{script}: {got!r}, not {value!r}"
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        try:
            self.child.wait(100)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
