"""Where an attack happens: a fresh copy of the corpus for each, and a folder that keeps what was found."""

import re
import shlex
import shutil
import tempfile
from pathlib import Path

SENTINEL = "nobody may change this\n"
ALIKE = 3  # findings of a kind with the same words that are kept
SOCKETS = shutil.ignore_patterns("control")  # of a crawl that was killed; a socket cannot be copied


class Place:
    def __init__(self, program, corpus, findings):
        self.program, self.corpus, self.findings = str(program), Path(corpus), Path(findings)
        self.scratch = Path(tempfile.mkdtemp(prefix="redteam-"))
        self.here = self.scratch / "here"
        self.sentinel = self.scratch / "sentinel"
        self.sentinel.write_text(SENTINEL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def corpus_files(self, pattern):
        return [str(path.relative_to(self.corpus)) for path in self.corpus.glob(pattern) if path.is_file()]

    def fill(self):
        shutil.rmtree(self.here, ignore_errors=True)
        shutil.copytree(self.corpus, self.here, ignore=SOCKETS)

    def sentinel_is_whole(self):
        return self.sentinel.is_file() and self.sentinel.read_text() == SENTINEL

    def keep(self, result, number, fault, commands, outcome, files, folder=None):
        """Keeps the files as they were before the commands (or `folder` as it is), and how to repeat the last one."""
        kind, line = fault
        said = re.sub(r"==[0-9]+==|0x[0-9a-f]+|[0-9]+", "#", line)[:80]
        name = re.sub(r"[^a-z0-9]+", "-", f"{result.name} {kind} {said}".lower()).strip("-")[:90]
        alike = len(list(self.findings.glob(f"{name}.*")))
        kept = self.findings / f"{name}.{number}"
        result.findings.append((kind, line, kept.name if alike < ALIKE else f"not kept, as {name}"))
        if alike >= ALIKE or kept.exists():
            return
        shutil.copytree(folder or self.corpus, kept / "here", symlinks=True, ignore=SOCKETS)
        for path, data in files.items():
            (kept / "here" / path).write_bytes(data)
        lines = [" ".join(shlex.quote(part) for part in [self.program, *command]) for command in commands]
        script = ["#!/bin/sh", f"# {kind}: {line}", 'cd "$(dirname "$0")/here"', *lines, ""]
        (kept / "command").write_text("\n".join(script), errors="surrogateescape")
        (kept / "stderr").write_bytes(outcome.stderr)
        (kept / "stdout").write_bytes(outcome.stdout[:1 << 16])
