"""Tests of the buttons that move a motor while they are held, over a slow network."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from controller.service.status import ServiceStatus
from tests.controller.web.panel.conftest import OpenPage
from tests.controller.web.panel.evening import MODE
from tests.controller.web.panel.replies import until
from tests.controller.web.panel.served_panel import RunningPanel

pytestmark = pytest.mark.slow

MOST_UNANSWERED = 4
ATTEMPTS = 5
"""Presses of a button that a page may end by itself on a busy computer."""


class HeldJogs:
    """The commands of a page; the table answers none of its jogs."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.names: list[str] = []
        page.route("**/api/v1/commands", self._answer)
        page.on("request", self._record)

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until the condition holds."""
        until(self.page, holds, lambda: f"only these commands: {self.names}")

    def _record(self, request: Request) -> None:
        if request.url.endswith("/api/v1/commands"):
            self.names.append(_name(request))

    def _answer(self, route: Route) -> None:
        if _name(route.request) != "jog":
            route.continue_()


def _name(request: Request) -> str:
    assert request.post_data_json is not None
    return str(request.post_data_json["name"])


def test_a_press_without_replies_sends_few_renewals_and_ends_before_the_stop_is_sent(
    table: RunningPanel, open_page: OpenPage
) -> None:
    mode = MODE.model_copy(update={"activity": None, "question": None, "change": None})
    table.change(service_mode=mode, service=ServiceStatus(state="service_mode"))
    page = open_page("technician", role="technician")
    jogs = HeldJogs(page)
    for _ in range(ATTEMPTS):
        jogs.names.clear()
        expect(page.locator(".connection.live")).to_be_attached()
        page.get_by_role("button", name="Hold to move lid forward").hover()
        page.mouse.down()
        jogs.until(lambda: len(jogs.names) >= MOST_UNANSWERED or "stop_jog" in jogs.names)
        page.wait_for_timeout(1000)
        renewed = jogs.names.count("jog")
        page.mouse.up()
        jogs.until(lambda: "stop_jog" in jogs.names)
        page.wait_for_timeout(500)
        assert renewed <= MOST_UNANSWERED
        # A stop without a reply is sent again.
        assert set(jogs.names[:renewed]) <= {"jog"} and set(jogs.names[renewed:]) == {"stop_jog"}
        if renewed == MOST_UNANSWERED:
            return
    raise AssertionError(f"each press ended by itself, the last after {jogs.names}")
