"""The service that `wallwright serve` creates, without its address."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from config.loader import load_table
from controller.cli.runs.serve_session import ServeJob, begin_first, open_service, serve_job
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import scan
from controller.service.evening.evening_store import EveningStore
from controller.service.port import Actor
from controller.service.prompts.recovery_lead import LAPSE
from controller.service.user_roles import UserRole
from firmware_bridge.sim.clock import VirtualLoop, run
from tests.quick import tries


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
            service.lead.take(Actor("Ann", UserRole.ATTENDANT, "phone"))
            assert service.lead.lapses_at is not None
            left = service.lead.lapses_at - service.clock()
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
            while service.state.status.state != "fault":  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.1)
            await asyncio.sleep(5.0)
            assert service.book is None
            service.stop()
            await serving

    paced(start())


def test_later_collections_leave_out_the_objects_of_the_start(tmp_path: Path) -> None:
    """With them, a full collection stopped the renewal of leases for up to 48 ms."""
    gc.unfreeze()
    served = replace(job(tmp_path, pace=1000.0, game="block"), until_ready=True)
    assert serve_job(replace(served, listen="127.0.0.1:0")) == 0
    assert gc.get_freeze_count() > 100_000


CUT = 9
"""Exit code of a process whose simulated power failed."""
CALLS = ("fsync", "fdatasync", "replace", "rename", "link", "unlink", "ftruncate", "pwrite")


def start_in_a_copy(data: Path, last: int | None) -> int:
    """Start the service in a copy of this process, for 3 s of the table; returns its exit code.

    The process ends at the call number `last` of those that change a file, as by a power cut.
    """
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        calls = count()

        def cutting(real: Callable[..., Any]) -> Callable[..., Any]:
            def cut(*given: Any, **named: Any) -> Any:
                if next(calls) == last:
                    os._exit(CUT)
                return real(*given, **named)

            return cut

        for name in CALLS:
            setattr(os, name, cutting(getattr(os, name)))
        EveningStore.write_all = cutting(EveningStore.write_all)  # type: ignore[method-assign]

        async def start() -> None:
            async with open_service(job(data, pace=PACE, game="block"), data) as service:
                serving = asyncio.ensure_future(
                    service.serve(partial(begin_first, service, "block"))
                )
                while service.book is None:  # noqa: ASYNC110 - the log is opened in a thread
                    await asyncio.sleep(0.1)
                await asyncio.sleep(3.0)
                assert service.state.status.state == "session", service.state.status.sentence
                # A session that was never reported may be gone; its number is not used again.
                assert service.book.id in ("s1", "s2")
                (data / "id").write_text(service.book.id)
                service.stop()
                await serving

        paced(start())
        code = 0
    except Exception:  # noqa: BLE001 - it is shown, and the exit code reports it
        traceback.print_exc()
    finally:
        os._exit(code)


@pytest.mark.evidence
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_power_cut_at_any_step_of_a_start_loses_nothing_and_begins_no_second_log(
    tmp_path: Path,
) -> None:
    """The first start, and one that finds a session, a journal and a tail of the log to correct."""
    every = tries(60, quick=60, evidence=1)
    for is_first in (False, True)[: tries(1, quick=1, evidence=2)]:
        before = tmp_path / f"{is_first}"
        before.mkdir(mode=0o700)
        if not is_first:
            assert start_in_a_copy(before, None) == 0
            with (before / "audit/events.jsonl").open("ab") as events:
                events.write(b'{"index":')
        known = None if is_first else scan(LogFolder(before / "audit"))
        code, last = CUT, every // 2
        while code == CUT:
            data = tmp_path / "copy"
            shutil.copytree(before, data)
            code = start_in_a_copy(data, last)
            assert code in (CUT, 0)
            assert start_in_a_copy(data, None) == 0
            found = scan(LogFolder(data / "audit"))
            if known is not None:
                assert found.head.origin == known.head.origin
                assert found.tree.size > known.tree.size
                assert (data / "id").read_text() == "s1"
                assert (data / "audit/removed").read_bytes().startswith(b'{"index":')
            assert not (data / "audit.new").exists()
            shutil.rmtree(data)
            last += every
        assert last > every
