"""Reported results of Wenzhou hands: their payments, the next dealer, and what is refused."""

from __future__ import annotations

import itertools
import json
from random import Random
from typing import Any

import pytest

from rules.errors import RulesError
from rules.games.wenzhou import WenzhouMatch, Win
from rules.games.wenzhou.results import RESULTS, WenzhouHand, form
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import Stage
from rules.results import Depth
from tests.rules.hidden_hands import dealt, play_hidden_stepwise, preferring
from tests.rules.wenzhou.hands import BASE, tiles
from tests.rules.wenzhou.tables import MISFITS, changed, go, set_up, table
from tests.rules.wenzhou.test_discard_fines import FINES, SECOND, THIRD, drawn_hand, shown
from tests.rules.wenzhou.test_play import NUMBERS

RICH = Parameters(caishen_money=3, discard_order_penalty=5)
ENDS = Parameters(after_false_win="ends")
WINNING = [*tiles(f"{BASE} 789s EE")]
"""A hand of seventeen tiles without a caishen; the indicator is 2m."""
SHOWN = {"winner": 1, "by": "self", "indicator": "2m", "hand": WINNING}
NO_CAISHEN = [0, 0, 0, 0]


def finish(match: WenzhouMatch, /, **given: Any) -> WenzhouHand:
    """The finished hand of a result that people give."""
    return RESULTS.finish(match, form(match).checked(json.loads(json.dumps(given))))


def gains(hand: WenzhouHand) -> list[int]:
    """The gain of each seat."""
    balance = hand.settlement.balance()
    return [int(balance.get(seat, 0)) for seat in range(4)]


# Payments


def test_the_class_and_the_dealers_figure_decide_the_payments() -> None:
    match = WenzhouMatch(dealer=0, streak=3)
    assert gains(finish(match, winner=0, **{"class": "hard"})) == [36, -12, -12, -12]
    assert gains(finish(match, winner=1, **{"class": "double"})) == [-24, 32, -4, -4]
    soft = finish(match, winner=1, by="discard", discarder=2, **{"class": "soft"})
    assert gains(soft) == [-6, 8, -1, -1]
    assert (soft.settlement.name, soft.settlement.multiplier, soft.counted) == ("soft", 1, True)


def test_tiles_are_read_as_the_judge_reads_them() -> None:
    hand = finish(WenzhouMatch(), **SHOWN)
    assert (hand.settlement.name, hand.settlement.multiplier) == ("self-draw", 2)
    earth = SHOWN | {"by": "discard", "discarder": 0, "tile": "1z", "first_turn": True}
    assert finish(WenzhouMatch(), **earth, undisturbed=True).settlement.name == "earth"
    assert finish(WenzhouMatch(), **earth, undisturbed=False).settlement.name == "hard"
    heaven = SHOWN | {"first_turn": True}
    assert finish(WenzhouMatch(dealer=1), **heaven).settlement.name == "heaven"


def test_false_wins_fines_and_caishen_money_are_paid_beside_the_win() -> None:
    match = WenzhouMatch(RICH)
    beside = {"caishen": [1, None, 0, 2], "false_wins": [2], "fined": [3, 3]}
    hand = finish(match, winner=1, **{"class": "hard"}, **beside)
    won = [-4, 8, -2, -2]
    caishen = [3 * (3 * own - (3 - own)) for own in (1, 0, 0, 2)]
    false_win, fines = [4, 2, -8, 2], [10, 10, 10, -30]
    assert gains(hand) == [sum(each) for each in zip(won, caishen, false_win, fines, strict=True)]


def test_a_result_who_moves_the_deal_and_says_that_nothing_is_counted() -> None:
    match = WenzhouMatch(dealer=2, streak=2, scores=(5, -5, 0, 0))
    hand = finish(match, winner=2)
    assert (hand.counted, hand.settlement.payments, hand.settlement.winner) == (False, (), 2)
    assert "The payments are not counted." in hand.settlement.reasons
    after = match.after(hand)
    assert (after.dealer, after.streak, after.scores) == (2, 3, match.scores)


# Hands without a winner


def test_W34_a_kong_in_a_drawn_hand_passes_the_deal() -> None:
    match = WenzhouMatch(dealer=1, streak=4)
    same, passed = (match.after(finish(match, kong=kong)) for kong in (False, True))
    assert [(each.dealer, each.streak, each.hands) for each in (same, passed)] == [
        (1, 4, 1),
        (2, 1, 1),
    ]
    with pytest.raises(RulesError, match="kong: The result does not say whether any seat had"):
        finish(match)
    with pytest.raises(RulesError, match="kong: Give whether any seat had a kong only if winner"):
        finish(match, winner=1, kong=True)


def test_W36_a_hand_that_ends_with_a_false_win_is_paid_and_does_not_count() -> None:
    match = WenzhouMatch(ENDS, dealer=0, streak=2)
    hand = finish(match, false_win=1)
    assert hand.counted and gains(hand) == [8, -12, 2, 2]
    assert match.after(hand) == WenzhouMatch(ENDS, 0, 2, scores=(8, -12, 2, 2))
    with pytest.raises(RulesError, match="false_win: Give the seat whose false win"):
        finish(match, winner=2, false_win=1)


def test_a_hand_without_a_winner_is_counted_unless_caishen_money_is_not_known() -> None:
    assert finish(WenzhouMatch(ENDS), kong=False).counted
    assert finish(WenzhouMatch(), kong=False).counted
    assert finish(WenzhouMatch(), kong=False, false_wins=[0]).counted
    assert not finish(WenzhouMatch(RICH), kong=False).counted
    over = finish(WenzhouMatch(RICH), kong=False, caishen=NO_CAISHEN, fined=[0])
    assert over.counted and gains(over) == [-15, 5, 5, 5]
    assert over.settlement.name == "drawn hand"


# What cannot be


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"winner": 1, "by": "discard", "discarder": 1},
            "discarder: Seat 1 is the seat that won already; name another seat.",
        ),
        (
            {"winner": 1, "by": "self", "discarder": 2},
            "discarder: Give the seat that discarded the tile or added it to a pong only if by is",
        ),
        ({"by": "self", "kong": False}, "by: Give the source of the winning tile only if winner"),
        (
            {"winner": 1, "by": "self", "class": "soft"},
            "class: A win by 'self' is at least hard; only a win on a discard is soft (W31).",
        ),
        ({"class": "soft", "kong": False}, "class: Give the class of the winner's hand only if"),
        (
            {"winner": 1, "false_wins": []},
            "class: The result does not say the class of the winner's hand; add it.",
        ),
        (
            {"winner": 1, "class": "hard", "false_wins": [2, 0, 2]},
            "false_wins: Seat 2 is named twice; it pays once in a hand (W36).",
        ),
        (
            {"winner": 1, "class": "hard", "false_wins": [1]},
            "false_wins: Seat 1 has won, which it cannot after a false win (W36).",
        ),
        ({"winner": 1, "hand": WINNING}, "by: The result does not say the source of the winning"),
        (
            {"winner": 1, "by": "self", "hand": WINNING},
            "indicator: The result does not say the tile turned up; add it.",
        ),
        (
            SHOWN | {"class": "double"},
            "class: These tiles are hard, not double (W31).",
        ),
        (SHOWN | {"hand": [*WINNING[:-1], "9z"]}, "hand: '9z' is not a tile of this game."),
        (SHOWN | {"hand": WINNING[:-1]}, "tile: seat 1 has 16 concealed tiles and 0 sets, which"),
        (
            SHOWN | {"hand": [*tiles(MISFITS), "2z"]},
            "hand: The hand is neither five sets and a pair, nor eight pairs, nor three caishen",
        ),
        (SHOWN | {"tile": "3z"}, "tile: The hand of seat 1 lacks the winning tile, '3z'; it has"),
        (
            SHOWN | {"hand": WINNING[3:], "melds": [["3m", "4m", "6m"]]},
            "melds: 3m 4m 6m is not a chow, pong or kong; give three or four tiles of a set.",
        ),
        (
            SHOWN | {"by": "replacement"},
            "by: A replacement tile follows a kong (W23), but seat 1 has laid down none.",
        ),
        (
            SHOWN | {"first_turn": True},
            "first_turn: Heaven is won with the dealer's dealt hand (E11); seat 1 drew the tile",
        ),
        (
            SHOWN | {"by": "discard", "tile": "1z", "first_turn": True},
            "undisturbed: The result does not say whether no kong was laid down before that",
        ),
        (
            SHOWN
            | {"by": "discard", "discarder": 2, "tile": "1z"}
            | {"first_turn": True, "undisturbed": True},
            "discarder: The first discard of a hand is the dealer's, seat 0's (E11), not seat 2's.",
        ),
        (
            SHOWN | {"hand": [*tiles(f"{BASE} 789s"), "1z"], "by": "discard", "tile": "2z"},
            "hand: The hand is neither five sets and a pair, nor eight pairs, nor three caishen",
        ),
    ],
)
def test_a_result_that_cannot_be_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesError) as refused:
        finish(WenzhouMatch(), **given)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"winner": 1, "class": "hard"},
            "caishen: The result does not say the number of caishen that each seat holds; add it.",
        ),
        (SHOWN, "caishen: The result does not say the number of caishen that each seat holds"),
        (
            {"kong": False, "caishen": [4, 0, 0, 0]},
            "caishen: 4 is not a whole number of 0 to 3 (W35).",
        ),
        (
            {"kong": False, "caishen": [2, 0, 2, 0]},
            "caishen: The seats hold 4 caishen; the set has 3 (W14).",
        ),
        (
            {"winner": 1, "class": "soft", "caishen": NO_CAISHEN},
            "class: A hand with 0 caishen is at least hard; a soft hand has one or two, for other",
        ),
        (
            {"winner": 1, "class": "soft", "caishen": [0, 3, 0, 0]},
            "class: A hand with 3 caishen is at least hard; a soft hand has one or two, for other",
        ),
        (
            SHOWN | {"caishen": [0, 1, 0, 0]},
            "caishen: The hand of seat 1 shows 0 caishen, not 1 (W35).",
        ),
    ],
)
def test_caishen_that_cannot_be_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesError) as refused:
        finish(WenzhouMatch(RICH), **given)
    assert str(refused.value).startswith(sentence)


def test_a_house_is_asked_only_for_what_it_pays() -> None:
    def names(house: Parameters) -> set[str]:
        return {field.name for field in form(WenzhouMatch(house)).fields}

    assert names(RICH) - names(Parameters()) == {"caishen", "fined"}
    assert names(ENDS) - names(Parameters()) == {"false_win"}
    assert names(Parameters()) - names(ENDS) == {"false_wins"}
    assert "false_wins" not in names(Parameters(false_win_penalty="none"))


def test_the_table_gives_the_indicator_that_it_read() -> None:
    given = {name: value for name, value in SHOWN.items() if name != "indicator"}
    match = WenzhouMatch()
    read = form(match, set_up("2m")).checked(given)
    assert read["indicator"] == "2m"
    corrected = form(match, set_up("2m")).checked(given | {"indicator": "9p"})
    assert corrected["indicator"] == "9p"
    with pytest.raises(RulesError, match="indicator: The result does not say the tile turned up"):
        form(match, set_up(None)).checked(given)
    drawn = form(match, set_up("2m"))
    assert drawn.depth(drawn.checked({"kong": False})) == "who"


# Read off followed hands


def test_E16_the_fines_of_a_followed_hand_are_read_off_it() -> None:
    play = shown(drawn_hand(), "E 3p 3p 3s 3s 6s 6s 9m 9m 9m 9m 6m 6m 5m 5m 8m", SECOND, THIRD)
    result = RESULTS.read(WenzhouMatch(FINES), (), play, "amount")
    assert result == {"kong": False, "false_wins": [], "fined": [1]}
    assert play.settlement is not None
    hand = finish(WenzhouMatch(FINES), **result)
    assert hand.settlement.payments == play.settlement.payments


def test_a_win_with_the_dealt_hand_is_read_with_its_first_turn() -> None:
    before = table({0: f"{BASE} 789s EE"})
    play = before.apply(Win(0))
    result = RESULTS.read(WenzhouMatch(), [(before, Win(0))], play, "tiles")
    assert result["first_turn"] is True and "undisturbed" not in result
    hand = finish(WenzhouMatch(), **result)
    assert hand.settlement == play.settlement


def test_a_robbed_kong_is_read_with_the_seat_that_added_to_its_pong() -> None:
    hands = {0: NUMBERS, 1: "999s 345m 678m 123p 45p EE", 3: f"{BASE} 7s C EE"}
    ponged = go(table(hands), "0 discard 9s", "1 pong", "all pass")
    asked = go(changed(ponged, stage=Stage.ACT, tile="9s"), "1 kong 9s")
    over = go(asked, "3 win", "all pass")
    result = RESULTS.read(WenzhouMatch(), [(asked, Win(3))], over, "who")
    assert result == {"winner": 3, "by": "robbing", "discarder": 1}
    result = RESULTS.read(WenzhouMatch(), [(asked, Win(3))], over, "tiles")
    assert finish(WenzhouMatch(), **result).settlement == over.settlement


@pytest.mark.parametrize("seed", range(4))
def test_a_hand_that_reads_no_tile_gives_the_result_of_the_hand_that_sees_them(seed: int) -> None:
    house = Parameters(caishen_money=2)
    setup, seen = dealt("wenzhou", Random(seed), parameters=house)
    steps = list(play_hidden_stepwise(preferring("wenzhou"), setup, seen, Random(seed)))
    acts = [(now.play, after.actions[-1]) for now, after in itertools.pairwise(steps)]
    over = steps[-1]
    match = WenzhouMatch(house)
    depths: tuple[Depth, ...] = ("amount", "tiles")
    for depth in depths:
        result = RESULTS.read(match, acts, over.play, depth)
        hand = finish(match, **result)
        assert hand.settlement.balance() == over.full_play.settlement.balance()


def test_an_unfinished_hand_has_no_result() -> None:
    with pytest.raises(RulesError, match="The hand is not over"):
        RESULTS.read(WenzhouMatch(), (), table({}), "who")
