"""The drum: an inclined turntable in which a set is stirred until the heads have taken it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from config.schema import Drum as DrumModule
from firmware_bridge.sim.plant.floor import Floor
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World

IDLE_MA, TILE_MA = 900.0, 4.0
"""What its motor draws empty, and for each tile that it stirs (ours)."""


class Drum:
    """Its magnets turn every tile face down; while it turns, wheels pick them out.

    What each wheel finds is settled when a set falls in: all the tiles, in one random order, come
    to lie before the wheels in turn. So the faces that a wheel gets do not hang on whether it or
    its neighbour was a millisecond earlier, which differs from board to board.
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
        self._before: dict[Tile, int] = {}
        """The wheel before which a tile lies, or lay last; its order there is that of the well."""

    def __len__(self) -> int:
        return len(self.well)

    def notify(self, head: Callable[[], None]) -> None:
        """Call a head whenever the drum starts, stops, or is filled; the first is wheel 0."""
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
            raise ImpossibleOrderError(
                f"The drum holds {self._capacity} tiles: {more} do not fit to its {len(self)}."
            )

    def pour(self, tiles: Iterable[Tile]) -> None:
        """A set falls in, through the open lid: all of it, if nobody was clumsy."""
        for tile in self._floor.mishandled(list(tiles), self.give):
            self._lay(tile)
        self._mix()
        self._tell()

    def give(self, *tiles: Tile) -> None:
        """Single tiles come to lie in the drum, behind those of the wheel that has the fewest."""
        for tile in tiles:
            self._before[tile] = min(self._wheels, key=lambda wheel: len(self._share(wheel)))
            self._lay(tile)
        self._tell()

    def pick(self, wheel: int) -> Tile:
        """The next tile that a wheel gets hold of; there must be one.

        A wheel that has used up its share takes from the largest one left, and there the last:
        what the others find before that stays the same.
        """
        if share := self._share(wheel):
            return self.well.take(share[0])
        return self.well.take(max(map(self._share, self._wheels), key=len)[-1])

    @property
    def _wheels(self) -> range:
        return range(max(1, len(self._heads)))

    def _share(self, wheel: int) -> list[Tile]:
        return [tile for tile in self.well.tiles if self._before[tile] == wheel]

    def _lay(self, tile: Tile) -> None:
        tile.up = False
        self.well.put(tile)

    def _mix(self) -> None:
        """Everything that lies here comes to lie in a new order before the wheels in turn."""
        # How they were pushed in, and what was left from before, must not matter.
        self.well.tiles.sort(key=lambda tile: tile.number)
        self._chance.shuffle(self.well.tiles)
        for place, tile in enumerate(self.well.tiles):
            self._before[tile] = place % len(self._wheels)

    def _tell(self) -> None:
        for head in self._heads:
            head()
