"""Tests of the page's connection in a browser: loss, recovery, resumption, refused streams."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from controller.service.status import TilesStatus
from tests.controller.web.panel.browser import PATIENCE, WATCH_LOSS
from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.evening import DICE, session
from tests.controller.web.panel.served_panel import RunningPanel

pytestmark = pytest.mark.slow

LOST = "Connection lost"
KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    window.sockets.push(this);
  }
};"""
"""Keeps every WebSocket that the page opens in `sockets`, in the order in which it opened them."""
ALL_CLOSED = """() => {
  const { sockets } = window;
  return sockets.length > 1 && sockets.every((each) => each.readyState === WebSocket.CLOSED);
}"""
"""Whether the page has tried to connect again, and every attempt has ended."""


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
    page.evaluate(WATCH_LOSS)
    sent = table.streams.sent
    ends = time.monotonic() + PATIENCE / 1000
    while table.streams.sent == sent:  # the longest silence begins after a message
        assert time.monotonic() < ends, "the table sends no message"
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
    tried = len(table.streams.queries)
    table.streams.refusing = False
    expect(page.get_by_role("heading", name="Throw two dice")).to_be_visible()
    assert f"since={number - 1}" in table.streams.queries[tried]


def test_a_page_that_misses_a_change_starts_again_from_the_whole_status(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = watched(table, open_page)
    throw = page.get_by_role("heading", name="Throw two dice")
    # A page of a busy computer may lose its connection before it misses the change: it then resumes
    # from its last number, and misses none.
    for accounted in range(271, 266, -1):
        tried = len(table.streams.queries)
        table.streams.losing = True
        table.change(prompts=(DICE,))
        table.change(tiles=TilesStatus(expected=272, accounted=accounted))
        expect(throw).to_be_visible()
        if any("since=" not in query for query in table.streams.queries[tried:]):
            return
        table.streams.losing = False
        table.change(prompts=())
        expect(throw).to_have_count(0)
    raise AssertionError("the page did not ask for the whole status")


def test_a_page_that_is_seen_again_connects_at_once(
    table: RunningPanel, open_page: OpenPage
) -> None:
    page = watched(table, open_page)
    page.clock.install()
    page.add_init_script(KEEP_SOCKETS)
    page.reload()
    expect(page.get_by_text("Connected")).to_be_visible()
    table.streams.refusing = True
    table.do(table.streams.drop)
    expect(page.locator("#connection-lost")).to_be_visible()
    # No timer of the page runs any more, so that only the event can make it connect. The timers
    # that are due in the next 10 s run first, so that the page may begin a last attempt. The
    # streams are refused until that attempt has ended.
    page.clock.pause_at(page.evaluate("Date.now()") + 10_000)
    ends = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(ALL_CLOSED):
        assert time.monotonic() < ends, "an attempt to connect has not ended"
        page.wait_for_timeout(20)
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
