"""Injected faults: the times at which they occur, and their repair."""

from __future__ import annotations

import asyncio

import pytest

from config.loader import load_table
from firmware_bridge.sim import clock
from firmware_bridge.sim.faults.injected_fault import (
    parse,
)
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.faults.kinds import BY_OUTPUTS, KINDS, Realm

ROBOTIC = load_table("robotic")


def occurrences(text: str, occasions: int, seed: int = 0) -> list[int]:
    """Return the numbers, from 1, of the occasions (one per second) at which a jam occurs."""

    async def main() -> list[int]:
        injected_faults = InjectedFaults(ROBOTIC, [parse(text)], seed)
        injected_faults.begin(asyncio.get_running_loop())
        found = []
        for number in range(1, occasions + 1):
            if injected_faults.on_occasion("jam", "head2"):
                found.append(number)
            assert injected_faults.on_occasion("jam", "head1") is None
            await asyncio.sleep(1)
        assert [each.kind for each in injected_faults.occurred] == ["jam"] * len(found)
        return found

    return clock.run(main())


def test_a_fault_occurs_once_at_a_time_once_at_an_occasion_or_always() -> None:
    assert occurrences("jam:head2@4", 10) == [5]
    assert occurrences("jam:head2@3.5", 10) == [5]
    assert occurrences("jam:head2#4", 10) == [4]
    assert occurrences("jam:head2", 3) == [1, 2, 3]


@pytest.mark.slow
def test_a_rate_gives_its_share_of_occasions_and_the_same_ones_for_the_same_seed() -> None:
    found = occurrences("jam:head2:0.1", 3000, seed=7)
    assert 240 < len(found) < 360
    assert occurrences("jam:head2:0.1", 3000, seed=7) == found
    assert occurrences("jam:head2:0.1", 3000, seed=8) != found


def test_a_repair_names_a_part_and_perhaps_a_kind() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    repaired: list[str] = []
    injected_faults.activate("jam", "head2", lambda: repaired.append("jam"))
    injected_faults.activate("dirty_sensor", "head2_counter", lambda: repaired.append("dirt"))
    injected_faults.activate("half_up", "lift1", lambda: repaired.append("lift"))
    assert not injected_faults.repair("JAM", "head 3")
    assert not injected_faults.repair("starved", "head 2")
    assert injected_faults.repair("dirty_sensor", "head 2")
    assert injected_faults.repair("JAM", "head 2")
    assert injected_faults.repair("LIFT", "tray 1")
    assert repaired == ["dirt", "jam", "lift"]
    assert not injected_faults.repair("JAM", "head 2")


@pytest.mark.parametrize("part", ["gripper", "gripper turn", "turner", "gantry"])
def test_a_person_at_the_gripper_does_not_reach_below_the_table(part: str) -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    repaired: list[str] = []
    injected_faults.activate("jam", "head2", lambda: repaired.append("jam"))
    injected_faults.activate("over_current", "gripper", lambda: repaired.append("current"))
    assert injected_faults.repair("GRIPPER", part)
    assert repaired == ["current"]


def test_a_person_who_is_asked_about_an_axis_finds_its_stuck_switch() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    injected_faults.activate("stuck_sensor", "gantry_z_home", lambda: None)
    assert not injected_faults.repair("GRIPPER", "gripper")
    assert injected_faults.repair("AXIS", "gantry")


def test_while_a_board_does_not_answer_a_person_may_look_everywhere() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    injected_faults.activate("jam", "head2", lambda: None)
    assert injected_faults.repair("SILENT", "board arm")


def test_a_repair_of_the_table_repairs_every_part() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    injected_faults.activate("jam", "head2", lambda: None)
    assert injected_faults.repair("COUNT", "table")


def test_a_missing_tile_is_found_at_any_tray() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    injected_faults.activate("missing_tile", "drum", lambda: None)
    assert not injected_faults.repair("GRIPPER", "reader")
    assert injected_faults.repair("COUNT", "tray 3")


def test_a_permanent_fault_ends_with_its_repair() -> None:
    injected_faults = InjectedFaults(ROBOTIC, [parse("weak_motor:lift1")])
    assert injected_faults.on_occasion("weak_motor", "lift1")
    injected_faults.activate("weak_motor", "lift1", lambda: None)
    assert injected_faults.repair("LIFT", "lift 1")
    assert injected_faults.on_occasion("weak_motor", "lift1") is None


def test_faults_from_outside_occur_at_their_time_or_at_an_output_and_are_applied() -> None:
    async def main() -> None:
        orders = ("power_cut:host@5", "power_cut:table#2", "clock_jump:host:1")
        injected_faults = InjectedFaults(ROBOTIC, map(parse, orders))
        host: list[str] = []
        boards: list[str] = []
        injected_faults.on_host(lambda injected: host.append(str(injected)))
        injected_faults.appliers[Realm.BOARD] = lambda injected: boards.append(str(injected))
        injected_faults.begin(asyncio.get_running_loop())
        for _ in range(2):
            injected_faults.output_changed("base")
            await asyncio.sleep(1)
        assert host == ["clock_jump:host:1", "power_cut:table#2", "clock_jump:host:1"]
        assert boards == ["power_cut:table#2"]
        await asyncio.sleep(4)
        assert host[3:] == ["power_cut:host@5"]
        assert [each.at for each in injected_faults.occurred] == [0.0, 1.0, 1.0, 5.0]

    clock.run(main())


def test_every_fault_outside_the_plant_occurs_at_changes_of_outputs() -> None:
    for kind in KINDS.values():
        if kind.realm is not Realm.PLANT:
            assert kind.occasion is BY_OUTPUTS
