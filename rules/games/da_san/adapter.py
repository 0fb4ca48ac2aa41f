"""The `Rules` of Da San, for callers that select games by name."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Final

from rules.games.da_san.actions import Action, Lay, Reveal, parse
from rules.games.da_san.bot import sensible
from rules.games.da_san.match import DaSanMatch, begin
from rules.games.da_san.play import DaSanPlay, opener_of, start
from rules.games.da_san.position import Hand, faces_of
from rules.games.da_san.setup import DA_SAN, SEATS, first_dealer, kitty_places, worth
from rules.geometry import Seat, counter_clockwise
from rules.open_tiles import OpenFact, OpenTiles, PlayedTile
from rules.play import Drawing, Handed, Held, Reseated, Rules, refuse_catch_up
from rules.setup import Setup, choose
from rules.steps import Outcome, Packet, Step
from rules.tiles import Face

QUESTION: Final = "card cut"
_HIGH_FIRST: Final = tuple(sorted(DA_SAN.tiles.faces, key=worth, reverse=True))


def hands_over(setup: Setup, before: DaSanPlay, after: DaSanPlay) -> Handed:
    """The kitty, which the bidder receives once the auction is over (D9)."""
    if before.auction.over or not after.auction.over or after.bidder is None:
        return ()
    return (Packet(after.bidder, kitty_places(setup)),)


def held(play: DaSanPlay) -> Held:
    """Each seat's cards, the weakest rank first, unknown cards last."""
    return tuple((*faces_of(hand.known), *(None,) * hand.hidden) for hand in play.hands)


def view(play: DaSanPlay, seat: Seat) -> DaSanPlay:
    """The play with the cards of the other hands unknown.

    The kitty is known to the bidder, and to all seats in houses that show it (D9).
    """
    dug = play.auction.over and play.bidder is not None
    shown = play.kitty.known if dug and play.parameters.reveal_kitty else 0
    sees_kitty = dug and (seat == play.bidder or play.parameters.reveal_kitty)
    kitty = play.kitty if sees_kitty else Hand(0, play.kitty.size)
    first, second, third = (
        hand if owner == seat else _hidden(hand, hand.known & shown)
        for owner, hand in enumerate(play.hands)
    )
    hands = (first, second, third)
    opener = play.opener
    if not play.auction.calls:
        opener = opener_of(hands, kitty, play.parameters.opening_suit)
    return replace(play, hands=hands, kitty=kitty, opener=opener)


def _hidden(hand: Hand, shown: int) -> Hand:
    """The hand with only these cards known."""
    return Hand(shown, hand.size - shown.bit_count())


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


def catch_up(full_play: DaSanPlay, play: DaSanPlay, seat: Seat) -> Reveal:
    """The bidder turns up the kitty cards that the table has not seen (D9). Raises RulesError."""
    if not play.to_reveal:
        refuse_catch_up(full_play, play, seat)
    return Reveal(seat, faces_of(full_play.kitty.known & ~play.kitty.known))


def to_draw(match: DaSanMatch) -> DaSanMatch:
    """Returns the match with a cut for its first dealer before the next hand (D4)."""
    return replace(match, cutting=True)


def before_hand(match: DaSanMatch) -> Drawing | None:
    """The script of the cut for the first dealer; None if the dealer is known."""
    return _cutting(match) if match.cutting else None


def _cutting(match: DaSanMatch) -> Drawing:
    """The script: players cut in turn, and those with equal highest numbers cut again."""
    tied: Sequence[Seat] = counter_clockwise(match.dealer, SEATS)
    while len(tied) > 1:
        cards: list[Face] = []
        for seat in tied:
            cards.append((yield from _cut(seat, cards)))
        tied = [tied[at] for at in first_dealer(cards)]
    return Reseated((), replace(match, dealer=tied[0], cutting=False))


def _cut(seat: Seat, shown: Sequence[Face]) -> Generator[Step, Outcome, Face]:
    """Asks a player for the card that he cut; `shown` are the cards cut before it.

    The default cards of the three players have different numbers, so they never tie.
    """
    left = tuple(card for card in _HIGH_FIRST if card not in shown)
    default = left[4 * len(shown)]
    return (yield from choose(seat, QUESTION, left, default))


DA_SAN_RULES = Rules(
    game="da_san",
    start=start,
    parse=parse,
    sensible=sensible,
    match=begin,
    held=held,
    open_tiles=open_tiles,
    view=view,
    hands_over=hands_over,
    catch_up=catch_up,
    before_hand=before_hand,
    to_draw=to_draw,
)
