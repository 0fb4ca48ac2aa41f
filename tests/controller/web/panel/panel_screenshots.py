"""Writes the screenshots of docs/operate/PANEL.md.

Command: `python -m tests.controller.web.panel.panel_screenshots`.

A simulated table plays a round of Wenzhou mahjong and chooses a cut at pai gow; the other views
show the evening of the panel's tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, expect

from controller.service.port import LastRounds
from controller.service.status import AuditStatus
from controller.service.user_roles import UserRole
from tests.controller.records.audit.receipts.test_receipts import contents
from tests.controller.web.api.served import PASSWORD
from tests.controller.web.panel.browser import chromium
from tests.controller.web.panel.evening import JAM, NAMES, PAST, RESULTS, WINDS, session
from tests.controller.web.panel.served_panel import running_panel

IMAGES = Path(__file__).parents[4] / "docs/images"
TABLET: ViewportSize = {"width": 1180, "height": 820}
PHONE: ViewportSize = {"width": 360, "height": 740}


def save(page: Page, name: str) -> None:
    """Write a screenshot of what the window shows."""
    page.wait_for_timeout(800)
    page.screenshot(path=IMAGES / f"panel_{name}.png")


@contextmanager
def served(table: str, speed: str) -> Iterator[str]:
    """A simulated table with its panel; yields the link of the first start."""
    command = Path(sys.executable).with_name("wallwright")
    arguments = ["serve", "--table", table, "--sim", speed, "--listen", "127.0.0.1:0"]
    process = subprocess.Popen([command, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = next(
            filter(None, (re.search(r"http\S+#first-start\S+", x) for x in process.stdout))
        )
        yield found[0]
    finally:
        process.terminate()
        process.communicate(timeout=120)


def signed_in(browser: Browser, link: str, size: ViewportSize) -> Page:
    """The dealer's view, after the first start."""
    page = browser.new_context(viewport=size).new_page()
    page.goto(link)
    page.get_by_label("Name").fill("tom")
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    save(page, "first_start")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("heading", name="Service mode")).to_be_visible()
    page.evaluate("location.hash = '#/dealer'")
    return page


def mahjong(browser: Browser) -> None:
    """The game form, a hand that is played, and the same on a phone in the dark."""
    with served("robotic", "20") as link:
        page = signed_in(browser, link, TABLET)
        page.get_by_role("radio", name="Wenzhou mahjong").check()
        page.get_by_label("Follow the play").check()
        for wind, name in zip(WINDS, NAMES, strict=True):
            page.get_by_label(wind, exact=True).fill(name)
        page.get_by_role("button", name="Start").evaluate(
            "key => key.scrollIntoView({block: 'end'})"
        )
        page.evaluate("scrollBy(0, 24)")
        save(page, "game")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("heading", name="The hand is played")).to_be_visible(timeout=60_000)
        page.wait_for_timeout(2500)
        page.evaluate("scrollTo(0, 0)")
        save(page, "hand")
        page.set_viewport_size(PHONE)
        page.emulate_media(color_scheme="dark")
        page.evaluate("scrollTo(0, 0)")
        save(page, "phone")
        page.context.close()


def pai_gow(browser: Browser) -> None:
    """The choice of a cut with its preview."""
    with served("pai_gow", "10") as link:
        page = signed_in(browser, link, TABLET)
        page.get_by_role("radio", name="Pai gow").check()
        page.get_by_role("button", name="Start").click()
        heading = page.get_by_role("heading", name="Choose: Cut")
        expect(heading).to_be_visible(timeout=60_000)
        page.get_by_role("radio", name="Chee yee", exact=True).check()
        page.locator("#choice-preview").scroll_into_view_if_needed()
        page.wait_for_timeout(6000)
        save(page, "cut")
        page.context.close()


def roles(browser: Browser) -> None:
    """The views of attendant, technician and auditor, and the judge."""
    with running_panel() as table:
        table.service.past[:] = PAST
        table.service.hands[:] = RESULTS
        table.service.journal[:] = [f'{{"number":{n},"kind":"note"}}' for n in range(1, 121)]
        table.service.last = LastRounds(unfinished=contents(number=13, state="unfinished"))
        counted = AuditStatus(events=8123, power_ups=41, lid_openings=760, service_entries=12)
        table.change(**session(prompts=(JAM,), audit=counted))

        def view(role: UserRole, address: str) -> Page:
            context = browser.new_context(viewport=TABLET)
            cookie = {"name": "wallwright", "value": table.cookie(role), "url": table.address}
            context.add_cookies([cookie])  # type: ignore[list-item]
            page = context.new_page()
            page.goto(f"{table.address}#/{address}")
            expect(page.locator(f"main.{address} > :not(.unseen, .starting)")).not_to_have_count(0)
            if address == "attendant":
                expect(page.locator(".picture-frame svg").first).to_be_visible()
            return page

        save(view(UserRole.ATTENDANT, "attendant"), "attendant")
        save(view(UserRole.AUDITOR, "auditor"), "auditor")
        judge = view(UserRole.PLAYER, "judge")
        judge.get_by_role("button", name="Show an example").click()
        judge.get_by_role("button", name="Judge", exact=True).click()
        judge.evaluate("scrollTo(0, 250)")
        save(judge, "judge")


def main() -> None:
    """Write every screenshot."""
    with chromium() as browser:
        mahjong(browser)
        pai_gow(browser)
        roles(browser)


if __name__ == "__main__":
    main()
