"""A pause by command: every output is safe until people resume, and the round goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

import pytest

from controller.events import Event, EventLog
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from controller.run.faults.failures import Fault
from controller.run.pausing.pause_gate import COMMAND
from tests.controller.table_with_faults import evening

DINNER = 3600.0


def _dinner_at(
    second: float,
) -> Callable[[Daemon, Hardware, EventLog], Coroutine[object, object, None]]:
    async def pause(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        await asyncio.sleep(second)
        daemon.pause()
        assert daemon.is_held
        await asyncio.sleep(DINNER)
        assert daemon.is_held
        daemon.resume()
        assert not daemon.is_held

    return pause


@pytest.mark.parametrize("second", [3.0, 20.0, 107.0, 122.0])
@pytest.mark.slow
def test_the_table_waits_for_an_hour_and_deals_the_round_to_its_end(second: float) -> None:
    played = evening(meanwhile=_dinner_at(second))
    paused = [event for event in played.events if event["event"] == "paused"]
    resumed = [event for event in played.events if event["event"] == "resumed"]
    assert [event["why"] for event in paused] == [COMMAND]
    assert float(str(resumed[0]["paused_s"])) == pytest.approx(DINNER, abs=2.0)
    assert played.fault is None
    assert any(event["event"] == "ready" for event in played.events)


@pytest.mark.slow
def test_no_output_but_lamps_is_active_during_the_pause() -> None:
    played = evening(meanwhile=_dinner_at(82.0))
    during = [pin for pin in played.pins if 83.0 < pin[0] < 82.0 + DINNER]
    assert [pin for pin in during if pin[2] and "lamp" not in pin[1]] == []


@pytest.mark.slow
def test_twelve_commanded_pauses_in_a_minute_call_nobody() -> None:
    async def nervous(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        await asyncio.sleep(72.0)
        for _ in range(12):
            daemon.pause()
            await asyncio.sleep(1.0)
            daemon.resume()
            await asyncio.sleep(2.0)

    played = evening(meanwhile=nervous)
    assert not any(event["event"] == "operator_prompted" for event in played.events)
    assert sum(event["event"] == "resumed" for event in played.events) == 12
    assert played.fault is None


@pytest.mark.slow
def test_a_stuck_tile_that_people_put_back_during_the_pause_is_noticed() -> None:
    async def reach_in(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        plant = hardware.plant
        assert plant is not None
        await asyncio.sleep(79.6)
        daemon.pause()
        await asyncio.sleep(10.0)
        assert plant.repair("JAM", "head 2")
        daemon.resume()

    played = evening("jam:head2#3~99", game="draw", meanwhile=reach_in)
    assert played.fault is not None
    assert played.fault.fault is Fault.UNPROVEN
    assert played.fault.evidence.startswith("head2_counter counted a tile after all 28")


@pytest.mark.slow
def test_a_tile_of_the_set_in_play_that_people_drop_into_the_mixing_drum_is_noticed() -> None:
    async def drop_one(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        plant = hardware.plant
        assert plant is not None and plant.drum is not None
        mixing = asyncio.Event()

        def on_event(event: Event) -> None:
            if event.get("under") == "shuffling" and any(plant.hands().values()):
                mixing.set()

        events.listen(on_event)
        await mixing.wait()
        await asyncio.sleep(1.0)
        assert len(plant.drum) == 28, "the heads have lifted none of the other set"
        daemon.pause()
        await asyncio.sleep(10.0)
        plant.drum.give(plant.take_out(next(hand[0] for hand in plant.hands().values() if hand)))
        daemon.resume()

    played = evening(game="draw", rounds=2, until_ready=False, meanwhile=drop_one)
    assert played.fault is not None
    assert played.fault.fault is Fault.UNPROVEN
    assert "a tile of the other set, was put into the drum" in played.fault.evidence
