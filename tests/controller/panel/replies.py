"""Replies that a test lets fail or holds back, and waits for what a page then does."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page, Route

from tests.controller.panel.browser import PATIENCE

NO_LIMIT = "AbortSignal.timeout = () => new AbortController().signal;"
"""Lets a page wait without a limit for a reply that a test holds back."""


def until(page: Page, holds: Callable[[], object]) -> None:
    """Wait until the condition holds."""
    ends = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < ends, "the page does not do what the test waits for"
        page.wait_for_timeout(20)


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
