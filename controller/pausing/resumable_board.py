"""A board whose orders outlive pauses: whoever gives them need not know that there was one.

An order that a pause cuts short waits at the gate. The board remembers how far it came (`recall`),
so it is continued and not repeated: edges that were counted are not asked for again, dice that lie
still are not thrown again. What is absolute (a level, a position, a value) is ordered once more.

A pause takes the lease of every board, so all outputs are safe. Afterwards the lease is taken again
for whoever still holds it, and what stood is named anew: first gates and jaws, then the drives that
were cut short, then drum and belts, so that no tile passes a counter that nobody reads.

While nothing happens this adds no command to the line.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from weakref import WeakSet

from config.schema import AxisChannel, BoardConfig, MotorChannel, SensorChannel
from controller.pausing.edges import Listening
from controller.pausing.pause_gate import FAULT, SILENT, Gate, Trouble
from controller.pausing.power_lease import Supply
from controller.stations.homing import Homing
from firmware_bridge.board import (
    Board,
    BoardFault,
    BoardIdentity,
    Edge,
    Edges,
    Elapsed,
    Ended,
    FaultCode,
    Level,
    Reason,
    Until,
)
from firmware_bridge.wire.errors import BoardError, BoardRefusedError, BoardSilentError
from firmware_bridge.wire.messages import Refusal

T = TypeVar("T")

_REFUSED = {
    Refusal.NO_LEASE: FaultCode.LEASE_EXPIRED,
    Refusal.FAULT_LATCHED: None,
    Refusal.NOT_CONFIGURED: FaultCode.BROWN_OUT,
    Refusal.NOT_HOMED: FaultCode.BROWN_OUT,
}
"""Refusals that mean a pause, and its reason; None where the board tells the fault by itself."""
_CUT_SHORT = (Reason.HELD, Reason.FAULT, Reason.STOPPED)
_RAMP = 0.1
"""Longer than its ramp, an axis has come to rest for certain, seconds."""


@dataclass(eq=False)
class _Waiting:
    """An order that was cut short: its channel, and how far it came once the board was asked."""

    channel: str
    over: asyncio.Future[Ended | None]
    asked: bool = False
    came: Ended | None = None


class SteadyBoard:
    """A `Board` around a board. `home` finds its axes again after they lost their power.

    Where the board has a `supply`, its lease comes from there, with power on the motors.
    """

    def __init__(
        self,
        board: Board,
        config: BoardConfig,
        gate: Gate,
        home: Homing | None = None,
        supply: Supply | None = None,
    ) -> None:
        self.plain = board
        """The board itself: what may be told while the table is paused."""
        self._supply = supply
        self._lessor: Board | Supply = supply or board
        self._config = config
        self._gate = gate
        self._home = home
        self._holds = 0
        self._leased = False
        self._standing: dict[str, int] = {}
        self._sent: dict[str, float] = {}
        self._waiting: list[_Waiting] = []
        self._watching: WeakSet[Listening] = WeakSet()
        self._driving: dict[str, int] = {}
        """What is being driven, and by which value."""
        self._stopped: set[str] = set()
        """What was being driven when a pause came, and was stopped for good during it."""
        self._boots: int | None = None
        self._astray = False
        """Whether its axes have lost their power, and with it their places."""
        sensors = (n for n, each in config.channels.items() if isinstance(each, SensorChannel))
        self._sensor = next(sensors, None)
        self._ramps = max(
            (
                channel.speed / channel.acceleration + _RAMP
                for channel in config.channels.values()
                if isinstance(channel, AxisChannel)
            ),
            default=0.0,
        )

    @property
    def name(self) -> str:
        return self.plain.name

    # From closed to open and back

    async def start(self) -> BoardIdentity:
        identity = await self.plain.start()
        self._boots = identity.boots
        return identity

    async def self_test(self) -> int:
        return await self.plain.self_test()

    async def close(self) -> None:
        self._leased = False
        await self.plain.close()

    # The lease

    async def hold_lease(self) -> None:
        self._holds += 1
        try:
            await self._absolutely(self._lease)
        except BaseException:
            self._holds -= 1
            raise

    async def release_lease(self) -> None:
        """Give the lease back; during a pause it is gone already."""
        if not self._holds:
            raise BoardRefusedError(
                f"board {self.name}: the lease is given back, but nobody holds it."
            )
        self._holds -= 1
        if self._holds:
            return
        self._standing.clear()
        if self._leased:
            self._leased = False
            pauses = self._gate.pauses
            try:
                await self._lessor.release_lease()
            except BoardError as error:
                if not self._cut_by(error, pauses):
                    raise

    async def _lease(self) -> None:
        while self._holds:
            if not self._leased:
                self._leased = True
                try:
                    await self._lessor.hold_lease()
                except BaseException:
                    self._leased = False
                    raise
                return
            if self._supply is None:
                return
            # The motors may not have their power yet.
            await self._supply.settled()
            if self._leased:
                return

    # Orders

    async def set(self, channel: str, value: int) -> None:
        self._standing[channel] = value
        await self._absolutely(partial(self.plain.set, channel, value))

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        self._standing.pop(channel, None)
        spent = 0.0
        while True:
            pulse = partial(self.plain.pulse, channel, value, seconds - spent)
            ended = await self._once(channel, pulse)
            if ended is not None:
                spent += ended.seconds
                if ended.reason not in _CUT_SHORT or spent >= seconds:
                    return Ended(Reason.DONE, 0, spent)

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        self._standing.pop(motor, None)
        self._driving[motor] = value
        try:
            ended = await self._once(motor, partial(self.plain.drive, motor, value, until, limit))
            if ended is not None and ended.reason not in _CUT_SHORT:
                return ended
            return await self._drive_on(motor, value, until, limit, ended)
        finally:
            self._driving.pop(motor, None)
            self._stopped.discard(motor)

    async def _drive_on(
        self, motor: str, value: int, until: Until, limit: float, came: Ended | None
    ) -> Ended:
        """What is left of a drive that came so far, as often as it is cut short."""
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
            drive = partial(self.plain.drive, motor, value, left, limit - spent)
            came = await self._once(motor, drive)
            if came is not None and came.reason not in _CUT_SHORT:
                return Ended(came.reason, counted + came.count, spent + came.seconds)

    async def move(self, targets: Mapping[str, float]) -> Ended:
        self._sent.update(targets)
        return await self._absolutely(partial(self.plain.move, targets))

    async def home(self, axis: str) -> Ended:
        self._sent.pop(axis, None)
        return await self._absolutely(partial(self.plain.home, axis))

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        while True:
            thrown = await self._once(channel, partial(self.plain.throw, channel, dice))
            if isinstance(thrown, tuple):
                return thrown
            if thrown is not None and thrown.reason is Reason.DONE:
                return (await self.thrown(channel))[1][:dice]

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel or everything; during a pause all stands still, and shall not go on."""
        if channel is None:
            self._standing.clear()
        else:
            self._standing.pop(channel, None)
        if not self._gate.open:
            driving = self._driving.keys()
            self._stopped |= driving if channel is None else driving & {channel}
        pauses = self._gate.pauses
        try:
            if self._gate.open:
                await self.plain.stop(channel)
        except BoardError as error:
            if not self._cut_by(error, pauses):
                raise

    def stop_all(self) -> None:
        self.plain.stop_all()

    async def clear(self) -> None:
        await self.plain.clear()

    # Questions

    async def read(self, channel: str) -> int:
        return await self._absolutely(partial(self.plain.read, channel))

    async def count(self, sensor: str) -> int:
        return await self._absolutely(partial(self.plain.count, sensor))

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        return await self._absolutely(partial(self.plain.thrown, channel))

    async def recall(self, channel: str) -> Ended | None:
        return await self._absolutely(partial(self.plain.recall, channel))

    async def scan(self, channel: str) -> int | None:
        return await self._absolutely(partial(self.plain.scan, channel))

    def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        """Every edge from now on; after a lost line, one for all that came meanwhile."""
        watching = Listening(self.plain, self._gate, sensors)
        self._watching.add(watching)
        return watching

    @property
    def faults(self) -> AsyncIterator[BoardFault]:
        return self.plain.faults

    # For whoever watches over it, and ends the pause

    @property
    def leased(self) -> bool:
        """Whether its lease is being renewed: then it is heard several times a second."""
        return self._leased

    async def answer(self) -> None:
        """Ask it for a sensor, if it has one, to hear that it is there. Raises BoardError."""
        if self._sensor is not None:
            await self.plain.read(self._sensor)

    def lost_power(self) -> None:
        """Its axes have lost their power: they must be found again."""
        self._astray = True

    async def rest(self) -> None:
        """Let everything go to its safe value, as far as the board still hears."""
        if self._leased:
            self._leased = False
            with suppress(BoardError):
                await self._lessor.release_lease()

    async def meet(self) -> None:
        """Begin a session if there is none; wait for what still ramps down. Raises BoardError."""
        identity = await self.plain.start()
        if self._boots is not None and identity.boots != self._boots:
            self._astray = True
        self._boots = identity.boots
        for watching in tuple(self._watching):
            await watching.listen_again()
        await asyncio.sleep(self._ramps)

    async def back_off(self, motor: str, seconds: float) -> bool:
        """Clear its board and drive a motor the other way for so long; whether it was driven.

        The gate is shut. Raises BoardError, BoardRefused where more is wrong with the board.
        """
        value = self._driving.get(motor)
        if value is None:
            return False
        # A board remembers one order a channel: after this one, the one that waits is forgotten.
        for order in [each for each in self._waiting if each.channel == motor and not each.asked]:
            await self._recall(order)
        await self.plain.clear()
        async with self._lent():
            await self.plain.drive(motor, -value, Elapsed(), seconds)
        return True

    async def get_ready(self) -> None:
        """Lease, axes, how far the orders came, gates and jaws. Raises BoardError."""
        if self._astray and self._home is not None and self._sent:
            await self._home(self.plain, self._sent, self._lent)
        self._astray = False
        await self._lease()
        while waiting := [order for order in self._waiting if not order.asked]:
            for order in waiting:
                await self._recall(order)
        await self._name(motors=False)

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[None]:
        """The lease, with power on the motors, within this block of a pause."""
        await self._lessor.hold_lease()
        try:
            yield
        finally:
            await self._lessor.release_lease()

    def go_on(self) -> None:
        """The gate is open: the orders that were cut short go on."""
        for order in self._waiting:
            if not order.over.done():
                order.over.set_result(order.came)

    async def run_on(self) -> None:
        """Drum and belts, after the drives that count what they bring. Raises BoardError."""
        await self._name(motors=True)

    async def _name(self, *, motors: bool) -> None:
        if self._holds:
            for channel, value in tuple(self._standing.items()):
                if isinstance(self._config.channels[channel], MotorChannel) is motors:
                    await self.plain.set(channel, value)

    # Helpers

    async def _absolutely(self, order: Callable[[], Awaitable[T]]) -> T:
        """Ordered again after every pause, until it ends by itself."""
        while True:
            if not self._gate.open:
                await self._gate.passed()
            pauses = self._gate.pauses
            try:
                result = await order()
            except BoardError as error:
                if not self._cut_by(error, pauses):
                    raise
            else:
                if not isinstance(result, Ended) or not self._is_cut(result, pauses):
                    return result

    async def _once(self, channel: str, order: Callable[[], Awaitable[T]]) -> T | Ended | None:
        """Order it; if a pause cuts it short, how far it came, None if it never began."""
        if not self._gate.open:
            await self._gate.passed()
        pauses = self._gate.pauses
        try:
            result = await order()
        except BoardError as error:
            if not self._cut_by(error, pauses):
                raise
        else:
            if not (isinstance(result, Ended) and self._is_cut(result, pauses)):
                return result
        return await self._came(channel)

    async def _came(self, channel: str) -> Ended | None:
        while self._gate.open:
            pauses = self._gate.pauses
            try:
                return await self.plain.recall(channel)
            except BoardError as error:
                if not self._cut_by(error, pauses):
                    raise
        waiting = _Waiting(channel, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            return await waiting.over
        finally:
            self._waiting.remove(waiting)

    async def _recall(self, order: _Waiting) -> None:
        order.came, order.asked = await self.plain.recall(order.channel), True

    def _is_cut(self, ended: Ended, pauses: int) -> bool:
        """Whether a pause ended it; if the gate has not heard of that pause, it hears now."""
        if ended.reason not in _CUT_SHORT:
            return False
        since = self._gate.pauses != pauses
        if ended.reason is Reason.STOPPED:
            return since
        if not since:
            self._shut(FaultCode.LEASE_EXPIRED if ended.reason is Reason.HELD else None)
        return True

    def _cut_by(self, error: BoardError, pauses: int) -> bool:
        """Whether an error means a pause; if the gate has not heard of it, it hears now."""
        if self._gate.pauses != pauses:
            return True
        if isinstance(error, BoardSilentError):
            self._gate.shut(Trouble(SILENT, self.name))
            return True
        why = error.why if isinstance(error, BoardRefusedError) else None
        if why not in _REFUSED or (why is Refusal.NO_LEASE and not self._holds):
            return False
        if why is Refusal.NOT_HOMED and not self._sent:
            return False
        self._astray |= why is Refusal.NOT_HOMED
        self._shut(_REFUSED[why])
        return True

    def _shut(self, code: FaultCode | None) -> None:
        """Pause for a code; without one the board's own word for it is on its way."""
        if code is not None or self._gate.open:
            self._gate.shut(Trouble(code.name if code else FAULT, self.name))
