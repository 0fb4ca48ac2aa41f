"""Surroundings of the table: the floor, and a box of spare tiles that belong to none of its sets.

A lost tile is on the floor. A tile that people push in with a set by mistake is from the spare box.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from firmware_bridge.sim.plant.tiles import Holder, Tile, exchange
from firmware_bridge.sim.plant.world import World

FOREIGN_LENGTH = 1.25
"""Length of a foreign tile, in lengths of the table's own."""
SPARE = 12
"""The number of twins and of foreign tiles in the spare box."""
FOREIGN = "foreign"
"""The face of every tile of another set."""


class Floor:
    """Tiles that are not in the machine; injects the faults of pushing a set in."""

    channels: frozenset[str] = frozenset()

    def __init__(self, world: World) -> None:
        self.fallen = Holder("floor")
        self.spare = Holder("spare box")
        self.holders = (self.fallen, self.spare)
        self._world = world
        self._own = 0
        """The number of the table's own tiles, which have the lowest tag numbers."""
        self._chance = world.injected_faults.stream("floor")

    def stock(self, first: int, faces: tuple[str, ...]) -> list[Tile]:
        """Fill the spare box for injected faults: twins of the set's tiles, and foreign tiles.

        Their numbers begin at `first`, so that a twin's tag number gives its face.
        """
        tiles: list[Tile] = []
        self._own = first
        if not faces:
            return tiles
        if any(map(self._world.injected_faults.has_kind, ("extra_tile", "added_tile"))):
            numbers = range(first, first + SPARE)
            tiles += [Tile(number, 0, faces[number % len(faces)]) for number in numbers]
        if self._world.injected_faults.has_kind("foreign_tile"):
            numbers = range(first + len(tiles), first + len(tiles) + SPARE)
            tiles += [
                Tile(number, 2, FOREIGN, relative_length=FOREIGN_LENGTH) for number in numbers
            ]
        for tile in tiles:
            self.spare.put(tile)
        return tiles

    def reset_sensors(self) -> None:
        """Do nothing: the floor has no sensor."""

    def output(self, channel: str, value: int) -> None:
        """Do nothing: the floor has no outputs."""

    def apply_faults(self, tiles: list[Tile], give: Callable[[Tile], None]) -> list[Tile]:
        """Apply injected faults to a set; `give` puts a tile found later into the drum."""
        injected_faults = self._world.injected_faults
        if tiles and injected_faults.on_occasion("missing_tile", "drum"):
            lost = tiles.pop(self._chance.randrange(len(tiles)))
            self.fallen.put(lost)
            injected_faults.activate("missing_tile", "drum", partial(self._give_fallen, give))
        if injected_faults.on_occasion("extra_tile", "drum") and (
            twin := self._find(foreign=False)
        ):
            tiles.append(self.spare.take(twin))
            self._exceed("extra_tile", twin)
        if injected_faults.on_occasion("foreign_tile", "drum"):
            self._swap_in_foreign(tiles)
        return tiles

    def add(self, give: Callable[[Tile], None]) -> None:
        """Put a twin from the spare box into the drum by `give`, as a person can at any moment."""
        if twin := self._find(foreign=False):
            give(self.spare.take(twin))
            self._exceed("added_tile", twin)

    def _exceed(self, kind: str, twin: Tile) -> None:
        """Note that a twin is too many in the machine, until a person puts it away."""
        put_away = partial(self._put_away, kind, twin)
        self._world.injected_faults.activate(kind, "drum", put_away)

    def _swap_in_foreign(self, tiles: list[Tile]) -> None:
        """Exchange one of the set's tiles with a foreign tile from the box."""
        places = [at for at, tile in enumerate(tiles) if tile.number < self._own]
        other = self._find(foreign=True)
        if not places or other is None:
            return
        at = places[self._chance.randrange(len(places))]
        own, tiles[at] = tiles[at], self.spare.take(other)
        self.spare.put(own)
        # A person puts the right tile where the foreign tile lies, so that no wall has a gap.
        put_right = partial(exchange, other, own)
        self._world.injected_faults.activate("foreign_tile", "drum", put_right)

    def _find(self, *, foreign: bool) -> Tile | None:
        for tile in self.spare.tiles:
            if tile.number >= self._own and (tile.face == FOREIGN) is foreign:
                return tile
        return None

    def _give_fallen(self, give: Callable[[Tile], None]) -> None:
        """Put all tiles on the floor into the drum."""
        for tile in list(self.fallen.tiles):
            give(self.fallen.take(tile))

    def _put_away(self, kind: str, twin: Tile) -> None:
        """Put the twin back into its box; if it was counted, a left-over tile replaces it.

        Without a left-over tile the number of tiles is right, so the twin stays in the set.
        """
        left = sorted(self._world.uncounted(), key=lambda tile: tile.set != twin.set)
        if not left:
            self._exceed(kind, twin)
        elif twin in left:
            self.spare.put(self._world.take_out(twin))
        else:
            exchange(twin, left[0])
            self.spare.put(self._world.take_out(left[0]))
