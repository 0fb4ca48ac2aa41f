"""A simulated table whose host can be killed at any moment and replaced by another host.

Plant, boards, people and the journal's files belong to the table; a host is a daemon on a separate
line. After a host is killed, none of its actions reaches the table, the journal or a listener.
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
from controller.events import Event, EventLog, EventName
from controller.proof.chaos.scenarios import Choices
from controller.run.assembly import Hardware, daemon_for, faces_by_tag, on_pins, simulated_plant
from controller.run.daemon import Daemon
from controller.run.journal import Journal
from controller.run.journal.storage import Done, Job, Results
from controller.run.planning.setup_forecast import seats_of, staging_of
from firmware_bridge.board import Board
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.host_computer import SeededChance, SlowDisk
from firmware_bridge.sim.line import CablePlug
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.link import SerialLine

ShouldKill = Callable[[int, bool], bool]
"""Decides whether the host is killed at a journal write.

The arguments are the number of the write, from 1, and whether the write is done.
"""
OnEvent = Callable[[Daemon, Event], None]
SHUTDOWN_LIMIT = 120.0
"""Time limit for the shutdown of a killed host, seconds; longer than any wait for a board."""


class KillableStorage:
    """Journal storage of a host that can be killed before or after any write.

    `on_write` is called before and after each write, with its number and whether it is done. After
    `die` nothing is written; each copy keeps a random part of a write that was being executed.
    """

    def __init__(self, below: SlowDisk, chance: Random) -> None:
        self.on_write: Callable[[int, bool], None] = lambda number, written: None
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
        self.on_write(number, False)
        if self._dead:
            return

        def ended(results: Results) -> None:
            if not self._dead:
                self.on_write(number, True)
            if not self._dead:
                done(results)

        self._below.carry_out([_no_room] * len(jobs) if self._full else jobs, ended)

    def finish(self) -> None:
        if not self._dead:
            self._below.finish()

    def close(self) -> None:
        self._below.close()

    def die(self) -> None:
        """Stop all writes, as a power cut does."""
        self._dead = True
        self._below.lose_power(self._chance)

    def fill_disk(self) -> None:
        """Let every later write fail, as on a full disk."""
        self._full = True


@dataclass
class SurvivingTable:
    """One table with its people, and one host after another.

    `events` are the events of all hosts. Faults can be added during play to
    `plant.injected_faults` if `injected_faults` is not empty.
    """

    table: str
    game: str
    seed: int
    play: bool = False
    answers: Mapping[str, int | str] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    injected_faults: Iterable[InjectedFault] = ()
    on_event: OnEvent = lambda daemon, event: None
    """Called with every event of a running host, and its daemon."""
    record: list[str] = field(default_factory=list)
    """Record of the play by the last host; each host writes the record from the first hand."""
    sync_s: float = 0.0
    """Duration of each sync of the journal, seconds; 0: every write is done at once."""
    on_record_line: Callable[[str], None] = lambda line: None
    """Called with every record line of a running host."""
    choices: Choices = field(default_factory=Choices)
    """Choices of the house and its people."""

    def __post_init__(self) -> None:
        shipped = load_game(self.game)
        self.machine = self.choices.table(load_table(self.table))
        self.config = self.choices.config(shipped)
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
        """The daemon of the last host."""
        self._pins: dict[str, MockPins] = {}
        self._random = Random(self.seed)
        self._losses = Random(f"{self.seed}:lost sectors")
        self._line: SerialLine | None = None
        self._present: _Host | None = None
        if any(board.kind == "gpio" for board in self.machine.boards.values()):
            self._pins = {n: MockPins(b, self.plant) for n, b in self.machine.boards.items()}
            self.plant.connect(self._pins)
            self.plant.power_on()
        else:
            bench = Bench(self.plant, self.plug.send)
            self.plug.on_receive = bench.receive
            bench.set_cable(self.plug)

    @property
    def keeps_counts(self) -> bool:
        """Whether the boards keep their counts without a host; GPIO pins do not."""
        return not self._pins

    async def run_host(
        self,
        path: Path,
        rounds: int = 1,
        should_kill: ShouldKill = lambda number, written: False,
        *,
        until_ready: bool = False,
        abandon: bool = False,
    ) -> tuple[Daemon, int] | None:
        """Run one host; returns its daemon and the number of its journal writes, None if killed.

        `should_kill` decides at each journal write whether the host is killed. With `abandon` an
        unfinished run in the journal is not resumed.
        """
        storage = KillableStorage(SlowDisk(self.sync_s, durable=False), self._losses)
        with Journal(path, "now", {}, storage=storage) as journal:
            unfinished = None if abandon else journal.resume()
            host = self._present = _Host(journal, storage)
            for sentence in journal.repairs:
                self.events.append(
                    {"event": EventName.JOURNAL_COPY_REPAIRED.value, "message": sentence}
                )
            daemon = self.daemon = self._daemon_of(host)
            if unfinished is not None:
                daemon.run_state.resume(unfinished.entries)
                self.hands.host_restarted()

            def on_write(number: int, written: bool) -> None:
                if should_kill(number, written):
                    self.kill()

            storage.on_write = on_write
            host.playing = asyncio.ensure_future(daemon.run(rounds, until_ready=until_ready))
            try:
                await asyncio.wait((host.playing,))
            finally:
                host.playing.cancel()
            if host.killed:
                # Reads the exception: failures of a killed host during its shutdown are ignored.
                if not host.playing.cancelled():
                    host.playing.exception()
                return None
            host.playing.result()
            if not until_ready:
                journal.end()
            return None if self._was_killed(host) else (daemon, storage.writes)

    @property
    def host_was_killed(self) -> bool:
        """Whether the last host was killed."""
        return self._present is not None and self._present.killed

    @staticmethod
    def _was_killed(host: _Host) -> bool:
        return host.killed

    def kill(self) -> None:
        """Kill the host: close its line, stop the writes of its journal, and cancel its daemon."""
        host = self._present
        if host is None or host.killed:
            return
        host.killed = True
        if host.storage is not None:
            host.storage.die()
        if self._line is not None:
            self._line.close()
        if host.playing is not None:
            host.playing.cancel()

    def fill_disk(self) -> None:
        """Fill the host's disk: its writes fail until the host ends."""
        host = self._present
        if host is not None and not host.killed and host.storage is not None:
            host.storage.fill_disk()

    def host(self, journal: Journal) -> Daemon:
        """Create the daemon of a new host on a new line; this host cannot be killed."""
        return self._daemon_of(_Host(journal))

    def _daemon_of(self, host: _Host) -> Daemon:
        loop, journal = asyncio.get_running_loop(), host.journal
        events = EventLog(loop.time)
        record: list[str] = []
        self.record = record

        def keep(line: str) -> None:
            if not host.killed:
                record.append(line)
                self.on_record_line(line)

        hardware = Hardware(
            self._boards(host),
            self.hands,
            faces_by_tag(self.orders.game),
            (),
            lambda: None,
            partial(SeededChance, self.seed),
            reconnect=partial(self._reconnect, host),
        )
        daemon = daemon_for(
            hardware, self.machine, self.config, self.orders, journal, events, record=keep
        )

        def hear(event: Event) -> None:
            if not host.killed:
                self.events.append(event)
                self.on_event(daemon, event)

        events.listen(hear)
        return daemon

    def _boards(self, host: _Host) -> dict[str, Board]:
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

    def _reconnect(self, host: _Host, board: str) -> None:
        if host.killed:
            raise BoardSilentError(f"board {board}: its host was killed.")
        if self._line is not None and self._line.broken:
            self._line.attach(self.plug.open())


@dataclass
class _Host:
    """One host, from its start to its end."""

    journal: Journal
    storage: KillableStorage | None = None
    killed: bool = False
    playing: asyncio.Future[None] | None = None


def _no_room() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
