"""The legal actions of a hand of Da San, and the objection to an illegal action."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol, get_args

from rules.games.da_san.actions import Action, Bid, Double, Lay, Pass, Reveal
from rules.games.da_san.auction import HIGHEST, Auction
from rules.games.da_san.position import (
    FACES,
    RANKS,
    Cards,
    Form,
    Hand,
    Round,
    cards_of,
    faces_of,
    form_of,
)
from rules.games.da_san.setup import Parameters
from rules.geometry import Seat
from rules.play import LegalActions
from rules.well_typed import why_ill_typed

_CLASSES = get_args(Action)
THREES = 3
"""The holder of this many 3s has to bid 3, in houses with that rule (E11)."""
_THREE = 15 << 4 * RANKS.index("3")


class Position(Protocol):
    """The parts of a hand in progress that decide which actions are legal; see `DaSanPlay`."""

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
    """The legal actions of a hand; an action picked by its number is made without the others.

    Any suits of the right ranks are legal. The list has one choice of suits for each combination,
    because suits are equal (D3).
    """

    __slots__ = ("_play",)

    def __init__(self, play: Position) -> None:
        super().__init__(partial(why_not, play), lambda: map(self._one, range(len(self))))
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


def why_not(play: Position, action: Action) -> str | None:
    """The objection to an action, or None if it is legal."""
    wrong = why_ill_typed(action, _CLASSES, "Da San")
    if wrong is not None:
        return wrong
    if play.winner is not None:
        return "The hand is over."
    if action.seat not in play.to_act:
        return f"It is seat {play.to_act[0]}'s turn, not seat {action.seat}'s."
    if play.round is not None:
        return _why_play_illegal(play, play.round, action)
    if play.to_reveal or isinstance(action, Reveal):
        return _why_reveal_illegal(play, action)
    if play.auction.over:
        if isinstance(action, Double | Pass):
            return None
        return f"Before the cards are played the bidder doubles or passes, instead of '{action}'."
    if isinstance(action, Lay):
        return "Cards are not played before the auction is over; bid, or pass."
    if isinstance(action, Double):
        return "The stake cannot be doubled before the auction is over; bid, or pass."
    bid = action.bid if isinstance(action, Bid) else 0
    if bid != HIGHEST and _has_to_bid_3(play, action.seat):
        return f"Seat {action.seat} holds three 3s and has to bid 3."
    return play.auction.why_not(bid)


def _why_play_illegal(play: Position, table: Round, action: Action) -> str | None:
    if isinstance(action, Pass):
        return None if table.best is not None else "The leader cannot pass; play a combination."
    if not isinstance(action, Lay):
        return f"The auction is over; play cards, or pass, instead of '{action}'."
    wrong = _why_misnamed(action)
    if wrong is not None:
        return wrong
    cards = cards_of(action.cards)
    hand = play.hands[action.seat]
    unseen = play.unseen if hand.hidden else 0
    if not hand.can_play(cards, unseen):
        impossible = faces_of(cards & ~hand.known & ~unseen) or action.cards
        return f"Seat {action.seat} cannot hold {' '.join(impossible)}."
    form = form_of(cards)
    if form is None:
        return (
            f"{' '.join(action.cards)} is not a combination; play cards of one rank, or three or"
            " more ranks in a row from 4 to K with the same number of cards of each."
        )
    best = table.best
    if best is None or form.beats(best):
        return None
    if form[:2] != best[:2]:
        return f"A {form} cannot be played on a {best}; play the same type with as many cards."
    return f"A {form} does not beat a {best}; play a higher one."


def _why_misnamed(action: Lay | Reveal) -> str | None:
    unknown = [card for card in action.cards if card not in FACES]
    if unknown:
        return f"'{unknown[0]}' is not a card; write 4h, 10s or Kd."
    if len(set(action.cards)) < len(action.cards):
        return f"'{action}' names a card twice; name each card once."
    return None


def _why_reveal_illegal(play: Position, action: Action) -> str | None:
    """The objection to an action while the bidder has to show the kitty (D9), or None.

    An action can show all unseen cards of the kitty, or some of them.
    """
    left = play.to_reveal
    if not left:
        return "The kitty is not shown now; bid, pass or play instead."
    if not isinstance(action, Reveal) or not action.cards:
        return f"The bidder first shows {left} more cards of the kitty, as in 'reveal 4h' (D9)."
    wrong = _why_misnamed(action)
    if wrong is not None:
        return wrong
    if len(action.cards) > left:
        return f"The bidder shows {left} more cards of the kitty, not {len(action.cards)} (D9)."
    elsewhere = faces_of(cards_of(action.cards) & ~play.unseen)
    if elsewhere:
        return f"{elsewhere[0]} cannot be in the kitty; it has been seen elsewhere."
    return None


def _calls(play: Position) -> tuple[Action, ...]:
    """The legal actions before the first round: calls, a double, cards of the kitty one by one."""
    if play.to_reveal:
        return tuple(
            Reveal(seat, (card,)) for seat in play.to_act for card in faces_of(play.unseen)
        )
    if play.auction.over:
        return tuple(act for seat in play.to_act for act in (Pass(seat), Double(seat)))
    calls = (
        Bid(seat, bid) if bid else Pass(seat) for seat in play.to_act for bid in range(HIGHEST + 1)
    )
    return tuple(action for action in calls if why_not(play, action) is None)


def _has_to_bid_3(play: Position, seat: int) -> bool:
    """Whether this house makes the seat bid 3 (E11)."""
    if not play.parameters.three_threes_bid_3:
        return False
    return (play.hands[seat].known & _THREE).bit_count() >= THREES
