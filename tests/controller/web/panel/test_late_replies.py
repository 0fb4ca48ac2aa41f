"""Tests of replies that fail, come too late, or break off, and of a view that cannot be drawn."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Route, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.evening import ROUND, session
from tests.controller.web.panel.replies import NO_LIMIT, first_fails, until
from tests.controller.web.panel.served_panel import RunningPanel

pytestmark = pytest.mark.slow

ACTS = "Last acts, the latest first"
ATTEMPTS = 6
"""Attempts of what a page cannot do while a busy computer lets it lose its connection."""
STOPPED = "const opened = Date.now(); Date.now = () => opened;"
"""Stops the page's clock: a busy computer then sends no command too late to be repeated."""
ASLEEP = """
const fetched = window.fetch;
const now = Date.now;
let slept = 0;
Date.now = () => now() + slept;
window.fetch = (address, options) => {
  if (String(address).endsWith("/commands")) slept += 3600000;
  return fetched(address, options);
};
"""
"""Moves the page's clock by an hour when it has sent a command, as if the device slept then."""
BREAK_THE_VIEW = """async () => {
  addEventListener("error", (event) => event.preventDefault());
  (await import(new URL("data/store.js", document.baseURI))).change({ games: null });
}"""
"""Gives the page a state that the view cannot draw; the error is expected."""


def test_a_command_that_a_proxy_could_not_pass_on_is_sent_again_with_its_id(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session())
    page = open_page("player", role="player")
    page.add_init_script(STOPPED)
    page.reload()
    bad = "<h1>Bad Gateway</h1>"
    asked = first_fails(
        page, "**/api/v1/commands", lambda route: route.fulfill(status=502, body=bad)
    )
    page.get_by_role("button", name="Pause").click()
    until(page, lambda: len(asked) > 1)
    assert table.commands()[0] == ("pause", {})
    assert asked[0].request.post_data_json == asked[1].request.post_data_json


def test_a_command_that_a_sleeping_device_has_lost_is_not_sent_hours_later(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session())
    page = open_page("player", role="player")
    page.add_init_script(ASLEEP)
    page.reload()
    asked = first_fails(page, "**/api/v1/commands", lambda route: route.abort())
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("alert").filter(has_text="did not answer")).to_be_visible()
    assert len(asked) == 1
    assert table.service.given == []


def test_a_verdict_that_comes_after_a_change_of_the_hand_is_not_shown(open_page: OpenPage) -> None:
    page = open_page("judge", role="player")
    page.add_init_script(NO_LIMIT)
    page.reload()
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/v1/judge/*", hold)
    page.get_by_role("combobox", name="Game").select_option("Pai gow")
    page.get_by_role("button", name="Show an example").click()
    page.get_by_role("button", name="Judge", exact=True).click()
    until(page, lambda: len(held) == 1)
    page.get_by_role("button", name=re.compile("^Remove ")).first.click()
    with page.expect_response("**/api/v1/judge/*"):
        held[0].continue_()
    page.wait_for_timeout(1000)
    verdict = page.locator(".verdict")
    expect(verdict.get_by_text("The claim is valid")).to_have_count(0)
    page.get_by_role("button", name="Show an example").click()
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(verdict.get_by_text("The claim is valid")).to_be_visible()


def test_a_list_that_the_table_did_not_give_is_loaded_by_itself(open_page: OpenPage) -> None:
    page = open_page("technician", role="technician")
    asked = first_fails(page, "**/api/v1/users", lambda route: route.abort())
    page.get_by_role("tab", name="Users").click()
    expect(page.get_by_role("listitem").filter(has_text="auditor")).to_be_visible()
    assert len(asked) == 2


def test_a_view_that_cannot_be_drawn_comes_back_by_itself(open_page: OpenPage) -> None:
    page = open_page("judge", role="player")
    game = page.get_by_role("combobox", name="Game")
    expect(game).to_be_visible()
    with page.expect_event("load"):
        page.evaluate(BREAK_THE_VIEW)
    expect(game).to_be_visible()


def test_acts_that_were_taken_back_are_no_longer_in_the_list(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session(round=ROUND.model_copy(update={"acts": 7, "phase": "playing"})))
    page = open_page("dealer", role="dealer")
    acted = [
        {"t": 1.0, "event": "action_taken", "seat": seat, "do": do}
        for seat, do in ((0, "discard 1z"), (1, "pass"), (2, "pong 1z"), (3, "pass"))
    ]
    back = {"do": "take back", "acts": 1, "by": "Ann", "reason": "wrong seat"}
    # The fourth act shows that this is the list after the correction.
    events = [*acted[:3], {"t": 2.0, "event": "actions_taken_back", **back}, acted[3]]

    def emit() -> None:
        for event in events:
            table.service.emit(event)

    acts = page.get_by_role("list", name=ACTS).get_by_role("listitem")
    # A page that has lost its connection misses the events.
    for _ in range(ATTEMPTS):
        page.reload()
        page.get_by_role("tab", name="Correction").click()
        expect(page.locator(".connection.live")).to_be_attached()
        table.do(emit)
        with suppress(AssertionError):
            expect(acts).to_have_text(
                [
                    re.compile(r"^North, Jo: Pass\s+taken back$"),
                    "South, Ren: Pass",
                    "East, Mei: Discard · East wind",
                ],
                timeout=10000,
            )
            return
    raise AssertionError(f"the page shows the acts {acts.all_inner_texts()}")


def test_acts_before_a_lost_connection_are_not_offered_any_more(
    table: RunningPanel, open_page: OpenPage
) -> None:
    table.change(**session(round=ROUND.model_copy(update={"acts": 7, "phase": "playing"})))
    page = open_page("dealer", role="dealer")
    page.get_by_role("tab", name="Correction").click()
    acts = page.get_by_role("list", name=ACTS).get_by_role("listitem")
    event = {"t": 1.0, "event": "action_taken", "seat": 1, "do": "pass"}

    def seen() -> bool:
        expect(page.locator(".connection.live")).to_be_attached()
        table.do(lambda: table.service.emit(event))
        with suppress(PlaywrightTimeoutError):
            acts.first.wait_for(timeout=10000)
        return acts.count() > 0

    assert any(seen() for _ in range(ATTEMPTS))
    table.streams.refusing = True
    table.do(table.streams.drop)
    expect(page.locator("#connection-lost")).to_be_visible()
    table.streams.refusing = False
    expect(page.locator("#connection-lost")).to_have_count(0)
    expect(acts).to_have_count(0)
