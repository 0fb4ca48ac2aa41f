"""Tests that random rounds with random injected faults end without findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.events import Event
from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.run_report import ENDINGS, FAILED, ending
from controller.proof.chaos.scenarios import EVENING, Choices, evening_of, pairs_of
from tests.quick import tries

PARTS, EACH = 6, 1
"""Number of parts, and evenings (of three rounds) of each part: 18 rounds. `make evidence` plays
10,000 rounds."""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_after_random_faults_no_tile_is_lost_and_every_hand_is_right(
    part: int, tmp_path: Path
) -> None:
    pairs = pairs_of()
    for number in range(part * EACH, (part + 1) * EACH):
        played = play_evening(evening_of(number, 300, pairs), tmp_path)
        wrong = [(each.number, each.table, each.game, each.wrong) for each in played.rounds]
        assert not played.wrong, (
            f"{wrong}; to repeat it, run: wallwright chaos --seed 300 --from {number * EVENING}"
            " --rounds 3"
        )


@pytest.mark.slow
def test_the_same_scenario_gives_the_same_evening(tmp_path: Path) -> None:
    evening = evening_of(4, 11, pairs_of(["block"], ["robotic"]))
    emitted = []
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        played = play_evening(evening, tmp_path / name)
        emitted.append(
            [(_without_paths(each.events), each.injected_faults) for each in played.rounds]
        )
    assert emitted[0] == emitted[1]


@pytest.mark.slow
def test_the_first_rounds_of_an_evening_do_not_depend_on_the_number_of_rounds(
    tmp_path: Path,
) -> None:
    evening = evening_of(2, 5, pairs_of(["block"], ["robotic"]))
    (tmp_path / "all").mkdir()
    (tmp_path / "one").mkdir()
    whole = play_evening(evening, tmp_path / "all").rounds[0]
    alone = play_evening(evening, tmp_path / "one", 1).rounds[0]
    assert [e for e in whole.events if e["event"] == "delivered"] == [
        e for e in alone.events if e["event"] == "delivered"
    ]


@pytest.mark.slow
def test_a_fault_occurs_in_every_round(tmp_path: Path) -> None:
    for number in range(tries(2, quick=2)):
        played = play_evening(evening_of(number, 77, pairs_of(["block"])), tmp_path)
        for each in played.rounds:
            assert each.injected_faults
            assert ending(each) in ENDINGS
            assert ending(each) != FAILED


@pytest.mark.slow
def test_every_pair_of_table_and_game_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    # Drawing the choices takes most of the time, and other tests cover it.
    monkeypatch.setattr("controller.proof.chaos.scenarios.draw", lambda *_, **__: Choices())
    pairs = pairs_of()
    drawn = {(e.table, e.game) for e in (evening_of(n, 1, pairs) for n in range(2000))}
    assert drawn == set(pairs)


def _without_paths(events: list[Event]) -> list[Event]:
    """Return the events except those that contain paths of journal files."""
    return [event for event in events if event["event"] not in ("journal_copy_repaired", "fault")]
