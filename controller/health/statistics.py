"""Statistics of a table from its journal: how often each fault occurred, and how it was cleared.

Tiles per jam, mean time between assists (MTBA) and to assist (MTTA); for each fault its recoveries,
retries and clears; wear of parts, and drift that precedes a failure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from controller.faults.catalogue import CATALOGUE, Fault
from controller.health.drift import Drift
from controller.journal.lines import JournalRecord

RECENT = 20
"""Number of last sets in which retries of one part are counted for a warning."""
OFTEN = 3
"""Retries of one part within that many sets that cause a warning."""
SLOWER = 1.25
"""How much longer than at first a set may take to build before there is a warning."""


@dataclass
class FaultFigures:
    """Counts for one fault.

    `recoveries` count work that succeeded after a failure, `retries` the machine's own attempts for
    that, `asks` and `clears` questions to a person and their answers; `stops` count the runs that
    the fault ended.
    """

    recoveries: int = 0
    retries: int = 0
    asks: int = 0
    clears: int = 0
    stops: int = 0


@dataclass
class TableStatistics:
    """The figures of a journal; times are seconds at the table."""

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
    """How long S1 sees tiles and what motors draw, set by set."""
    troubled: list[tuple[int, str, str]] = field(default_factory=list)
    """Retries: after how many sets, which part, which fault."""

    @property
    def tiles_per_jam(self) -> float | None:
        """Tiles lifted per jam; None while there was no jam."""
        jams = self.faults.get(Fault.JAM.name)
        happened = jams.recoveries + jams.stops if jams else 0
        return self.tiles / happened if happened else None

    @property
    def mtba(self) -> float | None:
        """Mean time between assists; None without any."""
        return self.seconds / len(self.assisting) if self.assisting else None

    @property
    def mtta(self) -> float | None:
        """Mean time to assist; None without any."""
        return fmean(self.assisting) if self.assisting else None

    def of(self, code: str) -> FaultFigures:
        """The figures of one fault, created at first use."""
        return self.faults.setdefault(code, FaultFigures())

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence for each figure that is getting worse, with what to do."""
        return (*self._parts_in_trouble(), *self.drift.warnings, *self._slower())

    def _parts_in_trouble(self) -> Iterator[str]:
        recent = Counter(part for sets, part, _ in self.troubled if sets > self.sets - RECENT)
        for part, times in sorted(recent.items()):
            if times >= OFTEN:
                please = CATALOGUE[Fault.DIRTY].request(part)
                yield f"{part}: {times} second attempts in the last {RECENT} sets. {please}"

    def _slower(self) -> Iterator[str]:
        if len(self.building) < 2 * RECENT:
            return
        first, last = median(self.building[:RECENT]), median(self.building[-RECENT:])
        if last > first * SLOWER:
            yield (
                f"A set takes {last:.0f} s to build, and took {first:.0f} s at first."
                " Look at the heads' belts and clean their sensors."
            )


def statistics_of(records: Iterable[JournalRecord]) -> TableStatistics:
    """Compute the statistics from all records, in their order."""
    told, intents, last = TableStatistics(), dict[int, JournalRecord](), None
    for record in records:
        if record.kind == "run":
            _begin(told, record)
        elif last is not None:
            told.seconds += max(0.0, record.at - last)
        last = record.at
        if record.kind == "intent":
            intents[record.number] = record
            _intended(told, record)
        elif record.kind == "outcome" and record.of in intents:
            _came_of_it(told, intents[record.of], record)
    return told


def _begin(told: TableStatistics, run: JournalRecord) -> None:
    told.runs += 1
    if _content(run).get("resumes") is not None:
        told.of(Fault.POWER.name).recoveries += 1


def _intended(told: TableStatistics, intent: JournalRecord) -> None:
    what = _content(intent)
    match intent.activity:
        case "recovered":
            figures = told.of(what["code"])
            figures.recoveries += 1
            figures.retries += what["attempt"] - 1
            told.troubled.append((told.sets, what["part"], what["code"]))
        case "asked":
            told.of(what["code"]).asks += 1
        case "fault":
            told.of(what["code"]).stops += 1


def _came_of_it(told: TableStatistics, intent: JournalRecord, outcome: JournalRecord) -> None:
    what, seconds = _content(intent), outcome.at - intent.at
    match intent.activity, what:
        case "asked", {"code": str(code)}:
            told.of(code).clears += 1
            if code != Fault.FORGOTTEN.name:
                told.assisting.append(seconds)
                # An attempt after a person's assist does not count as a retry of the machine.
                told.of(code).retries -= 1
        case "under", {"do": "build"}:
            built = _content(outcome)
            told.sets += 1
            told.tiles += built.get("counted", 0)
            told.building.append(seconds)
            told.picks.update(built.get("picks", {}))
            told.drift.saw(built)
        case "top", {"do": "take in"}:
            told.lid_openings += 1
        case "top", {"step": "build"}:
            told.rounds += 1
            told.walls_raised += len(what.get("walls", ())) or 1
        case "top", {"step": "throw"}:
            told.throws += what.get("times", 1)


def _content(record: JournalRecord) -> Mapping[str, Any]:
    return record.content if isinstance(record.content, dict) else {}


def facts(told: TableStatistics) -> dict[str, Any]:
    """The figures as JSON values."""
    return {
        "runs": told.runs,
        "seconds": round(told.seconds, 1),
        "rounds": told.rounds,
        "sets": told.sets,
        "tiles": told.tiles,
        "tiles_per_jam": _rounded(told.tiles_per_jam),
        "mtba_s": _rounded(told.mtba),
        "mtta_s": _rounded(told.mtta),
        "assists": len(told.assisting),
        "faults": {
            code: {
                "recoveries": figures.recoveries,
                "retries": max(0, figures.retries),
                "asks": figures.asks,
                "clears": figures.clears,
                "stops": figures.stops,
            }
            for code, figures in sorted(told.faults.items())
        },
        "worn": {
            "lid_openings": told.lid_openings,
            "walls_raised": told.walls_raised,
            "throws": told.throws,
            "picks": dict(sorted(told.picks.items())),
        },
        **told.drift.facts,
        "building_s": _rounded(median(told.building) if told.building else None),
        "warnings": list(told.warnings),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
