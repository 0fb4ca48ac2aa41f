"""Dominoes: the cases of the rules, by their numbers; set-ups are tested in test_domino_setups."""

from __future__ import annotations

import pytest

from rules.games.dominoes.actions import Call, Draw, Go, Lay
from rules.games.dominoes.layout import End, Tableau, empty_tableau
from rules.geometry import Seat
from rules.play import IllegalActionError, Settlement
from tests.rules.dominoes.hands import dealt, follow, offered, parameters, points

MATADORS = {"6-1", "5-2", "4-3", "0-0"}


def gains(settlement: Settlement | None) -> dict[Seat, int]:
    assert settlement is not None
    return {seat: int(gain) for seat, gain in settlement.balance().items() if seat >= 0}


def test_DM_01_at_muggins_5_5_5_0_and_0_0_score_ten_each() -> None:
    play = dealt("muggins", "5-5 0-0 6-6", "5-0 4-4", muggins_call=False)
    play = follow(play, "5-5", "5-0 on 5-5", "0-0 on 0")
    assert points(play) == [10, 10, 10]


def test_DM_02_open_ends_6_and_0_score_nothing_but_6_and_4_score_ten() -> None:
    play = dealt("muggins", "5-5 0-0 6-6 4-0", "5-0 6-5 3-3", muggins_call=False)
    play = follow(play, "5-5", "5-0 on 5-5", "0-0 on 0", "6-5 on 5-5")
    assert play.tableau.total == 6
    assert points(play) == [10, 10, 10]
    play = follow(play, "4-0 on 0-0")
    assert points(play) == [10, 10, 10, 10]


def test_DM_03_doublets_at_both_ends_count_all_their_halves() -> None:
    play = dealt("muggins", "6-4 6-6 1-1", "4-4 2-1", muggins_call=False)
    play = follow(play, "6-4", "4-4 on 4", "6-6 on 6")
    assert play.tableau.ends == (End(4, "doublet"), End(6, "doublet"))
    assert points(play)[-1] == play.tableau.total == 20


def test_DM_04_points_that_the_scorer_does_not_call_go_to_the_first_caller() -> None:
    play = follow(dealt("muggins", "4-1 6-6", "4-4 5-1"), "4-1", "1: call", "4-4 on 4")
    assert [(score.seat, score.points) for score in play.scored] == [(1, 5)]


def test_DM_05_points_that_are_not_called_are_lost_with_the_next_tile() -> None:
    play = follow(dealt("muggins", "4-1 6-6", "4-4 5-1"), "4-1")
    assert Call(0) in play.legal_actions
    play = follow(play, "4-4 on 4")
    assert play.scored == ()
    assert Call(0) not in play.legal_actions


@pytest.mark.parametrize(
    ("orientation", "total", "scored", "open_ends"),
    [("in line", 5, [5, 5], 2), ("crosswise", 6, [5], 4)],
)
def test_DM_06_the_sniff_in_line_or_crosswise(
    orientation: str, total: int, scored: list[int], open_ends: int
) -> None:
    play = follow(dealt("sniff", "4-1 6-6", "1-1 5-1"), "4-1", f"1-1 {orientation} on 1")
    assert play.tableau.total == total
    assert points(play) == scored
    assert play.tableau.open_ends == open_ends


SNIFF = ("4-4 4-1 4-3 2-2", "6-4 5-4 6-6 3-3")
ON_LONG_SIDES = ("4-4 crosswise", "6-4 on 4-4 side", "4-1 on 4-4 side")
ON_SHORT_ENDS = (*ON_LONG_SIDES, "5-4 on 4-4 end", "4-3 on 4-4 end")


def totals(*actions: str) -> list[int]:
    play, counted = dealt("sniff", *SNIFF), []
    for text in actions:
        play = follow(play, text)
        counted.append(play.tableau.total)
    return counted


def test_DM_07_uncovered_short_ends_count_and_uncovered_long_sides_do_not() -> None:
    assert totals(*ON_LONG_SIDES) == [8, 14, 15]
    assert points(follow(dealt("sniff", *SNIFF), *ON_LONG_SIDES)) == [15]


def test_DM_08_a_covered_short_end_is_replaced_by_its_arm() -> None:
    assert totals(*ON_SHORT_ENDS)[3:] == [16, 15]
    assert points(follow(dealt("sniff", *SNIFF), *ON_SHORT_ENDS)) == [15, 15]


@pytest.mark.parametrize(("orientation", "total"), [("crosswise", 21), ("in line", 15)])
def test_DM_09_a_later_doublet_does_not_branch(orientation: str, total: int) -> None:
    play = follow(dealt("sniff", *SNIFF), *ON_SHORT_ENDS, f"6-6 {orientation} on 6")
    assert play.tableau.total == total
    assert play.tableau.open_ends == 4
    assert points(play) == ([15, 15, 15] if total == 15 else [15, 15])


def test_DM_10_threes_score_three_six_and_nine() -> None:
    play = dealt("threes", "2-1 4-1 0-0", "5-2 1-1", muggins_call=False)
    assert points(follow(play, "2-1", "5-2 on 2", "4-1 on 1")) == [3, 6, 9]


def test_DM_11_bergen_a_double_header_and_the_triple_after_it() -> None:
    play = dealt("bergen", "4-3 5-2 3-3 0-0", "4-2 5-3 1-1", set_tile="any", set_points=0)
    play = follow(play, "4-3", "4-2 on 4", "5-2 on 2", "5-3 on 5")
    assert [(score.seat, score.points) for score in play.scored] == [(1, 2)]
    play = follow(play, "3-3 on 3")
    assert [(score.seat, score.points) for score in play.scored] == [(1, 2), (0, 3)]


def test_DM_12_setting_scores_two_at_bergen() -> None:
    play = follow(dealt("bergen", "2-2 6-5", "6-4 5-4"), "2-2")
    assert points(play) == [2]


def fitting(*ends: int) -> set[str]:
    tableau = Tableau(parameters("matador"), tuple(End(number) for number in ends))
    return set(tableau.lays[0])


def test_DM_13_on_a_six_all_tiles_with_a_one_and_the_matadors_fit() -> None:
    ones = {"1-0", "1-1", "2-1", "3-1", "4-1", "5-1", "6-1"}
    assert fitting(6) == ones | MATADORS
    assert len(fitting(6)) == 10


def test_DM_14_on_blanks_only_the_matadors_fit() -> None:
    assert fitting(0, 0) == MATADORS


def test_DM_15_the_setter_at_matador_has_to_set_the_tile_that_decided_the_set() -> None:
    play = dealt("matador", "6-4 5-4 1-0", "6-2 3-2")
    assert offered(play) == {"6-4"}
    with pytest.raises(IllegalActionError, match="Seat 0 cannot set 5-4: it has to set"):
        follow(play, "5-4")


def test_DM_16_a_seat_draws_from_a_boneyard_of_three_but_not_of_two() -> None:
    play = follow(dealt("draw", "6-6 5-5", "4-4 3-3", boneyard="2-2 1-1 0-0"), "6-6")
    assert list(play.legal_actions) == [Draw(1)]
    play = follow(play, "draw")
    assert list(play.legal_actions) == [Go(1)]
    assert play.hands[1] == ("4-4", "3-3", "2-2")
    assert play.boneyard == ("1-1", "0-0")


def test_DM_17_the_seat_with_the_heavier_doublet_sets_it() -> None:
    play = dealt("block", "0-0 6-5", "1-1 1-0", turn=1, set_tile="deciding")
    assert offered(play) == {"1-1"}


def test_DM_18_at_sebastopol_a_seat_without_a_six_passes_until_all_sides_are_covered() -> None:
    play = dealt("sebastopol", "6-6 6-1 1-0", "6-2 2-0", "6-3 3-0", "4-4 4-2")
    play = follow(play, "6-6", "6-2 on 6-6 side", "6-3 on 6-6 side")
    assert list(play.legal_actions) == [Go(3)]
    with pytest.raises(IllegalActionError, match="sides of the first tile are covered"):
        follow(play, "4-2 on 2")


def test_DM_19_the_seat_that_is_out_scores_the_pips_of_the_other_hands() -> None:
    play = dealt("block", "6-6", "6-5 3-3", "1-0")
    settlement = follow(play, "6-6").settlement
    assert settlement is not None and settlement.name == "out"
    assert gains(settlement) == {0: 18}


@pytest.mark.parametrize(("block_score", "won"), [("sum", 15), ("difference", 14)])
def test_DM_20_the_hand_with_the_fewest_pips_wins_a_blocked_hand(
    block_score: str, won: int
) -> None:
    play = dealt("block", "3-3 1-0", "6-5", "4-0", block_score=block_score)
    settlement = follow(play, "3-3", "go", "go", "go").settlement
    assert settlement is not None and settlement.name == "blocked"
    assert gains(settlement) == {0: won}


def test_DM_21_equal_lowest_hands_score_nothing() -> None:
    play = follow(dealt("block", "3-3 1-0", "6-5", "1-1"), "3-3", "go", "go", "go")
    assert gains(play.settlement) == {0: 13}
    play = follow(dealt("block", "3-3 2-0", "6-5", "1-1"), "3-3", "go", "go", "go")
    assert play.settlement is not None
    assert play.settlement.payments == ()
    assert play.settlement.winner is None
    assert "(C10)" in play.settlement.reasons[0]


def test_DM_22_any_tile_can_be_set_at_sniff() -> None:
    assert offered(dealt("sniff", "2-1 3-3", "4-0 5-5")) == {"2-1", "3-3 crosswise", "3-3 in line"}


def test_DM_23_two_hundred_points_end_the_game_during_the_hand() -> None:
    play = dealt("sniff", *SNIFF, scores=(190, 40))
    play = follow(play, *ON_LONG_SIDES)
    assert play.settlement is not None and play.settlement.name == "target"
    assert play.scores == (205, 40)
    assert play.to_act == ()
    with pytest.raises(IllegalActionError, match=r"The hand is over"):
        play.apply(Lay(1, "5-4", "4-4 end"))


def test_an_empty_tableau_has_no_ends() -> None:
    assert empty_tableau(parameters("block")).open_ends == 0
