"""Notices to the service supervisor: ready, watchdog, status, stopping (the sd_notify protocol)."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from controller.service.status import Status


class ServiceNotices:
    """Sends notices to the socket that systemd names in the environment; without one, none.

    A notice that cannot be sent is dropped: the supervisor then restarts the service by itself.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        watched = environment.get("WATCHDOG_USEC", "")
        self.interval = int(watched) / 2e6 if watched.isdecimal() and int(watched) > 0 else None
        """Seconds between two watchdog notices: half of what the supervisor allows; None for no
        watchdog."""
        self._line = ""

    def send(self, notice: str) -> None:
        """Send a notice such as `READY=1`."""
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(notice.encode(), self._address)

    def show(self, status: Status) -> None:
        """Send the line that `systemctl status` prints about the table, if it has changed."""
        line = status_line(status)
        if line != self._line:
            self._line = line
            self.send(f"STATUS={line}")

    async def keep_alive(self, pace: float) -> None:
        """Send watchdog notices until cancelled; `pace` is the loop's seconds per real second.

        The notices come from the table's event loop, so a loop that hangs is noticed.
        """
        if self.interval is None:
            return
        while True:
            self.send("WATCHDOG=1")
            await asyncio.sleep(self.interval * pace)


def status_line(status: Status) -> str:
    """The status of a table in one line: its fault, the request to a person, or its activity."""
    if status.fault is not None:
        return f"{status.fault.code} at {status.fault.part}: {_one_line(status.fault.cure)}"
    for prompt in status.prompts:
        if prompt.kind == "fault":
            return f"{prompt.code} at {prompt.part}: {_one_line(prompt.request or prompt.text)}"
    if status.pause:
        return "The table is paused."
    return _one_line(status.service.sentence) or "The table is free."


def _one_line(text: str) -> str:
    """A text without line breaks: a line break would begin another notice."""
    return " ".join(text.split())
