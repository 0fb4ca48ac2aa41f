"""The judge of dominoes: whether an action is legal, and what it scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigErrors
from config.judge_cases import load_case
from rules.errors import RulesError
from rules.games import judging_of
from rules.games.dominoes.judge import Case, House, judge
from rules.games.dominoes.setup import double_six
from rules.games.dominoes.variants import VARIANTS
from rules.judging import Verdict
from rules.play import HOUSE, Payment

MATADORS = {"6-1", "5-2", "4-3", "0-0"}
ON_LONG_SIDES = ("4-4 crosswise", "6-4 on 4-4 side", "4-1 on 4-4 side")
ON_SHORT_ENDS = (*ON_LONG_SIDES, "5-4 on 4-4 end", "4-3 on 4-4 end")


def judged(game: str, *laid: str, **more: Any) -> Verdict:
    """The verdict on the last action, after the other tiles were laid."""
    *layout, tile = laid
    return judge(Case(game, tile, tuple(layout), **more))


def points(verdict: Verdict) -> int:
    assert verdict.legal
    return int(sum(payment.amount for payment in verdict.payments))


def test_DM_01_at_muggins_5_5_5_0_and_0_0_score_ten_each() -> None:
    laid = ("5-5", "5-0", "0-0")
    assert [points(judged("muggins", *laid[:count])) for count in (1, 2, 3)] == [10, 10, 10]


@pytest.mark.parametrize(
    ("orientation", "total", "scored"), [("in line", 5, 5), ("crosswise", 6, 0)]
)
def test_DM_06_the_sniff_in_line_or_crosswise(orientation: str, total: int, scored: int) -> None:
    verdict = judged("sniff", "4-1", f"1-1 {orientation} on 1", seat=2)
    assert points(verdict) == scored
    assert f"They total {total}, " in verdict.reasons[1]
    assert {payment.to for payment in verdict.payments} <= {2}


def test_DM_07_uncovered_short_ends_count_and_uncovered_long_sides_do_not() -> None:
    each = [judged("sniff", *ON_LONG_SIDES[:count]) for count in (1, 2, 3)]
    assert [points(verdict) for verdict in each] == [0, 0, 15]
    for verdict, total in zip(each, (8, 14, 15), strict=True):
        assert verdict.reasons[1].startswith(f"They total {total}, ")


def test_DM_08_a_covered_short_end_is_replaced_by_its_arm() -> None:
    assert points(judged("sniff", *ON_SHORT_ENDS[:4])) == 0
    verdict = judged("sniff", *ON_SHORT_ENDS)
    assert points(verdict) == 15
    assert verdict.reasons[0].endswith("the open ends are now 1 3 5 6.")


@pytest.mark.parametrize(("orientation", "total"), [("crosswise", 21), ("in line", 15)])
def test_DM_09_a_later_doublet_does_not_branch(orientation: str, total: int) -> None:
    verdict = judged("sniff", *ON_SHORT_ENDS, f"6-6 {orientation} on 6")
    assert f"They total {total}, " in verdict.reasons[1]
    assert points(verdict) == (15 if total == 15 else 0)


def test_DM_10_threes_score_three_six_and_nine() -> None:
    laid = ("2-1", "5-2 on 2", "4-1 on 1")
    assert [points(judged("threes", *laid[:count])) for count in (1, 2, 3)] == [3, 6, 9]


def test_DM_11_bergen_a_double_header_and_the_triple_after_it() -> None:
    # The printed example sets 4-3, which is not a doublet (2.4).
    any_set = House(set_tile="any")
    laid = ("4-3", "4-2 on 4", "5-2 on 2", "5-3 on 5")
    double = judged("bergen", *laid, seat=1, parameters=any_set)
    assert double.payments == (Payment(HOUSE, 1, 2, "double header, 3 at both ends (2.4)"),)
    triple = judged("bergen", *laid, "3-3 on 3", parameters=any_set)
    assert (points(triple), triple.name) == (3, "3 points")
    assert triple.reasons[-1] == "Seat 0 scores 3: triple header, 3 at both ends (2.4)."


def test_DM_12_setting_scores_two_at_bergen() -> None:
    assert points(judged("bergen", "2-2")) == 2
    assert points(judged("bergen", "2-2", parameters=House(set_points=0))) == 0


def fits(tile: str, *layout: str, on: int) -> bool:
    """Whether a tile can be joined to that end at Matador, with either half outside."""
    halves = sorted(set(tile.split("-")))
    texts = (f"{tile} on {on}", *(f"{tile} on {on}, {half} out" for half in halves))
    return any(judged("matador", *layout, text).legal for text in texts)


def test_DM_13_on_a_six_all_tiles_with_a_one_and_the_matadors_fit() -> None:
    ones = {"1-0", "1-1", "2-1", "3-1", "4-1", "5-1", "6-1"}
    tiles = set(double_six()) - {"6-6"}
    assert {tile for tile in tiles if fits(tile, "6-6", on=6)} == ones | MATADORS
    verdict = judged("matador", "6-6", "6-5 on 6")
    assert (verdict.legal, verdict.name, verdict.payments) == (False, "no fit", ())
    assert verdict.reasons == ("No half of 6-5 makes seven with the 6, and 6-5 is not a matador.",)


def test_DM_14_on_blanks_only_the_matadors_fit() -> None:
    layout = ("6-0", "1-0 on 6")
    tiles = set(double_six()) - {"6-0", "1-0"}
    assert {tile for tile in tiles if fits(tile, *layout, on=0)} == MATADORS
    alone = judged("matador", *layout, "5-5")
    assert not alone.legal
    (reason,) = alone.reasons
    assert reason == (
        "5-5 fits no end: the ends to play on are 0; no half of it makes seven with one of them,"
        " and it is not a matador (2.8)."
    )


def test_DM_18_sebastopol_covers_all_sides_of_the_first_tile_first() -> None:
    verdict = judged("sebastopol", "6-6", "6-2", "6-3", "4-2 on 2")
    assert not verdict.legal
    assert "sides of the first tile are covered" in verdict.reasons[0]
    free = House(sides_first=False)
    assert judged("sebastopol", "6-6", "6-2", "4-2 on 2", parameters=free).legal


def test_points_that_were_not_called_are_not_scored() -> None:
    verdict = judged("muggins", "4-1", called=False)
    assert (points(verdict), verdict.name) == (0, "no points")
    assert verdict.reasons[-1] == "The 5 points were not called, so no seat scores them (2.5)."
    assert points(judged("muggins", "4-1", called=False, parameters=House(muggins_call=False))) == 5


def test_at_block_a_tile_fits_or_not_and_scores_nothing() -> None:
    verdict = judged("block", "6-4", "4-1")
    assert (verdict.legal, verdict.name) == (True, "no points")
    assert verdict.reasons == (
        "4-1 on 4 fits: equal halves touch (2.1); the open ends are now 1 6.",
        "4-1 scores no points at Block.",
    )
    assert not judged("block", "6-4", "4-1 on 6").legal


def test_a_tile_without_an_end_is_laid_in_the_only_possible_way() -> None:
    assert judged("sniff", "4-1", "1-1 in line") == judged("sniff", "4-1", "1-1 in line on 1")
    with pytest.raises(RulesError, match="write '1-1 crosswise on 1' or '1-1 in line on 1'"):
        judged("sniff", "4-1", "1-1")
    with pytest.raises(RulesError, match="write '6-1 on 6, 1 out' or '6-1 on 6, 6 out'"):
        judged("matador", "6-6", "6-1")


@pytest.mark.parametrize("game", [variant.name for variant in VARIANTS])
def test_every_variant_has_a_judge(game: str) -> None:
    assert judging_of(game).case is Case
    first_tile = "6-6 crosswise" if game == "sniff" else "6-6"
    assert judging_of(game).judge(Case(game, first_tile)).legal


@pytest.mark.parametrize(
    ("laid", "sentence"),
    [
        (("6-4", "4-6"), "6-4 is named twice; a set of dominoes has it once"),
        (("6-4", "7-7"), "'7-7' is not a domino; write a tile from 0-0 to 6-6."),
        (
            ("6-4", "5-1", "1-1"),
            "The layout is impossible: 5-1 fits no end: the ends to play on are 4, 6",
        ),
        (("6-4", "4-1 on 5", "1-1"), "The layout is impossible: 4-1 cannot be joined: there"),
        (("6-4", "draw", "4-4"), "'draw' lays no tile"),
        (("6-5", "6-6", "5-6"), "6-5 is named twice"),
        (("6-4", "6-1", "4-1 above"), "is not an action of dominoes"),
        (("6-4", "4-1", "6-1"), "6-1 can lie in several ways; write '6-1 on 1' or '6-1 on 6'"),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(laid: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(RulesError, match=sentence):
        judged("block", *laid)


FOUR_LEFT = (("6-5", "3-3"), ("1-0",), ("2-0",), ())


def test_DM_16_draws_and_goes_follow_the_hand_and_the_boneyard() -> None:
    stuck: dict[str, Any] = {"hand": ("5-5",), "seat": 1}
    legal = judged("draw", "6-4", "draw", boneyard=3, **stuck)
    assert (legal.legal, legal.name) == (True, "draw")
    assert legal.reasons == (
        "Seat 1 cannot play, and 3 tiles are in the boneyard: the seat can draw (C3, C4).",
    )
    too_few = judged("draw", "6-4", "draw", boneyard=2, **stuck)
    assert not too_few.legal
    assert "2 tiles are left in the boneyard" in too_few.reasons[0]
    assert judged("draw", "6-4", "go", boneyard=2, **stuck).legal
    early = judged("draw", "6-4", "go", boneyard=3, **stuck)
    assert "has to draw before it can go" in early.reasons[0]
    able = judged("draw", "6-4", "draw", boneyard=9, hand=("4-1",), seat=1)
    assert "can play, so it cannot draw; lay a tile (2.2)" in able.reasons[0]
    assert (
        "There is no drawing at Block; go instead"
        in judged("block", "6-4", "draw", **stuck).reasons[0]
    )


def test_DM_04_a_call_takes_the_points_of_the_last_tile_once() -> None:
    called = judged("muggins", "6-4", "call", seat=2)
    assert (called.legal, called.name) == (True, "10 points")
    assert called.payments == (Payment(HOUSE, 2, 10, "open ends total 10 (2.5, 2.7, 2.9)"),)
    nothing = judged("muggins", "6-5", "call")
    assert (nothing.legal, nothing.name) == (False, "not allowed")
    assert "There are no points to call" in nothing.reasons[0]
    late = House(muggins_window="next_action")
    assert not judged("muggins", "6-4", "call", passed=1, parameters=late).legal
    assert judged("muggins", "6-4", "call", passed=1).legal
    assert "No points are called at Block." in judged("block", "6-4", "call").reasons[0]


def test_DM_15_and_DM_17_a_set_tile_is_judged_by_the_hand() -> None:
    hand = ("5-4", "6-5", "3-0")
    assert judged("matador", "6-5", hand=hand).legal
    lighter = judged("matador", "5-4", hand=hand)
    assert not lighter.legal
    assert "its heaviest (section" in lighter.reasons[0]
    assert not judged("bergen", "6-5", hand=("6-5", "2-2")).legal
    assert judged("bergen", "2-2", hand=("6-5", "2-2")).legal


def test_DM_19_the_last_tile_scores_the_pips_of_the_other_hands() -> None:
    hands = (("6-5", "3-3"), ("1-0",), ("4-1",))
    verdict = judged("block", "6-4", "4-1", hands=hands, seat=2)
    assert (verdict.name, verdict.win) == ("out", True)
    assert verdict.payments == (Payment(HOUSE, 2, 18, "the hand (C9)"),)
    assert any("The others are left with 18 pips (C9)." in reason for reason in verdict.reasons)
    alone = judged("block", "6-4", "4-1", hand=("4-1",), seat=2)
    assert alone.reasons[-1] == "The hand has ended; give all hands for its score (C9)."


def test_DM_20_and_DM_21_the_lowest_hand_wins_a_blocked_hand_unless_two_are_equal() -> None:
    hands = (("1-0",), ("6-5",), ("3-1",))
    verdict = judge(Case("block", hands=hands))
    assert (verdict.name, verdict.win) == ("blocked", True)
    assert verdict.payments == (Payment(HOUSE, 0, 15, "the hand (C9)"),)
    less = judge(Case("block", hands=hands, parameters=House(block_score="difference")))
    assert less.payments == (Payment(HOUSE, 0, 14, "the hand (C9)"),)
    even = judge(Case("block", hands=(("1-0",), ("6-5",), ("4-0", "1-1"), ("2-0",))))
    assert [pay.amount for pay in even.payments] == [19]
    tied = judge(Case("block", hands=(("2-0",), ("6-5",), ("1-1",))))
    assert (tied.payments, tied.win) == ((), False)


def test_DM_23_points_that_reach_the_target_end_the_game_at_once() -> None:
    verdict = judged("sniff", "6-4", "4-4 crosswise on 4", scores=(0, 190, 0, 0), seat=1)
    assert verdict.legal
    verdict = judged("sniff", "6-4", seat=1, scores=(0, 190, 0, 0))
    assert (verdict.name, verdict.win) == ("target", True)
    assert any("has 200 of 200 points" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("game", "laid", "more", "sentence"),
    [
        ("sebastopol", ("3-3", "3-1"), {}, "3-3 cannot be set at Sebastopol:"),
        ("bergen", ("4-3", "4-2"), {}, "4-3 cannot be set at Bergen: the"),
        ("block", ("6-4", "4-1"), {"seat": 4}, "seat: There is no seat 4; seats are 0 to 3"),
        ("block", ("6-4", "4-1"), {"seat": 2, "players": 2}, "seat: There is no seat 2"),
        ("block", ("6-4", "4-1"), {"players": 5}, "players: Block has 2, 3, 4 players, not 5."),
        (
            "block",
            ("6-4", "4-1"),
            {"hands": (("4-1",),)},
            "hands: Block has 2, 3, 4 players, so not 1",
        ),
        ("block", ("6-4", "4-1"), {"hand": ("4-2",)}, "tile: Seat 0 does not hold 4-1"),
        ("block", ("6-4", "4-1"), {"hand": ("6-4", "4-1")}, "6-4 is both in a hand and"),
        ("block", ("6-4", "4-1"), {"hand": ("4-1", "4-1")}, "hand: 4-1 is named twice"),
        ("block", ("6-4", "4-1"), {"hand": ("4-7",)}, "hand: '4-7' is not a domino"),
        ("block", ("6-4", "4-1"), {"hand": ()}, "hand: Seat 0 has no tile left"),
        (
            "block",
            ("6-4", "4-1"),
            {"hand": ("4-1",), "hands": (("4-2",), ("4-1",))},
            "hand: The hand of seat 0 differs from that in `hands`",
        ),
        (
            "block",
            ("6-4", "4-1"),
            {"hands": FOUR_LEFT},
            "hands: Seat 3 is out, so the hand is over",
        ),
        ("block", ("6-4", "go"), {"hands": (("4-1",), (), ())}, "hands: Seats 1 and 2 cannot"),
        ("draw", ("6-4", "draw"), {}, "hand: Whether seat 0 can draw depends on its tiles"),
        ("draw", ("6-4", "go"), {"hand": ("5-5",)}, "boneyard: Whether seat 0 can go depends"),
        ("draw", ("6-4", "go"), {"boneyard": -1}, "boneyard: It has 0 to 28 tiles, not -1."),
        (
            "draw",
            ("6-4", "go"),
            {"boneyard": 27, "hand": ("5-5", "3-3")},
            "boneyard: 2 tiles in hand, 1 on the table and 27 in the boneyard are",
        ),
        (
            "draw",
            ("6-4", "draw"),
            {"boneyard": 9, "hands": (("5-5",), ("3-3",))},
            "boneyard: 2 tiles in hand, 1 on the table and 9 in the boneyard are 12",
        ),
        ("block", ("6-4", "go"), {"passed": 4, "hand": ("5-5",)}, "passed: 4 turns cannot have"),
        ("block", ("6-4", "go"), {"passed": -1}, "passed: -1 turns"),
        ("block", ("6-4",), {"passed": 1}, "passed: No turn passes before the first tile"),
        ("muggins", ("6-4", "call"), {"called": False}, "called: The seat calls the points"),
        ("muggins", ("call",), {}, "layout: Without tiles on the table there are no points"),
        (
            "block",
            ("6-4", "4-1"),
            {"hand": ("0-0", "1-0", "2-0", "3-0", "4-0", "5-0", "6-0", "1-1")},
            "hand: Seat 0 holds 8 tiles; 7 are dealt at Block, and no seat draws",
        ),
        ("block", ("6-4", "4-1"), {"scores": (1, 2)}, "scores: 2 scores are given for 4"),
        ("block", ("6-4", "4-1"), {"scores": (0, 0, 0, -1)}, "scores: A score is 0 or more"),
        ("block", ("6-4", "4-1"), {"scores": (0, 0, 0, 100)}, "scores: A seat has 100 of 100"),
        ("block", ("6-4", "show 4-1"), {}, "tile: 'show 4-1' is not"),
    ],
)
def test_an_impossible_case_is_refused_with_the_field_and_the_rule(
    game: str, laid: tuple[str, ...], more: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RulesError, match=sentence) as refused:
        judged(game, *laid, **more)
    assert "\n" not in str(refused.value)


def test_a_hand_that_is_not_over_has_no_score() -> None:
    with pytest.raises(RulesError, match="hands: Without a tile the case asks for the hand's"):
        Case("block", layout=("6-4",))
    with pytest.raises(RulesError, match="hands: The hand is not blocked: seat 1 can play 4-1"):
        judge(Case("block", layout=("6-4",), hands=(("5-5",), ("4-1",))))
    with pytest.raises(RulesError, match="boneyard: The hand is not blocked: 25 tiles"):
        judge(Case("draw", layout=("6-4",), hands=(("5-5",), ("3-3",))))


def test_a_file_of_another_game_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text("tile: 6-6\ngame: muggins\n", encoding="utf-8")
    with pytest.raises(ConfigErrors, match="game: is 'muggins'"):
        load_case("block", file)


def test_an_unknown_game_or_seat_is_refused() -> None:
    with pytest.raises(
        RulesError, match="'pinochle' is not a game of dominoes; choose one of block, draw"
    ):
        Case("pinochle", "6-6")
    with pytest.raises(RulesError, match="There is no seat 4; seats are 0 to 3"):
        Case("block", "6-6", seat=4)


def test_a_case_is_read_from_a_file_and_gets_the_game_as_a_field(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(
        "layout: [5-5, 5-0 on 5-5]\n"
        "tile: 0-0 on 0\n"
        "seat: 1\n"
        "parameters: {muggins_call: false, double_orientation: cross}\n",
        encoding="utf-8",
    )
    case = load_case("muggins", file)
    assert case.game == "muggins"
    assert judging_of("muggins").judge(case).payments == (
        Payment(HOUSE, 1, 10, "open ends total 10 (2.5, 2.7, 2.9)"),
    )


def test_a_file_with_an_unknown_parameter_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text("tile: 6-6\nparameters: {colour: red}\n", encoding="utf-8")
    with pytest.raises(ConfigErrors, match="colour"):
        load_case("block", file)
