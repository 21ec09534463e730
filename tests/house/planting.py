"""What the tests of the house's checks share: a small project, one violation planted at a time."""

import subprocess
import sys
import tempfile
from pathlib import Path


def report(check, files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, Path(__file__).resolve().parent / check, folder],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def run(check, good, cases):
    """`cases`: name, the files that change in `good`, what the report must say. Without a change nothing is found."""
    failures = 0
    for name, changes, expected in cases:
        status, text = report(check, good | changes)
        found = expected in text and status == (1 if changes else 0)
        failures += not found
        print(("ok " if found else "not ok ") + name + ("" if found else f"\nexpected: {expected}\n{text}"))
    return 1 if failures else 0
