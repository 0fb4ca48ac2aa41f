"""Opens the lid for a forgotten tile while a set is prepared; all parts below stop meanwhile.

During a hand a press of the lid's key means that the hand is over. To open the lid then, a player
holds the other key down and presses the lid's key. At any other time the lid's key alone opens the
lid. Once the lid is open, the lid's key closes it, and the parts below resume.

Once every tile of the set is counted none can have been forgotten, and the lid stays closed: people
would push the other set into a drum that looks empty, and the sets would be mixed.

A hand can be under a lid that moves. Therefore a press before the lid is open does not close it,
and a press while the lid closes opens it again (`close_lid`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from controller.run.faults.catalogue import CATALOGUE, DONE, Fault
from controller.run.operator.table_keys import Key
from controller.run.rounds.under_cycle import UnderCycle
from controller.run.run_state import RunState
from controller.run.run_together import end_tasks
from controller.run.stations.rig import Stations
from controller.run.stations.switched import Switched
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
        self._resumed = False
        """Whether an earlier run ended while the lid was open because of an interrupt."""
        key.offer_first(self._takes)

    def resume(self) -> None:
        """Begin `run` with the interrupt during which an earlier run ended.

        The lid is open or has stopped on its way, and a hand can be under it. It is opened
        fully, and the parts below stay at rest until the key is pressed and the lid is closed.
        """
        self._resumed = True

    async def run(self) -> None:
        """Open and close the lid at each request, until cancelled. Raises TableFault."""
        lid = self._rig.lid
        if lid is None:
            return
        if self._resumed:
            self._open = True
            async with self._rig.below.held(), self._rig.leased(lid.motor.channel):
                await self._interrupt(lid, "the table was stopped while its key had opened it")
        while True:
            await self._presses.get()
            async with self._rig.leased(lid.motor.channel), self._rig.below.held():
                # The lease takes time. Meanwhile the table can have paused, and the set can have
                # been completed, so that its walls rise.
                if self._is_possible():
                    await self._interrupt(lid, "its key was pressed")
                else:
                    self._end()

    async def _interrupt(self, lid: Switched, why: str) -> None:
        """Open the lid, and close it when its key is pressed. Raises TableFault."""
        row = CATALOGUE[Fault.FORGOTTEN]
        ask = Ask(row.code, lid.part, why, row.request(lid.part), (DONE,))
        async with self._run_state.asking(ask, row.who) as note:
            self._run_state.lid_interrupts += 1
            self.is_lid_open = True
            await lid.go_forth()
            # Presses from before the lid was open: hands can be under the lid from now on.
            self._forget()
            await self._presses.get()
            self._forget()
            await close_lid(lid, self._presses.get, self._forget)
            self.is_lid_open = False
            self._end()
            note(DONE)

    def _end(self) -> None:
        """End an interrupt: the next press is checked again before it opens the lid."""
        self._open = False
        self._forget()

    def _forget(self) -> None:
        while not self._presses.empty():
            self._presses.get_nowait()

    def _takes(self) -> bool:
        """Take a press of the lid's key if it opens or closes the lid; returns whether it does."""
        if not self._open:
            self._open = self._may_open()
        if self._open:
            self._presses.put_nowait(None)
        return self._open

    def _may_open(self) -> bool:
        """Whether a press of the lid's key opens the lid in the present state."""
        is_hand = self._run_state.machine.top == "playing"
        held_down = self._other is not None and self._other.down
        has_lid = self._rig.lid is not None
        return has_lid and self._is_possible() and (held_down or not is_hand)

    def _is_possible(self) -> bool:
        """Whether a set that is prepared can lack a tile, the lid is not used and no wall rises."""
        machine = self._run_state.machine
        return (
            machine.mode == "going"
            and self._under.may_lack_tiles
            and machine.top not in ("collecting", "raising")
        )


async def close_lid(
    lid: Switched,
    pressed: Callable[[], Awaitable[None]],
    reopened: Callable[[], None],
    sinking: Sequence[Switched] = (),
    sinks: asyncio.TaskGroup | None = None,
) -> None:
    """Close the lid; if its key is pressed meanwhile, open it again and wait for the next press.

    A person who presses the key while the lid closes can have a hand under it. `pressed` waits for
    a press; `reopened` is called when the lid is open again. Meanwhile the parts in `sinking` go
    back, in tasks of `sinks`, which can outlast this function; a press stops them, too. Raises
    TableFault.
    """
    while True:
        tasks = [] if sinks is None else [sinks.create_task(part.go_back()) for part in sinking]
        closing = asyncio.ensure_future(lid.go_back())
        pressing = asyncio.ensure_future(pressed())
        try:
            await asyncio.wait((closing, pressing), return_when=asyncio.FIRST_COMPLETED)
            if closing.done():
                return closing.result()
        finally:
            await end_tasks((closing, pressing))
        await lid.stop()
        await end_tasks(tasks)
        for part in sinking:
            await part.stop()
        await lid.go_forth()
        reopened()
        await pressed()
