"""A simulated Wenzhou mahjong player: declares every win, else brings its hand nearer to one."""

from __future__ import annotations

from collections.abc import Iterable

from rules.games.wenzhou.actions import (
    Chow,
    Discard,
    Draw,
    Kong,
    Pass,
    Pong,
    WenzhouAction,
    Win,
)
from rules.games.wenzhou.play import WenzhouPlay
from rules.games.wenzhou.wins import PAIRS, SETS
from rules.geometry import Seat
from rules.melds import Counts, Kind, is_honour, pairs, tiles_short
from rules.tiles import Face


def sensible(play: WenzhouPlay, seat: Seat) -> WenzhouAction:
    """Returns the action of this player as `seat`, which must be able to act.

    With unknown tiles it only draws, passes and discards.
    """
    offered = [action for action in play.legal_actions if action.seat == seat]
    for action in offered:
        if isinstance(action, Win | Draw):
            return action
    if play.position.seats[seat].hidden:
        return next((action for action in offered if isinstance(action, Pass)), offered[0])
    return min(offered, key=lambda action: _merit(play, action))


def _merit(play: WenzhouPlay, action: WenzhouAction) -> tuple[int, int, int]:
    """The sort key of an action, the smallest is the best.

    It has the number of tiles short of a win, 0 for a pass and 1 otherwise, and the value of a
    discard or minus the number of tiles that a set takes.
    """
    hand = play.position.seats[action.seat]
    counts, wild = play.position.deal.caishen.parted(hand.known)
    sets = SETS - len(hand.melds)
    match action:
        case Discard(_, face) if not play.position.deal.caishen.is_caishen(face):
            kind = play.position.deal.caishen.kind_of(face)
            left = counts.minus(kind)
            return _far(left, sets, wild), 1, _worth(left, kind)
        case Pass():
            return _far(counts, sets, wild), 0, 0
        case Chow() | Pong() | Kong():
            own = list(_own_tiles(play, action))
            left = counts
            for kind in own:
                left = left.minus(kind)
            joins = len(own) == 1
            return _far(left, sets if joins else sets - 1, wild), 1, -len(own)
    return len(hand.tiles), 2, 0


def _own_tiles(play: WenzhouPlay, action: Chow | Pong | Kong) -> Iterable[Kind]:
    """The kinds of the tiles that a set takes from the hand."""
    position = play.position
    faces: tuple[Face, ...]
    match action:
        case Chow(_, own):
            faces = own
        case Kong(_, str(face)):
            faces = (face,) * position.seats[action.seat].known.count(face)
        case _:
            assert position.tile is not None
            faces = (position.tile,) * (2 if isinstance(action, Pong) else 3)
    return map(position.deal.caishen.kind_of, faces)


def _far(counts: Counts, sets: int, wild: int) -> int:
    """The number of tiles short of a win: five sets and a pair, or eight pairs if all concealed."""
    far = tiles_short(counts, sets, wild)
    return far if sets < SETS else min(far, PAIRS - pairs(counts, wild))


def _worth(left: Counts, kind: Kind) -> int:
    """The value of a discarded tile for the hand: equal tiles count most, then neighbours."""
    worth = 4 * left.having(kind)
    if is_honour(kind):
        return worth
    place = kind % 9
    near = sum(
        (3 - abs(step)) * left.having(kind + step)
        for step in (-2, -1, 1, 2)
        if 0 <= place + step < 9
    )
    return worth + near + min(place, 8 - place, 2)
