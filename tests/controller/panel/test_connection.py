"""Tests of the page's connection in a browser: loss, recovery, resumption, refused streams."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from controller.service.status import TilesStatus
from tests.controller.panel.conftest import OpenPage
from tests.controller.panel.evening import DICE, session
from tests.controller.panel.served_panel import RunningPanel

pytestmark = pytest.mark.slow

LOST = "Connection lost"
WATCH = """() => {
  new MutationObserver(() => {
    if (document.getElementById("connection-lost")) window.lostAt ??= performance.now();
  }).observe(document.body, { childList: true, subtree: true });
  let looked = performance.now();
  window.late = 0;
  setInterval(() => {
    window.late = Math.max(window.late, performance.now() - looked);
    looked = performance.now();
  }, 10);
}"""
"""Records in the page when the banner appears, and for how long the page did not run, in ms."""


def watched(table: RunningPanel, open_page: OpenPage) -> Page:
    table.change(**session())
    page = open_page(role="player")
    expect(page.get_by_text("Connected")).to_be_visible()
    return page


def test_a_silent_connection_is_shown_as_lost_within_two_seconds(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = watched(table, open_page)
    page.wait_for_timeout(2500)
    expect(page.get_by_text("Connected")).to_be_visible()
    page.evaluate(WATCH)
    sent = table.streams.sent
    while table.streams.sent == sent:  # the longest silence begins after a message
        time.sleep(0.01)
    table.streams.silent = True
    silent_since = page.evaluate("performance.now()")
    page.locator("#connection-lost").wait_for()
    assert page.evaluate("window.lostAt - window.late") - silent_since < 2000
    expect(page.locator("#announce-alert")).to_contain_text(LOST)
    table.streams.silent = False
    expect(page.locator("#connection-lost")).to_have_count(0)
    expect(page.get_by_text("Connected")).to_be_visible()


def test_a_page_resumes_from_its_last_number_and_misses_no_change(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = watched(table, open_page)
    table.streams.refusing = True
    table.do(table.streams.drop)
    expect(page.locator("#connection-lost")).to_be_visible()
    table.change(prompts=(DICE,))
    number = table.service.feed.sequence
    table.streams.refusing = False
    expect(page.get_by_role("heading", name="Throw two dice")).to_be_visible()
    assert f"since={number - 1}" in table.streams.queries[-1]


def test_a_page_that_misses_a_change_starts_again_from_the_whole_status(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = watched(table, open_page)
    table.streams.losing = True
    table.change(prompts=(DICE,))
    table.change(tiles=TilesStatus(expected=272, accounted=271))
    expect(page.get_by_role("heading", name="Throw two dice")).to_be_visible()
    assert "since=" not in table.streams.queries[-1]


def test_a_page_that_is_seen_again_connects_at_once(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = watched(table, open_page)
    page.clock.install()
    page.reload()
    expect(page.get_by_text("Connected")).to_be_visible()
    table.streams.refusing = True
    table.do(table.streams.drop)
    expect(page.locator("#connection-lost")).to_be_visible()
    # No timer of the page runs any more, so that only the event can make it connect.
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    page.wait_for_timeout(500)
    table.streams.refusing = False
    tried = len(table.streams.queries)
    page.wait_for_timeout(1500)
    assert len(table.streams.queries) == tried
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    table.until(lambda: len(table.streams.queries) > tried)
    assert len(table.streams.queries) > tried
    page.clock.resume()
    page.locator("#connection-lost").wait_for(state="detached")


def test_a_page_whose_login_has_ended_asks_to_sign_in(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = watched(table, open_page)
    for credential in table.accounts.credentials():
        table.do(lambda each=credential.id: table.accounts.revoke(each))
    table.do(table.streams.drop)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
