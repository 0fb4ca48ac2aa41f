"""A lid that opens while a set is built: tiles of the other set that people put in are noticed."""

from __future__ import annotations

from pathlib import Path

from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.scenarios import evening_of, pairs_of


def test_a_set_that_people_push_in_while_the_other_is_built_is_noticed(tmp_path: Path) -> None:
    # Round 531: a key sticks, so the key at the end of the hand opens the lid while the heads still
    # lift the other set, and the players push in the set that they have played.
    played = play_evening(evening_of(177, 907311, pairs_of(), play=True), tmp_path, 2)
    assert played is not None
    assert [sentence for each in played.rounds for sentence in each.wrong] == []
    assert played.rounds[0].stops == ["UNPROVEN"]
