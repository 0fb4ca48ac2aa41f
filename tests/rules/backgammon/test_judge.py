"""The judge of backgammon: whether a move is legal, and what a finished game pays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigErrors
from config.judge_cases import load_case
from rules.errors import RulesError
from rules.games import judging_of
from rules.games.backgammon import Parameters
from rules.games.backgammon.judge import Case, judge
from rules.judging import Verdict

START = "24(2) 13(5) 8(3) 6(5)"


def judged(own: str, dice: tuple[int, int], move: str, other: str = START, **more: Any) -> Verdict:
    return judge(Case(f"{own} | {other}", dice, move, **more))


def test_the_verdict_on_a_legal_move_gives_its_reasons() -> None:
    verdict = judged(START, (6, 3), "24/18 13/10")
    assert verdict == Verdict(legal=True, reasons=("'24/18 13/10' plays both dice of 6-3 (B2).",))
    doublet = judged(START, (5, 5), "13/3(2)")
    assert doublet.reasons == ("5-5 is a doublet; '13/3(2)' plays all four moves (B1, B2).",)
    assert not judged(START, (6, 3), "24/20 13/10").legal
    assert "(B1, B2)" in judged(START, (6, 3), "24/20 13/10").reasons[0]


def test_the_points_are_numbered_from_the_seat_that_moves() -> None:
    assert judged(START, (6, 3), "24/15", "24(2) 13(5) 8(3) 6(5)", seat=1).legal


def test_BG_04_a_made_point_is_closed() -> None:
    verdict = judged(START, (5, 3), "24/19 13/10")
    assert not verdict.legal
    assert verdict.reasons == ("Point 19 is made: 5 men of seat 1 are on it (B4).",)


def test_BG_05_a_blot_is_hit() -> None:
    verdict = judged("13(2) 6(5)", (4, 3), "13/9* 13/10", "16 6(5)")
    assert verdict.legal
    assert verdict.reasons[1] == "The blot on 9 is hit; it goes to seat 1's bar (B5)."
    missed = judged("13(2) 6(5)", (4, 3), "13/9 13/10*", "16 6(5)")
    assert missed.reasons == ("'13/9 13/10*' hits no blot on 10; leave the star out (B5).",)


def test_BG_06_a_player_who_cannot_enter_passes() -> None:
    closed = "6(2) 5(2) 24(2)"
    passed = judged("bar 13(2)", (6, 5), "pass", closed)
    assert passed.legal
    stuck = "With 6-5 the man on the bar cannot enter; the turn passes (BG-06)."
    assert passed.reasons == (stuck,)
    entered = judged("bar 13(2)", (6, 5), "bar/19 13/8", closed)
    assert not entered.legal
    assert entered.reasons == ("Point 19 is made: 2 men of seat 1 are on it (B4).", stuck)
    assert judged("20", (6, 5), "pass", "11(2) 10(2) ").reasons[0].startswith("With 6-5 no man")


def test_BG_06_a_player_who_can_move_cannot_pass() -> None:
    verdict = judged(START, (6, 3), "pass")
    assert not verdict.legal
    assert "Seat 0 has to move if it can; 6-3 allows '" in verdict.reasons[0]


def test_BG_07_the_man_on_the_bar_enters_first() -> None:
    verdict = judged("bar 13(2)", (6, 4), "13/7 13/9", "6(2) 24(2)")
    assert not verdict.legal
    assert verdict.reasons[0].endswith("who has to enter before another man moves (BG-07).")
    entered = judged("bar 13(2)", (6, 4), "bar/21 13/7", "6(2) 24(2)")
    assert entered.legal
    assert entered.reasons[1] == "Men on the bar enter first: 1 of seat 0 (BG-07)."


def test_BG_08_the_larger_die_is_forced() -> None:
    smaller = judged("20", (6, 5), "20/15", "16(2)")
    assert not smaller.legal
    assert (
        "plays the smaller die; only one die of 6-5 can be played, which has to be the 6 (BG-08)."
        in (smaller.reasons[0])
    )
    larger = judged("20", (6, 5), "20/14", "16(2)")
    assert larger.reasons == (
        "Either die of 6-5 can be played, but not both: the larger, 6, is forced (BG-08).",
    )
    free = Parameters(must_use_larger=False)
    assert judged("20", (6, 5), "20/15", "16(2)", parameters=free).legal
    one_way = judged("20", (6, 5), "20/15", "16(2) 11(2)")
    assert one_way.reasons == ("Only the 5 of 6-5 can be played, and the move plays it (BG-08).",)
    assert "leaves a die unplayed; 2 dice of 6-3" in judged(START, (6, 3), "24/18").reasons[0]


def test_a_doublet_is_played_as_far_as_it_goes() -> None:
    verdict = judged("20", (5, 5), "20/10", "20(2)")
    assert verdict.reasons == (
        "5-5 is a doublet; '20/10' plays 2 of four moves, the most (B1, B2).",
    )


def test_BG_09_a_higher_number_bears_off_from_the_rearmost_point() -> None:
    verdict = judged("3(2) 1", (5, 1), "3/off 1/off", "6(15)")
    assert (verdict.legal, verdict.win) == (True, False)
    assert verdict.reasons[1].endswith("by a higher number from the rearmost point (BG-09).")


def test_BG_10_a_man_behind_moves_first() -> None:
    verdict = judged("6 3(2)", (5, 1), "3/off 3/2", "6(15)")
    assert not verdict.legal
    assert verdict.reasons[0].endswith("from the rearmost point, 6, not from 3 (BG-10).")
    assert judged("6 3(2)", (5, 1), "6/1/off", "6(15)").legal


def test_BG_11_no_man_is_borne_off_before_all_men_are_home() -> None:
    verdict = judged("8 3(2)", (3, 1), "3/off 3/2")
    assert verdict.reasons == (
        "No man is borne off before all men are home; seat 0 has a man on 8 (BG-11).",
    )


@pytest.mark.parametrize(
    ("loser", "name", "points"),
    [
        ("6(14)", "single game", 4),
        ("13(15)", "gammon", 8),
        ("22 13(14)", "backgammon", 12),
        ("bar 13(14)", "backgammon", 12),
    ],
)
def test_BG_13_a_win_is_named_and_paid_times_the_cube(loser: str, name: str, points: int) -> None:
    house = Parameters(doubling_cube=True)
    verdict = judged("1", (6, 5), "1/off", loser, cube=4, owner=0, parameters=house)
    assert (verdict.legal, verdict.win, verdict.name) == (True, True, name)
    assert verdict.multiplier == points
    assert [(pay.source, pay.to, pay.amount) for pay in verdict.payments] == [(1, 0, points)]
    assert verdict.reasons[-1].startswith("Seat 0 has borne off all its men; seat 1 has ")
    assert verdict.reasons[-1].endswith("the cube shows 4 (BG-13).")


def test_jacoby_counts_no_gammon_before_the_cube_is_turned() -> None:
    house = Parameters(doubling_cube=True, jacoby=True)
    assert judged("1", (6, 5), "1/off", "13(15)", parameters=house).name == "single game"
    turned = judged("1", (6, 5), "1/off", "13(15)", parameters=house, cube=2, owner=1)
    assert (turned.name, turned.multiplier) == ("gammon", 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"position": "24(2)"}, "is not a position; write the men"),
        ({"position": "20 | 5"}, "men of both players cannot be on it"),
        ({"position": "20(16) | 6"}, "A player has 15 men, not 16"),
        ({"position": "6 | off(15)"}, "Seat 1 has no man left on the board, so the game is over"),
        ({"dice": (7, 1)}, "Two dice show 1 to 6 each, not 7-1"),
        ({"move": "roll 3 1"}, "'roll 3 1' is not a move; write 24/18 13/10, or 'pass'"),
        ({"move": "up"}, "'up' is not a move; write 24/18"),
        ({"seat": 2}, "There is no seat 2"),
        ({"cube": 3}, r"The cube shows 2, 4 \.\.\. 64, or 1"),
        ({"owner": 1}, "owner: The cube shows 1, so it has not been turned"),
        (
            {"cube": 2, "parameters": Parameters(jacoby=True, doubling_cube=True)},
            "owner: The cube has been turned; give the seat that owns it",
        ),
        ({"cube": 8}, "cube: This house plays without the doubling cube, so it shows 1 at most"),
        ({"cube": 8, "parameters": Parameters(automatic_doubles=2)}, "it shows 4 at most, not 8"),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(changes: dict[str, Any], message: str) -> None:
    case = {"position": f"{START} | {START}", "dice": (6, 3), "move": "24/15"} | changes
    with pytest.raises(RulesError, match=message):
        judge(Case(**case))


def test_a_case_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(
        "position: 1 | bar 13(14)\ndice: [6, 5]\nmove: 1/off\ncube: 2\nowner: 0\n"
        "parameters:\n  backgammon: 4\n  doubling_cube: true\n"
    )
    verdict = judging_of("backgammon").judge(load_case("backgammon", file))
    assert (verdict.name, verdict.multiplier) == ("backgammon", 8)
    assert [pay.facts()["amount"] for pay in verdict.payments] == [8]


def test_a_file_that_contradicts_itself_is_refused_with_a_message(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text('position: "6 | 6"\ndice: [6, 5]\nmove: 6/off\ncube: 5\n')
    with pytest.raises(ConfigErrors, match="The cube shows 2, 4"):
        load_case("backgammon", file)
