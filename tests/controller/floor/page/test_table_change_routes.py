"""A technician retires, takes back and renames tables on the floor's page."""

from __future__ import annotations

import asyncio
import csv
import io
from pathlib import Path

from controller.floor.messages import TableAddress
from controller.floor.page.floor_audit import record_table_changes
from controller.floor.store.table_changes import unrecorded_changes
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.service.user_roles import UserRole
from tests.controller.floor.figures.stored_logs import happened
from tests.controller.floor.page.fake_floor import ServedFloor, a_state, birth, served_floor
from tests.controller.floor.page.test_floor_api import (
    OPEN_JAM,
    PATIENCE,
    code_of,
    on_a_floor,
    wait_for_alarms,
)
from tests.controller.floor.page.test_floor_audit import audit_in

T1 = "/api/v1/floor/tables/t1"


def fill(served: ServedFloor) -> None:
    """A table with an open jam, and one that is free."""
    served.floor.store("t1", OPEN_JAM, "Table 1")
    served.floor.store("t2", [happened(0, "power_up")], "Table 2")
    served.floor.show("t1", birth=birth("Table 1"), state=a_state(), stored=2)
    served.floor.show("t2", birth=birth("Table 2"), state=a_state(service="idle"), stored=1)


def test_a_retired_table_leaves_the_room_and_its_alarms_and_keeps_its_history(
    tmp_path: Path,
) -> None:
    async def test(served: ServedFloor) -> None:
        fill(served)
        ann = await served.logged_in(UserRole.TECHNICIAN)
        await wait_for_alarms(ann)
        refused = await ann.post(f"{T1}/retire", json={"reason": "sold"})
        assert code_of(refused) == (409, "table_in_use")
        assert "an open alarm: JAM at head 2" in refused.json()["detail"]
        body = {"reason": "sold", "confirmed": True}
        assert (await ann.post(f"{T1}/retire", json=body)).status_code == 200
        room = (await ann.get("/api/v1/floor")).json()
        assert [table["name"] for table in room["tables"]] == ["t2"]
        assert room["alarms"] == []
        (gone,) = (await ann.get("/api/v1/floor/retired")).json()["tables"]
        assert (gone["title"], gone["who"], gone["reason"]) == ("Table 1", "technician", "sold")
        history = (await ann.get(f"{T1}/history")).json()
        assert history["events"][0]["what"] == "operator_prompted"
        asked = await ann.post(f"{T1}/requests", json={"name": "put_in_play"})
        assert code_of(asked) == (404, "unknown_table")
        assert code_of(await ann.post(f"{T1}/retire", json=body)) == (409, "not_changed")
        assert (await ann.post(f"{T1}/unretire", json={})).status_code == 200
        room = (await ann.get("/api/v1/floor")).json()
        assert [table["condition"] for table in room["tables"]] == ["disconnected", "idle"]
        assert len(room["alarms"]) == 1

    on_a_floor(tmp_path, test)


def test_a_renamed_table_has_its_new_title_in_the_room_and_in_reports(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        fill(served)
        ann = await served.logged_in(UserRole.TECHNICIAN)
        renamed = await ann.post(f"{T1}/rename", json={"title": "Window table"})
        assert renamed.json() == {"table": "t1", "title": "Window table"}
        table = served.floor.room.table(TableAddress("main", "t1"))
        assert table is not None and table.title == "Window table"
        taken = await ann.post(f"{T1}/rename", json={"title": "Table 2"})
        assert code_of(taken) == (409, "not_changed")
        assert code_of(await ann.post("/api/v1/floor/tables/t9/rename", json={"title": "x"})) == (
            404,
            "unknown_table",
        )
        figures = (await ann.get("/api/v1/floor/figures?hours=8")).json()["tables"]
        assert figures["t1"]["title"] == "Window table"
        assert (await ann.post(f"{T1}/rename", json={"title": ""})).json()["title"] == "Table 1"

    on_a_floor(tmp_path, test)


def test_an_attendant_neither_retires_nor_renames(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        fill(served)
        ben = await served.logged_in(UserRole.ATTENDANT)
        for name, body in (("retire", {}), ("unretire", {}), ("rename", {"title": "x"})):
            answer = await ben.post(f"{T1}/{name}", json=body)
            assert answer.status_code == 403, name
        assert len((await ben.get("/api/v1/floor")).json()["tables"]) == 2

    on_a_floor(tmp_path, test)


def test_the_report_marks_a_retired_table_and_ends_its_incidents(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        fill(served)
        ann = await served.logged_in(UserRole.TECHNICIAN)
        await ann.post(f"{T1}/retire", json={"confirmed": True})
        window = "begin=2026-11-24T00:00:00Z&end=2026-11-25T23:00:00Z"
        text = (await ann.get(f"/api/v1/floor/report.csv?{window}")).text
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
        head = next(row for row in rows if row[:2] == ["table", "title"])
        (figures,) = (row for row in rows if row[:1] == ["t1"] and len(row) == len(head))
        assert dict(zip(head, figures, strict=True))["retired"].startswith("2026-11-24T14:00")
        assert rows[-1][-2] == "retired"
        later = "begin=2026-11-26T00:00:00Z&end=2026-11-26T01:00:00Z"
        assert "t1" not in (await ann.get(f"/api/v1/floor/report.csv?{later}")).text
        assert b"%PDF" in (await ann.get(f"/api/v1/floor/report.pdf?{window}")).content

    on_a_floor(tmp_path, test)


def test_each_change_is_in_the_audit_log_with_person_and_reason(tmp_path: Path) -> None:
    async def run() -> None:
        audit = audit_in(tmp_path)
        async with served_floor(tmp_path, record=audit.take) as served:
            fill(served)
            ann = await served.logged_in(UserRole.TECHNICIAN)
            await ann.post(f"{T1}/retire", json={"reason": "sold", "confirmed": False})
            await ann.post(f"{T1}/retire", json={"reason": "sold", "confirmed": True})
            await ann.post(f"{T1}/rename", json={"title": "Old table 1"})
            recording = asyncio.create_task(record_table_changes(served.floor, audit))
            async with asyncio.timeout(PATIENCE):
                while await _unrecorded(served):  # noqa: ASYNC110 - a database sets no event
                    await asyncio.sleep(0.01)
            recording.cancel()
            await asyncio.gather(recording, return_exceptions=True)
        audit.close()

    asyncio.run(run())
    events = [
        (event.what, event.who, event.role, event.details.get("reason"))
        for event in checked_log(LogFolder(tmp_path / "audit")).events()
        if "table" in event.what
    ]
    assert events == [
        ("retire_table_refused", "technician", "technician", "sold"),
        ("retire_table", "technician", "technician", "sold"),
        ("rename_table", "technician", "technician", ""),
    ]


async def _unrecorded(served: ServedFloor) -> bool:
    return bool(await served.floor.read(lambda connection: unrecorded_changes(connection, "main")))
