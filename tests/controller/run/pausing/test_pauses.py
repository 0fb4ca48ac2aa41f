"""Tests pauses of whole rounds: the table pauses, resumes, and completes the same deal."""

from __future__ import annotations

from functools import cache

import pytest

from controller.events import Event
from controller.run.faults.failures import TableFault
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
from tests.quick import EVIDENCE_ONLY, slow_except, tries

TABLES = (("robotic", "wenzhou"), ("pai_gow", "pai_gow"))
MANY = 10
"""Moments of a round at which `make evidence` tries each interruption."""
DEALING = 134.7
"""Seconds after power-on: the arm deals, on the robotic table with Wenzhou mahjong and seed 7."""


@cache
def undisturbed(table: str = "robotic", game: str = "wenzhou") -> Round:
    return play(table, game)


def moments(table: str, game: str, number: int) -> list[float]:
    """Return evenly distributed times of a round in seconds, from the first homing to ready."""
    ready = undisturbed(table, game).at("ready")
    return [ready * (n + 0.381966) / number for n in range(number)]


@cache
def stopped() -> Round:
    """Play a round with an emergency stop of 3 s, while the deal goes on."""
    return play(happens={DEALING: emergency(3.0)})


def check_same_deal(played: Round, plain: Round) -> None:
    """Check that both rounds have the same throws and deliveries, and that no tile is lost."""
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
        assert played.hands == plain.hands, "every seat has the same tiles"


def built_before(plain: Round, played: Round) -> bool:
    """Whether the first pause came after the walls were raised, when every tile has its place."""
    paused = played.events_named("paused")
    return bool(paused) and float(str(paused[0]["t"])) > plain.at("walls_raised")


def prompts(played: Round) -> list[object]:
    """Return the fault codes about which people were prompted, in order."""
    return [emitted["code"] for emitted in played.events_named("operator_prompted")]


def missing_edge(board: str) -> Happens:
    """Let a board latch the fault NO_EDGE: a motor ran without an edge of its sensor."""

    def happen(played: Round) -> None:
        assert played.hardware.bench is not None
        played.hardware.bench.boards[board].latch(FaultCode.NO_EDGE, 0)

    return happen


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
AT_ONCE = ("plug is out for 1 s", "base board loses power", "emergency stop for 3 s")
"""Tested by the quick tests too."""


@pytest.mark.parametrize(("table", "game"), slow_except(TABLES[:1], TABLES))
@pytest.mark.parametrize("injected", slow_except(AT_ONCE, INJECTED_FAULTS))
def test_after_any_interruption_the_table_completes_the_same_deal(
    injected: str, table: str, game: str
) -> None:
    # Each interruption has a moment of its own: one round for each shows a phase of the table.
    number = list(INJECTED_FAULTS).index(injected)
    moment = moments(table, game, len(INJECTED_FAULTS))[number]
    check_same_deal(
        play(table, game, {moment: INJECTED_FAULTS[injected]}), undisturbed(table, game)
    )


@pytest.mark.slow
@EVIDENCE_ONLY
@pytest.mark.parametrize(("table", "game"), TABLES)
@pytest.mark.parametrize("injected", INJECTED_FAULTS)
def test_an_interruption_at_any_moment_neither_repeats_nor_skips_a_tile(
    injected: str, table: str, game: str
) -> None:
    for moment in moments(table, game, MANY):
        check_same_deal(
            play(table, game, {moment: INJECTED_FAULTS[injected]}), undisturbed(table, game)
        )


@pytest.mark.slow
@pytest.mark.evidence
def test_an_arm_that_lost_power_homes_its_axes_and_continues_the_deal() -> None:
    plain = undisturbed()
    for moment in moments("robotic", "wenzhou", tries(4, quick=1, evidence=12)):
        check_same_deal(play(happens={moment: power_cut("arm")}), plain)


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (stall(1.0), emergency(3.0)),
        (emergency(3.0), unplug(5.0)),
        (power_cut("arm"), power_cut("base")),
        (reach_in(2.0), stall(5.0)),
    ],
)
def test_two_causes_at_once_are_one_pause_that_ends_when_both_are_over(
    first: Happens, second: Happens
) -> None:
    plain = undisturbed()
    for moment in moments("robotic", "wenzhou", tries(2, quick=2, evidence=5)):
        check_same_deal(play(happens={moment: first, moment + 0.2: second}), plain)


@pytest.mark.parametrize(
    "phase", slow_except(["building"], ["gathering", "shuffling", "building", "staged"])
)
def test_after_a_pause_the_under_activity_resumes_in_the_same_state(phase: str) -> None:
    plain = undisturbed()
    moment = plain.at("state", under=phase) + 0.0005
    played = play(happens={moment: emergency(2.0)})
    check_same_deal(played, plain)
    if played.events_named("paused"):
        states = [(emitted["under"], emitted["top"]) for emitted in played.events_named("state")]
        at = states.index(("paused", "paused"))
        paused = [("paused", "paused"), ("servicing", "servicing")]
        assert next(state for state in states[at:] if state not in paused) == states[at - 1]


@pytest.mark.slow
def test_a_second_emergency_stop_while_the_arm_homes_is_part_of_the_same_pause() -> None:
    """The second stop comes when one board is restored already and the arm is homing."""
    plain = undisturbed()
    clears = stopped().at("prompt_answered")
    played = play(happens={DEALING: emergency(3.0), clears + 2.0: emergency(3.0)})
    assert prompts(played) == ["EMERGENCY", "EMERGENCY"]
    assert len(played.events_named("resumed")) == 1, "the table does not go on in between"
    check_same_deal(played, plain)


@pytest.mark.slow
def test_a_fault_of_a_restored_board_is_cleared_before_the_table_goes_on() -> None:
    plain = undisturbed()
    clears = stopped().at("prompt_answered")

    played = play(happens={DEALING: emergency(3.0), clears + 2.0: missing_edge("base")})
    assert prompts(played) == ["EMERGENCY", "NO_EDGE"]
    assert len(played.events_named("resumed")) == 1, "the table does not go on in between"
    check_same_deal(played, plain)


SECOND_CAUSES = {
    "missing edge at the board that homes": (missing_edge("arm"), ["NO_EDGE"]),
    "host stall": (stall(1.0), []),
    "lost line": (unplug(3.0), []),
    "power cut of the board that homes": (power_cut("arm"), []),
    "power cut of the other board": (power_cut("base"), []),
}


@pytest.mark.parametrize("second", slow_except(["lost line"], SECOND_CAUSES))
def test_a_second_cause_does_not_ask_again_about_a_cleared_emergency_stop(second: str) -> None:
    clears = stopped().at("prompt_answered")
    happens, more = SECOND_CAUSES[second]
    played = play(happens={DEALING: emergency(3.0), clears + 2.0: happens})
    assert prompts(played) == ["EMERGENCY", *more]
    check_same_deal(played, undisturbed())


@pytest.mark.slow
def test_an_emergency_stop_during_another_question_is_asked_about_before_any_axis_moves() -> None:
    clears = stopped().at("prompt_answered")

    def press_during_the_question(played: Round, event: Event) -> None:
        if event["event"] == "operator_prompted" and event["code"] == "NO_EDGE":
            emergency(1.0)(played)

    played = play(
        happens={DEALING: emergency(3.0), clears + 2.0: missing_edge("base")},
        on=press_during_the_question,
    )
    assert prompts(played) == ["EMERGENCY", "NO_EDGE", "EMERGENCY"]
    pressed = played.at("operator_prompted", code="NO_EDGE")
    answered = played.events_named("prompt_answered")[-1]
    axes = ("gantry_x", "gantry_y", "gantry_z")
    moves = [t for t, axis, value in played.pin_changes if axis in axes and value]
    assert not [t for t in moves if pressed < t < float(str(answered["t"]))]
    check_same_deal(played, undisturbed())


@pytest.mark.slow
def test_if_a_board_refuses_without_a_report_people_are_asked_again_about_all_causes() -> None:
    clears = stopped().at("prompt_answered")

    def latch_without_a_report(played: Round) -> None:
        assert played.hardware.bench is not None
        board = played.hardware.bench.boards["arm"]
        board.send, send = lambda message: None, board.send  # type: ignore[method-assign]
        board.latch(FaultCode.NO_EDGE, 0)
        board.send = send  # type: ignore[method-assign]

    played = play(happens={DEALING: emergency(3.0), clears + 2.0: latch_without_a_report})
    assert prompts(played) == ["EMERGENCY", "EMERGENCY"]
    check_same_deal(played, undisturbed())


def test_events_report_the_causes_and_the_duration_of_a_pause() -> None:
    played = stopped()
    assert [(emitted["why"], emitted["board"]) for emitted in played.events_named("paused")] == [
        ("EMERGENCY_STOP", "base"),
        ("EMERGENCY_STOP", "arm"),
    ]
    waiting, cleared = (
        played.events_named("operator_prompted"),
        played.events_named("prompt_answered"),
    )
    assert [emitted["code"] for emitted in waiting] == ["EMERGENCY"]
    assert float(str(waiting[0]["t"])) >= DEALING + 3.0, "a person is asked only after the release"
    assert [emitted["code"] for emitted in cleared] == ["EMERGENCY"]
    (resumed,) = played.events_named("resumed")
    assert float(str(resumed["paused_s"])) > 3.0


def test_the_state_is_paused_one_link_delay_after_the_emergency_stop() -> None:
    played = stopped()
    assert 0.0 < played.at("state", under="paused") - DEALING < 0.002


@pytest.mark.slow
def test_an_emergency_stop_switches_every_output_off_at_once() -> None:
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

    stops = (DEALING + 1.3, 20.0, 82.0, DEALING)[: tries(4, quick=1)]
    for moment in stops:
        play(happens={moment: pressed})
    assert all(on == [] for _, on in seen)
    assert [at for at, _ in seen] == [moment for moment in stops for _ in range(2)]


@pytest.mark.slow
def test_a_hand_in_the_light_curtain_causes_no_pause_while_no_guarded_part_moves() -> None:
    plain = undisturbed()
    building = plain.at("state", under="building") + 1.0
    played = play(happens={building: reach_in(1.0)})
    assert played.events_named("paused") == []


@pytest.mark.slow
def test_the_lid_does_not_start_while_a_hand_is_in_the_light_curtain() -> None:
    plain = undisturbed()
    raising = plain.at("state", top="raising") - 0.5
    played = play(happens={raising: reach_in(3.0)})
    assert "LIGHT_CURTAIN" in {emitted["why"] for emitted in played.events_named("paused")}
    assert [emitted["code"] for emitted in played.events_named("operator_prompted")] == [
        "OBSTRUCTED"
    ]
    assert played.at("walls_raised") > raising + 3.0
    check_same_deal(played, plain)


@pytest.mark.slow
@pytest.mark.evidence
def test_a_throw_that_a_pause_interrupts_counts_once() -> None:
    plain = undisturbed()
    for early in (0.05, 0.0005, 0.0, 0.5, 0.001, 0.0002)[: tries(3, quick=1, evidence=6)]:
        thrown = plain.at("dice_thrown") - early
        check_same_deal(play(happens={thrown: unplug(4.0)}), plain)
        check_same_deal(play(happens={thrown: power_cut("base")}), plain)


@pytest.mark.slow
def test_a_pause_during_a_prompt_does_not_change_the_work_of_people() -> None:
    plain = undisturbed("classic", "wenzhou")
    asked = plain.at("step", step="packet") + 1.0
    check_same_deal(play("classic", "wenzhou", {asked: stall(1.0)}), plain)
    check_same_deal(play("classic", "wenzhou", {asked: emergency(2.0)}), plain)


def test_a_plug_that_stays_out_ends_the_run_after_all_questions() -> None:
    events: list[Event] = []
    with pytest.raises(TableFault, match="does not answer"):
        play(happens={82.0: unplug(1e6)}, on=lambda _, event: events.append(event))
    asked = [event for event in events if event["event"] == "operator_prompted"]
    assert {event["code"] for event in asked} == {"SILENT"}
    assert len([event for event in events if event["event"] == "fault"]) == 1


@pytest.mark.parametrize("into", slow_except([1.5], [0.5, 1.5, 2.5, 3.5]))
@pytest.mark.parametrize(
    "cause", [stall(1.0), *slow_except([], [power_cut("base"), power_cut("hands")])]
)
def test_no_tile_misses_its_lane_when_a_pause_shuts_the_gates(cause: Happens, into: float) -> None:
    plain = undisturbed("auto_deal", "wenzhou")
    filling = plain.at("state", under="building") + into
    played = play("auto_deal", "wenzhou", {filling: cause})
    check_same_deal(played, plain)
    assert {seat: len(hand) for seat, hand in played.hands.items()} == {
        seat: len(hand) for seat, hand in plain.hands.items()
    }
