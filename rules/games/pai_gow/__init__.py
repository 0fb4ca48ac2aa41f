"""Pai gow with tiles: eight cuts, hands of four tiles, a low and a high hand against the bank.

`setup` has the set-up, `ranks` the ranks of two tiles, `split` the splits of four tiles,
`house_ways` the house ways, `optimum` the best split, `play` the play after the deal. The set-up is
imported with the package; the rest is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.games.pai_gow.setup import MOST_STAKED, PAI_GOW, Parameters, stake_question
from rules.plugin import GamePlugin, lazily_judging, lazily_results, lazily_rules
from rules.values import lazily

if TYPE_CHECKING:
    from rules.games.pai_gow.actions import Action, Call, SetHand, Show, parse
    from rules.games.pai_gow.adapter import PAI_GOW_RULES
    from rules.games.pai_gow.bot import sensible
    from rules.games.pai_gow.house_ways import HOUSE_WAYS, set_hand
    from rules.games.pai_gow.match import begin_match
    from rules.games.pai_gow.play import start
    from rules.games.pai_gow.ranking import Split

__all__ = [
    "HOUSE_WAYS",
    "MOST_STAKED",
    "PAI_GOW",
    "PAI_GOW_RULES",
    "PLUGIN",
    "Action",
    "Call",
    "Parameters",
    "SetHand",
    "Show",
    "Split",
    "begin_match",
    "parse",
    "sensible",
    "set_hand",
    "stake_question",
    "start",
]

PLUGIN = GamePlugin(
    PAI_GOW,
    rules=lazily_rules("rules.games.pai_gow.adapter", "PAI_GOW_RULES"),
    judging=lazily_judging("rules.games.pai_gow.judge"),
    results=lazily_results("rules.games.pai_gow.results"),
)

__getattr__ = lazily(
    __name__,
    {
        "HOUSE_WAYS": "house_ways",
        "set_hand": "house_ways",
        "PAI_GOW_RULES": "adapter",
    }
    | {
        "Action": "actions",
        "Call": "actions",
        "SetHand": "actions",
        "Show": "actions",
        "parse": "actions",
        "begin_match": "match",
        "start": "play",
        "sensible": "bot",
        "Split": "ranking",
    },
)
