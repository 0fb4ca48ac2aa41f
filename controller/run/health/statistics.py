"""Statistics of a table from its journal: how often each fault occurred, and how it was cleared.

They contain tiles per jam, mean time between assists (MTBA) and mean time to assist (MTTA), the
recoveries, retries, questions and stops of each fault, the wear of parts and of the boards'
storages, and drift.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from controller.events import EventName
from controller.events.counts import EventCounts
from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.health.drift import Drift
from controller.run.health.storage_life import StorageLives
from controller.run.journal.lines import JournalRecord

RECENT = 20
"""Number of last sets in which recoveries of one part are counted for a warning."""
OFTEN = 3
"""Recoveries of one part within `RECENT` sets that cause a warning."""
_PROMPT_KEYS = {
    "code": "code",
    "part": "part",
    "evidence": "seen",
    "request": "please",
    "role": "who",
}
"""The keys of a prompt's event, and those of its record in the journal."""
SLOWER = 1.25
"""Ratio of the time to build a set, last sets to first, above which there is a warning."""


@dataclass
class FaultFigures:
    """Counts for one fault.

    `recoveries` counts work that succeeded after a failure, `retries` the machine's own attempts
    for that, `asks` and `clears` the questions to a person and the answers; `stops` counts faults
    that ended a run.
    """

    recoveries: int = 0
    retries: int = 0
    asks: int = 0
    clears: int = 0
    stops: int = 0


@dataclass
class TableStatistics:
    """The figures of a journal; times are seconds of the table's clock."""

    runs: int = 0
    resumes: int = 0
    """Runs that resumed an earlier one after a power cut or a stop."""
    seconds: float = 0.0
    rounds: int = 0
    counts: EventCounts = field(default_factory=EventCounts)
    """The counts of the events that the records stand for."""
    lid_openings: int = 0
    walls_raised: int = 0
    throws: int = 0
    retries: Counter[str] = field(default_factory=Counter)
    """The machine's own attempts after a failure, by fault code."""
    building: list[float] = field(default_factory=list)
    """How long each set took from the drum to the trays."""
    picks: Counter[str] = field(default_factory=Counter)
    """Tiles that each head has lifted."""
    drift: Drift = field(default_factory=Drift)
    """Tile times at S1 and motor currents, set by set."""
    storage: StorageLives = field(default_factory=StorageLives)
    """The storage life of each board."""
    recovered: list[tuple[int, str]] = field(default_factory=list)
    """Each recovery: the number of sets built before it, and its part."""

    @property
    def sets(self) -> int:
        """Sets that the machine has built."""
        return int(self.counts.total("sets"))

    @property
    def tiles(self) -> int:
        """Tiles that the heads have lifted."""
        return int(self.counts.total("tiles"))

    @property
    def tiles_per_jam(self) -> float | None:
        """Tiles lifted per jam; None without any jam."""
        return self.tiles / self.counts.jams if self.counts.jams else None

    @property
    def mtba(self) -> float | None:
        """Mean time between assists, seconds; None without any."""
        return self.seconds / self.counts.assists if self.counts.assists else None

    @property
    def mtta(self) -> float | None:
        """Mean time from a question to its answer, seconds; None without any."""
        assists = self.counts.assists
        return self.counts.assisting_s / assists if assists else None

    @property
    def faults(self) -> dict[str, FaultFigures]:
        """The figures of each fault that occurred, by its code."""
        names = ("recoveries", "prompts", "assists", "faults")
        recoveries, asks, clears, stops = (Counter(self.counts.of(name)) for name in names)
        # A run that resumes another one has recovered from a power cut.
        recoveries[Fault.POWER.name] += self.resumes
        codes = sorted({*+recoveries, *asks, *clears, *stops})
        return {
            code: FaultFigures(
                int(recoveries[code]),
                self.retries[code],
                int(asks[code]),
                int(clears[code]),
                int(stops[code]),
            )
            for code in codes
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence, with what to do, for each figure that is getting worse."""
        return (*self._often_recovered(), *self.drift.warnings, *self._slower())

    def _often_recovered(self) -> Iterator[str]:
        recent = Counter(part for sets, part in self.recovered if sets > self.sets - RECENT)
        for part, times in sorted(recent.items()):
            if times >= OFTEN:
                please = CATALOGUE[Fault.DIRTY].request(part)
                yield f"{part}: {times} recoveries in the last {RECENT} sets. {please}"

    def _slower(self) -> Iterator[str]:
        if len(self.building) < 2 * RECENT:
            return
        first, last = median(self.building[:RECENT]), median(self.building[-RECENT:])
        if last > first * SLOWER:
            yield (
                f"A set takes {last:.0f} s to build, and took {first:.0f} s at first."
                " Check the belts of the heads and clean their sensors."
            )


def statistics_of(records: Iterable[JournalRecord]) -> TableStatistics:
    """Compute the statistics from all records, in their order."""
    statistics, intents, last = TableStatistics(), dict[int, JournalRecord](), None
    for record in records:
        if record.kind == "run":
            _add_run(statistics, record)
        elif last is not None:
            statistics.seconds += max(0.0, record.at - last)
        last = record.at
        if record.kind == "intent":
            intents[record.number] = record
            _add_intent(statistics, record)
        elif record.kind == "storage":
            statistics.storage.reported(_content(record))
        elif record.kind == "outcome" and record.of in intents:
            _add_outcome(statistics, intents[record.of], record)
    return statistics


def _add_run(statistics: TableStatistics, run: JournalRecord) -> None:
    """Add a run's own record; a run that resumes another one follows a power cut or a stop."""
    statistics.runs += 1
    statistics.storage.begin_run(_content(run).get("serials", {}))
    if _content(run).get("resumes") is not None:
        statistics.resumes += 1


def _add_intent(statistics: TableStatistics, intent: JournalRecord) -> None:
    """Add a recovery, a question or a fault."""
    content = _content(intent)
    match intent.activity:
        case "recovered":
            _count(statistics, EventName.RECOVERED, intent, **content)
            statistics.retries[content["code"]] += content["attempt"] - 1
            statistics.recovered.append((statistics.sets, content["part"]))
        case "asked":
            asked = {key: content.get(name, "") for key, name in _PROMPT_KEYS.items()}
            _count(statistics, EventName.OPERATOR_PROMPTED, intent, **asked)
        case "fault":
            _count(statistics, EventName.FAULT, intent, **content)


def _add_outcome(
    statistics: TableStatistics, intent: JournalRecord, outcome: JournalRecord
) -> None:
    """Add an answer of a person, or a confirmed step that wears parts."""
    content = _content(intent)
    match intent.activity, content:
        case "asked", {"code": str(code)}:
            part = content.get("part", "")
            assists = statistics.counts.assists
            _count(statistics, EventName.PROMPT_ANSWERED, outcome, code=code, part=part)
            # An attempt after a person's assist does not count as a retry of the machine.
            statistics.retries[code] -= statistics.counts.assists - assists
        case "under", {"do": "build"}:
            built = _content(outcome)
            _count(statistics, EventName.SET_BUILT, outcome, **built)
            statistics.building.append(outcome.at - intent.at)
            statistics.picks.update(built.get("picks", {}))
            statistics.drift.add(built)
        case "top", {"do": "take in"}:
            statistics.lid_openings += 1
        case "top", {"step": "build"}:
            statistics.rounds += 1
            statistics.storage.add_round()
            statistics.walls_raised += len(content.get("walls", ())) or 1
        case "top", {"step": "throw"}:
            statistics.throws += content.get("times", 1)


def _count(
    statistics: TableStatistics, name: EventName, record: JournalRecord, **facts: object
) -> None:
    """Add the event that was emitted with a record to the counts."""
    event = {**facts, "t": record.at, "event": name.value}
    statistics.counts = statistics.counts.after(event)


def _content(record: JournalRecord) -> Mapping[str, Any]:
    """A record's content; empty if it is no JSON object."""
    return record.content if isinstance(record.content, dict) else {}


def facts(statistics: TableStatistics) -> dict[str, Any]:
    """The figures as JSON values."""
    return {
        "runs": statistics.runs,
        "seconds": round(statistics.seconds, 1),
        "rounds": statistics.rounds,
        "sets": statistics.sets,
        "tiles": statistics.tiles,
        "tiles_per_jam": _rounded(statistics.tiles_per_jam),
        "mtba_s": _rounded(statistics.mtba),
        "mtta_s": _rounded(statistics.mtta),
        "assists": statistics.counts.assists,
        "faults": {
            code: {
                "recoveries": figures.recoveries,
                "retries": max(0, figures.retries),
                "asks": figures.asks,
                "clears": figures.clears,
                "stops": figures.stops,
            }
            for code, figures in statistics.faults.items()
        },
        "worn": {
            "lid_openings": statistics.lid_openings,
            "walls_raised": statistics.walls_raised,
            "throws": statistics.throws,
            "picks": dict(sorted(statistics.picks.items())),
        },
        "storage": statistics.storage.facts,
        **statistics.drift.facts,
        "building_s": _rounded(median(statistics.building) if statistics.building else None),
        "warnings": list(statistics.warnings),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
