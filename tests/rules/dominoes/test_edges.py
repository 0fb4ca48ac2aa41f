"""Dominoes: special cases of the rules, and house rules."""

from __future__ import annotations

import pytest

from rules.errors import IllegalSetupError
from rules.games.dominoes.actions import Call, Draw, Go
from rules.games.dominoes.bot import sensible
from rules.games.dominoes.layout import End, Tableau
from rules.games.dominoes.score import hand_score
from rules.play import HOUSE, IllegalActionError
from tests.rules.dominoes.hands import dealt, follow, offered, parameters, points


def test_equal_ends_are_listed_as_one_place_to_play() -> None:
    play = follow(dealt("block", "3-3 1-0", "4-3 6-5"), "3-3")
    assert offered(play) == {"4-3 on 3"}
    assert play.tableau.open_ends == 2


def test_no_seat_draws_or_goes_before_the_set() -> None:
    play = dealt("draw", "6-5", "4-4", boneyard="1-1 2-2 3-3")
    for text in ("draw", "go"):
        with pytest.raises(IllegalActionError, match="before the first tile is set; set a"):
            follow(play, text)


def test_at_draw_a_seat_that_can_play_cannot_draw_or_go() -> None:
    play = follow(dealt("draw", "6-5 1-0", "6-6 4-4", boneyard="1-1 2-2 3-3"), "6-5")
    with pytest.raises(IllegalActionError, match="Seat 1 can play, so it cannot draw"):
        follow(play, "draw")
    with pytest.raises(IllegalActionError, match="Seat 1 can play, so it cannot go"):
        follow(play, "go")


def test_a_seat_that_cannot_play_has_to_draw_before_it_goes() -> None:
    play = follow(dealt("draw", "6-5 1-0", "4-4", boneyard="1-1 2-2 3-3"), "6-5")
    with pytest.raises(
        IllegalActionError,
        match="has to draw before it can go: 3 tiles are in the boneyard, of which 2 stay",
    ):
        follow(play, "go")


def test_a_house_can_let_the_player_decide_whether_to_draw() -> None:
    play = dealt("draw", "6-5 1-0", "4-4", boneyard="1-1 2-2 3-3", draw="free")
    assert list(follow(play, "6-5").legal_actions) == [Draw(1), Go(1)]


def test_no_seat_draws_from_an_empty_boneyard() -> None:
    play = follow(dealt("draw", "6-5 1-0", "4-4"), "6-5")
    with pytest.raises(IllegalActionError, match="No tile can be drawn: no tiles are left"):
        follow(play, "draw")
    assert list(play.legal_actions) == [Go(1)]


def test_at_matador_and_sniff_a_seat_that_can_play_can_also_draw() -> None:
    for game, tile in (("matador", "6-2"), ("sniff", "6-2")):
        hands = ("6-6 3-3", "6-1 4-1")
        play = dealt(game, *hands, boneyard="0-0 5-5 " + tile)
        play = follow(play, "6-6" if game == "matador" else "6-6 crosswise")
        assert Draw(1) in play.legal_actions
        assert (Go(1) in play.legal_actions) is (game == "sniff")


def test_at_sniff_a_full_round_of_go_ends_the_hand_although_all_could_play() -> None:
    play = follow(dealt("sniff", "6-5 5-5", "6-4 5-3"), "6-5", "go", "go")
    assert play.settlement is not None
    assert play.settlement.name == "blocked"
    assert play.settlement.balance() == {0: 18, HOUSE: -18}


def test_a_tile_after_a_go_begins_a_new_round_of_go() -> None:
    play = follow(dealt("block", "6-5 5-5 4-0", "3-3", "2-2"), "6-5", "go", "go", "5-5 on 5", "go")
    assert play.settlement is None
    assert play.goes == 1


def test_both_ends_blank_without_a_matador_block_the_hand() -> None:
    play = dealt("matador", "0-0 6-6", "4-4", turn=0, set_tile="any", draw="none")
    play = follow(play, "0-0", "go", "go")
    assert play.settlement is not None and play.settlement.name == "blocked"
    assert play.settlement.winner == 1


def test_either_half_of_a_matador_can_be_outside_if_the_house_allows() -> None:
    play = follow(dealt("matador", "6-6 1-1", "6-1 5-2 0-0"), "6-6")
    assert {text for text in offered(play) if text != "draw"} == {
        "6-1 on 6, 1 out",
        "6-1 on 6, 6 out",
        "5-2 on 6, 2 out",
        "5-2 on 6, 5 out",
        "0-0 on 6",
    }
    strict = dealt("matador", "6-6 1-1", "6-1 5-2 0-0", matador_free_orientation=False)
    assert offered(follow(strict, "6-6")) == {
        "6-1 on 6",
        "5-2 on 6, 2 out",
        "5-2 on 6, 5 out",
        "0-0 on 6",
    }
    with pytest.raises(
        IllegalActionError, match="Write which half of 6-1 is outside: '1 out' or '6 out'"
    ):
        follow(play, "6-1 on 6")


def test_seven_is_made_by_one_and_six_two_and_five_three_and_four() -> None:
    for end, touching in ((6, 1), (5, 2), (4, 3), (3, 4), (2, 5), (1, 6)):
        tableau = Tableau(parameters("matador"), (End(end), End(end)))
        plain = [tile for tile in tableau.lays[0] if tile not in {"6-1", "5-2", "4-3", "0-0"}]
        assert plain and all(str(touching) in tile for tile in plain)


def test_the_last_tile_scores_before_the_hand_ends() -> None:
    play = follow(dealt("muggins", "4-1", "6-6", muggins_call=False), "4-1")
    assert play.settlement is not None
    assert play.settlement.balance() == {0: 5 + 12, HOUSE: -17}


def test_the_last_tile_can_be_called_until_the_next_seat_goes() -> None:
    play = follow(dealt("muggins", "4-1", "6-6"), "4-1")
    assert play.settlement is None
    assert list(play.legal_actions) == [Go(1), Call(1), Call(0)]
    called = follow(play, "0: call")
    assert called.settlement is not None and called.scores == (5, 0)
    assert called.settlement.balance()[0] == 17
    missed = follow(play, "go")
    assert missed.settlement is not None and missed.settlement.balance()[0] == 12


def test_a_house_can_end_the_call_with_the_next_action_of_any_seat() -> None:
    hands = ("4-1 5-5", "6-6 0-0")
    play = follow(dealt("muggins", *hands), "4-1", "go")
    assert Call(1) in play.legal_actions
    play = follow(dealt("muggins", *hands, muggins_window="next_action"), "4-1", "go")
    assert Call(1) not in play.legal_actions
    with pytest.raises(IllegalActionError, match="There are no points to call: the open ends"):
        follow(play, "1: call")


def test_open_ends_of_0_pips_score_nothing() -> None:
    play = follow(dealt("muggins", "0-0 6-6", "4-4"), "0-0")
    assert play.claim == 0


def test_at_bergen_a_tile_that_equals_the_doublet_at_the_other_end_makes_a_triple_too() -> None:
    hands = ("3-3 5-4 1-1", "4-3 5-3 0-0")
    actions = ("3-3", "4-3 on 3-3", "5-4 on 4", "5-3 on 5")
    assert points(follow(dealt("bergen", *hands), *actions)) == [2, 3]
    assert points(follow(dealt("bergen", *hands, triple_by_single=False), *actions)) == [2, 2]


def test_at_bergen_a_second_triple_header_counts_three_again() -> None:
    hands = ("4-3 5-2 3-3 6-1 0-0", "4-2 5-3 3-1 6-3 2-2")
    play = dealt("bergen", *hands, set_tile="any", set_points=0)
    play = follow(play, "4-3", "4-2 on 4", "5-2 on 2", "5-3 on 5", "3-3 on 3")
    assert str(play.tableau) == "3-3 3"
    assert points(follow(play, "3-1 on 3", "6-1 on 1", "6-3 on 6")) == [2, 3, 3]


def test_at_bergen_a_hand_is_worth_one_point_if_out_or_blocked() -> None:
    out = follow(dealt("bergen", "3-3", "6-6"), "3-3").settlement
    assert out is not None and out.balance()[0] == 2 + 1
    blocked = follow(dealt("bergen", "3-3 6-5", "6-6 0-0"), "3-3", "go", "go").settlement
    assert blocked is not None and blocked.winner == 0
    assert blocked.payments[-1].amount == 1


def test_at_bergen_a_house_can_prefer_hands_without_doublets_in_a_blocked_hand() -> None:
    hands = [["0-0"], ["6-5"]]
    assert hand_score(parameters("bergen"), hands, None).winner == 0
    assert hand_score(parameters("bergen", blocked_doublets_lose=True), hands, None).winner == 1


@pytest.mark.parametrize(("others", "rounded"), [("6-6 4-2", 20), ("6-6 5-0", 15), ("5-5", 10)])
def test_a_house_can_round_the_hand_to_the_nearest_five(others: str, rounded: int) -> None:
    score = hand_score(parameters("muggins", round_hand="nearest5"), [[], others.split()], 0)
    assert score.points == rounded


def test_at_sebastopol_all_four_arms_are_open_after_the_sides_are_covered() -> None:
    play = dealt("sebastopol", "6-6 5-1 0-0", "6-2 2-0", "6-3 3-0", "6-4 6-5 5-5")
    assert offered(play) == {"6-6"}
    play = follow(
        play, "6-6", "6-2 on 6-6 side", "6-3 on 6-6 side", "6-4 on 6-6 side", "go", "go", "go"
    )
    assert offered(play) == {"6-5 on 6-6 side"}
    play = follow(play, "6-5 on 6-6 side")
    assert str(play.tableau) == "2 3 4 5"
    assert follow(play, "5-1 on 5").tableau.open_ends == 4


def test_a_sniff_in_line_is_the_sniff_and_later_doublets_are_not() -> None:
    play = follow(dealt("sniff", "4-1 4-4 0-0", "1-1 2-2"), "4-1", "1-1 in line on 1")
    play = follow(play, "4-4 crosswise on 4")
    assert play.tableau.open_ends == 2
    assert play.tableau.total == 9


def test_a_house_can_give_four_sides_to_a_sniff_in_line() -> None:
    play = dealt("sniff", "4-1 4-4 1-0", "1-1 2-2", inline_sniff_four_way=True)
    play = follow(play, "4-1", "1-1 in line on 1")
    assert play.tableau.total == 5
    assert play.tableau.open_ends == 4
    assert {"1-0 on 1-1 side", "1-0 on 1-1 end"} <= offered(play)


def test_the_orientation_of_a_doublet_is_given_only_if_it_is_a_choice() -> None:
    sniff = follow(dealt("sniff", "4-1 6-6", "1-1 5-1"), "4-1")
    with pytest.raises(
        IllegalActionError, match="Write how 1-1 lies: '1-1 crosswise' or '1-1 in line'"
    ):
        follow(sniff, "1-1 on 1")
    muggins = follow(dealt("muggins", "4-1 6-6", "1-1 5-1"), "4-1")
    with pytest.raises(
        IllegalActionError, match="1-1 can lie in one way only; leave 'crosswise' out"
    ):
        follow(muggins, "1-1 crosswise on 1")


def test_if_the_house_does_not_stop_at_once_a_hand_continues_past_the_target() -> None:
    play = dealt("sniff", "4-1 6-6", "5-5", scores=(198, 0), stop_immediately=False)
    play = follow(play, "4-1")
    assert play.settlement is None
    assert play.scores == (203, 0)


def test_a_call_can_win_the_game() -> None:
    play = follow(dealt("muggins", "4-1 6-6", "5-5", scores=(0, 195)), "4-1", "1: call")
    assert play.settlement is not None
    assert (play.settlement.name, play.settlement.winner) == ("target", 1)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"boneyard_reserve": -1}, "`boneyard_reserve` must be at least 0"),
        ({"target": 0}, "`target` must be at least 1 point, not 0"),
        ({"muggins_call": True}, "points to call, but `base` is 0"),
        ({"sniff": True, "sides_first": True}, "cannot both be true; set one of the two to false"),
    ],
)
def test_impossible_parameters_are_refused(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(IllegalSetupError, match=sentence):
        parameters("block", **changes)


@pytest.mark.parametrize(
    ("hands", "sentence"),
    [
        (("6-6 6-6", "1-1"), "6-6 is named twice"),
        (("7-6", "1-1"), "'7-6' is not a domino"),
        (("", "1-1"), r"Every player needs at least one tile"),
    ],
)
def test_hands_that_a_set_of_dominoes_cannot_fill_are_refused(
    hands: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(IllegalSetupError, match=sentence):
        dealt("block", *hands)


def test_a_sensible_player_scores_calls_draws_and_goes() -> None:
    play = dealt("muggins", "4-1 6-6 3-2", "6-5 0-0", boneyard="5-5 2-2 3-0")
    play = play.apply(sensible(play, 0))
    assert play.claim == 5
    assert sensible(play, 1) == Call(1)
    play = follow(play, "0: call")
    assert sensible(play, 1) == Draw(1)
    with pytest.raises(IllegalActionError, match=r"Seat 0 cannot act now; seat 1 can\."):
        sensible(play, 0)
    assert sensible(follow(play, "draw"), 1) == Go(1)


def test_a_hand_needs_one_score_for_each_player() -> None:
    with pytest.raises(IllegalSetupError, match="2 players; give one score"):
        dealt("block", "6-6", "1-1", scores=(0, 0, 0))


def test_a_winner_with_more_pips_than_the_others_scores_nothing_at_difference() -> None:
    house = parameters("block", block_score="difference", blocked_doublets_lose=True)
    assert hand_score(house, [["0-0"], ["6-5"]], None)[:2] == (1, 0)
