"""Plays one evening: hosts, stops and technicians, until all its rounds are played.

Each round's ending is classified, with the codes of its faults.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

from controller.events import Event, EventName
from controller.proof.chaos.fault_schedule import FaultSchedule, JournalCorruption
from controller.proof.chaos.host_restarts import SHUTDOWN_LIMIT, SurvivingTable
from controller.proof.chaos.run_report import Played, RoundPlayed
from controller.proof.chaos.scenarios import EVENING, Evening
from controller.proof.chaos.witness import (
    EveningAudit,
    Witness,
    one_outcome_each,
    throws_as_recorded,
)
from controller.run.daemon import Daemon
from controller.run.faults.catalogue import Fault
from controller.run.faults.failures import TableFault
from controller.run.journal import JournalError, JournalLockedError
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.stall import StallingLoop

LONGEST = 4 * 3600.0
"""Time limit for one host, seconds; five prompts that time out take more than an hour."""
MOST_HOSTS = 60
"""Largest number of hosts on one table."""
WITHOUT_EVENTS = 1800.0
"""Seconds without an event after which a technician checks the table; every hand is shorter."""
CALLED = "CALLED"
"""Used as the fault code if a technician checked the table without a fault."""
SUSPECT = (Fault.IMPOSSIBLE, Fault.REFUSED)
"""Faults that follow from an impossible command; no injected fault explains them."""
OTHER_STEPS = (Fault.UNPROVEN, "journal")
"""Fault and part of a resumed run whose steps are not those of its journal."""
ON_DISK = (Fault.JOURNAL,)
"""Faults of the disk: the technician repairs the disk and does not move tiles."""
NEW_ROUND = (Fault.UNPROVEN, Fault.JOURNAL_LOCKED)
"""Faults after which the round is played again from the beginning, because its state is unknown."""


def play_evening(
    evening: Evening,
    folder: Path,
    rounds: int = EVENING,
    stop: Callable[[], bool] = lambda: False,
    *,
    audit: bool = False,
) -> Played | None:
    """Play one evening in virtual time; the journals are written to `folder`.

    With `audit` every host also writes an audit log there, whose bundle is verified at the end.

    `stop` is called at every event; if it returns True, the evening ends and the result is None.
    """
    run = _EveningRun(evening, folder, rounds, stop, audit=audit)
    while not run.over:
        loop = (StallingLoop if "host_stall" in evening.kinds else VirtualLoop)()
        try:
            loop.run_until_complete(run.on_one_table())
        except asyncio.CancelledError:
            return None
        finally:
            loop.close()
    if run.audit is not None:
        run.rounds[-1].wrong += run.audit.findings()
    for played in run.rounds:
        played.shorten_paths(folder)
    return Played(evening, run.rounds, run.seconds)


class _EveningRun:
    """State of an evening while it is played."""

    def __init__(
        self,
        evening: Evening,
        folder: Path,
        rounds: int,
        stop: Callable[[], bool],
        *,
        audit: bool,
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
        self._faults = FaultSchedule(evening)
        self._corruption = JournalCorruption(self._chance)
        self._tables = 0
        self._begun = 0
        """Number of rounds that were finished on earlier tables."""
        self._at = 0
        """Index of the present round."""
        self.seconds = 0.0
        self.audit: EveningAudit | None = None
        if audit:
            torn = Random(f"{evening.seed}:audit")
            self.audit = EveningAudit(folder / "audit", evening.table, self._elapsed, torn)

    def _elapsed(self) -> float:
        """Seconds since the evening began, on all its tables."""
        return self.seconds + asyncio.get_running_loop().time()

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
        self._faults.begin_table()
        self._corruption.begin_table()
        self._begun = self._at
        self._begin_round(again=self._now.regathered)
        self._table = table = SurvivingTable(
            self.evening.table,
            self.evening.game,
            self.evening.seed + self._tables,
            self.evening.play,
            injected_faults=self._faults.at_power_on(),
            on_event=self._hear,
            choices=self.evening.choices,
        )
        self._faults.use(table.plant.injected_faults)
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
                if fault.fault in SUSPECT or (fault.fault, fault.part) == OTHER_STEPS:
                    self._wrong(f"{fault}")
                if fault.fault is Fault.JOURNAL_LOCKED and not self._corruption.may_lock:
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
    def _now(self) -> RoundPlayed:
        return self.rounds[min(self._at, len(self.rounds) - 1)]

    async def _run_host(self) -> TableFault | None:
        """Run one host to its end; returns the fault that stopped it, None if it was killed."""
        table = self._table
        calling = asyncio.ensure_future(self._call_technician())
        if self.audit is not None:
            self.audit.begin_host()
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
            if self.audit is not None:
                self._now.wrong += self.audit.end_host(killed=table.host_was_killed)
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
            self._faults.inject_left()
            self._begin_round()
        self._now.events.append(event)
        if self.audit is not None:
            self.audit.hear(event)
        self._witness.hear(daemon, event)
        match event:
            case {"event": EventName.STATE}:
                self._faults.inject_due()
            case {"event": EventName.READY}:
                self._faults.inject_spare(self._at)
            case {"event": EventName.PAUSED, "why": "IMPOSSIBLE", "channel": str(channel)} if (
                not self._faults.may_refuse(channel, self._table.machine.modules)
            ):
                self._wrong(f"A board refused an impossible command: {event}")

    def _begin_round(self, *, again: bool = False) -> None:
        """Schedule the faults of the present round; none if the round is played `again`."""
        self._faults.begin_round(self._at, again=again)
        self._corruption.begin_round()

    def _settle(self) -> None:
        """Add all faults and findings so far to the present round."""
        self._witness.count()
        self._now.injected_faults += self._faults.count_new()
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
            return [] if self._corruption.may_lock else [_description(locked)]
        return [
            *throws_as_recorded(self._witness.thrown, entries),
            *one_outcome_each(entries, in_parts=self.evening.choices.fastest),
        ]

    def _wrong(self, sentence: str) -> None:
        self._now.wrong.append(sentence)

    # Faults of the host

    def _should_kill(self, number: int, written: bool) -> bool:
        """Whether the host is killed at this write of the journal; adds it to the round's faults.

        The plant does not count a host that is killed at a write.
        """
        if not self._faults.should_kill(written=written):
            return False
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
                self._corruption.corrupt(self._path)


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
