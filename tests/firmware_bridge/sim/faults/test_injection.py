"""Mishaps as values and as a schedule: their texts, when they strike, how they are mended."""

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
def test_a_mishap_reads_back_from_its_own_text(kind: str, when: At, size: float | None) -> None:
    injected = InjectedFault(kind, "head2", when, size if KINDS[kind].measure else None)
    assert parse(str(injected)) == injected


def test_what_the_texts_mean() -> None:
    assert parse("jam:head2@12.5") == InjectedFault("jam", "head2", At(12.5))
    assert parse("jam:head2#30~2") == InjectedFault("jam", "head2", Nth(30), 2.0)
    assert parse("dirty_sensor:head3:0.02") == InjectedFault("dirty_sensor", "head3", Rate(0.02))
    assert parse("weak_motor:lift1") == InjectedFault("weak_motor", "lift1", Always())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jam", "'jam' is no mishap. Write KIND:PART"),
        ("", "'' is no mishap. Write KIND:PART"),
        ("jamm:head2", "There is no mishap 'jamm'. Did you mean 'jam'?"),
        ("jam:head2#0", "occasions are counted from 1. Write #1"),
        ("jam:head2:2", "2 is no probability. Write :0.000001 to :1."),
        ("jam:head2:0", "0 is no probability."),
        ("jam:head2@1.2.3", "'1.2.3' is no number. Write it as 12"),
        ("face_up:head2~3", "face_up has no size. Leave out ~3."),
    ],
)
def test_a_text_that_is_no_mishap_is_refused_with_what_could_be_written(
    text: str, sentence: str
) -> None:
    with pytest.raises(BadFaultOptionError) as refused:
        parse(text)
    assert sentence in str(refused.value)


def test_a_part_that_this_table_does_not_have_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(
        BadFaultOptionError, match=r"robotic has no 'head9' for jam. Did you mean 'head"
    ):
        check(parse("jam:head9"), ROBOTIC)
    with pytest.raises(BadFaultOptionError, match="Take one of head0, head1, head2, head3"):
        check(parse("jam:cellar"), ROBOTIC)
    with pytest.raises(BadFaultOptionError, match="it has no such part"):
        check(parse("dropped_tile:gripper"), load_table("classic"))
    with pytest.raises(BadFaultOptionError):
        InjectedFaults(ROBOTIC, [parse("jam:head9")])


@pytest.mark.parametrize("table", table_names())
def test_every_part_that_a_kind_names_can_be_ordered(table: str) -> None:
    loaded = load_table(table)
    for kind in KINDS.values():
        for part in kind.parts(loaded):
            assert check(InjectedFault(kind.name, part), loaded)


def test_every_kind_can_befall_some_table_and_says_what_it_does() -> None:
    tables = [load_table(name) for name in table_names()]
    for kind in KINDS.values():
        assert any(kind.parts(table) for table in tables), kind.name
        assert all((kind.does, kind.shows, kind.cure, kind.occasion)), kind.name


def strikes(text: str, occasions: int, seed: int = 0) -> list[int]:
    """At which of so many occasions, one a second from the start, a jam strikes."""

    async def main() -> list[int]:
        injected_faults = InjectedFaults(ROBOTIC, [parse(text)], seed)
        injected_faults.begin(asyncio.get_running_loop())
        struck = []
        for number in range(1, occasions + 1):
            if injected_faults.strikes("jam", "head2"):
                struck.append(number)
            assert injected_faults.strikes("jam", "head1") is None
            await asyncio.sleep(1)
        assert [happened.kind for happened in injected_faults.happened] == ["jam"] * len(struck)
        return struck

    return clock.run(main())


def test_once_at_a_time_once_at_an_occasion_or_always() -> None:
    assert strikes("jam:head2@4", 10) == [5]
    assert strikes("jam:head2@3.5", 10) == [5]
    assert strikes("jam:head2#4", 10) == [4]
    assert strikes("jam:head2", 3) == [1, 2, 3]


def test_a_rate_strikes_as_often_as_it_says_and_with_a_seed_at_the_same_occasions() -> None:
    struck = strikes("jam:head2:0.1", 3000, seed=7)
    assert 240 < len(struck) < 360
    assert strikes("jam:head2:0.1", 3000, seed=7) == struck
    assert strikes("jam:head2:0.1", 3000, seed=8) != struck


def test_what_is_mended_is_told_by_its_part_or_by_its_kind() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    mended: list[str] = []
    injected_faults.stands("jam", "head2", lambda: mended.append("jam"))
    injected_faults.stands("dirty_sensor", "head2_counter", lambda: mended.append("dirt"))
    injected_faults.stands("half_up", "lift1", lambda: mended.append("lift"))
    assert not injected_faults.mend("JAM", "head 3")
    assert not injected_faults.mend("starved", "head 2")
    assert injected_faults.mend("dirty_sensor", "head 2")
    assert injected_faults.mend("JAM", "head 2")
    assert injected_faults.mend("LIFT", "tray 1")
    assert mended == ["dirt", "jam", "lift"]
    assert not injected_faults.mend("JAM", "head 2")


def test_a_person_who_is_sent_to_no_part_in_particular_looks_everywhere() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    injected_faults.stands("jam", "head2", lambda: None)
    assert injected_faults.mend("COUNT", "table")


def test_a_missing_tile_is_found_by_whoever_counts_any_side() -> None:
    injected_faults = InjectedFaults(ROBOTIC)
    injected_faults.stands("missing_tile", "drum", lambda: None)
    assert not injected_faults.mend("GRIPPER", "reader")
    assert injected_faults.mend("COUNT", "tray 3")


def test_what_always_goes_wrong_ends_when_somebody_mends_it() -> None:
    injected_faults = InjectedFaults(ROBOTIC, [parse("weak_motor:lift1")])
    assert injected_faults.strikes("weak_motor", "lift1")
    injected_faults.stands("weak_motor", "lift1", lambda: None)
    assert injected_faults.mend("LIFT", "lift 1")
    assert injected_faults.strikes("weak_motor", "lift1") is None


def test_what_comes_from_outside_comes_at_its_time_or_with_an_output_and_is_handed_on() -> None:
    async def main() -> None:
        orders = ("power_cut:host@5", "power_cut:table#2", "clock_jump:host:1")
        injected_faults = InjectedFaults(ROBOTIC, map(parse, orders))
        host: list[str] = []
        boards: list[str] = []
        injected_faults.on_host(lambda injected: host.append(str(injected)))
        injected_faults.bring[Realm.BOARD] = lambda injected: boards.append(str(injected))
        injected_faults.begin(asyncio.get_running_loop())
        for _ in range(2):
            injected_faults.output("base")
            await asyncio.sleep(1)
        assert host == ["clock_jump:host:1", "power_cut:table#2", "clock_jump:host:1"]
        assert boards == ["power_cut:table#2"]
        await asyncio.sleep(4)
        assert host[3:] == ["power_cut:host@5"]
        assert [happened.at for happened in injected_faults.happened] == [0.0, 1.0, 1.0, 5.0]

    clock.run(main())


def test_only_what_comes_from_outside_is_brought_about_by_others() -> None:
    for kind in KINDS.values():
        if kind.realm is not Realm.PLANT:
            assert kind.occasion is BY_OUTPUTS
