"""A table that outlives its host: the host dies at any moment, and another one takes over.

Plant, boards, people and the journal's files are the table; a host is a daemon on a line of its
own. When it dies, nothing that it would still do reaches the table, the journal or anybody's ear.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from config.loader import game_parameters, load_game, load_table
from controller.assembly import Hardware, daemon_for, faces_by_tag, on_pins, simulated_plant
from controller.daemon import Daemon
from controller.events import Event, EventLog
from controller.journal import Journal, JournalError
from controller.orders import Orders
from controller.planning.hand_lanes import staging_of
from controller.planning.setup_forecast import seats_of
from firmware_bridge.boards.board import Board, BoardSilent
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.faults.injection import Mishap
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.people.hands import Hands
from firmware_bridge.sim.plug import Plug
from firmware_bridge.wire.encoding import flags_of
from firmware_bridge.wire.link import Line
from rules.games import find_game

Die = Callable[[int, bool], bool]
"""Whether the host dies at this write of its journal: its number from 1, and whether it is done."""
Heard = Callable[[Daemon, Event], None]
FALLING = 120.0
"""How long a dead host may take to fall, seconds: whoever waits for a board gives up before."""


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

    def __enter__(self) -> MortalJournal:
        return self

    def die(self) -> None:
        """Nothing reaches a disk any more."""
        self._pending.clear()
        self.mortal = _nothing
        self._durable = _nowhere  # type: ignore[assignment,method-assign]
        self._add = _nowhere  # type: ignore[assignment,method-assign]

    def fill_disk(self) -> None:
        """From now on its disk takes nothing more."""
        self._copies.append = _no_room  # type: ignore[method-assign]


@dataclass
class SurvivingTable:
    """One table with its people, and hosts that come and go. `told` are the events of all.

    Mishaps that come during play are ordered at `plant.mishaps`, if some were from the beginning.
    """

    table: str
    game: str
    seed: int
    play: bool = False
    answers: Mapping[str, int | str] = field(default_factory=dict)
    told: list[Event] = field(default_factory=list)
    mishaps: Iterable[Mishap] = ()
    heard: Heard = lambda daemon, event: None
    """Who hears every event, with the daemon that tells it."""
    record: list[str] = field(default_factory=list)
    """The record of the play that the last host kept; each begins its own from the first hand."""
    keeps: Callable[[str], None] = lambda line: None
    """Who gets every line of the record that a living host keeps."""

    def __post_init__(self) -> None:
        self.machine, self.config = load_table(self.table), load_game(self.game)
        game = find_game(self.game)
        self.orders = Orders(
            game, game_parameters(self.config), answers=self.answers, play=self.play
        )
        seats = seats_of(self.orders.setup(0))
        self.plant = simulated_plant(
            self.machine, self.config, game, seats, self.seed, mishaps=self.mishaps
        )
        self.plant.expect(staging_of(self.machine, self.orders).fills)
        self.hands = Hands(self.plant)
        self.plug = Plug()
        self.daemon: Daemon | None = None
        """The last host's."""
        self._pins: dict[str, MockPins] = {}
        self._random = Random(self.seed)
        self._line: Line | None = None
        self._life: _Life | None = None
        if any(board.kind == "gpio" for board in self.machine.boards.values()):
            self._pins = {n: MockPins(b, self.plant) for n, b in self.machine.boards.items()}
            self.plant.connect(self._pins)
            self.plant.power_on()
        else:
            bench = Bench(self.plant, self.plug.say)
            self.plug.hear = bench.receive
            bench.plugged_in_by(self.plug)

    @property
    def remembers(self) -> bool:
        """Whether its boards keep their counts without a host: bare pins have nobody who does."""
        return not self._pins

    async def live(
        self,
        path: Path,
        rounds: int = 1,
        die: Die = lambda number, written: False,
        *,
        until_ready: bool = False,
        abandon: bool = False,
    ) -> tuple[Daemon, int] | None:
        """One host's life; returns the daemon and its journal's writes, None if it died.

        With `abandon` a story that was left unfinished is not gone on with.
        """
        with MortalJournal(path, "now", {}) as journal:
            unfinished = None if abandon else journal.resume()
            life = self._life = _Life(journal)
            for sentence in journal.healed:
                self.told.append({"event": "healed", "what": sentence})
            daemon = self.daemon = self._host(life)
            if unfinished is not None:
                daemon.books.resume(unfinished.entries)
                self.hands.host_is_back()

            def mortal(number: int, written: bool) -> None:
                if die(number, written):
                    self.kill()
                    raise Killed

            journal.mortal = mortal
            life.playing = asyncio.ensure_future(daemon.run(rounds, until_ready=until_ready))
            try:
                await asyncio.wait((life.playing,))
            finally:
                life.playing.cancel()
            if life.dead:
                # Whatever it still says while it falls, nobody hears it.
                if not life.playing.cancelled():
                    life.playing.exception()
                return None
            life.playing.result()
            if not until_ready:
                with suppress(Killed):
                    journal.end()
            return None if self._died(life) else (daemon, journal.writes)

    @staticmethod
    def _died(life: _Life) -> bool:
        return life.dead

    def kill(self) -> None:
        """The host's power fails: its line is dead and its journal takes nothing more."""
        life = self._life
        if life is None or life.dead:
            return
        life.dead = True
        if isinstance(life.journal, MortalJournal):
            life.journal.die()
        if self._line is not None:
            self._line.close()
        if life.playing is not None:
            life.playing.cancel()

    def fill_disk(self) -> None:
        """The host's disk takes nothing more, as long as it lives."""
        life = self._life
        if life is not None and not life.dead and isinstance(life.journal, MortalJournal):
            life.journal.fill_disk()

    def host(self, journal: Journal) -> Daemon:
        """A new host on a new line, which nobody kills."""
        return self._host(_Life(journal))

    def _host(self, life: _Life) -> Daemon:
        loop, journal = asyncio.get_running_loop(), life.journal
        events = EventLog(loop.time)
        kept = self.record = []

        def keep(line: str) -> None:
            if not life.dead:
                kept.append(line)
                self.keeps(line)

        hardware = Hardware(
            self._boards(life),
            self.hands,
            faces_by_tag(self.orders.game),
            (),
            lambda: None,
            reconnect=partial(self._reconnect, life),
        )
        daemon = daemon_for(
            hardware, self.machine, self.config, self.orders, journal, events, record=keep
        )

        def hear(event: Event) -> None:
            if not life.dead:
                self.told.append(event)
                self.heard(daemon, event)

        events.listen(hear)
        return daemon

    def _boards(self, life: _Life) -> dict[str, Board]:
        if self._pins:
            return {n: on_pins(self.machine, n, each.factory) for n, each in self._pins.items()}
        while self.plug.pulled:
            self.plug.put_back()
        line = self._line = Line(self.plug.open())
        flags = flags_of(self.machine)
        return {
            name: SerialBoard(name, board, line, KEY, lambda: self._random.randbytes(8), flags)
            for name, board in self.machine.boards.items()
        }

    def _reconnect(self, life: _Life, board: str) -> None:
        if life.dead:
            raise BoardSilent(f"board {board}: its host is gone.")
        if self._line is not None and self._line.broken:
            self._line.attach(self.plug.open())


@dataclass
class _Life:
    """One host, from its start to its end."""

    journal: Journal
    dead: bool = False
    playing: asyncio.Future[None] | None = None


def _nothing(*_: object) -> None:
    """What becomes of a dead host's writes."""


def _nowhere(*_: object) -> int:
    """What a dead host would write."""
    return 0


def _no_room(lines: object) -> None:
    raise JournalError(
        "The journal cannot be written (No space left on device); free its disk, or name another"
        " file with --journal."
    )
