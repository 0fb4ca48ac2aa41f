"""Western dominoes, double-six: eight games, one script, told apart by a table."""

from __future__ import annotations

from functools import partial

from rules.games.dominoes.deal import script
from rules.games.dominoes.variants import VARIANTS, Parameters
from rules.setup import Game

DOMINO_GAMES: tuple[Game, ...] = tuple(
    Game(
        name=variant.name,
        title=variant.title,
        tiles_name="dominoes_28",
        players=variant.players,
        parameters=partial(Parameters, hand=variant.hand, setter=variant.setter),
        script=script,
    )
    for variant in VARIANTS
)
