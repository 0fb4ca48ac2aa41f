"""Tables without a gantry, by clicks: the panel and the lamps lead people through the deal."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.controller.web.panel.test_an_evening_by_clicks import (
    PLAY,
    first_start,
    go_to,
    keep,
    open_page,
    serving,
)
from tests.quick import EVIDENCE_ONLY

pytestmark = pytest.mark.slow

PHONE = {"width": 360, "height": 800}
DESK = {"width": 1280, "height": 800}


def keep_all(page: Page, name: str) -> None:
    """Write screenshots of a step on a desk and on a telephone, light and dark."""
    for size, theme in ((DESK, "light"), (PHONE, "dark")):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.evaluate("scrollTo(0, 0)")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        keep(page, f"guided-{name}-{size['width']}-{theme}")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)  # type: ignore[arg-type]


def started(page: Page, link: str) -> None:
    """Set up the table and begin a session of Wenzhou mahjong whose play is followed."""
    first_start(page, link)
    go_to(page, "Table")
    page.get_by_role("radio", name="Wenzhou mahjong").check()
    page.get_by_label("Follow the play").check()
    page.get_by_role("button", name="Start").click()


def dealt_by_hand(page: Page, table: str) -> int:
    """Confirm every packet, and tap in what was turned up; returns the number of packets."""
    prompt = page.locator(".prompt")
    packets = 0
    turned = prompt.get_by_text("turns up a tile")
    taken = prompt.get_by_text(re.compile("takes (one tile|[0-9]+ tiles): wall of"))
    while True:
        expect(turned.or_(taken).first).to_be_visible(timeout=60_000)
        if turned.count():
            break
        packets += 1
        sentence = taken.first.inner_text()
        if packets == 3:
            expect(page.locator(".scene-tile.is-lit").first).to_be_attached()
            keep_all(page, f"{table}-packet")
        prompt.get_by_role("button", name="Done").click()
        expect(prompt.get_by_text(sentence, exact=True)).to_have_count(0)
    keep_all(page, f"{table}-indicator")
    shown = prompt.locator(".tile-shown .tile").get_attribute("data-face")
    assert shown is not None
    tiles = prompt.locator(".tile-key")
    wrong = tiles.filter(has=page.locator(f'.tile:not([data-face="{shown}"])')).first
    wrong.click()
    expect(prompt.get_by_role("alert")).to_contain_text("The simulated tile shows")
    tiles.filter(has=page.locator(f'[data-face="{shown}"]')).click()
    return packets


def played(page: Page) -> None:
    """Let the simulated players act until the hand is settled."""
    act = re.compile("let the simulated player act", re.IGNORECASE)
    ways = (
        page.locator(".prompt").get_by_role("button", name="Done"),
        page.get_by_role("button", name=act),
        page.get_by_role("radio", name=act),
        page.get_by_role("button", name="Choose"),
    )
    page.get_by_role("tab", name="Scores").click()
    result = page.get_by_text(re.compile("wins:|drawn"))
    ends = time.monotonic() + PLAY
    while not result.count():
        assert time.monotonic() < ends, "the hand was not settled"
        for way in ways:
            # A prompt can close between two calls, so each look and its click are one call.
            way.evaluate_all("found => found.slice(0, 1).forEach(each => each.click())")
        page.wait_for_timeout(30)


@pytest.mark.parametrize("table", ["classic", pytest.param("single_port", marks=EVIDENCE_ONLY)])
def test_people_deal_a_hand_of_wenzhou_as_the_panel_and_the_lamps_say(
    browser: Browser, table: str
) -> None:
    with serving(f"--sim 60 --table {table}") as link:
        page = open_page(browser, (1280, 800))
        started(page, link)
        assert dealt_by_hand(page, table) == 17
        expect(page.get_by_role("heading", name="The hand is played")).to_be_visible()
        keep_all(page, f"{table}-play")
        if table == "classic":
            return  # the evening by clicks plays a hand to its end, with the same prompts
        played(page)
        expect(page.get_by_role("heading", name="The hand is over")).to_be_visible()
        keep_all(page, f"{table}-settled")
