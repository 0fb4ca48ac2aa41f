"""Simulates players at a table that does not see their tiles: chooses the next action.

Two plays of the same set-up advance together: the full play (`full_play`), in which every tile is
known, and the play of the table (`play`), in which hands are hidden. `rules.announced` converts
each action of the full play to the form in which the table receives it.

The table waits for more seats than the full play does, because any unseen hand could claim a
discard. The full play can therefore be ahead of the table. The seats for which only the table
waits then pass, or show their remaining tiles, until the play of the table has caught up. The
table hands out tiles according to its own play: it gives the replacement tile of a kong, for
example, after the last seat has passed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.geometry import Seat
from rules.play import AnyRules

Player = Callable[[AnyRules, Any, Seat], Any]
"""`player(rules, full_play, seat)` returns one of the seat's legal actions in the full play."""


def sensible_player(rules: AnyRules, full_play: Any, seat: Seat) -> Any:
    """Returns the game's own player for simulations."""
    return rules.sensible(full_play, seat)


def next_act(
    rules: AnyRules, full_play: Any, play: Any, player: Player = sensible_player
) -> tuple[Any | None, Any]:
    """Returns the next action for the table's `play`, and the full play after that action.

    `player` chooses for every seat. The action is legal in `play`; the caller applies it there. It
    is None where the next thing is a throw of dice: the caller then applies `rules.thrown` to both
    plays. Raises RulesError if the two plays are not of the same hand.
    """
    seats_to_act = set(full_play.to_act)
    for seat in play.to_act:
        if seat not in seats_to_act:
            continue
        action = player(rules, full_play, seat)
        if _is_throw(rules, play, action):
            return None, full_play
        announced = rules.announced(full_play, play, action)
        if announced in play.legal_actions:
            return announced, full_play.apply(action)
    return rules.catch_up(full_play, play, play.to_act[0]), full_play


def _is_throw(rules: AnyRules, play: Any, action: Any) -> bool:
    """Whether the action is a throw of dice. The caller throws; a player cannot choose faces."""
    throw = rules.throw(play)
    return throw is not None and type(action) is type(rules.thrown(play, (1,) * throw.dice))
