"""Measures the work of the page's main thread for one frame of the picture of the table.

All 304 tiles move in every frame, which is more than any table does: a real deal moves at most four
tiles and one hand. The times are those of the thread itself (Chromium's `threadTicks`), so that
other work of the computer does not count. Chromium is
/usr/bin/chromium-headless-shell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import Row
from config.loader import load_game, load_table
from controller.web.panel.geometry import geometry
from controller.web.panel.scene_geometry import PlaceSlot, TableGeometry
from tests.controller.web.panel.browser import chromium, mount, panel_files

TILES = 304
FRAMES = 300
SCRIPT_MS = 1.0
"""The goal for the picture's script in one frame, milliseconds."""

MEASURE = """async (frames) => {
  const events = [
    { t: 0, event: "state", under: "idle", top: "raising" },
    { t: 3, event: "walls_raised", set: 0 },
    { t: 6, event: "state", under: "idle", top: "collecting" },
  ];
  let frame = 0;
  await new Promise((done) => {
    const draw = () => {
      scene.seek(events, 6 + 0.5 * ((frame % 100) + 1) / 100);
      frame += 1;
      if (frame < frames) requestAnimationFrame(draw);
      else done();
    };
    requestAnimationFrame(draw);
  });
}"""
"""Draws frames of the collection, in which every tile slides to the middle."""


def many_tiles(count: int) -> TableGeometry:
    """The geometry of a table with this number of tiles in concentric walls."""
    shown = geometry(load_table("robotic"), load_game("wenzhou"))
    slots: dict[str, PlaceSlot] = {}
    walls = list(shown.slots.values())
    for number in range(count):
        slot = walls[number % len(walls)]
        scale = 1 - 0.3 * (number // len(walls))
        place = f"w{slot.turn}.{number % 19 + 1}{number}"
        slots[place] = slot.model_copy(update={"x": slot.x * scale, "y": slot.y * scale})
    return shown.model_copy(update={"slots": slots})


def main() -> Iterator[Row]:
    """Let all tiles be collected; yield the milliseconds of one frame."""
    with panel_files() as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 900, "height": 900})
        mount(page, address, many_tiles(TILES), reducedMotion=False)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        before = _figures(session)
        page.evaluate(MEASURE, FRAMES)
        after = _figures(session)

    def each(key: str) -> float:
        return 1000 * (after[f"{key}Duration"] - before[f"{key}Duration"]) / FRAMES

    script = each("Script")
    yield Row(
        f"script of the picture in one frame, {TILES} tiles move",
        f"{script:.2f} ms (mean of {FRAMES} frames)",
        f"at most {SCRIPT_MS} ms",
        script <= SCRIPT_MS,
    )
    yield Row(
        "style and layout in the same frame", f"{each('RecalcStyle') + each('Layout'):.2f} ms"
    )


def _figures(session: Any) -> dict[str, float]:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return {each["name"]: float(each["value"]) for each in metrics}
