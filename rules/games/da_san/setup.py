"""Da San: the set-up (D1, D4-D6). Card tiles, cut by the left neighbour, a kitty of four."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from rules.geometry import Break, CardPile, CardPlace, Seat, counter_clockwise
from rules.setup import Game, Script, Seating, choose
from rules.steps import Build, Packet, Ready
from rules.tiles import Face

SEATS = 3
EACH = 16
PILE = CardPile(52)


@dataclass(frozen=True)
class Parameters:
    """`deal_mode`: one card at a time (D6), or each player's sixteen at once (section 4)."""

    deal_mode: Literal["single", "batch"] = "single"


def script(seating: Seating, parameters: Parameters) -> Script:
    """From the shuffled pile to the auction (D6). Cards keep the number they had before the cut.

    Who opens the auction lies in a hidden card (D7), so nobody begins yet.
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


def first_dealer(cards: Sequence[Face]) -> tuple[Seat, ...]:
    """The seat whose card is highest, by seat 0's card first; several seats draw again (D4)."""
    worth = [_worth(card) for card in cards]
    return tuple(seat for seat, value in enumerate(worth) if value == max(worth))


def _worth(card: Face) -> int:
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
