"""Wraps a board and resumes the commands that a pause interrupted.

Callers see a command that takes longer, not the pause. A pause takes the lease of every board, so
all outputs are safe. When it ends, the board is met again (`re_meeting`), its lease is taken again
(`board_lease`), and commands and values go on (`resumed_orders`).

While no pause is on, this adds no command to the line.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from functools import partial

from config.schema import BoardConfig
from controller.pausing.board_lease import BoardLease
from controller.pausing.interruption import Interruption
from controller.pausing.pause_gate import PauseGate
from controller.pausing.power_lease import BoardSupply
from controller.pausing.re_meeting import ReMeeting
from controller.pausing.resumed_orders import ResumedOrders
from controller.stations.homing import Homing
from firmware_bridge.board import (
    Board,
    BoardFault,
    BoardIdentity,
    Edge,
    Elapsed,
    Ended,
    Until,
)
from firmware_bridge.wire.messages import Refusal


class ResumableBoard:
    """A `Board` around a board. `home` finds its axes again after they lost their power.

    Where the board has a `supply`, its lease comes from there, with power on the motors.
    """

    def __init__(
        self,
        board: Board,
        config: BoardConfig,
        gate: PauseGate,
        home: Homing | None = None,
        supply: BoardSupply | None = None,
    ) -> None:
        self.plain = board
        """The board itself: it takes commands while the table is paused."""
        self._interruption = Interruption(board.name, gate, self._is_unexpected)
        self._lease = BoardLease(board, supply, self._interruption)
        self._orders = ResumedOrders(board, config, self._interruption)
        self._meeting = ReMeeting(board, config, gate, home)

    @property
    def name(self) -> str:
        return self.plain.name

    # Open and close

    async def start(self) -> BoardIdentity:
        return await self._meeting.start()

    async def self_test(self) -> int:
        return await self.plain.self_test()

    async def close(self) -> None:
        self._lease.forget()
        await self.plain.close()

    # The lease

    async def hold_lease(self) -> None:
        await self._lease.hold()

    async def release_lease(self) -> None:
        """Give the lease back; during a pause it is gone already."""
        if await self._lease.release():
            self._orders.let_go()
            await self._lease.give_back()

    # Orders

    async def set(self, channel: str, value: int) -> None:
        await self._orders.set(channel, value)

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        return await self._orders.pulse(channel, value, seconds)

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        return await self._orders.drive(motor, value, until, limit)

    async def move(self, targets: Mapping[str, float]) -> Ended:
        self._meeting.sends(targets)
        return await self._interruption.repeat(partial(self.plain.move, targets))

    async def home(self, axis: str) -> Ended:
        self._meeting.homes(axis)
        return await self._interruption.repeat(partial(self.plain.home, axis))

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        return await self._orders.throw(channel, dice)

    async def stop(self, channel: str | None = None) -> None:
        """Stop one channel or everything; what is stopped in a pause is not resumed after it."""
        await self._orders.stop(channel)

    def stop_all(self) -> None:
        self.plain.stop_all()

    async def clear(self) -> None:
        await self.plain.clear()

    # Queries

    async def read(self, channel: str) -> int:
        return await self._interruption.repeat(partial(self.plain.read, channel))

    async def count(self, sensor: str) -> int:
        return await self._interruption.repeat(partial(self.plain.count, sensor))

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        return await self._interruption.repeat(partial(self.plain.thrown, channel))

    async def recall(self, channel: str) -> Ended | None:
        return await self._interruption.repeat(partial(self.plain.recall, channel))

    async def scan(self, channel: str) -> int | None:
        return await self._interruption.repeat(partial(self.plain.scan, channel))

    def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        """Every edge from now on; after a lost line, one for all that came meanwhile."""
        return self._meeting.listen(sensors)

    @property
    def faults(self) -> AsyncIterator[BoardFault]:
        return self.plain.faults

    # For `Pauses`, which supervises the boards and ends pauses

    @property
    def leased(self) -> bool:
        """Whether its lease is being renewed: then it answers several times a second."""
        return self._lease.is_leased

    async def answer(self) -> None:
        """Read a sensor, if there is one, to learn that the board answers. Raises BoardError."""
        await self._meeting.answer()

    def lost_power(self) -> None:
        """Its axes have lost their power: they must be found again."""
        self._meeting.lost_power()

    async def rest(self) -> None:
        """Let all outputs go to their safe values, as far as the board still answers."""
        await self._lease.drop()

    async def meet(self) -> None:
        """Begin a session if there is none; wait for what still ramps down. Raises BoardError."""
        await self._meeting.meet()

    async def back_off(self, motor: str, seconds: float) -> bool:
        """Clear the board and drive a motor the other way for so long; whether it was driven.

        The gate is shut. Raises BoardError, BoardRefusedError where more is wrong with the board.
        """
        value = self._orders.driven_by(motor)
        if value is None:
            return False
        # A board remembers one command for each channel: this one replaces the interrupted one that
        # waits.
        await self._orders.recall(motor)
        await self.plain.clear()
        async with self._lease.lent():
            await self.plain.drive(motor, -value, Elapsed(), seconds)
        return True

    async def get_ready(self) -> None:
        """Restore axes, lease, command progress, gates, jaws. Raises BoardError, TableFault."""
        await self._meeting.find_axes(self._lease)
        await self._lease.take()
        await self._orders.recall()
        await self._restore(motors=False)

    def go_on(self) -> None:
        """The gate is open: resume the interrupted commands."""
        self._orders.go_on()

    async def run_on(self) -> None:
        """Run drum and belts again, after the drives that count their tiles. Raises BoardError."""
        await self._restore(motors=True)

    async def _restore(self, *, motors: bool) -> None:
        if self._lease.is_wanted:
            await self._orders.restore(motors=motors)

    def _is_unexpected(self, why: Refusal) -> bool:
        """Whether a refusal means that the board has dropped its lease by itself."""
        if why is Refusal.NO_LEASE:
            return self._lease.is_wanted
        if why is Refusal.NOT_HOMED:
            return self._meeting.refuses_unhomed()
        return True
