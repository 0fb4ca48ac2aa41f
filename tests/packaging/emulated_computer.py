"""A whole computer with arm64, emulated by QEMU: its disks, its console, and its power."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

CONSOLE_SHOWN = 60
"""Number of the console's last lines in an error."""
STARTED = 30.0
"""Seconds within which QEMU answers on its socket."""
_STEP = 0.05


class EmulatedComputer:
    """A computer that starts at once and runs until `quit`.

    `disks` are images in order; the first one has the root. `line` is the terminal of a board on
    this computer, which the emulated one has as /dev/virtio-ports/board. All times are seconds.
    """

    def __init__(self, folder: Path, boot: Path, disks: list[Path], line: str) -> None:
        self._console = folder / "console"
        monitor = folder / "monitor"
        self._read = 0
        self._began = time.monotonic()
        options = [
            *("-machine", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "1024"),
            *("-accel", "tcg,thread=multi", "-display", "none", "-nic", "none"),
            *("-kernel", str(next(boot.glob("vmlinuz-*")))),
            *("-initrd", str(next(boot.glob("initrd.img-*")))),
            *("-append", "root=LABEL=root rw console=ttyAMA0 systemd.show_status=1"),
            *("-serial", f"file:{self._console}"),
            *("-qmp", f"unix:{monitor},server=on,wait=off"),
            *("-chardev", f"serial,id=board,path={line}", "-device", "virtio-serial-pci"),
            *("-device", "virtserialport,chardev=board,name=board"),
        ]
        for disk in disks:
            options += ["-drive", f"file={disk},format=raw,if=virtio,cache=writethrough"]
        self._printed = folder / "printed"
        with self._printed.open("wb") as printed:
            self._process = subprocess.Popen(
                ["qemu-system-aarch64", *options],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
            )
        self._monitor = self._connected(monitor)
        self._order("qmp_capabilities")

    @property
    def seconds(self) -> float:
        """Seconds since the computer was started or reset."""
        return time.monotonic() - self._began

    def reset(self) -> None:
        """Reset the computer, as a power cut would: what is not on a disk is lost."""
        self._order("system_reset")
        self._began = time.monotonic()
        self._read = len(self._text())

    def wait_for(self, pattern: str, limit: float, count: int = 1) -> re.Match[str]:
        """Wait until the console has shown `count` matches in lines since the last start.

        Returns the last of them.
        """
        ends = time.monotonic() + limit
        while len(found := list(re.finditer(pattern, self.shown()))) < count:
            last = "\n".join(self.shown().splitlines()[-CONSOLE_SHOWN:])
            assert self._process.poll() is None, f"QEMU has ended:\n{last}"
            assert time.monotonic() < ends, f"No {pattern!r} within {limit:.0f} s:\n{last}"
            time.sleep(_STEP)
        return found[count - 1]

    def shown(self) -> str:
        """The console's text since the last start."""
        return self._text()[self._read :]

    def quit(self) -> None:
        """Switch the computer off."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait(30)
        self._monitor.close()

    def _text(self) -> str:
        return self._console.read_text("utf-8", errors="replace").replace("\r", "")

    def _connected(self, monitor: Path) -> socket.socket:
        ends = time.monotonic() + STARTED
        while not monitor.exists():
            printed = self._printed.read_text("utf-8", errors="replace")
            assert self._process.poll() is None, f"QEMU does not start: {printed}"
            assert time.monotonic() < ends, f"QEMU has no monitor: {printed}"
            time.sleep(_STEP)
        found = socket.socket(socket.AF_UNIX)
        found.settimeout(STARTED)
        found.connect(str(monitor))
        return found

    def _order(self, command: str) -> None:
        """Give the monitor a command and wait for its answer; events between are skipped."""
        self._monitor.sendall(json.dumps({"execute": command}).encode() + b"\n")
        received = b""
        while True:
            received += self._monitor.recv(4096)
            *lines, received = received.split(b"\n")
            answers: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]
            assert not any("error" in answer for answer in answers), answers
            if any("return" in answer for answer in answers):
                return
