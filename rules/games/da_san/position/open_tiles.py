"""The cards of a hand of Da San that every person at the table sees."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.da_san.actions import Action, Lay
from rules.games.da_san.play import DaSanPlay
from rules.open_tiles import OpenFact, OpenTiles, PlayedTile


def open_tiles(begun: DaSanPlay, taken: Sequence[tuple[Action, DaSanPlay]]) -> OpenTiles:
    """The cards played so far; the bid, the kitty if the house shows it, the cards to beat."""
    play = taken[-1][1] if taken else begun
    played = tuple(
        PlayedTile(action.seat, card)
        for action, _ in taken
        if isinstance(action, Lay)
        for card in action.cards
    )
    facts = []
    if play.bidder is not None:
        facts.append(OpenFact("bid", str(play.auction.bid), play.bidder))
        shown = [face for face in play.revealed if face is not None]
        if shown:
            facts.append(OpenFact("kitty", " ".join(shown), play.bidder))
    if play.doubled:
        facts.append(OpenFact("doubled", "the stake is doubled", play.bidder))
    if play.round is not None and play.round.by is not None:
        last = next(action for action, _ in reversed(taken) if isinstance(action, Lay))
        facts.append(OpenFact("to beat", " ".join(last.cards), last.seat))
    return OpenTiles(played=played, facts=tuple(facts))
