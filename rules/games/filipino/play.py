"""Filipino mahjong as a play: from mano's first discard to the payments (F18-F38)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from rules.games.filipino import effects
from rules.games.filipino.actions import Act
from rules.games.filipino.legality import legal
from rules.games.filipino.match import FilipinoMatch
from rules.games.filipino.position.table import FilipinoTable, laid_table
from rules.geometry import Place, Seat
from rules.play import LegalActions, Settlement, Tiles
from rules.playing.known_tiles import known_tiles
from rules.setup import Setup


@dataclass(frozen=True)
class FilipinoPlay:
    """A hand in progress; `table` is its whole state.

    A false win is legal for any seat that can show its tiles, even if the seat is not in `to_act`.
    `legal_actions` accepts it but does not list it.
    """

    table: FilipinoTable

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return self.table.to_act

    @property
    def legal_actions(self) -> LegalActions[Act]:
        # Cached, so that `apply` recognises an action that was picked from the list.
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
        """Each seat's chips, including those of this hand once it is over (F34)."""
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
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""
        return FilipinoPlay(effects.after(self.table, self.legal_actions.require(action)))


def start(
    setup: Setup, tiles: Tiles | None = None, match: FilipinoMatch | None = None
) -> FilipinoPlay:
    """Begins a play from a finished set-up; tiles that are not given are unknown.

    Raises IllegalSetupError for a set-up that is not finished, or whose tiles contradict it.
    """
    chips = (match or FilipinoMatch()).chips
    return FilipinoPlay(laid_table(setup, known_tiles(setup, tiles), chips))
