"""Tests rounds with boards that break the protocol: the table pauses, asks, and goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from controller.events import Event
from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.faults.failures import TableFault
from controller.run.pausing.fault_clearing import RELEASE_LIMIT
from controller.run.pausing.operator_help import ASKS
from controller.run.pausing.pauses import MOST_PAUSES, PERIOD
from firmware_bridge.board import FaultCode
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.messages import NONE, Message
from tests.controller.played_round import Happens, Round, emergency, play, stall
from tests.controller.run.pausing.test_pauses import check_same_deal, prompts, undisturbed
from tests.quick import slow_except

CODES = (*FaultCode, 0, max(FaultCode) + 1, 99, 255)
"""Every fault code, and numbers that are none."""


def emit(played: Round, event: Message, board: str = "base") -> None:
    """Let a board send an event, with the next number of its session."""
    bench = played.hardware.bench
    assert bench is not None
    bench._ends[board].emit(event)  # type: ignore[union-attr]


def sends(*events: Message) -> Happens:
    def happen(played: Round) -> None:
        for event in events:
            emit(played, event)

    return happen


@pytest.mark.slow
def test_a_table_whose_board_breaks_the_protocol_pauses_asks_and_completes_the_same_deal() -> None:
    played = play(happens={60.0: sends(wire.Faulted(99, NONE, 0))})
    assert prompts(played) == ["PROTOCOL"]
    (prompt,) = played.events_named("operator_prompted")
    assert prompt["part"] == "board base"
    assert "board base sent Faulted(code=99, channel=255" in str(prompt["evidence"])
    assert "wallwright scan" in str(prompt["request"])
    (broken,) = played.events_named("protocol_broken")
    assert broken["board"] == "base"
    assert "a fault code that the protocol does not define" in str(broken["message"])
    assert played.daemon.summary(0.0)["breaches"] == {"UNKNOWN_CODE": 1}
    check_same_deal(played, undisturbed())


@pytest.mark.slow
def test_the_summary_of_a_table_with_honest_boards_does_not_mention_breaches() -> None:
    assert "breaches" not in undisturbed().daemon.summary(0.0)


def lying_replies(kind: type[Message], reply: Message, times: int, board: str = "arm") -> Happens:
    """Let a board give this reply to the next commands of this kind, which it executes."""

    def happen(played: Round) -> None:
        bench = played.hardware.bench
        assert bench is not None
        session: Any = bench._ends[board]._session  # type: ignore[union-attr]
        execute, left = session._execute, times

        def falsified(message: Message, sequence: int) -> Message:
            nonlocal left
            truth: Message = execute(message, sequence)
            if isinstance(message, kind) and left:
                left -= 1
                return reply
            return truth

        session._execute = falsified

    return happen


@pytest.mark.parametrize(
    ("kind", "reply", "board"),
    [
        (wire.Drive, wire.Tag(3), "base"),
        *slow_except(
            [],
            [
                (wire.Move, wire.Value(3), "arm"),
                (wire.Set, wire.Refused(99, 3), "arm"),
                (wire.Read, wire.Value(-(2**31)), "base"),
                (wire.Count, wire.Value(-1), "base"),
                (wire.TakeLease, wire.Statistics(1, 2, 3, 4, 5), "base"),
            ],
        ),
    ],
)
def test_after_a_wrong_reply_the_command_is_not_done_twice(
    kind: type[Message], reply: Message, board: str
) -> None:
    moment = {"arm": 70.0, "base": 30.0}[board]
    played = play(happens={moment: lying_replies(kind, reply, 1, board)})
    assert set(prompts(played)) <= {"PROTOCOL"}
    if kind is not wire.Count:
        assert prompts(played), "the wrong reply was noticed"
    check_same_deal(played, undisturbed())


def test_a_board_that_breaks_the_protocol_again_and_again_stops_the_table_after_all_questions() -> (
    None
):
    events: list[Event] = []

    def relapse(played: Round, event: Event) -> None:
        events.append(event)
        if event["event"] == "resumed":
            asyncio.get_running_loop().call_later(
                0.2, emit, played, wire.MotionEnded(250, 250, 1, 0, 0)
            )

    with pytest.raises(TableFault) as raised:
        play(happens={30.0: sends(wire.DiceRead(250, 1, 1, 1, 1, 1))}, on=relapse)
    assert (raised.value.fault, raised.value.part) == (Fault.PROTOCOL, "board base")
    assert [event["code"] for event in events if event["event"] == "operator_prompted"] == [
        "PROTOCOL"
    ] * ASKS


def faulted(code: int, channel: int) -> Callable[[Round], None]:
    return lambda played: emit(played, wire.Faulted(code, channel, 0))


@pytest.mark.parametrize("channel", slow_except(["output"], ["none", "input", "output", "unknown"]))
def test_every_pause_that_a_fault_report_can_cause_ends_by_itself_or_asks_a_person(
    channel: str,
) -> None:
    """The board reports each fault code in turn; the table must resume after every one of them."""
    plain = undisturbed()
    reported: list[int] = []
    resumed: list[int] = []

    def report_next(played: Round) -> None:
        config = played.daemon._table.boards["base"].channels
        number = {
            "none": NONE,
            "input": list(config).index(played.daemon._table.modules.emergency[0]),
            "output": next(n for n, each in enumerate(config.values()) if each.kind == "motor"),
            "unknown": 250,
        }[channel]
        code = CODES[len(reported)]
        reported.append(code)
        emit(played, wire.Faulted(code, number, 0))

    def on(played: Round, event: Event) -> None:
        if event["event"] == "resumed" and reported:
            resumed.append(reported[-1])
            # The number of questions about one cause is limited; here many causes are one.
            played.daemon._pauses._people._asked.clear()
            if len(reported) < len(CODES):
                asyncio.get_running_loop().call_later(0.1, report_next, played)

    played = play(happens={31.0: report_next}, on=on)
    assert resumed == list(map(int, CODES))
    check_same_deal(played, plain)


def test_every_cause_of_a_pause_has_a_row_in_the_catalogue() -> None:
    latched = {row.latched for row in CATALOGUE.values()}
    assert set(FaultCode) <= latched
    assert {Fault.SILENT, Fault.STRANGER, Fault.BOARD, Fault.PROTOCOL} <= CATALOGUE.keys()


@pytest.mark.slow
def test_an_emergency_stop_that_is_never_released_asks_and_at_last_stops_the_table() -> None:
    events: list[Event] = []
    with pytest.raises(TableFault) as raised:
        play(happens={60.0: emergency(1e6)}, on=lambda _, event: events.append(event))
    asked = [event for event in events if event["event"] == "operator_prompted"]
    assert [event["code"] for event in asked] == ["EMERGENCY"] * ASKS
    assert float(str(asked[0]["t"])) >= 60.0 + RELEASE_LIMIT
    assert raised.value.fault is Fault.BOARD
    assert "EMERGENCY_STOP" in raised.value.evidence


@pytest.mark.slow
def test_a_board_that_loses_its_lease_again_and_again_is_reported_to_a_person() -> None:
    """Each of these pauses ends by itself, so without a limit nobody would ever be asked."""

    def relapse(played: Round, event: Event) -> None:
        if event["event"] == "resumed" and len(played.events_named("resumed")) < 2 * MOST_PAUSES:
            asyncio.get_running_loop().call_later(0.05, stall(0.7), played)

    played = play(happens={30.0: stall(0.7)}, on=relapse)
    assert prompts(played)[:1] == ["LEASE"]
    before = [
        event
        for event in played.events_named("resumed")
        if float(str(event["t"])) < played.at("operator_prompted")
    ]
    assert len(before) == MOST_PAUSES
    check_same_deal(played, undisturbed())


@pytest.mark.slow
def test_a_few_lost_leases_are_not_reported_to_a_person() -> None:
    played = play(happens={30.0 + n: stall(0.7) for n in range(0, int(PERIOD), 7)})
    assert prompts(played) == []
