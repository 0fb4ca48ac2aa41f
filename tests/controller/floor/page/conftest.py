"""Fixtures of the floor page's tests in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from controller.service.user_roles import UserRole
from tests.controller.floor.page.served_page import RunningFloor, running_floor
from tests.controller.web.panel.browser import PATIENCE, SharedChromium

DESK = (1280, 800)
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def browser(shared_chromium: SharedChromium) -> Iterator[Browser]:
    """Debian's Chromium, without any page."""
    with shared_chromium.lent() as browser:
        yield browser


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[RunningFloor]:
    with running_floor(tmp_path) as running:
        yield running


@pytest.fixture
def open_page(browser: Browser, floor: RunningFloor) -> Iterator[OpenPage]:
    """Opens the floor's page; at the end, it must have had no error and no foreign request."""
    contexts, wrong = [], list[str]()

    def open_floor(
        view: str = "room",
        role: UserRole = UserRole.ATTENDANT,
        size: tuple[int, int] = DESK,
        theme: str = "light",
        script: str = "",
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if theme == "dark" else "light",
            locale="en-US",
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        cookie = {"name": "wallwright", "value": floor.cookie(role), "url": floor.address}
        context.add_cookies([cookie])  # type: ignore[list-item]
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((floor.address, "blob:"))
                else wrong.append(request.url)
            ),
        )
        page.add_init_script(script)
        page.goto(f"{floor.address}#/{view}")
        return page

    yield open_floor
    for context in contexts:
        context.close()
    assert wrong == []
