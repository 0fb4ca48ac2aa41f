"""The processes of `benchmarks.floor_load`: broker, network, database and floor service.

The broker and the database are those of the floor's tests, here with synced writes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.floor.demo.preparation import free_port
from tests.controller.floor.mosquitto_process import MosquittoProcess
from tests.controller.floor.postgres_process import PostgresProcess

FLOOR = "club"
_TICKS = os.sysconf("SC_CLK_TCK")
MOSQUITTO = """\
listener {port} 127.0.0.1
allow_anonymous true
max_queued_messages 20000
max_inflight_messages 500
set_tcp_nodelay true
"""


class FloorProcess:
    """`wallwright floor serve`, which is killed and started again with the same data."""

    def __init__(self, folder: Path, port: int, url: str) -> None:
        self.folder = folder
        self._line = (
            *(sys.executable, "-m", "controller.cli", "floor", "serve", "--floor", FLOOR),
            *("--broker", f"127.0.0.1:{port}", "--data", str(folder / "floor")),
            *("--database", url, "--listen", f"127.0.0.1:{free_port()}"),
        )
        self.process: subprocess.Popen[str] | None = None
        self.page = self.first_start = ""

    def start(self) -> None:
        """Start the service and wait for its page."""
        with (self.folder / "floor.log").open("a") as log:
            self.process = subprocess.Popen(  # noqa: S603 - its own command
                self._line, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"(http://[^ ]+/)(?:#first-start=(\S+))?", line):
                self.page, self.first_start = found[1], found[2] or self.first_start
            if "signed with the key" in line:
                return
        raise AssertionError((self.folder / "floor.log").read_text())

    def kill(self) -> None:
        """End the service by SIGKILL."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None


class LoadFloor:
    """All processes of a floor; `relay` is the network between the tables and the broker."""

    def __init__(self, folder: Path) -> None:
        self.broker = MosquittoProcess(folder, MOSQUITTO)
        self.database = PostgresProcess(folder, ("shared_buffers=256MB",))
        self.database.start()
        self.url = self.database.new_database()
        self.service = FloorProcess(folder, self.broker.port, self.url)
        self.relay_port = free_port()
        self.relay: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start what does not run yet."""
        self.broker.start()
        self.service.start()
        self.relay = subprocess.Popen(  # noqa: S603 - its own command
            [
                *(sys.executable, "-m", "benchmarks.tcp_relay"),
                *(str(self.relay_port), str(self.broker.port)),
            ]
        )

    def remove(self) -> None:
        """End everything."""
        self.service.kill()
        if self.relay is not None:
            self.relay.kill()
            self.relay.wait(10)
        self.broker.kill()
        self.database.remove()

    def roots(self) -> dict[str, int]:
        """The process of each part that runs now."""
        parts = {
            "floor service": self.service.process,
            "broker": self.broker.process,
            "database": self.database.process,
            "network (test)": self.relay,
        }
        return {name: process.pid for name, process in parts.items() if process is not None}


@contextmanager
def load_floor(folder: Path) -> Iterator[LoadFloor]:
    """Return a floor that runs."""
    folder.chmod(0o755)
    floor = LoadFloor(folder)
    try:
        floor.start()
        yield floor
    finally:
        floor.remove()


class CpuMeter:
    """Processor seconds of each part, also over restarts; a part's child processes count."""

    def __init__(self, floor: LoadFloor, others: dict[str, int]) -> None:
        self._floor, self._others = floor, others
        self._last: dict[int, float] = {}
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.memory: dict[str, int] = {}
        """The last resident memory in bytes."""
        self.begun = time.monotonic()

    def restart(self) -> None:
        """Count from now on."""
        self.sample()
        self.seconds.clear()
        self.begun = time.monotonic()

    def sample(self) -> None:
        """Add the time since the last sample."""
        parents = _parents()
        memory: defaultdict[str, int] = defaultdict(int)
        for name, root in (*self._floor.roots().items(), *self._others.items()):
            for process in _tree(root, parents):
                used = _used(process)
                if used is None:
                    continue
                self.seconds[name] += max(0.0, used[0] - self._last.get(process, 0.0))
                self._last[process] = used[0]
                memory[name] += used[1]
        self.memory = dict(memory)

    def shares(self) -> dict[str, float]:
        """The share of one core that each part has used."""
        passed = time.monotonic() - self.begun
        return {name: seconds / passed for name, seconds in self.seconds.items()}


def _parents() -> dict[int, int]:
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            fields = _stat(int(entry.name))
            if fields:
                found[int(entry.name)] = int(fields[1])
    return found


def _tree(root: int, parents: dict[int, int]) -> list[int]:
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def _used(process: int) -> tuple[float, int] | None:
    """Processor seconds and resident bytes of a process; None if it has ended."""
    fields = _stat(process)
    if not fields:
        return None
    return (int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21]) * os.sysconf("SC_PAGESIZE")


def _stat(process: int) -> list[str]:
    try:
        text = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
