"""Dominoes with hidden hands: the table follows the announced actions."""

from __future__ import annotations

import pytest

from rules.games import GAMES
from rules.games.dominoes.actions import Draw, Go, Lay, Show
from rules.games.dominoes.play import start
from rules.play import HOUSE, IllegalActionError
from rules.setup import settle
from tests.rules.dominoes.hands import dealt, follow


def test_a_tile_played_from_a_hidden_hand_replaces_an_unknown_one() -> None:
    play = follow(dealt("block", "? ? ?", "? ? ?"), "6-4", "4-4 on 4")
    assert [len(hand) for hand in play.hands] == [2, 2]
    assert "6-4" not in play.unseen and len(play.unseen) == 26


def test_a_tile_that_was_seen_cannot_come_from_a_hidden_hand() -> None:
    play = follow(dealt("block", "6-4 6-6", "? ?"), "6-4")
    assert Lay(1, "6-6", "6") not in play.legal_actions
    with pytest.raises(
        IllegalActionError, match=r"Seat 1 cannot hold 6-6; it has been seen elsewhere"
    ):
        follow(play, "6-6 on 6")


def test_a_hidden_hand_can_go_unless_a_known_tile_fits() -> None:
    assert Go(1) in follow(dealt("block", "6-4 1-0", "? ?"), "6-4").legal_actions
    assert Go(1) not in follow(dealt("block", "6-4 1-0", "? 4-4"), "6-4").legal_actions


def test_a_hidden_hand_can_draw_from_a_hidden_boneyard() -> None:
    play = follow(dealt("draw", "? ?", "? ?", boneyard="? ? ?"), "6-4")
    assert Draw(1) in play.legal_actions
    assert Go(1) not in play.legal_actions
    play = follow(play, "draw", "go")
    assert len(play.hands[1]) == 3


def test_hidden_tiles_are_shown_when_the_hand_has_ended() -> None:
    play = follow(dealt("block", "?", "? ?", "?"), "6-4")
    assert play.settlement is None
    assert play.to_act == (1, 2)
    with pytest.raises(
        IllegalActionError, match=r"Seat 1 cannot show 6-4; it has been seen elsewhere"
    ):
        play.apply(Show(1, "6-4"))
    play = play.apply(Show(2, "6-6")).apply(Show(1, "0-0")).apply(Show(1, "1-0"))
    assert play.settlement is not None
    assert play.settlement.balance() == {0: 13, HOUSE: -13}


def test_no_tile_is_shown_if_pips_do_not_count() -> None:
    play = follow(dealt("bergen", "?", "? ?"), "3-3")
    assert play.settlement is not None
    assert play.settlement.balance()[0] == 3


def test_if_the_setter_is_unknown_every_seat_can_set() -> None:
    setup = settle(GAMES["matador"].setup(players=3))
    play = start(setup)
    assert play.to_act == (0, 1, 2)
    play = play.apply(Lay(1, "6-6"))
    assert play.turn == 0


def test_an_open_setter_is_found_from_the_tiles() -> None:
    setup = settle(GAMES["matador"].setup(players=2))
    faces = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]
    play = start(setup, dict(zip(setup.layout.places, faces, strict=True)))
    assert play.hands[0][:3] == ("0-0", "1-1", "2-1")
    assert play.turn == 1
    assert [str(action) for action in play.legal_actions] == ["3-3"]
    assert play.boneyard == tuple(faces[14:])


def test_a_hidden_hand_that_sets_at_sebastopol_has_to_set_6_6() -> None:
    play = dealt("sebastopol", *["? ? ? ? ? ? ?"] * 4, turn=2)
    assert [str(action) for action in play.legal_actions] == ["6-6"]
    with pytest.raises(IllegalActionError, match="Seat 2 cannot set 5-5: it has to set"):
        follow(play, "5-5")
