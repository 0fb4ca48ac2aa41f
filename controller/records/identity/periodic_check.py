"""Checks the program again and again while the service runs, in a process of the lowest priority.

Hashing in a process of its own does not delay the event loop, and the scheduler puts it last.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from controller.records.identity.boot import PROGRAM
from controller.records.identity.manifest import IdentityError

_BEGIN = """
import os, sys
os.nice(19)
sys.dont_write_bytecode = True
sys.path[:0] = sys.argv[int(sys.argv[1]):]
del sys.argv[1]
"""


async def printed_by_process(code: str, *arguments: str | Path, limit: float) -> str:
    """Run Python code in a new process; returns the text that it prints, without outer spaces.

    The code finds its arguments in `sys.argv[1:]` and can import this program. `limit` is in
    seconds of the event loop's clock. Raises TimeoutError after the limit, and IdentityError with
    the last line of the process's error output if its exit code is not 0.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-c", _BEGIN + code, str(len(arguments) + 2)),
        *(os.fspath(argument) for argument in arguments),
        *(str(PROGRAM), *sys.path),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(limit):
            out, err = await child.communicate()
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode != 0:
        lines = err.decode(errors="replace").strip().splitlines()
        raise IdentityError(lines[-1] if lines else "The check of the program ended early.")
    return out.decode().strip()


INTERVAL = 900.0
"""Real seconds between the end of a check and the next one."""
LIMIT = 600.0
"""Largest duration of a check in real seconds; then the program counts as not checked."""
_CHILD = """
from pathlib import Path
from controller.records.identity.boot import checked_manifest
from controller.records.identity.manifest import IdentityError
try:
    print(checked_manifest(Path(sys.argv[1]), Path(sys.argv[2])).digest)
except IdentityError as error:
    sys.exit(str(error))
"""

Check = Callable[[], Awaitable[str | None]]


async def check_in_process(
    folder: Path, digest: str, program: Path = PROGRAM, limit: float = LIMIT
) -> str | None:
    """A sentence if the program differs from its manifest, None if it does not.

    `digest` is the identity with which the service started: a program that was exchanged with its
    manifest is another one. `limit` is in seconds of the event loop's clock.
    """
    try:
        found = await printed_by_process(_CHILD, folder, program, limit=limit)
    except TimeoutError:
        return "The check of the program did not end in time. Look at the disk of this computer."
    except IdentityError as error:
        return str(error)
    if found != digest:
        return (
            "The manifest of the program was exchanged while the service ran. Restart the service."
        )
    return None


class PeriodicCheck:
    """Calls `check` after each `interval`, and `refused` with its sentence, if there is one.

    Times are seconds of the event loop's clock. The check ends with the first refusal.
    """

    def __init__(
        self, check: Check, refused: Callable[[str], None], interval: float = INTERVAL
    ) -> None:
        self._check = check
        self._refused = refused
        self._interval = interval

    async def run(self) -> None:
        """Check until a check fails, or until this call is cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            sentence = await self._check()
            if sentence is not None:
                self._refused(sentence)
                return


def periodic_check(
    folder: Path, digest: str, refused: Callable[[str], None], pace: float
) -> PeriodicCheck:
    """The periodic check of this program. `pace` is loop seconds in a real second."""
    check = partial(check_in_process, folder, digest, limit=LIMIT * pace)
    return PeriodicCheck(check, refused, INTERVAL * pace)
