"""Continues the commands of one board that a pause interrupted, without repeating any part.

An interrupted command waits. At the end of the pause the board reports the command's progress:
edges that were counted are not requested again, dice that have come to rest are not thrown again.
Values that outputs had are set again: gates and jaws before the commands continue, drum and belts
after them, so that no tile passes a counter that is not being read.

A stop ends every earlier command of its channel, also one that waits for the end of a pause, and
one that is being sent again. So a command is sent only if no stop came since its caller gave it,
which is checked in the same step of the event loop in which it is sent.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from config.schema import BoardConfig, MotorChannel
from controller.run.pausing.pause_gate import CUT_SHORT, Interruption
from firmware_bridge.board import Board, Edges, Ended, Level, Reason, Until
from firmware_bridge.wire.errors import BoardError, BoardRefusedError

T = TypeVar("T")
_STOPPED = Ended(Reason.STOPPED, 0, 0.0)
"""End of a motion that was stopped before it was sent."""


@dataclass(eq=False)
class _Waiting:
    """An interrupted command: its channel, and its progress once the board has reported it."""

    channel: str
    resumed: asyncio.Future[Ended | None]
    is_recalled: bool = False
    progress: Ended | None = None


class ResumedCommands:
    """The commands of one board that are under way, and the values of its outputs."""

    def __init__(self, board: Board, config: BoardConfig, interruption: Interruption) -> None:
        self._board = board
        self._config = config
        self._interruption = interruption
        self._values: dict[str, int] = {}
        """Values that stay on outputs while the lease is held."""
        self._waiting: list[_Waiting] = []
        self._driving: dict[str, tuple[int, int]] = {}
        """Motors that are being driven, with their values and the stops before the drive."""
        self.powered: set[str] = set()
        """Channels that are switched on during a pause: values that are restored, and motors that
        are backed off."""
        self._stops: Counter[str] = Counter()
        """Number of stops by channel."""
        self._stops_of_all = 0
        """Number of stops of all channels."""

    # Commands of callers

    async def set(self, channel: str, value: int) -> None:
        """Set a channel (`Board.set`); the value is set again after every pause, until a stop."""
        self._values[channel] = value
        stops = self._stops_at(channel)

        async def send() -> None:
            if stops == self._stops_at(channel):
                await self._board.set(channel, value)

        await self._interruption.repeat(send)

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        """Pulse an output (`Board.pulse`); after a pause only the remaining time is sent."""
        self._values.pop(channel, None)
        spent, stops = 0.0, self._stops_at(channel)
        while True:
            pulse = partial(self._board.pulse, channel, value, seconds - spent)
            ended = await self._send(channel, pulse, stops)
            if ended is not None:
                spent += ended.seconds
                if ended.reason not in CUT_SHORT or spent >= seconds:
                    return Ended(Reason.DONE, 0, spent)
            if stops != self._stops_at(channel):
                return Ended(Reason.STOPPED, 0, spent)

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        """Drive a motor (`Board.drive`); after a pause only remaining edges and time are sent."""
        self._values.pop(motor, None)
        self._driving[motor] = value, self._stops_at(motor)
        try:
            return await self._drive(motor, value, until, limit)
        finally:
            self._driving.pop(motor, None)

    async def move(self, axes: Iterable[str], command: Callable[[], Awaitable[Ended]]) -> Ended:
        """Move or home axes, again after every pause that interrupts it."""
        axes = tuple(axes)
        stops = self._stops_at(*axes)

        async def send() -> Ended:
            return await command() if stops == self._stops_at(*axes) else _STOPPED

        return await self._interruption.repeat(send)

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        """Throw dice (`Board.throw`); after a pause, read the faces of a completed throw.

        Raises BoardRefusedError if the throw was stopped.
        """
        stops = self._stops_at(channel)
        while True:
            thrown = await self._send(channel, partial(self._board.throw, channel, dice), stops)
            if isinstance(thrown, tuple):
                return thrown
            if thrown is _STOPPED:
                raise BoardRefusedError(
                    f"board {self._board.name}: the throw of {channel} was stopped during a pause;"
                    " throw again."
                )
            if thrown is not None and thrown.reason is Reason.DONE:
                _, faces = await self._interruption.repeat(partial(self._board.thrown, channel))
                return faces[:dice]

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel or all; what is stopped, in a pause or not, is not resumed.

        During a pause the stop is sent only to a channel that the end of the pause has powered:
        the others are off, and the board can be silent.
        """
        if channel is None:
            self._values.clear()
            self._stops_of_all += 1
        else:
            self._values.pop(channel, None)
            self._stops[channel] += 1
        pauses = self._interruption.pauses
        try:
            powered = self.powered if channel is None else self.powered & {channel}
            if not self._interruption.paused or powered:
                await self._board.stop(channel)
        except BoardError as error:
            if not self._interruption.caused(error, pauses):
                raise

    def forget_values(self) -> None:
        """Forget the outputs' values, because the last holder has released the lease."""
        self._values.clear()

    # At the end of a pause

    async def interrupted(self, motor: str) -> int | None:
        """The value of a motor's drive that a pause interrupted; None if none had begun.

        Reads the progress of the drive first. Raises BoardError.
        """
        if not self.is_driven(motor):
            return None
        await self.recall(motor)
        progress = (command.progress for command in self._waiting if command.channel == motor)
        cut_short = any(ended is not None and ended.reason in CUT_SHORT for ended in progress)
        return self._driving[motor][0] if cut_short and self.is_driven(motor) else None

    def is_driven(self, motor: str) -> bool:
        """Whether a caller drives this motor and has not stopped it."""
        return motor in self._driving and self._driving[motor][1] == self._stops_at(motor)

    async def recall(self, motor: str | None = None) -> None:
        """Ask the board for the progress of the waiting commands of one motor, or of all.

        Raises BoardError. More commands may begin to wait while the board is asked; these are
        included.
        """
        while waiting := [
            command
            for command in self._waiting
            if not command.is_recalled and (motor is None or command.channel == motor)
        ]:
            for command in waiting:
                command.progress = await self._board.recall(command.channel)
                command.is_recalled = True

    def resume(self) -> None:
        """Resume the interrupted commands, after the gate was opened."""
        self.powered.clear()
        for command in self._waiting:
            if not command.resumed.done():
                command.resumed.set_result(command.progress)

    async def restore(self, *, motors: bool) -> None:
        """Set the values again, on motors or on the other outputs. Raises BoardError.

        Channels can be stopped and set meanwhile, so each value is read when it is sent.
        """
        for channel in tuple(self._values):
            value = self._values.get(channel)
            is_motor = isinstance(self._config.channels[channel], MotorChannel)
            if value is not None and is_motor is motors:
                self.powered.add(channel)
                await self._board.set(channel, value)

    # Helpers

    def _stops_at(self, *channels: str) -> int:
        """The number of stops of these channels so far."""
        return self._stops_of_all + sum(self._stops[channel] for channel in channels)

    async def _drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        """Send a drive, and after each pause its remaining edges and time."""
        counted, spent, left = 0, 0.0, until
        stops = self._stops_at(motor)
        while True:
            drive = partial(self._board.drive, motor, value, left, limit - spent)
            ended = await self._send(motor, drive, stops)
            if ended is not None and not (isinstance(until, Level) and ended.reason in CUT_SHORT):
                counted, spent = counted + ended.count, spent + ended.seconds
            if ended is not None and ended.reason not in CUT_SHORT:
                return Ended(ended.reason, counted, spent)
            if stops != self._stops_at(motor):
                return Ended(Reason.STOPPED, counted, spent)
            if isinstance(until, Edges):
                if counted >= until.count:
                    return Ended(Reason.EDGES, counted, spent)
                left = Edges(until.sensor, until.count - counted)
            if spent >= limit:
                return Ended(Reason.TIME, counted, spent)

    async def _send(
        self, channel: str, command: Callable[[], Awaitable[T]], stops: int
    ) -> T | Ended | None:
        """Send a command once and return its result; `_STOPPED` if there were more `stops` since.

        If a pause interrupts the command, return its progress when the pause is over; None if the
        command never began.
        """
        await self._interruption.wait_until_over()
        if stops != self._stops_at(channel):
            return _STOPPED
        pauses = self._interruption.pauses
        try:
            result = await command()
        except BoardError as error:
            if not self._interruption.caused(error, pauses):
                raise
        else:
            if not (isinstance(result, Ended) and self._interruption.ended(result, pauses)):
                return result
        return await self._progress(channel)

    async def _progress(self, channel: str) -> Ended | None:
        """The progress of a channel's command, read when the pause is over."""
        while not self._interruption.paused:
            pauses = self._interruption.pauses
            try:
                return await self._board.recall(channel)
            except BoardError as error:
                if not self._interruption.caused(error, pauses):
                    raise
        waiting = _Waiting(channel, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            return await waiting.resumed
        finally:
            self._waiting.remove(waiting)
