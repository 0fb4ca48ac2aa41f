"""Questions to the judge besides the usual claim: the cases of the rules, and the rules of play.

Random plays are the second source: what a play allows, pays or passes on, the judge says too.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.errors import ConfigErrors
from config.judge_cases import case_of, case_schema
from rules.errors import RulesError
from rules.games import GAMES, judging_of, rules_of
from rules.games.backgammon.actions import Cube
from rules.games.backgammon.setup import Parameters as Backgammon
from rules.games.da_san.actions import Bid
from rules.games.filipino.actions import Act
from rules.games.pai_gow.setup import Parameters as PaiGow
from rules.games.wenzhou.actions import Discard
from rules.games.wenzhou.setup import Parameters as Wenzhou
from rules.games.wenzhou.state import Stage
from rules.judging import Verdict
from rules.steps import TurnUp
from tests.quick import tries
from tests.rules.hidden_hands import dealt


def ruling(game: str, ask: str, **keys: Any) -> Verdict:
    """The verdict on a question, read as from a file."""
    return judging_of(game).decide(case_of(game, {"ask": ask, **keys}, "case"))


def tiles(text: str) -> list[str]:
    """`34m E SS` as tiles; letters are winds and W is White."""
    letters = {"E": "1z", "S": "2z", "W": "3z", "N": "4z", "P": "5z"}
    found: list[str] = []
    for word in text.split():
        if word[-1] in "mps":
            found += [digit + word[-1] for digit in word[:-1]]
        else:
            found += [letters[letter] for letter in word]
    return found


HAND = tiles("123s 456s 789s 111p")
"""Twelve tiles, which are no single honours."""


@pytest.mark.parametrize(
    ("hand", "discarded", "allowed"),
    [
        ("E SS 4m P", "", {"1z", "2z"}),
        ("E N SS P", "N", {"4z"}),
    ],
)
def test_WZ_30_single_honours_are_discarded_first(
    hand: str, discarded: str, allowed: set[str]
) -> None:
    own = [*HAND, *tiles(hand)]
    asked = {"indicator": "2m", "hand": own, "discarded": tiles(discarded)}
    found = {tile for tile in own if ruling("wenzhou", "discard", tile=tile, **asked).legal}
    assert found == allowed
    refused = ruling("wenzhou", "discard", tile="4s", **asked)
    assert not refused.legal and "(W1" in refused.reasons[0]


def test_WZ_30_WZ_31_caishen_may_be_discarded_from_a_hand_of_caishen_only() -> None:
    pongs = [[face] * 3 for face in ("1p", "2p", "3p", "4p", "5p")]
    only = ruling("wenzhou", "discard", indicator="2m", hand=["2m", "2m"], melds=pongs, tile="2m")
    other = ruling("wenzhou", "discard", indicator="2m", hand=["2m", "3m"], melds=pongs, tile="2m")
    assert only.legal and not other.legal
    own = [*HAND, "1z", "5z", "3m", "4m", "9p"]
    asked: dict[str, Any] = {"indicator": "1z", "hand": own}
    assert [t for t in own if ruling("wenzhou", "discard", tile=t, **asked).legal] == ["5z"]


@pytest.mark.parametrize(
    ("second", "replaced", "drawn"),
    [(6, 0, 16), (7, 0, 16), (8, 0, 18), (12, 0, 26), (6, 3, 16), (12, 3, 23)],
)
def test_WZ_05_WZ_06_a_hand_is_drawn_at_this_number_of_tiles(
    second: int, replaced: int, drawn: int
) -> None:
    asked = {"second_throw": second, "replaced": replaced}
    assert ruling("wenzhou", "drawn", left=drawn, **asked).legal
    assert not ruling("wenzhou", "drawn", left=drawn + 1, **asked).legal


@pytest.mark.parametrize(
    ("keys", "dealer", "figure"),
    [
        ({"streak": 4, "winner": 2}, 3, 2),  # WZ-28
        ({"streak": 4}, 2, 8),  # WZ-29
        ({"streak": 4, "kongs": 1}, 3, 2),
        ({"streak": 2, "winner": 2}, 2, 6),  # W32
        ({"streak": 2, "winner": 0}, 3, 2),
        ({"streak": 3, "false_win": True}, 2, 6),  # W36
    ],
)
def test_WZ_28_WZ_29_the_next_dealer_and_his_figure(
    keys: dict[str, Any], dealer: int, figure: int
) -> None:
    verdict = ruling("wenzhou", "dealer", dealer=2, **keys)
    assert verdict.reasons[0].startswith(f"Seat {dealer} deals next, with the figure {figure} (W")
    reseat = {"after_fourth": "reseat"}
    drawn = ruling("wenzhou", "dealer", dealer=2, streak=4, winner=2, parameters=reseat)
    assert "drawn again" in drawn.reasons[0]


@pytest.mark.parametrize(
    ("game", "claims", "house", "first"),
    [
        ("wenzhou", [(1, "win"), (3, "double win")], {}, 3),  # WZ-32
        ("wenzhou", [(1, "double win"), (3, "double win")], {}, 1),
        ("wenzhou", [(1, "chow"), (3, "pong")], {}, 3),
        ("wenzhou", [(2, "win"), (3, "kong"), (1, "chow")], {}, 2),
        ("filipino", [(1, "win"), (3, "win")], {}, 3),  # FM-20
        ("filipino", [(1, "win"), (3, "win")], {"multi_win": "next_in_turn"}, 1),
        ("filipino", [(1, "chow"), (2, "pong")], {}, 2),  # FM-23
    ],
)
def test_the_claim_that_counts(
    game: str, claims: list[tuple[int, str]], house: dict[str, Any], first: int
) -> None:
    named = [{"seat": seat, "what": what} for seat, what in claims]
    keys = {"parameters": house} if house else {}
    verdict = ruling(game, "claims", discarder=0, claims=named, **keys)
    assert verdict.name.endswith(f"of seat {first}")
    wins = dict(claims)[first].endswith("win")
    assert verdict.winner == (first if wins else None)


def test_FM_01_FM_02_mano_is_counted_from_the_roller() -> None:
    for dice, mano in (
        ((1, 1), 1),
        ((1, 2), 2),
        ((2, 2), 3),
        ((2, 3), 0),
        ((3, 4), 2),
        ((6, 6), 3),
    ):
        assert ruling("filipino", "mano", roller=0, dice=dice).name == f"mano is seat {mano}"
    house = {"plus_n_range": [1, 6]}
    said = ruling("filipino", "mano", roller=0, dice=[4], plus=3, parameters=house)
    assert said.name == "mano is seat 2"


def test_FM_09_FM_10_flores_are_paid_five_all_round() -> None:
    start = ruling("filipino", "flores", flores=[0, 13, 5, 12])
    assert sorted((pay.to, pay.amount) for pay in start.payments) == [(0, 5)] * 3 + [(1, 5)] * 3
    assert ruling("filipino", "flores", flores=[3, 13, 5, 0], drew=1).legal
    assert not ruling("filipino", "flores", flores=[3, 12, 5, 0], drew=1).payments


def test_FM_18_a_secret_kong_is_paid_and_stays_covered() -> None:
    secret = ruling("filipino", "kong", seat=1, concealed=True, secret=True)
    assert secret.legal and [pay.amount for pay in secret.payments] == [5, 5, 5]
    assert not ruling("filipino", "kong", seat=1, secret=True).legal
    house = {"kong_secret": False}
    shown = ruling("filipino", "kong", seat=1, concealed=True, secret=True, parameters=house)
    assert not shown.legal and not shown.payments
    assert not ruling("filipino", "kong", seat=1, robbed=True).payments


def test_FM_21_hi_alai_is_paid_and_all_chips_go_back() -> None:
    verdict = ruling("filipino", "chips", seat=2, chips=[1, 0, 4, 3], won=2)
    assert verdict.legal and [pay.amount for pay in verdict.payments] == [5, 5, 5]
    assert "seat 0 0, seat 1 0, seat 2 0, seat 3 0" in verdict.reasons[0]
    assert not ruling("filipino", "chips", seat=2, chips=[4, 0, 2, 3], won=2).legal


def test_F37_without_a_winner_the_same_roller_throws_again() -> None:
    assert "seat 3 throws again" in ruling("filipino", "roller", roller=3).reasons[0]
    assert "seat 1, throws" in ruling("filipino", "roller", roller=3, winner=1).reasons[0]


CUBE = {"doubling_cube": True, "match_points": 0}


@pytest.mark.parametrize(
    ("keys", "legal", "reason"),
    [
        ({"seat": 0, "act": "double", "turn": 0}, True, "plays on for 2, or drops"),
        ({"seat": 1, "act": "take", "turn": 0, "offer": "double"}, True, "shows 2, and seat 1"),
        ({"seat": 0, "act": "double", "turn": 0, "cube": 2, "owner": 1}, False, "Seat 1 owns"),
        ({"seat": 0, "act": "double", "turn": 0, "cube": 64, "owner": 0}, False, "largest value"),
        ({"seat": 1, "act": "double", "turn": 0}, False, "It is seat 0's turn"),
        ({"seat": 1, "act": "beaver", "turn": 0, "offer": "double"}, False, "answer the double"),
        ({"seat": 1, "act": "take", "turn": 0}, False, "It is seat 0's turn"),
    ],
)
def test_actions_of_the_doubling_cube(keys: dict[str, Any], legal: bool, reason: str) -> None:
    verdict = ruling("backgammon", "cube", **keys, parameters=CUBE)
    assert verdict.legal is legal and reason in verdict.reasons[0]


def test_a_dropped_double_is_paid_and_the_crawford_game_has_no_cube() -> None:
    dropped = ruling(
        "backgammon",
        "cube",
        seat=1,
        act="drop",
        turn=0,
        cube=4,
        owner=0,
        offer="double",
        parameters=CUBE,
    )
    assert dropped.winner == 0 and [pay.amount for pay in dropped.payments] == [4]
    match = {**CUBE, "match_points": 5}
    asked: dict[str, Any] = {"seat": 0, "act": "double", "turn": 0, "parameters": match}
    assert not ruling("backgammon", "cube", scores=[4, 1], **asked).legal
    assert ruling("backgammon", "cube", scores=[4, 1], crawford_past=True, **asked).legal


def test_the_auction_of_da_san() -> None:
    def call(calls: list[int], bid: int, **house: Any) -> Verdict:
        return ruling("da_san", "auction", opener=1, calls=calls, call=bid, **house)

    assert not call([], 0).legal and call([], 1).legal
    assert not call([2], 2).legal and "seat 0 calls next" in call([1], 0).reasons[0]
    assert "forced bid" in call([1, 0], 0).reasons[0]
    assert "Seat 1 has won the auction with 3" in call([], 3).reasons[0]
    threes: dict[str, Any] = {"three_threes": True, "parameters": {"three_threes_bid_3": True}}
    assert not call([1], 2, **threes).legal and call([1], 3, **threes).legal


def test_cuts_and_the_bank_of_pai_gow() -> None:
    cup = ruling("pai_gow", "cut", cut="cup_say")
    assert cup.legal and len(cup.reasons) == 9
    house = {"allowed_cuts": ["cup_say"], "cut_default": "cup_say"}
    assert not ruling("pai_gow", "cut", cut="chee_yee", parameters=house).legal
    assert "is not a cut" in ruling("pai_gow", "cut", cut="x").reasons[0]
    usual = PaiGow()
    banker = ruling("pai_gow", "banker", banker=3, players=5, banked=usual.hands_as_bank)
    assert banker.reasons[0].startswith("Seat ")
    keeps = {"hands_as_bank": 2}
    kept = ruling("pai_gow", "banker", banker=3, players=5, banked=1, parameters=keeps)
    assert kept.reasons[0] == "Seat 3 is offered the bank (4.3)."


IMPOSSIBLE: list[tuple[str, dict[str, Any], str]] = [
    ("wenzhou", {"ask": "x"}, "'x' is not a question"),
    ("wenzhou", {"ask": 3}, "not the name of a question"),
    ("block", {"ask": "dealer"}, "none in this game"),
    ("wenzhou", {"ask": "drawn", "second_throw": 13, "left": 20}, "must be 2 to 12, not 13"),
    ("wenzhou", {"ask": "drawn", "second_throw": 6, "left": 10**9}, "must be 0 to 71"),
    ("wenzhou", {"ask": "drawn", "second_throw": 6, "left": 70, "replaced": 2}, "0 to 1, not 2"),
    ("wenzhou", {"ask": "dealer", "dealer": 4}, "There is no seat 4"),
    ("wenzhou", {"ask": "dealer", "dealer": 0, "streak": 10**12}, "must be 1 to 4"),
    ("wenzhou", {"ask": "dealer", "dealer": 0, "kongs": -1}, "must be 0 to 20"),
    ("wenzhou", {"ask": "claims", "discarder": 0, "claims": []}, "No seat claims"),
    (
        "wenzhou",
        {"ask": "claims", "discarder": 0, "claims": [{"seat": 2, "what": "chow"}]},
        "Seat 2 cannot chow",
    ),
    (
        "filipino",
        {"ask": "claims", "discarder": 0, "claims": [{"seat": 0, "what": "win"}]},
        "its own discard",
    ),
    ("filipino", {"ask": "mano", "roller": 0, "dice": [7, 1]}, "must be 1 to 6, not 7"),
    ("filipino", {"ask": "mano", "roller": 0, "dice": [1] * 100_000}, "2 times here, not 100000"),
    (
        "filipino",
        {"ask": "mano", "roller": 0, "dice": [1], "plus": 3},
        "This house does not permit 'plus n'",
    ),
    ("filipino", {"ask": "flores", "flores": [36, 1, 0, 0]}, "The seats have 37 flores"),
    ("filipino", {"ask": "flores", "flores": [37, 0, 0, 0]}, "must be 0 to 36, not 37"),
    ("filipino", {"ask": "flores", "flores": [1, 1]}, "each of the 4 seats"),
    ("filipino", {"ask": "chips", "seat": 0, "chips": [5, 0, 0, 0], "won": 1}, "must be 0 to 4"),
    ("filipino", {"ask": "chips", "seat": 0, "chips": [0] * 4, "won": 10**12}, "must be 1 to 2"),
    ("filipino", {"ask": "kong", "seat": 9}, "There is no seat 9"),
    ("backgammon", {"ask": "cube", "seat": 0, "act": "double", "turn": 0, "cube": 8}, "no doubl"),
    ("backgammon", {"ask": "cube", "seat": 0, "act": "double", "turn": 0, "cube": 3}, "not 3"),
    ("da_san", {"ask": "auction", "opener": 0, "calls": [3], "call": 0}, "The auction is over"),
    ("da_san", {"ask": "auction", "opener": 0, "calls": [0], "call": 0}, "Call 1 is not possible"),
    ("da_san", {"ask": "auction", "opener": 0, "calls": [], "call": 4}, "must be 0 to 3, not 4"),
    ("pai_gow", {"ask": "cut", "cut": "x" * 81}, "at most 80 characters"),
    ("pai_gow", {"ask": "banker", "banker": 7, "players": 5}, "There is no seat 7"),
]


@pytest.mark.parametrize(("game", "keys", "message"), IMPOSSIBLE)
def test_a_question_that_cannot_occur_is_refused(
    game: str, keys: dict[str, Any], message: str
) -> None:
    with pytest.raises((ConfigErrors, RulesError)) as refused:
        judging_of(game).decide(case_of(game, keys, "case"))
    assert message in str(refused.value)


@pytest.mark.parametrize("game", GAMES)
def test_every_question_has_a_schema_with_a_meaning_for_each_key(game: str) -> None:
    for ask in judging_of(game).questions:
        schema = case_schema(game, ask)
        assert schema["properties"] and schema["additionalProperties"] is False


# Random plays are the second source.


@pytest.mark.evidence
@given(st.integers(0, 10**9))
@settings(max_examples=tries(12, quick=4, evidence=5_000), deadline=None)
def test_a_play_of_wenzhou_and_the_judge_agree_on_discards_and_drawn_hands(seed: int) -> None:
    chance, rules = Random(seed), rules_of("wenzhou")
    house = Wenzhou(
        reserve=chance.choice((0, 16, 30)), discard_order=chance.random() < 0.8,
        kong_source=chance.choice(("tail", "draws")),
    )  # fmt: skip
    setup, faces = dealt("wenzhou", chance, parameters=house)
    play, thrown = rules.start(setup, faces), list[str]()
    second = sum(setup.throws[1][1])
    (indicator,) = (face for step, face in setup.done if isinstance(step, TurnUp))
    while play.settlement is None:
        position = play.position
        seat = play.to_act[0]
        if position.stage is Stage.ACT and chance.random() < 0.1:
            hand = position.seats[seat]
            asked = {
                "indicator": indicator,
                "hand": list(hand.known),
                "melds": [list(meld.faces) for meld in hand.melds],
                "discarded": [],
                "tile": chance.choice(hand.known),
            }
            # A claimed discard lies in a set; the question counts each tile once.
            asked["discarded"] = list(dict.fromkeys(thrown))
            verdict = ruling("wenzhou", "discard", **asked, parameters=_stated(house))
            legal = Discard(seat, str(asked["tile"])) in play.legal_actions
            assert verdict.legal == legal, (seed, asked)
        action = rules.sensible(play, seat)
        if chance.random() < 0.3:
            own = [each for each in play.legal_actions if each.seat == seat and str(each) != "win"]
            action = chance.choice(own or [action])
        if isinstance(action, Discard):
            thrown.append(action.face)
        play = play.apply(action)
    end = play.position
    left = 71 - end.drawn - end.replaced
    tail = end.replaced if house.kong_source == "tail" else 0
    verdict = ruling(
        "wenzhou", "drawn", second_throw=second, left=left, replaced=tail,
        parameters=_stated(house),
    )  # fmt: skip
    if play.settlement.name == "drawn hand":
        assert verdict.legal, (seed, left)
    after = rules.match(house, 4, 0).after(play)
    said = ruling(
        "wenzhou", "dealer", dealer=0, winner=play.settlement.winner, kongs=min(play.kongs, 20),
        false_win=play.settlement.name == "false win", parameters=_stated(house),
    )  # fmt: skip
    assert said.reasons[0].startswith(f"Seat {after.dealer} deals next, with the figure ")


def _stated(house: Any) -> dict[str, Any]:
    """The parameters of a house that differ from the defaults."""
    usual = type(house)()
    names = vars(house)
    return {name: names[name] for name in names if names[name] != getattr(usual, name)}


@pytest.mark.evidence
@given(st.integers(0, 10**9))
@settings(max_examples=tries(12, quick=4, evidence=5_000), deadline=None)
def test_a_game_of_backgammon_and_the_judge_agree_on_every_cube_action(seed: int) -> None:
    chance, rules = Random(seed), rules_of("backgammon")
    house = Backgammon(
        doubling_cube=chance.random() < 0.9, beavers=chance.random() < 0.5, match_points=0,
        automatic_doubles=chance.choice((0, 2)),
    )  # fmt: skip
    setup, _ = dealt("backgammon", chance, parameters=house)
    play = rules.start(setup, {})
    for _ in range(60):
        if play.settlement is not None:
            break
        if play.dice is None:
            seat, act = chance.randrange(2), chance.choice(("double", "take", "drop", "beaver"))
            legal = Cube(seat, act) in play.legal_actions
            keys = {"seat": seat, "act": act, "turn": play.turn, "cube": play.cube}
            said = ruling(
                "backgammon", "cube", **keys, owner=play.owner, offer=play.offer,
                parameters=_stated(house),
            )  # fmt: skip
            assert said.legal == legal, (seed, keys)
            offered = [each for each in play.legal_actions if isinstance(each, Cube)]
            if offered and chance.random() < 0.4:
                play = play.apply(chance.choice(offered))
                continue
            if play.offer is not None:
                play = play.apply(offered[0])
                continue
        play = play.apply(chance.choice(tuple(play.legal_actions)))


@pytest.mark.evidence
@given(st.integers(0, 10**9))
@settings(max_examples=tries(12, quick=4, evidence=5_000), deadline=None)
def test_the_auction_of_a_play_and_of_the_judge_agree(seed: int) -> None:
    chance, rules = Random(seed), rules_of("da_san")
    setup, faces = dealt("da_san", chance)
    play, calls = rules.start(setup, faces), list[int]()
    opener = play.to_act[0]
    while play.bidder is None or not play.auction.over:
        (seat,) = play.to_act
        for bid in range(1, 4):
            said = ruling("da_san", "auction", opener=opener, calls=calls, call=bid)
            assert said.legal == (Bid(seat, bid) in play.legal_actions), (seed, calls, bid)
        action = chance.choice(tuple(play.legal_actions))
        calls.append(action.bid if isinstance(action, Bid) else 0)
        play = play.apply(action)


@pytest.mark.evidence
@given(st.integers(0, 10**9))
@settings(max_examples=tries(12, quick=4, evidence=5_000), deadline=None)
def test_a_hand_of_filipino_pays_for_kongs_and_flores_what_the_judge_says(seed: int) -> None:
    chance, rules = Random(seed), rules_of("filipino")
    setup, faces = dealt("filipino", chance)
    play = rules.start(setup, faces)
    flores = [len(hand.flores) for hand in play.table.hands]
    paid = [*play.table.payments]
    said = ruling("filipino", "flores", flores=flores)
    assert [(pay.source, pay.to, pay.amount) for pay in paid] == [
        (pay.source, pay.to, pay.amount) for pay in said.payments
    ]
    while play.settlement is None:
        seat = chance.choice(play.to_act)
        action = rules.sensible(play, seat)
        if chance.random() < 0.3:
            own = [each for each in play.legal_actions if each.seat == seat]
            action = chance.choice([each for each in own if each.verb != "win"] or own)
        before = len(play.table.payments)
        play = play.apply(action)
        new = play.table.payments[before:]
        assert isinstance(action, Act)
        if action.verb in ("kong", "secret") and new and play.settlement is None:
            secret = action.verb == "secret"
            kong = ruling("filipino", "kong", seat=seat, concealed=secret, secret=secret)
            amounts = [(pay.source, pay.amount) for pay in new if "F23" in pay.why]
            assert amounts == [(pay.source, pay.amount) for pay in kong.payments]
        if action.verb == "flores":
            count = [len(hand.flores) for hand in play.table.hands]
            drew = ruling("filipino", "flores", flores=count, drew=seat)
            assert sum(pay.amount for pay in new) == sum(pay.amount for pay in drew.payments)
