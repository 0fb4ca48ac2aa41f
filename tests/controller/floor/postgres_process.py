"""A PostgreSQL of the tests' own on a free port, which tests can kill and start again.

PostgreSQL refuses to run as root; then it runs as the user `postgres` of Debian's package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

import psycopg

from controller.floor.demo.preparation import free_port

STARTING = 120.0
"""Seconds in which the server has to answer, also after a crash."""
USER = "postgres" if os.geteuid() == 0 else None
QUICK = ("fsync=off", "full_page_writes=off")
"""Settings of tests: a killed process loses nothing by them, a computer without power does."""
_NUMBERS = count(1)


def program(name: str) -> str:
    """Return the path of one of PostgreSQL's programs; Debian keeps them out of PATH."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(places[-1]) if places else shutil.which(name) or name


class PostgresProcess:
    """One server in a folder of its own. Each call of `new_database` makes an empty database."""

    def __init__(self, parent: Path | None = None, settings: tuple[str, ...] = QUICK) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wallwright-postgres-", dir=parent))
        self._settings = settings
        if USER is not None:
            shutil.chown(self.folder, USER, USER)
        self.process: subprocess.Popen[bytes] | None = None
        self._run(
            *(program("initdb"), "--no-sync", "-A", "trust", "-U", "floor", "-E", "UTF8"),
            *("--locale=C.UTF-8", "-D", str(self.folder / "data")),
        )
        self.port = free_port()  # last, because other programs can take it at any time

    def start(self) -> None:
        """Start the server and wait until it answers."""
        end = time.monotonic() + STARTING
        while True:
            if self.process is None or self.process.poll() is not None:
                self._spawn()
            try:
                psycopg.connect(self.url("postgres", "postgresql"), connect_timeout=2).close()
            except psycopg.OperationalError as error:
                if time.monotonic() > end:
                    raise AssertionError((self.folder / "log").read_text()) from error
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """End the server by SIGKILL; its other processes end by themselves."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(60)
            self.process = None

    def remove(self) -> None:
        """End the server and delete its folder."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, scheme: str = "postgresql+psycopg") -> str:
        """Return the URL of a database; psycopg itself takes the scheme `postgresql`."""
        return f"{scheme}://floor@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database; return its URL."""
        name = f"floor_{next(_NUMBERS)}"
        with psycopg.connect(self.url("postgres", "postgresql"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        return self.url(name)

    def _spawn(self) -> None:
        options = [
            word
            for setting in (
                f"port={self.port}",
                "listen_addresses=127.0.0.1",
                f"unix_socket_directories={self.folder}",
                *self._settings,
            )
            for word in ("-c", setting)
        ]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [program("postgres"), "-D", str(self.folder / "data"), *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=USER,
                group=USER,
                extra_groups=[] if USER else None,
            )

    def _run(self, *command: str) -> None:
        ended = subprocess.run(
            command,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            user=USER,
            group=USER,
            extra_groups=[] if USER else None,
        )
        assert ended.returncode == 0, ended.stderr
