"""The guide of a real table: what it asks, what it takes for an answer."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from config.layout.staging import Staging, stage
from config.loader import load_table
from controller.cli.terminal import Terminal, answer, question
from controller.faults.table_fault import Fault, TableFault
from firmware_bridge.guide import Dealt
from rules.games import rules_of
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
    (Choose(1, "wall", ("2 right", "2 left"), "2 right"), "Seat 1, wall? [2 right]"),
    (Arrange("push", (PilePlace(1, 1),), ("forward",)), "Push p1.1 to forward: Enter."),
    (Packet(2, (TILE, WallPlace(3, 15, 1))), "Give seat 2 w3.15u w3.15l: Enter."),
    (Replace(2, TILE), "Give seat 2 w3.15u in exchange: Enter."),
    (TurnUp(TILE, 0), "Turn up w3.15u and type what it shows (or nothing)."),
    (DrawLot(1, BoneyardPlace(7)), "Seat 1 draws b7: type what it shows (or nothing)."),
    (
        ReturnLots((BoneyardPlace(7), BoneyardPlace(8))),
        "Put the lots back at b7 b8 and mix what lies there: Enter.",
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


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Standard input is a terminal; what is written here is typed there."""
    end, side = os.openpty()
    with os.fdopen(side) as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        yield end
    os.close(end)


def test_an_answer_that_cannot_be_is_told_and_asked_for_again(keyboard: int) -> None:
    prompts = io.StringIO()
    os.write(keyboard, b"2,9\n2,4\n")
    assert asyncio.run(Terminal(prompts).do(THROW, STAGING)) == (2, 4)
    first, refusal, second = prompts.getvalue().splitlines()
    assert first == second == question(THROW)
    assert refusal == "A die shows 1 to 6, not 9 (in '2,9'); throw again."


def test_a_terminal_that_was_closed_is_nobody(keyboard: int) -> None:
    os.write(keyboard, b"\x04")
    with pytest.raises(TableFault, match="the terminal was closed before the answer") as raised:
        asyncio.run(Terminal(io.StringIO()).do(THROW, STAGING))
    assert raised.value.fault is Fault.NOBODY


def test_where_no_terminal_is_attached_nobody_can_be_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("2,4\n"))
    with pytest.raises(TableFault, match="no terminal is attached") as raised:
        asyncio.run(Terminal(io.StringIO()).do(THROW, STAGING))
    assert raised.value.fault is Fault.NOBODY


# The play


def sat_down(game: str, prompts: io.StringIO) -> tuple[Terminal, Any]:
    """A terminal at which a hand of this game begins, and the table's play of it."""
    rules = rules_of(game)
    setup, _ = dealt(game, Random(1))
    match = rules.match(setup.parameters, setup.seating.players, 0)
    terminal = Terminal(prompts)
    asyncio.run(terminal.sit_down(Dealt(rules, setup, match, STAGING)))
    return terminal, rules.start(setup, {}, match)


def test_who_does_what_is_typed_and_what_cannot_be_is_refused_in_a_sentence(
    keyboard: int,
) -> None:
    prompts = io.StringIO()
    terminal, play = sat_down("wenzhou", prompts)
    os.write(keyboard, b"discard 5m\n1 discard 5m\n0 dance\n0 discard 1z\n")
    action = asyncio.run(terminal.act(play))
    assert action is not None
    assert (action.seat, str(action)) == (0, "discard 1z")
    greeting, asked, *refusals = prompts.getvalue().splitlines()
    assert greeting == "The hand is followed: type who does what, as '1 discard 5m'."
    assert asked == "To act: seat 0."
    assert refusals[0] == "'discard 5m' begins with no seat; write it as '1 discard 5m'."
    assert len(refusals) == 3


def test_enter_has_the_dice_thrown_where_the_game_waits_for_them(keyboard: int) -> None:
    prompts = io.StringIO()
    terminal, play = sat_down("backgammon", prompts)
    rules = rules_of("backgammon")
    while rules.throw(play) is None:
        play = play.apply(next(iter(play.legal_actions)))
    os.write(keyboard, b"\n")
    assert asyncio.run(terminal.act(play)) is None
    assert prompts.getvalue().splitlines()[-1].endswith("(Enter throws the dice).")


def test_the_terminal_names_new_seats_so_that_it_may_be_told_twice(keyboard: int) -> None:
    prompts = io.StringIO()
    os.write(keyboard, b"\n")
    match = WenzhouMatch(dealer=3)
    asyncio.run(Terminal(prompts).move_seats(Reseated((2, 0, 1, 3), match)))
    assert prompts.getvalue().splitlines() == [
        "The seats are drawn anew.",
        "Who had seat 0 in the last hand sits at seat 2.",
        "Who had seat 1 in the last hand sits at seat 0.",
        "Who had seat 2 in the last hand sits at seat 1.",
        "Who had seat 3 in the last hand sits at seat 3, and deals.",
        "Press Enter when everybody sits so.",
    ]


def test_the_terminal_says_who_pays_whom() -> None:
    prompts = io.StringIO()
    ended = Settlement("hard", 2, (Payment(1, 0, 4, "the dealer's figure"),), winner=0)
    asyncio.run(Terminal(prompts).settled(ended))
    assert prompts.getvalue().splitlines() == [
        "The hand is over: hard.",
        "Seat 1 pays 0 4: the dealer's figure",
    ]
