"""A service reports each day that its certificate ends soon."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from controller.floor.certificates.authority import (
    CertificateAuthority,
    make_authority,
    watch_certificate,
)
from firmware_bridge.sim.clock import run
from tests.controller.floor.certificates.test_authority import NOW, TABLE

DAY = 24 * 3600.0


def reported(file: Path, days: float) -> list[str]:
    """Return what is reported in some days from the 69th day on."""
    sentences: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        with suppress(TimeoutError):
            async with asyncio.timeout(days * DAY):
                await watch_certificate(
                    file,
                    sentences.append,
                    wall=lambda: NOW + timedelta(days=69, seconds=loop.time() - begun),
                )

    run(main())
    return sentences


def issued(tmp_path: Path) -> tuple[CertificateAuthority, Path]:
    authority = make_authority(tmp_path / "ca", "club", NOW)
    return authority, authority.issue(TABLE, (), 100, NOW) / "certificate.pem"


def test_the_end_is_reported_each_day_from_thirty_days_before(tmp_path: Path) -> None:
    _, file = issued(tmp_path)
    assert reported(file, 1.5) == []
    sentences = reported(file, 4.5)
    assert [sentence.split("ends in ")[1].split(",")[0] for sentence in sentences] == [
        "29 days",
        "28 days",
        "27 days",
    ]
    assert "wallwright floor ca renew" in sentences[0]


def test_a_file_that_cannot_be_read_is_reported_and_the_watch_goes_on(tmp_path: Path) -> None:
    sentences = reported(tmp_path / "none.pem", 1.5)
    assert len(sentences) == 2
    assert "cannot be read" in sentences[0]
