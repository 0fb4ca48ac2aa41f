"""Writes the pictures of the table in docs/images.

Command: `python -m tests.controller.web.panel.screenshots`.

The pictures show simulated rounds with fixed seeds; Chromium draws them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from config.loader import load_game, load_table
from controller.web.panel.geometry import geometry
from tests.controller.web.panel.browser import chromium, panel_files
from tests.controller.web.panel.recorded import recorded_round

IMAGES = Path(__file__).parents[4] / "docs/images"


class Shown(NamedTuple):
    """One table in a picture: its round, and the time as seconds after an event."""

    game: str
    table: str
    event: str
    after: float
    theme: str = "light"
    options: tuple[str, ...] = ()


PICTURES: dict[str, tuple[int, tuple[Shown, ...]]] = {
    "picture_deal.png": (
        520,
        (
            Shown("wenzhou", "robotic", "dice_thrown", 12.6),
            Shown("wenzhou", "robotic", "settled", 1, "dark", ("--play",)),
        ),
    ),
    "picture_games.png": (
        400,
        (
            Shown("pai_gow", "pai_gow", "choice_made", 5.2, "light", ("--cut", "chee_yee")),
            Shown("filipino", "robotic", "tile_turned_up", 30, "dark"),
            Shown("draw", "robotic", "settled", 1, "light", ("--play",)),
        ),
    ),
    "picture_phone.png": (
        360,
        (
            Shown("wenzhou", "classic", "dice_thrown", 25.5),
            Shown(
                "wenzhou",
                "robotic",
                "operator_prompted",
                0.5,
                "dark",
                ("--fault", "jam:head2#30~9"),
            ),
        ),
    ),
}
"""The pictures: the width of each table in pixels, and the tables from left to right."""

PAGE = """<!doctype html><meta charset="utf-8"><title>pictures</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/scene/scene.css">
<style>body { margin: 0; display: inline-flex; gap: 8px; padding: 8px; background: #d9ddd7; }
.themed { color-scheme: light; }</style>"""

MOUNT = """async ([geometry, events, time, theme, width]) => {
  const { mountTable } = await import("/scene/table_scene.js");
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: ${width}px; border: 0`;
  document.body.append(frame);
  const inner = frame.contentDocument;
  inner.documentElement.dataset.theme = theme;
  const style = inner.createElement("link");
  Object.assign(style, { rel: "stylesheet", href: "/scene/scene.css" });
  inner.head.append(style);
  await new Promise((done) => (style.onload = done));
  inner.body.style.margin = 0;
  inner.body.style.background = theme === "dark" ? "#15191b" : "#eef1ec";
  const scene = mountTable(inner.body, geometry, {});
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  scene.seek(events, time);
}"""

SHEET = """async () => {
  const { tileSvg, facesOf } = await import("/scene/faces/tile_faces.js");
  document.body.style.cssText =
    "margin: 0; padding: 10px; width: 860px; background: #e6eae5; display: block";
  const sets = {
    mahjong: "mahjong", dominoes: "dominoes", chinese_dominoes: "Chinese dominoes", cards: "cards",
  };
  for (const [kind, title] of Object.entries(sets)) {
    for (const [size, width] of [["large", 38], ["24 px wide", 24]]) {
      const row = document.createElement("div");
      row.innerHTML = `<p style="margin: 6px 0 3px; font: 13px sans-serif">${title}, ${size}</p>` +
        `<div style="display: flex; flex-wrap: wrap; gap: 4px">` +
        facesOf(kind).map((face) =>
          `<span style="width: ${width}px">${tileSvg(face, kind)}</span>`).join("") + "</div>";
      for (const svg of row.querySelectorAll("svg")) svg.style.display = "block";
      document.body.append(row);
    }
  }
}"""


def main() -> None:
    """Write every picture."""
    with panel_files() as address, chromium() as browser:
        for name, (width, tables) in PICTURES.items():
            page = _opened(browser, address)
            for shown in tables:
                _mount(page, shown, width)
            page.locator("body").screenshot(path=IMAGES / name)
            page.close()
        page = _opened(browser, address)
        page.evaluate(SHEET)
        page.locator("body").screenshot(path=IMAGES / "tile_set.png")


def _opened(browser: Browser, address: str) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(address)
    page.set_content(PAGE)
    return page


def _mount(page: Page, shown: Shown, width: int) -> None:
    events = recorded_round(shown.game, shown.table, *shown.options)
    begin = next(float(str(event["t"])) for event in events if event["event"] == shown.event)
    drawn = geometry(load_table(shown.table), load_game(shown.game))
    data = json.loads(drawn.model_dump_json())
    page.evaluate(MOUNT, [data, list(events), begin + shown.after, shown.theme, width])


if __name__ == "__main__":
    main()
