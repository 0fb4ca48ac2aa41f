"""The figures of one table, or of several together, in a time range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TableFigures:
    """Counts and times; the figures that people read are quotients of them.

    Times in operation and of assists are seconds of the table's clock, as in the table's own
    metrics and in `wallwright stats`: on a simulated table that clock can run fast. The time out of
    play is in seconds of its computer's clock.
    """

    rounds: int = 0
    """Rounds that are over: rounds with a receipt, each counted once by its beginning. A round
    whose random share is revealed in another time range than it ended has a receipt in both, and
    counts in both."""
    operating_s: float = 0.0
    """Time in operation: from the start of each run (`run_started`) to its end by a fault, service
    mode or a stop; the last run counts up to the last event of the log."""
    tiles: int = 0
    """Tiles that the heads have lifted into the trays: the sum of `counted` of `set_built`."""
    jams: int = 0
    """Jams at the heads that were recovered or stopped the table (`recovered` or `fault`)."""
    assists: int = 0
    """Prompts about a fault that a person has answered, without forgotten tiles."""
    assisting_s: float = 0.0
    """Time from these prompts to their answers; a prompt that is repeated counts from the last."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Faults that stopped the table, by code."""
    recoveries: Mapping[str, int] = field(default_factory=dict)
    """Parts that worked on a later attempt, by code of the fault."""
    out_of_play_s: float = 0.0
    """Time in which the table was switched on and could not be played at: stopped by a fault,
    paused, in service mode, or taken out of play by a request."""

    @property
    def rounds_per_hour(self) -> float | None:
        """Rounds in an hour in operation; None for a table that was not in operation."""
        return self.rounds / self.operating_s * 3600 if self.operating_s else None

    @property
    def mtba(self) -> float | None:
        """Mean time between assists: seconds in operation for each assist; None without any."""
        return self.operating_s / self.assists if self.assists else None

    @property
    def mtta(self) -> float | None:
        """Mean time to assist, from a prompt to its answer, seconds; None without any assist."""
        return self.assisting_s / self.assists if self.assists else None

    @property
    def tiles_per_jam(self) -> float | None:
        """Tiles lifted for each jam; None without any jam."""
        return self.tiles / self.jams if self.jams else None

    def as_json(self) -> dict[str, Any]:
        """The figures as a JSON object; times in seconds, rounded to a tenth."""
        return {
            "rounds": self.rounds,
            "operating_s": round(self.operating_s, 1),
            "rounds_per_hour": _rounded(self.rounds_per_hour),
            "tiles": self.tiles,
            "jams": self.jams,
            "tiles_per_jam": _rounded(self.tiles_per_jam),
            "assists": self.assists,
            "mtba_s": _rounded(self.mtba),
            "mtta_s": _rounded(self.mtta),
            "faults": dict(sorted(self.faults.items())),
            "recoveries": dict(sorted(self.recoveries.items())),
            "out_of_play_s": round(self.out_of_play_s, 1),
        }


def together(figures: Iterable[TableFigures]) -> TableFigures:
    """The figures of several tables or logs as those of one: counts and times are added."""
    added = tuple(figures)
    return TableFigures(
        rounds=sum(each.rounds for each in added),
        operating_s=sum(each.operating_s for each in added),
        tiles=sum(each.tiles for each in added),
        jams=sum(each.jams for each in added),
        assists=sum(each.assists for each in added),
        assisting_s=sum(each.assisting_s for each in added),
        faults=_added(each.faults for each in added),
        recoveries=_added(each.recoveries for each in added),
        out_of_play_s=sum(each.out_of_play_s for each in added),
    )


def _added(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
