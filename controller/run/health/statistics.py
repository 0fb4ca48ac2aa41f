"""Statistics of a table from its journal: how often each fault occurred, and how it was cleared.

They contain tiles per jam, mean time between assists (MTBA) and mean time to assist (MTTA), the
recoveries, retries, questions and stops of each fault, the wear of parts and of the boards'
storages, and drift.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.health.drift import Drift
from controller.run.health.storage_life import StorageLives
from controller.run.journal.lines import JournalRecord

RECENT = 20
"""Number of last sets in which recoveries of one part are counted for a warning."""
OFTEN = 3
"""Recoveries of one part within `RECENT` sets that cause a warning."""
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
    seconds: float = 0.0
    rounds: int = 0
    sets: int = 0
    tiles: int = 0
    lid_openings: int = 0
    walls_raised: int = 0
    throws: int = 0
    faults: dict[str, FaultFigures] = field(default_factory=dict)
    assisting: list[float] = field(default_factory=list)
    """How long each assist took, from the question to the answer."""
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
    def tiles_per_jam(self) -> float | None:
        """Tiles lifted per jam; None without any jam."""
        jams = self.faults.get(Fault.JAM.name)
        happened = jams.recoveries + jams.stops if jams else 0
        return self.tiles / happened if happened else None

    @property
    def mtba(self) -> float | None:
        """Mean time between assists, seconds; None without any."""
        return self.seconds / len(self.assisting) if self.assisting else None

    @property
    def mtta(self) -> float | None:
        """Mean time from a question to its answer, seconds; None without any."""
        return fmean(self.assisting) if self.assisting else None

    def of(self, code: str) -> FaultFigures:
        """The figures of one fault, created at first use."""
        return self.faults.setdefault(code, FaultFigures())

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
        statistics.of(Fault.POWER.name).recoveries += 1


def _add_intent(statistics: TableStatistics, intent: JournalRecord) -> None:
    """Add a recovery, a question or a fault."""
    content = _content(intent)
    match intent.activity:
        case "recovered":
            figures = statistics.of(content["code"])
            figures.recoveries += 1
            figures.retries += content["attempt"] - 1
            statistics.recovered.append((statistics.sets, content["part"]))
        case "asked":
            statistics.of(content["code"]).asks += 1
        case "fault":
            statistics.of(content["code"]).stops += 1


def _add_outcome(
    statistics: TableStatistics, intent: JournalRecord, outcome: JournalRecord
) -> None:
    """Add an answer of a person, or a confirmed step that wears parts."""
    content, seconds = _content(intent), outcome.at - intent.at
    match intent.activity, content:
        case "asked", {"code": str(code)}:
            statistics.of(code).clears += 1
            if code != Fault.FORGOTTEN.name:
                statistics.assisting.append(seconds)
                # An attempt after a person's assist does not count as a retry of the machine.
                statistics.of(code).retries -= 1
        case "under", {"do": "build"}:
            built = _content(outcome)
            statistics.sets += 1
            statistics.tiles += built.get("counted", 0)
            statistics.building.append(seconds)
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
        "assists": len(statistics.assisting),
        "faults": {
            code: {
                "recoveries": figures.recoveries,
                "retries": max(0, figures.retries),
                "asks": figures.asks,
                "clears": figures.clears,
                "stops": figures.stops,
            }
            for code, figures in sorted(statistics.faults.items())
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
