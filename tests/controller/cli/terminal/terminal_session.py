"""Runs a command line on a pseudo-terminal, with an emulated screen and a keyboard."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
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
_ERASURE = re.compile(r"(?=\x1b\[2K)")
"""The place before a row is erased: there a view that is drawn again is whole for the last time."""
LIMIT = 120.0
"""Seconds; most waits take a second, and on a busy computer many."""


class TerminalSession:
    """A command on a terminal of its own: `types` presses keys, `until` waits for a text.

    The output is looked at each time before a row is erased. So a test that runs late still sees
    every text that was on the screen, also one that was there for a moment.
    """

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
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._output: deque[str] = deque()
        """Output that is not on the screen yet, cut before each erasure."""
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

    def until(self, *texts: str, seconds: float = LIMIT) -> str:
        """Wait for one of these texts, visible or scrolled off; returns the whole screen."""
        self._until(
            lambda: any(text in self.screen.everything for text in texts),
            f"none of {texts}",
            seconds,
        )
        return self.screen.everything

    def until_visible(self, *texts: str, seconds: float = LIMIT) -> None:
        """Wait until texts are visible at the same time, also across the ends of lines."""
        self._until(
            lambda: all(text in " ".join(self.screen.text.split()) for text in texts),
            f"not all of {texts}",
            seconds,
        )

    def until_written(self, text: str, file: Path, seconds: float = LIMIT) -> None:
        """Wait until a file contains a text, and read the terminal meanwhile.

        A state of the table may be drawn late or not at all, so a test waits for its event.
        """
        self._until(
            lambda: file.exists() and text in file.read_text("utf-8"),
            f"no '{text}' in {file}",
            seconds,
        )

    def for_a_while(self, seconds: float) -> str:
        """Wait; returns the visible text after that."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._advance():
            pass
        while self._output:
            self.screen.feed(self._output.popleft())
        return self.screen.text

    def echoes(self) -> bool:
        """Whether the terminal itself echoes and edits lines, as a shell expects."""
        local = termios.tcgetattr(self._master)[3]
        return bool(local & termios.ECHO) and bool(local & termios.ICANON)

    def ends(self, seconds: float = LIMIT) -> int:
        """Wait for the end of the command; returns its exit code."""
        end = time.monotonic() + seconds
        while self._advance():
            assert time.monotonic() < end, f"the command has not ended:\n{self.screen.text}"
        return self.process.wait(seconds)

    def _until(self, reached: Callable[[], bool], missing: str, seconds: float) -> None:
        """Process output until `reached`; `missing` is the error after `seconds`, or at the end."""
        end = time.monotonic() + seconds
        while not reached():
            goes_on = self._advance()
            is_late = time.monotonic() > end or not goes_on
            assert not is_late or reached(), f"{missing}; the screen:\n{self.screen.everything}"

    def _advance(self) -> bool:
        """Process output up to the next erasure, waiting at most 0.1 s for it.

        Returns False once the terminal is closed.
        """
        if not self._output:
            if not self._has_output(0.1):
                # The command may have written its last output, and ended, since the last look.
                return self.process.poll() is None or self._has_output(0.0)
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return False
            self._output += _ERASURE.split(self._decoder.decode(data))
            if not data:
                return False
        self.screen.feed(self._output.popleft())
        return True

    def _has_output(self, seconds: float) -> bool:
        """Wait for output; returns whether there is some, or the terminal is closed."""
        return bool(select.select([self._master], [], [], seconds)[0])
