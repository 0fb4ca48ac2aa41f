"""Filipino mahjong: a hand of which only the announced actions are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.games.filipino import (
    FilipinoPlay,
    sensible,
)
from rules.games.filipino.hand import Meld
from rules.play import IllegalActionError
from tests.rules.filipino.dealing import (
    WAITING,
    acted,
    all_pass,
    hidden_play,
    played,
)


def test_without_tiles_that_are_read_the_announced_actions_are_followed() -> None:
    play = hidden_play(3)
    mano = play.table.mano
    right, opposite = (mano + 1) % 4, (mano + 2) % 4
    play = acted(play, f"{mano} discard")
    assert play.to_act == (right, opposite, (mano + 3) % 4)
    play = all_pass(acted(play, f"{opposite} pong"))
    assert play.table.turn == opposite
    assert play.table.hands[opposite].melds == (Meld("pong"),)
    play = acted(play, f"{opposite} discard 3p")
    play = all_pass(acted(play, f"{(mano + 3) % 4} chow 2p 3p 4p"))
    play = all_pass(acted(play, f"{(mano + 3) % 4} discard"))
    play = acted(play, f"{mano} draw", f"{mano} flores", f"{mano} secret")
    assert play.table.hands[mano].melds == (Meld("kong", (), concealed=True, secret=True),)
    assert play.table.hands[mano].size == 14
    play = acted(play, f"{mano} discard 7s")


def test_a_hidden_hand_wins_by_showing_its_tiles() -> None:
    play = hidden_play(3)
    table = replace(play.table, joker="5m")
    mano = table.mano
    play = acted(FilipinoPlay(table), f"{mano} discard 6s")
    seat = (mano + 2) % 4
    with pytest.raises(IllegalActionError, match="shows 0 tiles of 16: the hand is not known"):
        acted(play, f"{seat} win")
    with pytest.raises(IllegalActionError, match="does not win with"):
        acted(play, f"{seat} win {WAITING.replace('9s 9s', '9s 8s')}")
    play = all_pass(acted(play, f"{seat} win {WAITING}"))
    assert play.settlement is not None and play.settlement.winner == seat
    assert play.table.hands[seat].unknown == 0


@pytest.mark.slow
def test_sensible_players_finish_a_hand_without_known_tiles() -> None:
    end, acts = played(hidden_play(3), sensible)
    assert end.settlement is not None and end.settlement.name == "exhausted"
    assert {act.verb for act in acts} == {"pass", "draw", "discard"}


def test_no_more_flores_are_laid_out_than_the_set_has() -> None:
    play = hidden_play(3)
    mano = play.table.mano
    full = replace(play.table.hands[mano], flores=(None,) * 36)
    play = FilipinoPlay(play.table.with_hand(mano, full))
    with pytest.raises(IllegalActionError, match="All 36 flores of the set are elsewhere"):
        acted(play, f"{mano} flores")


def test_no_more_tiles_of_a_kind_are_shown_than_the_set_has() -> None:
    play = hidden_play(3)
    mano = play.table.mano
    play = FilipinoPlay(replace(play.table, joker="6s", middle=("6s", "6s", "6s")))
    with pytest.raises(IllegalActionError, match="so many tiles 6s; read the tiles again"):
        acted(play, f"{mano} discard 6s")
