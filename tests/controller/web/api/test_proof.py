"""Receipts, the last rounds and the audit log over the API."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from controller.records.audit.errors import AuditError
from controller.records.audit.receipts import receipt_of, verify_receipt
from controller.service.port import LastRounds
from controller.service.user_roles import UserRole
from controller.web.api.endpoints import PREFIX as V1
from tests.controller.records.audit.receipts.test_receipts import contents, logged
from tests.controller.web.api.fake_service import FakeService, an_evening
from tests.controller.web.api.served import an_api, run


def with_a_receipt(folder: Path) -> FakeService:
    """A service that has the receipt of one hand."""
    service = an_evening()
    service.receipts = {("s2", 12): receipt_of(logged(folder / "audit"), 6)}
    return service


def test_R16_a_player_saves_the_receipt_of_a_hand_in_three_forms(tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            an_api(with_a_receipt(tmp_path)) as api,
            api.client(UserRole.PLAYER) as player,
        ):
            of_hand = f"{V1}/sessions/s2/hands/12/receipt"
            saved = await player.get(f"{of_hand}.json")
            assert verify_receipt(saved.content).contents == contents()
            assert 'filename="receipt-12.json"' in saved.headers["content-disposition"]
            page = await player.get(f"{of_hand}.txt")
            assert "Serial number  A-17" in page.text
            assert page.headers["content-type"] == "text/plain; charset=utf-8"
            printed = await player.get(f"{of_hand}.pdf")
            assert printed.headers["content-type"] == "application/pdf"
            assert printed.content.startswith(b"%PDF")
            missing = await player.get(f"{V1}/sessions/s2/hands/13/receipt.json")
            assert (missing.status_code, missing.json()["code"]) == (404, "unknown_receipt")

    run(test)


def test_without_the_package_a_receipt_as_pdf_is_refused_with_the_extra_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("reportlab.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "controller.records.audit.receipt_pdf", raising=False)
    monkeypatch.setitem(sys.modules, "reportlab", None)

    async def test() -> None:
        async with (
            an_api(with_a_receipt(tmp_path)) as api,
            api.client(UserRole.PLAYER) as player,
        ):
            of_hand = f"{V1}/sessions/s2/hands/12/receipt"
            refused = await player.get(f"{of_hand}.pdf")
            assert (refused.status_code, refused.json()["code"]) == (501, "package_missing")
            assert "'wallwright[paper]'" in refused.json()["next_step"]
            assert (await player.get(f"{of_hand}.txt")).status_code == 200

    run(test)


def test_the_last_rounds_are_listed_with_the_unfinished_one() -> None:
    async def test() -> None:
        service = an_evening()
        service.last = LastRounds((contents(),), contents(state="unfinished"))
        async with an_api(service) as api, api.client(UserRole.AUDITOR) as auditor:
            found = (await auditor.get(f"{V1}/rounds")).json()
            assert found["rounds"][0]["result"]["sentence"] == "Zoë wins."
            assert found["unfinished"]["state"] == "unfinished"

    run(test)


def test_events_are_read_from_an_index_on_and_an_unreadable_log_is_a_sentence() -> None:
    async def test() -> None:
        service = an_evening()
        service.audit = [f'{{"index":{index}}}' for index in range(120)]
        async with an_api(service) as api, api.client(UserRole.AUDITOR) as auditor:
            page = await auditor.get(f"{V1}/audit/events?first=100&limit=3")
            assert page.text == '{"index":100}\n{"index":101}\n{"index":102}\n'
            assert (await auditor.get(f"{V1}/audit/events?first=-1")).status_code == 422
            service.audit_error = AuditError("The log is locked.")
            for path in ("audit/events", "sessions/s2/hands/1/receipt.json"):
                refused = await auditor.get(f"{V1}/{path}")
                assert (refused.status_code, refused.json()["code"]) == (503, "audit")

    run(test)
