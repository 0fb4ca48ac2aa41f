"""Da San (Wa Keng, dig a pit): three players, an auction for a kitty, cards played out.

The set-up is imported with the package; the play is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.games.da_san.setup import DA_SAN, PILE, Parameters, first_dealer
from rules.plugin import GamePlugin, lazily_judging, lazily_results, lazily_rules
from rules.values import lazily

if TYPE_CHECKING:
    from rules.games.da_san.actions import Action, Bid, Double, Lay, Pass, Reveal, parse
    from rules.games.da_san.adapter import DA_SAN_RULES
    from rules.games.da_san.bot import sensible
    from rules.games.da_san.match import DaSanMatch, begin, begin_match
    from rules.games.da_san.play import DaSanPlay, start

__all__ = [
    "DA_SAN",
    "DA_SAN_RULES",
    "PILE",
    "PLUGIN",
    "Action",
    "Bid",
    "DaSanMatch",
    "DaSanPlay",
    "Double",
    "Lay",
    "Parameters",
    "Pass",
    "Reveal",
    "begin",
    "begin_match",
    "first_dealer",
    "parse",
    "sensible",
    "start",
]

PLUGIN = GamePlugin(
    DA_SAN,
    rules=lazily_rules("rules.games.da_san.adapter", "DA_SAN_RULES"),
    judging=lazily_judging("rules.games.da_san.judge"),
    results=lazily_results("rules.games.da_san.results"),
)

__getattr__ = lazily(
    __name__,
    dict.fromkeys(("Action", "Bid", "Double", "Lay", "Pass", "parse"), "actions")
    | dict.fromkeys(("DaSanMatch", "begin"), "match")
    | dict.fromkeys(("DaSanPlay", "start"), "play")
    | {"sensible": "bot", "DA_SAN_RULES": "adapter"}
    | {"Reveal": "actions", "begin_match": "match"},
)
