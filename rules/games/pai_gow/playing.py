"""Pai gow as one value for whoever plays games by name."""

from rules.games.pai_gow.actions import parse
from rules.games.pai_gow.match import match
from rules.games.pai_gow.play import start
from rules.games.pai_gow.players import sensible
from rules.play import Rules

PAI_GOW_RULES = Rules("pai_gow", start=start, parse=parse, sensible=sensible, match=match)
