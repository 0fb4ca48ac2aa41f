"""The monitor reads the stream of the real API with an API token."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from controller.cli.monitor.stream_reader import MonitorRefusedError, StreamReader, parse_address
from controller.cli.monitor.watching import page
from controller.service.status import SceneStatus
from tests.controller.web.api.fake_service import FakeService
from tests.controller.web.api.served import a_server, first_login, run
from tests.waiting import until


def test_an_auditors_token_reads_the_status_its_changes_and_a_revoked_one_ends_it(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        service = FakeService()
        async with a_server(service, tmp_path) as address:
            headers = {"Cookie": await first_login(address)}
            async with httpx.AsyncClient(
                base_url=address.url, headers=headers, timeout=60
            ) as client:
                me = (await client.get("/api/v1/me")).json()
                client.headers["X-CSRF-Token"] = me["csrf"]
                made = await client.post(
                    "/api/v1/tokens", json={"name": "monitor", "role": "auditor"}
                )
                assert made.status_code == 201, made.text
                where = parse_address(address.url)
                reader = StreamReader(where, made.json()["token"], lambda: None)
                reading = asyncio.create_task(reader.run())
                await until(lambda: reader.view.status is not None)
                drum = {"drum": 7}
                service.feed.publish(
                    service.feed.status.model_copy(update={"scene": SceneStatus(**drum)})
                )
                await until(lambda: (reader.view.status or {})["scene"]["drum"] == 7)
                shown = page(reader.view, asyncio.get_running_loop().time(), 80, 23).plain
                assert shown.startswith("simulated table ")
                (key,) = (await client.get("/api/v1/keys")).json()["keys"]
                gone = await client.delete(f"/api/v1/keys/{key['id']}")
                assert gone.status_code in (200, 204), gone.text
                with pytest.raises(MonitorRefusedError, match="--token-file"):
                    await reading

    run(test)
