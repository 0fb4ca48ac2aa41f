"""Filipino mahjong: the play after the set-up: draws, claims, kongs and false wins."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from rules.errors import IllegalSetupError
from rules.games.filipino import (
    FILIPINO,
    FILIPINO_RULES,
    Parameters,
    start,
)
from rules.games.filipino.actions import Act, parse
from rules.games.filipino.hand import Hand, Meld
from rules.games.filipino.table import dealt_hand
from rules.play import IllegalActionError, Payment, Rules
from tests.rules.filipino.dealing import (
    ROLLER,
    WAITING,
    acted,
    all_pass,
    dealt,
    gains,
    hand_of,
    hidden_play,
    play_of,
    play_with,
    settled,
)


def test_FM_18_a_secret_kong_is_face_down_and_is_paid_and_replaced() -> None:
    tiles = "4p 4p 4p 4p 2m 4m 6m 8m 1s 3s 5s 9s 2p 8p 6p 7m 9m"
    play = play_with({0: hand_of(tiles)}, replacements=["3m"])
    left = play.table.wall.left
    play = acted(play, "0 secret 4p 4p 4p 4p")
    assert gains(play) == [15, -5, -5, -5]
    assert play.table.hands[0].melds == (
        Meld("kong", ("4p", "4p", "4p", "4p"), concealed=True, secret=True),
    )
    assert play.table.hands[0].size == 14
    assert play.table.drawn == "3m"
    assert play.table.wall.left == left - 1
    assert play.to_act == (0,)


def test_FM_18_a_secret_kong_is_refused_if_the_house_shows_kongs() -> None:
    tiles = "4p 4p 4p 4p 2m 4m 6m 8m 1s 3s 5s 9s 2p 8p 6p 7m 9m"
    play = play_with({0: hand_of(tiles)}, house=Parameters(kong_secret=False))
    with pytest.raises(IllegalActionError, match="a concealed kong is shown"):
        acted(play, "0 secret 4p 4p 4p 4p")
    assert parse(0, "kong 4p 4p 4p 4p") in play.legal_actions


def pong_of_six() -> Hand:
    """A hand with a called pong of 6s and the fourth 6s concealed."""
    hand = hand_of("2m 4m 6m 8m 1p 3p 5p 9p 2s 4s 8s 9s 9s 6s")
    return replace(hand, melds=(Meld("pong", ("6s", "6s", "6s")),))


def test_FM_19_the_tile_added_to_a_pong_can_be_won() -> None:
    play = play_with({0: pong_of_six(), 3: hand_of(WAITING)})
    play = acted(play, "0 add 6s")
    assert play.to_act == (3,)
    assert {str(act) for act in play.legal_actions} == {"pass", "win"}
    robbed = acted(play, "3 win")
    assert settled(robbed) == (
        "robbing the kong",
        {0: -10, 1: -10, 2: -10, 3: 30},
        (0, 0, 0, 1),
    )
    assert "6s" not in robbed.table.hands[0].concealed


def test_FM_19_a_kong_that_is_not_robbed_is_paid_and_replaced() -> None:
    play = acted(play_with({0: pong_of_six(), 3: hand_of(WAITING)}), "0 add 6s", "3 pass")
    assert gains(play) == [15, -5, -5, -5]
    assert play.table.hands[0].melds == (Meld("kong", ("6s",) * 4),)
    assert play.to_act == (0,) and play.table.phase == "turn"


@pytest.mark.parametrize(("multi_win", "winner"), [("upper_seat_first", 3), ("next_in_turn", 1)])
def test_FM_20_the_house_decides_which_of_two_winners_wins(multi_win: str, winner: int) -> None:
    house = Parameters(multi_win=multi_win)  # type: ignore[arg-type]
    play = play_with(
        {0: hand_of(ROLLER), 1: hand_of(WAITING), 3: hand_of(WAITING)},
        house=house,
    )
    play = acted(play, "0 discard 6s")
    assert set(play.to_act) >= {1, 3}
    play = all_pass(acted(play, "1 win", "3 win"))
    assert play.settlement is not None
    assert play.settlement.winner == winner


def test_FM_22_a_false_win_pays_ten_to_each_and_the_hand_is_dead() -> None:
    play = play_with({0: hand_of(ROLLER)})
    with pytest.raises(IllegalActionError, match="6s 7s 8s 9s 9s; if it showed the hand, write"):
        acted(play, "0 win")
    play = acted(play, "0 false win")
    assert gains(play) == [-30, 10, 10, 10]
    assert play.settlement is None and play.to_act == (0,)
    with pytest.raises(
        IllegalActionError, match="showed a false win in this hand and cannot win it"
    ):
        acted(play, "0 win")
    with pytest.raises(IllegalActionError, match="has already paid for a false win in this hand"):
        acted(play, "0 false win")


def test_FM_22_a_false_win_ends_the_hand_if_the_house_plays_so() -> None:
    play = play_with({0: hand_of(ROLLER)}, house=Parameters(after_false_win="ends"))
    assert settled(acted(play, "2 false win"))[:2] == ("false win", {0: 10, 1: 10, 2: -30, 3: 10})


def test_FM_22_a_false_win_on_a_discard_counts_as_a_pass() -> None:
    play = acted(play_with({0: hand_of(ROLLER), 2: hand_of(WAITING)}), "0 discard 6s")
    asked = play.to_act
    assert 2 in asked and 3 not in asked
    play = acted(play, "3 false win")
    assert gains(play) == [10, 10, 10, -30] and play.to_act == asked
    hidden = hidden_play(3)
    opened = acted(hidden, f"{hidden.table.mano} discard")
    seat = opened.to_act[0]
    assert acted(opened, f"{seat} false win").to_act == opened.to_act[1:]
    with pytest.raises(IllegalActionError, match="has already"):
        acted(opened, f"{seat} pass", f"{seat} false win")


def test_FM_22_a_seat_that_can_win_cannot_declare_a_false_win() -> None:
    play = acted(play_with({0: hand_of(ROLLER), 2: hand_of(WAITING)}), "0 discard 6s")
    with pytest.raises(IllegalActionError, match="Seat 2 does win; write 'win'"):
        acted(play, "2 false win")


def test_FM_23_a_pong_is_granted_before_a_chow() -> None:
    play = play_with(
        {
            0: hand_of(ROLLER),
            1: hand_of("7s 9s 1m 1m 4m 4m 7p 7p 1p 1p 4p 4p 1s 1s 4s 4s"),
            3: hand_of("8s 8s 1m 1m 4m 4m 7p 7p 1p 1p 4p 4p 1s 1s 4s 4s"),
        }
    )
    play = acted(play, "0 discard 8s", "1 chow 7s 8s 9s")
    assert play.to_act == (3,), "all seats are asked before the claims are decided"
    play = acted(play, "3 pong 8s 8s 8s")
    assert play.table.turn == 3
    assert play.table.phase == "discard"
    assert play.table.hands[1].melds == ()
    assert play.table.middle == ()
    with pytest.raises(
        IllegalActionError, match=r"Seat 3 cannot win now; it can: discard, flores\."
    ):
        acted(play, "3 win")


def test_only_a_discard_of_the_upper_seat_can_be_chowed() -> None:
    play = play_with(
        {0: hand_of(ROLLER), 2: hand_of("7s 9s 8s 8s 4m 4m 7p 7p 1p 1p 4p 4p 1s 1s 4s 4s")}
    )
    play = acted(play, "0 discard 8s")
    with pytest.raises(IllegalActionError, match="only from its upper seat"):
        acted(play, "2 chow 7s 8s 9s")


def test_a_joker_can_be_in_a_called_set_unless_the_house_forbids_it() -> None:
    hands = {0: hand_of(ROLLER), 1: hand_of("5m 9s 1m 2m 4m 7m 7p 8p 1p 2p 4p 4p 1s 2s 4s 4s")}
    play = acted(play_with(hands), "0 discard 8s")
    called = acted(play, "1 chow 7s* 8s 9s")
    assert called.table.hands[1].melds == (Meld("chow", ("7s*", "8s", "9s")),)
    assert "5m" not in called.table.hands[1].concealed
    play = acted(play_with(hands, house=Parameters(joker_in_melds=False)), "0 discard 8s")
    assert play.table.offer is None, "no seat can claim the tile"


def test_a_discarded_joker_counts_as_its_face_or_is_dead_or_forbidden() -> None:
    roller = hand_of(ROLLER.replace("8s", "5m"))
    neighbour = hand_of("4m 6m 1m 2m 8s 8s 7p 8p 1p 2p 4p 4p 1s 2s 4s 4s")
    hands = {0: roller, 1: neighbour}
    play = acted(play_with(hands), "0 discard 5m")
    assert {str(act) for act in play.legal_actions} == {"pass", "chow 4m 5m 6m"}
    with pytest.raises(IllegalActionError, match="does not use the offered tile 5m"):
        acted(play, "1 pong 8s 8s 8s*")
    dead = acted(play_with(hands, house=Parameters(joker_discard="dead")), "0 discard 5m")
    assert dead.table.phase == "draw"
    with pytest.raises(IllegalActionError, match="5m is the joker, which cannot be discarded"):
        acted(play_with(hands, house=Parameters(joker_discard="forbidden")), "0 discard 5m")


def test_of_a_pong_and_a_kong_the_claim_of_the_next_seat_in_turn_is_granted() -> None:
    with_joker = hand_of("8s 5m 1m 2m 4m 7m 7p 8p 1p 2p 4p 4p 1s 2s 4s 4s")
    with_jokers = hand_of("8s 5m 5m 2m 4m 7m 7p 8p 1p 2p 4p 4p 1s 2s 4s 4s")
    play = acted(play_with({0: hand_of(ROLLER), 2: with_joker, 3: with_jokers}), "0 discard 8s")
    play = all_pass(acted(play, "3 kong 8s 8s 8s* 8s*", "2 pong 8s 8s 8s*"))
    assert play.table.turn == 2


def test_a_claimed_kong_is_paid_and_its_seat_draws_a_tile_and_can_win() -> None:
    claimer = hand_of("8s 8s 8s 1m 2m 3m 7m 8m 9m 7p 7p 7p 1s 2s 3s 9p")
    play = play_with({0: hand_of(ROLLER), 2: claimer}, replacements=["9p"])
    play = all_pass(acted(play, "0 discard 8s", "2 kong 8s 8s 8s 8s"))
    assert gains(play) == [-5, -5, 15, -5]
    assert (play.table.turn, play.table.phase) == (2, "turn")
    play = acted(play, "2 win")
    assert settled(play) == ("self-draw", {0: -15, 1: -15, 2: 45, 3: -15}, (0, 0, 2, 0))


def test_a_flores_that_was_not_replaced_in_the_set_up_stays_in_the_hand() -> None:
    house = Parameters()
    hand = dealt_hand(("1z", "3f", *WAITING.split()), 1, house)
    assert (hand.concealed.count("3f"), hand.flores) == (1, ("1z",))
    with pytest.raises(IllegalSetupError, match="has 0 flores, but the set-up"):
        dealt_hand(tuple(WAITING.split()), 1, house)
    unread = dealt_hand((None,) * 17, 1, house)
    assert (unread.unknown, unread.flores) == (16, (None,))


def test_a_play_needs_a_finished_set_up() -> None:
    with pytest.raises(IllegalSetupError, match="The set-up still waits for"):
        start(FILIPINO.setup())


def test_the_game_has_rules_of_the_common_type() -> None:
    assert isinstance(FILIPINO_RULES, Rules)
    setup, tiles = dealt(Random(5))
    match = FILIPINO_RULES.match(Parameters(), 4, 0)
    play = FILIPINO_RULES.start(setup, tiles, match)
    seat = play.to_act[0]
    act = FILIPINO_RULES.sensible(play, seat)
    assert FILIPINO_RULES.parse(seat, str(act)) == act
    assert all(isinstance(payment, Payment) for payment in play.table.payments)
    assert play.next_draw is not None and play.next_replacement is not None


def test_an_invalid_action_is_not_legal() -> None:
    play = play_of(1)
    text: object = "discard"
    assert text not in play.legal_actions
    for act in (Act(0, "chow", ("1m",)), Act(7, "draw"), Act(0, "dance")):  # type: ignore[arg-type]
        assert act not in play.legal_actions
