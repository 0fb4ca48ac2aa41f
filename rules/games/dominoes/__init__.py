"""Western dominoes, double-six: eight games, one engine, told apart by a table.

The set-ups are here at once; the play is imported by whoever first asks for it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rules.games.dominoes.deal import script
from rules.games.dominoes.variants import VARIANTS
from rules.lazy import lazily
from rules.setup import Game

if TYPE_CHECKING:
    from rules.games.dominoes.adapter import RULES

__all__ = ["DOMINO_GAMES", "RULES"]

DOMINO_GAMES: tuple[Game, ...] = tuple(
    Game(
        name=variant.name,
        title=variant.title,
        tiles_name="dominoes_28",
        players=variant.players,
        parameters=partial(replace, variant.parameters),
        script=script,
    )
    for variant in VARIANTS
)

__getattr__ = lazily(__name__, {"RULES": "adapter"})
