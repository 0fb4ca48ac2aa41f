"""The floor's question at Filipino: does the win stand, as what, and who pays?"""

from __future__ import annotations

from pathlib import Path

import pytest

from config.judge_cases import load_case
from rules.errors import RulesError
from rules.games.filipino.judge import Case, Rival, judge
from rules.games.filipino.parameters import Parameters

SEVEN = [
    "1m",
    "1m",
    "3m",
    "3m",
    "7m",
    "7m",
    "2p",
    "2p",
    "8p",
    "8p",
    "1m",
    "1m",
    "9s",
    "9s",
    "4s",
    "5s",
]
PLAIN = [
    "1m",
    "2m",
    "3m",
    "7p",
    "7p",
    "7p",
    "1s",
    "2s",
    "3s",
    "4s",
    "5s",
    "6s",
    "9s",
    "9s",
    "4m",
    "6m",
]
STRAIGHT = [
    "1p",
    "2p",
    "3p",
    "4p",
    "5p",
    "6p",
    "7p",
    "8p",
    "9p",
    "2m",
    "2m",
    "2m",
    "4s",
    "5s",
    "8s",
    "8s",
]


def paid(case: Case) -> dict[int, int]:
    """What each seat pays."""
    sums: dict[int, int] = {}
    for payment in judge(case).payments:
        sums[payment.source] = sums.get(payment.source, 0) + int(payment.amount)
    return sums


def won(hand: list[str], tile: str, **more: object) -> Case:
    given = {"joker": "5m", "hand": tuple(hand), "seat": 1, "tile": tile, "flores": 2} | more
    return Case(**given)  # type: ignore[arg-type]


def test_FM_12_seven_first_from_a_discard_is_ten_from_each_and_two_chips() -> None:
    case = won(SEVEN, "6s", by="discard", discarder=0)
    verdict = judge(case)
    assert (verdict.legal, verdict.win) == (True, True)
    assert paid(case) == {0: 10, 2: 10, 3: 10}
    assert any("2 chips" in reason for reason in verdict.reasons)


def test_FM_14_escalera_is_ten_from_each() -> None:
    assert paid(won(STRAIGHT, "6s", by="discard", discarder=2)) == {0: 10, 2: 10, 3: 10}


def test_FM_15_a_plain_win_on_a_discard_is_paid_by_the_discarder_alone() -> None:
    hand = [*PLAIN[:-2], "5p", "6p"]
    assert paid(won(hand, "4p", by="discard", discarder=3)) == {3: 10}
    assert paid(won(hand, "4p", by="self")) == {0: 10, 2: 10, 3: 10}


def test_FM_16_without_flores_any_win_is_fifteen_from_each() -> None:
    hand = [*PLAIN[:-2], "5p", "6p"]
    case = won(hand, "4p", by="discard", discarder=3, flores=0)
    assert paid(case) == {0: 15, 2: 15, 3: 15}


def test_FM_20_of_two_winners_the_upper_seat_of_the_discarder_is_first_unless_the_house_turns() -> (
    None
):
    hand = [*PLAIN[:-2], "5p", "6p"]
    other = Rival(
        3,
        (
            "1m",
            "1m",
            "1m",
            "2m",
            "2m",
            "2m",
            "3m",
            "3m",
            "3m",
            "8s",
            "8s",
            "8s",
            "6m",
            "6m",
            "5p",
            "6p",
        ),
        flores=2,
    )
    case = won(hand, "4p", by="discard", discarder=0, claims=(other,))
    assert not judge(case).legal
    turned = Parameters(multi_win="next_in_turn")
    assert judge(won(hand, "4p", by="discard", discarder=0, claims=(other,), parameters=turned)).win


def test_FM_22_a_false_win_pays_ten_to_each() -> None:
    verdict = judge(won([*PLAIN[:-2], "5p", "6p"], "1z", by="self"))
    assert not verdict.legal
    assert {(payment.source, payment.amount) for payment in verdict.payments} == {(1, 10)}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"tile": "9x"}, "'9x'"),
        ({"by": "discard"}, "names it and its seat"),
        ({"melds": (("1m", "3m", "4m"),)}, "17 tiles"),
        ({"seat": 4}, "There is no seat 4"),
    ],
)
def test_a_case_that_cannot_be_is_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(RulesError, match=says):
        judge(won([*PLAIN[:-2], "5p", "6p"], **({"tile": "4p"} | change)))  # type: ignore[arg-type]


def test_a_case_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "joker: 5m\nhand: [1m, 2m, 3m, 7p, 7p, 7p, 1s, 2s, 3s, 4s, 5s, 6s, 9s, 9s]\n"
        "melds: [[4p, 5p, 6p]]\nseat: 1\nflores: 3\n"
    )
    assert judge(load_case("filipino", path)).win
