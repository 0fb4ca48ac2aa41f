"""Opens pages in Chromium for the tests of the picture."""

from __future__ import annotations

import asyncio
import base64
import http.server
import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from controller.web.panel.scene_geometry import TableGeometry

STATIC = Path(__file__).parents[4] / "controller/web/panel/static"
CHROMIUM = "/usr/bin/chromium-headless-shell"
"""Debian's Chromium without the parts that need a screen: it takes a quarter less time."""
SCREENSHOTS = os.environ.get("WALLWRIGHT_SCREENSHOTS")
"""The folder into which tests write screenshots of what they show, if it is set."""
PATIENCE = 60_000
"""Milliseconds for which a test waits for a page: a busy computer needs several seconds."""
WIDE = 1280
"""Pixels; screenshots of wider windows are scaled down to this width."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BLANK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>picture</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/scene/scene.css">
<style>body { margin: 0; }</style><main id="table"></main>"""

WATCH_LOSS = """() => {
  new MutationObserver(() => {
    if (document.getElementById("connection-lost")) window.lostAt ??= performance.now();
  }).observe(document.body, { childList: true, subtree: true });
  window.late = 0;
  const watch = (repeat) => {
    let looked = performance.now();
    const look = () => {
      window.late = Math.max(window.late, performance.now() - looked);
      looked = performance.now();
      repeat(look);
    };
    repeat(look);
  };
  watch((look) => setTimeout(look, 10));
  watch(requestAnimationFrame);
}"""
"""Records in the page, in milliseconds, when the banner of a lost connection appears (`lostAt`),
and the longest time for which the page ran no timer or drew no frame (`late`). The page shows a
change of its state in the next frame, so that a late frame also makes the banner late."""


expect.set_options(timeout=PATIENCE)


class _Files(http.server.SimpleHTTPRequestHandler):
    """Serves the panel's files, and a page with the picture's style at `/`."""

    def do_GET(self) -> None:
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(BLANK.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Print nothing."""


@contextmanager
def panel_files() -> Iterator[str]:
    """Serve the panel's static files on this computer; yields the address."""
    handler = partial(_Files, directory=str(STATIC))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium with a new profile."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class SharedChromium:
    """One Chromium for all files of tests of a process: each start takes 1 s of processor time.

    Playwright's event loop counts as running in this thread until the driver ends. Between two
    loans it does not, so that other tests can run loops of their own.
    """

    def __init__(self) -> None:
        self._started = ExitStack()
        self._browser: Browser | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def lent(self) -> Iterator[Browser]:
        """Lend the browser without any page; at the end, all its pages are closed."""
        asyncio._set_running_loop(self._loop)
        if self._browser is None or not self._browser.is_connected():
            self.close()
            self._browser = self._started.enter_context(chromium())
            self._loop = asyncio.get_running_loop()
        try:
            yield self._browser
        finally:
            if self._browser.is_connected():
                for context in self._browser.contexts:
                    context.close()
            asyncio._set_running_loop(None)

    def close(self) -> None:
        """End the browser, if it runs."""
        asyncio._set_running_loop(self._loop)
        self._started.close()
        asyncio._set_running_loop(None)
        self._browser = self._loop = None


def mount(page: Page, address: str, geometry: TableGeometry, **options: Any) -> None:
    """Mount the picture of a table as `scene` of the page; it stands still by itself."""
    page.goto(address)
    page.evaluate(
        """async ([geometry, options]) => {
          const { mountTable } = await import("/scene/table_scene.js");
          window.scene = mountTable(document.getElementById("table"), geometry, options);
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }""",
        [json.loads(geometry.model_dump_json()), options],
    )


def seek(page: Page, events: Sequence[dict[str, object]], time: float) -> None:
    """Show recorded events at a time of the table."""
    page.evaluate("([events, time]) => scene.seek(events, time)", [list(events), time])


def keep(page: Page, name: str) -> None:
    """Write a screenshot of the window as `panel_NAME.png`, if a folder for them is given."""
    if not SCREENSHOTS:
        return
    page.wait_for_timeout(700)
    size = page.viewport_size
    assert size is not None
    scale = min(1.0, WIDE / size["width"])
    left, top = page.evaluate("[scrollX, scrollY]")
    clip = {"x": left, "y": top, "width": size["width"], "height": size["height"], "scale": scale}
    session = page.context.new_cdp_session(page)
    shot = session.send("Page.captureScreenshot", {"format": "png", "clip": clip})
    (Path(SCREENSHOTS) / f"panel_{name}.png").write_bytes(base64.b64decode(shot["data"]))
