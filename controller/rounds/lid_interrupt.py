"""Opens the lid for a forgotten tile while a set is prepared; all parts below stop meanwhile.

During a hand a press of the lid's key means that the hand is over. To open the lid then, a player
holds the other key down and presses the lid's key. At any other time the lid's key alone opens the
lid. The lid's key also closes the lid, and the parts below resume.
"""

from __future__ import annotations

import asyncio

from controller.faults.catalogue import CATALOGUE, DONE, Fault
from controller.operator.table_keys import Key
from controller.rounds.under_cycle import UnderCycle
from controller.run_state import RunState
from controller.stations.rig import Stations
from firmware_bridge.guide import Ask


class LidInterrupt:
    """Opens the lid on request; receives presses of the lid's key before other listeners.

    `other` is the key that has to be held down during a hand.
    """

    def __init__(
        self, rig: Stations, under: UnderCycle, run_state: RunState, key: Key, other: Key | None
    ) -> None:
        self._rig = rig
        self._under = under
        self._run_state = run_state
        self._other = other if other is not key else None
        self._presses: asyncio.Queue[None] = asyncio.Queue()
        self._open = False
        """Whether presses of the key belong to an interrupt."""
        self.is_lid_open = False
        """Whether the lid is open, or moves, because of an interrupt."""
        key.offer_first(self._takes)

    async def run(self) -> None:
        """Open and close the lid at each request, until cancelled. Raises TableFault."""
        lid = self._rig.lid
        if lid is None:
            return
        row = CATALOGUE[Fault.FORGOTTEN]
        ask = Ask(row.code, lid.part, "its key was pressed", row.request(lid.part), (DONE,))
        while True:
            await self._presses.get()
            async with (
                self._rig.leased(lid.motor.channel),
                self._rig.below.held(),
                self._run_state.asking(ask, row.who) as note,
            ):
                self._run_state.lid_interrupts += 1
                self.is_lid_open = True
                try:
                    await lid.go_forth()
                    await self._presses.get()
                    await lid.go_back()
                finally:
                    self.is_lid_open = False
                note(DONE)
            self._open = False

    def _takes(self) -> bool:
        """Take a press of the lid's key if it opens or closes the lid; returns whether it does."""
        if not self._open:
            self._open = self._may_open()
        if self._open:
            self._presses.put_nowait(None)
        return self._open

    def _may_open(self) -> bool:
        """Whether a press of the lid's key opens the lid in the present state."""
        if self._run_state.machine.mode != "going":
            return False
        top = self._run_state.machine.top
        if self._rig.lid is None or not self._under.busy or top == "collecting":
            return False
        return top != "playing" or (self._other is not None and self._other.down)
