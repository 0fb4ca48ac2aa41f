"""The drum: an inclined turntable that stirs a set until the heads have taken every tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from config.schema import DrumModule
from firmware_bridge.sim.plant.floor import Floor
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World

IDLE_MA, TILE_MA = 900.0, 4.0
"""Motor current when empty, and in addition for each tile, milliamperes (our values)."""


class Drum:
    """The drum. Its magnets turn every tile face down; while it turns, wheels pick tiles out.

    The tiles that each wheel picks are determined when a set falls in: all tiles, in one random
    order, are assigned to the wheels in turn. The faces that a wheel gets therefore do not depend
    on which wheel was a millisecond earlier, which differs between kinds of boards.
    """

    def __init__(self, world: World, module: DrumModule, floor: Floor) -> None:
        self.well = Holder("drum")
        self.channels = frozenset({module.motor})
        self.holders = (self.well,)
        self.stirring = False
        self.reversing = False
        self._floor = floor
        self._capacity = module.capacity
        self._chance = world.stream("drum")
        self._heads: list[Callable[[], None]] = []
        self._on_set: list[Callable[[], None]] = []
        self._wheel_of: dict[Tile, int] = {}
        """The wheel to which a tile is assigned; the tiles' order is that of the well."""

    def __len__(self) -> int:
        return len(self.well)

    def subscribe(self, head: Callable[[], None]) -> None:
        """Call a head whenever the drum starts, stops, or is filled; the first head has wheel 0."""
        self._heads.append(head)

    def on_set(self, begin: Callable[[], None]) -> None:
        """Call `begin` before each set is put in."""
        self._on_set.append(begin)

    def reset_sensors(self) -> None:
        """Do nothing: the drum has no sensor."""

    def output(self, channel: str, value: int) -> None:
        self.stirring = value != 0
        self.reversing = value < 0
        self._notify_heads()

    def current(self) -> float:
        """Its motor's current, milliamperes, which grows with the number of tiles."""
        return (IDLE_MA + TILE_MA * len(self)) if self.stirring else 0.0

    def check_room(self, more: int) -> None:
        """Raise ImpossibleOrderError if `more` tiles do not fit."""
        if len(self) + more > self._capacity:
            raise ImpossibleOrderError(
                f"The drum has {len(self)} of {self._capacity} tiles; {more} more do not fit."
            )

    def pour(self, tiles: Iterable[Tile]) -> None:
        """Put in a set through the open lid; injected faults may change the set."""
        for begin in self._on_set:
            begin()
        for tile in self._floor.apply_faults(list(tiles), self.give):
            self._lay(tile)
        self._assign()
        self._notify_heads()

    def give(self, *tiles: Tile) -> None:
        """Put in single tiles, behind those of the wheel that has the fewest."""
        for tile in tiles:
            self._wheel_of[tile] = min(self._wheels, key=lambda wheel: len(self._tiles_of(wheel)))
            self._lay(tile)
        self._notify_heads()

    def pick(self, wheel: int) -> Tile:
        """The next tile that a wheel picks; the drum must not be empty.

        A wheel without tiles takes the last tile of the wheel that has most, so that the earlier
        tiles of the other wheels stay the same.
        """
        if share := self._tiles_of(wheel):
            return self.well.take(share[0])
        return self.well.take(max(map(self._tiles_of, self._wheels), key=len)[-1])

    @property
    def _wheels(self) -> range:
        return range(max(1, len(self._heads)))

    def _tiles_of(self, wheel: int) -> list[Tile]:
        return [tile for tile in self.well.tiles if self._wheel_of[tile] == wheel]

    def _lay(self, tile: Tile) -> None:
        tile.up = False
        self.well.put(tile)

    def _assign(self) -> None:
        """Assign all tiles to the wheels in turn, in a new random order."""
        # The order must not depend on how they were pushed in, or on tiles left from before.
        self.well.tiles.sort(key=lambda tile: tile.number)
        self._chance.shuffle(self.well.tiles)
        for place, tile in enumerate(self.well.tiles):
            self._wheel_of[tile] = place % len(self._wheels)

    def _notify_heads(self) -> None:
        for head in self._heads:
            head()
