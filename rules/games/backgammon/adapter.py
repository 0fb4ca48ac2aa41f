"""The `Rules` of backgammon, for callers that select games by name."""

from __future__ import annotations

from collections.abc import Sequence

from rules.dice import Dice
from rules.games.backgammon.actions import Action, Roll, parse
from rules.games.backgammon.bot import sensible
from rules.games.backgammon.match import begin
from rules.games.backgammon.play import BackgammonPlay, start
from rules.games.backgammon.setup import SEATS
from rules.open_tiles import OpenFact, OpenTiles
from rules.play import Held, Rules
from rules.steps import Throw

DICE = 2


def held(play: BackgammonPlay) -> Held:
    """Returns no tiles, because backgammon is played with men on a board."""
    return ((),) * SEATS


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


def throw(play: BackgammonPlay) -> Throw | None:
    """The throw of both dice by the seat on turn, unless it doubles first (section 4)."""
    return Throw(play.turn, DICE, "throw") if play.wants_dice else None


def thrown(play: BackgammonPlay, dice: Dice) -> Roll:
    """The throw of the seat on turn as an action."""
    return Roll(play.turn, dice)


BACKGAMMON_RULES = Rules(
    game="backgammon",
    start=start,
    parse=parse,
    sensible=sensible,
    match=begin,
    held=held,
    open_tiles=open_tiles,
    throw=throw,
    thrown=thrown,
)
