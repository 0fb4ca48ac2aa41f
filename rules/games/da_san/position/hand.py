"""A hand of cards; some can be unknown because the table does not read faces."""

from __future__ import annotations

from typing import NamedTuple

from rules.games.da_san.position.cards import Cards, Form, pick

_ONE = Form(1, 1, 0)


class Hand(NamedTuple):
    """The known cards of a hand, and the number of its unknown cards."""

    known: Cards = 0
    hidden: int = 0

    @property
    def size(self) -> int:
        """The number of cards."""
        return self.known.bit_count() + self.hidden

    def with_kitty(self, kitty: Hand) -> Hand:
        """The hand with the kitty added to it (D9)."""
        return Hand(self.known | kitty.known, self.hidden + kitty.hidden)

    def without(self, cards: Cards) -> Hand:
        """The hand after these cards were played from it."""
        return Hand(self.known & ~cards, self.hidden - (cards & ~self.known).bit_count())

    def seen(self, cards: Cards) -> Hand:
        """The hand after these of its unknown cards were shown."""
        return Hand(self.known | cards, self.hidden - (cards & ~self.known).bit_count())

    def can_play(self, cards: Cards, unseen: Cards) -> bool:
        """Whether the hand can contain these cards; its unknown cards are among `unseen`."""
        unknown = cards & ~self.known
        return not unknown & ~unseen and unknown.bit_count() <= self.hidden

    def pick(self, form: Form, unseen: Cards) -> Cards:
        """Cards for a combination, known cards first, of each rank the first suits."""
        if not self.hidden:
            return pick(self.known, form)
        picked = 0
        for rank in range(form.top - form.length + 1, form.top + 1):
            for cards in (self.known, unseen):
                suits = cards >> 4 * rank & 15
                while suits and (picked >> 4 * rank & 15).bit_count() < form.each:
                    suit = pick(suits, _ONE)
                    picked |= suit << 4 * rank
                    suits ^= suit
        return picked
