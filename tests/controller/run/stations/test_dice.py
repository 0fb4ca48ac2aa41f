"""Tests the station of the dice: unreadable faces, and throws that power cuts interrupt."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.run.faults.failures import Fault
from controller.run.journal.notes import FacesFallen, Note, ShakesBefore
from firmware_bridge.sim import clock
from tests.controller.run.stations.test_stations import fault_of, rig_of


@dataclass
class KeptNotes:
    """The notes of one throw; `record` and `note` raise if the power is cut at that write."""

    notes: tuple[Note, ...] = ()
    written: list[Note] = field(default_factory=list)
    writes_left: int = 99
    doubtful: bool = True

    def record(self, note: Note) -> None:
        if not self.writes_left:
            raise PowerCutError
        self.writes_left -= 1
        self.written.append(note)

    async def on_disk(self) -> None: ...

    async def note(self, note: Note) -> None:
        self.record(note)


class PowerCutError(Exception):
    """The power is cut at this write of the journal, or during this shake."""


@pytest.mark.parametrize("unreadable", [(0, 3), (3,), (7, 1), ()])
def test_dice_without_readable_faces_are_thrown_again(unreadable: tuple[int, ...]) -> None:
    rig, board = rig_of("robotic")
    board.rolls = [unreadable, unreadable, (3, 5), (6, 6)]
    assert rig.dice is not None
    assert clock.run(rig.dice.throw(2, 1)) == (3, 5)
    assert board.rolls == [(6, 6)]


def test_dice_without_readable_faces_three_times_are_a_fault_with_the_reading() -> None:
    rig, board = rig_of("robotic")
    board.rolls = [(0, 3)] * 3
    assert rig.dice is not None
    fault = fault_of(rig.dice.throw(2, 1))
    assert str(fault) == "dice: the dice were not read (dice read (0, 3) instead of 2 faces)."


def test_one_die_thrown_twice_is_read_after_each_shake() -> None:
    rig, board = rig_of("robotic")
    board.rolls = [(3,), (4,)]
    assert rig.dice is not None
    assert clock.run(rig.dice.throw(1, 2)) == (3, 4)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=6))
def test_power_cuts_at_any_write_and_in_any_shake_invent_and_repeat_no_face(
    cuts: list[tuple[int, bool]],
) -> None:
    """Each cut has the number of writes before it, and whether a shake that it hits has ended."""
    rig, board = rig_of("robotic")
    faces = [(1,), (2,), (3,)]
    board.rolls = [*faces]
    assert rig.dice is not None
    work, ended, whole_throw = KeptNotes(), True, board.throw

    async def throw(channel: str, dice: int) -> tuple[int, ...]:
        if work.writes_left or ended:
            thrown = await whole_throw(channel, dice)
        if not work.writes_left:
            raise PowerCutError
        return thrown

    board.throw = throw  # type: ignore[method-assign]
    for writes, ended in cuts:  # noqa: B007 `throw` reads it
        work = KeptNotes((*work.notes, *work.written), writes_left=writes)
        with suppress(PowerCutError):
            clock.run(rig.dice.throw(1, 3, work))
    work = KeptNotes((*work.notes, *work.written))
    assert clock.run(rig.dice.throw(1, 3, work)) == (1, 2, 3)
    assert board.throws == faces


def test_faces_that_two_runs_have_noted_before_version_0_3_count_once() -> None:
    rig, board = rig_of("robotic")
    board.throws, board.rolls = [(1,)], [(4,)]
    noted = (ShakesBefore(0), FacesFallen((1,)), FacesFallen((1,)), ShakesBefore(1))
    assert rig.dice is not None
    assert clock.run(rig.dice.throw(1, 2, KeptNotes(noted))) == (1, 4)


@pytest.mark.parametrize("counted", [0, 2, 3])
def test_a_count_that_no_power_cut_explains_stops_the_table(counted: int) -> None:
    rig, board = rig_of("robotic")
    board.throws, board.rolls = [(6,)] * (counted + 1), [(5,)]
    before = counted + 2 if counted < 2 else counted - 2
    assert rig.dice is not None
    fault = fault_of(rig.dice.throw(1, 1, KeptNotes((ShakesBefore(before),))))
    assert fault.fault is Fault.UNPROVEN
    assert fault.evidence == (
        f"dice has counted {counted + 1} shakes, {before} before the last noted one: the faces of"
        " that shake are not known"
    )
    assert board.rolls == [(5,)], "nothing is thrown"
