"""One run of a program, watched: its time, its memory, its end.

Address-space limits do not go together with AddressSanitizer. So whoever takes more memory than allowed is seen by its
resident size and killed, and what a run took at most comes from the kernel (wait4, VmHWM)."""

import ctypes
import os
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

SANITIZER_STATUS = 99
POLL = .01
# What scent says of itself (EXIT STATUS in man/scent.1.scd).
STATUSES = {0, 1, 2, 3, 11}
NO_RANDOM_ADDRESSES = 0x0040000


@dataclass
class Limits:
    seconds: float = 60     # from then on it hangs
    stop: float = 0         # told to stop (SIGTERM) after so long; 0: never
    memory: int = 700 << 20
    output: int = 256 << 20  # the largest file that it may write


@dataclass
class Outcome:
    command: list
    status: int      # below 0: the signal
    seconds: float
    memory: int
    stdout: bytes
    stderr: bytes
    ended: str = ""  # "time", "memory": it was killed because of it
    stopped: bool = False  # it was told to stop

    def fault(self):
        """(kind of finding, one line about it), or None."""
        text = self.stderr.decode("utf-8", "replace")
        if self.ended == "memory" or "hard rss limit exhausted" in text:
            return "memory", f"took {self.memory >> 20} MB"
        if self.ended == "time":
            return "hang", f"did not end in {self.seconds:.0f} seconds"
        if self.status == SANITIZER_STATUS or "runtime error:" in text or "Sanitizer" in text:
            lines = [line for line in text.splitlines() if "ERROR:" in line or "runtime error:" in line]
            return "crash", (lines or ["a sanitizer's exit status"])[0][:300]
        if self.status < 0 and not (self.stopped and self.status == -signal.SIGTERM):
            return "crash", f"{signal.Signals(-self.status).name}: {last_line(text)}"
        if self.status not in STATUSES and self.status >= 0:
            return "wrong", f"exit status {self.status}"
        if b"\x1b" in self.stderr:
            return "wrong", "an escape sequence reaches the terminal"
        if self.status in (2, 3) and not text.strip():
            return "wrong", f"exit status {self.status} without a word"
        return None


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing"


def environment():
    """That of a run: sanitizers that end at the first finding, with little memory of their own."""
    status = f"exitcode={SANITIZER_STATUS}"
    return os.environ | {
        "ASAN_OPTIONS": f"{status}:detect_stack_use_after_return=1:strict_string_checks=1:handle_abort=1:"
                        "quarantine_size_mb=16:allocator_may_return_null=1:hard_rss_limit_mb=2048",
        "LSAN_OPTIONS": status,
        "UBSAN_OPTIONS": f"{status}:print_stacktrace=1",
        "LC_ALL": "C.UTF-8",
    }


def fix_addresses():
    """Sanitizers of this age cannot live with the address randomisation of newer kernels; children inherit this."""
    ctypes.CDLL(None).personality(NO_RANDOM_ADDRESSES)


def memory(pid):
    """(now, at most until now): resident bytes of a process."""
    try:
        with open(f"/proc/{pid}/status") as file:
            sizes = dict(line.split()[:2] for line in file if line.startswith(("VmRSS:", "VmHWM:")))
        return int(sizes["VmRSS:"]) << 10, int(sizes["VmHWM:"]) << 10
    except (OSError, KeyError, ValueError):
        return 0, 0


class Child:
    """A program that runs until end() has seen to its end."""

    def __init__(self, command, folder=".", limits=None, stdin=subprocess.DEVNULL, stdout=None):
        self.command, self.limits = [str(part) for part in command], limits or Limits()
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.started, self.peak = time.monotonic(), 0
        self.inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        self.process = subprocess.Popen(self.command, cwd=folder, stdin=stdin, stdout=stdout or self.out,
                                        stderr=self.err, start_new_session=True, env=environment())
        self.pid = self.process.pid
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (self.limits.output, self.limits.output))

    def kill(self):
        os.killpg(self.pid, signal.SIGKILL)

    def end(self):
        ended, stopped = "", False
        while True:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                break
            now, most = memory(self.pid)
            self.peak = max(self.peak, most)
            late = time.monotonic() - self.started
            if not ended and (now > self.limits.memory or late > self.limits.seconds):
                ended = "memory" if now > self.limits.memory else "time"
                # The sanitizer tells where it is; then it has to go.
                os.kill(self.pid, signal.SIGABRT)
                killed = time.monotonic() + 5
            elif ended and time.monotonic() > killed:
                self.kill()
            elif self.limits.stop and late > self.limits.stop and not stopped:
                os.kill(self.pid, signal.SIGTERM)
                stopped = True
            time.sleep(POLL)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        # A child begins with the size of who forked it: the kernel's figure tells nothing below that.
        most = usage.ru_maxrss << 10 if usage.ru_maxrss << 10 > self.inherited else self.peak
        return Outcome(self.command, self.process.returncode, time.monotonic() - self.started, max(self.peak, most),
                       said(self.out), said(self.err), ended, stopped)


def said(file):
    with file:
        file.seek(0)
        return file.read(1 << 20)


def run(command, folder=".", limits=None, **options):
    return Child(command, folder, limits, **options).end()
