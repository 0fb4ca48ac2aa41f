"""Durations and failures of the file operations of a log."""

from __future__ import annotations

from collections.abc import Sequence

from controller.run.journal.storage import (
    LIMITS,
    DirectStorage,
    MeasuredStorage,
    Results,
    WriteTimes,
)


def test_an_operation_is_measured_until_all_copies_have_ended_and_a_failure_is_counted() -> None:
    now = [10.0]
    times = WriteTimes()
    storage = MeasuredStorage(DirectStorage(), times, lambda: now[0])
    seen: list[Results] = []

    def slow() -> None:
        now[0] += 0.3

    def broken() -> None:
        raise OSError("full")

    storage.carry_out([slow, slow], seen.append)
    storage.carry_out([broken], seen.append)
    storage.finish()
    storage.close()
    figures = times.figures
    assert [[type(each) for each in results] for results in seen] == [
        [type(None), type(None)],
        [OSError],
    ]
    assert round(figures.seconds, 6) == 0.6
    assert figures.failures == 1
    assert _classes(figures.classes) == {1.0: 1, 0.001: 1}


def _classes(counts: Sequence[int]) -> dict[float, int]:
    return {limit: count for limit, count in zip(LIMITS, counts, strict=False) if count}
