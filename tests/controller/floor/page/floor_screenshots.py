"""Writes the screenshots of docs/floor/FLOOR.md, as a program of its own.

`python -m tests.controller.floor.page.floor_screenshots` writes them. They show
the room of twelve tables of the page's tests.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, ViewportSize, expect

from controller.service.user_roles import UserRole
from tests.controller.floor.page.fake_floor import birth
from tests.controller.floor.page.served_page import RunningFloor, running_floor
from tests.controller.web.panel.browser import chromium

IMAGES = Path(__file__).parents[4] / "docs/images"
DESK: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}


def save(browser: Browser, floor: RunningFloor, name: str, size: ViewportSize, theme: str) -> None:
    """Write a screenshot of the room as an attendant sees it."""
    context = browser.new_context(
        viewport=size, color_scheme="dark" if theme == "dark" else "light", locale="en-US"
    )
    cookie = {"name": "wallwright", "value": floor.cookie(UserRole.ATTENDANT), "url": floor.address}
    context.add_cookies([cookie])  # type: ignore[list-item]
    page = context.new_page()
    page.goto(f"{floor.address}#/room")
    expect(page.locator(".stand")).to_have_count(12)
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / f"floor_{name}.png")
    context.close()


def main() -> None:
    """Write every screenshot."""
    with TemporaryDirectory() as folder, running_floor(Path(folder)) as floor:
        floor.do(lambda: floor.floor.show("t12", birth=birth("Table 12")) and None)
        with chromium() as browser:
            save(browser, floor, "room", DESK, "light")
            save(browser, floor, "room_phone", PHONE, "dark")


if __name__ == "__main__":
    main()
