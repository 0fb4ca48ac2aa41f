"""Checks the program again and again while the service runs, in a process of low priority."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from controller.records.identity.boot import PROGRAM
from controller.records.identity.identity_error import IdentityError
from controller.records.identity.low_priority_process import printed_by_process

INTERVAL = 900.0
"""Real seconds between the end of a check and the next one."""
LIMIT = 600.0
"""Largest duration of a check in real seconds; then the program counts as not checked."""
_CHILD = """
from pathlib import Path
from controller.records.identity.boot import checked_manifest
from controller.records.identity.identity_error import IdentityError
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
