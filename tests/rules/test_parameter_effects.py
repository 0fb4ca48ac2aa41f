"""Every parameter of every game changes something that can be observed at the table.

Hands are played with two or more values of a parameter and otherwise equal houses. The set-up, the
legal actions, the announced actions of hidden hands, the settlement, the match or the steps before
the next hand have to differ.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import combinations, islice, zip_longest
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from rules.errors import RulesError
from rules.games import GAMES, rules_of
from rules.games.pai_gow.cuts import PILE, UserCut
from rules.play import Rules
from rules.steps import Throw
from tests.quick import EVIDENCE_ONLY, VARIANTS
from tests.rules.hidden_hands import dealt, play_hidden
from tests.rules.parameter_scenes import SCENES, a_single_tile_beside_a_doublet

SEEDS = 400
"""The most evenings that are played before a parameter counts as one without effect."""
MOST = 40
"""The most actions of random players that are compared in each hand."""
FALSE_WINS = 0.1
"""The probability that a random player declares a false win, in games that have false wins."""


@dataclass(frozen=True)
class Trial:
    """The test of one parameter: its values, the house's other parameters, the number of hands."""

    values: tuple[Any, ...] = ()
    """If empty: both truth values, all values of a choice, or a number and a higher one."""
    given: Mapping[str, Any] = field(default_factory=dict)
    hands: int = 1
    players: int | None = None
    seeds: tuple[int, ...] = ()
    """The seeds that are tried first."""


def evening(game: str, house: Any, seed: int, trial: Trial) -> Iterator[object]:
    """All that can be observed in an evening, in order; equal houses give equal lists."""
    rules = rules_of(game)
    yield rules.mixes_discards(house)
    match = rules.match(house, trial.players or GAMES[game].players[-1], 0)
    with suppress(RulesError):
        match = yield from before(rules, rules.to_draw(match), seed)
    for number in range(trial.hands):
        chance = Random(f"{seed} {number}")
        match = yield from before(rules, match, seed)
        try:
            setup, tiles = dealt(
                game, chance, players=len(match.scores), dealer=match.dealer, parameters=house
            )
        except RulesError as error:
            yield str(error)
            return
        yield [(step.facts(), outcome) for step, outcome in setup.done]
        yield list(at_random(rules, setup, tiles, match, seed))
        unseen = rules.start(setup, {}, match).legal_actions
        yield [f"{action.seat} {action}" for action in islice(unseen, 60)]
        hand = play_hidden(rules, setup, tiles, Random(seed), match)
        yield hand.texts, hand.play.settlement
        match = match.after(hand.play)
        yield match.over, [getattr(match, each.name) for each in fields(match)[1:]]
        if match.over:
            return


def before(rules: Rules, match: Any, seed: int) -> Generator[object, None, Any]:
    """Yields the throws and choices before a hand; returns the match after them."""
    drawing, chance = rules.before_hand(match), Random(seed)
    if drawing is None:
        return match
    step = next(drawing)
    while True:
        yield step.facts()
        outcome: Any = chance.choice(getattr(step, "among", ((0,),)))
        if isinstance(step, Throw):
            outcome = tuple(chance.randint(1, 6) for _ in range(step.dice * step.times))
        try:
            step = drawing.send(outcome)
        except StopIteration as end:
            return end.value.match


def at_random(rules: Rules, setup: Any, tiles: Any, match: Any, seed: int) -> Iterator[object]:
    """Yields the legal actions of a hand with known tiles at random play, and its settlement."""
    play, chance = rules.start(setup, tiles, match), Random(seed)
    for _ in range(MOST):
        if play.settlement is not None:
            break
        offered = sorted(play.legal_actions, key=lambda action: (action.seat, str(action)))
        yield [f"{action.seat} {action}" for action in offered]
        action = chance.choice(offered)
        if chance.random() < FALSE_WINS:
            with suppress(RulesError):
                false_win = rules.parse(chance.randrange(len(match.scores)), "false win")
                action = false_win if false_win in play.legal_actions else action
        play = play.apply(action)
    yield play.settlement


def first_difference(game: str, one: Any, other: Any, trial: Trial) -> int | None:
    """The first seed whose evening differs between two houses, or None."""
    for seed in (*trial.seeds, *range(SEEDS)):
        pair = zip_longest(*(evening(game, house, seed, trial) for house in (one, other)))
        if any(left != right for left, right in pair):
            return seed
    return None


OUR_CUT = UserCut(
    "ours", tuple(tuple(map(str, PILE.places[at : at + 4])) for at in range(0, 32, 4))
)
EARLY_TARGET = {"base": 5, "target": 10}
DOMINOES: dict[str, Trial] = {
    "hand": Trial(((5, 5, 5), (4, 4, 4))),
    "setter": Trial(given={"hand": (7, 7, 7), "set_tile": "deciding"}),
    "heavier": Trial(given={"setter": "doublet", "hand": (2, 2, 2)}),
    "set_tile": Trial(given={"setter": "rotate"}),
    "matador_free_orientation": Trial(given={"join": "seven"}),
    "double_orientation": Trial(given={"base": 5, "join": "equal", "sides_first": False}),
    "sniff": Trial(given={"sides_first": False, "join": "equal", "double_orientation": "cross"}),
    "sides_first": Trial(given={"sniff": False}),
    "inline_sniff_four_way": Trial(
        given={"sniff": True, "sides_first": False, "double_orientation": "choice"}
    ),
    "draw_when_able": Trial(given={"draw": "until_able", "hand": (5, 5, 5)}),
    "boneyard_reserve": Trial((0, 2, 6), {"draw": "until_able", "hand": (5, 5, 5)}),
    "draw": Trial(given={"hand": (5, 5, 5), "draw_when_able": False}),
    "pass_when_able": Trial(),
    "base": Trial((0, 3, 5), {"muggins_call": False}),
    "muggins_call": Trial(given={"base": 5}),
    "muggins_window": Trial(given={"base": 5, "muggins_call": True}),
    "triple_by_single": Trial(
        given={
            "triple_header": 3,
            "double_header": 2,
            "join": "equal",
            "sides_first": False,
            "double_orientation": "cross",
        }
    ),
    "block_score": Trial(given={"hand_win": 0}),
    "round_hand": Trial(given={"hand_win": 0}),
    "target": Trial((5, 100)),
    "stop_immediately": Trial(given=EARLY_TARGET),
}
TRIALS: dict[str, dict[str, Trial]] = {
    "da_san": {"chips_out": Trial(given={"start_chips": 2})},
    "backgammon": {
        "automatic_doubles": Trial(given={"doubling_cube": True}),
        "jacoby": Trial(given={"doubling_cube": True}),
        "crawford": Trial(given={"doubling_cube": True, "match_points": 3}, hands=4),
        "beavers": Trial(given={"doubling_cube": True}),
    },
    "wenzhou": {
        "dealer_scale": Trial(((2, 4, 6, 8), (3, 5, 7, 9))),
        "after_fourth": Trial(given={"dealer_scale": (2,)}, hands=4),
        "reserve": Trial((16, 40)),
        "discard_order_penalty": Trial((0, 1, 5)),
        "pong_pass_lock": Trial(given={"discard_order": False}),
        "false_win_penalty": Trial(given={"reserve": 62}),
    },
    "filipino": {
        "plus_n_range": Trial(((), (1, 6))),
        "columns": Trial(((18, 18, 18, 18), (17, 19, 18, 18))),
        "mano_batches": Trial(((9, 8), (8, 9), (8, 8, 1))),
        "exhaust_reserve": Trial((0, 60)),
        "false_win": Trial(given={"exhaust_reserve": 70}),
        "hi_alai": Trial(hands=4),
        "chip_target": Trial(hands=4),
    },
    "pai_gow": {
        "cut_default": Trial(("one_stack", "cup_say")),
        "allowed_cuts": Trial((("one_stack", "cup_say"), ("one_stack", "dai_pin"))),
        "user_cuts": Trial(((), (OUR_CUT,)), players=2),
        "house_seats": Trial(((), (0, 1))),
        "house_way": Trial(given={"house_seats": tuple(range(8))}),
    },
}


LATE: dict[tuple[str, str], int] = {
    ("backgammon", "must_use_larger"): 42,
    ("backgammon", "gammon"): 20,
    ("filipino", "joker_discard"): 21,
    ("filipino", "hi_alai"): 4,
    ("filipino", "second_flores"): 8,
    ("da_san", "forced_bid_bonus"): 8,
    ("draw", "blocked_doublets_lose"): 22,
    ("sebastopol", "muggins_window"): 10,
    ("sebastopol", "block_score"): 14,
    ("sebastopol", "blocked_doublets_lose"): 12,
    ("muggins", "muggins_window"): 4,
    ("matador", "muggins_window"): 10,
    ("sniff", "heavier"): 11,
    ("sniff", "triple_header"): 4,
    ("filipino", "flores_bonus"): 8,
    ("filipino", "bonus_high"): 8,
    ("filipino", "kong_bonus"): 3,
    ("filipino", "special_win"): 16,
    ("filipino", "back_to_back"): 6,
    ("filipino", "middle"): 3,
    ("filipino", "pairs_double"): 4,
    ("pai_gow", "user_cuts"): 56,
    ("pai_gow", "house_way"): 15,
    ("wenzhou", "pong_extension_exempt"): 17,
}
"""The first seed that shows a difference, for parameters whose search takes long. If this seed
shows no difference any more, the test searches all seeds."""
SEARCHED = {
    *("joker_discard", "second_flores", "must_use_larger", "gammon", "hi_alai", "chip_target"),
    *("match_points", "crawford", "block_score", "setter", "self_win", "dead_hand"),
    *("after_fourth", "opening_suit", "automatic_doubles", "discard_win"),
}
"""Parameters for which the search takes long."""
PARAMETERS = [
    pytest.param(
        game,
        each.name,
        marks=[
            *[pytest.mark.slow] * (each.name in SEARCHED),
            *[EVIDENCE_ONLY] * (game in VARIANTS and number % 3 != at % 3),
        ],
        id=f"{game}-{each.name}",
    )
    for at, game in enumerate(GAMES)
    for number, each in enumerate(fields(GAMES[game].parameters()))
]


def trial_of(game: str, name: str) -> Trial:
    """The trial of a parameter; values that are not given are filled in from its type."""
    own = GAMES[game].parameters()
    trial = (TRIALS.get(game) or DOMINOES).get(name, Trial())
    hint, value = get_type_hints(type(own))[name], getattr(own, name)
    values: tuple[Any, ...] = trial.values
    if not values and hint is bool:
        values = (False, True)
    elif not values and get_origin(hint) is Literal:
        values = get_args(hint)
    elif not values:
        assert hint in (int, float), f"name two values of {name} of {game} among the trials"
        values = (value, value + 1 if hint is int else value * 2)
    seeds = (LATE[game, name],) if (game, name) in LATE else ()
    return replace(trial, values=values, seeds=seeds)


@pytest.mark.parametrize(("game", "name"), PARAMETERS)
def test_a_parameter_has_an_observable_effect(game: str, name: str) -> None:
    trial = trial_of(game, name)
    assert len(trial.values) > 1
    base = replace(GAMES[game].parameters(), **trial.given)
    houses = [replace(base, **{name: value}) for value in trial.values]
    scene = SCENES.get((game, name))
    if name == "triple_by_single":
        scene = a_single_tile_beside_a_doublet
    for one, other in combinations(houses, 2):
        differ = (
            first_difference(game, one, other, trial) is not None
            if scene is None
            else scene(one) != scene(other)
        )
        here, there = getattr(one, name), getattr(other, name)
        assert differ, f"{name} of {game} changes nothing between {here!r} and {there!r}"


@pytest.mark.parametrize("game", ["wenzhou", "sniff", "da_san"])
def test_the_same_house_gives_the_same_evening(game: str) -> None:
    """If equal houses differed, the comparisons above would prove nothing."""
    houses = GAMES[game].parameters(), GAMES[game].parameters()
    for seed in range(3):
        assert list(evening(game, houses[0], seed, Trial())) == list(
            evening(game, houses[1], seed, Trial())
        )
