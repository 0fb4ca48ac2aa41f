"""Motions while a table is learned: one motor, in short pulses, until a sensor answers.

The person who watches the table while it is learned is reached through the protocol `LearnPerson`.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Protocol

from config.schema import MotorChannel, Table
from config.wire_list import WireList
from firmware_bridge.board import (
    Board,
    BoardFault,
    Edge,
    Elapsed,
    FaultCode,
    Level,
    Reason,
    Subscription,
    Until,
)
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardError, BoardRefusedError
from rules.errors import WallwrightError

MOVE = "move"
"""The word that a person types before a motion."""
CLEAR = "clear"
"""The word that a person types before a safety fault is cleared."""
NOTHING, UNSURE = "nothing", "unsure"
YES, NO = "yes", "no"


class QuestionKind(enum.Enum):
    """The subject of a question; each kind has its own answers."""

    MOVED = "moved"
    """Which part of the table moved: a motor of the table, `nothing` or `unsure`."""
    AT_FAR_END = "at_far_end"
    """Whether the part is at its far end now (open, up): `yes`, `no` or `unsure`."""
    WORKS_FORWARD = "works_forward"
    """Whether the motor ran in its working direction: `yes`, `no` or `unsure`."""
    AGAIN = "again"
    """Whether the wires that are not known yet are tried again: `yes` or `no`."""


@dataclass(frozen=True)
class LearnQuestion:
    """A question to the person. `wire` and `role` are the channels that it is about, or ''."""

    kind: QuestionKind
    text: str
    answers: tuple[str, ...]
    wire: str = ""
    role: str = ""


class LearnPerson(Protocol):
    """The person at the table."""

    async def allow(self, please: str, word: str, wire: str = "") -> bool:
        """Announce a motion and wait for the typed word; False if the person skips it."""

    async def choose(self, question: LearnQuestion) -> str:
        """Ask a question; return one of its answers."""

    async def act(self, please: str, role: str) -> None:
        """Ask the person to actuate a sensor by hand; return without waiting for it."""

    def report(self, line: str) -> None:
        """Show a result to the person."""


ARRIVAL = 0.05
"""Time after a pulse in which the last edges arrive, seconds."""
PULSE = 0.3
"""The longest motion without a look at the sensors, seconds (our choice)."""
GENTLE, FULL = 500, 1000
"""Permille of full drive: of a motor that can be modulated, and of any other."""
SAFETY = (FaultCode.EMERGENCY_STOP, FaultCode.LIGHT_CURTAIN)


class SafetyStopError(WallwrightError):
    """A safety fault stopped the motion; it was cleared by a person. The motion can be repeated."""


@dataclass
class Evidence:
    """What the sensors showed while a motor ran in one direction."""

    reached: tuple[str, ...] = ()
    """Sensors that became active and stayed active until the motor stood."""
    edges: dict[str, int] = field(default_factory=dict)
    """Activations of each sensor."""
    seconds: float = 0.0
    """The time for which the motor ran."""
    stopped_by: str = ""
    """The code of a fault that ended the motion; empty if there was none."""


class Prober:
    """Moves one motor at a time. `boards` are open; `longest` is the time of a try in seconds."""

    def __init__(
        self,
        wires: WireList,
        model: Table,
        boards: Mapping[str, Board],
        person: LearnPerson,
        longest: float,
    ) -> None:
        self._boards = boards
        self._person = person
        self._longest = longest
        self._of = {wire: name for name, board in wires.boards.items() for wire in board.channels}
        self._configs = {
            wire: config
            for board in wires.boards.values()
            for wire, config in board.channels.items()
        }
        safety = {*wires.emergency, *wires.curtain}
        self.sensors = tuple(
            wire
            for wire, config in self._configs.items()
            if config.kind == "sensor" and wire not in safety
        )
        self._coils = tuple(
            relay.coil for relay in model.modules.relay if relay.coil in self._configs
        )

    def board_of(self, wire: str) -> Board:
        """The board of a wire."""
        return self._boards[self._of[wire]]

    async def levels(self) -> dict[str, bool]:
        """The present level of every sensor wire."""
        return {wire: bool(await self.board_of(wire).read(wire)) for wire in self.sensors}

    async def run(self, motor: str, way: int) -> Evidence:
        """Run a motor one way in pulses until a sensor stays active, or the time is over.

        Raises SafetyStopError after a safety fault, when the person has cleared it.
        """
        evidence = Evidence()
        async with _Watch(self, motor) as watch:
            while self._longest - evidence.seconds > PULSE / 10:
                before = dict(watch.levels)
                seconds = min(PULSE, self._longest - evidence.seconds)
                reason, ran = await self._drive(motor, way, Elapsed(), seconds)
                evidence.seconds += ran
                if reason is Reason.FAULT:
                    evidence.stopped_by = await self._recover(motor)
                    break
                await asyncio.sleep(ARRIVAL)
                now = watch.levels
                evidence.reached = tuple(wire for wire in now if now[wire] and not before[wire])
                if evidence.reached:
                    break
            evidence.edges = dict(watch.edges)
        return evidence

    async def travel(self, motor: str, way: int, switch: str, limit: float) -> float | None:
        """Drive a motor to a switch, which the board itself watches; the seconds, or None.

        Raises SafetyStopError.
        """
        reason, seconds = await self._drive(motor, way, Level(switch), limit)
        if reason is Reason.FAULT:
            await self._recover(motor)
        return seconds if reason is Reason.LEVEL else None

    async def _drive(
        self, motor: str, way: int, until: Until, limit: float
    ) -> tuple[Reason, float]:
        """Drive a motor under the lease of this one motion; the reason of its end and the time."""
        board = self.board_of(motor)
        async with self._leased(motor):
            try:
                ended = await board.drive(motor, way * self._value(motor), until, limit)
            except BoardRefusedError as refused:
                if refused.why is not Refusal.FAULT_LATCHED:
                    raise
                return Reason.FAULT, 0.0
        return ended.reason, ended.seconds

    def sensors_of(self, board: str) -> tuple[str, ...]:
        """The sensor wires of a board."""
        return tuple(wire for wire in self.sensors if self._of[wire] == board)

    @property
    def boards(self) -> Mapping[str, Board]:
        """The open boards by name."""
        return self._boards

    def _value(self, motor: str) -> int:
        config = self._configs[motor]
        return FULL if isinstance(config, MotorChannel) and config.full_only else GENTLE

    def _leased(self, motor: str) -> _Lease:
        board = self._of[motor]
        coils = [coil for coil in self._coils if self._of[coil] == board]
        return _Lease(self._boards[board], coils)

    async def _recover(self, motor: str) -> str:
        """Clear a fault and return its code; after a safety fault raise SafetyStopError."""
        board = self.board_of(motor)
        fault = await _first_fault(board)
        if fault is not None and fault not in SAFETY:
            await board.clear()
            return fault.name
        name = fault.name if fault is not None else "A fault"
        while True:
            await self._person.allow(
                f"{name} has stopped everything. Find out why, and make the table safe. Then"
                f" release the stop and type '{CLEAR}'. Nothing moves before.",
                CLEAR,
            )
            try:
                await board.clear()
            except BoardRefusedError:
                self._person.report(f"{name} persists; release it first.")
                continue
            raise SafetyStopError(f"{name} stopped the motion of {motor}; it can be repeated.")


class _Watch:
    """Follows every sensor while a motor is tried, and stops the motor at each new activation."""

    def __init__(self, prober: Prober, motor: str) -> None:
        self._prober = prober
        self._motor = motor
        self._tasks: list[asyncio.Task[None]] = []
        self._subscriptions: list[Subscription[Edge]] = []
        self.levels: dict[str, bool] = {}
        self.edges: dict[str, int] = {}

    async def __aenter__(self) -> _Watch:
        for name, board in self._prober.boards.items():
            sensors = self._prober.sensors_of(name)
            if sensors:
                edges = board.watch(*sensors)
                self._subscriptions.append(edges)
                self._tasks.append(asyncio.create_task(self._follow(edges)))
        self.levels = await self._prober.levels()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for edges in self._subscriptions:
            edges.close()

    async def _follow(self, edges: Subscription[Edge]) -> None:
        async for edge in edges:
            self.levels[edge.sensor] = edge.active
            if edge.active:
                self.edges[edge.sensor] = self.edges.get(edge.sensor, 0) + 1
                with suppress(BoardError):
                    await self._prober.board_of(self._motor).stop(self._motor)


class _Lease:
    """The lease of a board with its relays on, for one motion."""

    def __init__(self, board: Board, coils: list[str]) -> None:
        self._board = board
        self._coils = coils

    async def __aenter__(self) -> None:
        await self._board.hold_lease()
        for coil in self._coils:
            await self._board.set(coil, 1)

    async def __aexit__(self, *_: object) -> None:
        with suppress(BoardError):
            await self._board.release_lease()


async def _first_fault(board: Board) -> FaultCode | None:
    """The fault that is latched now, or None if none is reported within a tenth of a second."""
    with suppress(TimeoutError), closing(board.faults) as faults:
        async with asyncio.timeout(0.1):
            async for fault in faults:
                if isinstance(fault, BoardFault):
                    return fault.code
    return None
