"""Continues the commands of one board that a pause interrupted, without repeating any part.

An interrupted command waits. Then the board reports its progress: edges that were counted are not
requested again, dice that lie still are not thrown again. A value that an output had is set again:
gates and jaws before the commands go on, drum and belts after them, so that no tile passes a
counter that is not being read.
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
    over: asyncio.Future[Ended | None]
    asked: bool = False
    came: Ended | None = None


class ResumedOrders:
    """The commands of one board that are under way, and the values of its outputs."""

    def __init__(self, board: Board, config: BoardConfig, interruption: Interruption) -> None:
        self._board = board
        self._config = config
        self._interruption = interruption
        self._standing: dict[str, int] = {}
        """Values that stay on outputs while the lease is held."""
        self._waiting: list[_Waiting] = []
        self._driving: dict[str, int] = {}
        """Motors that are being driven, with their values."""
        self._stopped: set[str] = set()
        """Motors that were driven when a pause began and were stopped for good during it."""

    # Commands of callers

    async def set(self, channel: str, value: int) -> None:
        self._standing[channel] = value
        await self._interruption.repeat(partial(self._board.set, channel, value))

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        self._standing.pop(channel, None)
        spent = 0.0
        while True:
            pulse = partial(self._board.pulse, channel, value, seconds - spent)
            ended = await self._once(channel, pulse)
            if ended is not None:
                spent += ended.seconds
                if ended.reason not in CUT_SHORT or spent >= seconds:
                    return Ended(Reason.DONE, 0, spent)

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        self._standing.pop(motor, None)
        self._driving[motor] = value
        try:
            ended = await self._once(motor, partial(self._board.drive, motor, value, until, limit))
            if ended is not None and ended.reason not in CUT_SHORT:
                return ended
            return await self._drive_on(motor, value, until, limit, ended)
        finally:
            self._driving.pop(motor, None)
            self._stopped.discard(motor)

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        while True:
            thrown = await self._once(channel, partial(self._board.throw, channel, dice))
            if isinstance(thrown, tuple):
                return thrown
            if thrown is not None and thrown.reason is Reason.DONE:
                lie = await self._interruption.repeat(partial(self._board.thrown, channel))
                return lie[1][:dice]

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel or everything; what is stopped in a pause is not resumed after it."""
        if channel is None:
            self._standing.clear()
        else:
            self._standing.pop(channel, None)
        if self._interruption.paused:
            driving = self._driving.keys()
            self._stopped |= driving if channel is None else driving & {channel}
        pauses = self._interruption.pauses
        try:
            if not self._interruption.paused:
                await self._board.stop(channel)
        except BoardError as error:
            if not self._interruption.caused(error, pauses):
                raise

    def let_go(self) -> None:
        """The last holder has given the lease back: no output has a value any more."""
        self._standing.clear()

    # At the end of a pause

    def driven_by(self, motor: str) -> int | None:
        """The value by which a motor is being driven; None if it is not."""
        return self._driving.get(motor)

    async def recall(self, motor: str | None = None) -> None:
        """Ask the board for the progress of waiting commands. Raises BoardError.

        Of one motor or all. More commands may begin to wait while the board is asked.
        """
        while waiting := [
            order
            for order in self._waiting
            if not order.asked and (motor is None or order.channel == motor)
        ]:
            for order in waiting:
                order.came, order.asked = await self._board.recall(order.channel), True

    def go_on(self) -> None:
        """The gate is open: resume the interrupted commands."""
        for order in self._waiting:
            if not order.over.done():
                order.over.set_result(order.came)

    async def restore(self, *, motors: bool) -> None:
        """Set the values again, on motors or on the other outputs. Raises BoardError."""
        for channel, value in tuple(self._standing.items()):
            if isinstance(self._config.channels[channel], MotorChannel) is motors:
                await self._board.set(channel, value)

    # Helpers

    async def _drive_on(
        self, motor: str, value: int, until: Until, limit: float, came: Ended | None
    ) -> Ended:
        """Drive the rest of an interrupted drive, as often as it is interrupted."""
        counted, spent, left = 0, 0.0, until
        while True:
            if came is not None and not isinstance(until, Level):
                counted, spent = counted + came.count, spent + came.seconds
            if motor in self._stopped:
                return Ended(Reason.STOPPED, counted, spent)
            if isinstance(until, Edges):
                if counted >= until.count:
                    return Ended(Reason.EDGES, counted, spent)
                left = Edges(until.sensor, until.count - counted)
            if spent >= limit:
                return Ended(Reason.TIME, counted, spent)
            drive = partial(self._board.drive, motor, value, left, limit - spent)
            came = await self._once(motor, drive)
            if came is not None and came.reason not in CUT_SHORT:
                return Ended(came.reason, counted + came.count, spent + came.seconds)

    async def _once(self, channel: str, order: Callable[[], Awaitable[T]]) -> T | Ended | None:
        """Send a command; if a pause interrupts it, its progress, None if it never began."""
        await self._interruption.over()
        pauses = self._interruption.pauses
        try:
            result = await order()
        except BoardError as error:
            if not self._interruption.caused(error, pauses):
                raise
        else:
            if not (isinstance(result, Ended) and self._interruption.ended(result, pauses)):
                return result
        return await self._came(channel)

    async def _came(self, channel: str) -> Ended | None:
        """Progress of a command: asked at once if the pause is over already, else at its end."""
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
            return await waiting.over
        finally:
            self._waiting.remove(waiting)
