"""Names that every package of games exports; the `repr` of an action evaluates with them."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from random import Random
from types import ModuleType
from typing import get_args

import pytest

from rules.games import GAMES, rules_of
from tests.rules.hidden_hands import dealt

COMMON = ("Action", "begin_match", "parse", "sensible", "start")
PACKAGES = ("backgammon", "da_san", "dominoes", "filipino", "pai_gow", "wenzhou")


OWN = [game for game in GAMES if rules_of(game).start.__module__.split(".")[2] in PACKAGES]
"""The games of the project. Installed games do not have to export these names; the conformance
suite checks their actions."""


def package_of(game: str) -> ModuleType:
    name = game if game in PACKAGES else "dominoes"
    return import_module(f"rules.games.{name}")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_exports_the_names_that_all_games_have(name: str) -> None:
    package = import_module(f"rules.games.{name}")
    for each in COMMON:
        assert each in package.__all__ and getattr(package, each) is not None
    for action in get_args(package.Action) or (package.Action,):
        assert getattr(package, action.__name__) is action
        assert action.__name__ in package.__all__


@pytest.mark.parametrize("game", OWN)
def test_the_common_names_are_the_functions_that_the_rules_use(game: str) -> None:
    package, rules = package_of(game), rules_of(game)
    assert (package.start, package.parse) == (rules.start, rules.parse)
    assert (package.begin_match, package.sensible) == (rules.match, rules.sensible)


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("game", OWN)
def test_the_repr_of_an_action_evaluates_to_it_and_its_text_is_short(
    game: str, hidden: bool
) -> None:
    chance, package, rules = Random(3), package_of(game), rules_of(game)
    setup, tiles = dealt(game, chance)
    play = rules.start(setup, {} if hidden else tiles)
    names = {name: getattr(package, name) for name in package.__all__}
    for _ in range(40):
        if play.settlement is not None:
            break
        offered = list(islice(play.legal_actions, 60))
        for action in offered:
            assert eval(repr(action), names) == action  # noqa: S307 # our own text
            assert rules.parse(action.seat, str(action)) == action
            assert len(str(action)) <= 80
        play = play.apply(chance.choice(offered))
