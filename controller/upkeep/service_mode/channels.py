"""The channels of a table in service mode: their constant facts, and their live values with traces.

The facts of a channel are its part and role, its unit, and how it can be jogged. Sensors are
subscribed to; other channels are read. Each channel has a trace, which is bounded: at most `POINTS`
changes, none older than `WINDOW`. Times of edges are those of their arrival at the host.
"""

from __future__ import annotations

import asyncio
import difflib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from config.schema import AxisChannel, Channel, MotorChannel, Table
from controller.upkeep.selftest.trial import named_channels
from controller.upkeep.service_mode.mode_status import ChannelStatus, ServiceModeRefusalError, Trace
from firmware_bridge.board import Board, Edge, Subscription
from firmware_bridge.wire.errors import BoardError

FULL = 1000
"""Full speed, permille."""
MOST_AXIS_SPEED = 250
"""Highest speed of an axis that is jogged, permille: its speed when it is homed (our choice)."""
Unit = Literal["level", "mV", "mm", "permille", "bits", ""]
_UNITS: dict[str, Unit] = {
    "sensor": "level",
    "output": "level",
    "analog": "mV",
    "axis": "mm",
    "motor": "permille",
    "strip": "bits",
}


def channel_facts(table: Table, homes: frozenset[str]) -> dict[str, ChannelStatus]:
    """Every channel of a table without its value; `homes` are the channels that can be homed."""
    named = {channel: (part, role) for channel, part, role in named_channels(table)}
    for board in table.boards.values():
        for name, config in board.channels.items():
            if isinstance(config, AxisChannel):
                named.setdefault(config.home_switch, ("gantry", f"home switch of {name}"))
    return {
        name: _facts(board, name, config, named.get(name, ("table", name)), name in homes)
        for board, boards in table.boards.items()
        for name, config in boards.channels.items()
    }


def _facts(
    board: str, name: str, config: Channel, named: tuple[str, str], homes: bool
) -> ChannelStatus:
    part, role = named
    ways: tuple[Literal["forward", "reverse"], ...] = ()
    least = most = 0
    if isinstance(config, MotorChannel):
        ways = ("forward", "reverse") if config.reverse_pin is not None else ("forward",)
        least, most = (FULL, FULL) if config.full_only else (1, FULL)
    elif isinstance(config, AxisChannel):
        ways, least, most = ("forward", "reverse"), 1, MOST_AXIS_SPEED
    return ChannelStatus(
        board=board,
        kind=config.kind,
        part=part,
        role=role,
        unit=_UNITS.get(config.kind, ""),
        jog=ways,
        least_speed=least,
        most_speed=most,
        homes=homes,
    )


def known_channel(table: Table, name: str) -> Channel:
    """The configuration of a channel. Raises ServiceModeRefusalError for an unknown name."""
    for board in table.boards.values():
        if name in board.channels:
            return board.channels[name]
    every = [channel for board in table.boards.values() for channel in board.channels]
    near = difflib.get_close_matches(name, every, 3)
    raise ServiceModeRefusalError(
        "unknown_channel",
        f"'{name[:60]}' is not a channel of the table {table.name}.",
        f"Name a channel such as {' or '.join(near or every[:2])}.",
    )


WINDOW = 10.0
"""Seconds of a trace."""
POINTS = 32
"""Largest number of changes in a trace."""
SLOWLY, QUICKLY = 0.5, 0.1
"""Seconds between two readings of an analogue input, and of a channel that moves."""
MOTION_KINDS = ("axis", "motor", "output", "strip")


@dataclass
class _Signal:
    """The present value of one channel, its count, and its changes."""

    value: float | None = None
    count: int | None = None
    changes: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=POINTS))
    before: float | None = None
    """The value before the oldest change."""

    def take(self, at: float, value: float) -> bool:
        """Take a value at this time; returns whether it differs from the one before."""
        if value == self.value:
            return False
        if self.value is None:
            self.before = value
        else:
            if len(self.changes) == POINTS:
                self.before = self.changes[0][1]
            self.changes.append((round(at, 3), value))
        self.value = value
        return True

    def forget_before(self, oldest: float) -> None:
        """Drop the changes before this time."""
        while self.changes and self.changes[0][0] < oldest:
            self.before = self.changes.popleft()[1]

    def trace(self, oldest: float) -> Trace:
        """The value at the beginning of the trace, then every change."""
        start = () if self.before is None else ((round(oldest, 3), self.before),)
        return (*start, *self.changes) if self.changes else ()


class ChannelMonitor:
    """Observes every channel of open `boards`; `clock` returns seconds of the table's clock.

    `changed` is called at every change. `lost` is called with the sentence of a board that no
    longer answers; its channels then have no value.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, Board],
        facts: Mapping[str, ChannelStatus],
        clock: Callable[[], float],
        changed: Callable[[], None],
        lost: Callable[[str, str], None],
    ) -> None:
        self._table = table
        self._boards = boards
        self._facts = dict(facts)
        self._clock = clock
        self._changed = changed
        self._lost = lost
        self._signals = {name: _Signal() for name in facts}
        self._stale: set[str] = set(facts)
        self._shown = dict(facts)
        self._quick: tuple[str, ...] = ()
        self._listeners: list[Callable[[Edge], None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._subscriptions: list[Subscription[Edge]] = []
        self._silent: set[str] = set()

    async def start(self) -> None:
        """Subscribe to every sensor and read every channel once."""
        for name, board in self._boards.items():
            sensors = self._of(name, ("sensor",))
            if sensors:
                edges = board.watch(*sensors)
                self._subscriptions.append(edges)
                self._tasks.append(asyncio.create_task(self._follow(name, edges)))
        await asyncio.gather(*(self._read_board(name) for name in self._boards))
        self._tasks.append(asyncio.create_task(self._poll(SLOWLY, self._analog)))
        self._tasks.append(asyncio.create_task(self._poll(QUICKLY, self._jogged)))

    async def close(self) -> None:
        """End the subscriptions and the readings."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for edges in self._subscriptions:
            edges.close()
        self._subscriptions.clear()

    def look_at(self, channels: Iterable[str] = ()) -> None:
        """Read these channels every `QUICKLY` seconds from now on, and no others."""
        self._quick = tuple(channels)

    async def refresh(self, channel: str) -> None:
        """Read a channel once, so that its value is that after a motion."""
        await self._try_to_read(self._facts[channel].board, [channel])

    def on_edge(self, listener: Callable[[Edge], None]) -> Callable[[], None]:
        """Call `listener` at every edge of every sensor; returns the function that ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def value(self, channel: str) -> float | None:
        """The present value of a channel; None while it is not known."""
        return self._signals[channel].value

    def count(self, sensor: str) -> int | None:
        """The activations of a sensor; None while they are not known."""
        return self._signals[sensor].count

    def levels(self) -> dict[str, float]:
        """The present value of every sensor that has one."""
        return {
            name: signal.value
            for name, signal in self._signals.items()
            if self._facts[name].kind == "sensor" and signal.value is not None
        }

    def view(self) -> dict[str, ChannelStatus]:
        """The status of every channel. Only channels that changed are built anew."""
        oldest = max(0.0, self._clock() - WINDOW)
        for name, signal in self._signals.items():
            if signal.changes and signal.changes[0][0] < oldest:
                signal.forget_before(oldest)
                self._stale.add(name)
        for name in self._stale:
            signal = self._signals[name]
            self._shown[name] = self._facts[name].model_copy(
                update={
                    "value": signal.value,
                    "count": signal.count,
                    "trace": signal.trace(oldest),
                    "recent": len(signal.changes),
                }
            )
        self._stale.clear()
        return dict(self._shown)

    async def read_outputs(self) -> dict[str, float]:
        """Read every motor and output now. Raises BoardError."""
        found = {}
        for name in self._boards:
            for channel in self._of(name, ("motor", "output", "strip")):
                found[channel] = await self._read(channel)
        return found

    # Helpers

    def _of(self, board: str, kinds: Iterable[str]) -> list[str]:
        channels = self._table.boards[board].channels
        return [name for name, config in channels.items() if config.kind in kinds]

    async def _read_board(self, name: str) -> None:
        board = self._boards[name]
        try:
            for channel in self._of(name, ("sensor", "analog", *MOTION_KINDS)):
                await self._read(channel)
                if self._facts[channel].kind == "sensor":
                    self._signals[channel].count = await board.count(channel)
        except BoardError as error:
            self._lose(name, error)

    async def _read(self, channel: str) -> float:
        """Read a channel and take its value. Raises BoardError."""
        facts = self._facts[channel]
        value: float = await self._boards[facts.board].read(channel)
        if facts.kind == "axis":
            value /= 1000  # micrometres
        self._take(channel, value)
        return value

    def _take(self, channel: str, value: float) -> None:
        if self._signals[channel].take(self._clock(), value):
            self._stale.add(channel)
            self._changed()

    async def _follow(self, name: str, edges: Subscription[Edge]) -> None:
        """Take every edge of a board's sensors until the board is lost."""
        try:
            async for edge in edges:
                self._signals[edge.sensor].count = edge.count
                self._take(edge.sensor, float(edge.active))
                for listener in tuple(self._listeners):
                    listener(edge)
        except BoardError as error:
            self._lose(name, error)

    async def _poll(self, every: float, read: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(every)
            await read()

    async def _analog(self) -> None:
        for name in self._boards:
            await self._try_to_read(name, self._of(name, ("analog",)))

    async def _jogged(self) -> None:
        for channel in self._quick:
            await self.refresh(channel)

    async def _try_to_read(self, board: str, channels: Iterable[str]) -> None:
        if board in self._silent:
            return
        try:
            for channel in channels:
                await self._read(channel)
        except BoardError as error:
            self._lose(board, error)

    def _lose(self, name: str, error: BoardError) -> None:
        """Show the channels of a board that no longer answers without a value."""
        if name in self._silent:
            return
        self._silent.add(name)
        for channel, facts in self._facts.items():
            if facts.board == name:
                self._signals[channel].value = None
                self._stale.add(channel)
        self._changed()
        self._lost(name, str(error))
