"""Plays one evening: hosts, stops and technicians, until all its rounds are played."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from controller.daemon import Daemon
from controller.events import Event
from controller.faults.catalogue import Fault
from controller.faults.table_fault import TableFault
from controller.journal import JournalError, JournalLockedError
from controller.soak.host_restarts import SHUTDOWN_LIMIT, SurvivingTable
from controller.soak.scenarios import EVENING, Evening, ScheduledFault
from controller.soak.tolerated_refusals import may_refuse
from controller.soak.witness import Witness, one_outcome_each, throws_as_recorded
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injection import InjectedFault, Nth
from firmware_bridge.sim.stall import StallingLoop, boards_side

LONGEST = 4 * 3600.0
"""Time limit for one host, seconds; five prompts that time out take more than an hour."""
MOST_HOSTS = 60
"""Largest number of hosts on one table."""
WITHOUT_EVENTS = 1800.0
"""Seconds without an event after which a technician checks the table; every hand is shorter."""
CALLED = "CALLED"
"""Used as the fault code if a technician checked the table without a fault."""
NEVER = Nth(999_999_999)
SUSPECT = (Fault.IMPOSSIBLE, Fault.REFUSED)
"""Faults that follow from an impossible command; no injected fault explains them."""
ON_DISK = (Fault.JOURNAL,)
"""Faults of the disk: the technician repairs the disk and does not move tiles."""
NEW_ROUND = (Fault.UNPROVEN, Fault.JOURNAL_LOCKED)
"""Faults after which the round is played again from the beginning, because its state is unknown."""
COPIES = 3
"""Number of journal copies; the journal is allowed to lock only if all were corrupted."""


@dataclass
class RoundPlayed:
    """Result of one round."""

    number: int
    table: str
    game: str
    play: bool
    events: list[Event] = field(default_factory=list)
    injected_faults: list[str] = field(default_factory=list)
    """Kinds of the injected faults that occurred."""
    stops: list[str] = field(default_factory=list)
    """Codes of the faults that stopped the table."""
    regathered: bool = False
    """Whether the tiles were put away and the round was played again."""
    wrong: list[str] = field(default_factory=list)
    """Findings: sentences about states that must not occur."""

    def events_named(self, name: str) -> list[Event]:
        """The events of the round with this name."""
        return [event for event in self.events if event["event"] == name]


@dataclass
class Played:
    """Result of one evening."""

    evening: Evening
    rounds: list[RoundPlayed]
    seconds: float

    @property
    def wrong(self) -> list[str]:
        """The findings of all rounds."""
        return [sentence for played in self.rounds for sentence in played.wrong]


def play_evening(
    evening: Evening,
    folder: Path,
    rounds: int = EVENING,
    stop: Callable[[], bool] = lambda: False,
) -> Played | None:
    """Play one evening in virtual time; the journals are written to `folder`.

    `stop` is called at every event; if it returns True, the evening ends and the result is None.
    """
    run = _EveningRun(evening, folder, rounds, stop)
    while not run.over:
        loop = (StallingLoop if "host_stall" in evening.kinds else VirtualLoop)()
        try:
            loop.run_until_complete(run.on_one_table())
        except asyncio.CancelledError:
            return None
        finally:
            loop.close()
    return Played(evening, run.rounds, run.seconds)


class _EveningRun:
    """State of an evening while it is played."""

    def __init__(
        self, evening: Evening, folder: Path, rounds: int, stop: Callable[[], bool]
    ) -> None:
        self.evening = evening
        self._stop = stop
        self._main: asyncio.Task[None] | None = None
        self.rounds = [
            RoundPlayed(evening.first + n, evening.table, evening.game, evening.play)
            for n in range(rounds)
        ]
        self._folder = folder
        self._chance = Random(f"{evening.seed}:night")
        self._tables = 0
        self._begun = 0
        """Number of rounds that were finished on earlier tables."""
        self._at = 0
        """Index of the present round."""
        self._phase = 0
        """Number of changes of state in the present round."""
        self._spare_used = False
        self._left: list[ScheduledFault] = []
        """Faults of the present round that are not injected yet."""
        self._writes: list[int] = []
        """Journal writes, counted from now, at which the host is killed."""
        self._faults_before: list[int] = []
        """Number of faults that had occurred at the beginning of each round on this table."""
        self._counted = 0
        self._corrupted: list[set[Path]] = []
        """Journal copies that were corrupted in each round on this table."""
        self.seconds = 0.0

    @property
    def over(self) -> bool:
        """Whether every round was played, or the evening was ended by a failure."""
        return self._at >= len(self.rounds)

    async def on_one_table(self) -> None:
        """Play all remaining rounds on one table, with both sets in their boxes."""
        self._main = asyncio.current_task()
        try:
            await self._play_on_table()
        except Exception as error:  # noqa: BLE001 any error is reported with its seed
            self._wrong(_description(error))
            self._end_evening()
        finally:
            await self._cancel_all_tasks()
        self.seconds += asyncio.get_running_loop().time()

    async def _cancel_all_tasks(self) -> None:
        """Cancel every running task and wait for its end."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            _, stuck = await asyncio.wait(left, timeout=SHUTDOWN_LIMIT)
            for task in left - stuck:
                if not task.cancelled():
                    # Reads the exception: a failure after the end of the evening is ignored.
                    task.exception()
            for task in stuck:
                self._wrong(f"A task does not stop: {task.get_stack(limit=1)}")

    # Tables and hosts

    async def _play_on_table(self) -> None:
        """Play on one table until all rounds are played, or until the tiles have to be put away."""
        self._tables += 1
        self._faults_before.clear()
        self._corrupted.clear()
        self._counted = 0
        self._begun = self._at
        self._prepare(self._at, again=self._now.regathered)
        self._table = table = SurvivingTable(
            self.evening.table,
            self.evening.game,
            self.evening.seed + self._tables,
            self.evening.play,
            injected_faults=self._possible(),
            on_event=self._hear,
            choices=self.evening.choices,
        )
        self._witness = Witness(table.plant)
        table.plant.injected_faults.on_host(self._on_host_fault)
        self._path = self._folder / f"{self.evening.first}-{self._tables}.journal"
        stopped = -1
        for _ in range(MOST_HOSTS):
            fault = await self._run_host()
            self._settle()
            if (
                fault is None
                and table.daemon
                and table.daemon.run_state.figures.rounds >= self._due
            ):
                self._at = len(self.rounds)
                return
            if self._now.wrong:
                self._end_evening()
                return
            if fault is not None:
                self._now.stops.append(fault.fault.name)
                if fault.fault in SUSPECT:
                    self._wrong(f"{fault}")
                if fault.fault is Fault.JOURNAL_LOCKED and not self._may_lock:
                    self._wrong(f"The journal locked although an intact copy existed: {fault}")
                if stopped == self._at or fault.fault in NEW_ROUND or not table.keeps_counts:
                    if self._now.regathered:
                        self._wrong(
                            f"A round without new faults after a put-away stopped again: {fault}"
                        )
                        self._end_evening()
                    self._now.regathered = True
                    return
                stopped = self._at
                if fault.fault not in ON_DISK:
                    self._technician()
            await asyncio.sleep(self._chance.uniform(0.5, 40.0))
        self._wrong(f"The round is not over after {MOST_HOSTS} hosts.")
        self._end_evening()

    @property
    def _due(self) -> int:
        return len(self.rounds) - self._begun

    @property
    def _may_lock(self) -> bool:
        """Whether the journal may lock: all copies were corrupted in the last two rounds."""
        return len(set().union(*self._corrupted[-2:])) == COPIES

    def _may_refuse(self, channel: str) -> bool:
        """Whether this channel may refuse a command after a sensor fault left tiles in its way.

        The fault can be from the previous round, because the set built then is dealt in this one. A
        refusal stays acceptable while the fault is active.
        """
        injected_faults = self._table.plant.injected_faults
        since = self._faults_before[-2] if len(self._faults_before) > 1 else 0
        recent = [(each.kind, each.part) for each in injected_faults.occurred[since:]]
        return channel in may_refuse(
            self._table.machine.modules, [*recent, *injected_faults.active]
        )

    @property
    def _now(self) -> RoundPlayed:
        return self.rounds[min(self._at, len(self.rounds) - 1)]

    async def _run_host(self) -> TableFault | None:
        """Run one host to its end; returns the fault that stopped it, None if it was killed."""
        table = self._table
        calling = asyncio.ensure_future(self._call_technician())
        try:
            async with asyncio.timeout(LONGEST):
                await table.run_host(self._path, self._due, self._should_kill)
        except TableFault as fault:
            return fault
        except TimeoutError:
            self._wrong(f"The host still waits after {LONGEST:.0f} s: {_last(self._now)}")
        except JournalLockedError as error:
            return TableFault(Fault.JOURNAL_LOCKED, "journal", str(error))
        except JournalError as error:
            # Expected if the disk was full; the next host continues from the lines on disk.
            if not any(each.kind == "full_disk" for each in table.plant.injected_faults.occurred):
                self._wrong(_description(error))
        except Exception as error:  # noqa: BLE001 any error is reported with its seed
            self._wrong(_description(error))
        finally:
            calling.cancel()
        return None

    async def _call_technician(self) -> None:
        """Call a technician if the table emits no events for a long time and a fault is active.

        For example, a stuck key gives the controller no signal, and the controller waits for the
        end of the hand as it should.
        """
        while True:
            events = len(self._now.events)
            await asyncio.sleep(WITHOUT_EVENTS)
            if events == len(self._now.events) and self._table.plant.injected_faults.active:
                self._now.stops.append(CALLED)
                self._technician()

    def _technician(self) -> None:
        """Clear every injected fault, as a trained technician does."""
        self._table.plant.repair("everything", "table")

    def _end_evening(self) -> None:
        """Drop the remaining rounds after a failure."""
        del self.rounds[self._at + 1 :]
        self._at = len(self.rounds)

    # Events and checks

    def _hear(self, daemon: Daemon, event: Event) -> None:
        """Take one event: assign it to its round, inject due faults, and check it."""
        if self._main is not None and self._stop():
            self._main.cancel()
            self._main = None
        at = self._begun + daemon.run_state.figures.rounds
        if at > self._at and at < len(self.rounds):
            self._settle()
            self._at = at
            for scheduled in self._left:
                self._inject(scheduled)
            self._prepare(at)
        self._now.events.append(event)
        self._witness.hear(daemon, event)
        match event:
            case {"event": "state"}:
                for scheduled in [
                    scheduled for scheduled in self._left if scheduled.phase <= self._phase
                ]:
                    self._left.remove(scheduled)
                    self._inject(scheduled)
                self._phase += 1
            case {"event": "ready"}:
                occurred = self._table.plant.injected_faults.occurred
                if len(occurred) == self._counted and not self._spare_used:
                    self._spare_used = True
                    self._inject(self.evening.spares[self._at])
            case {"event": "paused", "why": "IMPOSSIBLE", "channel": str(channel)} if (
                not self._may_refuse(channel)
            ):
                self._wrong(f"A board refused an impossible command: {event}")

    def _prepare(self, at: int, *, again: bool = False) -> None:
        """Schedule the faults of a round; none if the round is played `again`."""
        self._phase = 0
        self._faults_before.append(self._counted)
        self._corrupted.append(set())
        self._spare_used = again
        self._left = [] if again else list(self.evening.scheduled_faults[at])

    def _settle(self) -> None:
        """Add all faults and findings so far to the present round."""
        self._witness.count()
        occurred = self._table.plant.injected_faults.occurred
        self._now.injected_faults += [each.kind for each in occurred[self._counted :]]
        self._counted = len(occurred)
        self._now.wrong += self._witness.wrong + self._journal_findings()
        self._witness.wrong.clear()

    def _journal_findings(self) -> list[str]:
        """Findings from the journal: differences between its entries and the plant."""
        daemon = self._table.daemon
        if daemon is None:
            return []
        try:
            entries = daemon.run_state.journal.history()
        except JournalLockedError as locked:
            return [] if self._may_lock else [_description(locked)]
        return [
            *throws_as_recorded(self._witness.thrown, entries),
            *one_outcome_each(entries, in_parts=self.evening.choices.fastest),
        ]

    def _wrong(self, sentence: str) -> None:
        self._now.wrong.append(sentence)

    # Injected faults

    def _possible(self) -> list[InjectedFault]:
        """The faults at power-on: those of the tile set, and one that never occurs.

        Without any fault at power-on the plant accepts none later.
        """
        kinds = self.evening.kinds & {"extra_tile", "foreign_tile"}
        return [
            InjectedFault("clock_jump", "host", NEVER),
            *(InjectedFault(k, "drum", NEVER) for k in kinds),
        ]

    def _inject(self, scheduled: ScheduledFault) -> None:
        """Inject a scheduled fault, or schedule the journal write at which the host is killed."""
        if scheduled.write:
            self._writes.append(scheduled.write)
            return
        injected_faults = self._table.plant.injected_faults
        with boards_side():
            injected_faults.add(scheduled.injected(injected_faults.now + scheduled.delay))

    def _should_kill(self, number: int, written: bool) -> bool:
        """Whether the host is killed now; called before and after each write of the journal."""
        if not self._writes or (self._writes[0] > 0) is not written:
            return False
        self._writes[0] -= 1 if written else -1
        return self._writes[0] == 0 and self._count_kill()

    def _count_kill(self) -> bool:
        """Add the killed host to the round's faults; the plant does not count it. Returns True."""
        self._writes.pop(0)
        self._now.injected_faults.append("power_cut")
        return True

    def _on_host_fault(self, injected: InjectedFault) -> None:
        """Apply an injected fault of the host."""
        match injected.kind:
            case "power_cut":
                self._table.kill()
            case "full_disk":
                self._table.fill_disk()
            case "corrupt_journal":
                self._corrupt_journal()

    def _corrupt_journal(self) -> None:
        """Overwrite a part of one journal copy, truncate the copy, or delete it."""
        copies = sorted(self._path.parent.glob(f"{self._path.name}*"))
        files = [c for c in copies if c.suffix != ".lock" and c.stat().st_size]
        if not files:
            return
        file = self._chance.choice(files)
        self._corrupted[-1].add(file)
        size = file.stat().st_size
        match self._chance.randrange(3):
            case 0:
                with file.open("r+b") as opened:
                    opened.seek(self._chance.randrange(size))
                    opened.write(self._chance.randbytes(64))
            case 1:
                with file.open("r+b") as opened:
                    opened.truncate(self._chance.randrange(size))
            case _:
                file.unlink()


def _description(error: BaseException) -> str:
    """Describe an unexpected exception with its text and the lines that raised it."""
    while isinstance(error, BaseExceptionGroup):
        # The group can also contain a fault of the table; the error is then the other exception.
        found = error.exceptions
        error = next((each for each in found if not isinstance(each, TableFault)), found[0])
    where = [
        f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)
    ]
    return f"{type(error).__name__}: {error} ({' < '.join(reversed(where[-4:]))})"


def _last(played: RoundPlayed) -> str:
    return "; ".join(str(event) for event in played.events[-3:])
