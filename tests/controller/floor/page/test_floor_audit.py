from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from controller.floor.page.floor_audit import FloorAudit
from controller.floor.server.port import RequestOutcome
from controller.records.audit.errors import AuditLockedError
from controller.records.audit.log import audit_log
from controller.records.audit.log.event_line import AuditEvent
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.run.journal.storage import DirectStorage
from controller.service.user_roles import UserRole
from controller.web.api.audited_requests import AuditedRequest
from tests.controller.floor.page.fake_floor import a_state, birth, served_floor
from tests.controller.floor.page.test_floor_api import OPEN_JAM
from tests.controller.web.api.served import PASSWORD


def audit_in(folder: Path) -> FloorAudit:
    loop = asyncio.get_running_loop()
    return FloorAudit(LogFolder(folder / "audit"), "club", loop.time, DirectStorage())


def recorded(folder: Path) -> list[AuditEvent]:
    return list(checked_log(LogFolder(folder / "audit")).events())


def test_a_new_user_of_the_floor_is_recorded_with_name_and_role(tmp_path: Path) -> None:
    async def run() -> None:
        audit = audit_in(tmp_path)
        audit.begin("0.2.0")
        async with served_floor(tmp_path, record=audit.take) as served:
            technician = await served.logged_in(UserRole.TECHNICIAN)
            user = {"name": "ben", "role": "dealer", "password": PASSWORD}
            assert (await technician.post("/api/v1/users", json=user)).status_code == 201
        audit.close()

    asyncio.run(run())
    (added,) = (event for event in recorded(tmp_path) if event.what == "add_user")
    assert (added.who, added.details["name"], added.details["role"]) == (
        "technician",
        "ben",
        "dealer",
    )


def test_logins_acknowledgements_and_requests_are_recorded_with_person_and_address(
    tmp_path: Path,
) -> None:
    async def run() -> None:
        audit = audit_in(tmp_path)
        audit.begin("0.2.0")
        async with served_floor(tmp_path, record=audit.take) as served:
            served.floor.store("t1", OPEN_JAM)
            served.floor.show("t1", birth=birth("Table 1"), state=a_state())
            served.floor.replies.append(RequestOutcome(3, False, "A round is in progress."))
            ann = await served.logged_in(UserRole.ATTENDANT)
            wrong = {"name": "attendant", "password": "no password"}
            assert (await served.client().post("/api/v1/login", json=wrong)).status_code == 401
            alarm = "/api/v1/floor/alarms/1/1/acknowledge"
            assert (await ann.post(alarm, json={"note": "on my way"})).status_code == 200
            table = "/api/v1/floor/tables/t1/requests"
            assert (await ann.post(table, json={"name": "take_out_of_play"})).status_code == 200
            assert (await ann.post(table, json={"name": "stop_service"})).status_code == 404
            stranger = served.client()
            assert (await stranger.post(table, json={"name": "put_in_play"})).status_code == 401
            assert (await ann.get("/api/v1/floor")).status_code == 200
            assert (await ann.post("/api/v1/logout")).status_code == 204
        audit.close()

    asyncio.run(run())
    events = recorded(tmp_path)
    assert [(event.what, event.who, event.source) for event in events[1:]] == [
        ("power_up", "", "floor"),
        ("login", "attendant", "::1"),
        ("login_refused", "attendant", "::1"),
        ("acknowledge", "attendant", "::1"),
        ("request_table", "attendant", "::1"),
        ("request_table_refused", "attendant", "::1"),
        ("request_table_refused", "", "::1"),
        ("logout", "attendant", "::1"),
        ("service_stopped", "", "floor"),
    ]
    assert events[4].details["note"] == "on my way"
    asked = events[5]
    assert asked.role == "attendant"
    assert asked.details["request"] == "take_out_of_play"
    assert (asked.details["number"], asked.details["accepted"]) == (3, False)
    assert events[0].details["origin"].startswith("wallwright/floor-club/")
    text = (tmp_path / "audit/events.jsonl").read_text("utf-8")
    assert PASSWORD not in text
    assert "no password" not in text


def test_a_changed_log_of_the_floor_is_refused_at_the_start(tmp_path: Path) -> None:
    async def run() -> None:
        audit = audit_in(tmp_path)
        audit.begin("0.2.0")
        audit.close()
        file = tmp_path / "audit/events.jsonl"
        file.write_bytes(file.read_bytes().replace(b"0.2.0", b"0.2.1"))
        with pytest.raises(AuditLockedError, match="is locked"):
            audit_in(tmp_path)

    asyncio.run(run())


def test_a_full_disk_is_reported_and_the_floor_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        audit = audit_in(tmp_path)
        audit.begin("0.2.0")
        with monkeypatch.context() as full:

            def no_space(file: int, data: bytes, at: int) -> None:
                raise OSError(28, "No space left on device")

            full.setattr(audit_log, "write_all", no_space)
            audit.take(AuditedRequest("login", 200, "/api/v1/login", "Ann", "attendant", "::1"))
            await asyncio.sleep(0)
        audit.close()

    with caplog.at_level(logging.WARNING, "wallwright.floor"):
        asyncio.run(run())
    assert "No space left on device" in caplog.text
    assert [event.what for event in recorded(tmp_path)][2:4] == ["login", "service_stopped"]
