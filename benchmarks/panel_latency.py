"""Measures the time from a sensor's edge in the plant to the pixel in the browser, at real speed.

The edges are those of the heads' counters: the controller counts a tile, publishes the status, and
the page writes the head's count into the picture. The page notes the time of the frame after the
text has changed. Both clocks are those of this computer. Chromium is
/usr/bin/chromium-headless-shell.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks import Row
from config.loader import load_table
from controller.run.assembly import Hardware
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.store_thread import ImmediateStore
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.openers import SimulatedTable
from controller.service.settings import ServiceSettings
from controller.service.status import GameChoice, TableFacts
from controller.service.table_service import ClientPort, TableService
from controller.web.api.server.serving import serve_api
from controller.web.panel.pages import panel_app
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.host_computer import SlowDisk
from tests.controller.web.panel.browser import chromium

SECONDS = 60.0
"""Real seconds of the measurement; a set is built in about 25."""
GOAL_MS = 100.0
TABLE = "robotic"

WATCH = """() => {
  window.seen = [];
  const counts = new Map();
  const look = () => {
    for (const head of document.querySelectorAll(".scene-head")) {
      const text = head.textContent;
      if (counts.get(head) !== text) {
        counts.set(head, text);
        const at = performance.timeOrigin + performance.now();
        if (text) window.seen.push([text, at]);
      }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
"""Reads the counts after each frame was prepared; the next frame has drawn them."""


@dataclass
class _Measured:
    """The edges of the counters: the number of each head's tile, and the time in milliseconds."""

    edges: list[tuple[str, int, float]] = field(default_factory=list)
    address: str = ""
    ready: threading.Event = field(default_factory=threading.Event)


class _WatchedTable(SimulatedTable):
    """A simulated table that notes the time of every edge of the heads' counters."""

    measured: _Measured

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        hardware = super().__call__(game, guide)
        assert hardware.plant is not None
        heads = self.table.modules.heads
        assert heads is not None
        counters = {head.counter for head in heads.ports}
        world, numbers = hardware.plant.world, dict.fromkeys(counters, 0)
        sense = world.sense

        def watched(channel: str, active: bool, *others: Any) -> None:
            if channel in counters and active:
                numbers[channel] += 1
                self.measured.edges.append((channel, numbers[channel], time.time() * 1000))
            sense(channel, active, *others)

        object.__setattr__(world, "sense", watched)
        return hardware


def main() -> Iterator[Row]:
    """Build a set while the page is open; yield the median and the 95th percentile."""
    measured = _Measured()
    serving = threading.Thread(target=_serve, args=(measured,), daemon=True)
    serving.start()
    assert measured.ready.wait(30)
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(measured.address)
        page.fill("input[name=user]", "Tess")
        for name in ("password", "again"):
            page.fill(f"input[name={name}]", "a long password")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Enter service mode").wait_for()
        page.evaluate("location.hash = '#/player'")
        page.wait_for_selector(".scene-head", state="attached", timeout=20_000)
        page.evaluate(WATCH)
        page.wait_for_timeout(SECONDS * 1000)
        seen: list[tuple[str, float]] = page.evaluate("window.seen")
    delays = _delays(measured.edges, seen)
    yield Row(
        f"from a counter's edge to the pixel, {len(delays)} tiles",
        f"median {median(delays):.0f} ms, 95th percentile {quantiles(delays, n=20)[-1]:.0f} ms",
        f"median at most {GOAL_MS:.0f} ms",
        median(delays) <= GOAL_MS,
    )


def _delays(edges: list[tuple[str, int, float]], seen: list[tuple[str, float]]) -> list[float]:
    """Milliseconds from the n-th edge of any head to the first pixel that shows its number."""
    delays = []
    for number in sorted({number for _, number, _ in edges}):
        at = sorted(time_ for _, each, time_ in edges if each == number)
        shown = sorted(when for text, when in seen if text.startswith(f"{number}/"))
        # Every head has the same share; the heads reach a number in the order of their edges.
        delays += [when - edge for edge, when in zip(at, shown, strict=False) if when >= edge]
    return delays


def _serve(measured: _Measured) -> None:
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(1.0)) as runner:
        runner.run(_service(measured))


async def _service(measured: _Measured) -> None:
    table = load_table(TABLE)
    store = EveningStore(None)
    opener = _WatchedTable(table, 1)
    opener.measured = measured
    service = TableService(
        table,
        TableFacts(name=TABLE, seats=4, simulated=True, software="benchmark"),
        opener,
        store,
        ImmediateStore(store),
        ServiceSettings(
            storage=SlowDisk,
            automatic=True,
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        async with serve_api(
            ClientPort(service), Path(folder), "127.0.0.1:0", panel=panel_app(), table=table
        ) as served:
            measured.address = served.first_start or ""
            game = service.run.plan(GameChoice(game="wenzhou"))
            asyncio.get_running_loop().call_later(8.0, service.runs.begin_session, game, {})
            measured.ready.set()
            asyncio.get_running_loop().call_later(SECONDS + 20, service.stop)
            await service.serve()


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
