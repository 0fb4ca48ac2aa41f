"""The dice: shakes, reads the faces and accepts only faces that dice have."""

from __future__ import annotations

from collections.abc import Sequence

from config.schema import DiceModule
from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from controller.journal.notes import FacesFallen, ShakesBefore, notes_of
from controller.journal.replay import DiscardingNotebook, Notebook
from firmware_bridge.boards.devices import Devices


class DiceStation:
    """A dome or electronic dice: any number of dice, in as many shakes as that takes."""

    def __init__(self, dice: DiceModule, devices: Devices, care: Care) -> None:
        self._care = care
        self.unit = dice.unit
        self._dome = devices.dice(dice.unit)

    async def throw(self, dice: int, times: int, work: Notebook | None = None) -> tuple[int, ...]:
        """Throw `dice` dice `times` times. A cocked die is thrown again, then raises TableFault.

        Before each shake the dome's count of shakes is noted. If this run is interrupted, the next
        run compares the count, so a throw that has ended is not repeated.
        """
        work = work or DiscardingNotebook()
        faces = [face for note in notes_of(work.notes, FacesFallen) for face in note.faces]
        last = work.notes[-1] if work.notes else None
        if isinstance(last, ShakesBefore):
            shakes, lie = await self._dome.thrown()
            if shakes > last.shakes and _are_faces(lie[:dice], dice):
                faces += lie[:dice]
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

        return await self._care.cured(shake)


def _are_faces(read: Sequence[int], dice: int) -> bool:
    return len(read) == dice and all(1 <= face <= 6 for face in read)
