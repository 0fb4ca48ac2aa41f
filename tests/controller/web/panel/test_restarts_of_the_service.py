"""The page when the service is killed, stopped or behind a proxy: it recovers by itself."""

from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from controller.floor.demo.preparation import free_port
from tests.controller.web.api.test_behind_nginx import _CONFIGURATION, _NGINX, _location
from tests.controller.web.panel.browser import PATIENCE, WATCH_LOSS, keep
from tests.controller.web.panel.test_an_evening_by_clicks import WALLWRIGHT, first_start

pytestmark = pytest.mark.slow

LOST = 2000
"""Milliseconds within which a lost connection is shown."""


def listens(port: int) -> bool:
    """Whether a server accepts connections at a port of this computer."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Served:
    """`wallwright serve` with a data folder and a port that outlast it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/"
        self.link = ""
        self._line = f"serve --sim 20 --data {folder} --listen 127.0.0.1:{port}"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the service, and wait until it serves."""
        self._process = subprocess.Popen(
            (*WALLWRIGHT, *shlex.split(self._line)), stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self.address in self._process.stdout.readline()
        if not self.link:
            found = re.search(r"http://\S+#first-start=\S+", self._process.stdout.readline())
            assert found is not None
            self.link = found[0]

    def end(self, by: signal.Signals) -> None:
        """End the service by a signal."""
        if self._process is not None:
            self._process.send_signal(by)
            self._process.communicate(timeout=120)
            self._process = None


@contextmanager
def nginx(folder: Path, upstream: str) -> Iterator[str]:
    """Debian's nginx with the configuration of docs/reference/API.md; yields its address."""
    assert _NGINX is not None, "nginx is missing; run `make browser-tools`."
    port = free_port()
    text = _CONFIGURATION.format(folder=folder, port=port, location=_location(upstream))
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    command = (_NGINX, "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf"))
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        ends = time.monotonic() + 60
        while not listens(port):
            assert process.poll() is None, "nginx has ended"
            assert time.monotonic() < ends, "nginx does not listen"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.kill()
        process.wait()


def is_lost(page: Page, end: Callable[[], object]) -> None:
    """Require that the page shows the lost connection in time after `end` has ended the service.

    The limit is longer by the time for which the computer did not run the page meanwhile.
    """
    page.evaluate(WATCH_LOSS)
    end()
    began = page.evaluate("performance.now()")
    page.locator("#connection-lost").wait_for()
    assert page.evaluate("window.lostAt - window.late") - began < LOST


def recovers(page: Page) -> None:
    """Require that the page connects again by itself, still signed in."""
    expect(page.locator("#connection-lost")).to_have_count(0)
    expect(page.locator(".connection.live")).to_have_count(1)
    expect(page.get_by_role("heading", name="Sign in")).to_have_count(0)


def test_pages_recover_after_a_kill_and_after_a_stop_of_the_service_also_behind_nginx(
    browser: Browser, tmp_path: Path
) -> None:
    served = Served(tmp_path / "data", free_port())
    served.start()
    try:
        with nginx(tmp_path, served.address.rstrip("/")) as proxy:
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.set_default_timeout(PATIENCE)
            first_start(page, served.link)
            cookies = [{**each, "url": proxy} for each in page.context.cookies()]
            behind = browser.new_context(viewport={"width": 360, "height": 740})
            behind.add_cookies(
                [{"name": each["name"], "value": each["value"], "url": proxy} for each in cookies]
            )
            phone = behind.new_page()
            phone.goto(f"{proxy}#/player")
            expect(phone.get_by_role("heading", name="The table is free")).to_be_visible()
            page.evaluate("location.hash = '#/player'")
            page.get_by_role("radio", name="Wenzhou mahjong").check()
            page.get_by_label("East").fill("Ann")
            page.get_by_role("button", name="Start").click()
            expect(phone.get_by_text("Wenzhou mahjong · Round 1")).to_be_visible()

            # The page can show the session before the store's thread has written it. That thread
            # also reads the sessions, after all earlier writes.
            sessions = page.request.get(f"{served.address}api/v1/sessions")
            assert "Wenzhou mahjong" in sessions.text()
            is_lost(page, lambda: served.end(signal.SIGKILL))
            phone.locator("#connection-lost").wait_for()
            keep(page, "connection_lost")
            keep(phone, "connection_lost_phone")
            served.start()
            for each in (page, phone):
                recovers(each)
                # The session of the evening has outlasted the process.
                expect(each.get_by_text(re.compile("Wenzhou mahjong · Round"))).to_be_visible()

            is_lost(phone, lambda: served.end(signal.SIGTERM))
            phone.wait_for_timeout(2500)
            served.start()
            # A page that has slept connects when it is seen again. `test_connection.py` tests, with
            # a clock that stands still, that it connects at once. Here the page may have connected
            # by itself before the event, because its next attempt was due.
            phone.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
            phone.locator("#connection-lost").wait_for(state="detached", timeout=PATIENCE)
            recovers(page)
            page.get_by_role("button", name="Pause").click()
            expect(phone.get_by_role("heading", name="Paused")).to_be_visible()
    finally:
        served.end(signal.SIGTERM)
