"""`wallwright run --play` and `wallwright replay`: hands that are played, recorded and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli.terminal.live_view import LiveView
from controller.cli.terminal.serial_console import SerialConsole
from controller.events import Event
from tests.controller.cli.conftest import Wallwright, named


@pytest.fixture
def record(wallwright: Wallwright, tmp_path: Path) -> Path:
    """The record of two hands of block."""
    file = tmp_path / "evening.jsonl"
    assert wallwright(f"run --game block --play --rounds 2 --seed 4 --record {file}").code == 0
    return file


@pytest.mark.slow
def test_the_summary_shows_the_scores_of_the_match(wallwright: Wallwright) -> None:
    result = wallwright("run --table auto_deal --play --rounds 2 --seed 2")
    (scores,) = (line for line in result.out.splitlines() if line.startswith("scores"))
    amounts = [int(word.split(",")[0]) for word in scores.split("seat ")[1:] for word in [word[3:]]]
    assert len(amounts) == 4 and sum(amounts) == 0 and any(amounts)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"event": "action_taken", "seat": 1, "do": "discard 5m"}, "seat 1: discard 5m"),
        ({"event": "settled", "name": "hard", "winner": 2}, "hard, won by seat 2"),
        ({"event": "settled", "name": "drawn", "winner": None}, "drawn"),
        ({"event": "hand_abandoned", "dealer": 0}, "the hand was ended before its settlement"),
    ],
)
def test_the_live_view_shows_the_events_of_a_played_hand(event: Event, line: str) -> None:
    assert LiveView(SerialConsole(), "Wenzhou")._line(event) == line


@pytest.mark.slow
def test_without_play_there_are_no_scores(wallwright: Wallwright) -> None:
    assert "scores" not in wallwright("run --table auto_deal --game block").out


@pytest.mark.slow
def test_every_action_is_an_event_and_the_hand_ends_with_its_settlement(
    wallwright: Wallwright,
) -> None:
    events = wallwright("run --table auto_deal --play --dealer 2 --seed 3 --events -").events
    acted, (settled,) = named(events, "action_taken"), named(events, "settled")
    assert {*acted[0]} == {"t", "event", "seat", "do"}
    assert acted[0]["seat"] == 2
    assert list(settled)[2:] == [
        "name", "multiplier", "winner", "payments", "reasons", "scores", "match_over",
        "next_dealer",
    ]  # fmt: skip
    assert settled["t"] >= acted[-1]["t"]


@pytest.mark.slow
def test_until_ready_the_last_hand_is_dealt_and_not_played(wallwright: Wallwright) -> None:
    events = wallwright("run --table auto_deal --play --until ready --events -").events
    assert named(events, "ready") and not named(events, "action_taken")
    assert events[-1]["rounds"] == 1


def test_a_record_is_replayed_hand_by_hand(wallwright: Wallwright, record: Path) -> None:
    result = wallwright(f"replay {record}")
    assert (result.code, result.err) == (0, "")
    assert "hand 1, seat 0 deals" in result.out and "hand 2, seat 3 deals" in result.out
    assert result.out.count("scores") == 2


@pytest.mark.slow
def test_a_replay_as_json_has_the_settlements_of_the_run(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    file = tmp_path / "evening.jsonl"
    line = f"run --table auto_deal --play --rounds 3 --seed 1 --record {file} --events -"
    settled = named(wallwright(line).events, "settled")
    hands = wallwright(f"replay {file} --json").events
    for key in ("name", "multiplier", "winner", "payments", "reasons", "scores"):
        assert [hand[key] for hand in hands] == [event[key] for event in settled]


@pytest.mark.slow
def test_changed_parameters_are_in_the_record(wallwright: Wallwright, tmp_path: Path) -> None:
    house, file = tmp_path / "house.yaml", tmp_path / "evening.jsonl"
    house.write_text(
        "game: wenzhou\ntile: {length_mm: 38, width_mm: 28, height_mm: 21}\nplay: 300\n"
        "parameters: {dealer_scale: [3, 5], reserve: 60}\n",
        encoding="utf-8",
    )
    run = f"run --table auto_deal --game {house} --play --rounds 2 --record {file} --events -"
    settled = named(wallwright(run).events, "settled")
    heading = json.loads(file.read_text("utf-8").splitlines()[0])
    assert heading["parameters"] == {"dealer_scale": [3, 5], "reserve": 60}
    hands = wallwright(f"replay {file} --json").events
    assert [hand["scores"] for hand in hands] == [event["scores"] for event in settled]


@pytest.mark.slow
def test_a_record_that_ends_within_a_hand_is_replayed_without_a_settlement(
    wallwright: Wallwright, record: Path
) -> None:
    lines = record.read_text("utf-8").splitlines()
    record.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    result = wallwright(f"replay {record}")
    assert result.code == 0
    assert "The hand ended before its settlement." in result.out
    assert "scores 0 0 0 0" in result.out


@pytest.mark.slow
def test_an_illegal_action_ends_the_replay_with_exit_code_1(
    wallwright: Wallwright, record: Path
) -> None:
    lines = record.read_text("utf-8").splitlines()
    second = next(n for n, line in enumerate(lines) if n and "game" in json.loads(line))
    lines[second + 1] = '{"seat": 3, "do": "dance"}'
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = wallwright(f"replay {record}")
    assert result.code == 1
    assert result.err.startswith(f"{record}: Line {second + 2} of the record cannot be played: ")
    assert "hand 1" in result.out and "hand 2" not in result.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Line 1 of the record is not JSON"),
        ("wenzhou\n", "Line 1 of the record is not JSON"),
        ('{"event": "ready"}\n', "Line 1 of the record lacks game and outcomes."),
        ('{"game": 7, "outcomes": []}\n', "Line 1 of the record has a wrong game: 7."),
        ("[]\n", "Line 1 of the record is not a JSON object."),
    ],
)
def test_a_file_that_is_not_a_record_is_refused(
    wallwright: Wallwright, tmp_path: Path, text: str, says: str
) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text(text, encoding="utf-8")
    result = wallwright(f"replay {file}")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"{file} is not the record of a play. {says}")


def test_a_missing_file_and_a_file_that_is_not_text_are_refused(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    file = tmp_path / "other.jsonl"
    assert wallwright(f"replay {file}").err == (
        f"{file} cannot be read (No such file or directory); name a file that 'run --play --record"
        " FILE' has written.\n"
    )
    file.write_bytes(b"\xff\xfe\x00")
    assert wallwright(f"replay {file}").code == 2


@pytest.mark.slow
def test_seats_are_drawn_before_the_first_hand_in_games_with_such_a_draw(
    wallwright: Wallwright,
) -> None:
    events = wallwright("run --table auto_deal --play --draw-seats --events -").events
    assert named(events, "seats_drawn")[0]["dealer"] == named(events, "ready")[0]["dealer"]
    wanted = wallwright("run --table auto_deal --draw-seats")
    assert wanted.code == 2 and "add --play" in wanted.err
    none = wallwright("run --game block --play --draw-seats")
    assert none.code == 2 and "leave out --draw-seats" in none.err
