"""A PostgreSQL server of a test's own: made by initdb in a temporary folder, as an unprivileged user, reached by a unix socket
or by loopback; it ends with the test."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from crawling import Skip, wait_for

SETTINGS = {
    "listen_addresses": "''", "max_connections": "60", "shared_buffers": "16MB", "dynamic_shared_memory_type": "mmap",
    "autovacuum": "off", "logging_collector": "off", "max_wal_size": "64MB", "jit": "off",
}


def programs():
    """The folder with initdb and postgres."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    folders += [Path(path) for path in os.environ.get("PATH", "").split(":")]
    for folder in folders:
        if all((folder / name).exists() for name in ("initdb", "postgres", "psql", "pg_isready")):
            return folder
    raise Skip("there is no PostgreSQL server here (Debian: postgresql-15)")


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    """with Postgres() as server: … server.uri … server.sql("SELECT 1") … server.kill() … server.start()"""

    def __init__(self, tcp=False, **settings):
        self.lay(free_port() if tcp else 5432)
        settings = SETTINGS | ({"listen_addresses": "'127.0.0.1'"} if tcp else {}) | settings
        self.run("initdb", "-D", self.data, "-U", "scent", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.set(**settings)

    def lay(self, port):
        """Its folder, its addresses, and whose it is."""
        self.bin = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp" if len(tempfile.gettempdir()) > 60 else None))
        self.data, self.child = self.folder / "data", None
        # It refuses to be root's; then it is that of the user whom Debian's package makes for it.
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        self.port = port
        if os.getuid() == 0:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        os.chmod(self.folder, 0o755)
        self.uri = f"postgresql://scent@/postgres?host={self.folder}&port={self.port}"
        self.tcp_uri = f"postgresql://scent@127.0.0.1:{self.port}/postgres"

    def set(self, **settings):
        with open(self.data / "postgresql.auto.conf", "a") as file:
            for name, value in settings.items():
                file.write(f"{name} = {value}\n")
            file.write(f"port = {self.port}\nunix_socket_directories = '{self.folder}'\n")

    def run(self, program, *arguments):
        done = subprocess.run([str(self.bin / program), *map(str, arguments)], stdout=subprocess.PIPE, cwd="/",
                              stderr=subprocess.STDOUT, text=True, **self.identity())
        assert done.returncode == 0, f"{program}: {done.stdout}"

    def identity(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if os.getuid() == 0 else {}

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.child = subprocess.Popen([str(self.bin / "postgres"), "-D", str(self.data)], stdout=log, stderr=log, cwd="/",
                                          start_new_session=True, **self.identity())
        try:
            wait_for(self.answers)
        except Exception:
            self.kill()
            raise
        return self

    def answers(self):
        assert self.child.poll() is None, (self.folder / "log").read_text()[-2000:]
        return subprocess.run([str(self.bin / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port)]).returncode == 0

    def kill(self):
        """All of its processes at once, as when the power fails."""
        if self.child and self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            # Those of a killed postmaster that are sessions of their own see that it is gone, and end.
            for pid in self.children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if self.child:
            self.child.wait()
            wait_for(lambda: not self.children())
            (self.data / "postmaster.pid").unlink(missing_ok=True)
        self.child = None

    def children(self):
        """Processes whose working directory is the data directory: its own alone."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and os.readlink(entry / "cwd") == str(self.data):
                    if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                        found.append(int(entry.name))
        return found

    def stop(self):
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)
            try:
                self.child.wait(100)
            except subprocess.TimeoutExpired:
                self.kill()
        self.child = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, statement):
        """The rows of the answer, as lists of texts."""
        done = subprocess.run([str(self.bin / "psql"), "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", self.uri,
                               "-c", statement], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]


class Standby(Postgres):
    """One that follows a server that runs, which from now on acknowledges only what both have written."""

    def __init__(self, leader):
        self.lay(leader.port)
        self.leader = leader
        self.run("pg_basebackup", "-h", leader.folder, "-p", leader.port, "-U", "scent", "-D", self.data, "-R", "--no-sync",
                 "--checkpoint=fast")
        self.set()

    def __enter__(self):
        self.start()
        self.leader.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.leader.sql("SELECT pg_reload_conf()")
        wait_for(lambda: self.leader.sql("SELECT sync_state FROM pg_stat_replication") == [["sync"]])
        return self

    def promote(self):
        self.run("pg_ctl", "promote", "-D", self.data)
        wait_for(lambda: self.sql("SELECT pg_is_in_recovery()") == [["f"]])
