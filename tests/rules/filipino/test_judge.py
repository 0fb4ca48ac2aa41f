"""The judge of Filipino mahjong: whether a win is valid, its name, and who pays."""

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
    """The payment of each seat."""
    sums: dict[int, int] = {}
    for payment in judge(case).payments:
        sums[payment.source] = sums.get(payment.source, 0) + int(payment.amount)
    return sums


def won(hand: list[str], tile: str, **more: object) -> Case:
    given = {"joker": "5m", "hand": tuple(hand), "seat": 1, "tile": tile, "flores": 2} | more
    return Case(**given)  # type: ignore[arg-type]


def test_FM_12_seven_first_on_a_discard_gets_ten_from_each_other_seat_and_two_chips() -> None:
    case = won(SEVEN, "6s", by="discard", discarder=0)
    verdict = judge(case)
    assert (verdict.legal, verdict.win) == (True, True)
    assert paid(case) == {0: 10, 2: 10, 3: 10}
    assert any("2 chips" in reason for reason in verdict.reasons)


def test_FM_14_escalera_gets_ten_from_each_other_seat() -> None:
    assert paid(won(STRAIGHT, "6s", by="discard", discarder=2)) == {0: 10, 2: 10, 3: 10}


def test_FM_15_a_plain_win_on_a_discard_is_paid_by_the_discarder_alone() -> None:
    hand = [*PLAIN[:-2], "5p", "6p"]
    assert paid(won(hand, "4p", by="discard", discarder=3)) == {3: 10}
    assert paid(won(hand, "4p", by="self")) == {0: 10, 2: 10, 3: 10}


def test_FM_16_a_win_without_flores_gets_fifteen_from_each_other_seat() -> None:
    hand = [*PLAIN[:-2], "5p", "6p"]
    case = won(hand, "4p", by="discard", discarder=3, flores=0)
    assert paid(case) == {0: 15, 2: 15, 3: 15}


def test_FM_20_of_two_winners_the_upper_seat_is_first_unless_the_house_prefers_the_next() -> None:
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


def test_FM_22_a_false_win_pays_ten_to_each_other_seat() -> None:
    verdict = judge(won([*PLAIN[:-2], "5p", "6p"], "1z", by="self"))
    assert not verdict.legal
    assert {(payment.source, payment.amount) for payment in verdict.payments} == {(1, 10)}


def test_a_false_claim_says_which_other_seat_wins_on_the_tile_and_who_pays_it() -> None:
    false = [*PLAIN[:-2], "1p", "9p"]
    verdict = judge(won(false, "4p", by="discard", discarder=0, claims=(RIVAL,)))
    assert (verdict.legal, verdict.name, verdict.winner) == (False, "false win", 3)
    assert any(reason.startswith("Seat 3 wins on this tile") for reason in verdict.reasons)
    assert sorted(pay.to for pay in verdict.payments if pay.source == 1) == [0, 2, 3, 3]
    ends = Parameters(after_false_win="ends")
    ended = judge(won(false, "4p", by="discard", discarder=0, claims=(RIVAL,), parameters=ends))
    assert ended.winner is None and {pay.source for pay in ended.payments} == {1}
    assert judge(won(false, "4p", by="discard", discarder=0)).winner is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tile": "9x"}, "'9x'"),
        ({"by": "discard"}, "on another seat's"),
        ({"melds": (("1m", "3m", "4m"),)}, "17 tiles"),
        ({"seat": 4}, "There is no seat 4"),
    ],
)
def test_an_impossible_case_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        judge(won([*PLAIN[:-2], "5p", "6p"], **({"tile": "4p"} | change)))  # type: ignore[arg-type]


RIVAL = Rival(3, (*("1m",) * 3, *("2m",) * 3, *("3m",) * 3, *("8s",) * 3, "6m", "6m", "5p", "6p"))
WIND_PONG = ("1z", "1z", "1z")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"claims": (RIVAL,)}, "claims: Seat 3 cannot claim a tile that seat 1 drew itself"),
        ({"discarder": 2}, "discarder: Seat 1 drew the tile itself"),
        ({"by": "discard", "discarder": 1}, "discarder: Seat 1 cannot win on its own"),
        (
            {"by": "discard", "discarder": 3, "claims": (RIVAL,)},
            "claims: Seat 3 is the discarder",
        ),
        (
            {"by": "discard", "discarder": 0, "claims": (Rival(1, RIVAL.hand),)},
            "claims: Seat 1 is the claimant itself",
        ),
        ({"joker": "1z"}, "joker: '1z' is a flores"),
        ({"joker": "1f"}, "joker: '1f' is a flores"),
        ({"joker": "9x"}, "'9x' is not a tile"),
        ({"flores": -1}, "flores: Seat 1 cannot have laid out -1 flores; the set has 36"),
        ({"flores": 99}, "flores: Seat 1 cannot have laid out 99 flores; the set has 36"),
        (
            {"flores": 9, "parameters": Parameters(honours_as_flores=False)},
            "flores: Seat 1 cannot have laid out 9 flores; the set has 8",
        ),
        (
            {
                "by": "discard",
                "discarder": 0,
                "flores": 20,
                "claims": (Rival(3, RIVAL.hand, flores=20),),
            },
            "laid out 20 and 20 flores; the set has 36",
        ),
        (
            {"hand": (*PLAIN[3:14], "5p", "6p"), "melds": (WIND_PONG,)},
            r"melds: '1z 1z 1z' of seat 1 has the flores '1z'; flores form no sets \(F2, F11\).",
        ),
        ({"streak": -7}, "streak: The number of hands in a row is at least 1, not -7."),
        ({"hand": ("1m", "2m", "3m"), "tile": None}, "hand: Seat 1 shows 3 tiles and 0 sets"),
        ({"tile": None}, "tile: Seat 1 shows 16 tiles and 0 sets, which is one tile short"),
        ({"dealer": 9}, "dealer: There is no seat 9"),
        ({"tile": "3z", "by": "discard", "discarder": 0}, "tile: '3z' is a flores"),
        ({"by": "replacement", "flores": 0}, "by: A replacement tile follows a kong or a flores"),
        (
            {"hand": (*PLAIN[:-2], "4p", "4p"), "by": "robbing", "discarder": 0}
            | {"parameters": Parameters(joker_in_melds=False)},
            "tile: The robbed '4p' joins a pong with at least 3 of its face",
        ),
        (
            {
                "by": "robbing",
                "discarder": 0,
                "tile": "5m",
                "parameters": Parameters(joker_in_melds=False),
            },
            "tile: '5m' is the joker, which in",
        ),
        ({"doubled": True}, "doubled: In this house equal dice do not"),
        (
            {"tile": None, "hand": (*PLAIN[3:], "4p", "5p", "6p"), "melds": (("1m", "2m", "3m"),)},
            "tile: Seat 1 has laid down '1m 2m 3m', so it has not won with the dealt tiles",
        ),
        (
            {"hand": (*PLAIN[3:14], "5p", "6p"), "melds": (("1m", "2m", "3m*"),)}
            | {"parameters": Parameters(joker_in_melds=False)},
            r"melds: '1m 2m 3m\*' has a joker; in this house no set laid",
        ),
    ],
)
def test_an_impossible_case_is_refused_with_the_field_and_the_rule(
    change: dict[str, object], message: str
) -> None:
    given: dict[str, object] = {"joker": "5m", "seat": 1, "flores": 2, "tile": "4p"}
    given["hand"] = (*PLAIN[:-2], "5p", "6p")
    with pytest.raises(RulesError, match=message) as refused:
        judge(Case(**(given | change)))  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_a_dead_joker_that_is_claimed_is_a_false_win() -> None:
    house = Parameters(joker_discard="dead")
    hand = [*PLAIN[:-2], "4m", "6m"]
    assert judge(won(hand, "5m", by="discard", discarder=0)).win
    verdict = judge(won(hand, "5m", by="discard", discarder=0, parameters=house))
    assert (verdict.legal, verdict.name) == (False, "false win")


def test_equal_dice_double_the_payments_if_the_house_plays_so() -> None:
    house = Parameters(pairs_double=True)
    case = won([*PLAIN[:-2], "5p", "6p"], "4p", parameters=house, doubled=True)
    assert paid(case) == {0: 20, 2: 20, 3: 20}


def test_a_case_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "joker: 5m\nhand: [1m, 2m, 3m, 7p, 7p, 7p, 1s, 2s, 3s, 4s, 5s, 6s, 9s, 9s]\n"
        "tile: 6s\nmelds: [[4p, 5p, 6p]]\nseat: 1\nflores: 3\n"
    )
    assert judge(load_case("filipino", path)).win
