"""Tests rounds on the table with a magazine: its order, its faults, and hosts that stop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from controller.cli import main
from controller.events import Event, EventLog
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.run.assembly import Hardware
from controller.run.chance.verification import verify_chance
from controller.run.daemon import Daemon
from controller.run.faults.failures import Fault
from controller.run.rounds.sorted_build import POCKETS
from controller.run.stations.magazine import MagazineStation
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.below_lid.magazine import Magazine
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.tiles import Tile
from tests.controller.table_with_faults import Evening, evening
from tests.sorted_table import SORTED, TILES

BUILD = (20.0, 100.0)
"""Times between which the first set is loaded and built, seconds."""


@pytest.fixture
def came(monkeypatch: pytest.MonkeyPatch) -> list[Tile]:
    """The tiles in the order in which they left the drum."""
    tiles: list[Tile] = []
    pick = Drum.pick

    def picked(drum: Drum, wheel: int) -> Tile:
        tiles.append(pick(drum, wheel))
        return tiles[-1]

    monkeypatch.setattr(Drum, "pick", picked)
    return tiles


def stacked(plant: Plant) -> list[Tile]:
    """Return the tiles of the built pile in the order in which they were stacked."""
    return [tile for tray in plant.trays for stack in tray.all_stacks for tile in stack]


def play(*faults: str) -> Evening:
    """Play one round on the table with a magazine and these injected faults."""
    return evening(*faults, table=str(SORTED), game="pai_gow", until_ready=False)


def play_and_look(piles: list[list[Tile]]) -> Evening:
    """Play one round; add its pile to `piles` as soon as it is built."""

    async def look(_: Daemon, hardware: Hardware, events: EventLog) -> None:
        def built(event: Event) -> None:
            if event.get("under") == "staged" and not piles and hardware.plant is not None:
                piles.append(stacked(hardware.plant))

        events.listen(built)
        await asyncio.Event().wait()

    return evening(table=str(SORTED), game="pai_gow", until_ready=False, meanwhile=look)


def order_of(played: Evening) -> tuple[int, ...]:
    """Return the drawn order in the verified record of the round."""
    record = next(event["record"] for event in played.events if event["event"] == "chance_revealed")
    verdict = verify_chance(record)
    assert verdict.is_verified, verdict.reason
    (order,) = (choice for choice in verdict.choices if choice.request.name == POCKETS)
    assert sorted(order.value) == list(range(TILES))
    return order.value


Lift = Callable[[MagazineStation, int], Awaitable[int]]


def slowly(lift: Lift) -> Lift:
    """Return a `lift` that waits a second before each tile."""

    async def lifted(station: MagazineStation, tiles: int) -> int:
        for _ in range(tiles):
            await asyncio.sleep(1.0)
            await lift(station, 1)
        return tiles

    return lifted


def test_the_pile_is_stacked_in_the_order_of_the_revealed_draw(came: list[Tile]) -> None:
    piles: list[list[Tile]] = []
    order = order_of(play_and_look(piles))
    assert order != tuple(range(TILES))
    assert piles[0] == [came[pocket] for pocket in order]


@pytest.mark.parametrize(
    ("fault", "code", "helped"),
    [
        pytest.param("held_tile:magazine#5", "MAGAZINE", False, id="a tile that hangs once"),
        pytest.param("held_tile:magazine#9~9", "MAGAZINE", True, id="a tile that hangs for long"),
        pytest.param("dirty_sensor:magazine_vane#40~1.5", "MAGAZINE", False, id="a dirty vane"),
        pytest.param("bouncing_sensor:magazine_vane#40", "MAGAZINE", False, id="a bouncing vane"),
        pytest.param("stuck_sensor:magazine_home#3", "MAGAZINE", True, id="a stuck home switch"),
        pytest.param("stuck_sensor:ejector_withdrawn#8", "MAGAZINE", True, id="a stuck ejector"),
        pytest.param("jam:head0#9~1", "JAM", False, id="a jam on the way into a pocket"),
        pytest.param("jam:head0#9~99", "JAM", True, id="a jam that a person clears"),
        pytest.param("double_feed:head0#6", "MISSING_TILE", True, id="two tiles in one pocket"),
    ],
)
def test_a_fault_of_the_magazine_is_cured_and_the_round_is_played(
    fault: str, code: str, helped: bool
) -> None:
    played = play(fault)
    assert played.fault is None
    assert (code in {str(each) for _, each, _ in played.fault_events}) is True
    asked = [each for event, each, _ in played.fault_events if event == "operator_prompted"]
    assert bool(asked) is helped, played.fault_events
    assert sum(played.census.values()) == TILES


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        pytest.param("stuck_sensor:magazine_passed#7", Fault.MAGAZINE, id="stuck"),
        pytest.param("bouncing_sensor:magazine_passed#7", Fault.UNPROVEN, id="bouncing"),
    ],
)
def test_a_false_sensor_below_the_magazine_stops_the_table_before_a_wrong_order_is_played(
    fault: str, code: Fault
) -> None:
    played = play(fault)
    assert played.fault is not None
    assert (played.fault.fault, played.fault.part) == (code, "magazine")
    assert not played.when(event="ready")
    assert sum(played.census.values()) == TILES


def run_hosts(
    folder: Path, kills: Sequence[float] = (), stroke: int = 0
) -> tuple[SurvivingTable, int, list[str]]:
    """Play until ready with a host that is killed at each of these times; also its draws.

    In the middle of the `stroke` of this number, the emergency stop is pressed for two seconds and
    the host is killed.
    """

    async def scenario() -> tuple[SurvivingTable, int, list[str]]:
        place = SurvivingTable(str(SORTED), "pai_gow", 7, answers={"cut": "four_across"})
        loop, strokes = asyncio.get_running_loop(), 0

        def stop() -> None:
            place.plant.emergency_stop(True)
            loop.call_later(2.0, place.plant.emergency_stop, False)
            place.kill()

        def observe(channel: str, value: int) -> None:
            nonlocal strokes
            if channel == "ejector" and value:
                strokes += 1
                if strokes == stroke:
                    loop.call_later(0.1, stop)

        place.plant.output_observers.append(observe)
        for at in kills:
            loop.call_at(at, place.kill)
        path, hosts = folder / "table.journal", 0
        while True:
            hosts += 1
            if await place.run_host(path, until_ready=True) is not None:
                break
            await asyncio.sleep(3.0)
        entries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        notes = [entry["content"] for entry in entries if entry["kind"] == "note"]
        return place, hosts, [note["drawn"] for note in notes if "drawn" in note]

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        return runner.run(scenario())


def hands(place: SurvivingTable) -> dict[int, list[int]]:
    """Return the numbers of the tiles at each seat."""
    return {seat: [tile.number for tile in hand] for seat, hand in place.plant.hands().items()}


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3, 4))])
def test_R4_a_host_that_stops_in_the_middle_of_a_sorted_build_repeats_no_draw_and_loses_no_tile(
    tmp_path: Path, seed: int
) -> None:
    for folder in ("whole", "broken"):
        (tmp_path / folder).mkdir()
    undisturbed, hosts, drawn = run_hosts(tmp_path / "whole")
    assert (hosts, len(drawn)) == (1, 1)
    chance = Random(seed)
    kills = sorted(chance.uniform(*BUILD) for _ in range(8))
    disturbed, hosts, again = run_hosts(tmp_path / "broken", kills)
    assert hosts > 4
    assert not [event for event in disturbed.events if event["event"] == "fault"]
    assert again == drawn, "the order is drawn once"
    assert hands(disturbed) == hands(undisturbed)
    assert sum(disturbed.plant.census().values()) == TILES


def test_a_carousel_that_a_person_has_turned_is_counted_from_its_home_switch_again(
    came: list[Tile], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand, between two turns of the station: the vane counts it, and no drive does."""
    piles: list[list[Tile]] = []
    strike, strokes = Magazine._strike, 0

    def turned(magazine: Magazine, on: bool) -> None:
        nonlocal strokes
        strokes += on
        strike(magazine, on)
        if strokes == 9 and not on:
            strokes += 1
            magazine._ring.drive(1)
            magazine._world.loop.call_later(3 * magazine._module.step, magazine._ring.drive, 0)

    monkeypatch.setattr(Magazine, "_strike", turned)
    monkeypatch.setattr(MagazineStation, "lift", slowly(MagazineStation.lift))
    played = play_and_look(piles)
    assert played.fault is None
    assert piles[0] == [came[pocket] for pocket in order_of(played)]


def test_R5_a_stroke_that_an_emergency_stop_ends_is_completed_by_the_next_host(
    tmp_path: Path,
) -> None:
    for folder in ("whole", "broken"):
        (tmp_path / folder).mkdir()
    undisturbed, _, drawn = run_hosts(tmp_path / "whole")
    disturbed, hosts, again = run_hosts(tmp_path / "broken", stroke=12)
    assert hosts == 2
    assert not [event for event in disturbed.events if event["event"] == "fault"]
    assert again == drawn
    assert hands(disturbed) == hands(undisturbed)


def test_the_selftest_tries_the_carousel_and_the_ejector(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["selftest", "--sim", "--yes", "--table", str(SORTED)]) == 0
    lines = " ".join(capsys.readouterr().out.split())
    assert "magazine of magazine: magazine_home and magazine_vane became active in turn" in lines
    assert "ejector of magazine: ejector_withdrawn gave an edge after 0.30 s" in lines


def test_a_plan_prints_the_time_of_a_drawn_order(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["plan", "pai_gow", "--table", str(SORTED), "--throw", "1,2,3", "--json"]
    assert main(command) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["magazine"] == {"shuffle": "sorted", "seconds": 39.856, "turning": 21.12}
