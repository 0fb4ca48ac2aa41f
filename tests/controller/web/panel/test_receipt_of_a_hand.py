"""A tap on a hand in the results saves its receipt as a page to print."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from controller.records.audit.receipts import receipt_of
from controller.service.status import HandResult
from tests.controller.records.audit.receipts.test_receipts import logged
from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.evening import SESSION, session
from tests.controller.web.panel.served_panel import RunningPanel

pytestmark = pytest.mark.slow


def test_a_player_saves_the_receipt_of_a_hand_with_one_tap(
    table: RunningPanel, open_page: OpenPage, tmp_path: Path
) -> None:
    results = tuple(HandResult(number=n, game="wenzhou", sentence="Over.") for n in (2, 12))
    table.service.receipts = {(SESSION.id, 12): receipt_of(logged(tmp_path / "audit"), 6)}
    page = open_page("player", role="player")
    table.change(**session(session=SESSION.model_copy(update={"results": results})))
    page.get_by_role("tab", name="Scores").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Receipt: hand 12", exact=True).click()
    assert download.value.suggested_filename == "receipt-12.pdf"
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF")
    page.get_by_role("button", name="Receipt: hand 2", exact=True).click()
    expect(page.get_by_text("The service has receipts of the last ten rounds")).to_be_visible()
