"""Coordinates on the playing field: wall columns, hands, parking places for blocks of tiles.

The motion planner and the simulated plant use the same coordinates, in metres. The origin is the
field's centre, x points to the right of seat 0, y away from seat 0. Seat 0 is at the bottom, seat 1
at the right, and so on counter-clockwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from config.schema import Table, TileSize
from rules.geometry import Seat

_RIGHT = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
"""For each side, the direction to its owner's right."""
_FORWARD = ((0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0))
"""For each side, the direction from its owner to the centre."""

AIR = 0.002
"""Distance between two tiles that players lay down by hand, metres (ours)."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The centre of one column of tiles; `crossed` is true if its row runs along y."""

    x: float
    y: float
    crossed: bool

    def moved(self, right: float, forward: float, side: int) -> Spot:
        """Returns the spot moved to the right and forward, seen from that side, in metres."""
        (rx, ry), (fx, fy) = _RIGHT[side], _FORWARD[side]
        return Spot(
            round(self.x + rx * right + fx * forward, 6),
            round(self.y + ry * right + fy * forward, 6),
            self.crossed,
        )


@dataclass(frozen=True)
class Field:
    """Coordinates for one table and one size of tile."""

    table: Table
    tile: TileSize

    @property
    def pitch(self) -> float:
        """Distance between neighbouring columns, metres: a tile's width."""
        return self.tile.width_mm / 1000

    @property
    def tile_height(self) -> float:
        return self.tile.height_mm / 1000

    @property
    def tile_length(self) -> float:
        return self.tile.length_mm / 1000

    def wall(self, side: int, column: int, columns: int) -> Spot:
        """Column `column` (from the owner's right) of a raised wall of `columns` columns."""
        right = ((columns + 1) / 2 - column) * self.pitch
        return self._origin(side, self.table.field.wall_distance).moved(right, 0, side)

    def hand(self, seat: Seat, seats: int, offset: float) -> Spot:
        """A spot of a seat's delivery place, `offset` metres to the left of its right end.

        A full row continues in a second row in front of it.
        """
        side, shift, half = self._seat(seat, seats)
        row, along = divmod(offset, 2 * half)
        spot = self._origin(side, self.table.field.hand_distance)
        return spot.moved(shift + half - along, row * (self.tile_length + AIR), side)

    def room(self, seat: Seat, seats: int, begun: float, width: float) -> float:
        """Offset at which a block of `width` begins in a hand that is `begun` long, metres.

        A block is never divided between two rows.
        """
        breadth = 2 * self._seat(seat, seats)[2]
        row, along = divmod(begun, breadth)
        return begun if along + width <= breadth else (row + 1) * breadth

    def hand_side(self, seat: Seat, seats: int) -> int:
        """The side of the table with a seat's delivery place."""
        return self._seat(seat, seats)[0]

    def half_row(self, seat: Seat, seats: int) -> float:
        """Half the length of a row of a seat's delivery place, metres."""
        return self._seat(seat, seats)[2]

    def seat_at(self, spot: Spot, seats: int) -> Seat | None:
        """The seat whose delivery place contains a spot, or None for a spot nearer the centre."""
        edge = self.table.field.hand_distance - 1.5 * self.tile_length
        for seat in range(seats):
            side, shift, half = self._seat(seat, seats)
            (rx, ry), (fx, fy) = _RIGHT[side], _FORWARD[side]
            out, along = -(spot.x * fx + spot.y * fy), spot.x * rx + spot.y * ry
            if out > edge and shift - half <= along <= shift + half:
                return seat
        return None

    @property
    def parkings(self) -> int:
        """The number of parking places between the walls."""
        return 9

    def parking(self, number: int) -> Spot:
        """The n-th parking place on the lid, from 0, for a waiting block of at most two columns."""
        row, column = divmod(number, 3)
        return Spot((column - 1) * 4 * self.pitch, (row - 0.5) * 1.5 * self.tile_length, False)

    def middle(self) -> tuple[Spot, ...]:
        """The spots where players lay open tiles, from the centre outwards.

        They are in rows inside the walls, clear of the parking places.
        """
        inside = self.table.field.wall_distance - 1.5 * self.tile_length
        across, along = self.pitch + AIR, self.tile_length + AIR
        parked = [self.parking(number) for number in range(self.parkings)]
        columns, rows = int(inside / across), int(inside / along)
        spots = [
            Spot(round(column * across, 6), round(row * along, 6), False)
            for row in range(-rows, rows + 1)
            for column in range(-columns, columns + 1)
        ]
        free = [
            spot
            for spot in spots
            if not any(
                abs(spot.x - other.x) < 2 * self.pitch and abs(spot.y - other.y) < self.tile_length
                for other in parked
            )
        ]
        return tuple(sorted(free, key=lambda spot: (abs(spot.y), abs(spot.x), spot.y, spot.x)))

    def _origin(self, side: int, distance: float) -> Spot:
        fx, fy = _FORWARD[side]
        return Spot(round(-fx * distance, 6), round(-fy * distance, 6), side % 2 == 1)

    def _seat(self, seat: Seat, seats: int) -> tuple[int, float, float]:
        """A seat's side, its shift to the right of the side's middle, and half its width.

        Hands do not extend into a corner, where they would belong to two sides.
        """
        free = self.table.field.hand_distance - 0.1
        if seats <= 4:
            return (seat * 2 if seats == 2 else seat), 0.0, free
        side, second = divmod(seat, 2)
        return side, (free / 2 + 0.01) * (1 if second else -1), free / 2 - 0.01
