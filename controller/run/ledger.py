"""Ledger: where every tile is, as confirmed by sensors; a frozen value, replaced on success.

The ledger refuses to raise a set that has not exactly its tiles, and to deliver a tile that is not
in a wall, so each place is dealt at most once, from a whole set. The summary of a run compares
`accounted` with `expected` to show whether a tile is missing, or one too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from rules.errors import WallwrightError
from rules.geometry import Place, Seat

Whereabouts = Literal["boxed", "drum", "trays", "top"]


_WHERE: Mapping[Whereabouts, str] = {
    "boxed": "in its box",
    "drum": "in the drum",
    "trays": "in the trays",
    "top": "on the table",
}


class LedgerError(WallwrightError):
    """A change would put a tile in two places, or in none."""


@dataclass(frozen=True)
class SetLedger:
    """One tile set: where the set is, and for a set on top, the place or seat of each tile.

    `counted` is the number of tiles that the counters found when the set was last built, None
    before the first time. `missing` is the number of tiles that the heads report missing in the
    present build, and `surplus` the number of those that were left over after it. `standing` are
    the places of tiles in walls, `hands` the dealt places by seat.
    """

    tiles: int
    where: Whereabouts = "boxed"
    counted: int | None = None
    standing: frozenset[Place] = frozenset()
    hands: Mapping[Seat, tuple[Place, ...]] = field(default_factory=lambda: MappingProxyType({}))
    missing: int = 0
    surplus: int = 0

    @property
    def accounted(self) -> int:
        """Number of tiles whose position the ledger has."""
        match self.where:
            case "boxed" | "drum":
                counted = self.tiles if self.counted is None else self.counted
                return counted - self.missing + self.surplus
            case "trays":
                return self.counted or 0
        return len(self.standing) + sum(len(hand) for hand in self.hands.values())


@dataclass(frozen=True)
class Ledger:
    """The ledger of all sets of the table."""

    sets: tuple[SetLedger, ...]

    @classmethod
    def of(cls, sets: int, tiles: int) -> Ledger:
        """Create the ledger of a table whose sets are outside the machine (`boxed`)."""
        return cls(tuple(SetLedger(tiles) for _ in range(sets)))

    @property
    def expected(self) -> int:
        """Number of tiles in all sets."""
        return sum(each.tiles for each in self.sets)

    @property
    def accounted(self) -> int:
        """Number of tiles whose position the ledger has, in all sets."""
        return sum(each.accounted for each in self.sets)

    @property
    def boxed(self) -> int | None:
        """The number of the first set that is not in the machine yet; None if all sets are."""
        return next((i for i, each in enumerate(self.sets) if each.where == "boxed"), None)

    @property
    def on_top(self) -> int | None:
        """The number of the set in play; None if there is none."""
        return next((i for i, each in enumerate(self.sets) if each.where == "top"), None)

    def words(self, number: int) -> str:
        """The number of a set, and where the other sets are, as a phrase for people."""
        others = (
            f"set {other + 1} is {_WHERE[each.where]}"
            for other, each in enumerate(self.sets)
            if other != number
        )
        return ", ".join((f"this is set {number + 1} of {len(self.sets)}", *others))

    def gathered(self, number: int) -> Ledger:
        """The ledger after a set was pushed into the drum and the lid was closed."""
        counted = self.sets[number].counted
        return self._with(number, SetLedger(self.sets[number].tiles, "drum", counted))

    def lacking(self, number: int, missing: int) -> Ledger:
        """The ledger with this number of tiles missing from the set in the drum; 0 clears it."""
        return self._with(number, replace(self.sets[number], missing=missing))

    def exceeding(self, number: int, surplus: int) -> Ledger:
        """The ledger with this number of tiles too many in the set in the drum; 0 clears it."""
        return self._with(number, replace(self.sets[number], surplus=surplus))

    def built(self, number: int, counted: int) -> Ledger:
        """The ledger after a set was built in the trays; `counted` tiles passed the counters.

        Raises LedgerError if a tile is still left over.
        """
        if surplus := self.sets[number].surplus:
            raise LedgerError(f"Set {number} was built, but {surplus} of its tiles are left over.")
        built = replace(self.sets[number], where="trays", counted=counted, missing=0)
        return self._with(number, built)

    def raised(self, number: int, places: Iterable[Place]) -> Ledger:
        """The ledger after a set was raised; `places` are the places of its tiles.

        Raises LedgerError if the set is not in the trays with exactly its tiles.
        """
        raised = self.sets[number]
        if raised.where != "trays" or raised.counted != raised.tiles:
            raise LedgerError(
                f"Set {number} cannot rise, because it is in the {raised.where} with "
                f"{raised.counted} of"
                f" {raised.tiles} tiles."
            )
        return self._with(
            number,
            replace(self.sets[number], where="top", standing=frozenset(places)),
        )

    def delivered(self, number: int, seat: Seat, places: tuple[Place, ...]) -> Ledger:
        """The ledger after tiles came to a seat. Raises LedgerError for a tile not in a wall."""
        tile_set = self.sets[number]
        standing = set(tile_set.standing)
        for place in places:
            if place not in standing:
                raise LedgerError(f"{place} was to go to seat {seat}, but no tile is at {place}.")
            standing.remove(place)
        hands = {**tile_set.hands, seat: tile_set.hands.get(seat, ()) + places}
        return self._with(
            number,
            replace(
                tile_set,
                standing=frozenset(standing),
                hands=MappingProxyType(hands),
            ),
        )

    def returned(self, number: int, places: Iterable[Place]) -> Ledger:
        """The ledger after drawn tiles went back to their places.

        Raises LedgerError for a tile that is in no hand.
        """
        back = frozenset(places)
        tile_set = self.sets[number]
        if unknown := sorted(back.difference(*tile_set.hands.values()), key=str):
            raise LedgerError(f"{unknown[0]} was to go back to its place, but no seat has it.")
        hands = {
            seat: tuple(place for place in hand if place not in back)
            for seat, hand in tile_set.hands.items()
        }
        return self._with(
            number,
            replace(tile_set, standing=tile_set.standing | back, hands=MappingProxyType(hands)),
        )

    def _with(self, number: int, tile_set: SetLedger) -> Ledger:
        return Ledger((*self.sets[:number], tile_set, *self.sets[number + 1 :]))
