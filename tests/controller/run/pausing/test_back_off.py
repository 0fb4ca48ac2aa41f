"""Tests that a part that meets an obstacle stops, backs off at once, and waits for a person."""

from __future__ import annotations

import asyncio

import pytest

from controller.events import Event, EventLog
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from controller.run.faults.catalogue import Fault
from firmware_bridge.sim.plant.slide import Slide
from tests.controller.table_with_faults import Evening, evening

PARTS = ["lid", "lift1"]


def slide_of(hardware: Hardware, part: str) -> Slide:
    """Return the simulated drive of the lid or of a lift, which has the part's position."""
    plant = hardware.plant
    assert plant is not None and plant.lid is not None
    return plant.lid._slide if part == "lid" else plant.trays[int(part[-1])]._slide


def positions(part: str, *injected_faults: str) -> tuple[Evening, dict[str, float]]:
    """Play a run; return it with the part's position at the first event of each name."""
    positions_at: dict[str, float] = {}

    async def watch(_: Daemon, hardware: Hardware, events: EventLog) -> None:
        slide = slide_of(hardware, part)

        def look(event: Event) -> None:
            positions_at.setdefault(str(event["event"]), slide.position)

        events.listen(look)

    return evening(*injected_faults, meanwhile=watch), positions_at


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_meets_a_hand_backs_off_before_a_person_is_asked(part: str) -> None:
    emitted, positions_at = positions(part, f"obstruction:{part}#1")
    assert emitted.fault is None
    assert positions_at["paused"] == pytest.approx(0.5)
    assert positions_at["operator_prompted"] == pytest.approx(0.25)
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert (asked["code"], asked["role"]) == (Fault.OBSTRUCTED.name, "player")
    assert "out of the way" in str(asked["request"])
    (paused,) = emitted.when(event="paused")
    (backed_off,) = emitted.when(event="motor_reversed", channel=part)
    (waiting,) = emitted.when(event="operator_prompted")
    assert paused < backed_off < paused + 2.0
    assert backed_off <= waiting


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_the_part_finishes_its_motion_after_the_hand_is_gone(part: str) -> None:
    emitted, _ = positions(part, f"obstruction:{part}#1")
    assert emitted.when(event="walls_raised")
    assert {place: tiles for place, tiles in emitted.census.items() if tiles} == {
        "box 1": 136,
        "felt": 136,
    }


@pytest.mark.slow
def test_if_the_hand_is_still_there_the_part_backs_off_and_asks_again() -> None:
    emitted, _ = positions("lid", "obstruction:lid#1", "wrong_answer:people#1")
    assert emitted.fault is None
    assert (
        len(emitted.when(event="motor_reversed"))
        == len(emitted.when(event="operator_prompted"))
        == 2
    )


LIFTS = ["lift0", "lift1", "lift2", "lift3"]


def test_two_lifts_that_meet_an_obstacle_cause_one_question_about_all_moving_lifts() -> None:
    emitted, positions_at = positions("lift1", "obstruction:lift1#1", "obstruction:lift2#1")
    assert emitted.fault is None
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert (asked["code"], asked["role"]) == (Fault.OBSTRUCTED.name, "player")
    assert asked["part"] == "lift 0, lift 1, lift 2 or lift 3"
    assert positions_at["operator_prompted"] == pytest.approx(0.25)
    reversed_motors = [
        event["channel"] for event in emitted.events if event["event"] == "motor_reversed"
    ]
    assert reversed_motors == LIFTS


@pytest.mark.slow
def test_no_part_backs_off_while_the_emergency_stop_is_pressed_too() -> None:
    async def press(_: Daemon, hardware: Hardware, events: EventLog) -> None:
        plant, loop = hardware.plant, asyncio.get_running_loop()
        assert plant is not None

        def look(event: Event) -> None:
            if event["event"] == "paused" and event["channel"] == "lid":
                plant.emergency_stop(True)
                loop.call_later(3.0, plant.emergency_stop, False)

        events.listen(look)

    emitted = evening("obstruction:lid#1", meanwhile=press)
    assert emitted.fault is None
    assert emitted.when(event="paused", why="EMERGENCY_STOP")
    assert not emitted.when(event="motor_reversed")


@pytest.mark.slow
def test_a_belt_that_draws_too_much_does_not_back_off() -> None:
    emitted = evening("over_current:head2#1")
    assert emitted.fault is None
    assert not emitted.when(event="motor_reversed")
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert asked["code"] == Fault.OVER_CURRENT.name
