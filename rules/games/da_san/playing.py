"""Da San as one value for whoever plays games by name."""

from rules.games.da_san.actions import parse
from rules.games.da_san.match import begin
from rules.games.da_san.play import start
from rules.games.da_san.players import sensible
from rules.play import Rules

DA_SAN_RULES = Rules("da_san", start=start, parse=parse, sensible=sensible, match=begin)
