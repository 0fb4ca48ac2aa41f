"""What the people at a table say next, where the table does not see their tiles.

Each of them sees the truth, a play with every tile; the table follows a play of the same set-up
with hidden hands. Both go on by the same actions, told in the table's words. The table asks more
seats than the truth does, for an unseen hand might always claim: so the truth may be ahead of it,
and the answers then say that nothing is claimed, or show what is left, until the table has caught
up. What the table hands out follows its own play: a tile that the truth has already, as for a kong
that nobody could rob, comes when the last has passed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.geometry import Seat
from rules.play import AnyRules

Player = Callable[[AnyRules, Any, Seat], Any]
"""`player(rules, truth, seat)`: one of the seat's legal actions in a play with every tile known."""


def sensible_player(rules: AnyRules, truth: Any, seat: Seat) -> Any:
    """The player that the game itself brings along, good enough to drive a simulation."""
    return rules.sensible(truth, seat)


def next_act(
    rules: AnyRules, truth: Any, play: Any, player: Player = sensible_player
) -> tuple[Any | None, Any]:
    """What is said next to the table that knows `play`, and the truth after it.

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
