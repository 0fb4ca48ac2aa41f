"""Set-up of Da San (D1, D4-D6): card tiles, cut by the dealer's left neighbour; a kitty of four."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from rules.errors import IllegalSetupError
from rules.geometry import Break, CardPile, CardPlace, Place, Seat, counter_clockwise
from rules.setup import Game, Script, Seating, Setup, choose
from rules.steps import Build, Packet, Ready
from rules.tiles import Face

SEATS = 3
EACH = 16
PILE = CardPile(52)


@dataclass(frozen=True)
class Parameters:
    """House rules of Da San.

    `deal_mode`: the deal is one card at a time (D6), or sixteen cards at once (section 4).
    `opening_suit`: the holder of the lowest card of this suit, outside the kitty, opens the
        auction and leads (D7).
    `reveal_kitty`: the bidder shows the kitty to all players before the first lead (D9).
    `pass_final`: a player who passes in the auction is out of it (E1).
    `pass_locks_round`: a player who passes cannot play again in that round (D14).
    `forced_bid_bonus`: an opener who wins with his forced bid of 1 wins twice the stake (D17).
    `next_dealer`: the player who went out first deals next (D5), or the dealer's right neighbour.
    `stake_unit`: chips for each point of the bid (D16).
    `start_chips`: each player's chips at the start of a match (D1).
    `chips_out`: a player without chips plays on credit, or the match ends (E10).
    `three_threes_bid_3`: the holder of three 3s has to bid 3 (E11).
    `bidder_may_double`: the bidder can double the stake after seeing the kitty (E11).
    """

    deal_mode: Literal["single", "batch"] = "single"
    opening_suit: Literal["hearts", "spades", "diamonds", "clubs"] = "hearts"
    reveal_kitty: bool = False
    pass_final: bool = False
    pass_locks_round: bool = False
    forced_bid_bonus: bool = False
    next_dealer: Literal["winner", "right"] = "winner"
    stake_unit: int = 1
    start_chips: int = 25
    chips_out: Literal["credit", "end"] = "credit"
    three_threes_bid_3: bool = False
    bidder_may_double: bool = False

    def __post_init__(self) -> None:
        if self.stake_unit < 1 or self.start_chips < 1:
            raise IllegalSetupError(
                f"`stake_unit` and `start_chips` must be 1 or more, not {self.stake_unit} and"
                f" {self.start_chips}."
            )


def script(seating: Seating, parameters: Parameters) -> Script:
    """The script from the shuffled pile to the auction (D6).

    Cards keep the numbers that they had before the cut. A hidden card decides who opens the
    auction (D7), so `Ready.begins` is None.
    """
    dealer = seating.dealer
    yield Build(PILE)
    left_neighbour = (dealer - 1) % SEATS
    depth = yield from choose(left_neighbour, "cut", range(1, PILE.count), PILE.count // 2)

    cards = iter(PILE.places[depth:] + PILE.places[:depth])
    batch = 1 if parameters.deal_mode == "single" else EACH
    for _ in range(EACH // batch):
        for seat in counter_clockwise(dealer, SEATS):
            yield Packet(seat, tuple(islice(cards, batch)))
    return Ready(begins=None, opened=Break(CardPlace(depth), CardPlace(depth + 1)))


def kitty_places(setup: Setup) -> tuple[Place, ...]:
    """The places of the kitty's cards: the cards left in the pile after the deal, from its top.

    Raises IllegalSetupError for a deal that is not finished.
    """
    if setup.ready is None or setup.ready.opened is None:
        raise IllegalSetupError("The cards are not dealt yet; finish the set-up first.")
    dealt = {place for hand in setup.hands.values() for place in hand}
    top = PILE.places.index(setup.ready.opened.first)
    cards = PILE.places[top:] + PILE.places[:top]
    return tuple(place for place in cards if place not in dealt)


def first_dealer(cards: Sequence[Face]) -> tuple[Seat, ...]:
    """The seats with the highest card; several of them cut again (D4).

    `cards` are in the order of seats.
    """
    worths = [worth(card) for card in cards]
    return tuple(seat for seat, value in enumerate(worths) if value == max(worths))


def worth(card: Face) -> int:
    """The value of a cut card for the first deal: its number, an ace 1, a picture card 0 (D4)."""
    rank = card[:-1]
    return {"A": 1, "J": 0, "Q": 0, "K": 0}[rank] if rank in "AJQK" else int(rank)


DA_SAN = Game(
    name="da_san",
    title="Da San",
    tiles_name="cards_52",
    players=(3,),
    parameters=Parameters,
    script=script,
    seats=SEATS,
)
