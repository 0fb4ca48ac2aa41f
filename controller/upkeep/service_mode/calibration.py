"""The calibrations of a table: each one measures a value and proposes edits of the table's file.

Distance of one step: an axis moves by a known number of steps, and a person measures. Debounce
time: a person covers and frees a sensor, and its edges show whether it bounces. Travel time: how
long a part between two switches takes, measured on its board's clock.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from config.schema import AxisChannel, SensorChannel, Table
from controller.run.stations.switched import FULL, LATE, MARGIN, Switched
from controller.upkeep.selftest.trial import Watcher, wait_for_sensor
from controller.upkeep.service_mode.channels import ChannelMonitor
from controller.upkeep.service_mode.part_homing import BoardLeases, PartHoming
from controller.upkeep.service_mode.table_edits import Place, TableEdit
from firmware_bridge.board import Board, Edge, Level, Reason
from rules.errors import WallwrightError


class CalibrationError(WallwrightError):
    """A measurement that proposes no value: its reason and the next step, as sentences."""


@dataclass
class Measured:
    """The result of a calibration: sentences for people, and edits; no edit means no change."""

    sentences: list[str] = field(default_factory=list)
    edits: list[TableEdit] = field(default_factory=list)


@dataclass(frozen=True)
class Calibration:
    """One calibration that a table offers; with `unavailable`, the reason why it cannot be done.

    `moves` are the motors and axes that `measure` moves; it holds their leases itself. It raises
    CalibrationError, DisagreementError, BoardError and TableFault.
    """

    kind: str
    target: str
    title: str
    moves: tuple[str, ...] = ()
    measure: Callable[[], Awaitable[Measured]] | None = None
    unavailable: str = ""


STEP_SHARE = 0.8
"""Share of the travel by which the axis moves; a longer way makes the measurement more exact."""
LONGEST_WAY = 0.3
"""Longest way, metres: the length of a common ruler."""
STEP_SPEED = 250
"""Speed of the move, permille."""
STEP_TOLERANCE = 0.002
"""Share of the way by which the measured way may differ without a proposal: reading a ruler to
half a millimetre in 300 mm is as exact (our choice)."""
STEP_WRONG = 0.2
"""Share of the way above which the measured number is not believed (our choice)."""


async def measure_steps(
    axis: str,
    config: AxisChannel,
    board: Board,
    home: Callable[[], Awaitable[None]],
    leased: Callable[[], AbstractAsyncContextManager[None]],
    ready: Callable[[str], Awaitable[None]],
    ask: Callable[[str], Awaitable[float]],
    step: Callable[[str], None],
) -> Measured:
    """Home the axis, move it, ask for the measured way in mm, and propose its `step_mm`.

    `leased` holds the lease of the axis's board within a block, so that the axis has none while a
    person measures. `ready` waits until a person agrees to a motion; `ask` returns the number of
    millimetres that a person has measured. Raises CalibrationError, BoardError, TableFault.
    """
    way = round(min(LONGEST_WAY, STEP_SHARE * (config.high - config.low)), 3)
    target = config.home + (way if config.home_end == "low" else -way)
    async with leased():
        step(f"{axis} goes to its home")
        await home()
    await ready(
        f"Mark the position of {axis}. Then it moves by {way * 1000:g} mm; keep your hands away."
    )
    async with leased():
        step(f"{axis} moves by {way * 1000:g} mm")
        ended = await board.move({axis: target}, STEP_SPEED)
    if ended.reason is not Reason.DONE:
        raise CalibrationError(
            f"{axis} did not arrive; the move ended by {ended.reason.name}. Remove the cause, then"
            " calibrate again."
        )
    found = await ask(f"Measure how far {axis} is from the mark.")
    await ready(f"Take your hands away; {axis} moves back to its home.")
    async with leased():
        step(f"{axis} goes back to its home")
        await home()
    return _judged_step(board.name, axis, config, way * 1000, found)


def _judged_step(
    board: str, axis: str, config: AxisChannel, ordered: float, found: float
) -> Measured:
    """The proposal for the ordered and the measured way, mm. Raises CalibrationError."""
    error = found / ordered - 1
    if abs(error) > STEP_WRONG:
        raise CalibrationError(
            f"{axis} was ordered to move {ordered:g} mm and {found:g} mm were measured, which"
            f" differs by {error:+.0%}. Check the unit and the driver's microsteps, then calibrate"
            " again."
        )
    measured = Measured([f"{axis} was ordered to move {ordered:g} mm; {found:g} mm were measured."])
    if abs(error) <= STEP_TOLERANCE:
        measured.sentences.append(
            f"The difference is at most {STEP_TOLERANCE:.1%}, which a ruler cannot show; no change."
        )
        return measured
    new = float(f"{config.step_mm * found / ordered:.5g}")
    place = ("boards", board, "channels", axis, "step_mm")
    why = f"{axis}: step of {config.step_mm:g} mm to {new:g} mm ({error:+.2%})."
    measured.edits.append(TableEdit(place, new, why))
    return measured


TIMES = 5
"""How often the sensor is covered (our choice)."""
SETTLING = 0.5
"""Seconds after each change in which bounces are recorded (our choice)."""
SHORT = 0.2
"""Share of the longest active time below which a level counts as a bounce (our choice)."""
SAFETY = 2.0
"""The new debounce time as a multiple of the longest bounce (our choice)."""
ROOM = 1 / 3
"""Largest share of the shortest real pulse that the debounce time may have (our choice)."""


@dataclass(frozen=True)
class _Phases:
    """How long the sensor stayed active and inactive, seconds, without the last level."""

    active: list[float]
    inactive: list[float]

    @property
    def limit(self) -> float:
        """Levels that lasted less than this are bounces."""
        return SHORT * max(self.active, default=0.0)

    @property
    def bounces(self) -> list[float]:
        """The levels that are bounces."""
        return [time for time in (*self.active, *self.inactive) if time < self.limit]

    @property
    def shortest_pulse(self) -> float:
        """The shortest level that is not a bounce."""
        every = [*self.active, *self.inactive]
        return min((time for time in every if time >= self.limit), default=0.0)


async def measure_debounce(
    channel: str,
    config: SensorChannel,
    board: Board,
    monitor: ChannelMonitor,
    watcher: Watcher,
    step: Callable[[str], None],
) -> Measured:
    """Record the sensor's edges, and propose a debounce time if it bounces.

    Raises CalibrationError, DisagreementError, BoardError.
    """
    edges: list[Edge] = []
    end = monitor.on_edge(lambda edge: edges.append(edge) if edge.sensor == channel else None)
    try:
        for time in range(1, TIMES + 1):
            step(f"cover {time} of {TIMES}")
            await wait_for_sensor(watcher, board, f"Cover or press {channel}.", channel, True)
            await asyncio.sleep(SETTLING)
            await wait_for_sensor(watcher, board, f"Free {channel} again.", channel, False)
            await asyncio.sleep(SETTLING)
    finally:
        end()
    return _judged_debounce(board.name, channel, config, _phases(edges))


def _phases(edges: list[Edge]) -> _Phases:
    phases = _Phases([], [])
    for edge, following in pairwise(edges):
        (phases.active if edge.active else phases.inactive).append(following.at - edge.at)
    return phases


def _judged_debounce(board: str, channel: str, config: SensorChannel, phases: _Phases) -> Measured:
    """The proposal for the measured phases. Raises CalibrationError if no time can cure it."""
    measured, bounces = Measured(), phases.bounces
    measured.sentences.append(
        f"{channel} was covered {TIMES} times; its board reported {len(phases.active)} pulses,"
        f" and the shortest real level lasted {phases.shortest_pulse * 1000:.0f} ms."
    )
    if not bounces:
        measured.sentences.append(
            f"No bounce is longer than the debounce time of {config.debounce_ms:g} ms; no change."
        )
        return measured
    new = math.ceil(round(SAFETY * max(bounces) * 1000, 3))
    measured.sentences.append(
        f"{len(bounces)} bounces are longer than the debounce time of {config.debounce_ms:g} ms;"
        f" the longest lasted {max(bounces) * 1000:.1f} ms."
    )
    if new > phases.shortest_pulse * 1000 * ROOM:
        raise CalibrationError(
            f"{channel} bounces for up to {max(bounces) * 1000:.1f} ms, which no debounce time can"
            f" remove without losing pulses of {phases.shortest_pulse * 1000:.0f} ms. Clean the"
            " sensor, tighten its plug, or replace it."
        )
    place = ("boards", board, "channels", channel, "debounce_ms")
    why = f"{channel}: debounce time {config.debounce_ms:g} ms to {new} ms"
    measured.edits.append(TableEdit(place, new, f"{why}, {SAFETY:g} times the longest bounce."))
    return measured


TRIPS = 2
"""Number of trips to the far switch and back (our choice)."""
TRAVEL_TOLERANCE = 0.1
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
        if abs(longest - configured) <= TRAVEL_TOLERANCE * configured:
            measured.sentences.append(
                f"The configured {configured:g} s is within {TRAVEL_TOLERANCE:.0%} of the longest"
                " time; no change."
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
