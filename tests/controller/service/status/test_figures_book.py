"""Figures of the machine are kept over the runs of a service."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from controller.run.journal.storage import WriteFigures
from controller.service.status.machine_figures import FiguresBook
from tests.controller.service.service_at_a_table import Guests, at_a_table


@dataclass
class OldJournal:
    """A journal with sets of earlier runs."""

    built_sets: tuple[dict[str, Any], ...]
    storage_used: dict[str, int] = field(default_factory=dict)


@dataclass
class NoBoards:
    serial: tuple[Any, ...] = ()


def built(width: float) -> dict[str, Any]:
    return {"tile_ms": 100.0, "heads": {"head 1": {"tiles": 5, "width_ms": width}}}


def test_drift_is_the_change_since_the_first_sets_of_the_journal() -> None:
    book = FiguresBook()
    journal = OldJournal((built(100.0), built(100.0), built(100.0)), {"base": 7})
    book.begin_run(cast("Any", NoBoards()), cast("Any", journal))
    for width in (110.0, 110.0):
        book.on_event({"t": 0.0, "event": "set_built", "set": 0, "counted": 136, **built(width)})
    assert book.figures(WriteFigures(), 0).drift == {}
    book.on_event({"t": 0.0, "event": "set_built", "set": 0, "counted": 136, **built(110.0)})
    drift = book.figures(WriteFigures(), 0).drift
    assert drift == {("tile_time", "head 1"): pytest.approx(0.1)}
    book.end_run()
    journal.storage_used["base"] = 9
    figures = book.figures(WriteFigures(), 0)
    assert figures.storage_used == {"base": 7}
    assert figures.drift == drift
    # The sets of this service are in the file of the next run's journal too; they count once.
    book.begin_run(cast("Any", NoBoards()), cast("Any", journal))
    assert book.figures(WriteFigures(), 0).drift == drift
    assert book.figures(WriteFigures(), 0).storage_used == {"base": 9}


def test_counts_of_the_links_continue_over_the_runs_of_a_service(tmp_path: Path) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "pai_gow"})
        await guests.until(lambda status: status.machine.top == "playing")
        playing = guests.port.figures()
        assert playing.links["base"].commands > 50
        await guests.give("end_session")
        await guests.until(lambda status: status.session is None, limit=7200.0)
        await guests.have("enter_service_mode")
        await guests.until(lambda status: status.service.state == "service_mode")
        ended = guests.port.figures()
        assert ended.links["base"].commands > playing.links["base"].commands
        assert sum(ended.journal.classes) > sum(playing.journal.classes) > 5
        await guests.have("leave_service_mode")
        await guests.until(lambda status: status.machine.mode == "going")
        assert guests.port.figures().links["base"].commands > ended.links["base"].commands

    at_a_table(scenario, journal=tmp_path / "table.journal", store=tmp_path / "evening.db")
