"""Compares the ledger with the simulated plant: tiles at seats, and missing tiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.proof.chaos.witness import hands_as_planned, ledger_as_planned
from rules.geometry import parse_place
from tests.controller.played_evening import spend
from tests.controller.played_round import play

MISSING = ("--fault", "missing_tile:drum#1")
WRONG_ANSWER = ("--fault", "wrong_answer:people")


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("table", "game"),
    [
        pytest.param("robotic", "wenzhou", id="an arm carries packets"),
        pytest.param("robotic", "filipino", id="an arm carries replacements", marks=SLOW),
        pytest.param("robotic", "block", id="an arm carries lots", marks=SLOW),
        pytest.param("pai_gow", "pai_gow", id="an arm moves a pile", marks=SLOW),
        pytest.param("auto_deal", "wenzhou", id="lanes bring hands"),
        pytest.param("classic", "filipino", id="people take packets and replacements", marks=SLOW),
        pytest.param("bench", "bergen", id="people take from a boneyard"),
    ],
)
@pytest.mark.slow
def test_the_ledger_has_every_tile_at_the_seat_where_the_plant_has_it(
    table: str, game: str
) -> None:
    played = play(table, game)
    deal, plant = played.daemon.deal, played.hardware.plant
    assert deal is not None
    assert plant is not None
    assert deal.setup.hands or game == "backgammon"
    assert hands_as_planned(plant, deal.setup, deal.staging) == []
    assert ledger_as_planned(played.daemon.run_state.ledger, deal.setup) == []


@pytest.mark.slow
def test_a_ledger_with_two_hands_exchanged_is_reported() -> None:
    played = play("robotic", "wenzhou")
    deal, ledger = played.daemon.deal, played.daemon.run_state.ledger
    assert deal is not None
    number = ledger.on_top
    assert number is not None
    first, second = deal.setup.hands[0], deal.setup.hands[1]
    wrong = ledger.returned(number, (*first, *second))
    wrong = wrong.delivered(number, 0, second).delivered(number, 1, first)
    sentences = ledger_as_planned(wrong, deal.setup)
    assert len(sentences) == 2
    assert all(f"at seat {seat};" in sentences[seat] for seat in (0, 1))


@pytest.mark.slow
def test_tiles_drawn_in_the_play_are_in_the_ledger_at_the_seat_that_drew_them() -> None:
    seen: list[dict[int, list[str]]] = []
    evening = spend(
        "wenzhou",
        "robotic",
        1,
        on_event=lambda event, daemon: (
            seen.append(
                {
                    seat: sorted(map(str, hand))
                    for seat, hand in daemon.run_state.ledger.sets[_on_top(daemon)].hands.items()
                }
            )
            if event["event"] == "settled"
            else None
        ),
    )
    (hand,) = evening.hands
    due = {seat: [str(place) for place in places] for seat, places in hand.setup.hands.items()}
    assert hand.brought
    for place, seat in hand.brought:
        due[seat].append(str(parse_place(place)))
    assert seen == [{seat: sorted(places) for seat, places in due.items()}]


def _on_top(daemon: Any) -> int:
    number = daemon.run_state.ledger.on_top
    assert isinstance(number, int)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("table", ["robotic", "single_port"])
def test_a_tile_that_stays_missing_is_not_accounted_for(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = _summary(tmp_path, table, *MISSING, *WRONG_ANSWER)
    assert summary["tiles"] == {"expected": 272, "accounted": 271}
    emitted = capsys.readouterr()
    assert "271 of 272 accounted for" in emitted.out
    assert "the set lacks tiles" in emitted.err


@pytest.mark.slow
def test_a_tile_that_was_picked_up_from_the_floor_is_accounted_for(tmp_path: Path) -> None:
    summary = _summary(tmp_path, "robotic", *MISSING)
    assert summary["tiles"] == {"expected": 272, "accounted": 272}


def _summary(folder: Path, table: str, *options: str) -> dict[str, Any]:
    events = folder / "events.jsonl"
    main(["run", "--table", table, "--until", "ready", "--events", str(events), *options])
    summary: dict[str, Any] = json.loads(events.read_text().splitlines()[-1])
    assert summary["event"] == "summary"
    return summary
