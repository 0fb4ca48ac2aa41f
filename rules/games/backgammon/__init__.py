"""Backgammon: two players, fifteen men each, dice, and an optional doubling cube.

The set-up is imported with the package; the play is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.games.backgammon.setup import BACKGAMMON, START, Parameters, pips
from rules.plugin import GamePlugin, lazily_judging, lazily_results, lazily_rules
from rules.values import lazily

if TYPE_CHECKING:
    from rules.games.backgammon.actions import Action, Cube, Move, Roll, parse
    from rules.games.backgammon.adapter import BACKGAMMON_RULES
    from rules.games.backgammon.board import BackgammonBoard
    from rules.games.backgammon.bot import sensible
    from rules.games.backgammon.match import BackgammonMatch, begin, begin_match
    from rules.games.backgammon.moves import Step
    from rules.games.backgammon.play import BackgammonPlay, start

__all__ = [
    "BACKGAMMON",
    "BACKGAMMON_RULES",
    "PLUGIN",
    "START",
    "Action",
    "BackgammonBoard",
    "BackgammonMatch",
    "BackgammonPlay",
    "Cube",
    "Move",
    "Parameters",
    "Roll",
    "Step",
    "begin",
    "begin_match",
    "parse",
    "pips",
    "sensible",
    "start",
]

PLUGIN = GamePlugin(
    BACKGAMMON,
    rules=lazily_rules("rules.games.backgammon.adapter", "BACKGAMMON_RULES"),
    judging=lazily_judging("rules.games.backgammon.judge"),
    results=lazily_results("rules.games.backgammon.results"),
)

__getattr__ = lazily(
    __name__,
    dict.fromkeys(("Action", "Cube", "Move", "Roll", "parse"), "actions")
    | dict.fromkeys(("BackgammonMatch", "begin"), "match")
    | dict.fromkeys(("BackgammonPlay", "start"), "play")
    | {"BackgammonBoard": "board", "sensible": "bot", "BACKGAMMON_RULES": "adapter"}
    | {"begin_match": "match", "Step": "moves"},
)
