"""Clears the faults that boards have latched: backs parts off an obstacle, then asks a person.

`BackingOff` works before a person is asked. The board has latched an over-current and switched all
outputs off, so each part has stopped where it was, and the one that met the obstacle may still
press on it. It is driven back a little at once: a hand that is caught must not wait until a person
who may clear faults has come. A board that measures the current of all its motors at one shunt can
only name the motor that started last. So every part within reach of people that was moving is
driven back, unless the named motor has an analogue input of its own for its current.

`FaultClearing` then clears the faults, after a person's confirmation where that is required.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial

from config.schema import MotorChannel, Table
from config.validation.electrical import sensed_motors
from controller.run.faults.catalogue import CATALOGUE, Fault, latched
from controller.run.pausing.operator_help import OperatorHelp
from controller.run.pausing.pause_gate import (
    COMMAND,
    PROTOCOL,
    SILENT,
    STRANGER,
    PauseCause,
    PauseGate,
)
from controller.run.pausing.resumable_board import ResumableBoard
from controller.run.stations.switched import BACK_OFF
from firmware_bridge.board import FaultCode
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardRefusedError,
    BoardSilentError,
)

RELEASE_LIMIT = 900.0
"""Seconds for which an input (emergency stop, light curtain) may stay active before a person is
asked about it (our choice)."""
_READ_INTERVAL = 10.0
"""Seconds after which such an input is read again if no edge was reported."""
SELF_ENDING = (FaultCode.LEASE_EXPIRED, FaultCode.BROWN_OUT, FaultCode.WATCHDOG)
"""Causes that are over once the board answers; no person is asked."""
_NOT_LATCHED = (SILENT, STRANGER, COMMAND, FaultCode.LEASE_EXPIRED.name)
"""Causes for which a board has no fault to clear."""
_AT_AN_INPUT = (FaultCode.EMERGENCY_STOP, FaultCode.LIGHT_CURTAIN)
"""Causes that last until an input is released; then a person confirms that they are clear."""

OnEachBoard = Callable[[Callable[[ResumableBoard], Awaitable[None]]], Awaitable[None]]
"""Runs an action on all boards in parallel. Raises BoardError, TableFault."""


class FaultClearing:
    """Clears the latched faults of a table's boards during one pause after another."""

    def __init__(
        self,
        boards: Mapping[str, ResumableBoard],
        gate: PauseGate,
        people: OperatorHelp,
        backing_off: BackingOff,
        clock: Callable[[], float],
        on_each_board: OnEachBoard,
    ) -> None:
        self._boards = boards
        self._gate = gate
        self._people = people
        self._backing_off = backing_off
        self._clock = clock
        self._on_each_board = on_each_board

    def outstanding(self) -> list[PauseCause]:
        """The causes of the pause that a board keeps latched until it is cleared, oldest first."""
        return [
            cause
            for cause in self._gate.causes
            if cause.why not in _NOT_LATCHED and cause not in self._gate.cleared
        ]

    async def clear(self) -> None:
        """Clear all latched faults, after a person has confirmed them.

        Faults that were cleared earlier in the pause are skipped unless their board has reported
        them again. Raises BoardError, TableFault.
        """
        confirmed: set[PauseCause] = set()
        asked: set[FaultCode | PauseCause | tuple[str, ...] | None] = set()
        wait_until = self._clock() + RELEASE_LIMIT
        # Boards may report further faults during a question; no board is cleared before a person
        # has been asked about these too.
        while cause := next((each for each in self.outstanding() if each not in confirmed), None):
            code = cause.code
            if code not in SELF_ENDING:
                if code in _AT_AN_INPUT and cause.channel:
                    await self._wait_for_release(cause, wait_until)
                # An obstacle between two parts has to be removed from both.
                parts = await self._backing_off.obstructed(cause)
                question = parts or (cause if cause.why == PROTOCOL else code)
                if question not in asked:
                    asked.add(question)
                    row = CATALOGUE[Fault.OBSTRUCTED if parts else _fault_of(cause)]
                    seen = cause.seen.rstrip(".") or None
                    await self._people.help(cause, row, seen, _either(parts))
            confirmed.add(cause)
        await self._on_each_board(partial(self._clear_board, confirmed))
        # People may press the stop or reach in at any time. That is not a sign of a defect, so the
        # number of questions about it is not limited.
        self._people.forget(lambda cause: cause.code in _AT_AN_INPUT)

    def is_unexplained(self, error: BoardError) -> bool:
        """Whether a board refuses a command for a latched fault that no report has named.

        Then a report may have been lost, and a person is asked again about all causes.
        """
        if self.outstanding() or isinstance(error, BoardSilentError | BoardProtocolError):
            return False
        # An error without a reason contains the errors of several boards.
        why = error.why if isinstance(error, BoardRefusedError) else Refusal.FAULT_LATCHED
        return why is Refusal.FAULT_LATCHED

    async def _clear_board(self, confirmed: set[PauseCause], board: ResumableBoard) -> None:
        """Clear a board's confirmed faults. Raises BoardRefusedError while a cause persists."""
        causes = {cause for cause in confirmed if cause.board == board.name}
        if causes:
            # Marked before the board replies: a fault that the board reports after the command
            # removes its mark again.
            self._gate.cleared |= causes
            try:
                await board.clear()
            except BaseException:
                self._gate.cleared -= causes
                raise

    async def _wait_for_release(self, cause: PauseCause, latest: float) -> None:
        """Wait until an input is released, or until the time `latest`; then a person is asked.

        If the input is still active after the answer, the board refuses to be cleared, and the wait
        begins again; the number of questions is limited.
        """
        board = self._boards[cause.board].wrapped
        with closing(board.watch(cause.channel)) as edges:
            while await board.read(cause.channel) and self._clock() < latest:
                # A board that is reset meanwhile reports no edge. The next read then fails, and all
                # steps start again from the first one.
                with suppress(TimeoutError):
                    async with asyncio.timeout(_READ_INTERVAL):
                        await anext(edges)


def _either(parts: tuple[str, ...]) -> str | None:
    """Names of parts in a sentence, such as "lift 0, lift 1 or lift 3"; None without a part."""
    *others, last = parts or ("",)
    return f"{', '.join(others)} or {last}" if others else last or None


def _fault_of(cause: PauseCause) -> Fault:
    """The fault about which a person is asked; without a code it is BOARD or PROTOCOL."""
    if cause.code is None:
        return Fault.PROTOCOL if cause.why == PROTOCOL else Fault.BOARD
    return Fault.OBSTRUCTED if cause.code is FaultCode.LIGHT_CURTAIN else latched(cause.code)


@dataclass(frozen=True)
class _Part:
    """A part within reach of people: its name for people, and its travel time in seconds."""

    name: str
    seconds: float


class BackingOff:
    """Backs off once from each over-current of one pause.

    `report` is called with each motor and the seconds for which it was driven back. If the pause
    has any other cause as well, no part moves, because an emergency stop and a hand in the light
    curtain may require that every part stays where it is.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, ResumableBoard],
        report: Callable[[str, float], None],
    ) -> None:
        self._parts = _parts(table)
        self._measured = _measured(table)
        self._board_of = {motor: table.board_of(motor) for motor in self._parts}
        self._boards = boards
        self._report = report
        self._suspects: dict[PauseCause, tuple[str, ...]] = {}
        """The motors that may have met the obstacle, by the causes of this pause."""
        self._moved: set[str] = set()
        """Motors that were driven back in this pause."""

    async def obstructed(self, cause: PauseCause) -> tuple[str, ...]:
        """The names of the parts of which one has met an obstacle; none for any other cause.

        Raises BoardError.
        """
        return tuple(self._parts[motor].name for motor in await self._suspected(cause))

    async def answer(self, causes: tuple[PauseCause, ...]) -> None:
        """Drive back a little every part that may have met an obstacle. Raises BoardError."""
        suspects = [await self._suspected(cause) for cause in causes]
        if not all(suspects):
            return
        for cause, motors in zip(causes, suspects, strict=True):
            await self._back_off(cause.board, [each for each in motors if each not in self._moved])

    def end_pause(self) -> None:
        """Reset at the end of a pause, so that each part can back off once in the next pause."""
        self._suspects.clear()
        self._moved.clear()

    async def _suspected(self, cause: PauseCause) -> tuple[str, ...]:
        """The motors that may have met the obstacle of a cause: the interrupted ones of its board.

        A motor whose own current was measured is the only one.
        """
        if cause.code is not FaultCode.OVER_CURRENT:
            return ()
        if cause not in self._suspects:
            alone = cause.channel in self._measured
            board = self._boards[cause.board]
            self._suspects[cause] = tuple(
                [
                    motor
                    for motor, name in self._board_of.items()
                    if name == cause.board
                    and (motor == cause.channel or not alone)
                    and await board.interrupted(motor) is not None
                ]
            )
        return self._suspects[cause]

    async def _back_off(self, board: str, motors: list[str]) -> None:
        """Drive parts of a board back by the share `BACK_OFF` of their travel times."""
        self._moved.update(motors)
        seconds = {motor: self._parts[motor].seconds * BACK_OFF for motor in motors}
        try:
            moved = await self._boards[board].back_off(seconds)
        except BoardRefusedError:
            return  # the board has latched another fault meanwhile, which it reports by itself
        for motor in moved:
            self._report(motor, seconds[motor])


def _measured(table: Table) -> frozenset[str]:
    """The motors whose limit is compared with their own current, at an input of their own."""
    channels = ((motor, table.channel(motor)) for motor in sensed_motors(table))
    return frozenset(
        motor
        for motor, config in channels
        if isinstance(config, MotorChannel) and config.current_limit is not None
    )


def _parts(table: Table) -> Mapping[str, _Part]:
    """The parts that move between two switches within reach of people, by their motors.

    The jaws are left out, because they would drop the tiles that they hold.
    """
    modules = table.modules
    parts: dict[str, _Part] = {}
    if modules.lid:
        parts[modules.lid.motor] = _Part("lid", modules.lid.seconds)
    if modules.trays:
        for side, tray in enumerate(modules.trays.sides):
            if tray.lift:
                parts[tray.lift] = _Part(f"lift {side}", modules.trays.lift)
    if modules.lanes:
        for seat, lane in enumerate(modules.lanes.seats):
            parts[lane.presenter] = _Part(f"hand lane {seat}", modules.lanes.present)
    if modules.flipper:
        parts[modules.flipper.motor] = _Part("flipper", modules.flipper.flip)
    return parts
