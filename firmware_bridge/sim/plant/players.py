"""Simulated players: press the keys and push the sets in.

The players press the lid's key after power-on. While the lid is open, they push in a set from its
box, or the set that was played, and press the key again. When the ready lamp is on, they press the
key to push in the second set if it is still in its box. Otherwise they play, and press the key at
the end of the round. `sim/people/simulated_guide.py` adds the guided steps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from config.schema import Modules
from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World

ARRIVING = 1.0
"""Seconds from power-on to the first press of a key. All durations here are our values."""
PUSHING = 8.0
"""Seconds to push a set in."""
HASTE = 1.0
"""Seconds from the open lid to the press of a person who closes it before the set is in."""
IMPATIENCE = 15.0
"""Seconds until the players press again if the table does not react."""
BOXED = 5.0
"""Seconds from the ready lamp to the press for the second set."""
PAYING = 15.0
"""Seconds from the end of a hand to the key that ends the round."""
KEY = 0.1
"""Seconds for which a key is pressed."""
SPREAD = 0.2
"""The variation of the players' times, as a share, in both directions."""


class People:
    """The players of a table. `boxes` have the sets that are not yet in the machine.

    `play` is the number of seconds for which a hand is played.
    """

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
        self.is_pushing = False
        """Whether the lid has opened and the people have not pushed the tiles in yet."""
        self._boxes = boxes
        self._world = world
        self._keys = modules.keys
        self._without_lid = modules.lid is None
        self._drum = drum
        self._felt = felt
        self._play = play
        self._lid_is_open = self._lid_is_closed = _no_lid
        self._lid_has_opened = False
        self._pressed = False
        """Whether these people have pressed the lid's key at the closed lid, to open it."""
        self._has_poured = False
        """Whether they have pushed a set in since the lid last left its closed end."""
        self._addition: Callable[[], object] | None = None
        """What these people do at the open lid instead of pushing the next set in."""
        self._reactions = 0
        """The number of the table's reactions to a key: openings of the lid, or, in games without
        tiles, changes of the ready lamp."""
        self._ready_lamp_on = False
        self._play_began = False
        """Whether play could begin since a set was last pushed in."""
        self._set_is_due = True
        """Whether people expected to push a set in when the lid last began to open."""
        self._end_rounds = True
        """Whether the people end each round by themselves. Otherwise a screen's user does."""
        self._set_given = self._without_tiles = not any(box.tiles for box in boxes)
        self._set_is_missed = False
        """Whether the lid has closed before the people had pushed their set in."""
        self._chance = world.stream("people")
        self._timers: list[asyncio.TimerHandle] = []
        self._closing: asyncio.TimerHandle | None = None
        """The next press that closes the lid."""

    def start_over(self) -> None:
        """Begin as at power-on, after every tile was put back into its box."""
        self._cancel_presses()
        self._set_given = self._lid_has_opened = self._ready_lamp_on = False
        self._play_began = False
        self._set_is_missed = False
        if self._closing is not None:
            self._closing.cancel()
        self._world.loop.call_later(ARRIVING, self._arrive)

    def watch_lid(self, is_open: Callable[[], bool], is_closed: Callable[[], bool]) -> None:
        """Set the functions that return whether the lid is fully open, and whether it is closed."""
        self._lid_is_open, self._lid_is_closed = is_open, is_closed

    def reset_sensors(self) -> None:
        for key in (self._keys.lid, self._keys.done):
            if key:
                self._world.sense(key, False)
        self._world.loop.call_later(ARRIVING, self._arrive)

    def _arrive(self) -> None:
        """Press until the lid opens: the table may have power before the daemon runs."""
        if not self._set_given and not self._lid_has_opened:
            self._press_lid()

    def press(self, key: str) -> None:
        """Press a key for a moment."""
        if key == self._keys.lid and self._lid_is_closed():
            self._pressed = True
        self._world.blink(key, KEY)

    def add_at_the_lid(self, add: Callable[[], object]) -> None:
        """Press the lid's key, and call `add` at the open lid instead of pushing a set in.

        So a person adds a tile that was forgotten on the floor.
        """
        self._addition = add
        self.press(self._keys.lid)

    def _press_until(self, has_reacted: Callable[[], bool]) -> None:
        """Press the lid's key, and again after `IMPATIENCE` until the table has reacted."""
        self.press(self._keys.lid)

        def check() -> None:
            if not has_reacted():
                self._press_until(has_reacted)

        self._timers.append(self._world.loop.call_later(IMPATIENCE, check))

    def _press_lid(self) -> None:
        """Press the lid's key; at a table without a lid, pour the tiles into the drum before."""
        reactions, drum = self._reactions, self._drum
        if not self._without_lid or self._without_tiles:
            self._press_until(lambda: self._reactions > reactions)
            return
        self._pour()
        self._press_until(lambda: drum is None or drum.stirring or not len(drum))

    def output(self, channel: str, value: int) -> None:
        """React to the ready lamp: a change cancels the planned presses, and on starts the next.

        Players who have not pushed in a set yet ignore the lamp.
        """
        if self._set_given:
            self._cancel_presses()
        if self._without_tiles:
            self._reactions += 1
        self._ready_lamp_on = bool(value) and self._set_given
        if self._ready_lamp_on:
            self._play_began = True
            self._continue()

    def end_rounds(self, *, alone: bool) -> None:
        """Set whether the people end each round by themselves, from now on."""
        changed, self._end_rounds = self._end_rounds != alone, alone
        if not changed:
            return
        if not alone:
            self._cancel_presses()
        elif self._ready_lamp_on:
            self._continue()

    def _continue(self) -> None:
        """Plan the next press: for a set that is still in its box, or for the end of the hand."""
        boxed = any(box.tiles for box in self._boxes)
        if boxed or self._end_rounds:
            self._schedule_press(BOXED if boxed else self._play)

    def show_ready(self) -> None:
        """React to the screen, which shows that play may begin; a ready lamp takes precedence."""
        if not self.channels:
            self._play_began = True
            self._continue()

    def sit_down(self) -> None:
        """Begin a hand by the rules of a game: press no key before the hand is over."""
        self._cancel_presses()

    def give_up(self) -> None:
        """Give the hand up before it is over, by the lid's key."""
        self._press_lid()

    def stand_up(self) -> None:
        """After the end of the hand and its payments, end the round by the key."""
        if self._end_rounds:
            self._schedule_press(PAYING)

    def done(self) -> None:
        """Confirm a step that was done by hand, if the table has a key for that."""
        if self._keys.done:
            self.press(self._keys.done)

    def lid_opens(self) -> None:
        """Note whether a set has to be pushed in through the lid, which begins to open."""
        self._set_is_due = self._play_began or not self._set_given
        self._has_poured = False

    def lid_opened(self) -> None:
        """React to the fully open lid: push a set in, and press no key before.

        If a screen's user has opened the lid while a set is prepared, it is for a forgotten tile.
        The people then only close it: tiles pushed in now would be mixed with that set. They
        recognise it by the tiles in the drum, or because no play began since they pushed a set in.
        People who have pressed the key themselves also see whether the next set finds room. A lid
        that opens again while it closes is only closed, if they have pushed their set in.
        """
        self._cancel_presses()
        pours = self._has_room() if self._pressed else self._set_is_due and not self._drum
        pours = pours and self._addition is None and not self._has_poured
        self._lid_has_opened, self._pressed, self.is_pushing = True, False, pours
        self._set_is_missed = False
        self._reactions += 1
        # A played set lies before everybody's eyes; a set in its box can be forgotten.
        is_boxed = pours and any(box.tiles for box in self._boxes)
        if is_boxed and self._world.injected_faults.on_occasion("closed_early", "people"):
            self._world.loop.call_later(HASTE, self._press_until_it_closes)
        self._world.later(self._keys.lid, self._vary(PUSHING), partial(self._push_in, pours))

    def _has_room(self) -> bool:
        """Whether the set that comes next fits into the drum, beside the tiles that are in it."""
        return self._drum is None or self._drum.has_room(len(self._next_heap()))

    def _push_in(self, pours: bool) -> None:
        self.is_pushing = False
        if self._lid_is_open():
            if pours:
                self._pour()
            elif self._addition is not None:
                self._addition()
                self._addition = None
            self._press_until_it_closes()
        else:
            self._set_is_missed = pours and any(box.tiles for box in self._boxes)
        if self._ready_lamp_on:
            self._continue()

    def push_in_missed_set(self) -> None:
        """Push the set in by hand if the lid has closed before the people had done so."""
        if self._set_is_missed:
            self._pour()

    def _press_until_it_closes(self) -> None:
        """Press the key until the lid closes."""
        if self._lid_is_open():
            self.press(self._keys.lid)
            self._closing = self._world.loop.call_later(IMPATIENCE, self._press_until_it_closes)

    def _pour(self) -> None:
        self._set_given, self._play_began = True, self._ready_lamp_on
        self._has_poured = True
        self._set_is_missed = False
        if self._drum is not None:
            heap = self._next_heap()
            self._drum.check_room(len(heap))
            self._drum.pour(self._gather(heap))

    def _next_heap(self) -> Holder:
        """Where the set lies that the people push in next: in a box, or else on the felt."""
        return next((box for box in self._boxes if box.tiles), self._felt)

    def _gather(self, heap: Holder) -> list[Tile]:
        """Take the tiles of a box, or all tiles on the felt and in the players' racks."""
        if heap is self._felt:
            held = [rack.take(tile) for rack in self.racks for tile in list(rack.tiles)]
            return self._felt.sweep() + held
        return [heap.take(tile) for tile in list(heap.tiles)]

    def _schedule_press(self, seconds: float) -> None:
        timer = self._world.loop.call_later(self._vary(seconds), self._press_lid)
        self._timers.append(timer)

    def _cancel_presses(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _vary(self, seconds: float) -> float:
        if not self._world.chance:
            return seconds
        return seconds * self._chance.uniform(1 - SPREAD, 1 + SPREAD)


def _no_lid() -> bool:
    """The lid state of a table without a lid: never open."""
    return False
