"""Falsified sessions: a host calls everything that a board offers, and gets false messages.

Every call must return or raise BoardError in time, whatever the board sends.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

from config.loader import load_table
from config.schema import AxisChannel, MotorChannel, SensorChannel
from firmware_bridge.board import Edges, Elapsed, Level, ProtocolBreach, Subscription
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY, VirtualBoard
from firmware_bridge.sim.falsifying_board import Falsification, FalsificationRates, FalsifyingBoard
from firmware_bridge.sim.line import memory_line
from firmware_bridge.sim.session import BoardEnd
from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.errors import BoardError, BoardRefusedError
from firmware_bridge.wire.link import SerialLine

TABLES = (("robotic", "base"), ("robotic", "arm"), ("auto_deal", "hands"), ("pai_gow", "base"))
CALLERS = 6
STARTS = 5
"""How often a session is begun with one board; then the next board is taken."""
LONGEST_CALL = 900.0
"""Seconds after which a call counts as hung; homing takes the longest."""
FRAME = 0.0007
"""Seconds that a frame takes on the line."""
KEPT = 5
"""Number of subscriptions to edges or faults that stay open at a time."""
_TOGETHER = 16
"""Messages that are inserted at one moment."""


class FalsifiedSessions:
    """Sessions with falsifying boards.

    `counts` counts the falsifications; `late` is the latest renewal of a lease, in seconds.
    """

    def __init__(self, counts: Counter[Falsification]) -> None:
        self.counts = counts
        self.breaches: Counter[ProtocolBreach] = Counter()
        self.calls: Counter[str] = Counter()
        """Calls by their result: `returned`, or the name of the error."""
        self.late = 0.0

    async def play(self, seed: int, most: int) -> None:
        """Call one board until it has sent `most` false messages, or cannot be started any more.

        Raises TimeoutError for a call that hangs, and whatever error of the program occurs.
        """
        chance = Random(f"{seed}:falsified session")
        errors = collect_errors(asyncio.get_running_loop())
        board = _BoardInReach(chance, self.counts)
        disturbing = asyncio.ensure_future(board.disturb())
        ends = self.counts.total() + most
        try:
            for _ in range(STARTS):
                async with asyncio.timeout(LONGEST_CALL):
                    if not await self._called("start", board.start):
                        continue
                async with asyncio.TaskGroup() as callers:
                    for _ in range(CALLERS):
                        callers.create_task(self._call(board, chance, ends, errors))
            if disturbing.done():
                await disturbing
        finally:
            disturbing.cancel()
            self.late = max(self.late, board.host.traffic.latest_urgent)
            self.breaches.update(board.host.breaches)
            await board.close()
        if errors:
            raise errors[0]

    async def _call(
        self, board: _BoardInReach, chance: Random, ends: int, errors: list[Exception]
    ) -> None:
        """Make random calls until the false messages are sent or the session is lost."""
        while self.counts.total() < ends and not board.is_lost and not errors:
            name, call = chance.choice(board.calls)
            async with asyncio.timeout(LONGEST_CALL):
                await self._called(name, call)
            await asyncio.sleep(chance.random() * 0.02)

    async def _called(self, name: str, call: Callable[[], Awaitable[object]]) -> bool:
        try:
            await call()
        except BoardError as error:
            self.calls[type(error).__name__] += 1
            return False
        self.calls["returned"] += 1
        return True


def collect_errors(loop: asyncio.AbstractEventLoop) -> list[Exception]:
    """Collect the errors of callbacks and of unawaited tasks, which the loop would only log."""
    errors: list[Exception] = []

    def collect(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        errors.append(error if isinstance(error, Exception) else RuntimeError(str(context)))

    loop.set_exception_handler(collect)
    return errors


class _BoardInReach:
    """A falsifying board on a line in memory, and the host's board with all of its calls."""

    def __init__(self, chance: Random, counts: Counter[Falsification]) -> None:
        loop = asyncio.get_running_loop()
        table_name, name = chance.choice(TABLES)
        table = load_table(table_name)
        config = table.boards[name]
        self._chance = chance
        self._virtual = VirtualBoard(
            config, _Loose(chance), loop, emergency=table.modules.emergency, serial=b"SIM00000"
        )
        self._falsifying = FalsifyingBoard(self._virtual, config.address, chance, counts)
        here, there = memory_line()
        self._line = SerialLine(here)
        self._end = BoardEnd(
            self._virtual, config.address, there.write, Decoder(), self._falsifying.execute
        )
        self._falsifying.connect(self._end)
        there.connect(self._end.receive, _discard)
        flags = flags_of(table)
        self.host = SerialBoard(name, config, self._line, KEY, lambda: chance.randbytes(8), flags)
        self._channels = tuple(config.channels)
        self._motors = self._of(config.channels, MotorChannel)
        self._axes = self._of(config.channels, AxisChannel)
        self._sensors = self._of(config.channels, SensorChannel)
        self._kept: list[Subscription[object]] = []
        self.calls = self._all_calls()

    @staticmethod
    def _of(channels: Mapping[str, object], kind: type[object]) -> tuple[str, ...]:
        return tuple(name for name, each in channels.items() if isinstance(each, kind))

    @property
    def is_lost(self) -> bool:
        """Whether the session has ended."""
        return self.host.is_closed

    async def start(self) -> None:
        """Begin a session and take the lease."""
        await self.host.start()
        await self.host.hold_lease()

    async def close(self) -> None:
        """Close the host's board and the line."""
        await self.host.close()
        self._line.close()
        self._end.close()

    async def disturb(self) -> None:
        """Falsify and insert messages, change inputs and reset the board, at random moments."""
        chance, falsifying = self._chance, self._falsifying
        while True:
            await asyncio.sleep(chance.random() * 2)
            match chance.randrange(6):
                case 0:
                    falsifying.rates = FalsificationRates(
                        chance.random() ** 2, chance.random() ** 2
                    )
                case 1:
                    falsifying.rates = FalsificationRates(
                        chance.random() * 0.05, chance.random() * 0.05
                    )
                case 2 if self._sensors:
                    self._virtual.sensor(chance.choice(self._sensors), chance.random() < 0.5)
                case 3:
                    self._virtual.supply(chance.random() < 0.5)  # a low supply latches a fault
                case 4 if chance.random() < 0.05:
                    self._virtual.reset(ResetCause.POWER)
                case _:
                    insert = chance.choice((falsifying.insert_event, falsifying.insert_frame))
                    for number in range(chance.randint(1, chance.choice((1, 30, 3000)))):
                        insert()
                        if number % _TOGETHER == _TOGETHER - 1:
                            await asyncio.sleep(_TOGETHER * FRAME)

    # The host's calls

    def _all_calls(self) -> tuple[tuple[str, Callable[[], Awaitable[object]]], ...]:
        host, chance = self.host, self._chance

        def channel() -> str:
            return chance.choice(self._channels)

        def motor() -> str:
            return chance.choice(self._motors or self._channels)

        def axis() -> str:
            return chance.choice(self._axes or self._channels)

        async def drive() -> object:
            sensor = chance.choice(self._sensors or self._channels)
            until = chance.choice((Edges(sensor, 2), Level(sensor), Elapsed()))
            return await host.drive(motor(), chance.choice((-500, 500)), until, 0.3)

        async def watch() -> None:
            self._kept += (host.watch(chance.choice(self._sensors)), host.faults)
            while len(self._kept) > KEPT:
                self._kept.pop(0).close()

        async def cancelled() -> None:
            try:
                async with asyncio.timeout(0.05):
                    await drive()
            except TimeoutError:
                await host.stop()

        async def renew() -> None:
            with suppress(BoardRefusedError):  # the lease has expired
                await host.release_lease()
            await host.hold_lease()

        return (
            ("set", lambda: host.set(channel(), 1)),
            ("pulse", lambda: host.pulse(channel(), 1, 0.05)),
            ("drive", drive),
            ("cancelled drive", cancelled),
            ("move", lambda: host.move({axis(): chance.random() * 0.2})),
            ("home", lambda: host.home(axis())),
            ("throw", lambda: host.throw(channel(), 2)),
            ("thrown", lambda: host.thrown(channel())),
            ("read", lambda: host.read(channel())),
            ("count", lambda: host.count(channel())),
            ("recall", lambda: host.recall(channel())),
            ("scan", lambda: host.scan(channel())),
            ("watch", watch),
            ("stop", host.stop),
            ("clear", host.clear),
            ("self-test", host.self_test),
            ("storage used", host.storage_used),
            ("lease", renew),
        )


class _Loose:
    """Wiring to which no mechanism is connected."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def output(self, channel: str, value: int) -> None:
        """Do nothing."""

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        """Do nothing: the axis reaches its target without a switch."""

    def axis_ends(self, axis: str, position: float) -> None:
        """Do nothing."""

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        return tuple(self._chance.randint(1, 6) for _ in range(count))

    def tag(self, channel: str) -> int | None:
        return self._chance.choice((None, 1, 2**63))

    def analog(self, channel: str) -> int:
        return self._chance.randrange(5000)


def _discard(_: object) -> None:
    """Do nothing when the line is lost."""
