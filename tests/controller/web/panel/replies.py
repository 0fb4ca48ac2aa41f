"""Replies that a test lets fail or holds back, and waits for what a page then does."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, Route

from tests.controller.web.panel.browser import PATIENCE
from tests.waiting import Shows, wait_until

NO_LIMIT = "AbortSignal.timeout = () => new AbortController().signal;"
"""Lets a page wait without a limit for a reply that a test holds back."""


def until(page: Page, holds: Callable[[], object], shows: Shows = "") -> None:
    """Wait until the condition holds; the page goes on meanwhile."""
    wait_until(holds, shows, limit=PATIENCE / 1000, pause=lambda: page.wait_for_timeout(20))


def first_fails(page: Page, pattern: str, fail: Callable[[Route], None]) -> list[Route]:
    """Answer the first request for this address by `fail`; returns the requests as they come."""
    asked: list[Route] = []

    def reply(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            fail(route)
        else:
            route.continue_()

    page.route(pattern, reply)
    return asked
