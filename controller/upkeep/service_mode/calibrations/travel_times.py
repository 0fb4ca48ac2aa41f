"""Travel times: how long parts between two switches take, measured on their board's clock."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial

from config.schema import Table
from controller.run.stations.switched import FULL, LATE, MARGIN, Switched
from controller.upkeep.selftest.trial import Watcher
from controller.upkeep.service_mode.calibrations.calibration import (
    Calibration,
    CalibrationError,
    Measured,
)
from controller.upkeep.service_mode.calibrations.table_edits import Place, TableEdit
from controller.upkeep.service_mode.motion.leaving import BoardLeases
from controller.upkeep.service_mode.motion.part_homing import PartHoming
from firmware_bridge.board import Level, Reason

TRIPS = 2
"""Number of trips to the far switch and back (our choice)."""
TOLERANCE = 0.1
"""Share of the configured time by which a measured time may differ without a proposal; debouncing
of the switches and the start of the motor are in it (our choice)."""


def travel_times(
    table: Table,
    homing: PartHoming,
    leases: BoardLeases,
    watcher: Watcher,
    step: Callable[[str], None],
) -> Iterator[Calibration]:
    """The travel times of lid, lifts, lanes, flipper, jaws and wrist; `step` takes each trip."""
    gantry, flipper = table.modules.gantry, table.modules.flipper
    axes = (gantry.z, gantry.x, gantry.y) if gantry else ()
    for title, place, times in _groups(table):
        group = [part for motor, part in homing.parts.items() if motor in times]
        if not group:
            continue
        moves = tuple(part.motor.channel for part in group)
        please = f"{title[:1].upper()}{title[1:]}: {TRIPS} trips. Keep your hands away."
        if flipper is not None and moves == (flipper.motor,):
            please = f"Lay a tile over the flipper. {please}"
        rises = homing.raise_gantry if "gantry" in place else None
        leased = partial(leases.held, (*moves, *(axes if rises else ())))
        trips = _Trips(place, please, leased, rises, watcher, step)
        yield Calibration(
            "travel_time",
            group[0].motor.channel if len(group) == 1 else title,
            f"Travel time of {title}: drive to the far switch and back, {TRIPS} times.",
            (*moves, *(axes if rises else ())),
            partial(trips.measure, group),
        )


def _groups(table: Table) -> Iterator[tuple[str, Place, frozenset[str]]]:
    """Parts with a common time: their title, the place of the time, and their motors."""
    modules = table.modules
    if lid := modules.lid:
        yield "lid", ("modules", "lid", "seconds"), frozenset({lid.motor})
    if trays := modules.trays:
        motors = frozenset(side.lift for side in trays.sides)
        yield "lifts", ("modules", "trays", "lift"), motors
    if lanes := modules.lanes:
        motors = frozenset(lane.presenter for lane in lanes.seats)
        yield "lanes", ("modules", "lanes", "present"), motors
    if flipper := modules.flipper:
        yield "flipper", ("modules", "flipper", "flip"), frozenset({flipper.motor})
    if gantry := modules.gantry:
        yield "jaws", ("modules", "gantry", "grip_seconds"), frozenset({gantry.grip})
        turns = frozenset(name for name in (gantry.turn, gantry.turner) if name)
        yield "wrist", ("modules", "gantry", "turn_seconds"), turns


@dataclass(frozen=True)
class _Trips:
    """The measurement of parts with a common time at `place` of the table's file.

    `rises` moves the gantry up first: closed jaws on the felt could grip a tile.
    """

    place: Place
    please: str
    leased: Callable[[], AbstractAsyncContextManager[None]]
    rises: Callable[[], Awaitable[None]] | None
    watcher: Watcher
    step: Callable[[str], None]

    async def measure(self, group: Sequence[Switched]) -> Measured:
        """Measure every part; the longest time decides. Raises CalibrationError."""
        measured, longest = Measured(), 0.0
        if not await self.watcher.begin(self.please, tuple(p.motor.channel for p in group)):
            raise CalibrationError("The calibration was skipped; nothing was moved.")
        async with self.leased():
            if self.rises is not None:
                await self.rises()
            for part in group:
                times = await self._measure_part(part)
                measured.sentences.append(
                    f"{part.part} took {min(times):.3f} to {max(times):.3f} s from end to end."
                )
                longest = max(longest, *times)
        self._judge(group[0].seconds, longest, measured)
        return measured

    async def _measure_part(self, part: Switched) -> list[float]:
        """The times of all trips of one part, which then returns to the end of before."""
        was_forth = await part.motor.board.read(part.forth)
        await part.go_back()
        times = []
        for trip in range(1, TRIPS + 1):
            self.step(f"{part.part}: trip {trip} of {TRIPS}")
            times.append(await _travel(part, FULL, part.forth))
            times.append(await _travel(part, -FULL, part.back))
        if was_forth:
            await part.go_forth()
        return times

    def _judge(self, configured: float, longest: float, measured: Measured) -> None:
        """Add the proposal for the longest time of a group."""
        if abs(longest - configured) <= TOLERANCE * configured:
            measured.sentences.append(
                f"The configured {configured:g} s is within {TOLERANCE:.0%} of the longest time;"
                " no change."
            )
            return
        new = _rounded_up(longest)
        key = ".".join(map(str, self.place))
        why = f"{key}: {configured:g} s to {new:g} s, the longest measured time rounded up."
        measured.edits.append(TableEdit(self.place, new, why))


async def _travel(part: Switched, value: int, switch: str) -> float:
    """Drive a part to its other end; returns the seconds. Raises CalibrationError."""
    limit = part.seconds * LATE * 2 + MARGIN
    ended = await part.motor.run(value, Level(switch), limit)
    if ended.reason not in (Reason.LEVEL, Reason.SWITCH):
        raise CalibrationError(
            f"{part.part} did not reach {switch} within {ended.seconds:.1f} s; the drive ended by"
            f" {ended.reason.name}. Check the part and its switch, then calibrate again."
        )
    return ended.seconds


def _rounded_up(seconds: float) -> float:
    """A time rounded up to a tenth of a second, below one second to a hundredth."""
    digits = 10 if seconds >= 1 else 100
    return math.ceil(round(seconds * digits, 3)) / digits
