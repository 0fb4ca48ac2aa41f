"""The drum: an inclined turntable in which a set is stirred until the heads have taken it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from config.schema import Drum as DrumModule
from firmware_bridge.sim.plant.floor import Floor
from firmware_bridge.sim.plant.tiles import Holder, Impossible, Tile
from firmware_bridge.sim.plant.world import World

IDLE_MA, TILE_MA = 900.0, 4.0
"""What its motor draws empty, and for each tile that it stirs (ours)."""


class Drum:
    """Its magnets turn every tile face down; while it turns, wheels can pick any of them."""

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

    def __len__(self) -> int:
        return len(self.well)

    def notify(self, head: Callable[[], None]) -> None:
        """Call a head whenever the drum starts, stops, or is filled."""
        self._heads.append(head)

    def rest(self) -> None:
        """Nothing to tell: the drum has no sensor."""

    def output(self, channel: str, value: int) -> None:
        self.stirring = value != 0
        self.reversing = value < 0
        self._tell()

    def current(self) -> float:
        """What its motor draws, milliamperes: the more, the more it has to stir."""
        return (IDLE_MA + TILE_MA * len(self)) if self.stirring else 0.0

    def check_room(self, more: int) -> None:
        """Raises Impossible if so many tiles more do not fit."""
        if len(self) + more > self._capacity:
            raise Impossible(
                f"The drum holds {self._capacity} tiles: {more} do not fit to its {len(self)}."
            )

    def pour(self, tiles: Iterable[Tile]) -> None:
        """A set falls in, through the open lid: all of it, if nobody was clumsy."""
        self.give(*self._floor.mishandled(list(tiles), self.give))

    def give(self, *tiles: Tile) -> None:
        """Tiles come to lie in the drum."""
        for tile in tiles:
            tile.up = False
            self.well.put(tile)
        self._tell()

    def pick(self) -> Tile:
        """The next tile that a wheel gets hold of; there must be one."""
        return self.well.take(self._chance.choice(self.well.tiles))

    def _tell(self) -> None:
        for head in self._heads:
            head()
