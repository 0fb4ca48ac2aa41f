"""A mosquitto of the tests' own on a free port, which tests can kill and start again."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from socket import create_connection

from tests.controller.floor.free_port import free_port

PROGRAM = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
STARTING = 60.0
"""Seconds in which mosquitto has to listen."""
PLAIN = """\
listener {port} 127.0.0.1
allow_anonymous true
max_queued_messages 10000
max_inflight_messages 500
"""
"""The configuration without TLS: everybody may publish everything."""


class MosquittoProcess:
    """One broker. `{port}` in the configuration is replaced by the port."""

    def __init__(self, folder: Path, configuration: str = PLAIN) -> None:
        self.port = free_port()
        self.log = folder / f"mosquitto-{self.port}.log"
        self._file = folder / f"mosquitto-{self.port}.conf"
        self._file.write_text(
            f"user root\npersistence false\nlog_dest stderr\n{configuration}".replace(
                "{port}", str(self.port)
            )
        )
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the broker and wait until it listens."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([PROGRAM, "-c", self._file], stdout=log, stderr=log)
        end = time.monotonic() + STARTING
        while True:
            try:
                create_connection(("127.0.0.1", self.port), 1.0).close()
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(self.log.read_text()) from error
                time.sleep(0.01)
            else:
                # Another program may have taken the port meanwhile; then this broker ends.
                assert self.process.poll() is None, self.log.read_text()
                return

    def kill(self) -> None:
        """End the broker by SIGKILL: it closes nothing and writes nothing."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(60)
            self.process = None
