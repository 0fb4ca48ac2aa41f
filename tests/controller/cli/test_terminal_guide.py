"""The guide of a real table: what it asks, what it takes for an answer."""

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
from controller.cli.operator_console import OperatorConsole
from controller.cli.terminal_guide import TerminalGuide, _examples, answer, question
from controller.faults.table_fault import Fault, TableFault
from firmware_bridge.guide import HandToPlay
from rules.games import GAMES, rules_of
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
    (Arrange("push", (PilePlace(1, 1),), ("forward",)), "Push p1.1 to forward: Enter."),
    (Packet(2, (TILE, WallPlace(3, 15, 1))), "Give seat 2 w3.15u w3.15l: Enter."),
    (Replace(2, TILE), "Give seat 2 w3.15u in exchange: Enter."),
    (TurnUp(TILE, 0), "Turn up w3.15u and type what it shows (or nothing)."),
    (DrawLot(1, BoneyardPlace(7)), "Seat 1 draws b7: type what it shows (or nothing)."),
    (
        ReturnLots(tuple(map(BoneyardPlace, (7, 8))), tuple(map(BoneyardPlace, (7, 8, 9, 10)))),
        "Put the lots back at b7 b8 face down, then mix the whole boneyard, b7 to b10: Enter.",
    ),
]


@pytest.mark.parametrize(("step", "words"), ASKED, ids=[type(step).__name__ for step, _ in ASKED])
def test_every_step_is_asked_for_in_a_sentence(step: Step, words: str) -> None:
    assert question(step) == words


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
def test_a_typed_line_is_the_outcome(step: Step, line: str, outcome: Outcome) -> None:
    assert answer(step, line) == outcome


class Desk:
    """A terminal at which somebody types a line whenever the guide waits for one."""

    def __init__(self, *lines: str) -> None:
        self.prompts = io.StringIO()
        self._end, side = os.openpty()
        self._lines = list(lines)
        self._stream = os.fdopen(side)
        console = Console(file=self.prompts, width=500)
        self.console = OperatorConsole(console, self._stream, drawn=False)
        self.guide = TerminalGuide(self.console)

    def run(self, work: Callable[[TerminalGuide], Awaitable[Any]]) -> Any:
        """What this comes to, with what is typed meanwhile."""
        return asyncio.run(self._run(work))

    async def _run(self, work: Callable[[TerminalGuide], Awaitable[Any]]) -> Any:
        task = asyncio.ensure_future(work(self.guide))
        for line in self._lines:
            await asyncio.sleep(0.03)
            os.write(self._end, line.encode())
        try:
            async with asyncio.timeout(5):
                return await task
        finally:
            self.console.close()
            self._stream.close()
            os.close(self._end)

    @property
    def said(self) -> list[str]:
        return self.prompts.getvalue().splitlines()


def test_an_answer_that_cannot_be_is_refused_and_the_question_stays_open() -> None:
    desk = Desk("2,9\n", "2,4\n")
    assert desk.run(lambda guide: guide.do(THROW, STAGING)) == (2, 4)
    asked, refusal = desk.said
    assert asked == f"[1] {question(THROW)}"
    assert refusal == "A die shows 1 to 6, not 9 (in '2,9'); throw again."


def test_a_number_too_long_for_python_is_refused_like_any_other() -> None:
    desk = Desk(f"{'9' * 3000}\n", "2\n")
    step = Choose(0, "cut", (1, 2), 1)
    assert desk.run(lambda guide: guide.do(step, STAGING)) == 2
    assert "offered: 1, 2" in desk.said[1]


def test_a_terminal_that_was_closed_is_nobody() -> None:
    with pytest.raises(TableFault, match="the terminal was closed before the answer") as raised:
        Desk("\x04").run(lambda guide: guide.do(THROW, STAGING))
    assert raised.value.fault is Fault.NOBODY


def test_where_no_terminal_is_attached_nobody_can_be_asked() -> None:
    guide = TerminalGuide(OperatorConsole(Console(file=io.StringIO()), io.StringIO(), drawn=False))
    with pytest.raises(TableFault, match="no terminal is attached") as raised:
        asyncio.run(guide.do(THROW, STAGING))
    assert raised.value.fault is Fault.NOBODY


# The play


def a_hand(game: str) -> tuple[HandToPlay, Any]:
    """A hand of this game that begins, and the table's play of it."""
    rules = rules_of(game)
    setup, _ = dealt(game, Random(1))
    match = rules.match(setup.parameters, setup.seating.players, 0)
    return HandToPlay(rules, setup, match, STAGING), rules.start(setup, {}, match)


def seated(game: str, *lines: str) -> tuple[Desk, Any]:
    """A desk at which a hand of this game begins, and the table's play of it."""
    hand, play = a_hand(game)
    desk = Desk(*lines)
    asyncio.run(desk.guide.sit_down(hand))
    return desk, play


def test_who_does_what_is_typed_and_what_cannot_be_is_refused_in_a_sentence() -> None:
    desk, play = seated("wenzhou", "discard 5m\n", "1 discard 5m\n", "0 dance\n", "0 discard 1z\n")
    action = desk.run(lambda guide: guide.act(play))
    assert (action.seat, str(action)) == (0, "discard 1z")
    greeting, asked, *refusals = desk.said
    assert greeting == "The hand is followed by the rules: type what each seat does."
    assert asked.startswith("[1] To act: seat 0. Type the seat and the action, as '0 ")
    assert refusals[0].startswith("'discard 5m' begins with no seat. Type the seat and the action")
    assert len(refusals) == 3


@pytest.mark.parametrize("game", GAMES)
def test_the_examples_of_what_to_type_are_legal_in_that_game(game: str) -> None:
    hand, play = a_hand(game)
    while (throw := hand.rules.throw(play)) is not None:
        play = play.apply(hand.rules.thrown(play, (3, 5, 2, 4)[: throw.dice * throw.times]))
    shown = re.findall(r"'(\d+) ([^']+)'", _examples(play))
    assert shown
    for seat, words in shown:
        assert hand.rules.parse(int(seat), words) in play.legal_actions


def test_a_question_mark_lists_every_legal_action() -> None:
    desk, play = seated("block", "?\n")
    first = next(iter(play.legal_actions))
    desk._lines.append(f"{first.seat} {first}\n")
    assert desk.run(lambda guide: guide.act(play)) == first
    listed = desk.said[2]
    assert listed.startswith("Legal now: ")
    for action in play.legal_actions:
        assert f"{action.seat} {action}" in listed


def test_enter_has_the_dice_thrown_where_the_game_waits_for_them() -> None:
    desk, play = seated("backgammon", "\n")
    rules = rules_of("backgammon")
    while rules.throw(play) is None:
        play = play.apply(next(iter(play.legal_actions)))
    assert desk.run(lambda guide: guide.act(play)) is None
    assert "Enter throws the dice." in desk.said[-1]


def test_the_terminal_names_new_seats_so_that_it_may_be_told_twice() -> None:
    desk = Desk("\n")
    match = WenzhouMatch(dealer=3)
    desk.run(lambda guide: guide.move_seats(Reseated((2, 0, 1, 3), match)))
    assert desk.said == [
        "The seats are drawn anew.",
        "Who had seat 0 in the last hand sits at seat 2.",
        "Who had seat 1 in the last hand sits at seat 0.",
        "Who had seat 2 in the last hand sits at seat 1.",
        "Who had seat 3 in the last hand sits at seat 3, and deals.",
        "[1] Press Enter when everybody sits so.",
    ]


def test_the_terminal_says_who_pays_whom() -> None:
    desk = Desk()
    ended = Settlement("hard", 2, (Payment(1, 0, 4, "the dealer's figure"),), winner=0)
    desk.run(lambda guide: guide.settled(ended))
    assert desk.said == ["The hand is over: hard.", "Seat 1 pays 0 4: the dealer's figure"]
