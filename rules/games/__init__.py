"""The games, by the names of the command line.

Every set-up is here at once; how a game is played is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module

from rules.errors import IllegalSetup
from rules.games.backgammon import BACKGAMMON
from rules.games.da_san import DA_SAN
from rules.games.dominoes import DOMINO_GAMES
from rules.games.filipino import FILIPINO
from rules.games.pai_gow import PAI_GOW
from rules.games.wenzhou import WENZHOU
from rules.play import Rules
from rules.setup import Game

GAMES: dict[str, Game] = {
    game.name: game for game in (WENZHOU, FILIPINO, PAI_GOW, *DOMINO_GAMES, BACKGAMMON, DA_SAN)
}


def find_game(name: str) -> Game:
    """The game of that name; raises IllegalSetup with the names that exist."""
    if name not in GAMES:
        raise IllegalSetup(f"There is no game '{name}'; there are {', '.join(GAMES)}.")
    return GAMES[name]


def rules_of(name: str) -> Rules:
    """How the game of that name is played; raises IllegalSetup with the names that exist."""
    game = find_game(name).name
    if game in {each.name for each in DOMINO_GAMES}:
        room = import_module("rules.games.dominoes")
        played: tuple[Rules, ...] = room.RULES
        return next(rules for rules in played if rules.game == game)
    found: Rules = getattr(import_module(f"rules.games.{game}"), f"{game.upper()}_RULES")
    return found
