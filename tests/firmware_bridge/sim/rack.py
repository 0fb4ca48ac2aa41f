"""Test rack: a plant and its boards; messages go to the boards directly, without a wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from config.loader import load_table
from config.schema import TileSize
from firmware_bridge.board import Ended, Reason, Until
from firmware_bridge.boards import encoding
from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.sim import clock
from firmware_bridge.sim.faults.injected_fault import parse
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.messages import (
    NONE,
    Commit,
    Configure,
    DiceRead,
    Drive,
    Home,
    Message,
    MotionEnded,
    Move,
    Ok,
    Pulse,
    Read,
    Refused,
    Set,
    Stop,
    TakeLease,
    ThrowDice,
    Value,
    Watch,
)

TILE = TileSize(length_mm=38, width_mm=28, height_mm=20)
FACES = tuple(f"face {number}" for number in range(136))


def run_scenario(
    main: Callable[[Rack], Coroutine[Any, Any, None]], table: str = "robotic", **plant: Any
) -> Rack:
    """Run a scenario with a configured rack under a lease, in virtual time; return the rack."""

    async def scenario() -> Rack:
        rack = Rack(table, **plant)
        rack.configure()
        rack.lease(60.0)
        await main(rack)
        rack.plant.census()
        return rack

    return clock.run(scenario())


def with_faults(*texts: str, chance: bool = False) -> dict[str, object]:
    """Return the options of a plant with these injected faults and with constant durations."""
    return {"injected_faults": [parse(text) for text in texts], "chance": chance}


class Rack:
    """A plant and its boards; records every event of the boards with its time."""

    def __init__(
        self, table: str, seed: int = 1, faces: tuple[str, ...] = FACES, **plant: Any
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.table = load_table(table)
        self.plant = Plant(self.table, plant.pop("tile", TILE), faces, seed, self.loop, **plant)
        emergency = self.table.modules.emergency
        self.boards = {
            name: VirtualBoard(config, self.plant, self.loop, emergency=emergency)
            for name, config in self.table.boards.items()
        }
        self.events: list[tuple[float, str, Message]] = []
        self._waiting: dict[tuple[str, int], asyncio.Future[Message]] = {}
        self._ticket = 0
        for name, board in self.boards.items():
            board.send = partial(self._received, name)
        self.plant.connect(self.boards)
        self.plant.power_on()

    def configure(self, *, guarded: bool = False) -> None:
        """Send the channel tables; with `guarded` the light curtain guards the moving parts."""
        flags = encoding.flags_of(self.table) if guarded else encoding.NO_FLAGS
        for name, board in self.boards.items():
            rows = encoding.records(self.table.boards[name], flags)
            for row in rows:
                assert board.execute(row, 0) == Ok(), row
            assert board.execute(commit(rows), 0) == Ok()

    def lease(self, seconds: float) -> None:
        for board in self.boards.values():
            board.execute(TakeLease(round(seconds * 1000)), 0)

    # Orders by name

    def send(self, channel: str, make: Callable[[int], Message]) -> Message:
        """Execute the message that `make` returns for a channel's number; return the reply."""
        name = self.table.board_of(channel)
        self._ticket = (self._ticket + 1) % 256
        return self.boards[name].execute(make(self.number(channel)), self._ticket)

    def set(self, channel: str, value: int) -> None:
        reply = self.send(channel, lambda number: Set(number, value))
        assert reply == Ok(), reply

    def read(self, channel: str) -> int:
        reply = self.send(channel, Read)
        assert isinstance(reply, Value), reply
        return reply.value

    def watch(self, channel: str) -> None:
        assert self.send(channel, lambda number: Watch(number, 1)) == Ok()

    def stop(self, channel: str) -> None:
        assert self.send(channel, Stop) == Ok()

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        return await self._end(channel, lambda number: Pulse(number, value, round(seconds * 1000)))

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        return await self._end(motor, self.drives(value, until, limit))

    def drives(self, value: int, until: Until, limit: float) -> Callable[[int], Drive]:
        return lambda number: encoding.drive(number, value, until, limit, self.number)

    async def move(self, **targets: float) -> Ended:
        return await self._end(next(iter(targets)), self.moves(**targets))

    def moves(self, **targets: float) -> Callable[[int], Move]:
        pairs = [(self.number(axis), round(to * 1e6)) for axis, to in targets.items()]
        pairs += [(NONE, 0)] * (3 - len(pairs))
        return lambda _: Move(*pairs[0], *pairs[1], *pairs[2], 1000)

    async def home(self, axis: str) -> Ended:
        return await self._end(axis, Home)

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        thrown = await self._begun(channel, lambda number: ThrowDice(number, dice))
        assert isinstance(thrown, DiceRead)
        return tuple(thrown)[1 : 1 + dice]

    def number(self, channel: str) -> int:
        return list(self.table.boards[self.table.board_of(channel)].channels).index(channel)

    def received(self, kind: type) -> list[tuple[float, Message]]:
        """Return all events of a type, with their times."""
        return [(at, message) for at, _, message in self.events if isinstance(message, kind)]

    async def _end(self, channel: str, make: Callable[[int], Message]) -> Ended:
        ended = await self._begun(channel, make)
        assert isinstance(ended, MotionEnded)
        return Ended(Reason(ended.reason), ended.count, ended.elapsed_us / 1e6)

    async def _begun(self, channel: str, make: Callable[[int], Message]) -> Message:
        reply = self.send(channel, make)
        assert not isinstance(reply, Refused), reply
        future: asyncio.Future[Message] = self.loop.create_future()
        self._waiting[self.table.board_of(channel), self._ticket] = future
        return await future

    def _received(self, board: str, event: Message) -> None:
        self.events.append((self.loop.time(), board, event))
        if isinstance(event, MotionEnded | DiceRead):
            future = self._waiting.pop((board, event.ticket), None)
            if future is not None and not future.done():
                future.set_result(event)


def commit(rows: tuple[Configure, ...]) -> Commit:
    return Commit(len(rows), configuration_crc(rows))
