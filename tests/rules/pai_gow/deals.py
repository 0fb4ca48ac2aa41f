"""Helpers for tests: set-ups and plays of pai gow with a given pile or given hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.games.pai_gow import PAI_GOW, Parameters
from rules.games.pai_gow.actions import parse
from rules.games.pai_gow.cuts import PILE
from rules.games.pai_gow.play import PaiGowPlay, start
from rules.games.pai_gow.setup import stake_question
from rules.geometry import Place, Seat
from rules.setup import Setup, settle
from rules.tiles import Face, tile_set

FACES = tile_set("pai_gow_32").faces


def dealt(
    players: int = 4,
    banker: int = 0,
    stakes: Mapping[Seat, int] | None = None,
    **parameters: Any,
) -> Setup:
    """A finished set-up; with three threes thrown, the banker gets hand 1."""
    setup = PAI_GOW.setup(players=players, dealer=banker, parameters=Parameters(**parameters))
    answers = {stake_question(seat): stake for seat, stake in (stakes or {}).items()}
    return settle(setup, [(3, 3, 3)], answers)


def begun(pile: Sequence[Face | None], setup: Setup, **more: Any) -> PaiGowPlay:
    """The play with that pile: column by column from the right, each column from the top."""
    return start(setup, dict(zip(PILE.places, pile, strict=True)), **more)


def with_hands(*hands: str, banker: int = 0, **parameters: Any) -> PaiGowPlay:
    """The play in which each player has these tiles; all other tiles are unknown."""
    setup = dealt(len(hands), banker, **parameters)
    known: dict[Place, Face] = {}
    for seat, tiles in enumerate(hands):
        known |= dict(zip(setup.hands[seat], tiles.split(), strict=True))
    return start(setup, known)


def played(play: PaiGowPlay, *actions: str) -> PaiGowPlay:
    """The play after these actions, each a seat and a text: "1 set 6-6 5-4 / 1-1 3-1"."""
    for action in actions:
        seat, _, text = action.partition(" ")
        play = play.apply(parse(int(seat), text))
    return play
