"""The domino games as values for whoever plays games by name."""

from functools import partial

from rules.games.dominoes.actions import parse
from rules.games.dominoes.match import begin_match
from rules.games.dominoes.play import start
from rules.games.dominoes.players import sensible
from rules.games.dominoes.variants import VARIANTS
from rules.play import Rules

RULES: tuple[Rules, ...] = tuple(
    Rules(
        game=variant.name,
        start=start,
        parse=parse,
        sensible=sensible,
        match=partial(begin_match, parameters=variant.parameters, players=variant.players[-1]),
    )
    for variant in VARIANTS
)
"""How each of them is played, in the order of DOMINO_GAMES."""
