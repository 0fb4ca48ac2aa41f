"""Runs a command line on a pseudo-terminal, with an emulated screen and a keyboard."""

from __future__ import annotations

import fcntl
import os
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from types import TracebackType

from tests.controller.cli.conftest import COMMAND
from tests.controller.cli.terminal.screen_emulator import Screen

_WITH_CONTROLLING_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes standard input the controlling terminal, as a terminal window does; runs its arguments."""
_ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("COLUMNS", "LINES", "NO_COLOR")
}
"""The environment without the size and settings of another terminal."""


class TerminalSession:
    """A command on a terminal of its own: `types` presses keys, `until` waits for a text."""

    def __init__(
        self,
        line: str,
        columns: int = 100,
        height: int = 30,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.screen = Screen(columns, height)
        self._master, side = os.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", height, columns, 0, 0))
        self.process = subprocess.Popen(
            (sys.executable, "-c", _WITH_CONTROLLING_TERMINAL, *COMMAND, *shlex.split(line)),
            stdin=side,
            stdout=side,
            stderr=side,
            env=_ENVIRONMENT | {"TERM": "xterm", **(environment or {})},
            start_new_session=True,
        )
        os.close(side)
        self._encoding = "utf-8"
        self.closed = False

    def __enter__(self) -> TerminalSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.close()

    def close(self) -> None:
        """Close the terminal, as a closed window does."""
        if not self.closed:
            self.closed = True
            os.close(self._master)

    def types(self, keys: str) -> None:
        """Type these keys; Enter is a carriage return, as at a keyboard."""
        os.write(self._master, keys.replace("\n", "\r").encode())

    def until(self, text: str, seconds: float = 30.0) -> str:
        """Wait for a text, visible or scrolled off; returns everything on the screen."""
        end = time.monotonic() + seconds
        while text not in self.screen.everything:
            assert time.monotonic() < end, f"no '{text}' on the screen:\n{self.screen.everything}"
            if not self._read():
                assert text in self.screen.everything, self.screen.everything
                break
        return self.screen.everything

    def until_visible(self, *texts: str, seconds: float = 30.0) -> None:
        """Wait until texts are visible at the same time, also across the ends of lines."""
        end = time.monotonic() + seconds
        while not all(text in " ".join(self.screen.text.split()) for text in texts):
            assert time.monotonic() < end, f"not all of {texts}:\n{self.screen.text}"
            assert self._read(512), f"the command ended without {texts}:\n{self.screen.text}"

    def for_a_while(self, seconds: float) -> str:
        """Wait; returns the visible text after that."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._read():
            pass
        return self.screen.text

    def echoes(self) -> bool:
        """Whether the terminal itself echoes and edits lines, as a shell expects."""
        local = termios.tcgetattr(self._master)[3]
        return bool(local & termios.ECHO) and bool(local & termios.ICANON)

    def ends(self, seconds: float = 30.0) -> int:
        """Wait for the end of the command; returns its exit code."""
        end = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < end, f"the command has not ended:\n{self.screen.text}"
        return self.process.wait(seconds)

    def _read(self, most: int = 65536) -> bool:
        """Process output, for at most 0.1 s; returns False once the terminal is closed.

        `most` is in bytes: what was visible for a moment is seen if few are processed at once.
        """
        ready, _, _ = select.select([self._master], [], [], 0.1)
        if not ready:
            return self.process.poll() is None
        try:
            data = os.read(self._master, most)
        except OSError:
            return False
        self.screen.feed(data.decode(self._encoding, "replace"))
        return bool(data)
