"""Filipino mahjong as played in Matabungkay: set-up, play, payments, a simulated player.

Start reading with `parameters` (house rules), then `setup`, `play` and the modules that they use:
`table` (the state of a hand), `legal` (legal actions), `effects` (of actions).
`winning_hand` and `price` judge a hand without a play. The set-up is imported with the package; the
play is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.games.filipino.parameters import MANO_BATCHES, SEATS, TILES, Parameters
from rules.games.filipino.setup import FILIPINO, PLUS_N, flores_bonus, flores_of, flores_to_lay_out
from rules.plugin import GamePlugin, lazily_judging, lazily_results, lazily_rules
from rules.values import lazily

if TYPE_CHECKING:
    from rules.games.filipino.actions import Act, Action, parse
    from rules.games.filipino.adapter import FILIPINO_RULES
    from rules.games.filipino.bot import sensible
    from rules.games.filipino.hand import Hand, Meld
    from rules.games.filipino.match import FilipinoMatch, begin_match
    from rules.games.filipino.play import FilipinoPlay, start
    from rules.games.filipino.score import Price, Won, price
    from rules.games.filipino.wins import Declared, WinningHand, winning_hand

__all__ = [
    "FILIPINO",
    "FILIPINO_RULES",
    "MANO_BATCHES",
    "PLUGIN",
    "PLUS_N",
    "SEATS",
    "TILES",
    "Act",
    "Action",
    "Declared",
    "FilipinoMatch",
    "FilipinoPlay",
    "Hand",
    "Meld",
    "Parameters",
    "Price",
    "WinningHand",
    "Won",
    "begin_match",
    "flores_bonus",
    "flores_of",
    "flores_to_lay_out",
    "parse",
    "price",
    "sensible",
    "start",
    "winning_hand",
]

PLUGIN = GamePlugin(
    FILIPINO,
    rules=lazily_rules("rules.games.filipino.adapter", "FILIPINO_RULES"),
    judging=lazily_judging("rules.games.filipino.judge"),
    results=lazily_results("rules.games.filipino.results"),
)

__getattr__ = lazily(
    __name__,
    dict.fromkeys(("Act", "parse"), "actions")
    | dict.fromkeys(("Hand", "Meld"), "hand")
    | dict.fromkeys(("FilipinoPlay", "start"), "play")
    | dict.fromkeys(("Price", "Won", "price"), "score")
    | dict.fromkeys(("Declared", "WinningHand", "winning_hand"), "wins")
    | {"FilipinoMatch": "match", "sensible": "bot", "FILIPINO_RULES": "adapter"}
    | {"Action": "actions", "begin_match": "match"},
)
