"""The `Rules` of backgammon, for callers that select games by name."""

from __future__ import annotations

from rules.dice import Dice
from rules.games.backgammon.actions import Roll, parse
from rules.games.backgammon.bot import sensible
from rules.games.backgammon.match import begin
from rules.games.backgammon.open_tiles import open_tiles
from rules.games.backgammon.play import BackgammonPlay, start
from rules.games.backgammon.setup import SEATS
from rules.play import Held, Rules
from rules.steps import Throw

DICE = 2


def held(play: BackgammonPlay) -> Held:
    """Returns no tiles, because backgammon is played with men on a board."""
    return ((),) * SEATS


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
