"""Devices: typed access to board channels - motors, axes, sensors, outputs, dice dome, reader.

A device is a board and a channel. Its methods set a state (`run until`, `go to`, `switch on`) and
never toggle one, so a repeated call has no further effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from config.schema import Table
from firmware_bridge.board import Board, Edge, Ended, Subscription, Until


@dataclass(frozen=True, slots=True)
class Motor:
    """A motor driven both ways, by permille of full drive."""

    board: Board
    channel: str

    async def run(self, value: int, until: Until, limit: float) -> Ended:
        """Run until a condition holds, at most `limit` seconds; the board ends the motion."""
        return await self.board.drive(self.channel, value, until, limit)

    async def keep_running(self, value: int) -> None:
        """Run until the next command, the end of the lease, or the maximum on-time."""
        await self.board.set(self.channel, value)

    async def stop(self) -> None:
        await self.board.stop(self.channel)

    async def recall(self) -> Ended | None:
        """The progress of the last run; after it was stopped, edges count until the next one."""
        return await self.board.recall(self.channel)


@dataclass(frozen=True, slots=True)
class Sensor:
    """A switch, key or photo sensor, which is active or inactive."""

    board: Board
    channel: str

    async def active(self) -> bool:
        return bool(await self.board.read(self.channel))

    async def count(self) -> int:
        """The number of activations of the sensor; the board keeps the count through its resets."""
        return await self.board.count(self.channel)

    def edges(self) -> Subscription[Edge]:
        """Every change of level from now on, until the subscription is closed."""
        return self.board.watch(self.channel)


@dataclass(frozen=True, slots=True)
class Output:
    """A lamp, a gate, a wide jaw, or a strip of lamps."""

    board: Board
    channel: str

    async def switch(self, value: int) -> None:
        """Switch on (1) or off (0); for a strip, one bit for each lamp, the first lamp lowest."""
        await self.board.set(self.channel, value)

    async def let_go(self) -> None:
        """Set the safe value, which the output already has while the table is paused."""
        await self.board.stop(self.channel)


@dataclass(frozen=True, slots=True)
class Axes:
    """Axes of one board that begin their motions together."""

    board: Board
    channels: tuple[str, ...]

    async def go(self, *positions: float) -> Ended:
        """Move to these positions, in metres, in the order of `channels`."""
        return await self.board.move(dict(zip(self.channels, positions, strict=True)))

    async def stop(self) -> None:
        """Stop every axis with its deceleration ramp."""
        for channel in self.channels:
            await self.board.stop(channel)


@dataclass(frozen=True, slots=True)
class DiceDome:
    """Dice dome: shakes dice and reads them."""

    board: Board
    channel: str

    async def throw(self, dice: int) -> tuple[int, ...]:
        return await self.board.throw(self.channel, dice)

    async def thrown(self) -> tuple[int, tuple[int, ...]]:
        """The number of completed throws, and the faces of the last one."""
        return await self.board.thrown(self.channel)


@dataclass(frozen=True, slots=True)
class TileReader:
    """Tile reader: reads the tag of the tile in front of it."""

    board: Board
    channel: str

    async def tag(self) -> int | None:
        return await self.board.scan(self.channel)


@dataclass(frozen=True)
class Devices:
    """Every device of a table, by the channel's name in its configuration."""

    table: Table
    boards: Mapping[str, Board]

    def motor(self, channel: str) -> Motor:
        return Motor(self._board(channel), channel)

    def sensor(self, channel: str) -> Sensor:
        return Sensor(self._board(channel), channel)

    def output(self, channel: str) -> Output:
        return Output(self._board(channel), channel)

    def axes(self, *channels: str) -> Axes:
        return Axes(self._board(channels[0]), channels)

    def dice(self, channel: str) -> DiceDome:
        return DiceDome(self._board(channel), channel)

    def reader(self, channel: str) -> TileReader:
        return TileReader(self._board(channel), channel)

    def boards_of(self, channels: Iterable[str]) -> tuple[Board, ...]:
        """The boards that have these channels, each once."""
        names = dict.fromkeys(self.table.board_of(channel) for channel in channels)
        return tuple(self.boards[name] for name in names)

    def _board(self, channel: str) -> Board:
        return self.boards[self.table.board_of(channel)]
