"""Plays a whole hand in one call, for simulations that need no intermediate values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol, TypeVar

from rules.games.dominoes.actions import DominoAction, Go, Lay
from rules.games.dominoes.legal import Ended
from rules.games.dominoes.play import DominoPlay
from rules.geometry import Seat

A = TypeVar("A", bound=DominoAction)


class Pick(Protocol):
    """A function that chooses one of several actions, such as `random.Random(7).choice`."""

    def __call__(self, among: Sequence[A], /) -> A: ...


def play_out(play: DominoPlay, pick: Pick) -> DominoPlay:
    """Returns the play at its end; `pick` chooses whenever there are two or more legal actions.

    The result is the same as with `apply` for each action. If tiles can only be laid, as at Block,
    the intermediate plays are not built.
    """
    while play.settlement is None:
        if _lays_and_goes_only(play):
            return _lay_and_go(play, pick)
        offered = [*iter(play.legal_actions)]
        play = play.apply(offered[0] if len(offered) == 1 else pick(offered))
    return play


def _lays_and_goes_only(play: DominoPlay) -> bool:
    parameters = play.parameters
    able_to_draw = parameters.draw != "none" and len(play.boneyard) > parameters.boneyard_reserve
    return not (
        play.ended
        or play.turn is None
        or play.party.scores_in_play
        or parameters.pass_when_able
        or able_to_draw
        or not (play.tableau.ends or parameters.set_tile == "any")
        or any(None in hand for hand in play.hands)
    )


def _lay_and_go(play: DominoPlay, pick: Pick) -> DominoPlay:
    """Plays the rest of a hand in which seats only lay tiles or go, until it ends (C9)."""
    seat, tableau, goes = play.turn, play.tableau, play.goes
    assert seat is not None
    following = play.party.following
    hands = [list(hand) for hand in play.hands]
    actions = list(play.actions)
    ended: Ended = ""
    while not ended:
        hand, lays = hands[seat], tableau.lays[seat]
        offered: list[Lay] = []
        for tile in hand:
            if tile in lays:
                offered += lays[tile]
        if offered:
            lay = offered[0] if len(offered) == 1 else pick(offered)
            actions.append(lay)
            tableau = tableau.after[lay.tile, lay.on, lay.orientation, lay.out]
            hand.remove(lay.tile)
            goes = 0
            ended = "" if hand else "out"
        else:
            actions.append(_go(seat))
            goes += 1
            ended = "blocked" if goes == len(hands) else ""
        seat = following[seat]
    return DominoPlay(
        play.party,
        tableau,
        tuple(map(tuple, hands)),
        play.boneyard,
        seat,
        goes,
        0,
        play.scored,
        ended,
        tuple(actions),
    )


@cache
def _go(seat: Seat) -> Go:
    """Returns the same value for every go of a seat, to save time."""
    return Go(seat)
