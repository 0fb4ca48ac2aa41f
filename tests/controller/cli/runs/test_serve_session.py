"""The service that `wallwright serve` creates, without its address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from functools import partial
from pathlib import Path

import pytest

from config.loader import load_table
from controller.cli.runs.serve_session import ServeJob, begin_first, open_service
from controller.service.commands import Actor
from controller.service.commands.recovery_lead import LAPSE
from controller.service.user_roles import UserRole
from firmware_bridge.sim.clock import VirtualLoop, run


def job(data: Path, *, pace: float = 1.0, game: str | None = None) -> ServeJob:
    """Return the job of a simulated table with this data folder."""
    return ServeJob(
        table_name="robotic",
        table=load_table("robotic"),
        game=game,
        until_ready=False,
        listen="",
        data=data,
        journal_copy=None,
        pace=pace,
        seed=1,
        automatic=False,
        ports={},
        keys=None,
        injected_faults=(),
        cert=None,
        key=None,
    )


@pytest.mark.parametrize("pace", [1.0, 25.0])
def test_a_recovery_lead_lasts_as_long_for_people_at_every_simulated_speed(
    tmp_path: Path, pace: float
) -> None:
    async def serve() -> None:
        async with open_service(job(tmp_path, pace=pace), tmp_path) as service:
            service.recovery.take(Actor("Ann", UserRole.ATTENDANT, "phone"))
            assert service.recovery.lapses_at is not None
            left = service.recovery.lapses_at - service.clock()
            assert left == pytest.approx(LAPSE * pace, abs=1)

    run(serve())


PACE = 25.0


def paced(serve: Coroutine[None, None, None]) -> None:
    """Run at `PACE`, because threads write log and store in real time."""
    with asyncio.Runner(loop_factory=partial(VirtualLoop, PACE)) as runner:
        runner.run(serve)


def test_a_session_of_the_command_line_is_recorded_before_it_begins(tmp_path: Path) -> None:
    async def first_start() -> None:
        async with open_service(job(tmp_path, pace=PACE, game="block"), tmp_path) as service:
            serving = asyncio.ensure_future(service.serve(partial(begin_first, service, "block")))
            assert service.book is None
            while service.book is None:  # noqa: ASYNC110 - the log is opened in a thread
                await asyncio.sleep(0.1)
            assert (service.book.id, service.book.game.choice.game) == ("s1", "block")
            log = (tmp_path / "audit/events.jsonl").read_text("utf-8").splitlines()
            recorded = [json.loads(line) for line in log]
            whats = [event["what"] for event in recorded]
            assert whats[:3] == ["log_begun", "power_up", "command"]
            recorded = recorded[:3]
            assert recorded[-1]["details"]["command"] == "start_session"
            assert recorded[-1]["details"]["arguments"]["choice"]["game"] == "block"
            assert recorded[-1]["from"] == "command line"
            service.stop()
            await serving

    paced(first_start())


def test_a_session_in_progress_goes_on_though_the_command_line_names_a_game(
    tmp_path: Path,
) -> None:
    async def start(game: str) -> None:
        async with open_service(job(tmp_path, pace=PACE, game=game), tmp_path) as service:
            serving = asyncio.ensure_future(service.serve(partial(begin_first, service, game)))
            while service.book is None:  # noqa: ASYNC110 - the log is opened in a thread
                await asyncio.sleep(0.1)
            await asyncio.sleep(5.0)
            assert (service.book.id, service.book.game.choice.game) == ("s1", "block")
            service.stop()
            await serving

    paced(start("block"))
    paced(start("da_san"))


def test_a_log_that_cannot_be_written_lets_no_session_begin(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit/head").write_text("no head")

    async def start() -> None:
        async with open_service(job(tmp_path, pace=PACE, game="block"), tmp_path) as service:
            serving = asyncio.ensure_future(service.serve(partial(begin_first, service, "block")))
            while service.service.state != "fault":  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.1)
            await asyncio.sleep(5.0)
            assert service.book is None
            service.stop()
            await serving

    paced(start())
