"""The floor person's question at dominoes: may the tile lie there, and what does it score?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigErrors
from config.judge_cases import load_case
from rules.errors import RulesError
from rules.games import judging_of
from rules.games.dominoes.bones import double_six
from rules.games.dominoes.judge import Case, House, judge
from rules.games.dominoes.variants import VARIANTS
from rules.judge_registry import Verdict
from rules.play import HOUSE, Payment

MATADORS = {"6-1", "5-2", "4-3", "0-0"}
ON_LONG_SIDES = ("4-4 crosswise", "6-4 on 4-4 side", "4-1 on 4-4 side")
ON_SHORT_ENDS = (*ON_LONG_SIDES, "5-4 on 4-4 end", "4-3 on 4-4 end")


def judged(game: str, *laid: str, **more: Any) -> Verdict:
    """The last tile, tried after the others."""
    *layout, tile = laid
    return judge(Case(game, tile, tuple(layout), **more))


def points(verdict: Verdict) -> int:
    assert verdict.legal
    return int(sum(payment.amount for payment in verdict.payments))


def test_DM_01_five_five_and_the_noughts_make_ten_each() -> None:
    laid = ("5-5", "5-0", "0-0")
    assert [points(judged("muggins", *laid[:count])) for count in (1, 2, 3)] == [10, 10, 10]


@pytest.mark.parametrize(("lie", "total", "scored"), [("in line", 5, 5), ("crosswise", 6, 0)])
def test_DM_06_the_sniff_in_line_or_crosswise(lie: str, total: int, scored: int) -> None:
    verdict = judged("sniff", "4-1", f"1-1 {lie} on 1", seat=2)
    assert points(verdict) == scored
    assert f"They total {total}, " in verdict.reasons[1]
    assert {payment.to for payment in verdict.payments} <= {2}


def test_DM_07_uncovered_short_ends_count_and_bare_long_sides_do_not() -> None:
    each = [judged("sniff", *ON_LONG_SIDES[:count]) for count in (1, 2, 3)]
    assert [points(verdict) for verdict in each] == [0, 0, 15]
    for verdict, total in zip(each, (8, 14, 15), strict=True):
        assert verdict.reasons[1].startswith(f"They total {total}, ")


def test_DM_08_a_covered_short_end_is_replaced_by_its_arm() -> None:
    assert points(judged("sniff", *ON_SHORT_ENDS[:4])) == 0
    verdict = judged("sniff", *ON_SHORT_ENDS)
    assert points(verdict) == 15
    assert verdict.reasons[0].endswith("the open ends are now 1 3 5 6.")


@pytest.mark.parametrize(("lie", "total"), [("crosswise", 21), ("in line", 15)])
def test_DM_09_a_later_doublet_does_not_branch(lie: str, total: int) -> None:
    verdict = judged("sniff", *ON_SHORT_ENDS, f"6-6 {lie} on 6")
    assert f"They total {total}, " in verdict.reasons[1]
    assert points(verdict) == (15 if total == 15 else 0)


def test_DM_10_threes_score_three_six_and_nine() -> None:
    laid = ("2-1", "5-2 on 2", "4-1 on 1")
    assert [points(judged("threes", *laid[:count])) for count in (1, 2, 3)] == [3, 6, 9]


def test_DM_11_bergen_a_double_header_and_the_triple_after_it() -> None:
    laid = ("4-3", "4-2 on 4", "5-2 on 2", "5-3 on 5")
    double = judged("bergen", *laid, seat=1)
    assert double.payments == (Payment(HOUSE, 1, 2, "double header, 3 at both ends (2.4)"),)
    triple = judged("bergen", *laid, "3-3 on 3")
    assert (points(triple), triple.name) == (3, "3 points")
    assert triple.reasons[-1] == "Seat 0 scores 3: triple header, 3 at both ends (2.4)."


def test_DM_12_setting_scores_two_at_bergen() -> None:
    assert points(judged("bergen", "2-2")) == 2
    assert points(judged("bergen", "2-2", parameters=House(set_points=0))) == 0


def lies(tile: str, *layout: str, on: int) -> bool:
    """Whether a tile may lie on that end at Matador, either half outwards."""
    halves = sorted(set(tile.split("-")))
    said = (f"{tile} on {on}", *(f"{tile} on {on}, {half} out" for half in halves))
    return any(judged("matador", *layout, each).legal for each in said)


def test_DM_13_on_a_six_go_all_ones_and_the_matadors() -> None:
    ones = {"1-0", "1-1", "2-1", "3-1", "4-1", "5-1", "6-1"}
    tiles = set(double_six()) - {"6-6"}
    assert {tile for tile in tiles if lies(tile, "6-6", on=6)} == ones | MATADORS
    verdict = judged("matador", "6-6", "6-5 on 6")
    assert (verdict.legal, verdict.name, verdict.payments) == (False, "no fit", ())
    assert verdict.reasons == ("6-5 makes no seven with the 6, and it is no matador.",)


def test_DM_14_on_blanks_go_the_matadors_only() -> None:
    layout = ("6-0", "1-0 on 6")
    tiles = set(double_six()) - {"6-0", "1-0"}
    assert {tile for tile in tiles if lies(tile, *layout, on=0)} == MATADORS
    alone = judged("matador", *layout, "5-5")
    assert not alone.legal
    (reason,) = alone.reasons
    assert reason == (
        "5-5 fits nowhere: the ends to play on are 0; no half of it makes seven with one of them,"
        " and it is no matador (2.8)."
    )


def test_DM_18_sebastopol_covers_all_sides_of_the_first_tile_first() -> None:
    verdict = judged("sebastopol", "6-6", "6-2", "6-3", "4-2 on 2")
    assert not verdict.legal
    assert "The sides of the first tile are covered first" in verdict.reasons[0]
    free = House(sides_first=False)
    assert judged("sebastopol", "6-6", "6-2", "4-2 on 2", parameters=free).legal


def test_points_that_nobody_called_are_nobodys() -> None:
    verdict = judged("muggins", "4-1", called=False)
    assert (points(verdict), verdict.name) == (0, "no points")
    assert verdict.reasons[-1] == "Nobody called the 5 points, so they are nobody's (2.5)."
    assert points(judged("muggins", "4-1", called=False, parameters=House(muggins_call=False))) == 5


def test_at_block_a_tile_fits_or_not_and_scores_nothing() -> None:
    verdict = judged("block", "6-4", "4-1")
    assert (verdict.legal, verdict.name) == (True, "no points")
    assert verdict.reasons == (
        "4-1 on 4 fits: equal halves touch (2.1); the open ends are now 1 6.",
        "It scores nothing at Block.",
    )
    assert not judged("block", "6-4", "4-1 on 6").legal


def test_a_tile_that_is_named_alone_lies_in_the_one_way_that_there_is() -> None:
    assert judged("sniff", "4-1", "1-1 in line") == judged("sniff", "4-1", "1-1 in line on 1")
    with pytest.raises(RulesError, match="write '1-1 crosswise on 1' or '1-1 in line on 1'"):
        judged("sniff", "4-1", "1-1")
    with pytest.raises(RulesError, match="write '6-1 on 6, 1 out' or '6-1 on 6, 6 out'"):
        judged("matador", "6-6", "6-1")


@pytest.mark.parametrize("game", [variant.name for variant in VARIANTS])
def test_every_variant_has_a_judge(game: str) -> None:
    assert judging_of(game).case is Case
    assert judging_of(game).judge(Case(game, "6-5")).legal


@pytest.mark.parametrize(
    ("laid", "sentence"),
    [
        (("6-4", "4-6"), "6-4 is there twice; a set of dominoes has it once"),
        (("6-4", "7-7"), "'7-7' is no domino; the set goes from 0-0 to 6-6"),
        (
            ("6-4", "5-1", "1-1"),
            "The layout cannot be: 5-1 fits nowhere: the ends to play on are 4, 6",
        ),
        (("6-4", "4-1 on 5", "1-1"), "The layout cannot be: 4-1 cannot lie there"),
        (("6-4", "draw", "4-4"), "'draw' lays no tile"),
        (("6-5", "6-6", "5-6"), "6-5 is there twice"),
        (("6-4", "6-1", "4-1 above"), "is nothing that a player does"),
        (("6-4", "4-1", "6-1"), "6-1 can lie in several ways; write '6-1 on 1' or '6-1 on 6'"),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(laid: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(RulesError, match=sentence):
        judged("block", *laid)


def test_a_game_or_a_seat_that_is_not_there_is_refused() -> None:
    with pytest.raises(RulesError, match="'pinochle' is no game of dominoes; take block, draw"):
        Case("pinochle", "6-6")
    with pytest.raises(RulesError, match="There is no seat 4; seats are 0 to 3"):
        Case("block", "6-6", seat=4)


def test_a_case_is_read_from_a_file_and_told_its_game(tmp_path: Path) -> None:
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
