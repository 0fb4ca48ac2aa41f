"""Western dominoes, double-six: eight games with one engine; `variants` has their differences.

The set-ups are imported with the package; the play is imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from rules.games.dominoes.setup import script
from rules.games.dominoes.variants import VARIANTS
from rules.plugin import GamePlugin, lazily_judging
from rules.setup import Game
from rules.values import lazily

if TYPE_CHECKING:
    from rules.games.dominoes.actions import Action, Call, Draw, Go, Lay, Show, parse
    from rules.games.dominoes.adapter import RULES
    from rules.games.dominoes.bot import sensible
    from rules.games.dominoes.match import begin_match
    from rules.games.dominoes.play import start
    from rules.judging import Judging
    from rules.play import AnyRules
    from rules.results import GameResults

__all__ = [
    "DOMINO_GAMES",
    "PLUGINS",
    "RULES",
    "Action",
    "Call",
    "Draw",
    "Go",
    "Lay",
    "Show",
    "begin_match",
    "parse",
    "sensible",
    "start",
]

DOMINO_GAMES: tuple[Game, ...] = tuple(
    Game(
        name=variant.name,
        title=variant.title,
        tiles_name="dominoes_28",
        players=variant.players,
        parameters=partial(replace, variant.parameters),
        script=script,
        usually=variant.usually,
    )
    for variant in VARIANTS
)


def _rules(game: str) -> AnyRules:
    """The rules of one of the eight games."""
    played: tuple[AnyRules, ...] = import_module(f"{__name__}.adapter").RULES
    return next(rules for rules in played if rules.game == game)


def _results(game: str) -> GameResults:
    """The results of one of the eight games."""
    found: GameResults = import_module(f"{__name__}.results").RESULTS[game]
    return found


_judging: Callable[[], Judging] = lazily_judging("rules.games.dominoes.judge")

PLUGINS: tuple[GamePlugin, ...] = tuple(
    GamePlugin(
        game,
        rules=partial(_rules, game.name),
        judging=_judging,
        results=partial(_results, game.name),
    )
    for game in DOMINO_GAMES
)

__getattr__ = lazily(
    __name__,
    {"RULES": "adapter"}
    | {
        "Action": "actions",
        "Call": "actions",
        "Draw": "actions",
        "Go": "actions",
        "Lay": "actions",
        "Show": "actions",
        "parse": "actions",
        "begin_match": "match",
        "start": "play",
        "sensible": "bot",
    },
)
