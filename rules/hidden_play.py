"""Simulates players at a table that does not see their tiles: chooses the next action.

Two plays of the same set-up advance together: the *full play* with every tile (in the code:
`truth`), and the table's play with hidden hands. Each action is converted to what the table can
see.
The table's play waits for more seats than the full play, because an unseen hand might always claim.
So the full play may be ahead; the seats that the table still waits for then pass, or show their
remaining tiles, until the table's play has caught up. The table hands out tiles by its own play:
the
replacement tile of a kong, for example, comes after the last seat has passed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.geometry import Seat
from rules.play import AnyRules

Player = Callable[[AnyRules, Any, Seat], Any]
"""`player(rules, truth, seat)`: one of the seat's legal actions in a play with every tile known."""


def sensible_player(rules: AnyRules, truth: Any, seat: Seat) -> Any:
    """Returns the game's own player for simulations."""
    return rules.sensible(truth, seat)


def next_act(
    rules: AnyRules, truth: Any, play: Any, player: Player = sensible_player
) -> tuple[Any | None, Any]:
    """Returns the next action for the table's `play`, and the full play after it.

    `player` chooses for every seat.

    The action is legal in `play`, which the caller carries on with it; the truth is carried on
    here. It is None where everybody waits for the dice: whoever throws them carries both plays on
    with `rules.thrown`. Raises RulesError where the two plays are not of the same hand.
    """
    truth_acts = set(truth.to_act)
    for seat in play.to_act:
        if seat not in truth_acts:
            continue
        action = player(rules, truth, seat)
        if _is_left_to_the_dice(rules, play, action):
            return None, truth
        told = rules.tells(truth, play, action)
        if told in play.legal_actions:
            return told, truth.apply(action)
    return rules.follows(truth, play, play.to_act[0]), truth


def _is_left_to_the_dice(rules: AnyRules, play: Any, action: Any) -> bool:
    """Whether a player does no more than throw; what his dice will show he cannot say."""
    throw = rules.throw(play)
    return throw is not None and type(action) is type(rules.thrown(play, (1,) * throw.dice))
