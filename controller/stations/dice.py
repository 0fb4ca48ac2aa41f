"""Station of the dice: shakes, reads the faces, and retries if a die has no readable face."""

from __future__ import annotations

from collections.abc import Sequence

from config.schema import DiceModule
from controller.faults.retry import FaultHandler
from controller.faults.table_fault import Fault, TableFault
from controller.journal.notes import FacesFallen, ShakesBefore, notes_of
from controller.journal.replay import DiscardingNotebook, Notebook
from firmware_bridge.boards.devices import Devices


class DiceStation:
    """Station of a dice dome or of electronic dice."""

    def __init__(self, dice: DiceModule, devices: Devices, fault_handler: FaultHandler) -> None:
        self._fault_handler = fault_handler
        self.unit = dice.unit
        self._dome = devices.dice(dice.unit)

    async def throw(self, dice: int, times: int, work: Notebook | None = None) -> tuple[int, ...]:
        """Throw `dice` dice `times` times; returns all faces in order.

        If a die has no readable face, the throw is repeated; after the last attempt it raises
        TableFault. Before each shake the unit's count of shakes is noted. If this run is
        interrupted, the next run compares the count and does not repeat a completed throw.
        """
        work = work or DiscardingNotebook()
        faces = [face for note in notes_of(work.notes, FacesFallen) for face in note.faces]
        last = work.notes[-1] if work.notes else None
        if isinstance(last, ShakesBefore):
            shakes, shown = await self._dome.thrown()
            if shakes > last.shakes and _are_faces(shown[:dice], dice):
                faces += shown[:dice]
        while len(faces) < dice * times:
            if faces:
                work.record(FacesFallen(tuple(faces[-dice:])))
            faces += await self._once(dice, work)
        return tuple(faces)

    async def _once(self, dice: int, work: Notebook) -> tuple[int, ...]:
        async def shake() -> tuple[int, ...]:
            shakes, _ = await self._dome.thrown()
            await work.note(ShakesBefore(shakes))
            read = await self._dome.throw(dice)
            if _are_faces(read, dice):
                return read
            evidence = f"{self.unit} read {read} instead of {dice} faces"
            raise TableFault(Fault.DICE, "dice", evidence)

        return await self._fault_handler.run(shake)


def _are_faces(read: Sequence[int], dice: int) -> bool:
    return len(read) == dice and all(1 <= face <= 6 for face in read)
