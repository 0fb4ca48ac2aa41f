"""Wenzhou mahjong: the play of a hand, with claims, kongs, robbing and wins."""

from __future__ import annotations

from rules.games.wenzhou import WENZHOU_RULES, WenzhouPlay
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import Stage
from tests.rules.wenzhou.tables import MISFITS, allowed, changed, go, table, why_not

DEALER = f"{MISFITS} Green"
NUMBERS = "8m 4m 7m 9m 1p 4p 7p 4s 4s 7s 9s 8p 5s 8p 6s 6s 2s"
HARD = "345m 678m 123p 456p 78s SS"


def winner(play: WenzhouPlay) -> int | None:
    assert play.settlement is not None
    return play.settlement.winner


def open_sets(play: WenzhouPlay, *actions: str) -> list[tuple[str, int, int | None]]:
    """The open sets after actions: their names, seats, and the seats of their claimed tiles."""
    taken = []
    begun = play
    for each in actions:
        action = WENZHOU_RULES.parse(int(each[0]), each[2:])
        play = play.apply(action)
        taken.append((action, play))
    sets = WENZHOU_RULES.open_tiles(begun, taken).sets
    return [(each.name, each.seat, each.source) for each in sets]


def test_WZ_32_a_double_wins_before_a_nearer_hard_hand_and_the_nearer_of_two_doubles_wins() -> None:
    pairs = "11m 33m 55m 77p 99p 11s 33s 9s E"
    others = "11m 44m 66m 22p 88p 22s 44s 9s W"
    play = go(changed(table({0: NUMBERS, 1: HARD, 3: pairs}), discarded=1), "0 discard 9s")
    over = go(play, "1 win", "2 pass", "3 win")
    assert winner(over) == 3
    assert over.settlement is not None and over.settlement.name == "hard eight pairs"
    play = go(changed(table({0: NUMBERS, 1: others, 3: pairs}), discarded=1), "0 discard 9s")
    assert winner(go(play, "3 win", "2 pass", "1 win")) == 1


def test_W26_of_two_hard_hands_the_nearer_in_turn_wins() -> None:
    play = changed(table({0: NUMBERS, 2: HARD, 3: HARD}), discarded=1)
    assert winner(go(play, "0 discard 9s", "3 win", "2 win", "1 pass")) == 2


def test_W28_a_win_is_granted_before_a_pong_and_a_pong_before_a_chow() -> None:
    chows = "78s 345m 678m 123p 45p EEE"
    pongs = "99s 345m 678m 123p 45p WWW"
    play = table({0: NUMBERS, 1: chows, 2: pongs, 3: HARD})
    claimed = go(play, "0 discard 9s", "1 chow 7s 8s", "2 pong", "3 win")
    assert winner(claimed) == 3
    claimed = go(play, "0 discard 9s", "1 chow 7s 8s", "2 pong", "3 pass")
    assert (claimed.position.turn, claimed.position.stage) == (2, Stage.DISCARD)
    assert str(claimed.position.seats[2].melds[0]) == "pong 9s 9s 9s"
    claimed = go(play, "0 discard 9s", "1 chow 7s 8s", "2 pass", "3 pass")
    assert str(claimed.position.seats[1].melds[0]) == "chow 7s 8s 9s"


def test_claims_are_decided_after_all_seats_that_can_claim_have_answered() -> None:
    play = table({0: NUMBERS, 1: "78s 345m 678m 123p 45p EEE", 2: HARD, 3: HARD})
    play = go(go(play, "0 discard 9s"), "2 win")
    assert play.settlement is None
    assert play.to_act == (1, 3)


def test_W19_only_the_right_neighbour_can_chow() -> None:
    play = table({0: NUMBERS, 2: "78s 345m 678m 123p 45p EEE"})
    play = go(play, "0 discard 9s")
    assert "only the discarder's right neighbour can (W19)" in why_not(play, "2 chow 7s 8s")


def test_W21_white_can_be_in_a_chow_and_a_caishen_cannot() -> None:
    dealer = NUMBERS.replace("8m", "1m")
    hand = "White C 3m 678m 123p 456p 78s EE"
    play = go(table({0: dealer, 1: hand}), "0 discard 1m")
    assert "chow 5z 3m" in allowed(play, 1)
    assert "'2m' is a caishen and cannot be in a chow (W21)" in why_not(play, "1 chow 2m 3m")
    chowed = go(play, "2 pass", "3 pass", "1 chow 3m 5z")
    assert str(chowed.position.seats[1].melds[0]) == "chow 1m 5z 3m"


def test_E20_whites_are_ponged_as_the_indicators_kind_and_a_caishen_is_not_claimed() -> None:
    dealer = NUMBERS.replace("8m", "White")
    play = table({0: dealer, 1: "White White 3m 678m 123p 456p 78s EE"})
    ponged = go(play, "0 discard 5z", "1 pong")
    assert str(go(ponged, "all pass").position.seats[1].melds[0]) == "pong 5z 5z 5z"
    thrown = changed(go(play, "0 discard 5z"), tile="2m")
    assert "cannot be claimed for a set (W21, E20)" in why_not(thrown, "1 pong")


def test_W18_discards_are_sorted_so_that_their_order_cannot_be_seen() -> None:
    play = go(table({0: DEALER}, draws="9s 9p"), "0 discard 3z", "all pass")
    play = go(play, "1 draw", "1 discard 9s", "all pass", "2 draw", "2 discard 1m", "all pass")
    assert play.position.discards == ("1m", "9s", "3z")


def test_W20_a_passed_pong_is_locked_until_the_seats_next_turn_if_the_house_plays_so() -> None:
    pongs = "99s 345m 678m 123p 45p WWW"
    for lock in (True, False):
        house = Parameters(pong_pass_lock=lock)
        play = table({0: NUMBERS, 2: pongs}, draws="9s N", parameters=house)
        play = go(play, "0 discard 9s", "all pass", "1 draw", "1 discard 9s")
        assert ("pong" in allowed(play, 2)) is not lock
        sentence = why_not(play, "2 pong")
        assert ("has passed a pong of '9s' and cannot pong it" in sentence) is lock
        play = go(play, "all pass", "2 draw")
        assert not play.position.seats[2].passed


def test_W23_a_kong_gets_its_tile_from_the_end_of_the_wall() -> None:
    dealer = "3333s 4m 7m 9m 1p 4p 7p 4s 5s 7s 8p 8p 6s 6s"
    play = table({0: dealer}, tail="9s")
    play = go(play, "0 kong 3s")
    assert (play.position.stage, str(play.source)) == (Stage.REPLACE, "w3.14u")
    play = go(play, "0 draw")
    assert (play.position.by, play.position.tile, play.kongs) == ("replacement", "9s", 1)
    assert str(play.position.seats[0].melds[0]) == "concealed kong 3s 3s 3s 3s"


def test_W23_a_kong_gets_its_tile_by_an_ordinary_draw_if_the_house_plays_so() -> None:
    dealer = "3333s 4m 7m 9m 1p 4p 7p 4s 5s 7s 8p 8p 6s 6s"
    house = Parameters(kong_source="draws")
    play = go(table({0: dealer}, draws="9s 9p", parameters=house), "0 kong 3s")
    assert str(play.source) == "w1.13l"
    play = go(play, "0 draw")
    assert (play.position.by, play.position.tile) == ("replacement", "9s")
    play = go(play, "0 discard 4m", "all pass")
    assert str(play.source) == "w1.14u"


def test_a_claimed_kong_is_laid_down_and_replaced() -> None:
    play = table({0: NUMBERS, 2: "999s 345m 678m 123p 45p EE"})
    play = go(play, "0 discard 9s", "2 kong", "all pass")
    assert (play.to_act, play.position.stage) == ((2,), Stage.REPLACE)
    assert str(play.position.seats[2].melds[0]) == "kong 9s 9s 9s 9s"


def test_WZ_21_an_added_kong_can_be_robbed_and_a_concealed_kong_cannot() -> None:
    ponged = "999s 345m 678m 123p 45p EE"
    robber = "345m 678m 123p 456p 7s C EE"
    play = table({1: ponged, 3: robber, 0: NUMBERS})
    before = go(play, "0 discard 9s", "1 pong", "all pass")
    turn = changed(before, stage=Stage.ACT, tile="9s")
    asked = go(turn, "1 kong 9s")
    assert asked.position.stage is Stage.ROB
    assert "win" in allowed(asked, 3)
    over = go(asked, "3 win", *(f"{seat} pass" for seat in asked.to_act if seat != 3))
    assert over.settlement is not None
    assert (over.settlement.name, over.settlement.multiplier) == ("robbing a kong", 2)
    assert over.kongs == 0
    assert open_sets(asked, "3 win", *(f"{seat} pass" for seat in asked.to_act if seat != 3)) == [
        ("pong", 1, None),
        ("hand", 3, 1),
    ]
    kept = go(asked, "all pass")
    assert str(kept.position.seats[1].melds[0]) == "kong 9s 9s 9s 9s"
    assert (kept.kongs, kept.position.stage) == (1, Stage.REPLACE)
    hidden_kong = go(
        table({0: "9999s 4m 7m 9m 1p 4p 7p 4s 5s 7s 8p 8p 6s 6s", 3: robber}), "0 kong 9s"
    )
    assert hidden_kong.position.stage is Stage.REPLACE


def test_WZ_19_heaven_and_earth_are_won_in_play() -> None:
    complete = "345m 678m 123p 456p 7s C EE 9s"
    over = go(table({0: complete}), "0 win")
    assert over.settlement is not None
    assert (over.settlement.name, over.settlement.balance()[0]) == ("heaven", 24)
    over = go(
        table({0: NUMBERS, 2: "345m 678m 123p 456p 7s C EE"}), "0 discard 9s", "2 win", "all pass"
    )
    assert over.settlement is not None
    assert (over.settlement.name, over.settlement.balance()[2]) == ("earth", 16)


def test_E11_after_a_concealed_kong_of_the_dealer_a_win_is_not_earth() -> None:
    dealer = "3333s 4m 7m 9m 1p 4p 7p 4s 5s 7s 8p 8p 9s 9s"
    play = table({0: dealer, 2: "345m 678m 123p 456p 7s C EE"}, tail="1m")
    over = go(play, "0 kong 3s", "0 draw", "0 discard 9s", "2 win", "all pass")
    assert over.settlement is not None and over.settlement.name == "soft"


def test_a_self_drawn_win_is_paid_by_all_three() -> None:
    waiting = "345m 678m 123p 456p 7s C EE"
    play = table({0: DEALER, 1: waiting}, draws="9s", streak=3)
    over = go(play, "0 discard 3z", "all pass", "1 draw", "1 win")
    assert over.settlement is not None
    assert (over.settlement.name, over.settlement.balance()) == (
        "self-draw",
        {1: 16, 0: -12, 2: -2, 3: -2},
    )
    assert over.to_act == () and not list(over.legal_actions)
