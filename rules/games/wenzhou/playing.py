"""How Wenzhou mahjong is played, as one value."""

from __future__ import annotations

from typing import Final

from rules.games.wenzhou.actions import parse
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.play import start
from rules.games.wenzhou.players import sensible
from rules.games.wenzhou.setup import WENZHOU
from rules.play import Rules

WENZHOU_RULES: Final = Rules(
    game=WENZHOU.name, start=start, parse=parse, sensible=sensible, match=WenzhouMatch
)
