"""What happens before the first frame of the page is drawn."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.controller.panel.conftest import OpenPage

pytestmark = pytest.mark.slow
AT_ONCE = """
const fetched = window.fetch;
window.fetch = (address, options) =>
  String(address).endsWith("/me")
    ? Promise.resolve({ ok: false, status: 401, text: async () => "{}" })
    : fetched(address, options);
"""
"""The table's reply that nobody is signed in, before the browser draws the first frame."""


def test_a_reply_before_the_first_frame_opens_the_page_for_signing_in(open_page: OpenPage) -> None:
    page = open_page()
    page.add_init_script(AT_ONCE)
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("answer", ["none", "503"])
def test_a_page_whose_words_are_not_answered_at_first_asks_again(
    open_page: OpenPage, answer: str
) -> None:
    page, asked = open_page(), []

    def reply(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            route.continue_()
        elif answer == "none":
            route.abort()
        else:
            route.fulfill(status=503, json={"detail": "The table is starting."})

    page.route("**/messages/en.json", reply)
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert len(asked) == 2


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_page_that_is_opened_while_the_table_restarts_behind_a_proxy_stays_signed_in(
    open_page: OpenPage, status: int
) -> None:
    page, asked = open_page("player", role="technician"), []

    def reply(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            route.continue_()
        else:
            route.fulfill(status=status, body="<h1>Bad Gateway</h1>")

    page.route("**/api/v1/me", reply)
    page.reload()
    expect(page.get_by_role("heading", name="The table is free")).to_be_visible()
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("address", "reply"),
    [
        ("me", {"status": 200, "body": '{"name": '}),
        ("games", {"status": 200, "body": '{"games": ['}),
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
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            route.continue_()
        else:
            route.fulfill(**reply)

    page.route(f"**/api/v1/{address}", answer)
    with page.expect_response(lambda response: len(asked) > 1 and response.url == asked[1]):
        page.goto(opened)
    expect(page.get_by_role("radio", name="Pai gow")).to_be_visible()


@pytest.mark.parametrize(
    "module", ["app.js", "frame/tabs.js", "vendor/htm_preact.js", "views/attendant.js"]
)
def test_a_page_without_one_of_its_modules_is_loaded_again(
    open_page: OpenPage, module: str
) -> None:
    page = open_page("attendant", role="attendant")
    opened = page.url
    page.goto("about:blank")  # ends the first page's own requests
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            route.continue_()
        else:
            route.abort()

    page.route(f"**/{module}", answer)
    page.goto(opened)
    expect(page.get_by_role("button", name="Take the lead")).to_be_visible()
    assert len(asked) > 1
