"""The guide of a real table: its questions and the answers that it accepts."""

from __future__ import annotations

import asyncio
import io
import os
import re
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest
from rich.console import Console

from config.layout.staging import Staging, stage
from config.loader import load_table
from controller.cli.terminal.operator_console import OperatorConsole
from controller.cli.terminal.terminal_guide import TerminalGuide
from controller.run.faults.failures import Fault, TableFault
from controller.run.operator.questions import answer, example_actions, question
from firmware_bridge.guide import HandToPlay, HandToReport
from rules.games import GAMES, results_of, rules_of
from rules.games.wenzhou import WenzhouMatch
from rules.geometry import BoneyardPlace, PilePlace, WallPlace, Walls
from rules.play import Payment, Reseated, Settlement
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Outcome,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)
from tests.rules.hidden_hands import dealt

WALLS = Walls.even(17)
STAGING: Staging = stage(WALLS, load_table("classic"))
THROW = Throw(3, 2, "second throw")
TILE = WallPlace(3, 15, 0)

ASKED: list[tuple[Step, str]] = [
    (Build(WALLS), "Build 136 tiles, then press Enter."),
    (THROW, "Seat 3, second throw: throw, and type the dice as 3,5."),
    (
        Choose(1, "wall", ("2 right", "2 left"), "2 right"),
        "Seat 1, wall: 2 right or 2 left? [2 right]",
    ),
    (
        Arrange("push", (PilePlace(1, 1),), ("forward",)),
        "Push p1.1 to forward, then press Enter.",
    ),
    (
        Packet(2, (TILE, WallPlace(3, 15, 1))),
        "Give w3.15u w3.15l to seat 2, then press Enter.",
    ),
    (Replace(2, TILE), "Give w3.15u in exchange to seat 2, then press Enter."),
    (
        TurnUp(TILE, 0),
        "Turn up w3.15u and type its face, or press Enter to leave it unknown.",
    ),
    (
        DrawLot(1, BoneyardPlace(7)),
        "Seat 1 draws b7: type its face, or press Enter to leave it unknown.",
    ),
    (
        ReturnLots(tuple(map(BoneyardPlace, (7, 8))), tuple(map(BoneyardPlace, (7, 8, 9, 10)))),
        (
            "Put the drawn tiles back at b7 b8 face down, mix the whole boneyard, b7 to b10, then"
            " press Enter."
        ),
    ),
]


@pytest.mark.parametrize(("step", "text"), ASKED, ids=[type(step).__name__ for step, _ in ASKED])
def test_every_step_has_a_question(step: Step, text: str) -> None:
    assert question(step) == text


@pytest.mark.parametrize(
    ("step", "line", "outcome"),
    [
        (THROW, "2,4", (2, 4)),
        (Choose(0, "cut", (1, 2), 1), "", 1),
        (Choose(0, "cut", (1, 2), 1), "2", 2),
        (Choose(0, "setter", ("unseen",), "unseen"), "unseen", "unseen"),
        (TurnUp(TILE, 0), "7m", "7m"),
        (TurnUp(TILE, 0), "", None),
        (Packet(0, (TILE,)), "", None),
    ],
)
def test_a_typed_line_is_converted_to_the_outcome(step: Step, line: str, outcome: Outcome) -> None:
    assert answer(step, line) == outcome


class Desk:
    """A terminal at which these lines are typed while the guide asks."""

    def __init__(self, *lines: str) -> None:
        self.prompts = io.StringIO()
        self._end, side = os.openpty()
        self._lines = list(lines)
        self._stream = os.fdopen(side)
        console = Console(file=self.prompts, width=500)
        self.console = OperatorConsole(console, self._stream, drawn=False)
        self.guide = TerminalGuide(self.console)

    def run(self, work: Callable[[TerminalGuide], Awaitable[Any]]) -> Any:
        """Run this work while the lines are typed; returns its result."""
        return asyncio.run(self._run(work))

    async def _run(self, work: Callable[[TerminalGuide], Awaitable[Any]]) -> Any:
        task = asyncio.ensure_future(work(self.guide))
        for line in self._lines:
            await asyncio.sleep(0.03)
            os.write(self._end, line.encode())
        try:
            async with asyncio.timeout(60):
                return await task
        finally:
            self.console.close()
            self._stream.close()
            os.close(self._end)

    @property
    def printed_lines(self) -> list[str]:
        return self.prompts.getvalue().splitlines()


def test_an_invalid_answer_is_refused_and_the_question_stays_open() -> None:
    desk = Desk("2,9\n", "2,4\n")
    assert desk.run(lambda guide: guide.do(THROW, STAGING)) == (2, 4)
    asked, refusal = desk.printed_lines
    assert asked == f"[1] {question(THROW)}"
    assert refusal == "A die shows 1 to 6, not 9 (in '2,9'); throw again."


def test_a_number_with_3000_digits_is_refused() -> None:
    desk = Desk(f"{'9' * 3000}\n", "2\n")
    step = Choose(0, "cut", (1, 2), 1)
    assert desk.run(lambda guide: guide.do(step, STAGING)) == 2
    assert "offered: 1, 2" in desk.printed_lines[1]


def test_a_closed_terminal_is_a_fault() -> None:
    with pytest.raises(TableFault, match="the terminal was closed before the answer") as raised:
        Desk("\x04").run(lambda guide: guide.do(THROW, STAGING))
    assert raised.value.fault is Fault.NOBODY


def test_a_question_without_a_terminal_is_a_fault() -> None:
    guide = TerminalGuide(OperatorConsole(Console(file=io.StringIO()), io.StringIO(), drawn=False))
    with pytest.raises(TableFault, match="no terminal is attached") as raised:
        asyncio.run(guide.do(THROW, STAGING))
    assert raised.value.fault is Fault.NOBODY


# The play


def a_hand(game: str) -> tuple[HandToPlay, Any]:
    """A hand of this game, just dealt, and its play."""
    rules = rules_of(game)
    setup, _ = dealt(game, Random(1))
    match = rules.match(setup.parameters, setup.seating.players, 0)
    return HandToPlay(rules, setup, match, STAGING), rules.start(setup, {}, match)


def seated(game: str, *lines: str) -> tuple[Desk, Any]:
    """A desk at which a hand of this game begins, and its play."""
    hand, play = a_hand(game)
    desk = Desk(*lines)
    asyncio.run(desk.guide.sit_down(hand))
    return desk, play


def test_the_actions_of_seats_are_typed_and_illegal_ones_are_refused() -> None:
    desk, play = seated("wenzhou", "discard 5m\n", "1 discard 5m\n", "0 dance\n", "0 discard 1z\n")
    action = desk.run(lambda guide: guide.act(play))
    assert (action.seat, str(action)) == (0, "discard 1z")
    greeting, asked, *refusals = desk.printed_lines
    assert greeting == "The hand begins; type the action of each seat."
    assert asked.startswith("[1] To act: seat 0. Type the seat and the action, as '0 ")
    assert refusals[0].startswith("'discard 5m' does not begin with a seat. Type the seat and the")
    assert len(refusals) == 3


@pytest.mark.parametrize("game", GAMES)
def test_the_example_actions_in_the_question_are_legal(game: str) -> None:
    hand, play = a_hand(game)
    while (throw := hand.rules.throw(play)) is not None:
        play = play.apply(hand.rules.thrown(play, (3, 5, 2, 4)[: throw.dice * throw.times]))
    shown = re.findall(r"'(\d+) ([^']+)'", example_actions(play))
    assert shown
    for seat, words in shown:
        assert hand.rules.parse(int(seat), words) in play.legal_actions


def test_a_question_mark_lists_every_legal_action() -> None:
    desk, play = seated("block", "?\n")
    first = next(iter(play.legal_actions))
    desk._lines.append(f"{first.seat} {first}\n")
    assert desk.run(lambda guide: guide.act(play)) == first
    listed = desk.printed_lines[2]
    assert listed.startswith("Legal now: ")
    for action in play.legal_actions:
        assert f"{action.seat} {action}" in listed


def test_enter_throws_the_dice_if_the_game_waits_for_a_throw() -> None:
    desk, play = seated("backgammon", "\n")
    rules = rules_of("backgammon")
    while rules.throw(play) is None:
        play = play.apply(next(iter(play.legal_actions)))
    assert desk.run(lambda guide: guide.act(play)) is None
    assert "Enter throws the dice." in desk.printed_lines[-1]


def test_new_seats_are_printed_with_the_seats_of_the_last_hand() -> None:
    desk = Desk("\n")
    match = WenzhouMatch(dealer=3)
    desk.run(lambda guide: guide.move_seats(Reseated((2, 0, 1, 3), match)))
    assert desk.printed_lines == [
        "New seats were drawn.",
        "The player of seat 0 in the last hand moves to seat 2.",
        "The player of seat 1 in the last hand moves to seat 0.",
        "The player of seat 2 in the last hand moves to seat 1.",
        "The player of seat 3 in the last hand moves to seat 3 and deals.",
        "[1] Press Enter when every player has the new seat.",
    ]


def test_every_payment_is_printed() -> None:
    desk = Desk()
    ended = Settlement("hard", 2, (Payment(1, 0, 4, "the dealer's figure"),), winner=0)
    desk.run(lambda guide: guide.settled(ended))
    assert desk.printed_lines == ["The hand is over: hard.", "Seat 1 pays 0 4: the dealer's figure"]


# The result of a hand that nobody has followed


def reported(game: str, *lines: str) -> tuple[Any, list[str]]:
    """The result that these lines report of a hand of this game, and the printed lines."""
    hand, _ = a_hand(game)
    results = results_of(game)
    desk = Desk(*lines)
    over = HandToReport(results, results.form(hand.match, hand.setup), hand.match)
    return desk.run(lambda guide: guide.report(over)), desk.printed_lines


def test_who_has_won_is_typed_field_by_field_and_wrong_answers_are_refused() -> None:
    result, lines = reported("wenzhou", "9\n", "north\n", "2\n", "air\n", "discard\n", "1\n")
    assert (result["winner"], result["by"], result["discarder"]) == (2, "discard", 1)
    text = " ".join(lines)
    assert "Type the seat that won, or press Enter to leave it out." in text
    assert "winner: 9 is not a seat; seats are 0 to 3." in text
    assert "'north' is not a number." in text
    assert "by: 'air' is not one of" in text


def test_a_hand_that_nobody_won_asks_only_what_decides_the_dealer() -> None:
    result, lines = reported("wenzhou", "\n", "\n", "maybe\n", "yes\n")
    assert result == {"kong": True} | {key: result[key] for key in result if key != "kong"}
    assert "The result needs whether any seat had a kong." in " ".join(lines)
    assert "'maybe' is neither yes nor no." in " ".join(lines)


def test_a_result_that_contradicts_itself_is_asked_again() -> None:
    result, lines = reported("wenzhou", *("2\n", "discard\n", "2\n"), *("2\n", "self\n"))
    assert result["by"] == "self"
    assert "discarder: Seat 2 is the seat that won already; name another seat." in lines
