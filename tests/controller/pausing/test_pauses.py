"""Pauses as a floor manager sees them: the table holds, comes back, goes on with the same deal."""

from __future__ import annotations

from functools import cache

import pytest

from controller.events import Event
from controller.faults.table_fault import TableFault
from firmware_bridge.board import FaultCode
from tests.controller.played_round import (
    Happens,
    Round,
    emergency,
    play,
    power_cut,
    reach_in,
    stall,
    unplug,
)
from tests.quick import slow_except, tries

TABLES = (("robotic", "wenzhou"), ("pai_gow", "pai_gow"))
FEW, MANY = tries(3, quick=1), 10


@cache
def undisturbed(table: str = "robotic", game: str = "wenzhou") -> Round:
    return play(table, game)


def moments(table: str, game: str, number: int) -> list[float]:
    """So many moments of a round, from the first homing to ready, at no round figures."""
    ready = undisturbed(table, game).at("ready")
    return [ready * (n + 0.381966) / number for n in range(number)]


def check_same_deal(played: Round, plain: Round) -> None:
    """The same throws, the same places to the same seats in the same order, and every tile."""
    assert played.delivered == plain.delivered
    assert [emitted["dice"] for emitted in played.events_named("dice_thrown")] == [
        emitted["dice"] for emitted in plain.events_named("dice_thrown")
    ]
    ledger = played.daemon.run_state.ledger
    assert ledger.accounted == ledger.expected == plain.daemon.run_state.ledger.expected
    assert played.hardware.plant is not None
    played.hardware.plant.census()
    assert played.events_named("fault") == []
    began, over = len(played.events_named("paused")), len(played.events_named("resumed"))
    assert (began > 0) == (over > 0)
    if built_before(plain, played):
        assert played.hands == plain.hands, "the very same tiles lie before every seat"


def built_before(plain: Round, played: Round) -> bool:
    """Whether the first pause came when the walls stood: until then chance picks the tiles."""
    paused = played.events_named("paused")
    return bool(paused) and float(str(paused[0]["t"])) > plain.at("walls_raised")


INJECTED_FAULTS = {
    "host stalls for 0.4 s": stall(0.4),
    "host stalls for 1 s": stall(1.0),
    "host stalls for 5 s": stall(5.0),
    "plug is out for 1 s": unplug(1.0),
    "plug is out for 30 s": unplug(30.0),
    "base board loses power": power_cut("base"),
    "emergency stop for 3 s": emergency(3.0),
    "hand in the light curtain for 2 s": reach_in(2.0),
}


@pytest.mark.parametrize(("table", "game"), TABLES)
@pytest.mark.parametrize("injected", INJECTED_FAULTS)
def test_whatever_interrupts_a_round_the_same_deal_lies_on_the_table_at_last(
    injected: str, table: str, game: str
) -> None:
    for moment in moments(table, game, FEW):
        check_same_deal(
            play(table, game, {moment: INJECTED_FAULTS[injected]}), undisturbed(table, game)
        )


@pytest.mark.slow
@pytest.mark.parametrize(("table", "game"), TABLES)
@pytest.mark.parametrize("injected", INJECTED_FAULTS)
def test_whatever_interrupts_any_moment_of_a_round_no_tile_is_dealt_twice_or_skipped(
    injected: str, table: str, game: str
) -> None:
    for moment in moments(table, game, MANY):
        check_same_deal(
            play(table, game, {moment: INJECTED_FAULTS[injected]}), undisturbed(table, game)
        )


def test_an_arm_without_power_finds_its_axes_again_and_deals_on() -> None:
    plain = undisturbed()
    for moment in moments("robotic", "wenzhou", tries(12, quick=4)):
        check_same_deal(play(happens={moment: power_cut("arm")}), plain)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (stall(1.0), emergency(3.0)),
        (emergency(3.0), unplug(5.0)),
        (power_cut("arm"), power_cut("base")),
        (reach_in(2.0), stall(5.0)),
    ],
)
def test_two_troubles_at_once_are_one_pause_that_ends_when_both_are_over(
    first: Happens, second: Happens
) -> None:
    plain = undisturbed()
    for moment in moments("robotic", "wenzhou", 5):
        check_same_deal(play(happens={moment: first, moment + 0.2: second}), plain)


@pytest.mark.parametrize("phase", ["gathering", "shuffling", "building", "staged"])
def test_a_pause_in_each_phase_below_goes_on_in_that_phase(phase: str) -> None:
    plain = undisturbed()
    moment = plain.at("state", under=phase) + 0.0005
    played = play(happens={moment: emergency(2.0)})
    check_same_deal(played, plain)
    if played.events_named("paused"):
        states = [(emitted["under"], emitted["top"]) for emitted in played.events_named("state")]
        at = states.index(("paused", "paused"))
        paused = [("paused", "paused"), ("servicing", "servicing")]
        assert next(state for state in states[at:] if state not in paused) == states[at - 1]


def test_a_second_emergency_stop_while_the_arm_is_found_again_is_part_of_the_same_pause() -> None:
    """A board that was ready already, and the arm in the middle of its homing, both stop again."""
    plain = undisturbed()
    clears = play(happens={60.0: emergency(3.0)}).at("prompt_answered")
    played = play(happens={60.0: emergency(3.0), clears + 2.0: emergency(3.0)})
    assert [emitted["code"] for emitted in played.events_named("operator_prompted")] == [
        "EMERGENCY",
        "EMERGENCY",
    ]
    assert len(played.events_named("resumed")) == 1, "the table does not go on in between"
    check_same_deal(played, plain)


def test_a_fault_of_a_board_that_is_ready_already_is_put_right_before_the_table_goes_on() -> None:
    plain = undisturbed()
    clears = play(happens={60.0: emergency(3.0)}).at("prompt_answered")

    def base_meets_an_edge_that_is_missing(played: Round) -> None:
        assert played.hardware.bench is not None
        board = played.hardware.bench.boards["base"]
        board.latch(FaultCode.NO_EDGE, 0)

    played = play(happens={60.0: emergency(3.0), clears + 2.0: base_meets_an_edge_that_is_missing})
    assert [emitted["code"] for emitted in played.events_named("operator_prompted")][
        -1
    ] == "NO_EDGE"
    assert len(played.events_named("resumed")) == 1, "the table does not go on in between"
    check_same_deal(played, plain)


def test_the_table_says_why_it_is_paused_and_for_how_long() -> None:
    played = play(happens={60.0: emergency(3.0)})
    assert [(emitted["why"], emitted["board"]) for emitted in played.events_named("paused")] == [
        ("EMERGENCY_STOP", "base"),
        ("EMERGENCY_STOP", "arm"),
    ]
    waiting, cleared = (
        played.events_named("operator_prompted"),
        played.events_named("prompt_answered"),
    )
    assert [emitted["code"] for emitted in waiting] == ["EMERGENCY"]
    assert float(str(waiting[0]["t"])) >= 63.0, "nobody is asked before it is released"
    assert [emitted["code"] for emitted in cleared] == ["EMERGENCY"]
    (resumed,) = played.events_named("resumed")
    assert float(str(resumed["paused_s"])) > 3.0


def test_the_state_says_paused_one_link_delay_after_the_emergency_stop() -> None:
    played = play(happens={60.0: emergency(3.0)})
    assert 0.0 < played.at("state", under="paused") - 60.0 < 0.002


def test_at_the_emergency_stop_every_output_is_off_in_the_same_instant() -> None:
    seen: list[tuple[float, list[str]]] = []

    def pressed(played: Round) -> None:
        emergency(1.0)(played)
        bench = played.hardware.bench
        assert bench is not None
        for board in bench.boards.values():
            assert board._rig is not None
            outputs = board._rig._outputs._outputs
            on = [each.name for each in outputs if each.value != each.record.safe]
            axes = [axis.name for axis in board._rig._axes if axis.travel is not None]
            seen.append((board.loop.time(), on + axes))

    for moment in (20.0, 30.0, 60.0, 61.3):
        play(happens={moment: pressed})
    assert all(on == [] for _, on in seen)
    assert [at for at, _ in seen] == [20.0, 20.0, 30.0, 30.0, 60.0, 60.0, 61.3, 61.3]


def test_a_hand_in_the_curtain_stops_nothing_while_nothing_moves_near_it() -> None:
    plain = undisturbed()
    building = plain.at("state", under="building") + 1.0
    played = play(happens={building: reach_in(1.0)})
    assert played.events_named("paused") == []


def test_a_lid_does_not_set_off_while_a_hand_is_in_the_curtain() -> None:
    plain = undisturbed()
    raising = plain.at("state", top="raising") - 0.5
    played = play(happens={raising: reach_in(3.0)})
    assert "LIGHT_CURTAIN" in {emitted["why"] for emitted in played.events_named("paused")}
    assert [emitted["code"] for emitted in played.events_named("operator_prompted")] == [
        "OBSTRUCTED"
    ]
    assert played.at("walls_raised") > raising + 3.0
    check_same_deal(played, plain)


def test_a_throw_that_a_pause_cuts_short_is_thrown_once() -> None:
    plain = undisturbed()
    for early in (0.05, 0.0005, 0.0, 0.5, 0.001, 0.0002)[: tries(6, quick=3)]:
        thrown = plain.at("dice_thrown") - early
        check_same_deal(play(happens={thrown: unplug(4.0)}), plain)
        check_same_deal(play(happens={thrown: power_cut("base")}), plain)


def test_a_pause_while_people_are_asked_changes_nothing_of_what_they_do() -> None:
    plain = undisturbed("classic", "wenzhou")
    asked = plain.at("step", step="packet") + 1.0
    check_same_deal(play("classic", "wenzhou", {asked: stall(1.0)}), plain)
    check_same_deal(play("classic", "wenzhou", {asked: emergency(2.0)}), plain)


def test_a_plug_that_nobody_puts_back_ends_the_run_after_every_question() -> None:
    events: list[Event] = []
    with pytest.raises(TableFault, match="does not answer"):
        play(happens={30.0: unplug(1e6)}, on=lambda _, event: events.append(event))
    asked = [event for event in events if event["event"] == "operator_prompted"]
    assert {event["code"] for event in asked} == {"SILENT"}
    assert len([event for event in events if event["event"] == "fault"]) == 1


@pytest.mark.parametrize("into", slow_except([1.5], [0.5, 1.5, 2.5, 3.5]))
@pytest.mark.parametrize("trouble", [power_cut("base"), power_cut("hands"), stall(1.0)])
def test_no_tile_misses_its_lane_whatever_shuts_the_gates(trouble: Happens, into: float) -> None:
    plain = undisturbed("auto_deal", "wenzhou")
    filling = plain.at("state", under="building") + into
    played = play("auto_deal", "wenzhou", {filling: trouble})
    check_same_deal(played, plain)
    assert {seat: len(hand) for seat, hand in played.hands.items()} == {
        seat: len(hand) for seat, hand in plain.hands.items()
    }
