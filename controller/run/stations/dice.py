"""Station of the dice: shakes, reads the faces, and retries if a die has no readable face."""

from __future__ import annotations

from collections.abc import Sequence

from config.schema import DiceModule
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.journal.notes import FacesFallen, Note, ShakesBefore, last_of
from controller.run.journal.replay import DiscardingNotebook, Notebook
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
        TableFault. Before each shake the unit's count of shakes is noted, and the faces of a shake
        are noted with that count. If this run is interrupted, the next run compares the count: a
        completed shake is not repeated, and the faces of a shake count once, even if several runs
        have noted them. A count that differs by anything else than this shake raises TableFault
        with UNPROVEN: the faces are then not known.
        """
        work = work or DiscardingNotebook()
        fallen = _fallen(work.notes)
        begun = last_of(work.notes, ShakesBefore)
        if begun is not None and begun.shakes not in fallen:
            faces = await self._completed(begun.shakes, dice)
            if faces is not None:
                fallen[begun.shakes] = faces
                if len(fallen) < times:
                    work.record(FacesFallen(faces, begun.shakes))
        while len(fallen) < times:
            shake, faces = await self._once(dice, work)
            if shake in fallen:
                raise self._unproven(f"has counted {shake} shakes again after a shake")
            fallen[shake] = faces
            if len(fallen) < times:
                work.record(FacesFallen(faces, shake))
        return tuple(face for faces in fallen.values() for face in faces)

    async def _completed(self, shake: int, dice: int) -> tuple[int, ...] | None:
        """The faces of a shake that an interrupted run began; None if it has to be made again.

        It has to be made again if it has not ended, or if a die has no readable face. Raises
        TableFault.
        """
        shakes, shown = await self._dome.thrown()
        if shakes not in (shake, shake + 1):
            raise self._unproven(f"has counted {shakes} shakes, {shake} before the last noted one")
        is_completed = shakes > shake and _are_faces(shown[:dice], dice)
        return tuple(shown[:dice]) if is_completed else None

    def _unproven(self, why: str) -> TableFault:
        evidence = f"{self.unit} {why}: the faces of that shake are not known"
        return TableFault(Fault.UNPROVEN, "dice", evidence)

    async def _once(self, dice: int, work: Notebook) -> tuple[int, tuple[int, ...]]:
        """Shake until every die has a readable face; returns the count before it, and the faces."""

        async def shake() -> tuple[int, tuple[int, ...]]:
            shakes, _ = await self._dome.thrown()
            await work.note(ShakesBefore(shakes))
            read = await self._dome.throw(dice)
            if _are_faces(read, dice):
                return shakes, read
            evidence = f"{self.unit} read {read} instead of {dice} faces"
            raise TableFault(Fault.DICE, "dice", evidence)

        return await self._fault_handler.run(shake)


def _fallen(notes: Sequence[Note]) -> dict[int, tuple[int, ...]]:
    """The faces of each shake that the notes contain, by the count before it, in order.

    Notes of journals before version 0.3 do not have the count; each of them belongs to the last
    `ShakesBefore` before it.
    """
    fallen: dict[int, tuple[int, ...]] = {}
    shake = 0
    for note in notes:
        if isinstance(note, ShakesBefore):
            shake = note.shakes
        elif isinstance(note, FacesFallen):
            fallen.setdefault(shake if note.shake is None else note.shake, note.faces)
    return fallen


def _are_faces(read: Sequence[int], dice: int) -> bool:
    return len(read) == dice and all(1 <= face <= 6 for face in read)
