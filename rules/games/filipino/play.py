"""Filipino mahjong as a play: from mano's first discard to the payments (F18-F38)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from rules.games.filipino import course, legal
from rules.games.filipino.actions import Act
from rules.games.filipino.match import FilipinoMatch
from rules.games.filipino.table import FilipinoTable, laid_table
from rules.geometry import Place, Seat
from rules.known_tiles import known_tiles
from rules.play import LegalActions, Settlement, Tiles
from rules.setup import Setup


@dataclass(frozen=True)
class FilipinoPlay:
    """A hand in progress; `table` is everything that lies there.

    A false win is legal whenever its tiles could be shown, though nobody waits for it and
    `legal_actions` does not list it.
    """

    table: FilipinoTable

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return self.table.to_act

    @property
    def legal_actions(self) -> LegalActions[Act]:
        # Kept, so that `apply` recognises an act that was picked from it.
        known: LegalActions[Act] | None = self.__dict__.get("_legal")
        if known is None:
            table = self.table
            known = LegalActions(partial(legal.why_not, table), partial(legal.each, table))
            self.__dict__["_legal"] = known
        return known

    @property
    def settlement(self) -> Settlement | None:
        return self.table.settlement

    @property
    def chips(self) -> tuple[int, ...]:
        """Each seat's chips, those of this hand included once it is over (F34)."""
        return self.table.chips

    @property
    def next_draw(self) -> Place | None:
        """The tile that the next draw takes, None if the wall is used up."""
        draws = self.table.wall.draws
        return draws[0][0] if draws else None

    @property
    def next_replacement(self) -> Place | None:
        """The tile that the next flores or kong takes, None if the wall is used up."""
        replacements = self.table.wall.replacements
        return replacements[0][0] if replacements else None

    def apply(self, action: Act) -> FilipinoPlay:
        """The play after this action. Raises IllegalAction; this value stays."""
        return FilipinoPlay(course.after(self.table, self.legal_actions.require(action)))


def start(
    setup: Setup, tiles: Tiles | None = None, match: FilipinoMatch | None = None
) -> FilipinoPlay:
    """The play from a finished set-up; tiles that are not given are unknown.

    Raises IllegalSetup for a set-up that still waits, or whose tiles contradict it.
    """
    chips = (match or FilipinoMatch()).chips
    return FilipinoPlay(laid_table(setup, known_tiles(setup, tiles), chips))
