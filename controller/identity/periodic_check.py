"""Checks the program again and again while the service runs, in a process of low priority."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from controller.identity.boot import PROGRAM

INTERVAL = 900.0
"""Real seconds between the end of a check and the next one."""
LIMIT = 600.0
"""Largest duration of a check in real seconds; then the program counts as not checked."""
_CHILD = """
import os, sys
os.nice(19)
sys.dont_write_bytecode = True
sys.path[:0] = sys.argv[3:]
from pathlib import Path
from controller.identity.boot import checked_manifest
from controller.identity.identity_error import IdentityError
try:
    print(checked_manifest(Path(sys.argv[1]), Path(sys.argv[2])).digest)
except IdentityError as error:
    sys.exit(str(error))
"""
"""A process does this: hashing does not delay the event loop, and the scheduler puts it last."""

Check = Callable[[], Awaitable[str | None]]


async def check_in_process(
    folder: Path, digest: str, program: Path = PROGRAM, limit: float = LIMIT
) -> str | None:
    """A sentence if the program differs from its manifest, None if it does not.

    `digest` is the identity with which the service started: a program that was exchanged with its
    manifest is another one. `limit` is in seconds of the event loop's clock.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-c", _CHILD, str(folder), str(program), str(PROGRAM), *sys.path),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(limit):
            out, err = await child.communicate()
    except TimeoutError:
        return "The check of the program did not end in time. Look at the disk of this computer."
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode != 0:
        return err.decode(errors="replace").strip().splitlines()[-1]
    if out.decode().strip() != digest:
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
