"""One run of a table, from its opened journal to its end record, for `run` and for `serve`.

A `RunJob` names what is played on which boards, and where the journal is; `TableRun` plays it.
`resumed_entries` decides whether a run resumes the unfinished run of its journal or is a new run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config.schema import GameConfig, Table
from controller.events import EventLog, EventName
from controller.run.assembly import Hardware, daemon_for
from controller.run.chance.share_seal import ShareSeal
from controller.run.daemon import Daemon
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal import Entry, Journal, JournalError
from controller.run.journal.replay import differences
from controller.run.journal.storage import Storage
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import staging_of
from controller.run.rounds.programme import RoundProgramme
from controller.run.rounds.put_away import ACTIVITY
from controller.run.run_state import as_json, open_fault_of
from controller.run.run_together import only
from rules.errors import WallwrightError
from rules.games import GAMES

if TYPE_CHECKING:
    from config.schema import Table
    from firmware_bridge.commissioning.device_keys import DeviceKeys
    from firmware_bridge.sim.faults.injected_fault import InjectedFault


@dataclass(frozen=True)
class RunJob:
    """The options of a run: table, game, number of rounds, speed, ports and files.

    `pace` is 1.0 for real time, None for as fast as possible, or a factor of real time. `ports`
    maps boards to serial ports; if it is empty the table is simulated, with `injected_faults`.
    """

    table: Table
    config: GameConfig
    orders: Orders
    rounds: int
    until_ready: bool
    seed: int
    pace: float | None
    ports: dict[str, str]
    reveal: bool
    journal: Path | None
    journal_copy: Path | None = None
    injected_faults: tuple[InjectedFault, ...] = ()
    abandon: bool = False
    keys: DeviceKeys | None = None
    """The keys of the real boards; None for a simulated table."""
    put_away_reason: str | None = None
    """Why people put every tile away before the first round; None if the journal decides."""
    emulated: bool = False
    """Whether simulated processors execute the firmware, instead of virtual boards."""
    audit_anchor: dict[str, object] | None = None
    """The size and the root of the audit log when the run begins, for the journal."""

    @property
    def title(self) -> str:
        """The game and the table, as the heading of the live view."""
        return f"{self.orders.game.title} on the table {self.table.name}"


@dataclass(frozen=True)
class RunEnd:
    """How a run ended: the failure that ended it, if any, and whether it was cut short."""

    failure: TableFault | JournalError | None
    cut_short: bool

    @property
    def sentence(self) -> str | None:
        """The failure with its next step; None without a failure."""
        match self.failure:
            case TableFault() as fault:
                return f"{fault} {fault.cure}"
            case JournalError() as error:
                return str(error)
        return None


def open_journal(job: RunJob, storage: Storage) -> Journal:
    """Open the journal of the job; without a file it is kept in memory during the run."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    if job.journal is None:
        return Journal.in_memory(started, facts_of(job), storage)
    return Journal(
        job.journal,
        started,
        facts_of(job),
        job.journal_copy,
        storage,
        audit_anchor=job.audit_anchor,
    )


class TableRun:
    """A daemon on its hardware and its journal, ready to play.

    Raises OtherRunError if the journal has an unfinished run with other options.
    """

    def __init__(
        self,
        job: RunJob,
        hardware: Hardware,
        journal: Journal,
        events: EventLog,
        *,
        clock: Callable[[], float],
        record: Callable[[str], None] | None = None,
    ) -> None:
        self.entries: tuple[Entry, ...] | None = resumed_entries(job, journal)
        """The journal entries of the unfinished run that this run resumes; None for a new run."""
        self._job = job
        self._journal = journal
        self._events = events
        serials = expected_serials(job, journal)
        for board in hardware.serial:
            board.expect_serial(serials.get(board.name))
        if hardware.plant is not None:
            hardware.plant.expect(staging_of(job.table, job.orders).fills)
        self.daemon: Daemon = daemon_for(
            hardware,
            job.table,
            job.config,
            job.orders,
            journal,
            events,
            clock=clock,
            record=record,
        )

    def resume(self) -> None:
        """Report repaired copies of the journal; then resume the unfinished run, if any."""
        for sentence in self._journal.repairs:
            self._events.emit(EventName.JOURNAL_COPY_REPAIRED, message=sentence)
        if self.entries is not None:
            self.daemon.run_state.resume(self.entries)

    async def play(self, programme: RoundProgramme, stop: asyncio.Event) -> RunEnd:
        """Play until the programme ends, `stop` is set, or a fault ends the run.

        A run that ends by its programme gets an end record; every other one is unfinished and is
        resumed by the next run. Raises an exception group for an error of the program.
        """
        why = reason_to_regather(self._job, self._journal)
        playing = asyncio.ensure_future(self.daemon.play(programme, put_away_reason=why))
        stopping = asyncio.ensure_future(stop.wait())
        cut_short = True
        try:
            await asyncio.wait((playing, stopping), return_when=asyncio.FIRST_COMPLETED)
            cut_short = not playing.done()
        finally:
            stopping.cancel()
            playing.cancel()
            await asyncio.wait((playing,))
            if not playing.cancelled():
                # Reads the exception also if this call is cancelled and its result is not read.
                playing.exception()
        if playing.cancelled():
            return RunEnd(None, cut_short)
        # A real table that is ready to play is still in its round, which a later run resumes. A
        # simulated table ends with its process.
        ended = not (self._job.until_ready and self._job.ports)
        match fault := _only(playing.exception()) or (await self._end() if ended else None):
            case None | TableFault() | JournalError():
                return RunEnd(fault, cut_short)
        raise fault

    async def _end(self) -> JournalError | None:
        """Write the end of the run to the journal, after the last round; returns an error of that.

        A run that was stopped earlier has no end in the journal, and is unfinished.
        """
        try:
            self._journal.end()
            await self._journal.settle()
        except JournalError as error:
            return error
        return None


def _only(error: BaseException | None) -> BaseException | None:
    """The only error of an exception group, the whole group if it has several, or the error."""
    return only(error) if isinstance(error, BaseExceptionGroup) else error


class OtherRunError(WallwrightError, ValueError):
    """The journal's unfinished run has another table, another game or other options."""


SIMULATED = "simulated"
"""The key that marks a journal entry of a run on a simulated table."""
ADDED = ("house", "table_file", "tile")
"""Facts that journals have since version 0.3."""
RECORDS_LOST = "the journal has lost its records, so nothing shows where the tiles are"
"""The reason to put every tile away if the journal's copies are empty or gone, but not its key."""
TILES_LEFT = "the last run has ended, and its tiles are still where it left them"
"""The reason to put every tile away before the first round after a completed run."""


def facts_of(job: RunJob) -> dict[str, object]:
    """The options of a run that its journal keeps. A run can be resumed with the same ones only.

    They include the house rules, and a digest of each section of the table's file except its title
    and the limits of recovery.
    """
    orders = job.orders
    facts: dict[str, object] = as_json(
        {
            "table": job.table.name,
            "game": orders.game.name,
            "seed": job.seed,
            "dealer": orders.dealer,
            "players": orders.players,
            "throws": orders.throws,
            "answers": dict(orders.answers),
            "order": "fastest" if orders.fastest else "ritual",
            "play": orders.follow == "play",
        }
        | ({"follow": orders.follow} if orders.follow == "result" else {})
        | ({"draw_seats": True} if orders.draw_seats else {})
    )
    facts["house"] = orders.house_rules
    facts["table_file"] = _sections(job.table)
    facts["tile"] = job.config.tile.model_dump(mode="json")
    if not job.ports:
        facts[SIMULATED] = True
    return facts


def _differing(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The options of the unfinished run that differ, as text.

    House rules have their values, sections of the table's file only their names.
    """
    found: list[str] = []
    for key in (key for key in now if then.get(key) != now[key]):
        if key == "house":
            found.append(f"the house rules {differences(then[key], now[key])}")
        elif key == "table_file":
            sections = {**then[key], **now[key]}
            names = [name for name in sections if then[key].get(name) != now[key].get(name)]
            found.append(f"another {', '.join(names)} in the table's file")
        else:
            found.append(f"{key} {then.get(key)}")
    return ", ".join(found)


def _sections(table: Table) -> dict[str, str]:
    """A digest of each section of a table: of each board, of each module, of the rest by key."""
    whole = table.model_dump(mode="json", exclude={"title", "recovery"})
    sections = {f"boards.{name}": board for name, board in whole.pop("boards").items()}
    sections |= {f"modules.{name}": module for name, module in whole.pop("modules").items()}
    return {
        name: sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
        for name, content in (sections | whole).items()
    }


def resumed_entries(job: RunJob, journal: Journal) -> tuple[Entry, ...] | None:
    """The journal entries of the unfinished run that this run resumes; None for a new run.

    Only a run on real ports is resumed: a simulated table does not outlast its process. A run
    before which every tile has to be put away (`reason_to_regather`) is a new run as well. Raises
    OtherRunError if the unfinished run has another table, another game or other options.
    """
    unfinished = journal.unfinished()
    if unfinished is None or not job.ports or SIMULATED in unfinished.facts:
        return None
    if reason_to_regather(job, journal) is not None:
        return None
    now = facts_of(job)
    # A run of a version before 0.3 does not have the facts that this version adds.
    then = {**{key: now[key] for key in ADDED}, **unfinished.facts}
    if then != now:
        raise OtherRunError(
            f"The journal {job.journal} has an unfinished round with {_differing(then, now)};"
            " repeat the command with these options to resume it, or add --abandon to start a new"
            " round."
        )
    journal.resume()
    return unfinished.entries


def expected_serials(job: RunJob, journal: Journal) -> Mapping[str, str]:
    """The serial numbers that the boards of this table had in the last run of its journal.

    Empty if this run or the last one is simulated, or if the last one was of another table.
    """
    unfinished = journal.unfinished()
    last = journal.ended() if unfinished is None else unfinished.facts
    if not job.ports or last is None or SIMULATED in last or last.get("table") != job.table.name:
        return {}
    return journal.serials


def reason_to_regather(job: RunJob, journal: Journal) -> str | None:
    """The reason why every tile has to be put away before the first round, or None.

    A simulated table starts with its tiles in the machine, a real one as its last run left it. With
    GPIO pins the counts and the progress of commands were in the host's memory and are lost.
    """
    if not job.ports:
        return None
    if job.put_away_reason is not None:
        return job.put_away_reason
    if job.abandon:
        return "the round was abandoned"
    ended, unfinished = journal.ended(), journal.unfinished()
    if job.journal is not None and journal.is_empty and ShareSeal(job.journal).exists:
        return RECORDS_LOST
    if ended is not None and _leaves_tiles(ended):
        return TILES_LEFT
    if unfinished is None or SIMULATED in unfinished.facts:
        return None
    if any(board.kind == "gpio" for board in job.table.boards.values()):
        return "GPIO pins keep no record of how far the unfinished round came"
    if any(each.activity == ACTIVITY and not each.confirmed for each in unfinished.entries):
        return "no operator has confirmed that every tile was put away"
    fault = open_fault_of(unfinished.entries)
    if fault is not None and fault.fault is Fault.UNPROVEN:
        return f"the last run could not prove where every tile is: {fault.evidence}"
    return None


def _leaves_tiles(facts: Mapping[str, object]) -> bool:
    """Whether a run with these facts was played with real tiles."""
    game = GAMES.get(str(facts.get("game")))
    return SIMULATED not in facts and (game is None or bool(game.tiles.faces))
