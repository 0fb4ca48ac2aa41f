"""Continues the commands of one board that a pause interrupted, without repeating any part.

An interrupted command waits. At the end of the pause the board reports the command's progress:
edges that were counted are not requested again, dice that have come to rest are not thrown again.
Values that outputs had are set again: gates and jaws before the commands continue, drum and belts
after them, so that no tile passes a counter that is not being read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from config.schema import BoardConfig, MotorChannel
from controller.pausing.interruption import CUT_SHORT, Interruption
from firmware_bridge.board import Board, Edges, Ended, Level, Reason, Until
from firmware_bridge.wire.errors import BoardError

T = TypeVar("T")


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
        self._driving: dict[str, int] = {}
        """Motors that are being driven, with their values."""
        self._stopped: set[str] = set()
        """Motors that were driven when a pause began and that a caller stopped during it."""

    # Commands of callers

    async def set(self, channel: str, value: int) -> None:
        """Set a channel (`Board.set`); the value is set again after every pause."""
        self._values[channel] = value
        await self._interruption.repeat(partial(self._board.set, channel, value))

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        """Pulse an output (`Board.pulse`); after a pause only the remaining time is sent."""
        self._values.pop(channel, None)
        spent = 0.0
        while True:
            pulse = partial(self._board.pulse, channel, value, seconds - spent)
            ended = await self._send(channel, pulse)
            if ended is not None:
                spent += ended.seconds
                if ended.reason not in CUT_SHORT or spent >= seconds:
                    return Ended(Reason.DONE, 0, spent)

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        """Drive a motor (`Board.drive`); after a pause only remaining edges and time are sent."""
        self._values.pop(motor, None)
        self._driving[motor] = value
        try:
            ended = await self._send(motor, partial(self._board.drive, motor, value, until, limit))
            if ended is not None and ended.reason not in CUT_SHORT:
                return ended
            return await self._drive_on(motor, value, until, limit, ended)
        finally:
            self._driving.pop(motor, None)
            self._stopped.discard(motor)

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        """Throw dice (`Board.throw`); after a pause, read the faces of a completed throw."""
        while True:
            thrown = await self._send(channel, partial(self._board.throw, channel, dice))
            if isinstance(thrown, tuple):
                return thrown
            if thrown is not None and thrown.reason is Reason.DONE:
                _, faces = await self._interruption.repeat(partial(self._board.thrown, channel))
                return faces[:dice]

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel or all; a motion that is stopped, in a pause or not, is not resumed."""
        if channel is None:
            self._values.clear()
        else:
            self._values.pop(channel, None)
        driving = self._driving.keys()
        self._stopped |= driving if channel is None else driving & {channel}
        pauses = self._interruption.pauses
        try:
            if not self._interruption.paused:
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
        if motor not in self._driving or motor in self._stopped:
            return None
        await self.recall(motor)
        progress = (command.progress for command in self._waiting if command.channel == motor)
        cut_short = any(ended is not None and ended.reason in CUT_SHORT for ended in progress)
        return self._driving.get(motor) if cut_short else None

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
        for command in self._waiting:
            if not command.resumed.done():
                command.resumed.set_result(command.progress)

    async def restore(self, *, motors: bool) -> None:
        """Set the values again, on motors or on the other outputs. Raises BoardError."""
        for channel, value in tuple(self._values.items()):
            if isinstance(self._config.channels[channel], MotorChannel) is motors:
                await self._board.set(channel, value)

    # Helpers

    async def _drive_on(
        self, motor: str, value: int, until: Until, limit: float, progress: Ended | None
    ) -> Ended:
        """Send the remaining edges and time of an interrupted drive, again after each pause."""
        counted, spent, left = 0, 0.0, until
        while True:
            if progress is not None and not isinstance(until, Level):
                counted, spent = counted + progress.count, spent + progress.seconds
            if motor in self._stopped:
                return Ended(Reason.STOPPED, counted, spent)
            if isinstance(until, Edges):
                if counted >= until.count:
                    return Ended(Reason.EDGES, counted, spent)
                left = Edges(until.sensor, until.count - counted)
            if spent >= limit:
                return Ended(Reason.TIME, counted, spent)
            drive = partial(self._board.drive, motor, value, left, limit - spent)
            progress = await self._send(motor, drive)
            if progress is not None and progress.reason not in CUT_SHORT:
                return Ended(progress.reason, counted + progress.count, spent + progress.seconds)

    async def _send(self, channel: str, command: Callable[[], Awaitable[T]]) -> T | Ended | None:
        """Send a command once and return its result.

        If a pause interrupts the command, return its progress when the pause is over; None if the
        command never began.
        """
        await self._interruption.wait_until_over()
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
