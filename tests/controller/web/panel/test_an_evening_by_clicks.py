"""An evening on the real service with a simulated table, by clicks in a browser only."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.controller.web.panel.browser import PATIENCE, keep

pytestmark = pytest.mark.slow

PLAY = 150.0
"""Seconds in which the simulated players settle a hand; most hands take 10 to 20 s."""
PASSWORD = "a long password"  # noqa: S105 - of users that the test creates
WALLWRIGHT = (sys.executable, "-m", "controller.cli")

RECORD_HEADLINES = """() => {
  window.headlines = [];
  new MutationObserver(() => {
    const words = document.getElementById("now-words");
    if (!words?.checkVisibility() || words.textContent === window.headlines.at(-1)) return;
    window.headlines.push(words.textContent);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""
"""Records in the page every headline that is shown. A fast table shows some headlines for 0.2 s,
and Playwright looks for an element only twice a second."""


@contextmanager
def serving(options: str) -> Iterator[str]:
    """Start `wallwright serve`; yields the one-time link of the first start."""
    line = f"serve --listen 127.0.0.1:0 {options}"
    with subprocess.Popen(
        (*WALLWRIGHT, *shlex.split(line)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        found = [process.stdout.readline(), process.stdout.readline()]
        link = re.search(r"http://\S+#first-start=\S+", "".join(found))
        try:
            assert link is not None, found
            yield link[0]
        finally:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=120)
            assert (process.returncode, errors) == (0, "")


def open_page(browser: Browser, size: tuple[int, int] = (1280, 860)) -> Page:
    """A page of a person of their own; every wait has a limit."""
    page = browser.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    page.set_default_timeout(PATIENCE)
    return page


def first_start(page: Page, link: str) -> None:
    """Set up the first technician by the one-time link."""
    page.goto(link)
    page.get_by_label("Name").fill("Tess")
    page.get_by_label(re.compile("Password.*At least")).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_text("Connected")).to_be_visible()


def add_user(page: Page, name: str, role: str) -> None:
    """Add a user as the technician."""
    go_to(page, "Service")
    page.get_by_role("tab", name="Users").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Role").select_option(role)
    page.get_by_label(re.compile("Password")).last.fill(PASSWORD)
    page.get_by_role("button", name="Add a user").click()
    expect(page.get_by_text(name, exact=False).first).to_be_visible()


def sign_in(page: Page, address: str, name: str) -> None:
    """Sign in with name and password."""
    page.goto(address)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Connected")).to_be_visible()


def go_to(page: Page, view: str) -> None:
    """Open a view by the navigation."""
    page.get_by_role("navigation").get_by_text(view, exact=True).click()


def has_shown(page: Page, headline: str) -> None:
    """Wait until the page has shown this headline, since its headlines are recorded."""
    page.wait_for_function(
        "headline => window.headlines.includes(headline)", arg=headline, timeout=60_000
    )


def test_a_wenzhou_round_from_the_first_start_to_the_settlement(browser: Browser) -> None:
    with serving("--sim 30 --fault jam:head2@20~60") as link:
        technician, player, attendant = (open_page(browser) for _ in range(3))
        first_start(technician, link)
        add_user(technician, "Pam", "player")
        add_user(technician, "Art", "attendant")
        address = link.split("#")[0]
        sign_in(player, address, "Pam")
        sign_in(attendant, address, "Art")

        player.get_by_role("radio", name="Wenzhou mahjong").check()
        player.get_by_label("Follow the play").check()
        player.get_by_label("East").fill("Ann")
        player.get_by_role("button", name="Start").click()

        expect(player.get_by_text("This needs the role: attendant.")).to_be_visible(timeout=60_000)
        expect(player.get_by_role("button", name="Done")).to_have_count(0)
        keep(player, "jam-player")
        go_to(attendant, "Help")
        expect(attendant.locator('.scene-mark[data-part="head 2"]')).to_be_attached()
        keep(attendant, "jam-attendant")
        attendant.get_by_role("button", name="Take the lead").click()
        player.evaluate(RECORD_HEADLINES)
        attendant.get_by_role("button", name="Done").click()

        has_shown(player, "Dealing")
        keep(player, "dealing")
        act = player.get_by_role("radio", name="let the simulated player act")
        expect(act).to_be_visible(timeout=60_000)
        keep(player, "act")
        player.get_by_role("tab", name="Scores").click()
        result = player.get_by_text(re.compile("wins:|drawn"))
        alone = player.get_by_role("button", name="let the simulated player act")
        ends = time.monotonic() + PLAY
        while not result.count():
            assert time.monotonic() < ends, "the hand was not settled"
            # The table may go on, and replace the prompt, between the look and the click.
            with suppress(PlaywrightTimeoutError):
                if alone.count():
                    alone.click(timeout=2000)
                elif act.count():
                    act.check(timeout=2000)
                    player.get_by_role("button", name="Choose").click(timeout=2000)
            player.wait_for_timeout(60)
        keep(player, "settled")
        player.get_by_role("button", name="Take the tiles in").click()
        expect(result.first).to_be_visible()


def test_a_pai_gow_round_with_a_previewed_cut_then_another_game(browser: Browser) -> None:
    with serving("--table robotic --sim 20") as link:
        page = open_page(browser)
        first_start(page, link)
        go_to(page, "Table")
        page.get_by_role("radio", name="Pai gow").check()
        page.get_by_role("button", name="Start").click()
        bank = page.get_by_role("radio", name="Take")
        bank.check(timeout=60_000)
        page.get_by_role("button", name="Choose").click()
        expect(page.get_by_role("heading", name="Choosing the cut")).to_be_visible(timeout=60_000)
        page.get_by_role("radio", name=re.compile("Chee yee")).first.check()
        expect(page.get_by_text(re.compile("This is how the table deals with"))).to_be_visible()
        keep(page, "cut")
        page.evaluate(RECORD_HEADLINES)
        page.get_by_role("button", name="Choose").click()
        has_shown(page, "Dealing")

        page.get_by_role("tab", name="Game").click()
        page.get_by_role("radio", name="Draw").check()
        page.get_by_role("button", name=re.compile("next", re.IGNORECASE)).click()
        playing = page.get_by_role("heading", name=re.compile("The hand is played|Ready"))
        expect(playing).to_be_visible(timeout=90_000)
        draw = page.get_by_text(re.compile("^Draw · Round"))
        for _ in range(30):
            if draw.count():
                break
            # In the first round the key also takes in the second set, so one press is not enough.
            if playing.count():
                page.get_by_role("button", name="Take the tiles in").click()
            page.wait_for_timeout(2000)
        expect(draw).to_be_visible(timeout=60_000)
        keep(page, "next-game")
