"""The felt (table top): pillars of tiles at spots, of which some lie across their neighbours.

A pillar is a column of tiles at one spot. It stands on the felt, or, if it was laid across or set
down half over others, on those others. No tile can be taken from under one that rests on it.
Levels count tile heights from the felt: a wall's lower tile lies on level 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor, hypot

from config.layout.field import AIR, Field, Spot
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from rules.geometry import Seat
from rules.tiles import Face

TOLERANCE = 0.003
"""Distance from a column's centre within which a gripper can hold it, metres."""
_OVERLAP_TOLERANCE = 0.001


@dataclass(eq=False)
class Pillar:
    """A column of tiles, bottom first; its lowest tile lies on level `base`."""

    spot: Spot
    base: int = 0
    tiles: list[Tile] = field(default_factory=list)
    under: tuple[Pillar, ...] = ()
    """The pillars that support this pillar; empty if it stands on the felt."""

    @property
    def top(self) -> int:
        return self.base + len(self.tiles)


class _Pillars:
    """All pillars, in the order in which they were set up, indexed by cells of one tile's length.

    Pillars that overlap a spot have their centres in the spot's cell or in one of the eight cells
    around it. An overlap test therefore does not search the whole felt.
    """

    def __init__(self, cell: float) -> None:
        self._cell = cell
        self._numbers: dict[Pillar, int] = {}
        self._cells: dict[tuple[int, int], list[Pillar]] = {}
        self._count = 0

    def __iter__(self) -> Iterator[Pillar]:
        return iter(self._numbers)

    def __contains__(self, pillar: Pillar) -> bool:
        return pillar in self._numbers

    def add(self, pillar: Pillar) -> None:
        self._count += 1
        self._numbers[pillar] = self._count
        self._cells.setdefault(self._at(pillar.spot.x, pillar.spot.y), []).append(pillar)

    def remove(self, pillar: Pillar) -> None:
        del self._numbers[pillar]
        self._cells[self._at(pillar.spot.x, pillar.spot.y)].remove(pillar)

    def clear(self) -> None:
        self._numbers.clear()
        self._cells.clear()

    def near(self, x: float, y: float) -> list[Pillar]:
        """The pillars within a cell of a point, in the order in which they were set up."""
        column, row = self._at(x, y)
        found: list[Pillar] = []
        for i in (column - 1, column, column + 1):
            for j in (row - 1, row, row + 1):
                if (i, j) in self._cells:
                    found += self._cells[i, j]
        found.sort(key=self._numbers.__getitem__)
        return found

    def _at(self, x: float, y: float) -> tuple[int, int]:
        return floor(x / self._cell), floor(y / self._cell)


class Felt(Holder):
    """All pillars on top of the table, and the seat in front of which each tile lies."""

    def __init__(self, field: Field, seats: int) -> None:
        super().__init__("felt")
        self._field = field
        self.seats = seats
        self._overlap_limits = _overlap_limits_of(field)
        self._pillars = _Pillars(max(field.tile_length, field.pitch))
        self._row_used: dict[Seat, float] = {}
        self._middle_spots = field.middle()
        """The spots in the middle where players lay tiles face up."""
        self._middle: list[Tile] = []
        """The tiles that were laid in the middle, in order."""
        self.raised: dict[Spot, tuple[Tile, ...]] = {}
        """The walls set up since the felt was last cleared, each column bottom first."""
        self.on_sweep: Callable[[], None] = _ignore
        """Called when all tiles are taken off the felt."""

    # Tiles on the felt

    @property
    def pillars(self) -> tuple[Pillar, ...]:
        return tuple(self._pillars)

    def is_occupied(self, spot: Spot) -> bool:
        """Whether any tile lies over this spot."""
        return any(self._overlaps(pillar.spot, spot) for pillar in self._near(spot))

    def support_level(self, spot: Spot) -> int:
        """The level on which a tile set down at this spot would rest."""
        return max((p.top for p in self._near(spot) if self._overlaps(p.spot, spot)), default=0)

    def highest_level(self, x: float, y: float) -> int:
        """The level above everything within a tile's reach of a point."""
        reach = self._field.tile_length / 2 - _OVERLAP_TOLERANCE
        return max(
            (
                pillar.top
                for pillar in self._pillars.near(x, y)
                if abs(pillar.spot.x - x) < reach and abs(pillar.spot.y - y) < reach
            ),
            default=0,
        )

    def hands(self) -> dict[Seat, list[Tile]]:
        """The tiles before each seat, in the order in which they were put there."""
        hands: dict[Seat, list[Tile]] = {seat: [] for seat in range(self.seats)}
        before: dict[int, Seat] = {}
        for pillar in self._pillars:
            seat = self._field.seat_at(pillar.spot, self.seats)
            if seat is not None:
                before.update((tile.number, seat) for tile in pillar.tiles)
        for tile in self.tiles:
            if tile.number in before:
                hands[before[tile.number]].append(tile)
        return hands

    # Actions of people and lifts

    def raise_column(self, spot: Spot, tiles: Iterable[Tile]) -> None:
        """Raise a column, bottom tile first. ImpossibleOrderError on an occupied spot."""
        if self.is_occupied(spot):
            raise ImpossibleOrderError(f"A wall cannot rise at {spot}: tiles stand there.")
        pillar = Pillar(spot)
        for tile in tiles:
            self.put(tile)
            pillar.tiles.append(tile)
        self._pillars.add(pillar)
        self.raised[spot] = tuple(pillar.tiles)

    def straighten(self, columns: Mapping[Spot, int]) -> None:
        """Make even walls of uneven ones by hand, before a tile is taken: spot to number of tiles.

        Every tile keeps its turn along its wall. Nothing is done if the walls are even, if a tile
        has been taken from them, or if their tiles are not as many as the columns need.
        """
        if {spot: len(tiles) for spot, tiles in self.raised.items()} == columns:
            return
        standing = all(self.lies_at(s, tile) for s, tiles in self.raised.items() for tile in tiles)
        if not standing or sum(map(len, self.raised.values())) != sum(columns.values()):
            return

        def turn(spot: Spot) -> int:
            """The number of the nearest column on the same side of the table."""
            return min(
                range(len(due)),
                key=lambda at: (
                    due[at].crossed != spot.crossed,
                    hypot(due[at].x - spot.x, due[at].y - spot.y),
                ),
            )

        due = list(columns)
        walls = sorted(self.raised, key=turn)
        tiles = [self.lift(tile) for spot in walls for tile in reversed(self.raised[spot])]
        self.raised.clear()
        for spot, height in columns.items():
            self.raise_column(spot, reversed([tiles.pop(0) for _ in range(height)]))

    def put_before(self, seat: Seat, tiles: Iterable[Tile]) -> None:
        """Put tiles in front of a seat, side by side, one high."""
        for tile in tiles:
            spot = self._free_spot_before(seat)
            self.put(tile)
            self._pillars.add(Pillar(spot, tiles=[tile]))

    def take_up(self, seat: Seat) -> list[Tile]:
        """Take up every tile in front of a seat."""
        self._row_used.pop(seat, None)
        return [self.lift(tile) for tile in self.hands()[seat]]

    def lay_in_middle(self, tile: Tile) -> None:
        """Lay a tile face up in the middle, on a free spot, or else on another tile."""
        tile.up = True
        free = (spot for spot in self._middle_spots if not self.is_occupied(spot))
        self.lay(next(free, None) or min(self._middle_spots, key=self.support_level), tile)
        self._middle.append(tile)

    def take_from_middle(self, face: Face) -> Tile:
        """Take the tile of that face that was laid in the middle last.

        Raises ImpossibleOrderError if there is none.
        """
        for tile in reversed(self._middle):
            if tile.face == face:
                self._middle.remove(tile)
                return self.lift(tile)
        raise ImpossibleOrderError(f"No {face} lies in the middle.")

    def lay(self, spot: Spot, tile: Tile) -> None:
        """Lay a tile by hand on top of the tiles at a spot."""
        self.set_down((spot,), self.support_level(spot), [[tile]])

    def lift(self, tile: Tile) -> Tile:
        """Take one tile away by hand, from any place; tiles on it sink down."""
        pillar = self._pillar_of(tile)
        pillar.tiles.remove(tile)
        if not pillar.tiles:
            self._pillars.remove(pillar)
        for other in self._pillars:
            other.under = tuple(below for below in other.under if below.tiles)
        return self.take(tile)

    def turn_over(self, tile: Tile) -> None:
        """Turn a tile over in place, by hand or by the flipper."""
        self._pillar_of(tile)
        tile.up = not tile.up

    def top_tile(self, spot: Spot) -> Tile:
        """The uppermost tile at a spot. Raises ImpossibleOrderError if there is none."""
        found = [p for p in self._near(spot) if self._same(p.spot, spot)]
        if not found:
            raise ImpossibleOrderError(f"No tile lies at {spot}.")
        return max(found, key=lambda pillar: pillar.top).tiles[-1]

    def lies_at(self, spot: Spot, tile: Tile) -> bool:
        """Whether this tile lies at this spot."""
        return any(self._same(p.spot, spot) and tile in p.tiles for p in self._near(spot))

    def was_in_wall(self, tile: Tile) -> bool:
        """Whether a tile was part of a wall, independent of its present place."""
        return any(tile in column for column in self.raised.values())

    def sweep(self) -> list[Tile]:
        """Take all tiles off the felt, as when the players push the played set in."""
        swept = list(self.tiles)
        for tile in swept:
            self.take(tile)
        self._pillars.clear()
        self._row_used.clear()
        self._middle.clear()
        self.raised.clear()
        self.on_sweep()
        return swept

    # Actions of the gripper

    def grip(self, centres: tuple[Spot, ...], level: int, max_levels: int) -> list[list[Tile]]:
        """Take a block out: for each column, the tiles from `level` up, bottom first.

        Empty if no tile lies between the jaws. Raises ImpossibleOrderError for one column in jaws
        set for two, more than `max_levels` levels, or tiles on which others rest.
        """
        columns = [self._pillar_to_grip(spot, level) for spot in centres]
        if not any(columns):
            return []
        if not all(columns):
            raise ImpossibleOrderError("The wide jaws closed on one column; it slips out of them.")
        held = [pillar for pillar in columns if pillar is not None]
        for pillar in held:
            resting = [above for above in self._pillars if pillar in above.under]
            if resting:
                raise ImpossibleOrderError(
                    f"{resting[0].tiles[0]} lies across the column at {pillar.spot}."
                )
            if pillar.top - level > max_levels:
                raise ImpossibleOrderError(
                    f"The gripper takes at most {max_levels} levels; got {pillar.top - level}."
                )
        block = []
        for pillar in held:
            block.append([self.take(tile) for tile in pillar.tiles[level - pillar.base :]])
            del pillar.tiles[level - pillar.base :]
            if not pillar.tiles:
                self._pillars.remove(pillar)
        return block

    def set_down(self, centres: tuple[Spot, ...], level: int, block: list[list[Tile]]) -> None:
        """Put a block's columns down with their lowest tiles on `level`.

        Raises ImpossibleOrderError, with nothing moved, if that level is in the air or in tiles.
        """
        for spot in centres:
            support = self.support_level(spot)
            if support != level:
                where = "in the air" if support < level else "inside other tiles"
                raise ImpossibleOrderError(
                    f"A block set down on level {level} at {spot} would be {where}"
                    f" (the support is level {support})."
                )
        landing = [self._target_pillar(spot, level) for spot in centres]
        for pillar, column in zip(landing, block, strict=True):
            if pillar not in self._pillars:
                self._pillars.add(pillar)
            for tile in column:
                self.put(tile)
                pillar.tiles.append(tile)

    def _target_pillar(self, spot: Spot, level: int) -> Pillar:
        below = [p for p in self._near(spot) if self._overlaps(p.spot, spot) and p.top == level]
        for pillar in below:
            if self._same(pillar.spot, spot) and pillar.spot.crossed == spot.crossed:
                return pillar
        return Pillar(spot, base=level, under=tuple(below) if level else ())

    def _near(self, spot: Spot) -> list[Pillar]:
        return self._pillars.near(spot.x, spot.y)

    def _pillar_to_grip(self, spot: Spot, level: int) -> Pillar | None:
        for pillar in self._near(spot):
            if (
                self._same(pillar.spot, spot)
                and pillar.spot.crossed == spot.crossed
                and pillar.base <= level < pillar.top
            ):
                return pillar
        return None

    def _pillar_of(self, tile: Tile) -> Pillar:
        for pillar in self._pillars:
            if tile in pillar.tiles:
                return pillar
        raise ImpossibleOrderError(f"{tile} does not lie on the felt.")

    def _free_spot_before(self, seat: Seat) -> Spot:
        """The next free spot of a seat's rows, from the right."""
        field, width = self._field, self._field.pitch + AIR
        begun = self._row_used.get(seat, 0.0)
        while True:
            begun = field.room(seat, self.seats, begun, width)
            spot = field.hand(seat, self.seats, begun + width / 2)
            begun += width
            if not self.is_occupied(spot):
                self._row_used[seat] = begun
                return spot

    @staticmethod
    def _same(one: Spot, other: Spot) -> bool:
        return abs(one.x - other.x) <= TOLERANCE and abs(one.y - other.y) <= TOLERANCE

    def _overlaps(self, one: Spot, other: Spot) -> bool:
        wide, deep = self._overlap_limits[one.crossed, other.crossed]
        return abs(one.x - other.x) < wide and abs(one.y - other.y) < deep


def _overlap_limits_of(field: Field) -> dict[tuple[bool, bool], tuple[float, float]]:
    """The distances in x and y within which two tiles overlap, by whether each lies crossed."""
    along, across = field.pitch, field.tile_length
    extent = {False: (along, across), True: (across, along)}
    return {
        (one, other): (
            (extent[one][0] + extent[other][0]) / 2 - _OVERLAP_TOLERANCE,
            (extent[one][1] + extent[other][1]) / 2 - _OVERLAP_TOLERANCE,
        )
        for one in extent
        for other in extent
    }


def _ignore() -> None:
    """Do nothing: the default action after the felt was swept."""
