"""The picture shows what the table holds: each phase of two rounds, compared with the plant."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from config.loader import load_game, load_table
from controller.web.panel.geometry import geometry
from controller.web.panel.scene_geometry import TableGeometry
from firmware_bridge.sim.plant.machine import Plant
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.web.panel.browser import SharedChromium, mount, panel_files
from tests.controller.web.panel.real_table import ObservedTable

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

EVERY = 0.9
"""Seconds between two comparisons; no phase of a round is shorter."""
PLAYING = 15.0
"""Seconds between two comparisons while a hand is played and a set waits below."""
LIFTED = 2
"""Tiles that a head lifts before the table reports them: those of one stack."""
PUSHED = 2
"""Stacks by which a tray may be drawn ahead: one that the table has just reported, and the one
before it. Its tiles travel 0.1 s and are pushed for 0.5 s, the next stack is lifted in 0.56 s."""
NEAR = 1.5
"""Millimetres by which a tile may be drawn beside its place."""
LEVEL = 5.5
"""Millimetres by which each level is drawn further up."""

READ = """(moments) => moments.map(({ events, status }) => {
  events.forEach((event) => scene.event(event));
  scene.update(status);
  const all = (query) => [...document.querySelectorAll(query)];
  const text = (query) => document.querySelector(query)?.textContent ?? "";
  return {
    drum: Number(text(".scene-drum-count")),
    lid: Boolean(document.querySelector(".scene-lid.is-open")),
    ready: Boolean(document.querySelector(".scene-ready.is-on")),
    heads: all(".scene-head .scene-count").map((head) => head.textContent),
    trays: all(".scene-tray").map((tray) =>
      [...tray.children].filter((each) => each.getAttribute("visibility") === "visible").length),
    tiles: all(".scene-tile").filter((tile) => tile.getAttribute("opacity") !== "0").map((tile) => {
      const [, x, y] = /translate\\((\\S+) (\\S+)\\)/.exec(tile.getAttribute("transform"));
      return [Number(x), Number(y), tile.dataset.face ?? ""];
    }),
    dice: all(".scene-dice [data-face]").map((die) => Number(die.dataset.face)),
    indicator: document.querySelector(".scene-indicator").getAttribute("visibility") === "visible",
  };
})"""
"""Shows the events and the status of each moment, and returns what the picture then shows."""


@dataclass
class Truth:
    """What the plant holds at one moment; None for what moves."""

    phase: tuple[str, str]
    drum: int
    lid: bool | None
    ready: bool
    heads: list[int]
    trays: list[int]
    walls: list[tuple[float, float, str]] | None
    """Tiles on the felt before no seat: where they have to be drawn, and the face that is up."""
    hands: dict[int, int]
    thrown: tuple[int, ...]


@dataclass
class Moment:
    """The events since the last moment, the status, and the truth."""

    events: list[dict[str, Any]]
    status: dict[str, Any]
    truth: Truth


@dataclass
class Watched:
    """Moments of a run."""

    moments: list[Moment] = field(default_factory=list)
    thrown: tuple[int, ...] = ()


def truth_of(
    plant: Plant, status: Any, thrown: tuple[int, ...], lamps: dict[str, int], *, carrying: bool
) -> Truth:
    """What the plant holds now; `carrying` says whether the gantry is about to move tiles."""
    assert plant.drum is not None and plant.lid is not None and plant.gantry is not None
    modules = plant.table.modules
    assert modules.heads is not None and modules.ready is not None
    coming = [len(head.uncounted) for head in plant.heads]
    # A lift that has left its tray and is not up yet carries the stacks of the tray.
    below = [
        sum(map(len, tray.stacks if tray._slide.at_far else tray.all_stacks))
        for tray in plant.trays
    ]
    heads = [
        sum(below[tray] for tray in port.trays)
        + sum(len(holder.tiles) for holder in head.holders)
        - len(head.uncounted)
        for port, head in zip(modules.heads.ports, plant.heads, strict=True)
    ]
    still = not carrying and all(t._slide.at_far or t._slide.at_near for t in plant.trays)
    walls, hands = [], Counter[int]()
    for pillar in plant.felt.pillars:
        seat = plant.field.seat_at(pillar.spot, plant.felt.seats)
        for step, tile in enumerate(pillar.tiles):
            if seat is not None:
                hands[seat] += 1
                continue
            y = -1000 * pillar.spot.y - LEVEL * (pillar.base + step)
            walls.append((1000 * pillar.spot.x, y, tile.face if tile.up else ""))
    lid = plant.lid._slide
    return Truth(
        (status.machine.under, status.machine.top),
        len(plant.drum.well.tiles) + sum(coming),
        lid.at_far if lid.at_far or lid.at_near else None,
        bool(lamps.get(modules.ready)),
        heads,
        below,
        walls if still else None,
        dict(hands),
        thrown,
    )


def watched(game: str, rounds: int) -> Watched:
    """Watch a robotic table from its start to the end of some rounds."""
    found = Watched()
    opened: list[ObservedTable] = []

    def opener(*given: Any) -> ObservedTable:
        opened.append(ObservedTable(*given))
        return opened[-1]

    async def scenario(guests: Guests) -> None:
        events: list[dict[str, Any]] = []
        lamps: dict[str, int] = {}
        carrying = False
        guests.service.listen(events.append)  # type: ignore[arg-type]
        await guests.give("start_session", choice={"game": game})
        await guests.until(lambda status: status.machine.mode == "going")
        plant = opened[0].plant
        plant.output_observers.append(lamps.__setitem__)
        while guests.status.session is None or guests.status.session.rounds < rounds:
            machine = guests.status.machine
            waits = (machine.under, machine.top) == ("staged", "playing")
            await asyncio.sleep(PLAYING if waits else EVERY)
            for event in events:
                if event["event"] == "dice_thrown":
                    found.thrown = tuple(event["dice"])
                if event["event"] in ("move", "delivered", "step", "tile_turned_up"):
                    # The picture shows the end of a move as soon as it begins.
                    carrying = event["event"] == "move"
            status = guests.status
            truth = truth_of(plant, status, found.thrown, lamps, carrying=carrying)
            found.moments.append(Moment(events[:], status.model_dump(mode="json"), truth))
            events.clear()

    with ThreadPoolExecutor(1) as apart:  # Playwright's event loop runs in this thread.
        apart.submit(at_a_table, scenario, opener=opener).result()
    return found


def seat_of(shown: TableGeometry, x: float, y: float) -> int | None:
    """The seat in whose rows a tile is drawn."""
    for seat in shown.seats:
        beside, ahead = (
            (x - seat.x, -y - seat.y) if seat.side % 2 == 0 else (-y - seat.y, x - seat.x)
        )
        if abs(beside) <= seat.half + 0.01 and abs(ahead) <= 0.065:
            return seat.seat
    return None


def differences(truth: Truth, drawn: dict[str, Any], shown: TableGeometry) -> list[str]:
    """What the picture shows otherwise than the plant holds it."""
    under, top = truth.phase
    wrong = []

    def compare(what: str, holds: object, shows: object) -> None:
        if holds != shows:
            wrong.append(f"{what}: the table has {holds}, the picture {shows}")

    building = under == "building"
    counted = [int(each.split("/")[0] or 0) for each in drawn["heads"]]
    behind = [have - shows for have, shows in zip(truth.heads, counted, strict=True)]
    if building and not all(0 <= each <= LIFTED for each in behind):
        wrong.append(f"heads: the table has {truth.heads}, the picture {counted}")
    if under != "gathering":  # the table does not see which tiles people have pushed in
        compare("drum", truth.drum + (sum(behind) if building else 0), drawn["drum"])
    if truth.lid is not None:
        compare("lid", truth.lid, drawn["lid"])
    compare("ready lamp", truth.ready, drawn["ready"])
    if truth.walls is None:
        return wrong
    stacks = [math.ceil(tiles / 2) for tiles in truth.trays]
    pushing = [shows - have for have, shows in zip(stacks, drawn["trays"], strict=True)]
    if any(pushing) and not (building and all(-1 <= each <= PUSHED for each in pushing)):
        wrong.append(f"trays: the table has {stacks} stacks, the picture {drawn['trays']}")
    if top in ("collecting", "clear"):
        return wrong
    tiles = [(x, y, face) for x, y, face in drawn["tiles"]]
    hands = Counter(seat_of(shown, x / 1000, y / 1000) for x, y, _ in tiles)
    compare(
        "hands", truth.hands, {s: n for s, n in sorted(hands.items(), key=str) if s is not None}
    )
    standing = [tile for tile in tiles if seat_of(shown, tile[0] / 1000, tile[1] / 1000) is None]
    for x, y, face in truth.walls:
        at = [t for t in standing if abs(t[0] - x) < NEAR and abs(t[1] - y) < NEAR]
        if [t[2] for t in at] != [face]:
            wrong.append(f"at {x:.0f} {y:.0f}: the table has {face or 'a back'}, the picture {at}")
    compare("walls", len(truth.walls), len(standing))
    if top == "playing":
        compare("dice", list(truth.thrown), drawn["dice"])
    return wrong


def test_the_picture_shows_what_the_plant_holds_in_every_phase_of_two_rounds(
    shared_chromium: SharedChromium,
) -> None:
    shown = geometry(load_table("robotic"), load_game("wenzhou"))
    found = watched("wenzhou", rounds=2)
    with panel_files() as address, shared_chromium.lent() as browser:
        page = browser.new_page()
        mount(page, address, shown, reducedMotion=True)
        moments = [{"events": each.events, "status": each.status} for each in found.moments]
        drawn = page.evaluate(READ, moments)
    wrong = Counter[tuple[tuple[str, str], str]]()
    for moment, picture in zip(found.moments, drawn, strict=True):
        for each in differences(moment.truth, picture, shown):
            wrong[moment.truth.phase, each] += 1
    phases = Counter(each.truth.phase for each in found.moments)
    assert not wrong, "\n".join(
        f"{count} times {at}: {each}" for (at, each), count in wrong.items()
    )
    assert {under for under, _ in phases} >= {"gathering", "shuffling", "building", "staged"}
    assert {top for _, top in phases} >= {"clear", "raising", "dealing", "playing", "collecting"}
