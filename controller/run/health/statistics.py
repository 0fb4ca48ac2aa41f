"""Statistics of a table from its journal: how often each fault occurred, and how it was cleared.

They contain tiles per jam, mean time between assists (MTBA) and mean time to assist (MTTA), the
recoveries, retries, questions and stops of each fault, the wear of parts and of the boards'
storages, and drift.

`Drift` compares each part with the first sets: tile times at sensor S1, and motor currents. The
median of the first sets is compared with the median of the last ones, so that a single outlier is
not reported as a trend.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from controller.events import EventName
from controller.events.counts import EventCounts
from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.health.storage_life import StorageLives
from controller.run.journal.lines import JournalRecord

COMPARED_SETS, FEWEST_SETS = 5, 3
"""How many sets are compared at each end, and the least number. One outlier does not decide the
median of three, nor do two outliers that of five. An evening has several times as many sets
(our choice)."""
WIDTH_DRIFT = 0.08
"""Tolerated drift of the time for which a tile darkens S1, as a share. A belt's speed varies by 2
or 3 % with load and supply; a sensor whose times are a tenth too short still counts every tile
(our choice)."""
CURRENT_DRIFT = 0.20
"""Tolerated drift of a current, as a share. Cold grease and larger sets cause about a tenth (our
choice).
"""


@dataclass
class Drift:
    """Samples of each part, one value for each set in which it was sampled, oldest first."""

    widths: dict[str, list[float]] = field(default_factory=dict)
    """Time for which a tile darkens S1, as a share of that time at the belt's nominal speed."""
    currents: dict[str, list[float]] = field(default_factory=dict)
    """Millivolts of the current sensor, by what the motor drives."""

    def add(self, set_built: Mapping[str, Any]) -> None:
        """Add the samples in the outcome of building a set; older journals have none."""
        for part, samples in set_built.get("heads", {}).items():
            share = samples["width_ms"] / set_built["tile_ms"]
            self.widths.setdefault(part, []).append(share)
        for part, millivolts in set_built.get("drawn_mv", {}).items():
            self.currents.setdefault(part, []).append(millivolts)

    @property
    def warnings(self) -> Iterator[str]:
        """One sentence for each value that drifted too far, with what to do."""
        return (sentence for _, sentence in self.warnings_by_part)

    @property
    def warnings_by_part(self) -> Iterator[tuple[str, str]]:
        """Each part with a value that drifted too far, and the sentence about it."""
        for part, share in _drifted(self.widths, WIDTH_DRIFT):
            clean = CATALOGUE[Fault.DIRTY].request(part)
            if share < 0:
                yield (
                    part,
                    f"S1 of {part} reports tiles {_percent(share)} shorter than at first. {clean}",
                )
            else:
                longer = f"S1 of {part} reports tiles {_percent(share)} longer than at first."
                yield part, f"{longer} Tighten the belt of {part}; if it is tight: {clean}"
        for part, share in _drifted(self.currents, CURRENT_DRIFT):
            if share < 0:
                less = f"The {part} draws {_percent(share)} less current than at first."
                yield part, f"{less} It slips or is worn: tighten or replace it."
            else:
                more = f"The {part} draws {_percent(share)} more current than at first."
                yield (
                    part,
                    f"{more} Check its bearings and its tension, and look for parts that rub.",
                )

    @property
    def shares(self) -> Iterator[tuple[str, str, float]]:
        """The quantity (`tile_time` or `current`), the part and the drift of each part.

        The drift is the change from the first to the last median as a share, 0.1 for 10 % more.
        Parts with too few sets are left out.
        """
        for quantity, parts in (("tile_time", self.widths), ("current", self.currents)):
            for part, share in _drifted(parts, -1.0):
                yield quantity, part, share

    @property
    def facts(self) -> dict[str, Any]:
        """First and last median of each part, as JSON values; None until there are enough sets."""
        return {
            "tile_widths": {part: _ends(values) for part, values in sorted(self.widths.items())},
            "currents_mv": {part: _ends(values) for part, values in sorted(self.currents.items())},
        }


def _first_and_last(values: Sequence[float]) -> tuple[float, float] | None:
    """Medians of the first and the last sets; None while there are too few sets for both."""
    sets = min(COMPARED_SETS, len(values) // 2)
    if sets < FEWEST_SETS:
        return None
    return median(values[:sets]), median(values[-sets:])


def _drifted(parts: Mapping[str, Sequence[float]], limit: float) -> Iterator[tuple[str, float]]:
    """The parts that drifted by more than this share, each with the share."""
    for part, values in sorted(parts.items()):
        ends = _first_and_last(values)
        if ends is not None and ends[0] > 0 and abs(share := ends[1] / ends[0] - 1) > limit:
            yield part, share


def _percent(share: float) -> str:
    """A share in percent, without its sign."""
    return f"{abs(share) * 100:.0f} %"


def _ends(values: Sequence[float]) -> dict[str, float] | None:
    """The medians as JSON values."""
    ends = _first_and_last(values)
    return None if ends is None else {"first": round(ends[0], 3), "last": round(ends[1], 3)}


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
