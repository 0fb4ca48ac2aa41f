"""A head's outlet: passes the head's tiles to an open hand lane, else in stacks to a tray."""

from __future__ import annotations

from collections.abc import Sequence

from config.schema import LanesModule
from firmware_bridge.sim.plant.below_lid.ring import Chain
from firmware_bridge.sim.plant.below_lid.trays import Tray
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.slide import Slide
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World


class HeadOutlet:
    """The outlet of head `number`, which reaches the trays and lanes of the sides `reach`.

    If it reaches several sides, the chain carries it from side to side. `levels` is the number of
    tiles of a stack.
    """

    def __init__(
        self,
        number: int,
        reach: Sequence[int],
        trays: Sequence[Tray],
        lanes: Sequence[Lane],
        chain: Chain | None,
        felt: Felt,
        levels: int,
    ) -> None:
        self.levels = levels
        self._number = number
        self._reach = reach
        self._trays = trays
        self._lanes = lanes
        self._chain = chain
        self._felt = felt

    def to_lane(self, tile: Tile) -> bool:
        """Pass a tile to the hand lane in front of the head; return whether the lane is open."""
        side = self._side
        return side is not None and side < len(self._lanes) and self._lanes[side].take(tile)

    def to_tray(self, stack: list[Tile]) -> None:
        """Push a stack into the tray in front of the head.

        Raises ImpossibleOrderError if there is none, or if the tray is full.
        """
        side = self._side
        if side is None or side >= len(self._trays):
            raise ImpossibleOrderError(
                f"head {self._number} pushes a stack, but no tray is in front of it."
            )
        self._trays[side].push(stack)

    def is_in_lane(self, tile: Tile) -> bool:
        """Whether a tile lies in a hand lane."""
        return any(tile.holder in lane.holders for lane in self._lanes)

    def was_in_wall(self, tile: Tile) -> bool:
        """Whether a tile was raised onto the felt in a wall."""
        return self._felt.was_in_wall(tile)

    # Stacks that have one tile too many

    def surplus_tile(self) -> Tile | None:
        """The top tile of a stack in front of the head that is too high, if there is one.

        If the expected heights are unknown, a stack is too high if most stacks are lower.
        """
        trays = self._reached_trays
        if any(tray.expected_heights for tray in trays):
            return next(filter(None, (tray.surplus_tile for tray in trays)), None)
        stacks = self._stacks
        for stack in stacks:
            if 2 * sum(len(other) < len(stack) for other in stacks) > len(stacks):
                return stack[-1]
        return None

    def replacement(self, second: Tile) -> Tile:
        """The tile to take so that no gap remains: `second`, or the top tile of the highest stack.

        The highest stack's tile is taken if `second` is a stack of its own.
        """
        highest = max(self._stacks, key=len, default=[])
        alone = any(stack == [second] for stack in self._stacks)
        return highest[-1] if alone and len(highest) > 1 else second

    # Position

    @property
    def _side(self) -> int | None:
        """The side of the outlet: its only one, or the one to which the chain carried it."""
        if len(self._reach) == 1:
            return self._reach[0]
        side = self._chain.side if self._chain is not None else None
        return side if side in self._reach else None

    @property
    def _reached_trays(self) -> list[Tray]:
        return [self._trays[side] for side in self._reach if side < len(self._trays)]

    @property
    def _stacks(self) -> list[list[Tile]]:
        return [stack for tray in self._reached_trays for stack in tray.all_stacks]


class Lane:
    """One seat's lane and presenter. The presenter takes the lane's tiles as it leaves its home."""

    def __init__(self, world: World, seat: int, lanes: LanesModule, felt: Felt) -> None:
        module = lanes.seats[seat]
        self.channels = frozenset({module.gate, module.presenter})
        self.open = False
        self._lane = Holder(f"lane {seat}")
        self._plate = Holder(f"presenter {seat}")
        self.holders = (self._lane, self._plate)
        self._seat = seat
        self._gate = module.gate
        self._capacity = lanes.capacity
        self._felt = felt
        self._slide = Slide(
            world,
            f"lane{seat}",
            module.presenter,
            module.presented,
            module.home,
            lanes.present,
            leave_near=self._load,
            reach_far=self._present,
        )

    def reset_sensors(self) -> None:
        self._slide.reset_sensors()

    def output(self, channel: str, value: int) -> None:
        if channel == self._gate:
            self.open = bool(value)
        else:
            self._slide.drive(value)

    def take(self, tile: Tile) -> bool:
        """Take a tile if the gate is open; return whether the gate is open.

        Raises ImpossibleOrderError if the lane is full.
        """
        if self.open:
            self._lane.put(tile)
            if len(self._lane) > self._capacity:
                raise ImpossibleOrderError(
                    f"{self._lane.name} has {len(self._lane)} tiles; at most {self._capacity} fit."
                )
        return self.open

    def _load(self) -> None:
        for tile in list(self._lane.tiles):
            self._lane.give(tile, self._plate)

    def _present(self) -> None:
        self._felt.put_before(
            self._seat, [self._plate.take(tile) for tile in list(self._plate.tiles)]
        )
