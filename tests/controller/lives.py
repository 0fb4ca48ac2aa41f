"""A table that outlives its host: the host dies at a chosen moment, and another one takes over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from config.loader import game_parameters, load_game, load_table
from controller.daemon import Daemon, Traffic
from controller.events import Event, EventLog
from controller.hardware import simulated_plant
from controller.journal import Journal
from controller.rest import seats_of
from controller.workplace import Orders
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.link import Line
from firmware_bridge.serial_board import SerialBoard
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.line import MemoryTransport, memory_line
from firmware_bridge.sim.plant.hands import Hands
from firmware_bridge.sim.plant.machine import TAGS
from rules.games import find_game
from rules.tiles import Face


class Killed(BaseException):
    """The host's process is gone in this instant: nothing it would still do reaches the table."""


class MortalJournal(Journal):
    """A journal whose host dies at its n-th write: before the write, or right after it."""

    mortal: Callable[[int, bool], None] = staticmethod(lambda number, written: None)
    writes = 0

    def flush(self) -> None:
        if not self._pending:
            return
        self.writes += 1
        self.mortal(self.writes, False)
        super().flush()
        self.mortal(self.writes, True)


@dataclass
class SurvivingTable:
    """One table with its people, and hosts that come and go. `told` are the events of all."""

    table: str
    game: str
    seed: int
    play: bool = False
    answers: Mapping[str, int | str] = field(default_factory=dict)
    told: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.machine, self.config = load_table(self.table), load_game(self.game)
        game = find_game(self.game)
        self.orders = Orders(
            game, game_parameters(self.config), answers=self.answers, play=self.play
        )
        seats = seats_of(self.orders.setup(0))
        self.plant = simulated_plant(self.machine, self.config, game, seats, self.seed)
        self.hands = Hands(self.plant)
        self._there: MemoryTransport | None = None
        self.bench = Bench(self.plant, self._send)
        self._random = Random(self.seed)

    def _send(self, data: bytes) -> None:
        if self._there is not None:
            self._there.write(data)

    def cut(self) -> None:
        """The host is gone: nothing goes over the line any more, and nobody is told."""
        for end in self._ends:
            end.close()

    def host(self, journal: Journal) -> Daemon:
        """A new host on a new line."""
        here, there = self._ends = memory_line()
        there.connect(self.bench.receive, lambda _: None)
        self._there = there
        line = Line(here)
        loop = asyncio.get_running_loop()
        boards = {
            name: SerialBoard(name, board, line, KEY, lambda: self._random.randbytes(8))
            for name, board in self.machine.boards.items()
        }
        events = EventLog(loop.time)
        events.listen(self.told.append)
        faces = self.orders.game.tiles.faces

        def face_of(tag: int) -> Face | None:
            return faces[(tag - TAGS) % len(faces)] if tag >= TAGS else None

        return Daemon(
            self.machine,
            self.config,
            self.orders,
            boards,
            self.hands,
            journal,
            events,
            face_of=face_of,
            traffic=lambda: Traffic(0, 0),
            clock=loop.time,
        )

    async def live(
        self,
        path: Path,
        rounds: int = 1,
        die: Callable[[int, bool], bool] = lambda number, written: False,
        *,
        until_ready: bool = False,
    ) -> tuple[Daemon, int] | None:
        """One host's life; returns the daemon and its journal's writes, None if it died."""
        with MortalJournal(path, "now", {}) as journal:
            unfinished = journal.resume()
            daemon = self.host(journal)
            if unfinished is not None:
                daemon.books.resume(unfinished.entries)
                self.hands.host_is_back()

            dead = False

            def mortal(number: int, written: bool) -> None:
                nonlocal dead
                if die(number, written):
                    dead = True
                    journal._pending.clear()
                    journal.mortal = lambda number, written: None  # type: ignore[method-assign]
                    journal._durable = _nowhere  # type: ignore[assignment,method-assign]
                    journal._add = _nowhere  # type: ignore[assignment,method-assign]
                    self.cut()
                    raise Killed

            journal.mortal = mortal  # type: ignore[method-assign]
            try:
                await daemon.run(rounds, until_ready=until_ready)
            except BaseException:
                if not dead:
                    raise
                # Whatever it still says while it falls, nobody hears it.
                return None
            return daemon, journal.writes


def _nowhere(*_: object) -> int:
    """What a dead host would write."""
    return 0
