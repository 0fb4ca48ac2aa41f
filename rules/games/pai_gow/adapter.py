"""The `Rules` of pai gow, for callers that select games by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rules.games.pai_gow.actions import Action, Call, SetHand, Show, parse
from rules.games.pai_gow.bot import sensible
from rules.games.pai_gow.match import PaiGowMatch, match
from rules.games.pai_gow.play import Hand, PaiGowPlay, start
from rules.geometry import Seat
from rules.open_tiles import OpenFact, OpenSet, OpenTiles
from rules.play import Drawing, Held, Reseated, Rules
from rules.setup import choose

FACE_DOWN = (None, None)
"""A high or low hand that lies face down."""
QUESTION: Final = "bank"
TAKE: Final = "take"
DECLINE: Final = "decline"


def held(play: PaiGowPlay) -> Held:
    """The four tiles of each seat, set or not."""
    return tuple(hand.tiles for hand in play.hands)


def view(play: PaiGowPlay, seat: Seat) -> PaiGowPlay:
    """The play with the tiles of the other hands unknown, until all hands are set (4.2)."""
    if all(hand.is_set for hand in play.hands):
        return play
    hands = (hand if owner == seat else _hidden(hand) for owner, hand in enumerate(play.hands))
    return replace(play, hands=tuple(hands))


def _hidden(hand: Hand) -> Hand:
    """The hand with its tiles unknown."""
    return replace(hand, tiles=(None,) * len(hand.tiles), split=None)


def open_tiles(begun: PaiGowPlay, taken: Sequence[tuple[Action, PaiGowPlay]]) -> OpenTiles:
    """The high and the low hand of each seat that has set them; open once all are set (4.2).

    The hands of empty positions lie open if the house shows them (A14).
    """
    play = taken[-1][1] if taken else begun
    all_set = all(hand.is_set for hand in play.hands)
    sets = []
    for seat, hand in enumerate(play.hands):
        if hand.is_set:
            split = hand.split if all_set else None
            sets.append(OpenSet(seat, "high", FACE_DOWN if split is None else split.high))
            sets.append(OpenSet(seat, "low", FACE_DOWN if split is None else split.low))
    for position, dead in enumerate(play.dead, len(play.hands)):
        sets.append(OpenSet(position, "dead hand", dead.tiles))
    called = (action for action, _ in taken if isinstance(action, Call))
    facts = tuple(OpenFact("result", action.result, action.seat) for action in called)
    return OpenTiles(sets=tuple(sets), facts=facts)


def announced(full_play: PaiGowPlay, play: PaiGowPlay, action: Action) -> Action:
    """The action without faces if a hand is set face down and the table does not know it (4.2)."""
    if isinstance(action, SetHand) and not play.hands[action.seat].is_known:
        return SetHand(action.seat)
    return action


def catch_up(full_play: PaiGowPlay, play: PaiGowPlay, seat: Seat) -> Show:
    """Turns up the hand of the seat, or else the bank's, after all hands are set (4.2)."""
    closed = seat if play.hands[seat].split is None else play.banker
    split = full_play.hands[closed].split
    assert split is not None
    return Show(closed, split)


def before_hand(match: PaiGowMatch) -> Drawing | None:
    """The script of the offer; None if the holder keeps the bank or no player can decline it."""
    return _offering(match) if match.is_offered else None


def _offering(match: PaiGowMatch) -> Drawing:
    while match.is_offered:
        answer = yield from choose(match.dealer, QUESTION, (TAKE, DECLINE), TAKE)
        if answer == TAKE:
            break
        match = match.decline()
    return Reseated((), match)


PAI_GOW_RULES = Rules(
    game="pai_gow",
    start=start,
    parse=parse,
    sensible=sensible,
    match=match,
    held=held,
    open_tiles=open_tiles,
    view=view,
    announced=announced,
    catch_up=catch_up,
    before_hand=before_hand,
)
