"""Backgammon as one value for whoever plays games by name."""

from rules.games.backgammon.actions import parse
from rules.games.backgammon.match import begin
from rules.games.backgammon.play import start
from rules.games.backgammon.players import sensible
from rules.play import Rules

BACKGAMMON_RULES = Rules("backgammon", start=start, parse=parse, sensible=sensible, match=begin)
