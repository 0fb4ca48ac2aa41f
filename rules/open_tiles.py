"""The public view of a hand: tiles played, sets laid down, facts that all players may see.

A game derives this value from the plays of a hand (`Rules.open_tiles`). It contains no tile that
only one seat sees, also if the plays are those of a table that has recorded all tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from rules.geometry import Seat
from rules.tiles import Face


class _SeatAction(Protocol):
    @property
    def seat(self) -> Seat: ...


A = TypeVar("A", bound=_SeatAction)
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class PlayedTile:
    """A tile that a seat has put into the middle, and that still lies there.

    `face` is None if the tile was not read. `joined` says where it was joined to other tiles, in
    the words of the action (`on 6`); it is empty for a tile that lies by itself.
    """

    seat: Seat
    face: Face | None
    joined: str = ""


@dataclass(frozen=True, slots=True)
class OpenSet:
    """Tiles that lie together before a seat: a set, flores, a hand that was shown.

    `faces` has None for each tile that lies face down or was not read. `claimed` is the index of
    the tile that the seat `source` had discarded, or was adding to a pong; both are None if the
    seat claimed no tile.
    """

    seat: Seat
    name: str
    faces: tuple[Face | None, ...]
    claimed: int | None = None
    source: Seat | None = None


@dataclass(frozen=True, slots=True)
class OpenFact:
    """A public fact of a hand that is not a tile, such as a bid, a cube or a called result."""

    name: str
    text: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class OpenTiles:
    """The tiles of a hand that all see: `played` in the order of play, `sets` by seat."""

    played: tuple[PlayedTile, ...] = ()
    sets: tuple[OpenSet, ...] = ()
    facts: tuple[OpenFact, ...] = ()


@dataclass(frozen=True, slots=True)
class MixedTiles:
    """A player's view of a hand whose discards lie mixed in the middle (W18, F19).

    Two hands that differ only in the order of their discards, in the seats that discarded them, or
    in the seats from which sets were claimed give equal values: this value has none of the three.
    `pool` are the faces of the discards, sorted, None for each one that was not read. `sets` have
    no mark of a claimed tile; they are sorted by seat, name and faces.
    """

    pool: tuple[Face | None, ...] = ()
    sets: tuple[OpenSet, ...] = ()
    facts: tuple[OpenFact, ...] = ()


def mixed(tiles: OpenTiles) -> MixedTiles:
    """The open tiles of a hand as they lie on a table whose discards are mixed."""
    pool = sorted((tile.face for tile in tiles.played), key=_by_face)
    sets = (replace(each, claimed=None, source=None) for each in tiles.sets)
    laid = sorted(sets, key=lambda each: (each.seat, each.name, tuple(map(_by_face, each.faces))))
    return MixedTiles(tuple(pool), tuple(laid), tiles.facts)


def tiles_before(tiles: OpenTiles, delivered: Mapping[Seat, int]) -> dict[Seat, int]:
    """The number of tiles before each seat: in its hand and in its sets.

    `delivered` are the numbers of tiles that the table has brought to the seats.
    """
    count = Counter(delivered)
    count.subtract(Counter(tile.seat for tile in tiles.played))
    for each in tiles.sets:
        if each.source is not None:
            count[each.seat] += 1
            count[each.source] -= 1
    return dict(count)


def _by_face(face: Face | None) -> Face:
    return face or ""


def show_nothing(begun: object, taken: object) -> OpenTiles:
    """Returns no tiles: the game has none, or its rules do not define which of them lie open."""
    return OpenTiles()


def show_no_tile(action: object) -> tuple[Face, ...]:
    """Returns no tiles, because no action of the game shows tiles of a hand."""
    return ()


@dataclass(frozen=True)
class ClaimedDiscards(Generic[P, A]):
    """How a game with discards and claims shows its tiles; calling it gives the open tiles.

    `discarded(action)` is the discarded tile in a tuple of one, or an empty tuple for any other
    action. `on_offer(play)` says whether the last discard can be claimed. `melds(play)` are the
    sets that were laid down, by seat; a set keeps its index. `others(play)` are all other open
    sets; the one named `added` is a tile that is being added to a pong. `winner(play)` is the seat
    that has won, None before that; its hand is among `others`. `shown(action)` are the tiles that a
    seat shows of its hand after the end.
    """

    discarded: Callable[[A], tuple[Face | None, ...]]
    on_offer: Callable[[P], bool]
    melds: Callable[[P], Sequence[Sequence[OpenSet]]]
    others: Callable[[P], Sequence[OpenSet]]
    winner: Callable[[P], Seat | None]
    shown: Callable[[A], tuple[Face, ...]] = show_no_tile

    def __call__(self, begun: P, taken: Sequence[tuple[A, P]]) -> OpenTiles:
        """The open tiles after the actions `taken`, each with the play after it."""
        played: list[PlayedTile] = []
        claims: dict[tuple[Seat, int], PlayedTile] = {}
        won_on: PlayedTile | None = None
        before = begun
        for action, play in taken:
            played += (PlayedTile(action.seat, face) for face in self.discarded(action))
            if self.on_offer(before) and not self.on_offer(play):
                grown = self._grown(before, play)
                if grown is not None:
                    claims[grown] = played.pop()
                elif self.winner(play) is not None:
                    won_on = played.pop()
            elif self.winner(play) is not None and self.winner(before) is None:
                won_on = self._added(before)
            before = play
        sets = [
            _claimed(meld, claims[seat, index]) if (seat, index) in claims else meld
            for seat, melds in enumerate(self.melds(before))
            for index, meld in enumerate(melds)
        ]
        sets += (
            OpenSet(action.seat, "shown", faces)
            for action, _ in taken
            if (faces := self.shown(action))
        )
        winner = self.winner(before)
        for other in self.others(before):
            won = won_on is not None and other.seat == winner and other.name == "hand"
            sets.append(_claimed(other, won_on) if won and won_on is not None else other)
        return OpenTiles(tuple(played), tuple(sorted(sets, key=lambda each: each.seat)))

    def _added(self, play: P) -> PlayedTile | None:
        """The tile that a seat is adding to a pong: a win on it robs the kong."""
        added = (each for each in self.others(play) if each.name == "added")
        return next((PlayedTile(each.seat, each.faces[0]) for each in added), None)

    def _grown(self, before: P, after: P) -> tuple[Seat, int] | None:
        """The seat that has laid a set down, with the index of the set."""
        for seat, (had, has) in enumerate(zip(self.melds(before), self.melds(after), strict=True)):
            if len(has) > len(had):
                return seat, len(had)
        return None


def _claimed(laid: OpenSet, tile: PlayedTile) -> OpenSet:
    """The set with the mark of its claimed tile, which is the last one if it was not read."""
    read = tile.face in laid.faces
    index = laid.faces.index(tile.face) if read else len(laid.faces) - 1
    faces = laid.faces if read else (*laid.faces[:-1], tile.face)
    return replace(laid, faces=faces, claimed=index, source=tile.seat)
