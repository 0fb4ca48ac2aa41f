"""One supervised process of the demonstration: started, started again, and stopped in time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rules.errors import WallwrightError


class DemoError(WallwrightError):
    """A part that cannot be started, or that ends again and again; the text has the next step."""


SHORTEST, LONGEST = 1.0, 30.0
"""Seconds until a process that ended is started again: doubled after each short run."""
STABLE = 60.0
"""Seconds of a run after which earlier failures are forgotten."""
MOST_FAILURES = 8
"""Runs in a row that end by themselves within `STABLE`; then the process is given up."""
STARTING, LOOK = 60.0, 0.2
"""Seconds in which a process has to be ready, and between two looks."""
STOPPING = 30.0
"""Seconds in which a process has to end after its stop signal; then it is killed."""


@dataclass(frozen=True)
class ChildCommand:
    """How a process is started. `user` is the name of its system user, None for this one.

    `stop_signal` asks the process to end. After the exit code `refusal` it is not started again,
    because it has refused its options.
    """

    name: str
    words: tuple[str, ...]
    log: Path
    folder: Path
    user: str | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    refusal: int | None = None


class Child:
    """Runs one command until `stop`. `report` gets a sentence for each end that was not wanted."""

    def __init__(self, command: ChildCommand, report: Callable[[str], None]) -> None:
        self.command = command
        self.starts = 0
        self.kills = 0
        self._report = report
        self._process: asyncio.subprocess.Process | None = None
        self._is_stopping = False
        self._stop_asked = asyncio.Event()

    async def run(self) -> None:
        """Keep the process running until `stop`. Raises DemoError when it is given up."""
        failures, wait = 0, SHORTEST
        while not self._is_stopping:
            begun, kills = asyncio.get_running_loop().time(), self.kills
            code = await self._run_once()
            if self._is_stopping:
                return
            if self.kills > kills:
                continue
            if code == self.command.refusal:
                raise DemoError(f"The {self.command.name} refuses its options: {_last_line(self)}")
            if asyncio.get_running_loop().time() - begun > STABLE:
                failures, wait = 0, SHORTEST
            failures += 1
            if failures >= MOST_FAILURES:
                raise DemoError(
                    f"The {self.command.name} has ended {failures} times in a row, at last with the"
                    f" exit code {code}; its messages are in {self.command.log}."
                )
            self._report(
                f"The {self.command.name} ended with the exit code {code}; it starts again."
            )
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._stop_asked.wait()
            wait = min(LONGEST, 2 * wait)

    def kill(self) -> bool:
        """Kill the process by SIGKILL, as a failure of power does; False if it does not run."""
        if self._process is None or self._process.returncode is not None:
            return False
        self.kills += 1
        self._process.kill()
        return True

    async def stop(self) -> None:
        """Ask the process to end, and kill it if it does not end in time."""
        self._is_stopping = True
        self._stop_asked.set()
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.send_signal(self.command.stop_signal)
        try:
            async with asyncio.timeout(STOPPING):
                await process.wait()
        except TimeoutError:
            self._report(f"The {self.command.name} did not end in {STOPPING:.0f} s; it was killed.")
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _run_once(self) -> int:
        """Run the process to its end; returns its exit code."""
        command = self.command
        with command.log.open("ab") as log:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *command.words,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=command.folder,
                    # In a session of its own, so that Ctrl-C at a terminal does not reach it.
                    start_new_session=True,
                    user=command.user,
                    group=command.user,
                    extra_groups=None if command.user is None else [],
                )
            except OSError as error:
                raise DemoError(
                    f"The {command.name} cannot be started ({error.strerror}): {command.words[0]}."
                ) from error
        self.starts += 1
        try:
            return await self._process.wait()
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                self._process.kill()
            raise


def _last_line(child: Child) -> str:
    """The last message of a process."""
    lines = child.command.log.read_text("utf-8", "replace").split("\n")
    return next((line for line in reversed(lines) if line), "it printed nothing.")


async def wait_until(
    is_ready: Callable[[], Awaitable[bool]], command: ChildCommand, verb: str
) -> None:
    """Wait until a process is ready. Raises DemoError after `STARTING`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + STARTING
    while not await is_ready():
        if loop.time() > end:
            raise DemoError(
                f"The {command.name} does not {verb} within {STARTING:.0f} s; its messages are in"
                f" {command.log}."
            )
        await asyncio.sleep(LOOK)
