"""Journals that are spoilt while they are written: one good copy is enough, none is a lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.soak.endings import FAILED, ending
from controller.soak.evening import RoundPlayed, play_evening
from controller.soak.scenarios import Evening, ScheduledFault

HARMLESS = ScheduledFault("clock_jump", "host", 0, 0.0)


def spoilt(times: int, folder: Path, seed: int) -> RoundPlayed:
    """A round in play, with the journal spoilt so often before anybody looks at it again."""
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


@pytest.mark.parametrize("seed", range(6))
def test_a_journal_with_one_good_copy_goes_on(seed: int, tmp_path: Path) -> None:
    only = spoilt(2, tmp_path, seed)
    assert only.injected_faults == ["corrupt_journal"] * 2
    assert (only.stops, only.wrong) == ([], [])


@pytest.mark.parametrize("seed", range(6))
def test_where_no_copy_is_good_the_table_is_locked_or_puts_the_story_together(
    seed: int, tmp_path: Path
) -> None:
    only = spoilt(9, tmp_path, seed)
    assert only.stops in ([], ["JOURNAL_LOCKED"])
    assert only.regathered is (only.stops != [])
    assert ending(only) != FAILED


def test_a_table_that_locks_itself_without_need_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = next(s for s in range(20) if spoilt(9, _new(tmp_path, s), s).stops)
    monkeypatch.setattr("controller.soak.evening.COPIES", 4)
    only = spoilt(9, _new(tmp_path, 20), seed)
    assert ending(only) == FAILED


def _new(folder: Path, number: int) -> Path:
    (folder / str(number)).mkdir()
    return folder / str(number)
