"""Pai gow with tiles: eight cuts, four tiles a hand, a low hand and a high one against the bank.

The set-up is in `setup`, what two tiles are worth in `ranks`, the splits in `split`, how houses set
them in `house_ways` and the best split in `optimum`, the play from the deal on in `play`.
"""

from __future__ import annotations

from rules.games.pai_gow.actions import parse
from rules.games.pai_gow.house_ways import HOUSE_WAYS, set_hand
from rules.games.pai_gow.match import match
from rules.games.pai_gow.play import start
from rules.games.pai_gow.players import sensible
from rules.games.pai_gow.setup import PAI_GOW, Parameters
from rules.play import Rules

__all__ = ["HOUSE_WAYS", "PAI_GOW", "PAI_GOW_RULES", "Parameters", "set_hand"]

PAI_GOW_RULES = Rules("pai_gow", start=start, parse=parse, sensible=sensible, match=match)
