"""What happens before the first frame of the page is drawn."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.replies import first_fails, until
from tests.quick import EVIDENCE_ONLY

pytestmark = pytest.mark.slow
AT_ONCE = """
const fetched = window.fetch;
window.fetch = (address, options) =>
  String(address).endsWith("/me")
    ? Promise.resolve({ ok: false, status: 401, text: async () => "{}" })
    : fetched(address, options);
"""
"""Lets the table reply at once, before the first frame is drawn, that nobody is signed in."""


def test_a_reply_before_the_first_frame_opens_the_page_for_signing_in(open_page: OpenPage) -> None:
    page = open_page()
    page.add_init_script(AT_ONCE)
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("answer", ["none", "503"])
def test_a_page_whose_words_are_not_answered_at_first_asks_again(
    open_page: OpenPage, answer: str
) -> None:
    page = open_page()

    def fail(route: Route) -> None:
        if answer == "none":
            route.abort()
        else:
            route.fulfill(status=503, json={"detail": "The table is starting."})

    asked = first_fails(page, "**/messages/en.json", fail)
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert len(asked) > 1


@pytest.mark.parametrize(
    "status", [429, 500, *(pytest.param(each, marks=EVIDENCE_ONLY) for each in (502, 503, 504))]
)
def test_a_page_that_is_opened_while_the_table_restarts_behind_a_proxy_stays_signed_in(
    open_page: OpenPage, status: int
) -> None:
    page = open_page("player", role="technician")
    bad = "<h1>Bad Gateway</h1>"
    asked = first_fails(page, "**/api/v1/me", lambda route: route.fulfill(status=status, body=bad))
    page.reload()
    expect(page.get_by_role("heading", name="The table is free")).to_be_visible()
    assert len(asked) > 1


@pytest.mark.parametrize(
    ("address", "reply"),
    [
        ("me", {"status": 200, "body": '{"name": '}),
        pytest.param("games", {"status": 200, "body": '{"games": ['}, marks=EVIDENCE_ONLY),
        ("games", {"status": 500, "json": {"detail": "The rules cannot be read."}}),
        ("presets", {"status": 429, "json": {"detail": "Too many requests."}}),
    ],
    ids=["half of me", "half of the games", "games fail", "presets are limited"],
)
def test_a_page_whose_first_replies_fail_asks_again_and_stays_signed_in(
    open_page: OpenPage, address: str, reply: dict[str, Any]
) -> None:
    page = open_page("dealer", role="dealer")
    opened = page.url
    page.goto("about:blank")  # ends the first page's own requests
    asked = first_fails(page, f"**/api/v1/{address}", lambda route: route.fulfill(**reply))
    page.goto(opened)
    until(page, lambda: len(asked) > 1)
    expect(page.get_by_role("radio", name="Pai gow")).to_be_visible()


@pytest.mark.parametrize(
    "module",
    [pytest.param("vendor/htm_preact.js", marks=EVIDENCE_ONLY), "views/attendant.js"],
)
def test_a_page_without_one_of_its_modules_is_loaded_again(
    open_page: OpenPage, module: str
) -> None:
    page = open_page("attendant", role="attendant")
    opened = page.url
    page.goto("about:blank")  # ends the first page's own requests
    asked = first_fails(page, f"**/{module}", lambda route: route.abort())
    page.goto(opened)
    expect(page.get_by_role("button", name="Take the lead")).to_be_visible()
    assert len(asked) > 1
