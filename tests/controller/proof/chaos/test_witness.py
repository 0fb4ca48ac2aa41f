"""Tests that each check of the module `witness` reports the wrong state that it looks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.events import Event
from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.proof.chaos.scenarios import evening_of, pairs_of
from controller.proof.chaos.witness import (
    census_errors,
    deliveries_as_planned,
    hands_as_planned,
    one_outcome_each,
    setup_as_recorded,
    throws_as_recorded,
)
from controller.run.daemon import Daemon
from controller.run.journal import Entry
from controller.run.journal.notes import ShakesBefore
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.plant.machine import Plant
from tests.quick import slow_except


def ready_table(path: Path, look: Callable[[SurvivingTable, Daemon], None]) -> None:
    """Run a simulated table until it is ready to play, then call `look` with it."""

    async def main() -> None:
        table = SurvivingTable("robotic", "block", 3)
        ended = await table.run_host(path / "journal", until_ready=True)
        assert ended is not None
        look(table, ended[0])

    run(main())


def hands(plant: Plant, daemon: Daemon) -> list[str]:
    assert daemon.deal is not None
    return hands_as_planned(plant, daemon.deal.setup, daemon.deal.staging)


@pytest.mark.slow
def test_a_table_without_faults_has_no_findings(tmp_path: Path) -> None:
    def look(table: SurvivingTable, daemon: Daemon) -> None:
        assert hands(table.plant, daemon) == []
        assert census_errors(table.plant) == []

    ready_table(tmp_path, look)


def test_two_exchanged_tiles_are_reported(tmp_path: Path) -> None:
    def look(table: SurvivingTable, daemon: Daemon) -> None:
        felt = table.plant.felt
        one, other = (felt.hands()[seat][0] for seat in (0, 1))
        felt.put_before(1, [felt.lift(one)])
        felt.put_before(0, [felt.lift(other)])
        wrong = hands(table.plant, daemon)
        assert [sentence.split(" holds")[0] for sentence in wrong] == ["Seat 0", "Seat 1"]

    ready_table(tmp_path, look)


@pytest.mark.slow
def test_a_tile_of_the_boneyard_in_a_hand_is_reported(tmp_path: Path) -> None:
    def look(table: SurvivingTable, daemon: Daemon) -> None:
        felt = table.plant.felt
        held = {tile.number for hand in felt.hands().values() for tile in hand}
        left = next(tile for tile in felt.tiles if tile.number not in held)
        felt.put_before(2, [felt.lift(left)])
        assert len(hands(table.plant, daemon)) == 1

    ready_table(tmp_path, look)


def test_a_lost_tile_is_reported(tmp_path: Path) -> None:
    def look(table: SurvivingTable, daemon: Daemon) -> None:
        felt = table.plant.felt
        felt.lift(felt.hands()[0][0])
        assert census_errors(table.plant)[0].startswith("The census of the plant failed: ")

    ready_table(tmp_path, look)


@pytest.mark.parametrize(
    "damage", slow_except(["swapped"], ["twice", "skipped", "astray", "swapped"])
)
def test_a_delivery_event_that_differs_from_the_plan_is_reported(
    damage: str, tmp_path: Path
) -> None:
    def look(table: SurvivingTable, daemon: Daemon) -> None:
        assert daemon.deal is not None
        emitted = [
            (e["seat"], *_list(e["from"])) for e in table.events if e["event"] == "delivered"
        ]
        assert deliveries_as_planned(emitted, daemon.deal.setup) == []
        match damage:
            case "twice":
                emitted.insert(3, emitted[3])
            case "skipped":
                del emitted[3]
            case "astray":
                emitted[3] = (emitted[4][0], *emitted[3][1:])
            case "swapped":
                emitted[3], emitted[4] = emitted[4], emitted[3]
        assert deliveries_as_planned(emitted, daemon.deal.setup)[0].startswith(
            "Delivery 5 " if damage == "twice" else "Delivery 4 "
        )

    ready_table(tmp_path, look)


@pytest.mark.slow
def test_a_journal_with_other_outcomes_is_reported(tmp_path: Path) -> None:
    def look(table: SurvivingTable, daemon: Daemon) -> None:
        assert daemon.deal is not None
        entries = daemon.run_state.journal.history()
        assert setup_as_recorded(entries, daemon.deal.setup) == []
        assert setup_as_recorded(entries[:-1], daemon.deal.setup)

    ready_table(tmp_path, look)


def test_repeated_throws_are_reported() -> None:
    throw = Entry(1, "top", 0.0, {"step": "throw"}, (ShakesBefore(0),), [3, 5], confirmed=True)
    assert throws_as_recorded([3, 5], [throw]) == []
    assert throws_as_recorded([3, 5, 1], [throw]) == [], "the outcome of the last throw can be lost"
    assert throws_as_recorded([2, 2, 3, 5], [throw])
    assert throws_as_recorded([], [throw])
    by_hand = replace(throw, notes=())
    assert throws_as_recorded([], [by_hand]) == []


def test_a_repeated_step_is_reported() -> None:
    packet = Entry(1, "top", 0.0, {"step": "packet", "seat": 0, "from": ["b1"]}, confirmed=True)
    assert one_outcome_each([packet, replace(packet, number=2)])
    assert one_outcome_each([packet, replace(packet, number=2, intent={"step": "packet"})]) == []


def test_a_host_that_waits_too_long_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.proof.chaos.evening.LONGEST", 30.0)
    played = play_evening(evening_of(0, 1, pairs_of(["block"], ["robotic"])), tmp_path)
    assert "still waits" in played.wrong[0]


def test_an_exception_is_a_failure_with_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(self: object, daemon: Daemon, event: Event) -> None:
        raise ZeroDivisionError("raised by the test")

    monkeypatch.setattr("controller.proof.chaos.witness.Witness.hear", breaks)
    played = play_evening(evening_of(0, 1, pairs_of(["block"], ["robotic"])), tmp_path)
    assert "ZeroDivisionError: raised by the test" in played.wrong[0]


def _list(places: object) -> list[str]:
    assert isinstance(places, list)
    return places
