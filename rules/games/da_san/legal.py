"""What is legal in a hand of Da San: the view of it, and the sentence against what is not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol, get_args

from rules.games.da_san.actions import Action, Bid, Double, Lay, Pass, Reveal
from rules.games.da_san.auction import HIGHEST, Auction
from rules.games.da_san.cards import FACES, RANKS, Cards, Form, cards_of, faces_of, form_of
from rules.games.da_san.hand import Hand
from rules.games.da_san.setup import Parameters
from rules.games.da_san.table import Round
from rules.geometry import Seat
from rules.play import LegalActions
from rules.well_typed import why_ill_typed

_CLASSES = get_args(Action)
THREES = 3
"""So many 3s make their holder bid, in houses that say so (E11)."""
_THREE = 15 << 4 * RANKS.index("3")


class Position(Protocol):
    """What legality asks of a hand in progress; `DaSanPlay` is one."""

    @property
    def parameters(self) -> Parameters: ...

    @property
    def hands(self) -> tuple[Hand, Hand, Hand]: ...

    @property
    def auction(self) -> Auction: ...

    @property
    def round(self) -> Round | None: ...

    @property
    def to_act(self) -> tuple[Seat, ...]: ...

    @property
    def to_reveal(self) -> int: ...

    @property
    def winner(self) -> Seat | None: ...

    @property
    def unseen(self) -> Cards: ...

    @property
    def forms(self) -> Sequence[Form]: ...

    def lay(self, form: Form) -> Lay: ...


class Offered(LegalActions[Action]):
    """The legal actions of a hand, by number too: a random player makes one and not all of them.

    Any suits of the right ranks are legal; one choice of them is offered, as suits are equal (D3).
    """

    __slots__ = ("_play",)

    def __init__(self, play: Position) -> None:
        super().__init__(partial(against, play), lambda: map(self._one, range(len(self))))
        self._play = play

    def __len__(self) -> int:
        play = self._play
        if play.winner is not None:
            return 0
        if play.round is None:
            return len(_calls(play))
        return len(play.forms) + (play.round.best is not None)

    def _one(self, number: int) -> Action:
        play = self._play
        number = range(len(self))[number]
        if play.round is None:
            return _calls(play)[number]
        if number == len(play.forms):
            return Pass(play.round.turn)
        return play.lay(play.forms[number])


def against(play: Position, action: Action) -> str | None:
    """The sentence against an action, or None if it is legal."""
    wrong = why_ill_typed(action, _CLASSES, "Da San")
    if wrong is not None:
        return wrong
    if play.winner is not None:
        return "The hand is over."
    if action.seat not in play.to_act:
        return f"It is seat {play.to_act[0]}'s turn, not seat {action.seat}'s."
    if play.round is not None:
        return _against_card(play, play.round, action)
    if play.to_reveal or isinstance(action, Reveal):
        return _against_revealing(play, action)
    if play.auction.over:
        if isinstance(action, Double | Pass):
            return None
        return f"The bidder says 'double' or 'pass' before the cards are played, not '{action}'."
    if isinstance(action, Lay):
        return "No card is played before the auction is over; bid, or pass."
    if isinstance(action, Double):
        return "Nobody doubles in the auction; bid, or pass."
    bid = action.bid if isinstance(action, Bid) else 0
    if bid != HIGHEST and _must_bid_3(play, action.seat):
        return f"Seat {action.seat} holds three 3s and has to bid 3."
    return play.auction.why_not(bid)


def _against_card(play: Position, table: Round, action: Action) -> str | None:
    if isinstance(action, Pass):
        return None if table.best is not None else "The leader plays; he cannot pass."
    if not isinstance(action, Lay):
        return f"The auction is over; play cards, or pass, instead of '{action}'."
    wrong = _against_names(action)
    if wrong is not None:
        return wrong
    cards = cards_of(action.cards)
    hand = play.hands[action.seat]
    unseen = play.unseen if hand.hidden else 0
    if not hand.may_play(cards, unseen):
        strange = faces_of(cards & ~hand.known & ~unseen) or action.cards
        return f"Seat {action.seat} cannot hold {' '.join(strange)}."
    form = form_of(cards)
    if form is None:
        return (
            f"{' '.join(action.cards)} is no combination; play one rank, or three or more ranks in"
            " a row from 4 to K with as many cards of each."
        )
    best = table.best
    if best is None or form.beats(best):
        return None
    if form[:2] != best[:2]:
        return f"A {form} cannot be played on a {best}: it takes the same type, as many cards."
    return f"A {form} does not beat a {best}; it takes a higher one."


def _against_names(action: Lay | Reveal) -> str | None:
    unknown = [card for card in action.cards if card not in FACES]
    if unknown:
        return f"'{unknown[0]}' is no card; write 4h, 10s or Kd."
    if len(set(action.cards)) < len(action.cards):
        return f"'{action}' names a card twice; there is one of each."
    return None


def _against_revealing(play: Position, action: Action) -> str | None:
    """The kitty is shown before it is played from: all unseen cards of it, or some (D9)."""
    left = play.to_reveal
    if not left:
        return "No card of the kitty is to be shown now."
    if not isinstance(action, Reveal) or not action.cards:
        return f"The bidder shows the kitty first, {left} more cards, as in 'reveal 4h' (D9)."
    wrong = _against_names(action)
    if wrong is not None:
        return wrong
    if len(action.cards) > left:
        return f"{left} cards of the kitty are to be shown, not {len(action.cards)} (D9)."
    elsewhere = faces_of(cards_of(action.cards) & ~play.unseen)
    if elsewhere:
        return f"{elsewhere[0]} cannot lie in the kitty; it has been seen elsewhere."
    return None


def _calls(play: Position) -> tuple[Action, ...]:
    """What may be said in the auction, and by the bidder after it; the kitty card by card."""
    if play.to_reveal:
        return tuple(
            Reveal(seat, (card,)) for seat in play.to_act for card in faces_of(play.unseen)
        )
    if play.auction.over:
        return tuple(act for seat in play.to_act for act in (Pass(seat), Double(seat)))
    said = (
        Bid(seat, bid) if bid else Pass(seat) for seat in play.to_act for bid in range(HIGHEST + 1)
    )
    return tuple(action for action in said if against(play, action) is None)


def _must_bid_3(play: Position, seat: int) -> bool:
    """Whether this house makes the seat bid 3 (E11)."""
    if not play.parameters.three_threes_bid_3:
        return False
    return (play.hands[seat].known & _THREE).bit_count() >= THREES
