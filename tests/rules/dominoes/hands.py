"""Helpers for tests: hands of dominoes from texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rules.games.dominoes.actions import parse
from rules.games.dominoes.play import DominoPlay, begin
from rules.games.dominoes.variants import VARIANTS, Parameters
from rules.tiles import Face

TITLES = {variant.name: variant.title for variant in VARIANTS}


def parameters(game: str, **changes: Any) -> Parameters:
    """A game's parameters with a house's changes."""
    (variant,) = (variant for variant in VARIANTS if variant.name == game)
    return replace(variant.parameters, **changes)


def dealt(
    game: str,
    *hands: str,
    boneyard: str = "",
    turn: int | None = 0,
    scores: Sequence[int] = (),
    **changes: Any,
) -> DominoPlay:
    """A hand of dominoes from texts such as `"6-4 3-3"`; `?` is an unknown tile."""
    return begin(
        TITLES[game],
        parameters(game, turn="counter_clockwise", **changes),
        [tiles(hand) for hand in hands],
        tiles(boneyard),
        turn,
        scores,
    )


def tiles(text: str) -> list[Face | None]:
    return [None if tile == "?" else tile for tile in text.split()]


def follow(play: DominoPlay, *texts: str) -> DominoPlay:
    """The play after these actions of the seat on turn; `2: call` is an action of seat 2."""
    for text in texts:
        seat, _, action = text.rpartition(": ")
        by = int(seat) if seat else play.to_act[0]
        play = play.apply(parse(by, action))
    return play


def points(play: DominoPlay) -> list[int]:
    """The points scored so far, in order."""
    return [score.points for score in play.scored]


def offered(play: DominoPlay) -> set[str]:
    """Every legal action of the seat on turn, as text."""
    return {str(action) for action in play.legal_actions if action.seat == play.to_act[0]}
