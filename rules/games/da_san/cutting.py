"""The first dealer of Da San: each player cuts a card, and the highest number deals (D4)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Final

from rules.games.da_san.match import DaSanMatch
from rules.games.da_san.setup import DA_SAN, SEATS, first_dealer, worth
from rules.geometry import Seat, counter_clockwise
from rules.play import Drawing, Reseated
from rules.setup import choose
from rules.steps import Outcome, Step
from rules.tiles import Face

QUESTION: Final = "card cut"
_HIGH_FIRST: Final = tuple(sorted(DA_SAN.tiles.faces, key=worth, reverse=True))


def to_draw(match: DaSanMatch) -> DaSanMatch:
    """Returns the match with a cut for its first dealer before the next hand (D4)."""
    return replace(match, cutting=True)


def before_hand(match: DaSanMatch) -> Drawing | None:
    """The script of the cut for the first dealer; None if the dealer is known."""
    return _cutting(match) if match.cutting else None


def _cutting(match: DaSanMatch) -> Drawing:
    """The script: players cut in turn, and those with equal highest numbers cut again."""
    tied: Sequence[Seat] = counter_clockwise(match.dealer, SEATS)
    while len(tied) > 1:
        cards: list[Face] = []
        for seat in tied:
            cards.append((yield from _cut(seat, cards)))
        tied = [tied[at] for at in first_dealer(cards)]
    return Reseated((), replace(match, dealer=tied[0], cutting=False))


def _cut(seat: Seat, shown: Sequence[Face]) -> Generator[Step, Outcome, Face]:
    """Asks a player for the card that he cut; `shown` are the cards cut before it.

    The default cards of the three players have different numbers, so they never tie.
    """
    left = tuple(card for card in _HIGH_FIRST if card not in shown)
    default = left[4 * len(shown)]
    return (yield from choose(seat, QUESTION, left, default))
