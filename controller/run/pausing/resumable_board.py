"""Wraps a board and resumes the commands that a pause interrupted.

Callers see a command that takes longer, not the pause. When a pause begins, the lease of every
board is released, so all outputs go to their safe values. When it ends, the board's session is
begun again if it was lost (`resumable_session`), its lease is taken again (`board_lease`), and
commands and output values are resumed (`resumed_commands`).

While the table is not paused, the wrapper sends no command of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from config.schema import BoardConfig
from controller.run.pausing.board_lease import BoardLease
from controller.run.pausing.edges import EdgeSubscription
from controller.run.pausing.interruption import Interruption
from controller.run.pausing.pause_gate import PauseGate
from controller.run.pausing.power_lease import BoardSupply
from controller.run.pausing.resumable_session import ResumableSession
from controller.run.pausing.resumed_commands import ResumedCommands
from controller.run.run_together import run_together
from controller.run.stations.homing import Homing
from firmware_bridge.board import (
    AnyFault,
    Board,
    BoardIdentity,
    Elapsed,
    Ended,
    Subscription,
    Until,
)
from firmware_bridge.wire.messages import Refusal


class ResumableBoard:
    """A `Board` that wraps another one. `home` homes its axes after they have lost their power.

    Where the board has a `supply`, its lease is taken from there, with power on the motors.
    """

    def __init__(
        self,
        board: Board,
        config: BoardConfig,
        gate: PauseGate,
        home: Homing | None = None,
        supply: BoardSupply | None = None,
    ) -> None:
        self.wrapped = board
        """The board itself, which takes commands while the table is paused."""
        self._interruption = Interruption(board.name, gate, self._is_unexpected)
        self._lease = BoardLease(board, supply, self._interruption)
        self._commands = ResumedCommands(board, config, self._interruption)
        self._session = ResumableSession(board, config, gate, home)

    @property
    def name(self) -> str:
        return self.wrapped.name

    # Open and close

    async def start(self) -> BoardIdentity:
        return await self._session.start()

    async def self_test(self) -> int:
        return await self.wrapped.self_test()

    async def storage_used(self) -> int | None:
        return await self.wrapped.storage_used()

    async def close(self) -> None:
        self._lease.forget()
        await self.wrapped.close()

    # The lease

    async def hold_lease(self) -> None:
        await self._lease.hold()

    async def release_lease(self) -> None:
        """Release the lease; during a pause only the holder is removed. Raises BoardError."""
        if await self._lease.release():
            self._commands.forget_values()
            await self._lease.give_back()

    # Commands

    async def set(self, channel: str, value: int) -> None:
        await self._commands.set(channel, value)

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        return await self._commands.pulse(channel, value, seconds)

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        return await self._commands.drive(motor, value, until, limit)

    async def move(self, targets: Mapping[str, float], speed: int = 1000) -> Ended:
        self._session.record_targets(targets)
        return await self._commands.move(targets, partial(self.wrapped.move, targets, speed))

    async def home(self, axis: str) -> Ended:
        self._session.forget_target(axis)
        return await self._commands.move((axis,), partial(self.wrapped.home, axis))

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        return await self._commands.throw(channel, dice)

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel or all; what is stopped during a pause is not resumed."""
        await self._commands.stop(channel)

    def stop_all(self) -> None:
        self.wrapped.stop_all()

    async def clear(self) -> None:
        await self.wrapped.clear()

    # Queries

    async def read(self, channel: str) -> int:
        return await self._interruption.repeat(partial(self.wrapped.read, channel))

    async def count(self, sensor: str) -> int:
        return await self._interruption.repeat(partial(self.wrapped.count, sensor))

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        return await self._interruption.repeat(partial(self.wrapped.thrown, channel))

    async def recall(self, channel: str) -> Ended | None:
        return await self._interruption.repeat(partial(self.wrapped.recall, channel))

    async def scan(self, channel: str) -> int | None:
        return await self._interruption.repeat(partial(self.wrapped.scan, channel))

    def watch(self, *sensors: str) -> EdgeSubscription:
        """Every edge of these sensors until the `close`; continues after a lost line."""
        return self._session.subscribe(sensors)

    @property
    def faults(self) -> Subscription[AnyFault]:
        return self.wrapped.faults

    # For `Pauses`, which supervises the boards and ends pauses

    @property
    def is_leased(self) -> bool:
        """Whether its lease is being renewed, and so the board answers several times a second."""
        return self._lease.is_leased

    async def poll(self) -> None:
        """Read a sensor, if there is one, to check that the board answers. Raises BoardError."""
        await self._session.poll()

    def mark_power_lost(self) -> None:
        """Note that its axes have lost their power, so that they are homed before they move."""
        self._session.mark_power_lost()

    async def make_safe(self) -> None:
        """Let all outputs go to their safe values, if the board still answers."""
        self._commands.powered.clear()
        await self._lease.drop()

    async def restart(self) -> BoardIdentity | None:
        """Begin a session if there is none; wait until axes have ramped down. Raises BoardError.

        Returns the identity of a board that was reset since the last session, otherwise None.
        """
        return await self._session.restart()

    async def interrupted(self, motor: str) -> int | None:
        """The value of the drive of a motor that the pause interrupted; None if there is none.

        Raises BoardError.
        """
        return await self._commands.interrupted(motor)

    async def back_off(self, seconds: Mapping[str, float]) -> tuple[str, ...]:
        """Clear the board and drive motors in reverse for these times, with the gate shut.

        Returns the motors whose drive the pause interrupted; no other motor is driven. Raises
        BoardError; BoardRefusedError if the board has latched another fault whose cause persists.
        """
        # The board keeps the progress of one command for each channel, and the reverse drive
        # replaces the one that is interrupted; so its progress is read first.
        values = {motor: await self.interrupted(motor) for motor in seconds}
        driven = {motor: value for motor, value in values.items() if value is not None}
        if driven:
            await self.wrapped.clear()
            async with self._lease.lent():
                # A person who reaches in can have stopped a motor meanwhile.
                backed = [motor for motor in driven if self._commands.is_driven(motor)]
                self._commands.powered.update(backed)
                await run_together(
                    *(
                        self.wrapped.drive(motor, -driven[motor], Elapsed(), seconds[motor])
                        for motor in backed
                    )
                )
        return tuple(driven)

    async def restore(self) -> None:
        """Restore axes, lease, gates and jaws, and read the progress of interrupted commands.

        Raises BoardError, TableFault.
        """
        await self._session.restore_axes(self._lease)
        await self._lease.take()
        await self._commands.recall()
        await self._restore_values(motors=False)

    def resume(self) -> None:
        """Resume the interrupted commands, after the gate was opened."""
        self._commands.resume()

    async def restart_motors(self) -> None:
        """Run drum and belts again, after the drives that count their tiles. Raises BoardError."""
        await self._restore_values(motors=True)

    async def _restore_values(self, *, motors: bool) -> None:
        if self._lease.is_wanted:
            await self._commands.restore(motors=motors)

    def _is_unexpected(self, why: Refusal) -> bool:
        """Whether a refusal means that the board has lost its lease or its axes' positions."""
        if why is Refusal.NO_LEASE:
            return self._lease.is_wanted
        if why is Refusal.NOT_HOMED:
            return self._session.has_lost_home()
        return True
