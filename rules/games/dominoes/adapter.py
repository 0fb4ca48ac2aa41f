"""The `Rules` of the domino games, for callers that select games by name."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.dominoes.actions import DominoAction, Lay, Show, parse
from rules.games.dominoes.bot import sensible
from rules.games.dominoes.match import begin_match
from rules.games.dominoes.play import DominoPlay, start
from rules.games.dominoes.setup import SETTER, doublet_setter, heaviest_doublet
from rules.games.dominoes.variants import VARIANTS
from rules.geometry import Seat
from rules.open_tiles import OpenFact, OpenSet, OpenTiles, PlayedTile
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


def view(play: DominoPlay, seat: Seat) -> DominoPlay:
    """The play with the tiles of the other hands and of the boneyard unknown.

    After the end of the hand all hands stay known as they are.
    """
    if play.ended:
        return play._replace(boneyard=(None,) * len(play.boneyard))
    hands = (
        hand if owner == seat else (None,) * len(hand) for owner, hand in enumerate(play.hands)
    )
    return play._replace(hands=tuple(hands), boneyard=(None,) * len(play.boneyard))


def open_tiles(begun: DominoPlay, taken: Sequence[tuple[DominoAction, DominoPlay]]) -> OpenTiles:
    """The line of tiles with the joint of each, its open ends, and hands shown after the end."""
    play = taken[-1][1] if taken else begun
    hands = (
        OpenSet(seat, "hand", tuple(tile for tile in hand if tile is not None))
        for seat, hand in enumerate(play.hands)
        if play.ended
    )
    return OpenTiles(
        played=tuple(
            PlayedTile(action.seat, action.tile, str(action).removeprefix(action.tile).strip())
            for action, _ in taken
            if isinstance(action, Lay)
        ),
        sets=tuple(hand for hand in hands if hand.faces),
        facts=(OpenFact("open ends", str(play.tableau)),),
    )


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
