"""Plays one evening: runs of the daemon, stops and technicians, until its rounds are done."""

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
from controller.soak.host_restarts import FALLING, SurvivingTable
from controller.soak.scenarios import EVENING, Evening, ScheduledFault
from controller.soak.tolerated_refusals import may_refuse
from controller.soak.witness import Witness, one_outcome_each, throws_as_written
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injection import InjectedFault, Nth
from firmware_bridge.sim.stall import StallingLoop, boards_side

LONGEST = 4 * 3600.0
"""Limit for one run of a daemon, seconds: five questions with full patience take over an hour."""
LIVES = 60
"""Limit for the number of daemon runs in one evening."""
UNMOVED = 1800.0
"""Seconds without any event after which a person checks the table; the longest hand takes less."""
CALLED = "CALLED"
"""Stands for a fault code where a person checked the table without a request."""
NEVER = Nth(999_999_999)
SUSPECT = (Fault.IMPOSSIBLE, Fault.REFUSED)
"""Faults for which the controller gave an impossible order: no injected fault explains them."""
ON_DISK = (Fault.JOURNAL,)
"""Faults of the disk: the technician repairs the disk only and leaves the tiles where they are."""
ANEW = (Fault.UNPROVEN, Fault.JOURNAL_LOCKED)
"""Faults after which a round begins anew, because its outcome so far is unknown."""
COPIES = 3
"""Number of journal copies; the journal may lock only after all of them were corrupted."""


@dataclass
class RoundPlayed:
    """Result of one round."""

    number: int
    table: str
    game: str
    play: bool
    events: list[Event] = field(default_factory=list)
    injected_faults: list[str] = field(default_factory=list)
    """Kinds of the injected faults that happened."""
    stops: list[str] = field(default_factory=list)
    """Fault codes with which the table stopped."""
    regathered: bool = False
    wrong: list[str] = field(default_factory=list)
    """Findings: sentences about states that must not occur."""

    def events_named(self, name: str) -> list[Event]:
        """The round's events of this name."""
        return [event for event in self.events if event["event"] == name]


@dataclass
class Played:
    """Result of one evening."""

    evening: Evening
    rounds: list[RoundPlayed]
    seconds: float

    @property
    def wrong(self) -> list[str]:
        return [sentence for played in self.rounds for sentence in played.wrong]


def play_evening(
    evening: Evening,
    folder: Path,
    rounds: int = EVENING,
    stop: Callable[[], bool] = lambda: False,
) -> Played | None:
    """Play one evening on a virtual clock of its own; `folder` takes the journal.

    `stop` is called at every event. Once it returns True the evening ends, and the result is None.
    """
    night = _Night(evening, folder, rounds, stop)
    while not night.over:
        loop = (StallingLoop if "host_stall" in evening.kinds else VirtualLoop)()
        try:
            loop.run_until_complete(night.on_one_table())
        except asyncio.CancelledError:
            return None
        finally:
            loop.close()
    return Played(evening, night.rounds, night.seconds)


class _Night:
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
        """Rounds that earlier tables have finished."""
        self._at = 0
        self._phase = 0
        self._spared = False
        self._left: list[ScheduledFault] = []
        self._writes: list[int] = []
        self._lasts: list[int] = []
        """How many faults had been injected as each of this table's rounds began."""
        self._counted = 0
        self._spoilt: list[set[Path]] = []
        """Journal copies that were corrupted in each of this table's rounds."""
        self.seconds = 0.0

    @property
    def over(self) -> bool:
        """Whether every round has been played or given up."""
        return self._at >= len(self.rounds)

    async def on_one_table(self) -> None:
        """Play all remaining rounds on one table, with both sets in their boxes."""
        self._main = asyncio.current_task()
        try:
            await self._until_regathered()
        except Exception as error:  # noqa: BLE001 any error is reported with its seed
            self._wrong(_told(error))
            self._give_up()
        finally:
            await self._everybody_goes()
        self.seconds += asyncio.get_running_loop().time()

    async def _everybody_goes(self) -> None:
        """Cancel every task that still runs and wait for its end."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            _, stuck = await asyncio.wait(left, timeout=FALLING)
            for task in left - stuck:
                if not task.cancelled():
                    # A failure after the end of the evening belongs to no round.
                    task.exception()
            for task in stuck:
                self._wrong(f"A task does not stop: {task.get_stack(limit=1)}")

    # Tables and daemon runs

    async def _until_regathered(self) -> None:
        self._tables += 1
        self._lasts.clear()
        self._spoilt.clear()
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
        table.plant.injected_faults.on_host(self._befalls_host)
        self._path = self._folder / f"{self.evening.first}-{self._tables}.journal"
        stopped = -1
        for _ in range(LIVES):
            fault = await self._one_life()
            self._settle()
            if (
                fault is None
                and table.daemon
                and table.daemon.run_state.figures.rounds >= self._due
            ):
                self._at = len(self.rounds)
                return
            if self._now.wrong:
                self._give_up()
                return
            if fault is not None:
                self._now.stops.append(fault.fault.name)
                if fault.fault in SUSPECT:
                    self._wrong(f"{fault}")
                if fault.fault is Fault.JOURNAL_LOCKED and not self._may_lock:
                    self._wrong(f"A good copy was there: {fault}")
                if stopped == self._at or fault.fault in ANEW or not table.remembers:
                    if self._now.regathered:
                        self._wrong(f"A round that began anew, undisturbed, stopped twice: {fault}")
                        self._give_up()
                    self._now.regathered = True
                    return
                stopped = self._at
                if fault.fault not in ON_DISK:
                    self._technician()
            await asyncio.sleep(self._chance.uniform(0.5, 40.0))
        self._wrong(f"After {LIVES} lives of hosts the round is not over.")
        self._give_up()

    @property
    def _due(self) -> int:
        return len(self.rounds) - self._begun

    @property
    def _may_lock(self) -> bool:
        """Whether no copy of the journal may be whole: all copies are checked after every round."""
        return len(set().union(*self._spoilt[-2:])) == COPIES

    def _excused(self, channel: str) -> bool:
        """Whether this mechanism may refuse a command because a sensor fault left tiles in its way.

        The fault may date from the previous round, since the set built then is dealt in this one.
        The exemption lasts until a person has put it right.
        """
        injected_faults = self._table.plant.injected_faults
        since = self._lasts[-2] if len(self._lasts) > 1 else 0
        lately = [(each.kind, each.part) for each in injected_faults.occurred[since:]]
        return channel in may_refuse(
            self._table.machine.modules, [*lately, *injected_faults.active]
        )

    @property
    def _now(self) -> RoundPlayed:
        return self.rounds[min(self._at, len(self.rounds) - 1)]

    async def _one_life(self) -> TableFault | None:
        """Run one daemon to its end; returns the fault that stopped it, None if its host died."""
        table = self._table
        called = asyncio.ensure_future(self._somebody_is_called())
        try:
            async with asyncio.timeout(LONGEST):
                await table.live(self._path, self._due, self._dies)
        except TableFault as fault:
            return fault
        except TimeoutError:
            self._wrong(f"After {LONGEST:.0f} s it still waits: {_last(self._now)}")
        except JournalLockedError as error:
            return TableFault(Fault.JOURNAL_LOCKED, "journal", str(error))
        except JournalError as error:
            # A host that ends while its disk is full reports it; the next one reads what is on
            # disk.
            if not any(each.kind == "full_disk" for each in table.plant.injected_faults.occurred):
                self._wrong(_told(error))
        except Exception as error:  # noqa: BLE001 any error is reported with its seed
            self._wrong(_told(error))
        finally:
            called.cancel()
        return None

    async def _somebody_is_called(self) -> None:
        """Call a technician to a table that emits no events for long although a fault is active.

        A stuck key gives the controller no signal; the controller rightly waits for the end of the
        hand.
        """
        while True:
            events_named = len(self._now.events)
            await asyncio.sleep(UNMOVED)
            if events_named == len(self._now.events) and self._table.plant.injected_faults.active:
                self._now.stops.append(CALLED)
                self._technician()

    def _technician(self) -> None:
        """Put every fault right and restart the table if it stopped, like a trained technician."""
        self._table.plant.repair("everything", "table")

    def _give_up(self) -> None:
        """Record the failure; the remaining rounds on this table are not evaluated."""
        del self.rounds[self._at + 1 :]
        self._at = len(self.rounds)

    # Events and checks

    def _hear(self, daemon: Daemon, event: Event) -> None:
        if self._main is not None and self._stop():
            self._main.cancel()
            self._main = None
        at = self._begun + daemon.run_state.figures.rounds
        if at > self._at and at < len(self.rounds):
            self._settle()
            self._at = at
            for scheduled in self._left:
                self._order(scheduled)
            self._prepare(at)
        self._now.events.append(event)
        self._witness.hear(daemon, event)
        match event:
            case {"event": "state"}:
                for scheduled in [
                    scheduled for scheduled in self._left if scheduled.phase <= self._phase
                ]:
                    self._left.remove(scheduled)
                    self._order(scheduled)
                self._phase += 1
            case {"event": "ready"}:
                happened = self._table.plant.injected_faults.occurred
                if len(happened) == self._counted and not self._spared:
                    self._spared = True
                    self._order(self.evening.spares[self._at])
            case {"event": "paused", "why": "IMPOSSIBLE", "channel": str(channel)} if (
                not self._excused(channel)
            ):
                self._wrong(f"A board was ordered what cannot be: {event}")

    def _prepare(self, at: int, *, again: bool = False) -> None:
        """Schedule the round's faults, unless the round begins anew and had them already."""
        self._phase = 0
        self._lasts.append(self._counted)
        self._spoilt.append(set())
        self._spared = again
        self._left = [] if again else list(self.evening.scheduled_faults[at])

    def _settle(self) -> None:
        """Add all faults and findings so far to the current round."""
        self._witness.count()
        happened = self._table.plant.injected_faults.occurred
        self._now.injected_faults += [each.kind for each in happened[self._counted :]]
        self._counted = len(happened)
        self._now.wrong += self._witness.wrong + self._written_wrong()
        self._witness.wrong.clear()

    def _written_wrong(self) -> list[str]:
        """Findings from the journal: differences between its entries and what was done."""
        daemon = self._table.daemon
        if daemon is None:
            return []
        try:
            entries = daemon.run_state.journal.history()
        except JournalLockedError as locked:
            return [] if self._may_lock else [_told(locked)]
        return [
            *throws_as_written(self._witness.thrown, entries),
            *one_outcome_each(entries, in_parts=self.evening.choices.fastest),
        ]

    def _wrong(self, sentence: str) -> None:
        self._now.wrong.append(sentence)

    # Injected faults

    def _possible(self) -> list[InjectedFault]:
        """Enable faults that must be known at power-on; else the plant takes no faults later."""
        kinds = self.evening.kinds & {"extra_tile", "foreign_tile"}
        return [
            InjectedFault("clock_jump", "host", NEVER),
            *(InjectedFault(k, "drum", NEVER) for k in kinds),
        ]

    def _order(self, scheduled: ScheduledFault) -> None:
        if scheduled.write:
            self._writes.append(scheduled.write)
            return
        injected_faults = self._table.plant.injected_faults
        with boards_side():
            injected_faults.add(scheduled.injected(injected_faults.now + scheduled.delay))

    def _dies(self, number: int, written: bool) -> bool:
        """Whether the host dies now; called at each write of the journal, before and after it."""
        if not self._writes or (self._writes[0] > 0) is not written:
            return False
        self._writes[0] -= 1 if written else -1
        return self._writes[0] == 0 and self._killed()

    def _killed(self) -> bool:
        """Record the host's death at a journal write; the plant does not count it as a fault."""
        self._writes.pop(0)
        self._now.injected_faults.append("power_cut")
        return True

    def _befalls_host(self, injected: InjectedFault) -> None:
        match injected.kind:
            case "power_cut":
                self._table.kill()
            case "full_disk":
                self._table.fill_disk()
            case "corrupt_journal":
                self._spoil()

    def _spoil(self) -> None:
        """Corrupt, delete or truncate one copy of the journal."""
        copies = sorted(self._path.parent.glob(f"{self._path.name}*"))
        files = [c for c in copies if c.suffix != ".lock" and c.stat().st_size]
        if not files:
            return
        file = self._chance.choice(files)
        self._spoilt[-1].add(file)
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


def _told(error: BaseException) -> str:
    """Describe an unexpected exception: its text and where it was raised."""
    while isinstance(error, BaseExceptionGroup):
        # The group may also hold a fault of the table; the unexpected error is the other one.
        found = error.exceptions
        error = next((each for each in found if not isinstance(each, TableFault)), found[0])
    where = [
        f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)
    ]
    return f"{type(error).__name__}: {error} ({' < '.join(reversed(where[-4:]))})"


def _last(played: RoundPlayed) -> str:
    return "; ".join(str(event) for event in played.events[-3:])
