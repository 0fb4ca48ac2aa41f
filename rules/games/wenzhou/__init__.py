"""Wenzhou mahjong: sixteen tiles each, Caishen turned up in the wall.

The set-up is here at once; the play is imported by whoever first asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.setup import WENZHOU, draw_seats, draws_left

if TYPE_CHECKING:
    from rules.games.wenzhou.match import WenzhouMatch
    from rules.games.wenzhou.play import WenzhouPlay
    from rules.games.wenzhou.playing import WENZHOU_RULES

__all__ = [
    "WENZHOU",
    "WENZHOU_RULES",
    "Parameters",
    "WenzhouMatch",
    "WenzhouPlay",
    "draw_seats",
    "draws_left",
]

_WHEN_PLAYED = {"WENZHOU_RULES": "playing", "WenzhouMatch": "match", "WenzhouPlay": "play"}


def __getattr__(name: str) -> Any:
    if name not in _WHEN_PLAYED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHEN_PLAYED[name]}"), name)
