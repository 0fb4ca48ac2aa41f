"""Candidate actions of a seat; `legal` keeps those that the rules allow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from rules.games.filipino.actions import JOKER, Act, Tile, Verb
from rules.games.filipino.position.hand import Hand, run_from
from rules.games.filipino.position.table import FilipinoTable, Offer
from rules.geometry import Seat
from rules.tiles import Face, tile_set


def candidates(table: FilipinoTable, seat: Seat, offer: Offer | None = None) -> Iterator[Act]:
    """The actions that the phase and the tiles in hand suggest, more likely ones first."""
    on_offer = offer or table.offer
    if on_offer is not None:
        yield from _claims(table, seat, on_offer)
    elif table.phase == "draw":
        yield Act(seat, "draw")
    else:
        yield from _own(table, seat)


def _claims(table: FilipinoTable, seat: Seat, offer: Offer) -> Iterator[Act]:
    hand = table.hands[seat]
    jokers = _jokers(table, hand)
    yield Act(seat, "pass")
    yield Act(seat, "win")
    if offer.added is not None:
        return
    if hand.unknown:
        verbs: tuple[Verb, ...] = ("kong", "pong", "chow")
        yield from (Act(seat, verb) for verb in verbs)
    if offer.face is None:
        return
    for tiles in _alike(offer.face, 4, hand, jokers, 1):
        yield Act(seat, "kong", tiles)
    for tiles in _alike(offer.face, 3, hand, jokers, 1):
        yield Act(seat, "pong", tiles)
    for run in runs_through(offer.face):
        choices = [(face,) if face == offer.face else (face, face + JOKER) for face in run]
        for tiles in product(*choices):
            if sum(tile.endswith(JOKER) for tile in tiles) <= jokers:
                yield Act(seat, "chow", tiles)


def _own(table: FilipinoTable, seat: Seat) -> Iterator[Act]:
    hand = table.hands[seat]
    jokers = _jokers(table, hand)
    unread = () if not hand.unknown else ((),)
    yield Act(seat, "win")
    verbs: tuple[Verb, ...] = ("flores", "discard", "secret", "kong", "add")
    for verb in verbs:
        yield from (Act(seat, verb, none) for none in unread)
    for face in _faces(hand):
        yield Act(seat, "flores", (face,))
        yield Act(seat, "discard", (face,))
        for tiles in _alike(face, 4, hand, jokers, 0):
            yield Act(seat, "secret", tiles)
            yield Act(seat, "kong", tiles)
    for pong in hand.melds:
        if pong.name == "pong" and pong.tiles:
            yield Act(seat, "add", pong.reads[:1])
            yield Act(seat, "add", (pong.reads[0] + JOKER,))


def _alike(
    face: Face, size: int, hand: Hand, jokers: int, offered: int
) -> Iterator[tuple[Tile, ...]]:
    """Sets of `size` tiles that count as one face, with every possible number of jokers.

    `offered` is 1 if another seat offers a tile of that face, else 0.
    """
    available = hand.having(face) + hand.unknown + offered
    for starred in range(min(jokers, size - 1) + 1):
        if size - starred <= available:
            yield (face,) * (size - starred) + (face + JOKER,) * starred


def runs_through(face: Face) -> Iterator[tuple[Face, ...]]:
    """Each run that contains the tile, the lowest first; none for honours."""
    for first in range(int(face[0]) - 2, int(face[0]) + 1):
        run = run_from(f"{first}{face[1]}") if first > 0 else ()
        if len(run) == 3:
            yield run


def _jokers(table: FilipinoTable, hand: Hand) -> int:
    """The largest number of jokers that a hand can have."""
    return (hand.having(table.joker) if table.joker else 0) + hand.unknown


def _faces(hand: Hand) -> tuple[Face, ...]:
    """The faces that a hand has or can have, each once."""
    if not hand.unknown:
        return tuple(dict.fromkeys(hand.concealed))
    return tuple(dict.fromkeys(tile_set("mahjong_144").faces))
