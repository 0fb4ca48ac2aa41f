"""The floor's page in a browser: twelve tables, hostile names, alarms, lost connections."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from controller.floor.server.port import RequestOutcome
from controller.service.user_roles import UserRole
from tests.controller.floor.page.conftest import DESK, OpenPage
from tests.controller.floor.page.fake_floor import HOSTILE, a_state
from tests.controller.floor.page.served_page import RunningFloor
from tests.controller.web.panel.replies import first_fails
from tests.controller.web.panel.test_accessibility import AXE, defects

pytestmark = pytest.mark.slow

PHONE = (390, 844)
BREAK_THE_VIEW = """async () => {
  addEventListener("error", (event) => event.preventDefault());
  (await import(new URL("data/store.js", document.baseURI))).change({ figures: null });
}"""
"""Gives the page a state that the view cannot draw; the error is expected."""


def needed(page: Page) -> list[str]:
    return page.locator(".need .need-head a").all_inner_texts()


def test_the_page_lists_who_is_needed_where_with_the_fault_first(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.locator(".stand")).to_have_count(12)
    assert needed(page) == ["Table 3", "Table 8", "Table 11"]
    fault = page.locator(".need").first
    expect(fault).to_contain_text("Technician needed")
    expect(fault).to_contain_text("LIFT at lift 2: the lift has not reached its upper switch")
    expect(fault.locator(".need-head .since")).to_contain_text(re.compile(r"\b[678] min"))
    expect(page.locator(".counts .all")).to_contain_text("12")


def test_tables_stand_at_their_places_in_the_plan(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.locator(".stand")).to_have_count(12)
    boxes = [page.locator(".stand").nth(number).bounding_box() for number in range(12)]
    columns = [round(box["x"]) for box in boxes if box is not None]
    assert columns[:4] == sorted(set(columns)) and columns[4:8] == columns[:4]


def test_html_in_a_title_is_shown_as_text(open_page: OpenPage) -> None:
    page = open_page("table/t12")
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE[:80])
    assert page.locator("main img").count() == 0


def test_an_attendant_acknowledges_an_alarm_and_everybody_sees_who(open_page: OpenPage) -> None:
    dealer = open_page(role=UserRole.DEALER)
    expect(dealer.locator(".need")).to_have_count(3)
    assert dealer.get_by_role("button", name="Acknowledge").count() == 0
    page = open_page()
    page.locator(".need").first.get_by_role("button", name="Acknowledge").click()
    for each in (page, dealer):
        expect(each.locator(".need").first).to_contain_text("attendant takes care of it")


def test_a_technician_renames_a_table_and_retires_it_after_a_second_confirmation(
    open_page: OpenPage,
) -> None:
    dealer = open_page(role=UserRole.DEALER)
    expect(dealer.locator(".stand")).to_have_count(12)
    page = open_page("table/t03", UserRole.TECHNICIAN)
    page.get_by_label("Title on the floor").fill("Window table")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Window table")
    page.get_by_label("Reason (optional)").fill("sold")
    page.get_by_role("button", name="Retire the table").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Retire the table").click()
    expect(dialog).to_contain_text("It has an open alarm: LIFT at lift 2")
    dialog.get_by_role("button", name="Retire the table").click()
    expect(page.locator("main")).to_contain_text("Retired by technician. sold")
    expect(page.locator(".history")).to_contain_text("LIFT at lift 2")
    expect(dealer.locator(".stand")).to_have_count(11)
    assert needed(dealer) == ["Table 8", "Table 11"]
    dealer.goto(dealer.url.replace("#/room", "#/report"))
    expect(dealer.locator("main")).to_contain_text("Window table (retired)")
    dealer.get_by_role("link", name="Window table").last.click()
    expect(dealer.locator("main")).to_contain_text("Retired by technician.")
    assert dealer.get_by_role("button", name="Take the table back").count() == 0
    page.get_by_role("button", name="Take the table back").click()
    expect(page.locator(".table-head")).to_contain_text("Not connected")


def test_a_new_state_reaches_the_page_without_a_reload(
    open_page: OpenPage, floor: RunningFloor
) -> None:
    page = open_page()
    expect(page.locator(".need")).to_have_count(3)
    floor.do(lambda: floor.floor.show("t03", state=a_state()) and None)
    floor.do(lambda: floor.floor.show("t01", is_connected=False) and None)
    expect(page.locator(".stand").nth(0)).to_contain_text("Not connected")
    expect(page.locator(".stand").nth(2)).to_contain_text("In play")


def test_a_lost_connection_is_shown_and_the_page_recovers_by_itself(
    open_page: OpenPage, floor: RunningFloor
) -> None:
    page = open_page()
    expect(page.locator(".stand")).to_have_count(12)
    floor.network.silent = True
    expect(page.locator("#connection-lost")).to_be_visible()
    expect(page.locator(".stand")).to_have_count(12)
    floor.do(lambda: floor.floor.show("t01", is_connected=False) and None)
    floor.network.silent = False
    expect(page.locator("#connection-lost")).to_have_count(0)
    expect(page.locator(".stand").nth(0)).to_contain_text("Not connected")


def test_a_floor_without_its_broker_says_that_the_states_are_old(
    open_page: OpenPage, floor: RunningFloor
) -> None:
    page = open_page()
    floor.do(lambda: floor.floor.room.change(broker=False))
    expect(page.get_by_text("The floor has no connection to the message broker.")).to_be_visible()


def test_a_request_is_confirmed_first_and_shows_the_tables_reply(
    open_page: OpenPage, floor: RunningFloor
) -> None:
    floor.floor.replies.append(RequestOutcome(1, False, "Service mode is active."))
    page = open_page("table/t01")
    page.get_by_role("button", name="Take out of play after this round").click()
    page.get_by_role("button", name="Send the request").click()
    expect(page.get_by_text("Service mode is active.")).to_be_visible()
    expect(page.get_by_text("Refused.")).to_be_visible()
    assert [each[:2] for each in floor.floor.requests] == [("t01", "take_out_of_play")]
    auditor = open_page("table/t01", UserRole.AUDITOR)
    expect(auditor.get_by_role("heading", name="Open alarms")).to_be_visible()
    assert auditor.get_by_role("heading", name="Requests to the table").count() == 0


def test_the_next_game_is_requested_with_its_changed_house_rules(
    open_page: OpenPage, floor: RunningFloor
) -> None:
    floor.floor.replies.append(RequestOutcome(1, True, "Pai gow is chosen."))
    page = open_page("table/t07")
    expect(page.get_by_label("Next game")).to_have_value("pai_gow")
    page.get_by_text("House rules (0 changed)").click()
    switch = page.locator(".house-rules [role=switch]").first
    switch.click()
    expect(page.get_by_text("House rules (1 changed)")).to_be_visible()
    page.get_by_role("button", name="Choose this game").click()
    page.get_by_role("button", name="Send the request").click()
    expect(page.get_by_text("Accepted.")).to_be_visible()
    ((table, name, values, who, role),) = floor.floor.requests
    assert (table, name, who, role) == ("t07", "choose_next", "attendant", "attendant")
    assert values["choice"]["game"] == "pai_gow"
    assert len(values["choice"]["house_rules"]) == 1


def test_a_player_sees_nothing_of_the_floor(open_page: OpenPage) -> None:
    page = open_page(role=UserRole.PLAYER)
    expect(page.get_by_text("Your role sees nothing of the floor.")).to_be_visible()
    assert page.locator(".stand").count() == 0


def test_the_report_of_a_range_is_saved_as_pdf_and_csv(open_page: OpenPage) -> None:
    page = open_page("report", UserRole.AUDITOR)
    expect(page.locator(".figure-table tbody tr")).to_have_count(13)
    for name, head in (("Save as PDF", b"%PDF-"), ("Save as CSV", b"\xef\xbb\xbfpit report")):
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
        assert saved.value.path().read_bytes().startswith(head)


@pytest.mark.parametrize(
    ("address", "reply"),
    [("app.js", None), ("views/report.js", None), ("api/v1/me", '{"name": ')],
    ids=["first module", "module", "half of me"],
)
def test_a_page_whose_first_replies_fail_begins_again(
    open_page: OpenPage, address: str, reply: str | None
) -> None:
    page = open_page()
    opened = page.url
    page.goto("about:blank")  # ends the first page's own requests

    def fail(route: Route) -> None:
        if reply is None:
            route.abort()
        else:
            route.fulfill(status=200, body=reply)

    asked = first_fails(page, f"**/{address}", fail)
    page.goto(opened)
    expect(page.locator(".stand")).to_have_count(12)
    assert len(asked) > 1


def test_a_view_that_cannot_be_drawn_comes_back_by_itself(open_page: OpenPage) -> None:
    page = open_page("report", UserRole.AUDITOR)
    expect(page.locator(".figure-table tbody tr")).to_have_count(13)
    with page.expect_event("load"):
        page.evaluate(BREAK_THE_VIEW)
    expect(page.locator(".figure-table tbody tr")).to_have_count(13)


@pytest.mark.parametrize(("theme", "size"), [("light", DESK), ("dark", PHONE)])
def test_no_view_has_a_serious_defect_or_is_wider_than_the_window(
    open_page: OpenPage, theme: str, size: tuple[int, int]
) -> None:
    page = open_page(role=UserRole.TECHNICIAN, size=size, theme=theme)
    expect(page.locator(".stand")).to_have_count(12)
    page.evaluate(AXE)
    found = {}
    for view in ("room", "table/t03", "table/t08", "report", "people"):
        page.evaluate("view => { location.hash = `#/${view}`; }", view)
        page.wait_for_timeout(400)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view
        if wrong := defects(page):
            found[view] = wrong
    assert found == {}
