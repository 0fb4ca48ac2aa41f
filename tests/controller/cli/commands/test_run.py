"""`wallwright run`: its events, in the documented format, and its journal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from controller.events import EVENTS_VERSION
from tests.controller.cli.conftest import Events, Wallwright, hands_of, named, true_tiles
from tests.quick import sampled, tries
from tests.rules.pai_gow.test_cut_tables import TABLES

THROWN = "--throw 3,5 --throw 2,4"
SUMMARY = [
    "t", "event", "events_version", "rounds", "virtual_s", "real_s", "cycle_s", "bound_s", "tiles",
    "faults", "recoveries", "assists", "pauses", "paused_s", "commands", "retries",
]  # fmt: skip
FACTS = {
    "state": ("under", "top"),
    "step": ("step",),
    "move": ("move",),
    "delivered": ("seat", "from"),
    "tile_turned_up": ("at", "tile"),
    "tiles_revealed": ("when",),
}


@pytest.mark.slow
def test_every_event_has_its_time_its_name_and_its_keys(wallwright: Wallwright) -> None:
    events = wallwright("run --events - --reveal").events
    times = [event["t"] for event in events]
    assert times == sorted(times)
    for event in events:
        assert list(event)[:2] == ["t", "event"]
        assert {*FACTS.get(event["event"], ())} <= set(event)
    assert {*FACTS, "summary"} <= {event["event"] for event in events}
    assert named(events, "state")[-1]["top"] == "stopped"


@pytest.mark.slow
def test_every_run_begins_with_the_version_of_its_events(wallwright: Wallwright) -> None:
    first, *_, last = wallwright("run --until ready --events -").events
    assert first == {"t": 0.0, "event": "run_started", "events_version": EVENTS_VERSION}
    assert last["events_version"] == EVENTS_VERSION


@pytest.mark.slow
def test_the_summary_comes_last_and_has_exactly_its_figures(wallwright: Wallwright) -> None:
    events = wallwright("run --rounds 2 --events -").events
    assert [event["event"] for event in events].index("summary") == len(events) - 1
    summary = events[-1]
    assert list(summary) == SUMMARY
    for figures in ("cycle_s", "bound_s"):
        assert list(summary[figures]) == ["under", "top"]
        assert all(isinstance(seconds, float) for seconds in summary[figures].values())
    assert summary["tiles"] == {"expected": 272, "accounted": 272}
    assert (summary["rounds"], summary["faults"], summary["retries"]) == (2, 0, 0)
    assert summary["commands"] > 1000
    assert summary["virtual_s"] == pytest.approx(summary["t"], abs=0.001)


@pytest.mark.slow
def test_the_steps_of_a_run_equal_those_of_its_plan(wallwright: Wallwright) -> None:
    events = wallwright(f"run --until ready {THROWN} --events -").events
    plan = wallwright(f"plan wenzhou {THROWN} --json").json
    packets = [
        {key: step[key] for key in ("seat", "from")}
        for step in named(events, "step")
        if step["step"] == "packet"
    ]
    assert packets == plan["deal"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_events_to_the_byte(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    outputs, rounds = [], tries(3, quick=1)
    for name in ("first", "second"):
        events = tmp_path / name
        assert wallwright(f"run --rounds {rounds} --seed 11 --events {events}").code == 0
        outputs.append(re.sub(rb'"real_s": [\d.]+', b"", events.read_bytes()))
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"\n") > 80


@pytest.mark.slow
def test_another_seed_gives_other_tiles(wallwright: Wallwright) -> None:
    one, two = (
        wallwright(f"run --until ready --seed {seed} --reveal --events -").events for seed in (1, 2)
    )
    assert true_tiles(one) != true_tiles(two)


@pytest.mark.slow
def test_a_run_delivers_the_places_of_the_plan_and_their_true_tiles(
    wallwright: Wallwright,
) -> None:
    plan = wallwright(f"plan wenzhou {THROWN} --json").json
    events = wallwright(f"run --until ready {THROWN} --reveal --events -").events
    delivered = [
        {"seat": event["seat"], "from": event["from"]} for event in named(events, "delivered")
    ]
    assert delivered == plan["deal"]
    tiles, hands = true_tiles(events)
    assert len(tiles) == 136
    assert hands == {
        seat: [tiles[place] for place in places] for seat, places in hands_of(plan).items()
    }
    (turned,) = named(events, "tile_turned_up")
    assert (turned["at"], turned["tile"]) == ("w3.8u", tiles["w3.8u"])


CUT_AT = [
    (choice, ("pai_gow", "robotic")[(number + turn) % 2])
    for number, choice in enumerate(TABLES)
    for turn in range(2)
]
"""Each choice of a cut at both tables with an arm; `make test` takes one of them."""


@pytest.mark.parametrize(("choice", "table"), sampled(2, CUT_AT, quick=[("one_stack", "pai_gow")]))
def test_every_cut_deals_the_true_tiles_of_its_eight_hands(
    choice: str, table: str, wallwright: Wallwright
) -> None:
    cut, *options = choice.split("+")
    flags = " ".join(f"--{option}" for option in options)
    events = wallwright(
        f"run --game pai_gow --table {table} --cut {cut} {flags} --throw 3,3,4 --until ready"
        " --reveal --events -"
    ).events
    rows = [[f"p{place}" for place in row.split()] for row in TABLES[choice].strip().splitlines()]
    assert [event["from"] for event in named(events, "delivered")] == rows
    tiles, hands = true_tiles(events)
    assert len(tiles) == 32
    for number, row in enumerate(rows, 1):
        assert hands[number % 8] == [tiles[place] for place in row]
    assert events[-1]["tiles"]["accounted"] == events[-1]["tiles"]["expected"]


@pytest.mark.slow
def test_the_fastest_order_gives_the_same_hands_in_less_time(wallwright: Wallwright) -> None:
    ritual, fastest = (
        wallwright(f"run --until ready --seed 3 --order {order} --reveal --events -").events
        for order in ("ritual", "fastest")
    )
    assert _sorted_hands(fastest) == _sorted_hands(ritual)
    assert _packets(fastest) == _packets(ritual)
    assert fastest[-1]["cycle_s"]["top"] < ritual[-1]["cycle_s"]["top"]


@pytest.mark.slow
def test_in_later_rounds_the_next_dealer_throws_the_same_dice(wallwright: Wallwright) -> None:
    events = wallwright(f"run --rounds 2 --dealer 3 {THROWN} --events -").events
    assert [event["dealer"] for event in named(events, "ready")] == [3, 0]
    assert [event["dice"] for event in named(events, "dice_thrown")] == [[3, 5], [2, 4]] * 2


@pytest.mark.slow
def test_events_are_written_to_a_file_and_the_summary_is_printed(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    events_file = tmp_path / "events.jsonl"
    result = wallwright(f"run --until ready {THROWN} --events {events_file}")
    assert (result.code, result.err) == (0, "")
    for text in ("rounds played  1", "first draw w1.13l", "272 of 272 accounted for"):
        assert text in result.out
    assert json.loads(events_file.read_text().splitlines()[-1])["event"] == "summary"


@pytest.mark.slow
def test_a_journal_is_kept_in_three_copies(wallwright: Wallwright, tmp_path: Path) -> None:
    kept, disk = tmp_path / "table.journal", tmp_path / "disk"
    disk.mkdir()
    assert wallwright(f"run --until ready --journal {kept} --journal-copy {disk}").code == 0
    copies = (kept, tmp_path / "table.journal.2", disk / "table.journal.3")
    (text,) = {copy.read_text() for copy in copies}
    first, *_, last = (json.loads(line) for line in text.splitlines())
    assert (first["kind"], last["kind"]) == ("run", "end")
    facts = first["content"]["facts"]
    assert (facts["table"], facts["game"], facts["dealer"]) == ("robotic", "wenzhou", 0)


@pytest.mark.slow
def test_a_repaired_copy_of_the_journal_is_reported_as_an_event(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    kept, events_file = tmp_path / "table.journal", tmp_path / "events.jsonl"
    wallwright(f"run --until ready --journal {kept}")
    (tmp_path / "table.journal.2").unlink()
    assert wallwright(f"run --until ready --journal {kept} --events {events_file}").code == 0
    (healed,) = named(
        [json.loads(line) for line in events_file.read_text().splitlines()], "journal_copy_repaired"
    )
    assert healed["message"] == (f"The journal's copy {kept}.2 was missing; it was rewritten.")


@pytest.mark.slow
def test_a_run_is_refused_if_the_journal_is_damaged_in_every_copy(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    wallwright(f"run --until ready --journal {kept}")
    for copy in (kept, tmp_path / "table.journal.2", tmp_path / "table.journal.3"):
        copy.write_bytes(copy.read_bytes().replace(b"robotic", b"robotik"))
    for _ in range(2):
        result = wallwright(f"run --until ready --journal {kept}")
        assert (result.code, result.out) == (2, "")
        assert "Record 1 of the journal is damaged in every copy that has it" in result.err


def test_a_journal_of_an_earlier_version_is_refused_and_not_changed(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    kept = tmp_path / "journal.db"
    kept.write_bytes(b"SQLite format 3\0" + bytes(4080))
    result = wallwright(f"run --until ready --journal {kept}")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"The journal {kept} is an SQLite file of an earlier version, which this one does not"
        " read; keep it, and name another file with --journal.\n"
    )
    assert len(kept.read_bytes()) == 4096


def _packets(events: Events) -> set[tuple[int, tuple[str, ...]]]:
    return {(event["seat"], tuple(event["from"])) for event in named(events, "delivered")}


def _sorted_hands(events: Events) -> dict[int, list[str]]:
    return {seat: sorted(hand) for seat, hand in true_tiles(events)[1].items()}
