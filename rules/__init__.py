"""Rules of every supported game as a library: set-up, play, settlement, winning hands.

    >>> from random import Random
    >>> from rules import new_hand, random_action
    >>> chance = Random(7)
    >>> play = new_hand("wenzhou", chance)
    >>> while play.settlement is None:
    ...     play = play.apply(random_action(play, chance.choice))
    >>> play.settlement.name
    'drawn hand'

Standard library only: no clock, no random numbers, no input or output. Dice, cuts, choices and
turned-up tiles are inputs: a `Setup` asks for them one step at a time, and a random hand
gets its generator from the caller. The names below are the public API; each is imported on first
use. `docs/reference/RULES_LIBRARY.md` introduces them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.values import lazily

if TYPE_CHECKING:
    from rules.errors import IllegalOutcomeError as IllegalOutcomeError
    from rules.errors import IllegalSetupError as IllegalSetupError
    from rules.errors import MissingThrowError as MissingThrowError
    from rules.errors import NotationError as NotationError
    from rules.errors import RulesError as RulesError
    from rules.errors import WallwrightError as WallwrightError
    from rules.games import GAMES as GAMES
    from rules.games import find_game as find_game
    from rules.games import judging_of as judging_of
    from rules.games import results_of as results_of
    from rules.games import rules_of as rules_of
    from rules.judging import Judging as Judging
    from rules.judging import Verdict as Verdict
    from rules.melds import Counts as Counts
    from rules.melds import Group as Group
    from rules.melds import Reading as Reading
    from rules.melds import only_sets as only_sets
    from rules.melds import pairs as pairs
    from rules.melds import readings as readings
    from rules.melds import sets_and_pair as sets_and_pair
    from rules.melds import tiles_short as tiles_short
    from rules.melds import waits as waits
    from rules.play import HOUSE as HOUSE
    from rules.play import Action as Action
    from rules.play import AnyRules as AnyRules
    from rules.play import IllegalActionError as IllegalActionError
    from rules.play import LegalActions as LegalActions
    from rules.play import Match as Match
    from rules.play import Payment as Payment
    from rules.play import Play as Play
    from rules.play import Rules as Rules
    from rules.play import Settlement as Settlement
    from rules.play import random_action as random_action
    from rules.playing.dealing import Chance as Chance
    from rules.playing.dealing import Dealt as Dealt
    from rules.playing.dealing import before_next_hand as before_next_hand
    from rules.playing.dealing import deal as deal
    from rules.playing.dealing import from_hands as from_hands
    from rules.playing.dealing import new_hand as new_hand
    from rules.playing.line import Line as Line
    from rules.records.play_texts import play_text as play_text
    from rules.records.play_texts import read_play as read_play
    from rules.records.record import recorded as recorded
    from rules.records.record import replayed as replayed
    from rules.results import FinishedHand as FinishedHand
    from rules.results import GameResults as GameResults
    from rules.results import ResultField as ResultField
    from rules.results import ResultForm as ResultForm
    from rules.setup import Game as Game
    from rules.setup import Seating as Seating
    from rules.setup import Setup as Setup
    from rules.setup import settle as settle
    from rules.tiles import TileSet as TileSet
    from rules.tiles import tile_set as tile_set

_MODULES = {
    "playing.dealing": ("Chance", "Dealt", "before_next_hand", "deal", "from_hands", "new_hand"),
    "errors": (
        "IllegalOutcomeError",
        "IllegalSetupError",
        "MissingThrowError",
        "NotationError",
        "RulesError",
        "WallwrightError",
    ),
    "games": ("GAMES", "find_game", "judging_of", "results_of", "rules_of"),
    "judging": ("Judging", "Verdict"),
    "playing.line": ("Line",),
    "melds": (
        "Counts",
        "Group",
        "Reading",
        "only_sets",
        "pairs",
        "readings",
        "sets_and_pair",
        "tiles_short",
        "waits",
    ),
    "play": (
        "HOUSE",
        "Action",
        "AnyRules",
        "IllegalActionError",
        "LegalActions",
        "Match",
        "Payment",
        "Play",
        "Rules",
        "Settlement",
        "random_action",
    ),
    "records.play_texts": ("play_text", "read_play"),
    "records.record": ("recorded", "replayed"),
    "results": ("FinishedHand", "ResultField", "ResultForm", "GameResults"),
    "setup": ("Game", "Seating", "Setup", "settle"),
    "tiles": ("TileSet", "tile_set"),
}
"""The public names by the module that defines them; tests/rules/test_public_api.py lists them."""

__all__ = [name for names in _MODULES.values() for name in names]

__getattr__ = lazily(
    __name__, {name: module for module, names in _MODULES.items() for name in names}
)


def __dir__() -> list[str]:
    return [*__all__]
