"""Wenzhou mahjong: hands of sixteen tiles; the indicator is turned up in the wall.

The set-up is imported with the package; the play is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.games.wenzhou.setup import WENZHOU, Parameters, draw_seats, draws_left
from rules.plugin import GamePlugin, lazily_judging, lazily_results, lazily_rules
from rules.values import lazily

if TYPE_CHECKING:
    from rules.games.wenzhou.actions import (
        Action,
        Chow,
        Discard,
        Draw,
        FalseWin,
        Kong,
        Pass,
        Pong,
        Show,
        Win,
        parse,
    )
    from rules.games.wenzhou.adapter import WENZHOU_RULES
    from rules.games.wenzhou.bot import sensible
    from rules.games.wenzhou.match import WenzhouMatch, begin_match
    from rules.games.wenzhou.play import WenzhouPlay, start

__all__ = [
    "PLUGIN",
    "WENZHOU",
    "WENZHOU_RULES",
    "Action",
    "Chow",
    "Discard",
    "Draw",
    "FalseWin",
    "Kong",
    "Parameters",
    "Pass",
    "Pong",
    "Show",
    "WenzhouMatch",
    "WenzhouPlay",
    "Win",
    "begin_match",
    "draw_seats",
    "draws_left",
    "parse",
    "sensible",
    "start",
]

PLUGIN = GamePlugin(
    WENZHOU,
    rules=lazily_rules("rules.games.wenzhou.adapter", "WENZHOU_RULES"),
    judging=lazily_judging("rules.games.wenzhou.judge"),
    results=lazily_results("rules.games.wenzhou.results"),
)

__getattr__ = lazily(
    __name__,
    {"WENZHOU_RULES": "adapter", "WenzhouMatch": "match", "WenzhouPlay": "play"}
    | {
        "Action": "actions",
        "Chow": "actions",
        "Discard": "actions",
        "Draw": "actions",
        "FalseWin": "actions",
        "Kong": "actions",
        "Pass": "actions",
        "Pong": "actions",
        "Show": "actions",
        "Win": "actions",
        "parse": "actions",
        "begin_match": "match",
        "start": "play",
        "sensible": "bot",
    },
)
