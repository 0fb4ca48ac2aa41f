"""The panel on the real service with the keyboard only: sign in, choose, cut, discard."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from controller.service.user_roles import UserRole
from tests.controller.web.api.served import PASSWORD
from tests.controller.web.panel.browser import PATIENCE, keep
from tests.controller.web.panel.real_table import RealTable, real_table

pytestmark = pytest.mark.slow

FOCUS = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const isHidden = element.matches(".option input, .segments input");
  const drawn = isHidden ? element.nextElementSibling : element;
  const style = getComputedStyle(drawn);
  const box = drawn.getBoundingClientRect();
  return {
    name: element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText ?? element.innerText,
    outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0,
    dialog: Boolean(element.closest("dialog")),
  };
}"""
"""The element with the keyboard: its name, whether it has an outline, whether it is in sight."""


@pytest.fixture(scope="module")
def table() -> Iterator[RealTable]:
    """A table at which pai gow is played at first."""
    with real_table(pace=20) as table:
        yield table


@pytest.fixture(scope="module")
def mahjong() -> Iterator[RealTable]:
    """A table at which Wenzhou mahjong is played."""
    with real_table(pace=30) as table:
        yield table


def focus(page: Page) -> dict[str, object]:
    """The element with the keyboard; its focus must be visible."""
    found = page.evaluate(FOCUS)
    assert found is not None, "no element has the keyboard"
    assert found["outline"] and found["seen"], f"the focus of {found['name']} cannot be seen"
    return dict(found)


def tab_to(page: Page, name: str, most: int = 40) -> None:
    """Press the Tab key until the element with this name has the keyboard."""
    passed = []
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUS) is None:
            continue  # behind the last element, the keyboard leaves the page
        passed.append(str(focus(page)["name"]).strip())
        if re.match(name, passed[-1]):
            return
    raise AssertionError(f"The Tab key does not reach {name}: {passed}")


def test_a_round_is_chosen_cut_and_played_with_the_keyboard_only(
    browser: Browser, table: RealTable
) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(table.address)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    tab_to(page, "Name")
    page.keyboard.type("player")
    tab_to(page, "Password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="Backgammon")).to_be_visible()

    # A dialog keeps the keyboard, Escape closes it, and the keyboard returns to its button.
    tab_to(page, "Settings")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(9):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUS)
        assert found is None or found["dialog"], found
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Settings")).to_be_focused()
    assert str(focus(page)["name"]) == "Settings"

    tab_to(page, "Backgammon")
    for _ in range(20):
        if str(focus(page)["name"]).startswith("Pai gow"):
            break
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Pai gow")).to_be_checked()
    tab_to(page, "Start$")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Choose: Bank")).to_be_visible(timeout=60_000)
    tab_to(page, "Take")
    page.keyboard.press("Space")
    tab_to(page, "Choose$")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Choose: Cut")).to_be_visible(timeout=60_000)

    tab_to(page, "Go to the open prompt")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "prompts"
    tab_to(page, "Search")
    page.keyboard.press("Tab")
    before = str(focus(page)["name"])
    page.keyboard.press("ArrowDown")
    after = str(focus(page)["name"])
    assert before != after, "the arrow keys change the cut"
    keep(page, "keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Choose: Cut")).to_have_count(0)
    # The keyboard has a place again, although the prompt that had it is gone. The page's security
    # policy lets Playwright evaluate an expression only once, but call a function repeatedly.
    page.wait_for_function("() => document.activeElement !== document.body")
    chosen = table.status.round
    assert chosen is not None and str(chosen.choices["cut"]).replace("_", " ") in after.lower()

    expect(page.get_by_role("heading", name=re.compile("hand is played|Ready"))).to_be_visible(
        timeout=60_000
    )
    # The end of the session is asked for in a dialog; Escape leaves it as it is.
    tab_to(page, "End session")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="End session")).to_be_focused()
    assert str(focus(page)["name"]).strip() == "End session"
    assert table.status.session is not None and not table.status.session.ending
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    tab_to(page, "End session")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="End session")).to_have_count(0)
    page.context.close()


def test_a_tile_is_discarded_with_the_keyboard_only(browser: Browser, mahjong: RealTable) -> None:
    page = mahjong.open(browser, UserRole.DEALER, "player")
    begin(page)
    expect(page.get_by_role("radio", name=re.compile("Discard: 1 "))).not_to_have_count(0)
    tab_to(page, "Go to the open prompt")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert "simulated player" in str(focus(page)["name"]).lower()
    page.keyboard.press("ArrowDown")
    first = str(focus(page)["name"])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    tile = str(focus(page)["name"])
    assert "Discard: " in first and "Discard: " in tile and first != tile
    keep(page, "keyboard_tile")
    acts = acts_of(mahjong)
    page.keyboard.press("Enter")
    refused = page.get_by_role("alert").filter(has_text=re.compile("hand|tile"))
    ends = time.monotonic() + PATIENCE / 1000
    while not (acts_of(mahjong) > acts or refused.count()):
        assert time.monotonic() < ends, "the tile is discarded, or is not in the hand"
        page.wait_for_timeout(20)
    page.context.close()


def acts_of(table: RealTable) -> int:
    """How many acts of the present hand the table has followed."""
    present = table.status.round
    assert present is not None
    return present.acts


def begin(page: Page) -> None:
    """Begin a session of Wenzhou mahjong that is followed, unless it is in progress."""
    if page.get_by_role("button", name="Pause").count():
        return
    expect(page.get_by_role("radio", name="Wenzhou mahjong")).to_be_visible(timeout=60_000)
    page.get_by_role("radio", name="Wenzhou mahjong").check()
    page.get_by_label("Follow the play").check()
    for wind, name in zip(
        ("East", "South", "West", "North"), ("Mei", "Ren", "Ligaya", "Jo"), strict=True
    ):
        page.get_by_label(wind, exact=True).fill(name)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="The hand is played")).to_be_visible(timeout=60_000)
