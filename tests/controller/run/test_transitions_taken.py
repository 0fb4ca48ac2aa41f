"""Tests that the daemon takes every transition of the state machine from each source state."""

from __future__ import annotations

import asyncio

import pytest

from controller.events import EventLog
from controller.run import state_machine
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from controller.run.state_machine import SETTING_UP, TableMachine
from tests.controller.played_round import Round, emergency, play
from tests.controller.table_with_faults import evening

Taken = set[tuple[str, str, str]]
"""Region, trigger and the state from which it was taken."""

REGIONS = {
    "above": state_machine.ABOVE_TRANSITIONS,
    "mode": state_machine.MODE_TRANSITIONS,
    "under": state_machine.UNDER_TRANSITIONS,
    "top": state_machine.TOP_TRANSITIONS,
}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """The transitions that all simulated tables take during the test."""
    found: Taken = set()
    fire = TableMachine.fire

    def recorded(machine: TableMachine, trigger: str) -> None:
        before = {region: str(getattr(machine, region)) for region in REGIONS}
        fire(machine, trigger)
        for region, rows in REGIONS.items():
            for name, sources, _ in rows:
                if name == trigger and before[region] in sources:
                    found.add((region, trigger, before[region]))

    monkeypatch.setattr(TableMachine, "fire", recorded)
    return found


def cut_short(at: float) -> None:
    """Play a round and cancel it at this time, in seconds of the round."""
    running: asyncio.Task[object]

    def hear(played: Round, event: dict[str, object]) -> None:
        nonlocal running
        if event["event"] == "state" and event["under"] == "testing":
            task = asyncio.current_task()
            assert task is not None
            running = task

    def happen(_: Round) -> None:
        running.cancel()

    with pytest.raises(asyncio.CancelledError):
        play(happens={at: happen}, on=hear)


@pytest.mark.slow
def test_the_daemon_takes_every_transition_from_every_source_state(taken: Taken) -> None:
    # Walls, a pile and a cut, dice alone, dealing by hand, a choice, lots and replacements.
    play(rounds=2)
    play("pai_gow", "pai_gow", rounds=2)
    play(game="backgammon", rounds=2)
    play("classic", "filipino")
    play(game="sebastopol", rounds=2)
    play(game="da_san")
    # Pauses with a prompt to a person, while the parts are homed and while the table runs.
    play(happens={3.0: emergency(1.0), 60.0: emergency(1.0)})
    # Faults while the boards are tested, the parts are homed, and the table runs.
    for injected in (("stuck_sensor:gantry_z_home",), ("jam:head2#10~9",)):
        assert evening(*injected, "wrong_answer:people").fault is not None
    evening(meanwhile=fails_its_test)
    # Stops in each of these states.
    for at in (0.05, 3.0, 60.0):
        cut_short(at)

    missing = sorted(
        f"{region}: {trigger} from {source}"
        for region, rows in REGIONS.items()
        for trigger, sources, _ in rows
        for source in sources
        if (region, trigger, source) not in taken
        # No game has every order of the states of a set-up.
        and not (source in ("raising", *SETTING_UP) and any(t == trigger for _, t, _ in taken))
    )
    assert missing == []


async def fails_its_test(daemon: Daemon, _: Hardware, __: EventLog) -> None:
    async def self_test() -> int:
        return 1

    daemon._boards["arm"].self_test = self_test  # type: ignore[method-assign]
