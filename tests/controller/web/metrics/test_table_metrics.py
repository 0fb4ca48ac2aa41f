"""Metrics of a simulated table: they count what happened at it, and promtool accepts them."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from controller.web.metrics.readings import ApiFigures
from controller.web.metrics.table_metrics import PERIOD, LoopLag, TableMetrics
from firmware_bridge.sim.clock import run
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.web.api.fake_service import FakeService
from tests.controller.web.metrics.scraped import Values, value, values_of

NAMES = ("Zebedee", "Yolanda")
API = ApiFigures(streams=2, clients=1)


@cache
def texts() -> dict[str, bytes]:
    """The metrics of one evening: before it, at a jam, after a round, after the run."""
    found: dict[str, bytes] = {}

    async def evening(guests: Guests) -> None:
        metrics = TableMetrics(guests.port, Path(folder))
        metrics.start()
        try:
            found["before"] = (await metrics.scrape(API))()
            names = dict(enumerate(NAMES))
            await guests.have("start_session", choice={"game": "wenzhou"}, names=names)
            await guests.until(lambda status: any(each.kind == "fault" for each in status.prompts))
            await asyncio.sleep(7.0)
            found["jam"] = (await metrics.scrape(API))()
            await asyncio.sleep(18.0)
            (prompt,) = guests.status.prompts
            await guests.have("answer", prompt=prompt.id, value=prompt.choices[0].value)
            await guests.have("automatic", on=True)
            await guests.until(lambda status: status.counts.rounds == 1, limit=7200.0)
            await guests.have("pause")
            await asyncio.sleep(30.0)
            found["pause"] = (await metrics.scrape(API))()
            await guests.have("resume")
            await asyncio.sleep(1.0)
            found["after"] = (await metrics.scrape(API))()
        finally:
            await metrics.close()

    with TemporaryDirectory() as folder:
        jam = ("jam:head2@20~60",)
        at_a_table(evening, automatic=False, injected_faults=jam, audit=Path(folder) / "audit")
    return found


def scraped(moment: str) -> Values:
    return values_of(texts()[moment])


def test_promtool_accepts_the_metrics_of_a_table() -> None:
    promtool = shutil.which("promtool")
    assert promtool is not None, "promtool is missing; run `make metrics-tools`."
    for text in texts().values():
        done = subprocess.run(
            [promtool, "check", "metrics"], input=text, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def test_a_table_that_nobody_uses_is_idle_and_playable() -> None:
    before = scraped("before")
    assert value(before, "playable") == 1
    assert value(before, "service_state", state="idle") == 1
    assert value(before, "service_state", state="session") == 0
    assert value(before, "machine_mode", mode="offline") == 1
    assert value(before, "board_connected", board="base") == 0


def test_a_jam_that_needs_a_person_is_an_open_prompt_with_its_age() -> None:
    jam = scraped("jam")
    assert value(jam, "prompts_open", kind="fault", role="attendant") == 1
    age = value(jam, "prompt_open_seconds", kind="fault", role="attendant")
    assert age is not None and 7.0 <= age < 8.0
    assert value(jam, "jams_total") == 0


def test_after_a_round_its_tiles_phases_jam_assist_and_commands_are_counted() -> None:
    after = scraped("after")
    assert value(after, "rounds_total") == 1
    sets = value(after, "sets_built_total")
    assert sets is not None and sets >= 1
    assert value(after, "tiles_lifted_total") == 136 * sets
    assert value(after, "tiles", count="accounted") == value(after, "tiles", count="expected")
    assert value(after, "jams_total") == 1
    assert value(after, "recoveries_total", code="JAM") == 1
    assert value(after, "assists_total", code="JAM") == 1
    assert value(after, "assist_duration_seconds_count") == 1
    waited = value(after, "assist_duration_seconds_sum")
    assert waited is not None and 25.0 <= waited < 26.0
    assert value(after, "cycle_duration_seconds_count", activity="under") == sets
    assert value(after, "cycle_duration_seconds_count", activity="top") == 1
    assert value(after, "phase_duration_seconds_count", activity="top", phase="dealing") == 1
    commands = value(after, "board_commands_total", board="base")
    assert commands is not None and commands > 100
    assert (value(after, "audit_events_total") or 0) > 5
    assert (value(after, "journal_write_duration_seconds_count") or 0) > 10
    assert (value(after, "audit_write_duration_seconds_count") or 0) > 5
    assert (value(after, "lid_openings_total") or 0) >= sets


def test_a_pause_by_a_person_ends_play_and_its_seconds_are_counted() -> None:
    pause, after = scraped("pause"), scraped("after")
    assert value(pause, "playable") == 0
    assert value(pause, "machine_mode", mode="paused") == 1
    assert value(pause, "pause_open", cause="COMMAND") == 1
    assert value(after, "playable") == 1
    assert value(after, "pauses_total", cause="COMMAND") == 1
    seconds = value(after, "machine_mode_seconds_total", mode="paused")
    assert seconds is not None and 30.0 <= seconds < 31.0
    assert value(after, "pause_open", cause="COMMAND") is None


def test_states_add_up_to_the_time_of_the_table() -> None:
    after = scraped("after")
    clock = value(after, "table_clock_seconds")
    for name in ("service_state_seconds_total", "machine_mode_seconds_total"):
        total = sum(found for (each, _), found in after.items() if each == f"wallwright_{name}")
        assert total == pytest.approx(clock, abs=0.05)


def test_no_name_of_a_person_and_no_tile_is_in_the_metrics() -> None:
    for text in texts().values():
        assert not [name for name in NAMES if name.encode() in text]
        labels = {label for _, found in values_of(text) for _, label in found}
        assert not labels & {f"{n}{suit}" for n in range(1, 10) for suit in "mpsz"}


def test_nothing_is_counted_after_the_end() -> None:
    async def evening() -> None:
        service = FakeService(prompts=())
        metrics = TableMetrics(service)
        metrics.start()
        service.emit({"t": 1.0, "event": "board_reset", "board": "base", "boots": 2, "cause": "x"})
        service.emit({"t": 1.0, "event": "set_built", "set": 0, "counted": 5, "picks": {}})
        await metrics.close()
        service.emit({"t": 2.0, "event": "set_built", "set": 0, "counted": 5, "picks": {}})
        assert value(values_of((await metrics.scrape(API))()), "tiles_lifted_total") == 5

    run(evening())


def test_the_lag_of_the_event_loop_is_what_a_callback_was_late() -> None:
    async def evening() -> None:
        times = iter((0.0, PERIOD + 0.3, 5.0, 5.0 + PERIOD, 9.0))
        lag = LoopLag(clock=lambda: next(times))
        measuring = asyncio.ensure_future(lag.run())
        await asyncio.sleep(2.5 * PERIOD)
        measuring.cancel()
        found = lag.lags.distribution
        assert sum(found.classes) == 2
        assert found.total == pytest.approx(0.3)

    run(evening())


def test_a_table_has_at_most_500_series() -> None:
    # A floor of 1,700 tables has 850,000 series; docs/floor/METRICS.md gives the number of a table.
    assert len(scraped("after")) <= 500
