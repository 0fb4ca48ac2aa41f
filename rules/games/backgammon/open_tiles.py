"""The public view of a game of backgammon: the men, the dice and the cube."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.backgammon.actions import Action
from rules.games.backgammon.play import BackgammonPlay
from rules.open_tiles import OpenFact, OpenTiles


def open_tiles(begun: BackgammonPlay, taken: Sequence[tuple[Action, BackgammonPlay]]) -> OpenTiles:
    """The men of each seat by point, in that seat's numbering; a throw to play; the cube."""
    play = taken[-1][1] if taken else begun
    facts = [OpenFact("men", text, seat) for seat, text in enumerate(str(play.board).split(" | "))]
    if play.dice is not None:
        facts.append(OpenFact("dice", " ".join(map(str, play.dice)), play.turn))
    if play.doubling:
        facts.append(OpenFact("cube", str(play.cube), play.owner))
    if play.offer is not None:
        facts.append(OpenFact("offer", play.offer, play.turn))
    return OpenTiles(facts=tuple(facts))
