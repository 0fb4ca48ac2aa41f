"""The hardware behind a daemon: a simulated table in this process, or boards on serial lines.

Here, and only here, it is decided which one it is; the daemon gets boards, a guide, a way to name
faces and a count of what the links carried.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from config.schema import BoardConfig, GameConfig, Table
from controller.daemon import Traffic
from firmware_bridge.board import Board
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.gpio_board import GpioBoard
from firmware_bridge.gpio_pins import pi_pins
from firmware_bridge.guide import Guide
from firmware_bridge.link import Line
from firmware_bridge.serial_board import SerialBoard
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.line import memory_line
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.plant.hands import Hands
from firmware_bridge.sim.plant.machine import TAGS, Plant
from firmware_bridge.transport import open_serial
from rules.setup import Game
from rules.tiles import Face


@dataclass(frozen=True)
class Hardware:
    """What a daemon needs of the world; `plant` is there only where it is simulated."""

    boards: Mapping[str, Board]
    guide: Guide
    face_of: Callable[[int], Face | None]
    serial: tuple[SerialBoard, ...]
    close: Callable[[], None]
    plant: Plant | None = None

    def traffic(self) -> Traffic:
        """What all links have carried so far."""
        return Traffic(
            sum(board.traffic.commands for board in self.serial),
            sum(board.traffic.retries for board in self.serial),
        )


def simulated(
    table: Table, config: GameConfig, game: Game, seats: int, seed: int, *, chance: bool = True
) -> Hardware:
    """A plant on the running loop, reached through the real link over a line in memory.

    `chance` False takes every duration at its mean.
    """
    plant = simulated_plant(table, config, game, seats, seed, chance=chance)
    hands = Hands(plant)
    face_of = _faces(game)
    if _on_pins(table):
        pins = {name: MockPins(board, plant) for name, board in table.boards.items()}
        boards = {
            name: GpioBoard(name, board, pins[name].factory, emergency=_emergency(table, board))
            for name, board in table.boards.items()
        }
        plant.connect(pins)
        plant.power_on()
        return Hardware(boards, hands, face_of, (), lambda: None, plant)
    here, there = memory_line()
    bench = Bench(plant, there.write)
    there.connect(bench.receive, lambda _: None)
    line = Line(here)
    nonces = Random(f"{seed}:nonces")
    serial = {
        name: SerialBoard(name, board, line, KEY, lambda: nonces.randbytes(8))
        for name, board in table.boards.items()
    }

    def close() -> None:
        line.close()
        bench.close()

    return Hardware(serial, hands, face_of, tuple(serial.values()), close, plant)


def simulated_plant(
    table: Table, config: GameConfig, game: Game, seats: int, seed: int, *, chance: bool = True
) -> Plant:
    """The plant alone, on the running loop."""
    loop = asyncio.get_running_loop()
    return Plant(
        table,
        config.tile,
        game.tiles.faces,
        seed,
        loop,
        seats=seats,
        play=config.play,
        chance=chance,
    )


def on_lines(
    table: Table, game: Game, ports: Mapping[str, str], guide: Guide, key: bytes = KEY
) -> Hardware:
    """Real boards, or a virtual one in another process: each board's port, several may share one.

    Raises BoardSilent for a port that cannot be opened.
    """
    if _on_pins(table):
        factory = pi_pins()
        pinned = {
            name: GpioBoard(name, board, factory, emergency=_emergency(table, board))
            for name, board in table.boards.items()
        }
        return Hardware(pinned, guide, _faces(game), (), factory.close)
    lines = {port: Line(open_serial(port)) for port in dict.fromkeys(ports.values())}
    boards = {
        name: SerialBoard(name, board, lines[ports[name]], key)
        for name, board in table.boards.items()
    }

    def close() -> None:
        for line in lines.values():
            line.close()

    return Hardware(boards, guide, _faces(game), tuple(boards.values()), close)


def _faces(game: Game) -> Callable[[int], Face | None]:
    """Tags are numbered through the sets; each set has its faces in the same order."""
    faces = game.tiles.faces

    def face_of(tag: int) -> Face | None:
        return faces[(tag - TAGS) % len(faces)] if faces and tag >= TAGS else None

    return face_of


def _on_pins(table: Table) -> bool:
    return any(board.kind == "gpio" for board in table.boards.values())


def _emergency(table: Table, board: BoardConfig) -> list[str]:
    return [sensor for sensor in table.modules.emergency if sensor in board.channels]
