"""A simulated table whose host dies at any moment and is replaced by another host.

Plant, boards, people and the journal's files belong to the table; a host is a daemon on a line of
its own. After its death nothing that a host still does reaches the table, the journal or a
listener.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from config.loader import load_game, load_table
from controller.assembly import Hardware, daemon_for, faces_by_tag, on_pins, simulated_plant
from controller.daemon import Daemon
from controller.events import Event, EventLog
from controller.journal import Journal
from controller.journal.storage import Done, Job, Results
from controller.planning.hand_lanes import staging_of
from controller.planning.setup_forecast import seats_of
from controller.soak.choices import Choices
from firmware_bridge.board import Board
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.faults.injection import InjectedFault
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.sim.plug import CablePlug
from firmware_bridge.sim.slow_disk import SlowDisk
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.link import SerialLine

Die = Callable[[int, bool], bool]
"""Whether the host dies at this journal write: called with its number from 1 and whether it is
done."""
OnEvent = Callable[[Daemon, Event], None]
FALLING = 120.0
"""Limit for the shutdown of a dead host, seconds; longer than any wait for a board."""


class MortalStorage:
    """Storage of a host that may die at its n-th write: before the write, or right after it.

    `mortal` is called with the number of the write and whether it has been done. Once the host is
    dead nothing reaches a disk any more; each copy keeps any part of a write that was under way.
    """

    def __init__(self, below: SlowDisk, chance: Random) -> None:
        self.mortal: Callable[[int, bool], None] = lambda number, written: None
        self._chance = chance
        self.writes = 0
        self._below = below
        self._dead = False
        self._full = False

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        if self._dead:
            return
        self.writes += 1
        number = self.writes
        self.mortal(number, False)
        if self._dead:
            return

        def ended(results: Results) -> None:
            if not self._dead:
                self.mortal(number, True)
            if not self._dead:
                done(results)

        self._below.carry_out([_no_room] * len(jobs) if self._full else jobs, ended)

    def finish(self) -> None:
        if not self._dead:
            self._below.finish()

    def close(self) -> None:
        self._below.close()

    def die(self) -> None:
        """Cut the power: nothing reaches a disk any more."""
        self._dead = True
        self._below.lose_power(self._chance)

    def fill_disk(self) -> None:
        """Fill the disk: from now on every write fails."""
        self._full = True


@dataclass
class SurvivingTable:
    """One table with its people, and a succession of hosts. `told` are the events of all hosts.

    Faults that are injected during play go to `plant.mishaps`, if some were enabled at power-on.
    """

    table: str
    game: str
    seed: int
    play: bool = False
    answers: Mapping[str, int | str] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    injected_faults: Iterable[InjectedFault] = ()
    on_event: OnEvent = lambda daemon, event: None
    """Listeners for every event, called with the daemon that emits it."""
    record: list[str] = field(default_factory=list)
    """Record of the play by the last host; each host writes its own from the first hand."""
    sync_s: float = 0.0
    """How long each sync of a host's journal takes, seconds; 0: every write is done at once."""
    keeps: Callable[[str], None] = lambda line: None
    """Takes every record line of a live host."""
    choices: Choices = field(default_factory=Choices)
    """Choices of the house and its people."""

    def __post_init__(self) -> None:
        shipped = load_game(self.game)
        self.machine, self.config = load_table(self.table), self.choices.config(shipped)
        self.orders = self.choices.orders(shipped, self.answers, play=self.play)
        game = self.orders.game
        seats = seats_of(self.orders.setup(self.orders.dealer))
        self.plant = simulated_plant(
            self.machine, self.config, game, seats, self.seed, injected_faults=self.injected_faults
        )
        self.plant.expect(staging_of(self.machine, self.orders).fills)
        self.hands = SimulatedGuide(
            self.plant,
            style=self.choices.style,
            obliging=self.choices.obliging,
            parameters=self.orders.parameters,
        )
        self.plug = CablePlug()
        self.daemon: Daemon | None = None
        """The last host's state."""
        self._pins: dict[str, MockPins] = {}
        self._random = Random(self.seed)
        self._losses = Random(f"{self.seed}:lost sectors")
        self._line: SerialLine | None = None
        self._life: _Life | None = None
        if any(board.kind == "gpio" for board in self.machine.boards.values()):
            self._pins = {n: MockPins(b, self.plant) for n, b in self.machine.boards.items()}
            self.plant.connect(self._pins)
            self.plant.power_on()
        else:
            bench = Bench(self.plant, self.plug.send)
            self.plug.on_receive = bench.receive
            bench.set_cable(self.plug)

    @property
    def remembers(self) -> bool:
        """Whether its boards keep their counts without a host; bare pins do not."""
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
        """Run one host; returns the daemon and its journal's writes, None if it died.

        With `abandon` an unfinished run in the journal is not resumed.
        """
        storage = MortalStorage(SlowDisk(self.sync_s), self._losses)
        with Journal(path, "now", {}, storage=storage) as journal:
            unfinished = None if abandon else journal.resume()
            life = self._life = _Life(journal, storage)
            for sentence in journal.repairs:
                self.events.append({"event": "journal_copy_repaired", "message": sentence})
            daemon = self.daemon = self._host(life)
            if unfinished is not None:
                daemon.run_state.resume(unfinished.entries)
                self.hands.host_restarted()

            def mortal(number: int, written: bool) -> None:
                if die(number, written):
                    self.kill()

            storage.mortal = mortal
            life.playing = asyncio.ensure_future(daemon.run(rounds, until_ready=until_ready))
            try:
                await asyncio.wait((life.playing,))
            finally:
                life.playing.cancel()
            if life.dead:
                # Events of a dead host while it shuts down are discarded.
                if not life.playing.cancelled():
                    life.playing.exception()
                return None
            life.playing.result()
            if not until_ready:
                journal.end()
            return None if self._died(life) else (daemon, storage.writes)

    @staticmethod
    def _died(life: _Life) -> bool:
        return life.dead

    def kill(self) -> None:
        """Cut the host's power: its line is dead and its journal takes nothing more."""
        life = self._life
        if life is None or life.dead:
            return
        life.dead = True
        if life.storage is not None:
            life.storage.die()
        if self._line is not None:
            self._line.close()
        if life.playing is not None:
            life.playing.cancel()

    def fill_disk(self) -> None:
        """Fill the host's disk; its writes fail until the host ends."""
        life = self._life
        if life is not None and not life.dead and life.storage is not None:
            life.storage.fill_disk()

    def host(self, journal: Journal) -> Daemon:
        """Start a new host on a new line, without injected deaths."""
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
                self.events.append(event)
                self.on_event(daemon, event)

        events.listen(hear)
        return daemon

    def _boards(self, life: _Life) -> dict[str, Board]:
        if self._pins:
            return {n: on_pins(self.machine, n, each.factory) for n, each in self._pins.items()}
        while self.plug.pulled:
            self.plug.put_back()
        line = self._line = SerialLine(self.plug.open())
        flags = flags_of(self.machine)
        return {
            name: SerialBoard(name, board, line, KEY, lambda: self._random.randbytes(8), flags)
            for name, board in self.machine.boards.items()
        }

    def _reconnect(self, life: _Life, board: str) -> None:
        if life.dead:
            raise BoardSilentError(f"board {board}: its host is gone.")
        if self._line is not None and self._line.broken:
            self._line.attach(self.plug.open())


@dataclass
class _Life:
    """One host, from its start to its end."""

    journal: Journal
    storage: MortalStorage | None = None
    dead: bool = False
    playing: asyncio.Future[None] | None = None


def _no_room() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
