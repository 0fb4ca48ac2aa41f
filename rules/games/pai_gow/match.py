"""A pai gow match: the banker of each hand, and each player's winnings (4.3).

The bank is offered counter-clockwise, and a player may decline. It stays for `hands_as_bank` hands.
If all decline, it falls to the house if that plays a seat, and otherwise there is no more banker
and the match is over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.errors import RulesError
from rules.games.pai_gow.cuts import HANDS
from rules.games.pai_gow.play import PaiGowPlay
from rules.games.pai_gow.setup import Parameters
from rules.geometry import Seat, around
from rules.play import Amount


@dataclass(frozen=True)
class PaiGowMatch:
    """The next banker, the seats that declined the bank, and the winnings.

    `dealer` is the seat that banks the next hand unless it declines; `declined` are the seats that
    did since the last hand, `banked` the hands that the dealer has banked running.
    """

    parameters: Parameters
    dealer: Seat
    scores: tuple[Amount, ...]
    declined: tuple[Seat, ...] = ()
    banked: int = 0
    over: bool = False

    @property
    def may_decline(self) -> bool:
        """The bank can be passed on: the house allows it and has not taken it itself."""
        fallen = len(self.declined) == len(self.scores)
        return self.parameters.bank_may_be_declined and not self.over and not fallen

    def decline(self) -> PaiGowMatch:
        """The match with the bank offered to the next seat.

        Raises RulesError where the bank cannot be declined.
        """
        if not self.may_decline:
            raise RulesError(f"Seat {self.dealer} cannot decline the bank.")
        declined = (*self.declined, self.dealer)
        willing = [seat for seat in self._after(self.dealer) if seat not in declined]
        if willing:
            return replace(self, dealer=willing[0], declined=declined, banked=0)
        house = [seat for seat in self._after(self.dealer) if seat in self.parameters.house_seats]
        if house:
            return replace(self, dealer=house[0], declined=declined, banked=0)
        return replace(self, declined=declined, over=True)

    def after(self, play: PaiGowPlay) -> PaiGowMatch:
        """The match after a finished hand; raises RulesError for one that is not."""
        if play.settlement is None:
            raise RulesError("The hand is not settled; finish it before the next bank is offered.")
        gains = play.settlement.balance()
        scores = tuple(score + gains.get(seat, 0) for seat, score in enumerate(self.scores))
        banked = self.banked + 1 if play.banker == self.dealer else 1
        keeps = banked < self.parameters.hands_as_bank
        return replace(
            self,
            dealer=play.banker if keeps else self._after(play.banker)[0],
            scores=scores,
            declined=(),
            banked=banked if keeps else 0,
        )

    def _after(self, seat: Seat) -> tuple[Seat, ...]:
        """Every seat in the order in which the bank is offered on, this one last."""
        ring = around(seat, HANDS, self.parameters.bank_direction)
        seated = tuple(other for other in ring if other < len(self.scores))
        return (*seated[1:], seated[0])


def match(
    parameters: Parameters | None = None, players: int = HANDS, dealer: Seat = 0
) -> PaiGowMatch:
    """A match from its first hand; the bank is offered to `dealer` first."""
    if not (2 <= players <= HANDS and 0 <= dealer < players):
        raise RulesError(f"{players} players with seat {dealer} as the bank do not make a match.")
    return PaiGowMatch(parameters or Parameters(), dealer, (0,) * players)


begin_match = match
"""The same under the name that it has in every game."""
