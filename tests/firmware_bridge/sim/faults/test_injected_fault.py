"""The texts of injected faults, and the kinds and parts that they can name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.loader import load_table, table_names
from firmware_bridge.sim.faults.injected_fault import (
    Always,
    At,
    BadFaultOptionError,
    InjectedFault,
    Nth,
    Rate,
    check,
    parse,
)
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.faults.kinds import KINDS
from tests.sorted_table import SORTED

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
    with pytest.raises(BadFaultOptionError, match="Give one of head0, head1, head2, head3"):
        check(parse("jam:cellar"), ROBOTIC)
    with pytest.raises(BadFaultOptionError, match=r"for dropped_tile\. Leave this fault out"):
        check(parse("dropped_tile:gripper"), load_table("classic"))
    with pytest.raises(BadFaultOptionError):
        InjectedFaults(ROBOTIC, [parse("jam:head9")])


@pytest.mark.parametrize("table", [*table_names(), str(SORTED)])
def test_every_part_of_a_kind_is_valid(table: str) -> None:
    loaded = load_table(table)
    for kind in KINDS.values():
        for part in kind.parts(loaded):
            assert check(InjectedFault(kind.name, part), loaded)


def test_every_kind_applies_to_some_table_and_is_described() -> None:
    tables = [*map(load_table, table_names()), load_table(SORTED)]
    for kind in KINDS.values():
        assert any(kind.parts(table) for table in tables), kind.name
        assert all((kind.does, kind.shows, kind.cure, kind.occasion)), kind.name
