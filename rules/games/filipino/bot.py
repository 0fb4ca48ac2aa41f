"""A simulated Filipino mahjong player: declares every win, otherwise brings its hand nearer to one.

It uses only its own tiles and the open tiles. `rules.play.random_action` is the alternative.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rules.games.filipino.actions import Act, bare, face_under
from rules.games.filipino.hand import Hand
from rules.games.filipino.table import FilipinoTable, Offer
from rules.games.filipino.wins import counts_of
from rules.geometry import Seat
from rules.melds import Counts, face_of, helpful_kinds, tiles_short
from rules.tiles import Face

if TYPE_CHECKING:
    from rules.games.filipino.play import FilipinoPlay


def sensible(play: FilipinoPlay, seat: Seat) -> Act:
    """Returns the action of this player; with unknown tiles it only passes, draws and discards."""
    table = play.table
    acts = [act for act in play.legal_actions if act.seat == seat]
    hidden = table.hands[seat].unknown > 0
    for verb in ("pass", "draw", "discard") if hidden else ("win", "flores", "draw"):
        for act in acts:
            if act.verb == verb:
                return act
    if table.offer is not None:
        return _answer(table, table.offer, acts)
    return _own_turn(table, seat, acts)


def _answer(table: FilipinoTable, offer: Offer, acts: list[Act]) -> Act:
    """The claim that brings the hand nearest to a win, or a pass if none brings it nearer."""
    passing, *claims = sorted(acts, key=lambda act: act.verb != "pass")
    hand = table.hands[passing.seat]
    best, nearest = passing, _short(table, hand)
    for act in claims:
        own = list(act.tiles)
        own.remove(offer.face or "")
        rest = hand.without(face_under(tile, table.joker) for tile in own)
        if rest is None:
            continue
        short = _short_with(table, rest.concealed, hand.sets_open - 1)
        if short < nearest:
            best, nearest = act, short
    return best


def _own_turn(table: FilipinoTable, seat: Seat, acts: list[Act]) -> Act:
    """A kong that keeps the distance to a win, else the discard that leaves the best hand.

    A joker is discarded only if nothing else can be.
    """
    hand = table.hands[seat]
    now = _short(table, hand)
    for act in acts:
        if act.verb == "discard" or any(tile != bare(tile) for tile in act.tiles):
            continue
        rest = hand.without(act.tiles)
        sets = hand.sets_open - (act.verb != "add")
        if rest is not None and _short_with(table, rest.concealed, sets) <= now:
            return act
    discards = [act for act in acts if act.verb == "discard"]
    left = {act: hand.without(act.tiles) or hand for act in discards}
    short = {act: (act.tiles == (table.joker,), _short(table, left[act])) for act in discards}
    least = min(short.values())
    nearest = [act for act in discards if short[act] == least]
    return min(nearest, key=lambda act: _preference(table, left[act], act))


def _preference(table: FilipinoTable, left: Hand, act: Act) -> tuple[int, bool, str]:
    """The sort key of discards that leave hands equally near a win.

    Most unseen tiles that help, then end numbers first.
    """
    (face,) = act.tiles
    return -_helping(table, left), face[0] not in "1289", face


def _helping(table: FilipinoTable, hand: Hand) -> int:
    """The number of unseen tiles that bring the hand nearer to a win."""
    counts, jokers = _split(table, hand.concealed)
    kinds = helpful_kinds(counts, hand.sets_open, jokers)
    return sum(max(0, _unseen(table, hand, face_of(kind))) for kind in kinds)


def _unseen(table: FilipinoTable, hand: Hand, face: Face) -> int:
    """The number of tiles of a face that are neither in the player's hand nor open."""
    seen = table.middle.count(face) + (table.joker == face) + hand.having(face)
    melds = (meld for each in table.hands for meld in each.melds)
    melded = sum(meld.tiles.count(face) for meld in melds if not meld.secret)
    return 4 - seen - melded


def _short(table: FilipinoTable, hand: Hand) -> int:
    return _short_with(table, hand.concealed, hand.sets_open)


def _short_with(table: FilipinoTable, concealed: Iterable[Face], sets: int) -> int:
    counts, jokers = _split(table, concealed)
    return tiles_short(counts, sets, jokers)


def _split(table: FilipinoTable, concealed: Iterable[Face]) -> tuple[Counts, int]:
    """The counts of the natural tiles, and the number of jokers."""
    tiles = [face for face in concealed if not table.house.is_flores(face)]
    jokers = tiles.count(table.joker) if table.joker is not None else 0
    return counts_of(face for face in tiles if face != table.joker), jokers
