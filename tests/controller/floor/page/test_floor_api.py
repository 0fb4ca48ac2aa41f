from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from controller.floor.page.endpoints import FLOOR_ENDPOINTS, OWN
from controller.floor.page.room_feed import RoomPlan
from controller.floor.server.port import RequestOutcome
from controller.service.user_roles import UserRole
from controller.web.api.endpoints import OpenAccess
from tests.controller.floor.figures.stored_logs import NOON, happened
from tests.controller.floor.page.fake_floor import (
    HOSTILE,
    ServedFloor,
    a_state,
    birth,
    served_floor,
)
from tests.controller.web.api.served import PASSWORD
from tests.waiting import until

PATIENCE = 30.0
"""Real seconds after which an alarm that does not appear is a defect."""
Test = Callable[[ServedFloor], Awaitable[None]]
JAM = {"code": "JAM", "part": "head 2", "evidence": "blocked", "request": "x", "role": "attendant"}
OPEN_JAM = [happened(0, "run_started"), happened(60, "operator_prompted", **JAM)]


def on_a_floor(folder: Path, test: Test, plan: RoomPlan | None = None) -> None:
    async def run() -> None:
        async with served_floor(folder, plan) as served:
            await test(served)

    asyncio.run(run())


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "") if answer.content else ""


READ = (
    "floor floor_stream floor_figures floor_history floor_games floor_retired report_csv report_pdf"
)
CHANGES = "acknowledge request_table"


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (None, ""),
        (UserRole.TABLE, "floor_metrics"),
        (UserRole.PLAYER, "floor_metrics"),
        (UserRole.DEALER, f"{READ} floor_metrics"),
        (UserRole.ATTENDANT, f"{READ} floor_metrics {CHANGES}"),
        (
            UserRole.TECHNICIAN,
            f"{READ} floor_metrics {CHANGES} retire_table unretire_table rename_table",
        ),
        (UserRole.AUDITOR, f"{READ} floor_metrics"),
        (UserRole.METRICS, "floor_metrics"),
    ],
)
def test_a_role_may_use_exactly_its_endpoints(role: UserRole | None, names: str) -> None:
    assert {each.name for each in OWN if each.admits(role)} == set(names.split())


def test_every_endpoint_of_the_floor_is_refused_without_login(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        client = served.client()
        for endpoint in FLOOR_ENDPOINTS:
            if endpoint.least is OpenAccess.PUBLIC:
                continue
            path = endpoint.full_path.format(
                table="t1", log=1, number=1, user="x", login="x", key="x"
            )
            answer = await client.request(endpoint.method, path, json={})
            assert code_of(answer) == (401, "login_required"), endpoint.name

    on_a_floor(tmp_path, test)


def test_the_room_has_every_table_its_alarms_and_the_plan(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        served.floor.store("t1", OPEN_JAM)
        served.floor.show("t1", birth=birth(HOSTILE[:80]), state=a_state(), stored=2)
        client = await served.logged_in(UserRole.DEALER)
        await wait_for_alarms(client)
        room = (await client.get("/api/v1/floor")).json()
        (table,) = room["tables"]
        assert (table["name"], table["title"]) == ("t1", HOSTILE[:80])
        assert table["condition"] == "playing"
        assert room["plan"] == {"t1": [2, 3]}
        (alarm,) = room["alarms"]
        assert (alarm["table"], alarm["code"], alarm["acknowledged"]) == ("t1", "JAM", None)

    on_a_floor(tmp_path, test, RoomPlan(tables={"t1": (2, 3)}))


async def wait_for_alarms(client: httpx.AsyncClient, number: int = 1) -> list[dict[str, Any]]:
    alarms: list[dict[str, Any]] = []

    async def has_them() -> bool:
        alarms[:] = (await client.get("/api/v1/floor")).json()["alarms"]
        return len(alarms) == number

    await until(has_them, lambda: alarms)
    return alarms


def test_an_attendant_acknowledges_an_alarm_in_his_own_name_and_once(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        served.floor.store("t1", OPEN_JAM)
        ann = await served.logged_in(UserRole.ATTENDANT)
        path = "/api/v1/floor/alarms/1/1/acknowledge"
        answer = await ann.post(path, json={"note": "on my way"})
        assert (answer.status_code, answer.json()) == (200, {"who": "attendant"})
        (alarm,) = await wait_for_alarms(ann)
        assert alarm["acknowledged"]["who"] == "attendant"
        assert alarm["acknowledged"]["note"] == "on my way"
        again = await ann.post(path, json={})
        assert code_of(again) == (409, "not_acknowledged")
        gone = await ann.post("/api/v1/floor/alarms/1/7/acknowledge", json={})
        assert code_of(gone) == (409, "not_acknowledged")

    on_a_floor(tmp_path, test)


def test_an_acknowledgement_needs_the_csrf_token_the_role_and_a_person(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        served.floor.store("t1", OPEN_JAM)
        path = "/api/v1/floor/alarms/1/1/acknowledge"
        ann = await served.logged_in(UserRole.ATTENDANT)
        del ann.headers["X-CSRF-Token"]
        assert code_of(await ann.post(path, json={})) == (403, "csrf_token_missing")
        dealer = await served.logged_in(UserRole.DEALER)
        assert code_of(await dealer.post(path, json={})) == (403, "role_too_low")
        token, _ = await served.accounts.add_token("robot", UserRole.ATTENDANT, None)
        robot = served.client()
        robot.headers["Authorization"] = f"Bearer {token}"
        assert code_of(await robot.post(path, json={})) == (403, "person_required")

    on_a_floor(tmp_path, test)


def test_a_request_is_passed_on_with_the_person_and_the_reply_comes_back(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        served.floor.show("t1", birth=birth("Table 1"), state=a_state())
        served.floor.replies.append(RequestOutcome(3, False, "A round is in progress."))
        ann = await served.logged_in(UserRole.ATTENDANT)
        path = "/api/v1/floor/tables/t1/requests"
        answer = await ann.post(path, json={"name": "take_out_of_play"})
        assert answer.json() == {
            "number": 3,
            "accepted": False,
            "sentence": "A round is in progress.",
        }
        assert served.floor.requests == [("t1", "take_out_of_play", {}, "attendant", "attendant")]
        unknown = await ann.post(path, json={"name": "home_gantry"})
        assert code_of(unknown) == (404, "unknown_request")
        nowhere = path.replace("t1", "t9")
        assert code_of(await ann.post(nowhere, json={"name": "put_in_play"})) == (
            404,
            "unknown_table",
        )
        assert len(served.floor.requests) == 1

    on_a_floor(tmp_path, test)


def test_figures_are_those_of_the_last_hours_and_other_ranges_are_refused(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        receipt = {"kind": "round", "began": "12:00"}
        rounds = [happened(0, "run_started"), happened(3600, "receipt", **receipt)]
        served.floor.store("t1", rounds)
        client = await served.logged_in(UserRole.DEALER)
        found = (await client.get("/api/v1/floor/figures?hours=8")).json()
        assert found["room"]["rounds"] == 1
        assert found["tables"]["t1"]["rounds_per_hour"] == 1.0
        refused = await client.get("/api/v1/floor/figures?hours=3")
        assert refused.status_code == 422
        assert "1, 8, 24, 168 hours; got 3" in refused.json()["detail"]

    on_a_floor(tmp_path, test)


def test_the_history_of_a_table_is_read_page_by_page_from_the_latest_event(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        events = [happened(n, "board_reset", board="base", boots=n) for n in range(250)]
        served.floor.store("t1", [*events, happened(999, "dice_thrown", by=1, dice=[2, 3])])
        client = await served.logged_in(UserRole.DEALER)
        seen, older = [], ""
        while True:
            path = f"/api/v1/floor/tables/t1/history?before={older}"
            page = (await client.get(path)).json()
            seen += [event["number"] for event in page["events"]]
            older = page["older"]
            if not older:
                break
        assert seen == list(range(249, -1, -1))
        path = "/api/v1/floor/tables/t1/history?everything=true"
        newest = (await client.get(path)).json()["events"][0]
        assert newest["text"] == "Seat 1 threw 2 3."
        missing = await client.get("/api/v1/floor/tables/t9/history")
        assert code_of(missing) == (404, "unknown_table")

    on_a_floor(tmp_path, test)


def test_events_with_hostile_details_have_a_line_in_the_history(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        hostile: list[dict[str, object]] = [
            {"board": [], "why": {}, "channel": 7, "paused_s": "x"},
            {"paused_s": HOSTILE, "at": HOSTILE, "tile": "99z"},
            {"event": "fault", "t": "x", "code": "\u0000", "part": 1, "evidence": []},
        ]
        names = ("paused", "resumed", "fault", "tile_turned_up", "settled", "x" * 60)
        events = [happened(1, name, **each) for name in names for each in hostile]
        served.floor.store("t1", events, HOSTILE)
        client = await served.logged_in(UserRole.DEALER)
        path = "/api/v1/floor/tables/t1/history?everything=true"
        answer = await client.get(path)
        assert answer.status_code == 200
        assert len(answer.json()["events"]) == len(events)

    on_a_floor(tmp_path, test)


def test_a_login_that_ends_also_ends_the_floors_session(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        client = await served.logged_in(UserRole.DEALER)
        assert (await client.get("/api/v1/floor")).status_code == 200
        await served.accounts.delete_user("dealer")
        assert (await client.get("/api/v1/floor")).status_code == 401

    on_a_floor(tmp_path, test)


def test_the_database_that_does_not_answer_is_a_sentence_and_not_a_defect(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        client = await served.logged_in(UserRole.DEALER)
        served.floor.worker._most = 0
        answer = await client.get("/api/v1/floor/figures")
        assert code_of(answer) == (503, "busy")

    on_a_floor(tmp_path, test)


def test_the_first_start_makes_a_technician_of_the_floor(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        client = served.client()
        assert (await client.get("/api/v1/health")).json()["first_start"] is True
        body = {"token": served.accounts.issue_first_start(), "name": "Tom", "password": PASSWORD}
        assert (await client.post("/api/v1/first-start", json=body)).status_code == 200
        assert (await client.get("/api/v1/users")).json()["users"][0]["name"] == "Tom"

    on_a_floor(tmp_path, test)


def test_the_page_has_the_panels_strict_headers_and_every_file_that_it_names(
    tmp_path: Path,
) -> None:
    async def test(served: ServedFloor) -> None:
        answer = await served.client().get("/")
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert "app.js" in answer.text

    on_a_floor(tmp_path, test)


def test_metrics_are_for_a_token_of_the_role_metrics(tmp_path: Path) -> None:
    async def test(served: ServedFloor) -> None:
        token, _ = await served.accounts.add_token("prometheus", UserRole.METRICS, None)
        client = served.client()
        assert (await client.get("/metrics")).status_code == 401
        client.headers["Authorization"] = f"Bearer {token}"
        assert (await client.get("/metrics")).text == "wallwright_floor_tables 12\n"
        assert (await client.get("/api/v1/floor")).status_code == 403

    on_a_floor(tmp_path, test)


def range_of(hours: float) -> dict[str, str]:
    return {"begin": NOON.isoformat(), "end": (NOON + timedelta(hours=hours)).isoformat()}


def test_a_report_is_a_file_and_a_range_that_ends_before_it_begins_is_refused(
    tmp_path: Path,
) -> None:
    async def test(served: ServedFloor) -> None:
        served.floor.store("t1", OPEN_JAM, HOSTILE)
        client = await served.logged_in(UserRole.AUDITOR)
        text = await client.get("/api/v1/floor/report.csv", params=range_of(2))
        assert text.headers["content-type"] == "text/csv; charset=utf-8"
        assert "pit-report-20261124-1200.csv" in text.headers["content-disposition"]
        assert "JAM" in text.text
        pdf = await client.get("/api/v1/floor/report.pdf", params=range_of(2))
        assert pdf.content.startswith(b"%PDF-")
        refused = await client.get("/api/v1/floor/report.csv", params=range_of(-1))
        assert code_of(refused) == (422, "invalid_request")
        naive = {"begin": "2026-11-24T12:00:00", "end": "2026-11-24T13:00:00"}
        answer = await client.get("/api/v1/floor/report.csv", params=naive)
        assert code_of(answer) == (422, "invalid_request")

    on_a_floor(tmp_path, test)
