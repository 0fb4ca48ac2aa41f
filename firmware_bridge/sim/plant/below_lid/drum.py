"""The drum: an inclined turntable that stirs a set until the heads have taken every tile.

How well it mixes is the model of `config.layout.mixing`: the order of the picks depends on the heap
with which each tile fell in, and on the seconds of stirring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from config.layout.mixing import SIDES, heaps_of, mixing_state, order_of_picks, pan_motion
from config.schema import DrumModule
from firmware_bridge.sim.plant.floor import Floor
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World

IDLE_MA, TILE_MA = 900.0, 4.0
"""Motor current when empty, and in addition for each tile, milliamperes (our values)."""


class Drum:
    """The drum. Its magnets turn every tile face down; while it turns, wheels pick tiles out.

    The tiles that each wheel picks are determined when the first tile is picked after a set fell
    in: all tiles, in one random order, are assigned to the wheels in turn. The faces that a wheel
    gets therefore do not depend on which wheel was a millisecond earlier, which differs between
    kinds of boards. For the same reason the order depends on the nearest whole second of stirring.
    """

    def __init__(self, world: World, module: DrumModule, floor: Floor) -> None:
        self.well = Holder("drum")
        self.channels = frozenset({module.motor})
        self.holders = (self.well,)
        self.stirring = False
        self.reversing = False
        self._floor = floor
        self._module = module
        self._world = world
        self._chance = world.stream("drum")
        self._heads: list[Callable[[], None]] = []
        self._on_set: list[Callable[[], None]] = []
        self._wheel_of: dict[Tile, int] = {}
        """The wheel to which a tile is assigned; the tiles' order is that of the well."""
        self._fallen: dict[Tile, int] = {}
        """The heap with which each tile fell in, until the first pick."""
        self._stirred = 0.0
        """Seconds of stirring since the set fell in, without those that still run."""
        self._since = 0.0
        """The time at which the stirring last began."""

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
        if self.stirring:
            self._stirred += self._world.now - self._since
        self._since = self._world.now
        self.stirring = value != 0
        self.reversing = value < 0
        self._notify_heads()

    def current(self) -> float:
        """Its motor's current, milliamperes, which grows with the number of tiles."""
        return (IDLE_MA + TILE_MA * len(self)) if self.stirring else 0.0

    def has_room(self, more: int) -> bool:
        """Whether `more` tiles fit."""
        return len(self) + more <= self._module.capacity

    def check_room(self, more: int) -> None:
        """Raise ImpossibleOrderError if `more` tiles do not fit."""
        capacity = self._module.capacity
        if not self.has_room(more):
            raise ImpossibleOrderError(
                f"The drum has {len(self)} of {capacity} tiles; {more} more do not fit."
            )

    def pour(self, tiles: Iterable[Tile]) -> None:
        """Put in a set through the open lid; injected faults may change the set."""
        for begin in self._on_set:
            begin()
        fallen = self._floor.apply_faults(list(tiles), self.give)
        # Tiles that were left in the drum lie anywhere.
        self._fallen = {tile: at % SIDES for at, tile in enumerate(self.well.tiles)}
        self._fallen |= dict(zip(fallen, heaps_of(len(fallen)), strict=True))
        for tile in fallen:
            self._lay(tile)
        self._stirred, self._since = 0.0, self._world.now
        self._notify_heads()

    def give(self, *tiles: Tile) -> None:
        """Put in single tiles: with the set if no tile of it is picked yet, else behind the others.

        A tile that comes later is assigned to the wheel with the fewest tiles.
        """
        for tile in tiles:
            if self._fallen:
                self._fallen[tile] = self._chance.randrange(SIDES)
            else:
                fewest = min(self._wheels, key=lambda wheel: len(self._tiles_of(wheel)))
                self._wheel_of[tile] = fewest
            self._lay(tile)
        self._notify_heads()

    def pick(self, wheel: int) -> Tile:
        """The next tile that a wheel picks; the drum must not be empty.

        A wheel without tiles takes the last tile of the wheel that has most, so that the earlier
        tiles of the other wheels stay the same.
        """
        self._assign()
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
        """Assign all tiles to the wheels in turn, in a random order, if that is still to do."""
        if not self._fallen:
            return
        running = self._world.now - self._since if self.stirring else 0.0
        state = mixing_state(
            pan_motion(self._module, len(self._fallen)), round(self._stirred + running)
        )
        # A tile that a person has taken out keeps its place, so that the others keep their wheels.
        order = order_of_picks(list(self._fallen.items()), state, self._chance)
        self._fallen = {}
        self.well.tiles[:] = [tile for tile in order if tile.holder is self.well]
        for place, tile in enumerate(order):
            self._wheel_of[tile] = place % len(self._wheels)

    def _notify_heads(self) -> None:
        for head in self._heads:
            head()
