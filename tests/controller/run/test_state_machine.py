"""Tests the state machine: transitions in its tables are taken, all others are refused."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import product

import pytest

from controller.run.state_machine import (
    ABOVE_TRANSITIONS,
    MODE,
    MODE_TRANSITIONS,
    ONLY_GOING,
    SETTING_UP,
    TOP,
    TOP_TRANSITIONS,
    TRIGGERS,
    UNDER,
    UNDER_TRANSITIONS,
    TableMachine,
    TransitionRefusedError,
)
from firmware_bridge.sim import clock

Rows = tuple[tuple[str, tuple[str, ...], str], ...]
Change = tuple[str, str]
START = ("connect", "home", "run")
REGIONS: dict[str, Rows] = {
    "under": UNDER_TRANSITIONS,
    "top": TOP_TRANSITIONS,
    "mode": MODE_TRANSITIONS,
    "above": ABOVE_TRANSITIONS,
}
WITHOUT_REGIONS = ("offline", "testing", "fault", "stopped")
EDGES = [
    pytest.param(region, trigger, source, destination, id=f"{region}: {source} {trigger}")
    for region, rows in REGIONS.items()
    for trigger, sources, destination in rows
    for source in sources
]


def way(rows: Rows, start: str, goal: str) -> tuple[str, ...]:
    """Return the shortest sequence of triggers from one state to another."""
    ways: deque[tuple[str, tuple[str, ...]]] = deque([(start, ())])
    seen = {start}
    while ways:
        state, triggers = ways.popleft()
        if state == goal:
            return triggers
        for trigger, sources, destination in rows:
            if state in sources and destination not in seen:
                seen.add(destination)
                ways.append((destination, (*triggers, trigger)))
    raise AssertionError(f"No sequence of transitions leads from {start} to {goal}.")


def machine_at(under: str = "idle", top: str = "clear") -> tuple[TableMachine, list[Change]]:
    """Return a machine in these states, and the list to which it adds its later changes."""
    events: list[Change] = []
    machine = TableMachine(lambda *change: events.append(change))
    below = way(UNDER_TRANSITIONS, "idle", under)
    on_top = way(TOP_TRANSITIONS, "clear", top)
    for trigger in (*START, *below, *on_top):
        machine.fire(trigger)
    events.clear()
    return machine, events


def machine_above(state: str) -> tuple[TableMachine, list[Change]]:
    """Return a machine in a state of `ABOVE`, and the list to which it adds its later changes."""
    events: list[Change] = []
    machine = TableMachine(lambda *change: events.append(change))
    for trigger in way(ABOVE_TRANSITIONS, "offline", state):
        machine.fire(trigger)
    events.clear()
    return machine, events


def allowed(state: Change) -> set[str]:
    """Return the triggers that the transition tables allow in this state while running."""
    present = {"under": state[0], "top": state[1], "mode": "going", "above": "running"}
    return {
        trigger
        for region, rows in REGIONS.items()
        for trigger, sources, _ in rows
        if present[region] in sources
    }


@pytest.mark.parametrize(("region", "trigger", "source", "destination"), EDGES)
def test_every_transition_of_the_tables_can_be_taken_from_each_of_its_sources(
    region: str, trigger: str, source: str, destination: str
) -> None:
    match region:
        case "under":
            machine, _ = machine_at(under=source)
        case "top":
            machine, _ = machine_at(top=source)
        case "mode":
            machine, _ = machine_at("building", "dealing")
            for each in way(MODE_TRANSITIONS, "going", source):
                machine.fire(each)
        case _:
            machine, _ = machine_above(source)
    assert getattr(machine, region) == source
    machine.fire(trigger)
    assert getattr(machine, region) == destination


@pytest.mark.parametrize(("under", "top"), list(product(UNDER, TOP)))
def test_a_running_table_refuses_other_triggers_and_keeps_its_state(under: str, top: str) -> None:
    machine, events = machine_at(under, top)
    for trigger in sorted(TRIGGERS):
        if trigger in allowed((under, top)):
            continue
        with pytest.raises(TransitionRefusedError) as refused:
            machine.fire(trigger)
        assert (
            str(refused.value)
            == f"'{trigger}' is not possible while under is {under} and top is {top}."
        )
        assert (machine.above, machine.under, machine.top) == ("running", under, top)
    assert events == []


@pytest.mark.parametrize("state", WITHOUT_REGIONS)
def test_a_table_that_is_not_running_refuses_other_triggers(state: str) -> None:
    machine, events = machine_above(state)
    legal = {trigger for trigger, sources, _ in ABOVE_TRANSITIONS if state in sources}
    for trigger in sorted(TRIGGERS):
        if trigger in legal:
            continue
        with pytest.raises(
            TransitionRefusedError, match=f"'{trigger}' is not possible while under is {state}"
        ):
            machine.fire(trigger)
        assert {machine.above, machine.mode, machine.under, machine.top} == {state}
    assert events == []


def test_a_homing_table_can_be_paused_and_does_not_run_before_the_pause_ends() -> None:
    machine, events = machine_above("homing")
    assert (machine.above, machine.mode, machine.under) == ("homing", "going", "homing")
    for trigger in ("pause", "service"):
        machine.fire(trigger)
        with pytest.raises(
            TransitionRefusedError, match=f"'run' .* and the table is {machine.mode}"
        ):
            machine.fire("run")
    for trigger in ("finish_service", "resume", "run"):
        machine.fire(trigger)
    assert events == [
        *((state, state) for state in ("paused", "servicing", "paused", "homing")),
        ("idle", "clear"),
    ]


@pytest.mark.parametrize(("under", "top"), list(product(UNDER, TOP)))
def test_a_pause_does_not_change_the_states_of_both_activities(under: str, top: str) -> None:
    machine, events = machine_at(under, top)
    machine.fire("pause")
    assert (machine.above, machine.mode) == ("running", "paused")
    assert (machine.under, machine.top) == (under, top)
    machine.fire("service")
    machine.fire("finish_service")
    machine.fire("resume")
    assert (machine.mode, machine.under, machine.top) == ("going", under, top)
    paused, serviced = ("paused", "paused"), ("servicing", "servicing")
    assert events == [paused, serviced, paused, (under, top)]


@pytest.mark.parametrize("mode", [mode for mode in MODE if mode != "going"])
@pytest.mark.parametrize(("under", "top"), list(product(UNDER, TOP)))
def test_a_paused_table_refuses_every_step_of_both_activities(
    under: str, top: str, mode: str
) -> None:
    machine, events = machine_at(under, top)
    for trigger in way(MODE_TRANSITIONS, "going", mode):
        machine.fire(trigger)
    events.clear()
    for trigger in sorted(ONLY_GOING):
        with pytest.raises(TransitionRefusedError, match=f"and the table is {mode}"):
            machine.fire(trigger)
    assert events == []
    assert (machine.mode, machine.under, machine.top) == (mode, under, top)


def test_an_activity_that_ends_during_a_pause_waits_for_its_end() -> None:
    machine, events = machine_at("shuffling", "dealing")
    machine.fire("pause")

    async def main() -> None:
        entering = asyncio.create_task(machine.enter("build"))
        await asyncio.sleep(5.0)
        assert (entering.done(), machine.under) == (False, "shuffling")
        machine.fire("service")
        machine.fire("finish_service")
        machine.fire("resume")
        await entering

    clock.run(main())
    assert events[-2:] == [("shuffling", "dealing"), ("building", "dealing")]


def test_a_second_pause_before_a_waiting_activity_resumes_keeps_it_waiting() -> None:
    machine, _ = machine_at("shuffling", "dealing")
    machine.fire("pause")

    async def main() -> None:
        entering = asyncio.create_task(machine.enter("build"))
        await asyncio.sleep(1.0)
        machine.fire("resume")
        machine.fire("pause")
        await asyncio.sleep(1.0)
        assert machine.under == "shuffling"
        machine.fire("resume")
        await entering
        assert machine.under == "building"

    clock.run(main())


def test_an_activity_does_not_wait_without_a_pause() -> None:
    machine, _ = machine_at("shuffling", "dealing")
    clock.run(machine.enter("build"))
    assert machine.under == "building"
    with pytest.raises(
        TransitionRefusedError, match="'build' is not possible while under is building"
    ):
        clock.run(machine.enter("build"))


@pytest.mark.parametrize("trigger", ["stop", "fail"])
@pytest.mark.parametrize("mode", MODE)
def test_a_stop_or_a_fault_is_possible_during_a_pause(trigger: str, mode: str) -> None:
    machine, _ = machine_at("shuffling", "dealing")
    for each in (*way(MODE_TRANSITIONS, "going", mode), trigger):
        machine.fire(each)
    assert machine.mode == machine.under == machine.top == machine.above != "running"


@pytest.mark.parametrize(("under", "top"), list(product(UNDER, TOP)))
def test_a_transition_of_one_activity_does_not_change_the_other(under: str, top: str) -> None:
    others = {name for name, _, _ in (*ABOVE_TRANSITIONS, *MODE_TRANSITIONS)}
    for trigger in sorted(allowed((under, top)) - others):
        machine, events = machine_at(under, top)
        machine.fire(trigger)
        below = trigger in {name for name, _, _ in UNDER_TRANSITIONS}
        assert (machine.top if below else machine.under) == (top if below else under)
        assert events == [(machine.under, machine.top)]


@pytest.mark.parametrize("name", ["deal_again", "state", "fire", "is_running", ""])
def test_an_unknown_trigger_is_refused(name: str) -> None:
    machine, events = machine_at("building", "playing")
    with pytest.raises(
        TransitionRefusedError, match=f"'{name}' is not possible while under is building"
    ):
        machine.fire(name)
    assert events == []


def test_an_error_of_the_listener_is_not_reported_as_a_refused_transition() -> None:
    def failing(under: str, top: str) -> None:
        raise AttributeError(f"no lamp for {under}")

    with pytest.raises(AttributeError, match="no lamp for testing"):
        TableMachine(failing).fire("connect")


@pytest.mark.parametrize("under", UNDER)
@pytest.mark.parametrize("top", TOP)
def test_a_stop_a_fault_or_a_pause_is_possible_in_every_state(under: str, top: str) -> None:
    for trigger, state in (("stop", "stopped"), ("fail", "fault"), ("pause", "paused")):
        machine, events = machine_at(under, top)
        machine.fire(trigger)
        assert machine.mode == state
        assert events == [(state, state)]


def test_a_stop_fired_by_the_listener_is_reported_after_the_change() -> None:
    events: list[Change] = []

    def hear(*change: str) -> None:
        events.append((change[0], change[1]))
        if machine.top == "raising":
            machine.fire("stop")

    machine = TableMachine(hear)
    for trigger in (*START, "raise_walls"):
        machine.fire(trigger)
    assert events[-2:] == [("idle", "raising"), ("stopped", "stopped")]


@pytest.mark.slow
def test_the_states_of_a_set_up_can_follow_each_other_in_any_order() -> None:
    for first, second in product(SETTING_UP, SETTING_UP):
        machine, events = machine_at(top="raising")
        for state in (first, second):
            machine.fire(f"begin_{state}")
        machine.fire("begin_play")
        assert [top for _, top in events] == [first, second, "playing"]


def test_the_states_of_two_rounds() -> None:
    events: list[Change] = []
    machine = TableMachine(lambda *change: events.append(change))
    cold_start = (*START, "collect", "gather", "clear_top", "shuffle", "build", "stage")
    first_deal = ("raise_walls", "hand_up", "begin_throwing", "begin_dealing", "begin_turning")
    second_set = ("begin_play", "gather", "shuffle", "build", "stage")
    for trigger in (*cold_start, *first_deal, *second_set):
        machine.fire(trigger)
    with pytest.raises(
        TransitionRefusedError, match=r"'raise_walls' is not possible while .* top is playing"
    ):
        machine.fire("raise_walls")
    for trigger in ("collect", "clear_top", "raise_walls"):
        machine.fire(trigger)
    assert events == [
        ("testing", "testing"),
        ("homing", "homing"),
        ("idle", "clear"),
        ("idle", "collecting"),
        ("gathering", "collecting"),
        ("gathering", "clear"),
        ("shuffling", "clear"),
        ("building", "clear"),
        ("staged", "clear"),
        ("staged", "raising"),
        ("idle", "raising"),
        ("idle", "throwing"),
        ("idle", "dealing"),
        ("idle", "turning"),
        ("idle", "playing"),
        ("gathering", "playing"),
        ("shuffling", "playing"),
        ("building", "playing"),
        ("staged", "playing"),
        ("staged", "collecting"),
        ("staged", "clear"),
        ("staged", "raising"),
    ]
