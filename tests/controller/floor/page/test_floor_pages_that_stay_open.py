"""Tests of pages of the floor that stay open while the room or the person goes on."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.controller.floor.page.conftest import OpenPage
from tests.controller.floor.page.served_page import RunningFloor
from tests.controller.web.panel.replies import NO_LIMIT, until
from tests.controller.web.panel.test_pages_that_stay_open import TWICE, type_with_a_pause

pytestmark = pytest.mark.slow

HIDE = """
window.shown = "visible";
Object.defineProperty(document, "visibilityState", { get: () => window.shown });
window.show = (state) => {
  window.shown = state;
  document.dispatchEvent(new Event("visibilitychange"));
};
window.sources = [];
window.EventSource = class extends EventSource {
  constructor(...given) {
    super(...given);
    window.sources.push(this);
  }
};"""
"""`show("hidden")` hides the page; `sources` are the streams that it has opened."""
OPEN = "sources.filter((source) => source.readyState !== EventSource.CLOSED).length"
"""How many streams are open."""


def test_a_hidden_page_holds_no_connection_and_is_current_when_it_is_seen(
    open_page: OpenPage, floor: RunningFloor
) -> None:
    page = open_page(script=HIDE)
    page.clock.install()
    page.reload()
    expect(page.locator(".stand")).to_have_count(12)
    page.evaluate("show('hidden')")
    assert page.evaluate(OPEN) == 0
    page.clock.run_for(60_000)
    assert page.evaluate(OPEN) == 0
    floor.do(lambda: floor.floor.show("t01", is_connected=False) and None)
    assert page.evaluate(f"show('visible'), {OPEN}") == 1
    expect(page.locator(".stand").nth(0)).to_contain_text("Not connected")
    expect(page.locator(".connection.live")).to_be_attached()


def test_a_page_that_is_opened_hidden_connects_when_it_is_seen(open_page: OpenPage) -> None:
    page = open_page(script=f"{HIDE} window.shown = 'hidden';")
    expect(page.locator(".connection.connecting")).to_be_attached()
    assert page.evaluate("sources.length") == 0
    page.evaluate("show('visible')")
    expect(page.locator(".stand")).to_have_count(12)


def test_a_late_page_of_the_history_does_not_replace_a_newer_one(open_page: OpenPage) -> None:
    page, held = open_page(), list[Route]()

    def answer(route: Route, text: str) -> None:
        event = {"log": 1, "number": 1, "kind": "info", "at": "2026-03-14T18:05:00Z", "text": text}
        route.fulfill(json={"events": [event], "older": ""})

    def reply(route: Route) -> None:
        if "everything=true" in route.request.url:
            answer(route, "All of it.")
        else:
            held.append(route)

    page.evaluate(NO_LIMIT)
    page.route("**/history?*", reply)
    page.evaluate("location.hash = '#/table/t03'")
    until(page, lambda: held)
    page.locator(".history").get_by_role("checkbox").check()
    expect(page.get_by_text("All of it.")).to_be_visible()
    with page.expect_request_finished():
        answer(held[0], "A part.")
    page.wait_for_timeout(500)
    assert page.locator(".history .events").inner_text().count("All of it.") == 1
    assert page.get_by_text("A part.").count() == 0


def test_the_seconds_of_a_table_s_page_keep_the_number_that_a_person_types(
    open_page: OpenPage,
) -> None:
    page = open_page("table/t01")
    page.get_by_text("House rules").click()
    reserve = page.get_by_role("spinbutton", name="Reserve")
    type_with_a_pause(reserve, ("2", "0"), lambda: page.wait_for_timeout(2500))
    expect(reserve).to_have_value("20")


def test_the_same_sentence_is_announced_again(open_page: OpenPage) -> None:
    assert open_page().evaluate(TWICE) == 2
