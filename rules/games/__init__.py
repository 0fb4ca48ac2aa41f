"""The games, by the names of the command line."""

from __future__ import annotations

from rules.errors import IllegalSetup
from rules.games.backgammon import BACKGAMMON
from rules.games.da_san import DA_SAN
from rules.games.dominoes import DOMINO_GAMES
from rules.games.filipino import FILIPINO
from rules.games.pai_gow import PAI_GOW
from rules.games.wenzhou import WENZHOU
from rules.setup import Game

GAMES: dict[str, Game] = {
    game.name: game for game in (WENZHOU, FILIPINO, PAI_GOW, *DOMINO_GAMES, BACKGAMMON, DA_SAN)
}


def find_game(name: str) -> Game:
    """The game of that name; raises IllegalSetup with the names that exist."""
    if name not in GAMES:
        raise IllegalSetup(f"There is no game '{name}'; there are {', '.join(GAMES)}.")
    return GAMES[name]
