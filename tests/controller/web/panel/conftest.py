"""Fixtures of the panel's tests: a table's API on a port, and pages of one browser a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Request

from controller.service.user_roles import UserRole
from tests.controller.web.panel.browser import PATIENCE, SharedChromium
from tests.controller.web.panel.served_panel import RunningPanel, running_panel

TABLET = (1180, 820)
PHONE = (360, 740)

OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def browser(shared_chromium: SharedChromium) -> Iterator[Browser]:
    """Debian's Chromium, without any page."""
    with shared_chromium.lent() as browser:
        yield browser


@pytest.fixture(scope="module")
def served() -> Iterator[RunningPanel]:
    """The panel on a port, with one user for each role."""
    with running_panel() as running:
        yield running


@pytest.fixture
def table(served: RunningPanel) -> Iterator[RunningPanel]:
    """The served panel with an idle table."""
    yield served
    served.reset()


@pytest.fixture
def open_page(browser: Browser, table: RunningPanel) -> Iterator[OpenPage]:
    """Opens the panel; at the end, the page must have had no error and no foreign request."""
    contexts = []
    errors: list[str] = []
    foreign: list[str] = []

    def check(request: Request) -> None:
        if not request.url.startswith((table.address, "data:", "blob:")):
            foreign.append(request.url)

    def open_panel(
        view: str = "",
        role: str | None = None,
        size: tuple[int, int] = TABLET,
        theme: str = "light",
        language: str = "en-US",
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if theme == "dark" else "light",
            locale=language,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        if role is not None:
            cookie = {"name": "wallwright", "value": table.cookie(UserRole(role))}
            context.add_cookies([{**cookie, "url": table.address}])
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", check)
        page.goto(f"{table.address}#/{view}")
        return page

    yield open_panel
    for context in contexts:
        context.close()
    assert errors == []
    assert foreign == []
