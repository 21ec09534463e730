#!/usr/bin/env python3
"""The recorder takes events from who knows the token, keeps them through anything, and refuses everybody else."""

import contextlib
import http.client
import json
import os
import signal
import socket
import stat
import threading
from pathlib import Path

from crawling import *

VISIT = {"visit": "http://a.test/", "time": "2026-11-15T08:58:00.250Z", "title": "A"}


class Recorder(Server):
    def __init__(self, *args, path="b.jsonl"):
        super().__init__(SCENT, "browse", "record", "-q", "-o", path, *args)
        self.token = self.line.partition("#")[2]

    def ask(self, method="POST", path="/events", body=VISIT, token=None, **headers):
        """(status, body) of one request; a header that is None is not sent."""
        sent = {"Authorization": f"Bearer {self.token if token is None else token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        link.request(method, path, data, {name: value for name, value in sent.items() if value is not None})
        answer = link.getresponse()
        self.headers, text = answer.headers, answer.read()
        link.close()
        return answer.status, text.decode()

    def end(self, number=signal.SIGINT):
        self.child.send_signal(number)
        return self.child.wait(100)


def events(path="b.jsonl"):
    return [json.loads(line) for line in Path(path).read_text().splitlines()][1:]


@test
def events_are_written_down_as_they_come():
    with Recorder() as recorder:
        assert len(recorder.token) == 32 and recorder.line.startswith(f"http://127.0.0.1:{recorder.port}/#")
        assert stat.S_IMODE(os.stat("b.jsonl").st_mode) == 0o600
        status, told = recorder.ask()
        assert status == 200 and json.loads(told) == {"file": "b.jsonl", "visits": 1, "useful": 0}, told
        assert events() == [VISIT], events()
        status, told = recorder.ask(body=[{"visit": "http://u:p@a.test/b#x", "from": "http://a.test/", "secret": 1},
                                          {"useful": "http://a.test/b"}, {"not_useful": "http://a.test/b"}])
        assert status == 200 and json.loads(told)["visits"] == 2, told
        assert events()[1:] == [{"visit": "http://a.test/b", "from": "http://a.test/"}, {"useful": "http://a.test/b"},
                                {"not_useful": "http://a.test/b"}], events()
        assert recorder.ask("GET", "/status", None, Content_Type=None)[0] == 200
        assert recorder.ask(body=[])[0] == 200 and len(events()) == 4
        assert recorder.ask(Host=f"localhost:{recorder.port}", Origin="chrome-extension://abc")[0] == 200
        assert recorder.ask(Origin="moz-extension://abc")[0] == 200
        assert recorder.end() == 0
    assert json.loads(scent("browse", "info", "b.jsonl", "--json").stdout)["visits"] == 4


@test
def who_does_not_know_the_token_gets_nothing():
    with Recorder() as recorder:
        wrong = [recorder.token[:-1] + ("0" if recorder.token[-1] != "0" else "1"), recorder.token[:-1], "", "x" * 32,
                 recorder.token + "0", recorder.token.upper() + " "]
        for token in wrong:
            assert recorder.ask(token=token)[0] == 401, token
        for value in (None, "", "Bearer", f"Basic {recorder.token}", recorder.token, "Bearer " + "a" * 5000):
            assert recorder.ask(Authorization=value)[0] == 401, value
        assert recorder.ask("GET", f"/status?token={recorder.token}", None, Authorization=None)[0] == 401
        assert recorder.ask("GET", "/", None)[0] == 404 and recorder.ask("GET", "/b.jsonl", None)[0] == 404
        assert recorder.ask("GET", "/events", None)[0] == 405 and recorder.ask("DELETE", "/events", None)[0] == 405
        assert events() == []


@test
def pages_and_rebound_names_are_refused():
    with Recorder() as recorder:
        for host in ("evil.test", f"evil.test:{recorder.port}", "127.0.0.1", f"127.0.0.2:{recorder.port}", "",
                     f"127.0.0.1:{recorder.port}.evil.test"):
            assert recorder.ask(Host=host)[0] in (400, 403), host
        for origin in ("http://evil.test", "null", f"http://127.0.0.1:{recorder.port}", "https://chrome-extension.test",
                       "http://x chrome-extension://y"):
            assert recorder.ask(Origin=origin)[0] == 403, origin
        status, _ = recorder.ask("OPTIONS", body=None, Authorization=None, Origin="http://evil.test",
                                 Access_Control_Request_Method="POST", Access_Control_Request_Headers="authorization")
        assert status == 403 and not [name for name in recorder.headers if name.lower().startswith("access-control")]
        assert recorder.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert recorder.ask("OPTIONS", body=None)[0] == 403
        assert recorder.ask(Content_Type="text/plain")[0] == 415
        assert recorder.ask(Content_Type="application/x-www-form-urlencoded")[0] == 415
        assert events() == []


@test
def bad_bodies_are_refused_whole():
    with Recorder() as recorder:
        for body, says in ((b"", "unexpected"), (b"{", "expected"), (b"\xff\xfe", "token"),
                           (b'{"visit": 5}', "is not a URL"),
                           (b"[" * 100000, "nests"), ([VISIT, {"visit": "file:///etc/passwd"}], "is not a URL of http"),
                           ({"browsing": 1}, "neither"), ([VISIT] * 257, "more than 256"), ([[VISIT]], "neither"),
                           ({"visit": "http://a.test/" + "x" * 9000}, "too long"), ({**VISIT, "time": 5}, "date")):
            status, told = recorder.ask(body=body)
            assert status == 400 and says in told, (says, status, told)
        assert recorder.ask(body=b"5")[0] == 200  # nothing is no event
        assert recorder.ask(body=b'"' + b"x" * (2 << 20) + b'"')[0] == 413
        assert events() == []
        assert recorder.ask(body=[VISIT] * 256)[0] == 200 and len(events()) == 256
        recorder.ask(body={**VISIT, "title": "\u20ac" * 1000, "visit": "http://a.test/\n\t\u0001x"})
        assert len(events()[-1]["title"].encode()) <= 512 and events()[-1]["visit"] == "http://a.test/%01x"


@test
def too_many_requests_are_slowed_down():
    with Recorder() as recorder:
        for _ in range(50):  # who has no token cannot use up the allowance of who has
            recorder.ask(token="")
        answers = [recorder.ask("GET", "/status", None)[0] for _ in range(260)]
        assert set(answers) <= {200, 429} and answers.count(200) >= 200 and (answers.count(429) > 0 or SLOW), answers


@test
def a_recording_goes_on_in_its_file():
    for _ in range(2):
        with Recorder() as recorder:
            recorder.ask()
            assert recorder.end(signal.SIGTERM) == 0
    assert events() == [VISIT, VISIT]
    with Recorder() as recorder:  # killed: what was answered is there
        recorder.ask()
        recorder.child.kill()
        recorder.child.wait()
    assert events() == [VISIT] * 3
    whole = Path("b.jsonl").read_text()
    write("b.jsonl", whole + '{"visit": "http://a.te')
    with Recorder() as recorder:
        recorder.ask()
    assert Path("b.jsonl").read_text() == whole + json.dumps(VISIT, separators=(",", ":")) + "\n"
    write("b.jsonl", whole.rstrip("\n"))
    with Recorder() as recorder:
        recorder.ask()
    assert events() == [VISIT] * 4


@test
def what_cannot_be_recorded_into_is_left_alone():
    for text, says in (("important notes\nof mine\n", "not JSON"), ('{"visit": "http://a.test/"}\n{"x": 1}\n', "f:2"),
                       ('{"browsing": 2}\n', "version 2")):
        write("f", text)
        assert says in scent("browse", "record", "-o", "f", status=2).stderr
        assert Path("f").read_text() == text
    with Recorder() as recorder:
        done = scent("browse", "record", "-o", "b.jsonl", status=2)
        assert "another 'scent browse record' writes to b.jsonl" in done.stderr, done.stderr
        done = scent("browse", "record", "-o", "c.jsonl", "--port", recorder.port, status=2)
        assert f"cannot listen on 127.0.0.1 port {recorder.port}" in done.stderr, done.stderr
    assert "nowhere/x" in scent("browse", "record", "-o", "nowhere/x", status=2).stderr
    scent("browse", "record", "--port", "70000", status=2)
    scent("browse", "record", "x", status=2)


@test
def slow_and_broken_clients_do_not_hold_up_others():
    with Recorder() as recorder:
        idle = [socket.create_connection(("127.0.0.1", recorder.port)) for _ in range(20)]
        for link in idle[:10]:
            link.sendall(b"POST /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Le" % recorder.port)
        half = idle[10]
        half.sendall(f"POST /events HTTP/1.1\r\nHost: 127.0.0.1:{recorder.port}\r\nContent-Length: 500\r\n"
                     f"Authorization: Bearer {recorder.token}\r\nContent-Type: application/json\r\n\r\n"
                     '{"visit": "http://half.test/"}'.encode())
        assert recorder.ask()[0] == 200
        threads = [threading.Thread(target=recorder.ask) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for link in idle:
            link.close()
        assert recorder.ask()[0] == 200
        assert events() == [VISIT] * 10
        assert recorder.end() == 0


@test
def connections_that_never_end_their_request_take_no_place():
    """Each sends a byte now and then, so that it never counts as idle; the others come from one that shows its token."""
    with Recorder() as recorder:
        links, over = [], threading.Event()

        def drip():
            while not over.wait(0.2):
                for link in links:
                    with contextlib.suppress(OSError):  # it was sent away
                        link.send(b"x")
        trusted = http.client.HTTPConnection("127.0.0.1", recorder.port, timeout=100)
        headers = {"Authorization": f"Bearer {recorder.token}"}

        def ask_again():
            trusted.request("GET", "/status", headers=headers)
            sock = trusted.sock
            assert trusted.getresponse().read()
            return sock
        first = ask_again()
        dripping = threading.Thread(target=drip)
        dripping.start()
        for _ in range(400):
            links.append(socket.create_connection(("127.0.0.1", recorder.port), timeout=100))
            links[-1].sendall(b"POST /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX: " % recorder.port)
        assert recorder.ask()[0] == 200
        assert ask_again() is first, "who has shown the token stays"
        over.set()
        dripping.join()
        trusted.close()
        for link in links:
            link.close()
        assert recorder.ask()[0] == 200 and events() == [VISIT] * 2
        assert recorder.end() == 0


@test
def a_full_disk_is_told_and_leaves_whole_lines():
    """The limit of the file's size stands for the disk: the write is cut off in the middle of a line."""
    program = f"import resource, os; resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400)); " \
              f"import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " \
              f"os.execv({SCENT!r}, [{SCENT!r}, 'browse', 'record', '-q', '-o', 'b.jsonl'])"
    recorder = Recorder.__new__(Recorder)
    Server.__init__(recorder, "python3", "-c", program)
    recorder.token = recorder.line.partition("#")[2]
    with recorder:
        answers = [recorder.ask()[0] for _ in range(8)]
    assert answers[0] == 200 and answers[-1] == 507 and set(answers) == {200, 507}, answers
    assert events() == [VISIT] * answers.count(200)
    with Recorder() as again:
        assert again.ask()[0] == 200


finish()
