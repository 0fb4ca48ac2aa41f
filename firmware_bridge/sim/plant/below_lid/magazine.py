"""A magazine: a carousel of pockets between a head's counter and its stack, and an ejector.

A tile that reaches the counter falls into the pocket at the inlet. A stroke of the ejector pushes
everything in that pocket out at half of its time; what falls passes a sensor and waits in the head
for the pusher. The carousel cannot turn while the ejector is in a pocket or while a tile is at the
counter, half in its pocket, and nothing can fall between two pockets: these are impossible orders.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from config.schema import MagazineModule
from firmware_bridge.sim.plant.below_lid.ring import Ring
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World

PART = "magazine"
FALL_PULSE = 0.03
"""Seconds that a falling tile covers the sensor below the magazine (our value)."""
FALL_GAP = 0.03
"""Seconds between two tiles that fall out of the same pocket (our value)."""
WITHDRAWN_PULSE = 0.02
"""Seconds that the ejector stays withdrawn if its motor is not stopped at the end of a stroke."""


class Magazine:
    """A magazine. `drop` receives each tile that falls out; `is_entering` is the counter's level.

    `drop` is called at the leading edge of the sensor.
    """

    def __init__(
        self,
        world: World,
        module: MagazineModule,
        drop: Callable[[Tile], None],
        is_entering: Callable[[], bool],
    ) -> None:
        self.well = Holder(PART)
        self.channels = frozenset({module.motor, module.ejector})
        self._world = world
        self._module = module
        self._drop = drop
        self._is_entering = is_entering
        self._pockets: list[list[Tile]] = [[] for _ in range(module.pockets)]
        self._ring = Ring(
            world,
            module.motor,
            module.home,
            module.vane,
            module.step,
            module.pockets,
            shows_rest=True,
        )
        self._strikes = False
        """Whether the ejector's motor runs."""
        self._stroke = 0.0
        """The share of the present stroke that is done; 0 while the ejector is withdrawn."""
        self._since = 0.0
        self._next: asyncio.TimerHandle | None = None
        self._strokes_held = 0.0
        """Strokes until the tile that hangs in its pocket falls."""

    def reset_sensors(self) -> None:
        self._ring.reset_sensors()
        self._world.sense(self._module.withdrawn, self._stroke == 0.0)
        self._world.sense(self._module.passed, False)

    def output(self, channel: str, value: int) -> None:
        """Set a motor's value. Raises ImpossibleOrderError."""
        if channel == self._module.motor:
            self._turn(value)
        else:
            self._strike(value > 0)

    def receive(self, tile: Tile) -> None:
        """Let a tile fall into the pocket at the inlet. Raises ImpossibleOrderError."""
        self.well.put(tile)
        place = self._ring.place
        if place is None:
            raise ImpossibleOrderError(f"{tile} falls between two pockets of the {PART}.")
        self._pockets[place].append(tile)

    def take_out(self, tile: Tile) -> Tile:
        """Take one tile away by hand."""
        for pocket in self._pockets:
            if tile in pocket:
                pocket.remove(tile)
        return self.well.take(tile)

    # The carousel

    def _turn(self, value: int) -> None:
        if value and self._stroke:
            raise ImpossibleOrderError(
                f"{self._module.motor} cannot turn: the ejector is in a pocket."
            )
        if value and self._is_entering():
            raise ImpossibleOrderError(
                f"{self._module.motor} cannot turn: a tile is half in its pocket."
            )
        self._ring.drive(value)

    # The ejector

    def _strike(self, on: bool) -> None:
        if on == self._strikes:
            return
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if not on and self._stroke:
            self._stroke += (self._world.now - self._since) / self._module.eject
        self._strikes = on
        if on:
            self._go_on()

    def _go_on(self) -> None:
        """Begin a stroke, or continue the one that was stopped. Raises ImpossibleOrderError."""
        if not self._stroke and self._ring.place is None:
            self._strikes = False
            raise ImpossibleOrderError(
                f"{self._module.ejector} meets the wall between two pockets."
            )
        if not self._stroke:
            self._world.sense(self._module.withdrawn, False)
            self._stroke = 1e-9
        self._since = self._world.now
        end, action = (0.5, self._eject) if self._stroke < 0.5 else (1.0, self._withdraw)
        wait = max(0.0, end - self._stroke) * self._module.eject
        self._next = self._world.later(self._module.ejector, wait, action)

    def _eject(self) -> None:
        """Push out what is in the pocket, at half of the stroke."""
        self._stroke = 0.5
        self._go_on()
        place = self._ring.place
        assert place is not None
        if self._pockets[place] and not self._is_held():
            fallen, self._pockets[place] = self._pockets[place], []
            for number, tile in enumerate(fallen):
                self._drop(self.well.take(tile))
                self._world.loop.call_later(number * (FALL_PULSE + FALL_GAP), self._pass)

    def _pass(self) -> None:
        self._world.blink(self._module.passed, FALL_PULSE)

    def _withdraw(self) -> None:
        """End the stroke; the ejector begins another one if its motor is not stopped."""
        self._stroke = 0.0
        self._next = self._world.later(self._module.ejector, WITHDRAWN_PULSE, self._go_on)
        self._world.sense(self._module.withdrawn, True)

    # Injected faults

    def _is_held(self) -> bool:
        """Whether the tile hangs in its pocket; counts a stroke against a hanging tile."""
        injected_faults = self._world.injected_faults
        if self._strokes_held > 0:
            self._strokes_held -= 1
            if self._strokes_held <= 0:
                injected_faults.deactivate("held_tile", PART)
                return False
            return True
        if hit := injected_faults.on_occasion("held_tile", PART):
            self._strokes_held = hit.amount
            injected_faults.activate("held_tile", PART, self._free)
            return True
        return False

    def _free(self) -> None:
        """Straighten the hanging tile by hand; the next stroke ejects it."""
        self._strokes_held = 0.0
