"""Reports each day that a client's certificate ends soon, until it was replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from controller.floor.certificates.endings import endings_of_file
from controller.floor.certificates.errors import CertificateError

EVERY = 24 * 3600.0
"""Real seconds between two looks at the file."""


def _now() -> datetime:
    return datetime.now(UTC)


async def watch_certificate(
    file: Path,
    report: Callable[[str], None],
    pace: float = 1.0,
    wall: Callable[[], datetime] = _now,
) -> None:
    """Report a sentence each day while the certificate ends within 30 days or has ended.

    `pace` is the number of seconds of the event loop's clock in a real second.
    """
    while True:
        try:
            for found in endings_of_file(file, wall()):
                report(f"{found.sentence} {found.next_step}")
        except CertificateError as error:
            report(str(error))
        await asyncio.sleep(EVERY * pace)
