"""The judge of Da San: whether a play of cards is legal, and who pays at the end of a hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigErrors
from config.judge_cases import load_case
from rules.errors import RulesError
from rules.games import judging_of
from rules.games.da_san import Parameters
from rules.games.da_san.judge import Case, judge
from rules.judging import Verdict


def judged(play: str, table: str = "", hand: str | None = None, **more: Any) -> Verdict:
    held = None if hand is None else tuple(hand.split())
    return judge(Case(tuple(table.split()), tuple(play.split()), hand=held, **more))


def gains(verdict: Verdict) -> tuple[int, ...]:
    balance = [0, 0, 0]
    for pay in verdict.payments:
        assert isinstance(pay.amount, int)
        balance[pay.source] -= pay.amount
        balance[pay.to] += pay.amount
    return tuple(balance)


def test_DS_08_a_higher_run_of_the_same_length_is_legal() -> None:
    verdict = judged("7h 8d 9c 10s", "6s 7s 8s 9s")
    assert (verdict.legal, verdict.win, verdict.name) == (True, False, "run 7 to 10")
    assert verdict.reasons == (
        "A run 7 to 10 beats a run 6 to 9: it has the same type and size and is higher (D13).",
    )


@pytest.mark.parametrize("play", ["Js Jh Jd Jc", "9h 10h Js Qh Kh"])
def test_DS_09_the_type_and_the_number_of_cards_have_to_be_the_same(play: str) -> None:
    verdict = judged(play, "6s 7s 8s 9s")
    assert not verdict.legal
    assert verdict.reasons[0].endswith(
        "cannot be played on a run 6 to 9; play the same type with as many cards (D13)."
    )


@pytest.mark.parametrize(
    ("play", "fact"),
    [
        ("Qs Ks As", "D11, D12"),
        ("As 2s 3s", "D11, D12"),
        ("2s 3s 4s", "D11, D12"),
        ("4s 5s", "D11"),
        ("6s 6h 7s 7h", "D11"),
    ],
)
def test_DS_10_cards_that_are_not_a_combination_are_not_legal(play: str, fact: str) -> None:
    verdict = judged(play)
    assert not verdict.legal
    assert verdict.reasons[0].startswith(f"{play} is not a combination; ")
    assert verdict.reasons[0].endswith(f"({fact}).")


@pytest.mark.parametrize(
    ("play", "name"),
    [
        ("6s 6h 6d 7s 7h 7d 8s 8h 8d", "run of threes 6 to 8"),
        ("9s 9h 9d 9c 10s 10h 10d 10c Js Jh Jd Jc", "run of fours 9 to J"),
    ],
)
def test_DS_11_runs_of_threes_and_fours_are_led(play: str, name: str) -> None:
    verdict = judged(play)
    assert (verdict.legal, verdict.name) == (True, name)
    assert verdict.reasons == (
        f"A {name} is a combination (D11), and the leader can play any combination (D14).",
    )


@pytest.mark.parametrize(
    ("low", "high"), [("2s", "3s"), ("As", "2s"), ("Ks", "As"), ("2s 2h", "3s 3h")]
)
def test_DS_12_3_is_over_2_over_ace_over_king(low: str, high: str) -> None:
    assert judged(high, low).legal
    assert not judged(low, high).legal


def test_DS_12_an_equal_pair_does_not_beat() -> None:
    verdict = judged("8d 8c", "8s 8h")
    assert verdict.reasons == ("A pair 8 does not beat a pair 8; play a higher one (D13, E3).",)


@pytest.mark.parametrize(
    ("bid", "bonus", "out", "name", "expected"),
    [
        pytest.param(2, False, 0, "bidder out first", (4, -2, -2), id="DS-13"),
        pytest.param(3, False, 1, "bidder beaten", (-6, 3, 3), id="DS-14"),
        pytest.param(1, True, 0, "bidder out first", (4, -2, -2), id="DS-15 won"),
        pytest.param(1, True, 1, "bidder beaten", (-2, 1, 1), id="DS-15 lost"),
        pytest.param(1, False, 0, "bidder out first", (2, -1, -1), id="D16"),
    ],
)
def test_DS_13_to_15_the_first_seat_out_decides_who_pays(
    bid: int, bonus: bool, out: int, name: str, expected: tuple[int, ...]
) -> None:
    house = Parameters(forced_bid_bonus=bonus)
    over = judge(Case(bidder=0, bid=bid, out=out, parameters=house))
    assert (over.legal, over.win, over.name, gains(over)) == (True, True, name, expected)
    assert over.reasons[-1].endswith("(D16, D17)." if bonus else "(D16).")
    last = judged("9s", "8h", "9s", seat=out, bidder=0, bid=bid, parameters=house)
    assert (last.win, last.name, last.payments) == (True, name, over.payments)
    assert last.reasons[1] == f"Seat {out} has played its last card (D15)."
    same = judged("9s", "8h", seat=out, out=out, bidder=0, bid=bid, parameters=house)
    assert same == last


def test_the_bidders_double_and_the_stake_count() -> None:
    house = Parameters(bidder_may_double=True, stake_unit=5)
    verdict = judge(Case(bidder=2, bid=3, out=2, doubled=True, parameters=house))
    assert gains(verdict) == (-30, -30, 60)


def test_the_verdict_on_a_finished_hand_without_a_bid_asks_for_the_bid() -> None:
    verdict = judged("9s", "8h", "9s")
    assert (verdict.win, verdict.payments) == (True, ())
    assert verdict.reasons[-1] == "Give the bidder and the bid for the payments (D16)."
    assert not judged("9s", "8h", "9s 4h", bidder=0, bid=2).win


def test_a_pass_is_legal_except_for_the_leader() -> None:
    assert judged("", "8h").legal
    lead = judged("")
    assert not lead.legal
    assert lead.reasons == ("The leader cannot pass; play a combination (D14).",)


def test_DS_17_a_seat_that_passed_can_play_again_unless_the_house_forbids_it() -> None:
    again = judged("Ks", "8d", passed=True)
    assert again.legal
    assert again.reasons[1].endswith("Seat 0 has passed before, but can play again (D14).")
    locked = judged("Ks", "8d", passed=True, parameters=Parameters(pass_locks_round=True))
    assert not locked.legal


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({}, "nothing; give a play, or the seat that went out"),
        ({"play": ("1h",)}, "'1h' is not a card; write 4h, 10s or Kd"),
        ({"play": ("7h", "7h")}, "7h is named 2 times; name each card once"),
        ({"play": ("7h",), "table": ("7h",)}, "7h is on the table, so seat 0 cannot hold it"),
        ({"play": ("7h",), "hand": ("8h",)}, "Seat 0 cannot play"),
        ({"play": ("7h",), "table": ("4h", "5s")}, "4h 5s on the table is not a combination"),
        ({"play": ("7h",), "seat": 3}, "There is no seat 3"),
        ({"play": ("7h",), "bidder": 1}, "bid: The bidder and the bid"),
        ({"play": ("7h",), "bidder": 1, "bid": 4}, "A bid is 1, 2 or 3"),
        ({"play": ("7h",), "doubled": True}, "the bidder cannot double"),
        ({"play": ("7h",), "passed": True}, "No seat passes before the lead"),
        ({"play": ("7h",), "out": 1}, "Seat 1 is out, so the hand is over"),
        ({"play": ("7h",), "hand": ("7h", "8h"), "out": 0}, "Seat 0 is not out; it"),
        ({"play": (), "table": ("7h",), "out": 0}, "Seat 0 is not out; it"),
        ({"play": (), "table": ("7h",), "hand": ()}, "Seat 0 has no card left"),
        ({"out": 1}, "give the bidder and the bid"),
        (
            {"out": 0, "bidder": 0, "bid": 1, "hand": ("4h",)},
            "out: Seat 0 is not out; it still holds 4h",
        ),
        (
            {"play": ("7h",), "doubled": True, "parameters": Parameters(bidder_may_double=True)},
            "doubled: Only the bidder can double",
        ),
        (
            {
                "play": ("3h",),
                "hand": ("3h", "3s", "3d"),
                "bidder": 1,
                "bid": 2,
                "parameters": Parameters(three_threes_bid_3=True),
            },
            "bid: Seat 0 holds 3 3s and had to bid 3 in this house",
        ),
        (
            {
                "play": (),
                "bidder": 1,
                "bid": 1,
                "hand": tuple(f"{n}{s}" for n in "45678" for s in "shdc"),
            },
            r"hand: Seat 0 can hold at most 16 cards \(D6, D9\), not 20.",
        ),
    ],
)
def test_a_case_that_contradicts_itself_is_refused(case: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        judge(Case(**case))


def test_a_case_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(
        "table: [6s, 7s, 8s, 9s]\nplay: [7h, 8d, 9c, 10s]\nhand: [7h, 8d, 9c, 10s]\n"
        "seat: 1\nbidder: 0\nbid: 3\nparameters:\n  stake_unit: 2\n"
    )
    verdict = judging_of("da_san").judge(load_case("da_san", file))
    assert (verdict.legal, verdict.name, gains(verdict)) == (True, "bidder beaten", (-12, 6, 6))
    assert verdict.facts()["multiplier"] == 3


def test_a_file_that_contradicts_itself_is_refused_with_a_message(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text("table: [6s]\nplay: [6s]\n")
    with pytest.raises(ConfigErrors, match="6s is on the table"):
        load_case("da_san", file)
