"""Orders for a magazine: the turns and strokes that build a set in a given order, and their time.

The tiles fall into the pockets in the order in which they leave the drum: tile k (from 0) into
pocket k. Then the ejector takes them out in any order. If that order is uniform and independent of
the drum, the built set is in a uniform order, whatever order the drum has made.

The other way, a random pocket for each tile and then one pocket after another, needs the same
turns, and the wheel stands still during every turn of the loading, because a tile that comes
meanwhile would fall between two pockets. So it takes the same time. It is not used, because after a
wrong turn of the loading a tile falls onto another one; an ejector at a wrong pocket does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from config.schema import HeadsModule, MagazineModule, Table, TileRange


@dataclass(frozen=True)
class TurnCarousel:
    """Turn the carousel by this number of pockets: positive towards higher pockets."""

    pockets: int


@dataclass(frozen=True)
class LoadTile:
    """Let one tile fall into the pocket at the inlet."""


@dataclass(frozen=True)
class EjectTile:
    """Push the tile out of the pocket at the inlet."""


MagazineOrder = TurnCarousel | LoadTile | EjectTile


@dataclass(frozen=True)
class MagazineTimes:
    """The seconds that a magazine adds to the build of one set."""

    loading: float
    """For the tiles to leave the counter one by one, and for the turns to the next pocket."""
    turning: float
    """For the turns between the strokes."""
    ejecting: float
    """For the strokes."""

    @property
    def total(self) -> float:
        """The sum, seconds; without the time of the drum and of the pusher."""
        return self.loading + self.turning + self.ejecting


def shortest_turn(start: int, end: int, pockets: int) -> int:
    """The shorter way from one pocket to another, in pockets; forward if both are equal."""
    forward = (end - start) % pockets
    return forward if 2 * forward <= pockets else forward - pockets


def magazine_orders(order: Sequence[int], pockets: int) -> Iterator[MagazineOrder]:
    """The orders that load a set and take it out in this order; begins with pocket 0 at the inlet.

    `order` has the pocket of each tile, in the order in which the tiles are stacked. Raises
    ValueError if it does not name each of the first pockets once.
    """
    _check(order, pockets)
    for pocket in range(len(order)):
        if pocket:
            yield TurnCarousel(1)
        yield LoadTile()
    at = len(order) - 1
    for pocket in order:
        if pocket != at:
            yield TurnCarousel(shortest_turn(at, pocket, pockets))
        yield EjectTile()
        at = pocket


def magazine_times(
    order: Sequence[int], magazine: MagazineModule, heads: HeadsModule, tiles: TileRange
) -> MagazineTimes:
    """The time that this order of a set adds to its build. Raises ValueError."""
    orders = magazine_orders(order, magazine.pockets)
    turned = sum(abs(each.pockets) for each in orders if isinstance(each, TurnCarousel))
    loading = max(0, len(order) - 1)
    return _times(len(order), turned - loading, magazine, heads, tiles)


def mean_magazine_times(
    count: int, magazine: MagazineModule, heads: HeadsModule, tiles: TileRange
) -> MagazineTimes:
    """The mean of `magazine_times` over all orders of `count` tiles. Raises ValueError."""
    _check(range(count), magazine.pockets)
    return _times(count, _mean_turn(count, magazine.pockets), magazine, heads, tiles)


def expected_magazine_times(table: Table, count: int) -> MagazineTimes | None:
    """The time that the magazine of a table adds to the build of `count` tiles, on average.

    With `shuffle: drum` the tiles keep their order. None for a table without a magazine.
    """
    magazine, heads = table.modules.magazine, table.modules.heads
    if magazine is None or heads is None:
        return None
    if table.shuffle == "sorted":
        return mean_magazine_times(count, magazine, heads, table.tiles)
    return magazine_times(range(count), magazine, heads, table.tiles)


def _times(
    count: int, turned: float, magazine: MagazineModule, heads: HeadsModule, tiles: TileRange
) -> MagazineTimes:
    passing = tiles.longest_mm / 1000 / heads.belt_speed
    # While a tile comes to the counter the wheel turns on, so this way costs no time.
    return MagazineTimes(
        loading=count * passing + max(0, count - 1) * magazine.step,
        turning=turned * magazine.step,
        ejecting=count * magazine.eject,
    )


def _mean_turn(count: int, pockets: int) -> float:
    """The mean sum of the turns between the strokes, in pockets, over all orders."""
    if not count:
        return 0.0

    def way(start: int, end: int) -> int:
        return abs(shortest_turn(start, end, pockets))

    first = sum(way(count - 1, pocket) for pocket in range(count)) / count
    between = sum(way(start, end) for start in range(count) for end in range(count))
    # Each ordered pair of two tiles is next to each other in 1 of `count` orders.
    return first + between / count


def _check(order: Sequence[int], pockets: int) -> None:
    if sorted(order) != list(range(len(order))):
        raise ValueError(f"An order of {len(order)} tiles names each pocket once; got {order}.")
    if len(order) > pockets:
        raise ValueError(
            f"The set has {len(order)} tiles, but the magazine has {pockets} pockets; each tile"
            " needs one."
        )
