"""A mosquitto of the tests' own on a free port, which tests can kill and start again."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from controller.floor.demo.preparation import free_port
from tests.waiting import wait_until

PROGRAM = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
STARTING = 60.0
"""Seconds in which mosquitto has to run."""
RUNS = re.compile(r"mosquitto version \S+ running$", re.MULTILINE)
"""The line that mosquitto logs when it has started."""
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
        """Start the broker and wait until it runs.

        It listens before it has read its certificates and before it heeds SIGHUP, which would end
        it until then; so its log is watched.
        """
        starts = self._starts()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([PROGRAM, "-c", self._file], stdout=log, stderr=log)
        self.wait_until(lambda: self._starts() != starts)

    def wait_until(self, reached: Callable[[], bool]) -> None:
        """Wait until the condition holds; fail with the log if the broker ends before."""

        def is_over() -> bool:
            assert self.process is not None
            assert self.process.poll() is None, f"mosquitto has ended: {self.log.read_text()}"
            return reached()

        wait_until(is_over, self.log.read_text)

    def _starts(self) -> int:
        return len(RUNS.findall(self.log.read_text())) if self.log.exists() else 0

    def kill(self) -> None:
        """End the broker by SIGKILL: it closes nothing and writes nothing."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(60)
            self.process = None
