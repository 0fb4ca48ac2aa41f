"""A player sees the commitment to the next shuffle and adds a share; results have the reveal."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from controller.service.status import ChanceStatus, CycleStatus, PlayerShareStatus, RevealStatus
from tests.controller.web.panel.conftest import PHONE, OpenPage
from tests.controller.web.panel.evening import session
from tests.controller.web.panel.served_panel import RunningPanel
from tests.controller.web.panel.test_player_view import width_to_scroll

pytestmark = pytest.mark.slow

HASH = "ab" * 32


def test_a_player_sees_the_commitment_and_adds_a_share(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = open_page(role="player", size=PHONE)
    shares = (PlayerShareStatus(seat=1, share="snow", code="K3QF-7ZWA-M2XN"),)
    cycle = CycleStatus(cycle=3, commitment=HASH, player_shares=shares)
    before = (PlayerShareStatus(seat=0, share="hail", code="AAAA-7ZWA-M2XN"),)
    playing = CycleStatus(cycle=2, commitment=HASH, player_shares=before)
    table.change(**session(), chance=ChanceStatus(next=cycle, playing=playing))
    page.get_by_text("Random choices").click()
    expect(page.get_by_text("Commitment of cycle 3")).to_be_visible()
    expect(page.get_by_text(HASH)).to_be_visible()
    expect(page.get_by_text("Shares added: 1").first).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="snow K3QF-7ZWA-M2XN")).to_be_visible()
    expect(page.get_by_text("Shares of cycle 2, which is played")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="hail AAAA-7ZWA-M2XN")).to_be_visible()
    page.get_by_label("Your share").fill("rain")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_label("Your share")).to_have_value("")
    assert table.commands()[-1] == ("add_share", {"seat": 0, "share": "rain"})
    assert width_to_scroll(page) <= 0


def test_without_a_cycle_there_is_no_card(table: RunningPanel, open_page: OpenPage) -> None:
    page = open_page(role="player")
    table.change(**session())
    expect(page.get_by_role("heading", name="Dealing")).to_be_visible()
    expect(page.get_by_text("Random choices")).to_have_count(0)


def test_a_result_has_the_revealed_share(table: RunningPanel, open_page: OpenPage) -> None:
    page = open_page(role="player")
    values = session()
    reveal = RevealStatus(cycle=3, commitment=HASH, reveal="cd" * 32)
    results = values["session"].results
    first = results[0].model_copy(update={"chance": reveal})
    values["session"] = values["session"].model_copy(update={"results": (first, *results[1:])})
    table.change(**values)
    page.get_by_role("tab", name="Scores").click()
    expect(page.get_by_text(f"Share of cycle 3: {'cd' * 32}")).to_be_visible()
