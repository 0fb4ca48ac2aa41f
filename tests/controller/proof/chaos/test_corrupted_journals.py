"""Tests journals that are corrupted during a round: one intact copy is enough to continue."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.run_report import FAILED, RoundPlayed, ending
from controller.proof.chaos.scenarios import Evening, ScheduledFault
from tests.quick import slow_except

HARMLESS = ScheduledFault("clock_jump", "host", 0, 0.0)


def corrupted(times: int, folder: Path, seed: int) -> RoundPlayed:
    """Play a round in which the journal is corrupted several times between two checks."""
    faults = tuple(ScheduledFault("corrupt_journal", "host", 6, 1.0 + n) for n in range(times))
    evening = Evening(
        0,
        "robotic",
        "backgammon",
        seed,
        play=False,
        scheduled_faults=(faults,),
        spares=(HARMLESS,),
    )
    (only,) = play_evening(evening, folder, 1).rounds
    return only


@pytest.mark.parametrize("seed", slow_except([0], range(6)))
def test_a_round_with_one_intact_copy_continues(seed: int, tmp_path: Path) -> None:
    only = corrupted(2, tmp_path, seed)
    assert only.injected_faults == ["corrupt_journal"] * 2
    assert (only.stops, only.wrong) == ([], [])


def test_the_events_name_a_journal_without_its_temporary_folder(tmp_path: Path) -> None:
    messages = [
        str(event["message"])
        for event in corrupted(2, tmp_path, 0).events_named("journal_copy_repaired")
    ]
    assert messages
    assert all("copy 0-1.journal" in message for message in messages)


@pytest.mark.parametrize("seed", slow_except([1], range(6)))
def test_without_an_intact_copy_the_journal_is_locked_or_merged(seed: int, tmp_path: Path) -> None:
    only = corrupted(9, tmp_path, seed)
    assert only.stops in ([], ["JOURNAL_LOCKED"])
    assert only.regathered is (only.stops != [])
    assert ending(only) != FAILED


@pytest.mark.slow
def test_an_unnecessary_lock_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = next(s for s in range(20) if corrupted(9, _new(tmp_path, s), s).stops)
    monkeypatch.setattr("controller.proof.chaos.fault_schedule.COPIES", 4)
    only = corrupted(9, _new(tmp_path, 20), seed)
    assert ending(only) == FAILED


def _new(folder: Path, number: int) -> Path:
    (folder / str(number)).mkdir()
    return folder / str(number)
