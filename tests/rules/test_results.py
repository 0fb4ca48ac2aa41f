"""The law of results, for every game: a result gives the settlement of the followed hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from config.validation.game_parameters import parameters_of
from rules.errors import RulesError
from rules.games import GAMES, find_plugin, results_of
from rules.games.dominoes import DOMINO_GAMES
from rules.records.record import evening
from rules.results import BY_POINTS, Depth, ResultField, ResultForm
from tests.quick import VARIANTS, slow_except, tries
from tests.rules.finished_hands import followed_hands, paid, told

HANDS = tries(150, quick=24, evidence=10_000)
DECLARED = [game for game in GAMES if find_plugin(game).results is not None]
STATE: dict[str, Callable[[Any], object]] = {
    game.name: lambda match: (match.dealer, match.hands) for game in DOMINO_GAMES
} | {
    "backgammon": lambda match: (match.dealer, match.crawford_past),
    "filipino": lambda match: (match.dealer, match.hands),
    "pai_gow": lambda match: (match.dealer, match.banked, match.declined, match.over),
    "wenzhou": lambda match: (match.dealer, match.streak, match.reseating, match.hands),
}
"""What of a match a result `who` determines; the dealer, in a game without an entry."""
ALTERED, ALTERATIONS = tries(12, quick=3, evidence=1_000), 40
LONGER: tuple[Depth, ...] = ("amount", "tiles")


@pytest.mark.evidence
@pytest.mark.parametrize("game", slow_except(set(DECLARED) - VARIANTS, DECLARED))
def test_a_result_gives_the_settlement_and_the_match_of_the_followed_hand(game: str) -> None:
    state = STATE.get(game, lambda match: match.dealer)
    for hand in followed_hands(game, HANDS):
        due, followed = hand.match.after(hand.play), hand.play.settlement
        who, short = hand.entered("who")
        assert state(hand.match.after(short)) == state(due), (who, followed)
        for depth in LONGER:
            result, whole = hand.entered(depth)
            entered = whole.settlement
            assert paid(entered) == paid(followed), (result, followed)
            assert (entered.winner, entered.multiplier) == (followed.winner, followed.multiplier)
            assert hand.match.after(whole) == due, (result, followed)
        assert entered.name == followed.name, result
        if followed.winner is not None:
            assert told(entered) == told(followed), result


JUNK: tuple[Any, ...] = (None, True, -1, 2, 10**9, 1.5, "", "out", "6-6", [], {}, [[]], ["6-6"] * 5)


def altered(read: dict[str, Any], other: dict[str, Any], fields: list[str], chance: Random) -> Any:
    """The values of a result with one or two of them dropped, exchanged or replaced by junk."""
    given = json.loads(json.dumps(read))
    for _ in range(chance.randint(1, 2)):
        name = chance.choice(fields)
        old = given.get(name)
        if isinstance(old, list) and old and chance.random() < 0.5:
            old[chance.randrange(len(old))] = chance.choice(JUNK)
        elif chance.random() < 0.4:
            given[name] = chance.choice(JUNK)
        elif name in other and chance.random() < 0.8:
            given[name] = other[name]
        else:
            given.pop(name, None)
    return given


@pytest.mark.evidence
@pytest.mark.parametrize("game", slow_except(set(DECLARED) - VARIANTS, DECLARED))
def test_an_altered_result_gives_a_hand_or_is_refused_with_its_field(game: str) -> None:
    chance, other = Random(game), dict[str, Any]()
    asked, refused = set[str](), list[str]()
    for hand in followed_hands(game, ALTERED):
        results = results_of(game)
        form = results.form(hand.match, hand.setup)
        fields = [each.name for each in form.fields]
        asked.update(fields)
        read = dict(results.read(hand.match, hand.acts, hand.play, "tiles"))
        for _ in range(ALTERATIONS):
            try:
                result = form.checked(altered(read, other, fields, chance))
                done = results.finish(hand.match, result)
            except RulesError as error:
                refused.append(str(error))
            else:
                assert len(hand.match.after(done).scores) == len(hand.match.scores)
        other = read
    assert len(refused) > ALTERED
    for sentence in refused:
        assert sentence.split(":")[0] in asked, sentence
        assert sentence.endswith((".", "?"))


FORM = ResultForm(
    "game",
    4,
    (
        ResultField("winner", "seat", "the seat that won", needed="who"),
        ResultField("by", "choice", "the source", needed="tiles", choices=("self", "discard")),
        ResultField("from", "seat", "the discarder", when=(("by", ("discard",)),), unlike="winner"),
        ResultField(
            "class",
            "choice",
            "the class",
            "amount",
            needed="amount",
            choices=("soft",),
            when=(("hand", (None,)),),
        ),
        ResultField("pips", "number", "the pips", "amount", most=9, per_seat=True, rule="C9"),
        ResultField("hand", "tiles", "the hand", "tiles", choices=("1m", "2m"), most=3),
        ResultField("sets", "sets", "the sets", "tiles", choices=("1m", "2m")),
        ResultField("dealer", "seat", "the dealer", known=3),
    ),
)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (7, "A result is a mapping of fields to values, not 7."),
        ({"looser": 1}, "'looser' is not a field of a result of this game; its fields are winner,"),
        ({}, "winner: The result does not say the seat that won; add it."),
        ({"winner": 4}, "winner: 4 is not a seat; seats are 0 to 3."),
        ({"winner": True}, "winner: True is not a seat; seats are 0 to 3."),
        ({"winner": 1, "by": "air"}, "by: 'air' is not one of self, discard."),
        (
            {"winner": 1, "by": ["self"]},
            "by: a value of the type list is not one of self, discard.",
        ),
        ({"winner": 1, "from": 2}, "from: Give the discarder only if by is discard; leave it out."),
        (
            {"winner": 1, "by": "discard", "from": 1},
            "from: Seat 1 is the seat that won already; name another seat.",
        ),
        ({"winner": 1, "pips": [1, 2, 3, 4]}, "class: The result does not say the class; add it."),
        (
            {"winner": 1, "class": "soft", "pips": [1]},
            "pips: Give a list with one value for each of the 4 seats.",
        ),
        (
            {"winner": 1, "class": "soft", "pips": [1, 2, 10, None]},
            "pips: 10 is not a whole number of 0 to 9 (C9).",
        ),
        ({"winner": 1, "hand": ["1m"]}, "by: The result does not say the source; add it."),
        (
            {"winner": 1, "by": "self", "hand": ["1m"], "class": "soft"},
            "class: Give the class only if hand is left out; leave it out.",
        ),
        ({"winner": 1, "by": "self", "hand": "1m"}, "hand: '1m' is not a list."),
        (
            {"winner": 1, "by": "self", "hand": ["1m"] * 4},
            "hand: The list has 4 entries; 0 to 3 are possible.",
        ),
        ({"winner": 1, "by": "self", "hand": ["9z"]}, "hand: '9z' is not a tile of this game."),
        (
            {"winner": 1, "by": "self", "class": "soft", "sets": ["1m"]},
            "sets: '1m' is not a list of tiles.",
        ),
        (
            {"winner": 1, "by": "self", "class": "soft", "sets": [["1m", 2]]},
            "sets: 2 is not a tile of this game.",
        ),
    ],
)
def test_a_result_that_cannot_be_is_refused_with_its_field(given: object, sentence: str) -> None:
    with pytest.raises(RulesError) as refused:
        FORM.checked(given)
    assert str(refused.value).startswith(sentence)


def test_a_checked_result_contains_what_the_table_knew_and_has_the_depth_of_what_was_said() -> None:
    result = FORM.checked({"winner": 1, "by": "discard", "from": 2})
    assert result == {"winner": 1, "by": "discard", "from": 2, "dealer": 3}
    assert FORM.depth(result) == "who"
    assert FORM.depth(FORM.checked({"winner": 1, "class": "soft"})) == "amount"
    assert FORM.depth(FORM.checked({"winner": 1, "by": "self", "hand": ["1m"]})) == "tiles"


def test_a_game_without_declared_results_counts_the_points_of_each_seat() -> None:
    for hand in followed_hands("block", 24):
        form = BY_POINTS.form(hand.match, hand.setup)
        result = form.checked(BY_POINTS.read(hand.match, hand.acts, hand.play, "amount"))
        done = BY_POINTS.finish(hand.match, result)
        assert hand.match.after(done) == hand.match.after(hand.play)
        assert not BY_POINTS.finish(hand.match, form.checked({"winner": 1})).counted


@pytest.mark.parametrize(
    "standing",
    [{"chips": [0, 0, 0]}, {"scores": [1, 2]}, {"scores": "25"}, {"scores": [1, 2, "3"]}],
)
def test_a_record_with_a_standing_that_a_match_cannot_have_is_refused(standing: object) -> None:
    heading = {"game": "da_san", "players": 3, "dealer": 0, "outcomes": [], "standing": standing}
    lines = [json.dumps(heading), '{"result": {"winner": 1}}']
    with pytest.raises(RulesError, match=r"^Line 1 of the record cannot be played: The standing"):
        list(evening(lines, parameters_of))
