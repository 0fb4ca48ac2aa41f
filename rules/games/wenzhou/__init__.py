"""Wenzhou mahjong: sixteen tiles each, Caishen turned up in the wall.

The set-up is here at once; the play is imported by whoever first asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.setup import WENZHOU, draw_seats, draws_left
from rules.lazy import lazily
from rules.plugin import GamePlugin, lazily_judging, lazily_rules

if TYPE_CHECKING:
    from rules.games.wenzhou.adapter import WENZHOU_RULES
    from rules.games.wenzhou.match import WenzhouMatch
    from rules.games.wenzhou.play import WenzhouPlay

__all__ = [
    "PLUGIN",
    "WENZHOU",
    "WENZHOU_RULES",
    "Parameters",
    "WenzhouMatch",
    "WenzhouPlay",
    "draw_seats",
    "draws_left",
]

PLUGIN = GamePlugin(
    WENZHOU,
    rules=lazily_rules("rules.games.wenzhou.adapter", "WENZHOU_RULES"),
    judging=lazily_judging("rules.games.wenzhou.judge"),
)

__getattr__ = lazily(
    __name__, {"WENZHOU_RULES": "adapter", "WenzhouMatch": "match", "WenzhouPlay": "play"}
)
