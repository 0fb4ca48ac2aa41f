"""Wraps a board and resumes the commands that a pause interrupted.

Callers see a command that takes longer, not the pause. When a pause begins, the lease of every
board is released, so all outputs go to their safe values. When it ends, the board's session is
begun again if it was lost (`ResumableSession`), its lease is taken again (`BoardLease`),
subscriptions continue (`EdgeSubscription`), and commands and output values are resumed
(`ResumedCommands`).

While the table is not paused, the wrapper sends no command of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from config.schema import AxisChannel, BoardConfig, SensorChannel
from controller.run.pausing.leases import BoardLease, BoardSupply
from controller.run.pausing.pause_gate import SILENT, Interruption, PauseCause, PauseGate
from controller.run.pausing.resumed_commands import ResumedCommands
from controller.run.run_together import run_together
from controller.run.stations.homing import Homing
from firmware_bridge.board import (
    AnyFault,
    Board,
    BoardIdentity,
    Edge,
    Elapsed,
    Ended,
    Subscription,
    Until,
)
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardSilentError


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


_RAMP = 0.1
"""Margin on the time that an axis takes to ramp down from full speed, seconds."""


class ResumableSession:
    """The sessions with one board. `home` homes its axes after they have lost their power."""

    def __init__(
        self, board: Board, config: BoardConfig, gate: PauseGate, home: Homing | None
    ) -> None:
        self._board = board
        self._gate = gate
        self._home = home
        self._targets: dict[str, float] = {}
        """Position to which each axis was last sent, metres."""
        self._positions_lost = False
        """Whether the axes have lost their power and so their positions."""
        self._boots: int | None = None
        self._subscriptions: dict[EdgeSubscription, None] = {}
        """In the order of subscription, which a set would not keep."""
        channels = config.channels
        self._sensor = next(
            (name for name, each in channels.items() if isinstance(each, SensorChannel)), None
        )
        self._ramps = max(
            (
                channel.speed / channel.acceleration + _RAMP
                for channel in channels.values()
                if isinstance(channel, AxisChannel)
            ),
            default=0.0,
        )

    # While the table runs

    def subscribe(self, sensors: tuple[str, ...]) -> EdgeSubscription:
        """Every edge of these sensors until the `close`; continues after a lost line."""
        subscription = EdgeSubscription(self._board, self._gate, sensors, self._unsubscribe)
        self._subscriptions[subscription] = None
        return subscription

    def _unsubscribe(self, subscription: EdgeSubscription) -> None:
        self._subscriptions.pop(subscription, None)

    def record_targets(self, targets: Mapping[str, float]) -> None:
        """Record the positions to which axes are sent, metres."""
        self._targets.update(targets)

    def forget_target(self, axis: str) -> None:
        """Forget the last target of an axis, because the axis is being homed."""
        self._targets.pop(axis, None)

    def mark_power_lost(self) -> None:
        """Note that the axes have lost their power, so that they are homed before they move."""
        self._positions_lost = True

    def has_lost_home(self) -> bool:
        """Whether a refusal NOT_HOMED is unexpected: an axis that was in use has lost its home."""
        self._positions_lost |= bool(self._targets)
        return bool(self._targets)

    async def poll(self) -> None:
        """Read a sensor, if there is one, to check that the board answers. Raises BoardError."""
        if self._sensor is not None:
            await self._board.read(self._sensor)

    # Sessions

    async def start(self) -> BoardIdentity:
        """Begin the first session. Raises BoardError."""
        identity = await self._board.start()
        self._boots = identity.boots
        return identity

    async def restart(self) -> BoardIdentity | None:
        """Begin a session if there is none; wait until axes have ramped down. Raises BoardError.

        Returns the identity of a board that was reset since the last session: its axes have lost
        their homes. Otherwise returns None.
        """
        identity = await self._board.start()
        was_reset = self._boots is not None and identity.boots != self._boots
        self._positions_lost |= was_reset
        self._boots = identity.boots
        for subscription in tuple(self._subscriptions):
            await subscription.recover()
        await asyncio.sleep(self._ramps)
        return identity if was_reset else None

    async def restore_axes(self, lease: BoardLease) -> None:
        """Home the axes and send them back to their targets, if they have lost their power.

        Raises BoardError, TableFault.
        """
        if self._positions_lost and self._home is not None and self._targets:
            await self._home(self._board, self._targets, lease.lent)
        self._positions_lost = False


class EdgeSubscription:
    """Asynchronous iterator over the edges of sensors, which continues after a lost line.

    If a sensor's count has risen while the line was lost, one edge reports that. Only sensors that
    have given an edge to this subscription before are checked, since it has no earlier count of the
    others. `leave` ends the recovery of this subscription after lost lines.
    """

    def __init__(
        self,
        board: Board,
        gate: PauseGate,
        sensors: tuple[str, ...],
        leave: Callable[[EdgeSubscription], None],
    ) -> None:
        self._leave = leave
        self._board = board
        self._gate = gate
        self._sensors = sensors
        self._edges = board.watch(*sensors)
        self._recovered = asyncio.Event()
        self._lost = self._closed = False
        self._last: dict[str, Edge] = {}
        self._missed: list[Edge] = []

    def __aiter__(self) -> EdgeSubscription:
        return self

    async def __anext__(self) -> Edge:
        while not self._missed:
            if self._closed:
                raise StopAsyncIteration
            try:
                edge = await anext(self._edges)
            except BoardSilentError:
                self._lost = True
                self._recovered.clear()
                self._gate.shut(PauseCause(SILENT, self._board.name))
                await self._recovered.wait()
            else:
                self._last[edge.sensor] = edge
                return edge
        edge = self._missed.pop(0)
        self._last[edge.sensor] = edge
        return edge

    def close(self) -> None:
        """End the subscription, and an iteration that still waits for an edge. Idempotent."""
        self._closed = True
        self._leave(self)
        self._edges.close()
        self._recovered.set()

    async def recover(self) -> None:
        """Subscribe again after a lost line and report missed edges; called during the pause."""
        if self._lost:
            self._edges.close()
            self._edges = self._board.watch(*self._sensors)
            for sensor, last in self._last.items():
                if (count := await self._board.count(sensor)) > last.count:
                    self._missed.append(Edge(sensor, True, last.at, count))
            self._lost = False
            self._recovered.set()
