"""Where every tile is, as far as sensors have confirmed it: a frozen value, replaced on success.

A place is dealt once: the ledger refuses to deliver a tile that is not standing in a wall. A run
counts all tiles as accounted for if the sums of the ledger match the set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from rules.errors import WallwrightError
from rules.geometry import Place, Seat

Whereabouts = Literal["boxed", "drum", "trays", "top"]


class LedgerError(WallwrightError):
    """A change would put a tile in two places, or in none."""


@dataclass(frozen=True)
class SetLedger:
    """One tile set: where it is as a whole, and on top, tile by tile.

    `counted` is what the counters found at its last building, None before the first. `missing` are
    the tiles that the heads reported missing in the building that is under way.
    """

    tiles: int
    where: Whereabouts = "boxed"
    counted: int | None = None
    standing: frozenset[Place] = frozenset()
    hands: Mapping[Seat, tuple[Place, ...]] = field(default_factory=lambda: MappingProxyType({}))
    missing: int = 0

    @property
    def accounted(self) -> int:
        """Tiles that the ledger can place."""
        match self.where:
            case "boxed" | "drum":
                return (self.tiles if self.counted is None else self.counted) - self.missing
            case "trays":
                return self.counted or 0
        return len(self.standing) + sum(len(hand) for hand in self.hands.values())


@dataclass(frozen=True)
class Ledger:
    """Every set of the table."""

    sets: tuple[SetLedger, ...]

    @classmethod
    def of(cls, sets: int, tiles: int) -> Ledger:
        return cls(tuple(SetLedger(tiles) for _ in range(sets)))

    @property
    def expected(self) -> int:
        return sum(each.tiles for each in self.sets)

    @property
    def accounted(self) -> int:
        return sum(each.accounted for each in self.sets)

    @property
    def boxed(self) -> int | None:
        """The first set that has not yet been put into the machine."""
        return next((i for i, each in enumerate(self.sets) if each.where == "boxed"), None)

    @property
    def on_top(self) -> int | None:
        """The set in play."""
        return next((i for i, each in enumerate(self.sets) if each.where == "top"), None)

    def gathered(self, number: int) -> Ledger:
        """A set has been pushed in and the lid closed over it."""
        kept = self.sets[number].counted
        return self._with(number, SetLedger(self.sets[number].tiles, "drum", kept))

    def lacking(self, number: int, missing: int) -> Ledger:
        """So many tiles of the set in the drum are missing; 0 once they have arrived."""
        return self._with(number, replace(self.sets[number], missing=missing))

    def built(self, number: int, counted: int) -> Ledger:
        """The trays hold a set; `counted` tiles passed the counters."""
        built = replace(self.sets[number], where="trays", counted=counted, missing=0)
        return self._with(number, built)

    def raised(self, number: int, places: Iterable[Place]) -> Ledger:
        """A set stands on top, at these places."""
        return self._with(
            number,
            replace(self.sets[number], where="top", standing=frozenset(places)),
        )

    def delivered(self, number: int, seat: Seat, places: tuple[Place, ...]) -> Ledger:
        """Tiles have come to a seat. Raises LedgerError for one that does not stand."""
        run_state = self.sets[number]
        standing = set(run_state.standing)
        for place in places:
            if place not in standing:
                raise LedgerError(f"{place} was to go to seat {seat}, but it does not stand there.")
            standing.remove(place)
        hands = {**run_state.hands, seat: run_state.hands.get(seat, ()) + places}
        return self._with(
            number,
            replace(
                run_state,
                standing=frozenset(standing),
                hands=MappingProxyType(hands),
            ),
        )

    def returned(self, number: int, places: Iterable[Place]) -> Ledger:
        """Drawn tiles went back to where they lay. Raises LedgerError for one in no hand."""
        back = frozenset(places)
        run_state = self.sets[number]
        if unknown := sorted(back.difference(*run_state.hands.values()), key=str):
            raise LedgerError(f"{unknown[0]} was to go back to its place, but no seat has it.")
        hands = {
            seat: tuple(place for place in hand if place not in back)
            for seat, hand in run_state.hands.items()
        }
        return self._with(
            number,
            replace(run_state, standing=run_state.standing | back, hands=MappingProxyType(hands)),
        )

    def _with(self, number: int, run_state: SetLedger) -> Ledger:
        return Ledger((*self.sets[:number], run_state, *self.sets[number + 1 :]))
