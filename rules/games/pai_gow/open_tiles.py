"""The tiles of a hand of pai gow that every person at the table sees."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.pai_gow.actions import Action, Call
from rules.games.pai_gow.play import PaiGowPlay
from rules.open_tiles import OpenFact, OpenSet, OpenTiles

FACE_DOWN = (None, None)
"""A high or low hand that lies face down."""


def open_tiles(begun: PaiGowPlay, taken: Sequence[tuple[Action, PaiGowPlay]]) -> OpenTiles:
    """The high and the low hand of each seat that has set them; open once all are set (4.2).

    The hands of empty positions lie open if the house shows them (A14).
    """
    play = taken[-1][1] if taken else begun
    all_set = all(hand.is_set for hand in play.hands)
    sets = []
    for seat, hand in enumerate(play.hands):
        if hand.is_set:
            split = hand.split if all_set else None
            sets.append(OpenSet(seat, "high", FACE_DOWN if split is None else split.high))
            sets.append(OpenSet(seat, "low", FACE_DOWN if split is None else split.low))
    for position, dead in enumerate(play.dead, len(play.hands)):
        sets.append(OpenSet(position, "dead hand", dead.tiles))
    called = (action for action, _ in taken if isinstance(action, Call))
    facts = tuple(OpenFact("result", action.result, action.seat) for action in called)
    return OpenTiles(sets=tuple(sets), facts=facts)
