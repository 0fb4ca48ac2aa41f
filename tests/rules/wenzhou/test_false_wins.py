"""False wins: wins that are declared with a hand that does not win (W36)."""

from __future__ import annotations

import pytest

from rules.games.wenzhou import WENZHOU_RULES, WenzhouMatch
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import Stage
from tests.rules.wenzhou.hands import BASE
from tests.rules.wenzhou.tables import MISFITS, allowed, go, table, why_not


def test_W36_a_false_win_pays_each_seat_as_for_a_hard_hand_and_the_hand_continues() -> None:
    play = go(table({0: f"{MISFITS} Green"}, streak=2), "0 discard 6z", "2 false win", "all pass")
    assert play.settlement is None and play.position.seats[2].dead
    ended = go(table({0: f"{MISFITS} Green"}, streak=2, parameters=Parameters(reserve=70)))
    ended = go(
        ended, "0 discard 6z", "2 false win", "all pass", "1 draw", "1 discard 6z", "all pass"
    )
    settlement = ended.settlement
    assert settlement is not None and settlement.name == "drawn hand"
    assert settlement.balance() == {2: -12, 0: 8, 1: 2, 3: 2}


def test_W36_a_dead_hand_cannot_win_or_lay_down_sets_but_discards() -> None:
    play = table({0: f"{BASE} 789s E E"}, draws="E")
    assert "Seat 0 does win; write 'win'" in why_not(play, "0 false win")
    play = table({0: f"{BASE} 777s 9s E"}, draws="1p 1p 1p 7s")
    dead = go(play, "0 false win")
    assert dead.to_act == (0,) and dead.position.stage is Stage.ACT
    assert "discard 1z" in allowed(dead, 0)
    assert "can neither win nor lay down a set (W36)" in why_not(dead, "0 kong 7s")
    assert "already" in why_not(dead, "0 false win")
    again = go(dead, "0 discard 1z", "1 pass", "2 pass", "3 pass", "1 draw", "1 discard 9s")
    assert 0 not in again.to_act


def test_W36_a_false_win_on_a_discard_counts_as_a_pass() -> None:
    play = go(table({0: f"{MISFITS} Green"}), "0 discard 6z")
    assert play.to_act == (1, 2, 3)
    after = go(play, "1 false win")
    assert after.to_act == (2, 3)
    assert "has already" in why_not(go(play, "1 pass"), "1 false win")


def test_W36_a_false_win_ends_the_hand_if_the_house_plays_so_and_the_hand_is_repeated() -> None:
    house = Parameters(after_false_win="ends")
    play = go(table({0: f"{MISFITS} Green"}, streak=2, parameters=house), "0 discard 6z")
    over = go(play, "3 false win")
    settlement = over.settlement
    assert settlement is not None and settlement.name == "false win"
    assert settlement.balance() == {3: -12, 0: 8, 1: 2, 2: 2}
    assert over.position.discards == ("6z",)
    match = WenzhouMatch(house, dealer=0, streak=2)
    assert match.after(over) == WenzhouMatch(house, 0, 2, scores=(8, 2, 2, -12))
    assert "the hand is over" in why_not(over, "1 false win")


def test_W36_after_a_false_robbing_of_a_kong_its_seat_gets_the_tile_back() -> None:
    house = Parameters(after_false_win="ends")
    play = table({0: f"{MISFITS} Green"}, parameters=house)
    play = go(play, "0 discard 6z", "2 pong", "all pass", "2 discard 9p", "all pass")
    for seat in (3, 0, 1):
        play = go(play, f"{seat} draw", f"{seat} discard {'1z' if seat == 0 else '9p'}", "all pass")
    robbed = go(play, "2 draw", "2 kong 6z")
    assert robbed.position.stage is Stage.ROB
    over = go(robbed, "1 false win")
    assert over.position.stage is Stage.OVER
    assert over.position.seats[2].tiles.count("6z") == 1


@pytest.mark.parametrize("penalty", ["none", "soft", "hard", "double"])
def test_W36_the_house_chooses_the_penalty(penalty: str) -> None:
    house = Parameters(false_win_penalty=penalty, after_false_win="ends")  # type: ignore[arg-type]
    over = go(table({0: f"{MISFITS} Green"}, parameters=house), "1 false win")
    assert over.settlement is not None
    times = {"none": 0, "soft": 1, "hard": 2, "double": 4}[penalty]
    assert over.settlement.balance().get(1, 0) == -4 * times


def test_a_false_win_of_an_unknown_seat_is_refused() -> None:
    play = table({})
    assert "There is no seat 4" in why_not(play, "4 false win")
    assert WENZHOU_RULES.parse(1, "false win") in play.legal_actions
    assert WENZHOU_RULES.parse(1, "false win") not in set(play.legal_actions)
