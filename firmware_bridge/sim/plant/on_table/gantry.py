"""The gantry: jaws that move over the field and down, grip a block, turn it and set it down.

The boards control it by its channels. An operation that the mechanism cannot do raises an
`ImpossibleOrderError`. Heights are levels of tiles; the z axis is the height of the jaws' lower
edge.
"""

from __future__ import annotations

from collections.abc import Callable

from config.layout.field import Field, Spot
from config.schema import GantryModule, ReaderModule
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile

Sense = Callable[[str, bool], None]
Later = Callable[[float, Callable[[], None]], None]

DROPPED = "dropped_tile"
"""The injected fault of a block that slips out of the jaws."""


class Gantry:
    """The mechanism behind the channels of `Modules.gantry` and its reader.

    `sense` reports a sensor's change; `later` calls a function after a number of seconds.
    """

    def __init__(
        self,
        module: GantryModule,
        reader: ReaderModule | None,
        field: Field,
        felt: Felt,
        sense: Sense,
        later: Later,
        injected_faults: InjectedFaults,
    ) -> None:
        self.held = Holder("gripper")
        self._module = module
        self._reader = reader
        self._field = field
        self._felt = felt
        self._sense = sense
        self._later = later
        self._injected_faults = injected_faults
        self._block: list[list[Tile]] = []
        self._gripped_at: tuple[Spot, ...] = ()
        """The place where the block was gripped."""
        self._carried_off = False
        self._dropped: set[Tile] = set()
        """The tiles of a dropped block, until they are taken up or put back."""
        self._distances: dict[str, float] = {}
        """The distance that each moving axis has to travel, metres."""
        self._at = {module.x: 0.0, module.y: 0.0, module.z: 0.0}
        self._wide = False
        self._crossed = False
        self._running: dict[str, int] = {}
        self._ends = {
            module.grip: (module.gripped, module.released, module.grip_seconds),
            module.turn: (module.crossed, module.straight, module.turn_seconds),
        }
        if module.turner and module.turner_over and module.turner_home:
            self._ends[module.turner] = (
                module.turner_over,
                module.turner_home,
                module.turn_seconds,
            )
        self._at_end = dict.fromkeys(self._ends, -1)
        self._actions: dict[str, Callable[[bool], None]] = {
            module.grip: self._grip,
            module.turn: self._turn,
            module.turner or "": self._turn_over,
        }

    @property
    def channels(self) -> frozenset[str]:
        """Every output, motor, axis and reader of the gantry."""
        reader = {self._reader.unit} if self._reader else set()
        return frozenset({*self._at, *self._ends, self._module.wide, *reader})

    def reset_sensors(self) -> None:
        """Set the sensors to the state at power-on: jaws open, straight, empty."""
        for over, home, _ in self._ends.values():
            self._sense(over, False)
            self._sense(home, True)
        self._sense(self._module.loaded, False)

    def output(self, channel: str, value: int) -> None:
        """Process the new value of a motor or output. Raises ImpossibleOrderError."""
        if channel == self._module.wide:
            self._set_wide(bool(value))
            return
        self._running[channel] = self._running.get(channel, 0) + 1
        if value:
            self._run(channel, 1 if value > 0 else -1, self._running[channel])

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        """Begin to move an axis. ImpossibleOrderError if that drags the jaws through tiles."""
        self._at[axis] = start
        self._distances[axis] = target - start
        if axis != self._module.z and start != target and self._among_tiles():
            raise ImpossibleOrderError(
                f"{axis} cannot move: the jaws are down among the tiles at"
                f" ({self._x:.3f}, {self._y:.3f})."
            )
        if axis != self._module.z and start != target and self._block and not self._carried_off:
            self._carried_off = True
            self._carry_off(seconds)

    def axis_ends(self, axis: str, position: float) -> None:
        """Stop an axis. Raises ImpossibleOrderError if the held block hit something."""
        self._at[axis] = position
        self._distances.pop(axis, None)
        if self._block and any(
            self._felt.support_level(spot) > self._level + 0.5 for spot in self._spots()
        ):
            raise ImpossibleOrderError(
                f"The held block ran into tiles at ({self._x:.3f}, {self._y:.3f})."
            )

    def tag(self) -> int | None:
        """The tag of the lowest tile of the first column in the jaws; None if they are empty."""
        number = self._block[0][0].number if self._block else None
        if self._injected_faults.on_occasion("misread", "reader"):
            chance = self._injected_faults.stream(f"reader {len(self._injected_faults.occurred)}")
            return None if number is None or chance.random() < 0.5 else self._other_tag(number)
        return number

    def _other_tag(self, number: int) -> int:
        """The tag that a misread gives for this one: the same as long as the same tiles lie here.

        A reader that reads a neighbour instead of the tile in the jaws reads it again.
        """
        others = [tile.number for tile in self._felt.tiles]
        return others[number % len(others)] if others else number ^ 1

    # Movements that end at a sensor

    def _run(self, motor: str, direction: int, run: int) -> None:
        over, home, seconds = self._ends[motor]
        if self._at_end[motor] == direction:
            return
        self._sense(home if direction > 0 else over, False)
        self._at_end[motor] = 0

        def arrive() -> None:
            if self._running[motor] != run:
                return
            self._at_end[motor] = direction
            self._actions[motor](direction > 0)
            self._sense(over if direction > 0 else home, True)

        self._later(seconds, arrive)

    def _grip(self, close: bool) -> None:
        spots = self._spots()
        if close:
            if self._block:
                raise ImpossibleOrderError("The jaws are closed on a block already.")
            self._block = self._gripped(spots)
            self._gripped_at, self._carried_off = spots, False
            for column in self._block:
                for tile in column:
                    self.held.put(tile)
            self._sense(self._module.loaded, bool(self._block))
        elif self._block:
            for tile in list(self.held.tiles):
                self.held.take(tile)
            try:
                self._felt.set_down(spots, round(self._level), self._block)
            except ImpossibleOrderError:
                for column in self._block:
                    for tile in column:
                        self.held.put(tile)
                raise
            self._block = []
            self._sense(self._module.loaded, False)

    def _gripped(self, spots: tuple[Spot, ...]) -> list[list[Tile]]:
        """Grip a block.

        While a dropped block has not been put back, a bad grip slips off and holds nothing: no
        sensor shows where the tiles lie, so the command was not wrong.
        """
        try:
            block = self._felt.grip(spots, round(self._level), self._module.levels)
        except ImpossibleOrderError:
            if (DROPPED, "gripper") not in self._injected_faults.active:
                raise
            return []
        if any(tile in self._dropped for column in block for tile in column):
            self._forget_dropped()
        return block

    def _turn(self, crossed: bool) -> None:
        if not self._block and self._among_tiles():
            raise ImpossibleOrderError("The jaws cannot turn while they are down among the tiles.")
        self._crossed = crossed

    def _turn_over(self, over: bool) -> None:
        if not over:
            return
        if len(self.held) != 1:
            raise ImpossibleOrderError(
                f"The turner turns one tile, and the jaws hold {len(self.held)}."
            )
        tile = self.held.tiles[0]
        tile.up = not tile.up

    def _set_wide(self, wide: bool) -> None:
        """Set the jaws' width; no effect while they hold a block, which a lost lease keeps held."""
        if not self._block:
            self._wide = wide

    def put_in(self, tile: Tile) -> None:
        """Put a tile between the empty jaws by hand."""
        self._block = [[tile]]
        self.held.put(tile)
        self._sense(self._module.loaded, True)

    def take_out(self, tile: Tile) -> Tile:
        """Take a tile out of the jaws by hand."""
        for column in self._block:
            if tile in column:
                column.remove(tile)
        self._block = [column for column in self._block if column]
        self._sense(self._module.loaded, bool(self._block))
        return self.held.take(tile)

    # Injected faults

    def _carry_off(self, seconds: float) -> None:
        """Count the occasion of a carry; an injected fault drops the block at once, or later."""
        if not self._injected_faults.on_occasion(DROPPED, "gripper"):
            return
        chance = self._injected_faults.stream(f"gripper {len(self._injected_faults.occurred)}")
        share = chance.choice((0.0, chance.uniform(0.3, 0.7)))
        self._later(share * seconds, lambda: self._drop(share))

    def _drop(self, share: float) -> None:
        """Drop the held block after this `share` of its way; 0.0 drops it where it was gripped."""
        spots = self._gripped_at if share == 0.0 else self._spots(share)
        fallen: list[tuple[Tile, Spot, Spot]] = []
        for home, spot, column in zip(self._gripped_at, spots, self._block, strict=False):
            for tile in column:
                self._felt.lay(spot, self.held.take(tile))
                fallen.append((tile, spot, home))
        self._block = []
        self._sense(self._module.loaded, False)

        def put_back() -> None:
            # Take up the whole block first: remaining tiles would support those that are laid back.
            lying = [(tile, home) for tile, spot, home in fallen if self._felt.lies_at(spot, tile)]
            for tile, _ in lying:
                self._felt.lift(tile)
            for tile, home in lying:
                self._felt.lay(home, tile)

        if fallen:
            self._dropped = {tile for tile, _, _ in fallen}
            self._felt.on_sweep = self._forget_dropped
            self._injected_faults.activate(DROPPED, "gripper", put_back)

    def _forget_dropped(self) -> None:
        """Forget the dropped tiles after they were taken up, so that no repair moves them."""
        self._dropped = set()
        self._injected_faults.deactivate(DROPPED, "gripper")

    # Position of the jaws

    @property
    def _x(self) -> float:
        return self._at[self._module.x]

    @property
    def _y(self) -> float:
        return self._at[self._module.y]

    @property
    def _level(self) -> float:
        return self._at[self._module.z] / self._field.tile_height

    def _among_tiles(self) -> bool:
        return self._felt.highest_level(self._x, self._y) > self._level + 0.1

    def _spots(self, share: float = 0.0) -> tuple[Spot, ...]:
        """The spots between the jaws after a share of their way."""
        x = self._x + share * self._distances.get(self._module.x, 0.0)
        y = self._y + share * self._distances.get(self._module.y, 0.0)
        middle = Spot(x, y, self._crossed)
        if not self._wide:
            return (middle,)
        half = self._field.pitch / 2
        if self._crossed:
            return (Spot(x, y - half, True), Spot(x, y + half, True))
        return (Spot(x - half, y, False), Spot(x + half, y, False))
