"""The `Rules` of the domino games, for callers that select games by name."""

from __future__ import annotations

from rules.games.dominoes.actions import Show, parse
from rules.games.dominoes.bot import sensible
from rules.games.dominoes.deal import SETTER
from rules.games.dominoes.match import begin_match
from rules.games.dominoes.play import DominoPlay, start
from rules.games.dominoes.position.open_tiles import open_tiles
from rules.games.dominoes.position.view import view
from rules.games.dominoes.setter import doublet_setter, heaviest_doublet
from rules.games.dominoes.variants import VARIANTS
from rules.geometry import Seat
from rules.play import AnyRules, Handed, Held, Rules, Tiles
from rules.setup import Setup
from rules.steps import Choose, Outcome, Packet


def hands_over(setup: Setup, before: DominoPlay, after: DominoPlay) -> Handed:
    """The tile that was drawn from the boneyard (C3)."""
    if len(after.boneyard) == len(before.boneyard):
        return ()
    assert setup.ready is not None and before.turn is not None
    draws = setup.ready.draws
    return (Packet(before.turn, (draws[len(draws) - len(before.boneyard)],)),)


def held(play: DominoPlay) -> Held:
    """The tiles in each seat's hand."""
    return play.hands


def catch_up(full_play: DominoPlay, play: DominoPlay, seat: Seat) -> Show:
    """Shows, after the hand, the seat's next tile that the table has not seen (C9)."""
    seen = play.hands[seat]
    return Show(seat, next(tile for tile in full_play.hands[seat] if tile and tile not in seen))


def answers(setup: Setup, tiles: Tiles) -> Outcome:
    """The setter, if the tiles in hand decide it (C5, 2.3, 2.4); None for any other choice."""
    asked = setup.pending
    if not isinstance(asked, Choose) or asked.what != SETTER:
        return None
    hands = {
        seat: [face for place in hand if (face := tiles.get(place)) is not None]
        for seat, hand in setup.hands.items()
    }
    if "nobody" in asked.among and heaviest_doublet(hands) is None:
        return "nobody"
    return doublet_setter(hands, setup.parameters.heavier)


RULES: tuple[AnyRules, ...] = tuple(
    Rules(
        game=variant.name,
        start=start,
        parse=parse,
        sensible=sensible,
        match=begin_match,
        held=held,
        open_tiles=open_tiles,
        view=view,
        hands_over=hands_over,
        catch_up=catch_up,
        answers=answers,
    )
    for variant in VARIANTS
)
"""The rules of each domino game, in the order of DOMINO_GAMES."""
