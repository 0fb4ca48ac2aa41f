"""Simulated players: press keys and handle the lid; the guided steps by hand build on them.

They switch the table on and press the lid's key. While the lid is open they push a boxed set
in, or the set they played, and press the key again. When the ready lamp lights they give the
second set in if it is still boxed, and otherwise play; then the key ends the round.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from config.schema import Modules
from firmware_bridge.sim.plant.drum import Drum
from firmware_bridge.sim.plant.felt import Felt
from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World

ARRIVING = 1.0
"""From power-on to the first key, seconds; these five are ours."""
PUSHING = 8.0
IMPATIENCE = 15.0
"""Until they press again, where nothing has come of it."""
BOXED = 5.0
PAYING = 15.0
"""From the end of a hand to the key that ends the round."""
KEY = 0.1
SPREAD = 0.2
"""How far the times of people vary, up or down."""


class People:
    """`boxes` are the sets not yet in the machine, `play` is how long a hand is played."""

    def __init__(
        self,
        world: World,
        modules: Modules,
        boxes: tuple[Holder, ...],
        drum: Drum | None,
        felt: Felt,
        play: float,
    ) -> None:
        self.channels = frozenset({modules.ready} if modules.ready else ())
        self.racks = tuple(Holder(f"hand {seat}") for seat in range(felt.seats))
        """The tiles that each player holds while a hand is played."""
        self.holders = (*boxes, *self.racks)
        self._boxes = boxes
        self._world = world
        self._keys = modules.keys
        self._lidless = modules.lid is None
        self._drum = drum
        self._felt = felt
        self._play = play
        self._open = _never
        self._answered = False
        self._signs = 0
        """How often the lid has come open, what tells of a key noticed; the lamp in games without
        tiles, where no lid has to open."""
        self._lit = False
        self._given = self._tileless = not any(box.tiles for box in boxes)
        self._chance = world.stream("people")
        self._intends: list[asyncio.TimerHandle] = []

    def start_over(self) -> None:
        """Every tile is in its box again: they begin as on the first evening."""
        self._forget()
        self._given = self._answered = self._lit = False
        self._world.loop.call_later(ARRIVING, self._arrive)

    def watch_lid(self, is_open: Callable[[], bool]) -> None:
        """How they see whether the lid stands fully open."""
        self._open = is_open

    def rest(self) -> None:
        for key in (self._keys.lid, self._keys.done):
            if key:
                self._world.sense(key, False)
        self._world.loop.call_later(ARRIVING, self._arrive)

    def _arrive(self) -> None:
        """Press until the lid opens: the table may have power before anybody drives it."""
        if not self._given and not self._answered:
            self._press_lid()

    def press(self, key: str) -> None:
        """Press a key for a moment."""
        self._world.blink(key, KEY)

    def _press_until(self, something_comes_of_it: Callable[[], bool]) -> None:
        """Press the lid's key, and again where the table does not seem to have noticed."""
        self.press(self._keys.lid)

        def look() -> None:
            if not something_comes_of_it():
                self._press_until(something_comes_of_it)

        self._intends.append(self._world.loop.call_later(IMPATIENCE, look))

    def _press_lid(self) -> None:
        """Press the lid's key; where there is no lid, the drum gets its tiles before."""
        signs, drum = self._signs, self._drum
        if not self._lidless or self._tileless:
            self._press_until(lambda: self._signs > signs)
            return
        self._pour()
        self._press_until(lambda: drum is None or drum.stirring or not len(drum))

    def output(self, channel: str, value: int) -> None:
        """The ready lamp: what they meant to do while it was on, they forget when it goes off.

        A lamp that changes before they have given the table anything tells them nothing.
        """
        if self._given:
            self._forget()
        if self._tileless:
            self._signs += 1
        self._lit = bool(value) and self._given
        if self._lit:
            self._go_on()

    def _go_on(self) -> None:
        """A set that is still boxed goes in first; then they play."""
        boxed = any(box.tiles for box in self._boxes)
        self._intend(BOXED if boxed else self._play)

    def told_ready(self) -> None:
        """The screen shows that they may play; if the table has a ready lamp, the lamp decides."""
        if not self.channels:
            self._go_on()

    def sit_down(self) -> None:
        """They follow the rules of a game from now on: no key is pressed before it is over."""
        self._forget()

    def give_up(self) -> None:
        """They end the hand before it is over: the lid's key, as after a hand."""
        self._press_lid()

    def stand_up(self) -> None:
        """The hand is over and paid: the key ends the round."""
        self._intend(PAYING)

    def done(self) -> None:
        """They confirm a step that they did by hand, where there is a key for that."""
        if self._keys.done:
            self.press(self._keys.done)

    def lid_opened(self) -> None:
        """The lid has come fully open."""
        self._answered = True
        self._signs += 1
        self._world.later(self._keys.lid, self._human(PUSHING), self._push_in)

    def _push_in(self) -> None:
        if self._open():
            self._pour()
            self._press_until_it_closes()
            if self._lit:
                self._go_on()

    def _press_until_it_closes(self) -> None:
        """Press the key until the lid closes."""
        if self._open():
            self.press(self._keys.lid)
            self._world.loop.call_later(IMPATIENCE, self._press_until_it_closes)

    def _pour(self) -> None:
        self._given = True
        if self._drum is not None:
            heap = next((box for box in self._boxes if box.tiles), self._felt)
            self._drum.check_room(len(heap))
            self._drum.pour(self._gather(heap))

    def _gather(self, heap: Holder) -> list[Tile]:
        """The lowest set still boxed, or else all that lies on the table or is held."""
        if heap is self._felt:
            held = [rack.take(tile) for rack in self.racks for tile in list(rack.tiles)]
            return self._felt.sweep() + held
        return [heap.take(tile) for tile in list(heap.tiles)]

    def _intend(self, seconds: float) -> None:
        timer = self._world.loop.call_later(self._human(seconds), self._press_lid)
        self._intends.append(timer)

    def _forget(self) -> None:
        for intention in self._intends:
            intention.cancel()
        self._intends.clear()

    def _human(self, seconds: float) -> float:
        if not self._world.chance:
            return seconds
        return seconds * self._chance.uniform(1 - SPREAD, 1 + SPREAD)


def _never() -> bool:
    """The lid state of a table without a lid: never open."""
    return False
