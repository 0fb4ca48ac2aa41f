from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, insert

from controller.floor.figures.reading import read_figures
from controller.floor.figures.table_figures import TableFigures, Window
from controller.floor.store.schema import EVENTS, LOGS, METADATA
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.web.metrics.readings import Observation
from tests.controller.floor.figures.stored_logs import add_log
from tests.controller.service.service_at_a_table import NOON, Guests, at_a_table


def figures_of_folder(folder: Path, url: str) -> TableFigures:
    """Store the audit log of a folder, and read its figures."""
    log = checked_log(LogFolder(folder))
    engine = create_engine(url)
    METADATA.create_all(engine)
    with engine.begin() as connection:
        number = add_log(connection, "t1")
        rows = [
            {
                "log_id": number,
                "number": event.index,
                "received": NOON,
                "at": datetime.fromisoformat(event.time),
                "what": event.what,
                "line": line[:-1].decode(),
            }
            for event, line in zip(log.events(), log.lines(), strict=True)
        ]
        connection.execute(insert(EVENTS), rows)
        connection.execute(LOGS.update().values(next=len(rows)))
        day = Window(NOON, NOON + timedelta(days=1))
        figures = read_figures(connection, day, day.end)[1]
    engine.dispose()
    return figures


@pytest.mark.slow
def test_the_floor_computes_the_same_figures_as_the_table_itself(
    tmp_path: Path, sqlite_url: str
) -> None:
    counted: list[tuple[int, int]] = []
    seen = Observation("idle", 0.0)
    jams = ("jam:head0#20", "jam:head2@20~60")

    async def three_rounds(guests: Guests) -> None:
        guests.service.listen(seen.on_event)
        await guests.have("start_session", choice={"game": "pai_gow"})
        await guests.until(lambda status: status.counts.rounds >= 3, limit=7200)
        counts = guests.status.counts
        counted.append((counts.rounds, counts.faults))

    at_a_table(three_rounds, audit=tmp_path, injected_faults=jams)
    figures = figures_of_folder(tmp_path, sqlite_url)
    ((rounds, faults),) = counted
    assert figures.rounds == rounds
    assert sum(figures.faults.values()) == faults
    assert figures.tiles == seen.counts.total("tiles")
    assert figures.jams == seen.counts.jams
    assert figures.assists == sum(seen.assists.distribution.classes)
    assert figures.assisting_s == pytest.approx(seen.assists.distribution.total, abs=0.01)
    assert figures.tiles > 0
    assert figures.jams > 0
    assert figures.assists > 0
