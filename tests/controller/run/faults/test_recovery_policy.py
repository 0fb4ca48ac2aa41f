"""Tests the recovery policy: first retries, then questions to a person, then a stop."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from config.loader import load_table
from config.recovery_limits import DEFAULTS, Limits, limits_of
from config.schema import Recovery
from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.faults.retry import Decision, decide

ORDER = list(Decision)
TIMES = st.integers(0, 20)
ATTEMPTS = st.integers(1, 60)
FAULTS = st.sampled_from(list(Fault))


@st.composite
def limits(draw: st.DrawFn) -> Limits:
    return Limits(draw(TIMES), draw(TIMES), 900.0)


@given(FAULTS, ATTEMPTS, ATTEMPTS, limits())
def test_a_later_attempt_never_gets_an_earlier_decision(
    fault: Fault, one: int, other: int, given_limits: Limits
) -> None:
    sooner, later = sorted((one, other))
    first, then = (decide(fault, attempt, given_limits) for attempt in (sooner, later))
    assert ORDER.index(first) <= ORDER.index(then)


@given(FAULTS, limits(), st.integers(1, 1000))
def test_after_all_retries_and_questions_the_table_stops(
    fault: Fault, given_limits: Limits, more: int
) -> None:
    last = given_limits.retries + given_limits.asks
    assert decide(fault, last + more, given_limits) is Decision.SAFE_STOP


@given(FAULTS, limits())
def test_the_numbers_of_retries_and_questions_equal_the_limits(
    fault: Fault, given_limits: Limits
) -> None:
    decisions = [decide(fault, attempt, given_limits) for attempt in range(1, 60)]
    cured = CATALOGUE[fault].limits is not None
    assert decisions.count(Decision.RETRY) == (given_limits.retries if cured else 0)
    assert decisions.count(Decision.ASK_OPERATOR) == (given_limits.asks if cured else 0)


def test_a_fault_without_limits_always_stops_the_table() -> None:
    assert decide(Fault.EMERGENCY, 1, Limits(20, 20, 900.0)) is Decision.SAFE_STOP


def test_an_axis_that_stopped_on_its_way_does_not_retry_by_itself() -> None:
    assert decide(Fault.AXIS, 1, DEFAULTS["AXIS"]) is Decision.ASK_OPERATOR


# Limits in a table's file


def test_a_table_without_a_recovery_section_has_the_default_limits() -> None:
    table = load_table("robotic")
    assert {code: limits_of(table, code) for code in DEFAULTS} == DEFAULTS
    assert limits_of(table, "EMERGENCY") is None


def test_a_table_file_changes_only_the_limits_that_it_names() -> None:
    own = {"JAM": Recovery(retries=5), "LIFT": Recovery(asks=0, patience=300.0)}
    table = load_table("robotic").model_copy(update={"recovery": own})
    jam, lift = DEFAULTS["JAM"], DEFAULTS["LIFT"]
    assert limits_of(table, "JAM") == Limits(5, jam.asks, jam.patience)
    assert limits_of(table, "LIFT") == Limits(lift.retries, 0, 300.0)
    assert limits_of(table, "DICE") == DEFAULTS["DICE"]
