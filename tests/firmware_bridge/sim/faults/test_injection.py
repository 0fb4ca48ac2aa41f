"""Injected faults: their texts, the times at which they occur, and their repair."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.loader import load_table, table_names
from firmware_bridge.sim import clock
from firmware_bridge.sim.faults.injection import (
    Always,
    At,
    BadFaultOptionError,
    InjectedFault,
    InjectedFaults,
    Nth,
    Rate,
    check,
    parse,
)
from firmware_bridge.sim.faults.kind import BY_OUTPUTS, Realm
from firmware_bridge.sim.faults.kinds import KINDS

ROBOTIC = load_table("robotic")

whens = st.one_of(
    st.just(Always()),
    st.floats(0, 1e5).map(lambda at: At(round(at, 4))),
    st.integers(1, 10**6).map(Nth),
    st.floats(1e-6, 1).map(lambda rate: Rate(max(1e-6, round(rate, 6)))),
)
sizes = st.none() | st.floats(0, 1000).map(lambda size: round(size, 3))


@given(st.sampled_from(sorted(KINDS)), whens, sizes)
def test_a_fault_can_be_parsed_from_its_own_text(kind: str, when: At, size: float | None) -> None:
    injected = InjectedFault(kind, "head2", when, size if KINDS[kind].measure else None)
    assert parse(str(injected)) == injected


def test_texts_are_parsed_to_injected_faults() -> None:
    assert parse("jam:head2@12.5") == InjectedFault("jam", "head2", At(12.5))
    assert parse("jam:head2#30~2") == InjectedFault("jam", "head2", Nth(30), 2.0)
    assert parse("dirty_sensor:head3:0.02") == InjectedFault("dirty_sensor", "head3", Rate(0.02))
    assert parse("weak_motor:lift1") == InjectedFault("weak_motor", "lift1", Always())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jam", "'jam' is not an injected fault. Write KIND:PART"),
        ("", "'' is not an injected fault. Write KIND:PART"),
        ("jamm:head2", "'jamm' is not a kind of injected fault. Did you mean 'jam'?"),
        ("jam:head2#0", "the number of an occasion must be at least 1. Write #1"),
        ("jam:head2:2", "a probability must be 0.000001 to 1; got 2. Write :0.000001 to :1."),
        ("jam:head2:0", "a probability must be 0.000001 to 1; got 0."),
        ("jam:head2@1.2.3", "'1.2.3' is not a number. Write a number such as 12"),
        ("face_up:head2~3", "a fault of kind face_up has no size. Leave out ~3."),
    ],
)
def test_an_invalid_text_is_refused_with_a_valid_alternative(text: str, sentence: str) -> None:
    with pytest.raises(BadFaultOptionError) as refused:
        parse(text)
    assert sentence in str(refused.value)


def test_the_error_for_an_unknown_part_lists_the_parts_of_the_table() -> None:
    with pytest.raises(
        BadFaultOptionError, match=r"robotic has no 'head9' for jam. Did you mean 'head"
    ):
        check(parse("jam:head9"), ROBOTIC)
    with pytest.raises(BadFaultOptionError, match="Take one of head0, head1, head2, head3"):
        check(parse("jam:cellar"), ROBOTIC)
    with pytest.raises(BadFaultOptionError, match=r"for dropped_tile\. Leave this fault out"):
        check(parse("dropped_tile:gripper"), load_table("classic"))
    with pytest.raises(BadFaultOptionError):
        InjectedFaults(ROBOTIC, [parse("jam:head9")])


@pytest.mark.parametrize("table", table_names())
def test_every_part_of_a_kind_is_valid(table: str) -> None:
    loaded = load_table(table)
    for kind in KINDS.values():
        for part in kind.parts(loaded):
            assert check(InjectedFault(kind.name, part), loaded)


def test_every_kind_applies_to_some_table_and_is_described() -> None:
    tables = [load_table(name) for name in table_names()]
    for kind in KINDS.values():
        assert any(kind.parts(table) for table in tables), kind.name
        assert all((kind.does, kind.shows, kind.cure, kind.occasion)), kind.name


def occurrences(text: str, occasions: int, seed: int = 0) -> list[int]:
    """The numbers of the occasions, one each second, at which a jam occurs."""

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
