"""A served table reports that its certificate for the floor ends soon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from controller.cli.runs.floor_link import published
from controller.floor.broker import Broker, TlsFiles
from controller.floor.certificates.authority import make_authority
from controller.floor.certificates.certificate import CertificateIdentity, CertificateKind
from controller.floor.messages import TableAddress
from controller.floor.settings import FloorSettings


@asynccontextmanager
async def nothing(*_: object) -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize(("days", "sentences"), [(20, 1), (100, 0)])
def test_a_table_on_a_floor_reports_that_its_certificate_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int, sentences: int
) -> None:
    now = datetime.now(UTC)
    identity = CertificateIdentity(CertificateKind.TABLE, "t07")
    own = make_authority(tmp_path / "ca", "club", now).issue(identity, (), days, now)
    tls = TlsFiles(own / "ca.pem", own / "certificate.pem", own / "key.pem")
    settings = FloorSettings(TableAddress("club", "t07"), "Table 7", Broker("broker", 8883, tls))
    monkeypatch.setattr("controller.cli.runs.floor_link.publishing", nothing)
    monkeypatch.setattr("controller.cli.runs.floor_link.ServiceSource", lambda *_: None)
    reported: list[str] = []

    async def serve() -> None:
        port: Any = None
        async with published(settings, port, 1.0, reported.append):
            await asyncio.sleep(0.01)

    asyncio.run(serve())
    assert len(reported) == sentences
    assert all("of t07 ends in 19 days" in sentence for sentence in reported)
