"""A hand of Da San in progress: auction, kitty, rounds, payments.

A hand is its known cards and the number of its unknown cards. A card played from a hand with
unknown cards must be one that the hand could contain. One card decides who opens (D7); if the cards
are hidden, the first seat to bid is assumed to hold that card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rules.games.da_san.actions import Action, Bid, Double, Lay, Reveal
from rules.games.da_san.auction import Auction
from rules.games.da_san.legal import Offered, why_not
from rules.games.da_san.match import DaSanMatch
from rules.games.da_san.position import (
    ALL,
    RANKS,
    SUITS,
    Cards,
    Form,
    Hand,
    Round,
    answers,
    cards_of,
    faces_of,
    form_of,
    leads,
)
from rules.games.da_san.results import Contract, settled
from rules.games.da_san.setup import SEATS, Parameters, kitty_places
from rules.geometry import Place, Seat
from rules.play import IllegalActionError, Settlement, Tiles
from rules.playing.known_tiles import known_tiles
from rules.setup import Setup
from rules.tiles import Face


@dataclass(frozen=True)
class DaSanPlay:
    """A hand in progress.

    `round` is None until the auction is over and the kitty is settled. `gone` are the cards of
    finished rounds.
    """

    parameters: Parameters
    hands: tuple[Hand, Hand, Hand]
    kitty: Hand
    auction: Auction
    opener: Seat | None
    round: Round | None = None
    doubled: bool = False
    gone: Cards = 0

    @property
    def to_act(self) -> tuple[Seat, ...]:
        if self.winner is not None:
            return ()
        if self.round is not None:
            return (self.round.turn,)
        seat = self.bidder if self.auction.over else self.auction.turn
        if not self.auction.calls:
            seat = self.opener
        return tuple(range(SEATS)) if seat is None else (seat,)

    @property
    def bidder(self) -> Seat | None:
        """The seat with the highest bid so far; after the auction it takes the kitty (D9)."""
        return self.auction.bidder

    @property
    def winner(self) -> Seat | None:
        """The seat that has played its last card (D15)."""
        if self.round is None or self.round.by is None:
            return None
        return None if self.hands[self.round.by].size else self.round.by

    @property
    def revealed(self) -> tuple[Face | None, ...]:
        """The kitty after the auction, in houses that show it to all players (D9); else empty."""
        if not (self.parameters.reveal_kitty and self.auction.over):
            return ()
        return (*faces_of(self.kitty.known), *(None,) * self.kitty.hidden)

    @property
    def to_reveal(self) -> int:
        """The number of unknown cards of the kitty that the bidder has to turn up now (D9)."""
        shows = self.parameters.reveal_kitty and self.auction.over and self.round is None
        return self.kitty.hidden if shows else 0

    @property
    def legal_actions(self) -> Offered:
        return Offered(self)

    def apply(self, action: Action) -> DaSanPlay:
        sentence = why_not(self, action)
        if sentence is not None:
            raise IllegalActionError(sentence)
        if self.round is not None:
            return self._played(self.round, action)
        if isinstance(action, Reveal):
            return self._revealed(action)
        if self.auction.over:
            assert self.opener is not None
            return replace(self, round=Round(self.opener), doubled=isinstance(action, Double))
        auction = self.auction.after(action.seat, action.bid if isinstance(action, Bid) else 0)
        opener = action.seat if self.opener is None else self.opener
        if auction.bidder is None or not auction.over:
            return replace(self, auction=auction, opener=opener)
        return self._dug(auction, auction.bidder, opener)

    @property
    def unseen(self) -> Cards:
        """The cards of which the place is unknown."""
        seen = self.gone | self.kitty.known | (self.round.cards if self.round else 0)
        for hand in self.hands:
            seen |= hand.known
        return ALL & ~seen

    @cached_property
    def forms(self) -> Sequence[Form]:
        """The combinations that the seat on turn can play, regardless of suits (D3)."""
        if self.round is None:
            return ()
        hand, best = self.hands[self.round.turn], self.round.best
        unseen = self.unseen if hand.hidden else 0
        held = hand.known | unseen
        forms = leads(held) if best is None else answers(held, best)
        if not unseen:
            return forms
        return [form for form in forms if hand.can_play(hand.pick(form, unseen), unseen)]

    def lay(self, form: Form) -> Lay:
        """A combination as an action of the seat on turn."""
        assert self.round is not None
        hand = self.hands[self.round.turn]
        return Lay(self.round.turn, faces_of(hand.pick(form, self.unseen if hand.hidden else 0)))

    @property
    def contract(self) -> Contract | None:
        """What the bidder has undertaken so far; None before the first bid."""
        if self.bidder is None:
            return None
        return Contract(
            self.bidder, self.auction.bid, doubled=self.doubled, forced=self.auction.forced
        )

    @property
    def settlement(self) -> Settlement | None:
        winner, contract = self.winner, self.contract
        if winner is None or contract is None:
            return None
        return settled(contract, winner, self.parameters)

    def _dug(self, auction: Auction, bidder: Seat, opener: Seat) -> DaSanPlay:
        """The play after the bidder has taken the kitty (D9).

        Next the bidder shows the kitty or can double, if the house has these rules (E11). Otherwise
        the opener leads (D10).
        """
        first, second, third = (
            hand.with_kitty(self.kitty) if seat == bidder else hand
            for seat, hand in enumerate(self.hands)
        )
        dug = replace(self, hands=(first, second, third), auction=auction, opener=opener)
        return _ready_to_lead(dug)

    def _revealed(self, reveal: Reveal) -> DaSanPlay:
        """The play after cards of the kitty were shown; they are in the bidder's hand (D9)."""
        cards = cards_of(reveal.cards)
        first, second, third = (
            hand.seen(cards) if seat == reveal.seat else hand
            for seat, hand in enumerate(self.hands)
        )
        seen = replace(self, hands=(first, second, third), kitty=self.kitty.seen(cards))
        return _ready_to_lead(seen)

    def _played(self, table: Round, action: Action) -> DaSanPlay:
        if not isinstance(action, Lay):
            after = table.passed(locks=self.parameters.pass_locks_round)
            gone = self.gone if after.by is not None else self.gone | table.cards
            return self._with(self.hands, after, gone)
        cards = cards_of(action.cards)
        form = form_of(cards)
        assert form is not None
        first, second, third = (
            hand.without(cards) if seat == table.turn else hand
            for seat, hand in enumerate(self.hands)
        )
        return self._with((first, second, third), table.laid(form, cards), self.gone)

    def _with(self, hands: tuple[Hand, Hand, Hand], table: Round, gone: Cards) -> DaSanPlay:
        return DaSanPlay(
            self.parameters, hands, self.kitty, self.auction, self.opener, table, self.doubled, gone
        )


def _ready_to_lead(play: DaSanPlay) -> DaSanPlay:
    """The play in its first round, unless the bidder shows the kitty or can double (D9, E11)."""
    if play.to_reveal or play.parameters.bidder_may_double:
        return play
    assert play.opener is not None
    return replace(play, round=Round(play.opener))


def start(setup: Setup, tiles: Tiles | None = None, match: DaSanMatch | None = None) -> DaSanPlay:
    """Begins a hand with the auction, after the deal (D6, D7).

    Raises IllegalSetupError for a set-up that is not finished, or a card in two places.
    """
    kitty_at = kitty_places(setup)
    seen = known_tiles(setup, tiles)
    kitty = _hand(seen, kitty_at)
    first, second, third = (_hand(seen, setup.hands[seat]) for seat in range(SEATS))
    hands = (first, second, third)
    parameters: Parameters = setup.parameters
    return DaSanPlay(
        parameters,
        hands,
        kitty,
        Auction(pass_final=parameters.pass_final),
        opener_of(hands, kitty, parameters.opening_suit),
    )


def _hand(seen: Tiles, places: Sequence[Place]) -> Hand:
    faces = [seen.get(place) for place in places]
    return Hand(cards_of(face for face in faces if face is not None), faces.count(None))


def opener_of(hands: Sequence[Hand], kitty: Hand, suit: str) -> Seat | None:
    """The holder of the suit's lowest card outside the kitty (D7, E7); None if unknown."""
    for rank in range(len(RANKS)):
        card = 1 << 4 * rank + SUITS.index(suit[0])
        for seat, hand in enumerate(hands):
            if hand.known & card:
                return seat
        if not kitty.known & card:
            return None
    return None
