"""The judge of pai gow: whether the hands are set legally, who wins, and who pays."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from config.errors import ConfigErrors
from config.judge_cases import load_case
from rules.errors import RulesError
from rules.games import judging_of
from rules.games.pai_gow.judge import Case, judge
from rules.games.pai_gow.setup import Parameters
from rules.judging import Verdict
from rules.play import HOUSE, Payment


def case_of(player: str, banker: str, **more: object) -> Case:
    """The case of two hands that are already set."""
    mine, his = (tuple(text.replace("/", "").split()) for text in (player, banker))
    return Case(mine, his, player_set=player, banker_set=banker, **more)  # type: ignore[arg-type]


def judged(player: str, banker: str, **more: object) -> Verdict:
    return judge(case_of(player, banker, **more))


def paid(verdict: Verdict) -> list[tuple[int, int, object]]:
    return [(each.source, each.to, each.amount) for each in verdict.payments]


def test_PG_17_teen_wong_beats_day_wong() -> None:
    verdict = judged("6-6 5-4 / 3-1 4-1", "1-1 6-3 / 3-3 5-5", bet=100)
    assert (verdict.legal, verdict.win, verdict.name) == (True, True, "win")
    assert "the player's Teen Wong beats Day Wong (4.2)" in verdict.reasons[0]
    assert verdict.payments == (
        Payment(0, 1, 100, "seat 1 wins both hands"),
        Payment(1, HOUSE, Fraction(5), "commission of seat 1"),
    )
    assert verdict.reasons[-1] == "The house takes 5 % of the win (4.2)."


def test_PG_18_the_banker_wins_a_copy() -> None:
    verdict = judged("6-6 5-4 / 2-2 6-1", "1-1 6-3 / 2-2 4-3")
    assert (verdict.legal, verdict.win, verdict.name) == (True, False, "push")
    assert "both 1, a copy, which the banker wins (4.2)" in verdict.reasons[0]


def test_PG_19_the_banker_wins_two_hands_of_0() -> None:
    verdict = judged("6-6 6-3 / 5-5 6-4", "1-1 5-4 / 2-2 5-1")
    assert verdict.name == "push"
    assert verdict.reasons[0].endswith("both 0, which the banker wins (4.2)")


def test_PG_20_a_gee_joon_tile_counts_3_or_6_to_the_advantage_of_the_hand() -> None:
    verdict = judged("6-6 5-4 / 2-1 3-3", "1-1 6-3 / 3-1 2-2")
    assert "the player's 9 beats 8 (4.2)" in verdict.reasons[0]
    assert verdict.win


def test_PG_21_one_hand_each_is_a_push_without_payments() -> None:
    verdict = judged("6-6 6-6 / 5-5 6-5", "1-1 6-3 / 3-3 5-5")
    assert (verdict.name, verdict.payments) == ("push", ())


def test_a_player_who_loses_both_hands_pays_the_bank_without_commission() -> None:
    house = Parameters(bank_commission=True)
    verdict = judged(
        "6-5 6-4 / 3-1 5-1", "1-1 6-3 / 3-3 5-5", bet=20, seat=3, dealer=6, parameters=house
    )
    assert (verdict.win, verdict.name) == (False, "lose")
    assert paid(verdict) == [(3, 6, 20)]
    assert "net win from the whole table (4.2)" in verdict.reasons[-1]


def test_hands_that_are_not_set_are_set_by_the_house_way() -> None:
    verdict = judge(Case(("3-1", "6-6", "4-1", "5-4"), ("1-1", "6-3", "3-3", "5-5")))
    assert verdict.legal
    assert "The house way canberra sets seat 1's hand: " in verdict.reasons[1]
    assert "sets seat 0's hand: " in verdict.reasons[2]


def test_a_split_with_a_weaker_high_hand_is_not_legal() -> None:
    verdict = judged("3-1 4-1 / 6-6 5-4", "1-1 6-3 / 3-3 5-5")
    assert (verdict.legal, verdict.win, verdict.name) == (False, False, "set wrongly")
    assert verdict.payments == ()
    (reason,) = verdict.reasons
    assert reason == (
        "Seat 1 cannot set its hand in this way: '3-1 4-1 / 6-6 5-4' has 9 high and Teen Wong low;"
        " the high hand cannot be the weaker one (4.2). Exchange them: 6-6 5-4 / 3-1 4-1."
    )


def test_a_bank_of_the_house_is_set_only_by_its_house_way() -> None:
    house = Parameters(house_seats=(0,))
    verdict = judged("6-6 5-4 / 3-1 4-1", "6-3 3-3 / 1-1 5-5", parameters=house)
    assert not verdict.legal
    assert "Seat 0 belongs to the house, which sets by its house way canberra" in verdict.reasons[0]


def test_the_parameters_of_the_house_are_used() -> None:
    zeros = Parameters(zero_zero_to_banker=False, commission=0)
    verdict = judged("6-6 5-4 / 5-5 6-4", "1-1 6-3 / 2-2 5-1", parameters=zeros)
    assert paid(verdict) == [(0, 1, 1)]
    assert len(verdict.reasons) == 1


GOOD = ("6-6", "5-4", "3-1", "4-1")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"banker": ("6-6", "6-6", "3-3", "5-5")}, "'6-6' is named 3 times, but the set has 2"),
        (
            {"player": ("5-4", "5-4", "3-1", "4-1")},
            "player: '5-4' is named 2 times, but the set has 1",
        ),
        ({"player": ("6-6", "5-4", "3-1", "0-0")}, "player: '0-0' is not a tile of the set"),
        ({"player": ("6-6", "5-4", "3-1")}, "player: A hand has 4 tiles .4.2., not 3"),
        ({"player_set": "6-6 5-4 / 3-1 3-2"}, "tiles of seat 1, which are 6-6 5-4 3-1"),
        ({"banker_set": "1-1 6-3 3-3 5-5"}, "is not a split"),
        ({"bet": 0}, "bet: The stake must be"),
        ({"bet": 10**12}, "bet: The stake must be at most 10000 units, not 1000000000000"),
        (
            {"bet": 101, "parameters": Parameters(highest_stake=100)},
            "bet: The stake must be at most 100 in this house, not 101",
        ),
        (
            {"bet": 3, "parameters": Parameters(highest_stake=2)},
            "bet: The stake must be at most 2 in this house,",
        ),
        ({"seat": 8}, "There is no seat 8; seats are 0 to 7"),
        ({"dealer": 1}, "Seat 1 is the bank, which cannot bet against itself"),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(
    changes: dict[str, object], sentence: str
) -> None:
    case = {"player": GOOD, "banker": ("1-1", "6-3", "3-3", "5-5"), **changes}
    with pytest.raises(RulesError, match=sentence):
        judge(Case(**case))  # type: ignore[arg-type]


def test_a_case_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(
        "player: [6-6, 5-4, 3-1, 4-1]\n"
        "banker: [1-1, 6-3, 3-3, 5-5]\n"
        "player_set: 6-6 5-4 / 3-1 4-1\n"
        "banker_set: 1-1 6-3 / 3-3 5-5\n"
        "bet: 40\n"
        "parameters: {commission: 0.1}\n",
        encoding="utf-8",
    )
    verdict = judging_of("pai_gow").judge(load_case("pai_gow", file))
    assert verdict.win
    assert paid(verdict) == [(0, 1, 40), (1, HOUSE, 4)]


def test_a_file_with_an_unknown_seat_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(
        "player: [6-6, 5-4, 3-1, 4-1]\nbanker: [1-1, 6-3, 3-3, 5-5]\nseat: 9\n", encoding="utf-8"
    )
    with pytest.raises(ConfigErrors, match="There is no seat 9"):
        load_case("pai_gow", file)
