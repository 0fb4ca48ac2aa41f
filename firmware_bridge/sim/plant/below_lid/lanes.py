"""Hand lanes: a lane receives its head's tiles, one by one, while its gate is open."""

from __future__ import annotations

from config.schema import LanesModule
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.slide import Slide
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World


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
