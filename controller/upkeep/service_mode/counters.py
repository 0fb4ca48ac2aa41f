"""Maintenance counters: wear since the journal began, and the life of the boards' storage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from controller.run.health.statistics import TableStatistics, facts
from controller.upkeep.service_mode.mode_status import CounterStatus

HOUR = 3600.0


def counters_of(
    statistics: TableStatistics | None, storage_used: Mapping[str, int]
) -> tuple[CounterStatus, ...]:
    """The counters of a table; `storage_used` is the share that each board reports, permille."""
    counters = [] if statistics is None else list(_worn(facts(statistics)))
    counters += [
        CounterStatus(name=f"storage of {board} used", value=used / 10, unit="%")
        for board, used in sorted(storage_used.items())
    ]
    return tuple(counters)


def _worn(figures: Mapping[str, Any]) -> Iterator[CounterStatus]:
    wear = figures["worn"]
    yield CounterStatus(name="running time", value=round(figures["seconds"] / HOUR, 1), unit="h")
    for name, key in (("runs", "runs"), ("rounds", "rounds"), ("sets built", "sets")):
        yield CounterStatus(name=name, value=figures[key])
    yield CounterStatus(name="tiles lifted", value=figures["tiles"])
    yield CounterStatus(name="lid openings", value=wear["lid_openings"])
    yield CounterStatus(name="walls raised", value=wear["walls_raised"])
    yield CounterStatus(name="throws", value=wear["throws"])
    for part, picks in wear["picks"].items():
        yield CounterStatus(name=f"tiles lifted by {part}", value=picks)
    if figures["tiles_per_jam"] is not None:
        yield CounterStatus(name="tiles per jam", value=figures["tiles_per_jam"])
    for board, life in figures["storage"].items():
        if life["rounds_left"] is not None:
            yield CounterStatus(name=f"rounds left for {board}", value=life["rounds_left"])
