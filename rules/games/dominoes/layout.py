"""The domino tableau, represented by its open ends only.

Only the open ends decide which moves are legal; the position of each tile does not matter. A
tableau is therefore the multiset of its open ends: a tile removes one end and adds its own. Equal
tableaux share one value, so that the tiles that fit are computed only once for each. There are few
tableaux: 29 at Block, 113 at Muggins, under 13,000 at Sniff.

A doublet laid crosswise lies across its arm: the arm meets one of its long sides and continues from
the other, and its short ends are free (2.9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from rules.games.dominoes.actions import Lay, Orientation
from rules.games.dominoes.setup import double_six, halves, is_doublet, is_matador
from rules.games.dominoes.variants import Parameters
from rules.judging import Objection
from rules.tiles import Face

SEATS = range(4)
_REMEMBERED = 1 << 13
"""Limit of the tableaux that are kept. Without it, tableaux of earlier house rules stay in memory
for ever; `chaos` draws other house rules for every evening."""
Kind = Literal["half", "doublet", "lone", "short", "long"]
"""The kinds of open ends: `half` is half a tile, `doublet` a doublet across the end of an arm,
`lone` a doublet that is the only tile, with both sides open. `short` and `long` are a short end and
a long side of a doublet that has four open sides."""
_HALVES_THAT_COUNT: Mapping[Kind, int] = {
    "half": 1,
    "doublet": 2,
    "lone": 2,
    "short": 1,
    "long": 0,
}
_NAMES: Mapping[Kind, str] = {
    "half": "{0}",
    "doublet": "{0}-{0}",
    "lone": "{0}-{0}",
    "short": "{0}-{0} end",
    "long": "{0}-{0} side",
}


class End(NamedTuple):
    """An open end: the number that a tile has to match there, and its kind."""

    number: int
    kind: Kind = "half"

    @property
    def counts(self) -> int:
        """The points it adds to the total: both halves of a doublet (2.5), 0 for `long` (DM-07)."""
        return self.number * _HALVES_THAT_COUNT[self.kind]

    def __str__(self) -> str:
        return _NAMES[self.kind].format(self.number)


Joint = tuple[Face, str, Orientation, int | None]
"""One way to lay a tile: the tile, the end, the orientation, the outer half."""


@dataclass(frozen=True)
class Tableau:
    """The open ends in order (none before the set), and whether the sniff has been laid (2.9)."""

    parameters: Parameters
    ends: tuple[End, ...] = ()
    sniffed: bool = False

    def __str__(self) -> str:
        return " ".join(str(end) for end in self.ends) or "nothing"

    @cached_property
    def total(self) -> int:
        """The sum of the points of the open ends (2.5, 2.9)."""
        return sum(end.counts for end in self.ends)

    @property
    def open_ends(self) -> int:
        """The number of places where a tile can be joined."""
        return sum(2 if end.kind == "lone" else 1 for end in self.ends)

    @cached_property
    def playable(self) -> tuple[End, ...]:
        """The ends that can be played on, equal ones once; free sides before arms (2.3)."""
        ends = tuple(dict.fromkeys(self.ends))
        bare = tuple(end for end in ends if end.kind == "long")
        return bare if bare and self.parameters.sides_first else ends

    @cached_property
    def lays(self) -> tuple[Mapping[Face | None, tuple[Lay, ...]], ...]:
        """For each seat, every tile that fits, with all ways in which that seat can lay it.

        An unknown tile (None) is never a key.
        """
        fitting: dict[Face | None, list[Joint]] = {}
        for joint in self.after:
            fitting.setdefault(joint[0], []).append(joint)
        return tuple(
            {tile: tuple(Lay(seat, *joint) for joint in each) for tile, each in fitting.items()}
            for seat in SEATS
        )

    def __contains__(self, lay: Lay) -> bool:
        """Whether the tile fits in that way."""
        return (lay.tile, lay.on, lay.orientation, lay.out) in self.after

    def __getitem__(self, lay: Lay) -> Tableau:
        """The tableau with that tile laid. Raises KeyError if it does not fit in that way."""
        return self.after[lay.tile, lay.on, lay.orientation, lay.out]

    @cached_property
    def after(self) -> Mapping[Joint, Tableau]:
        """Every way to lay a tile, and the resulting tableau."""
        return dict(self._joints())

    def _joints(self) -> Iterator[tuple[Joint, Tableau]]:
        for tile in double_six():
            for orientation in orientations(self.parameters, tile):
                if not self.ends:
                    ends = self._set(tile, orientation)
                    yield (tile, "", orientation, None), self._with(ends, tile)
                    continue
                for end in self.playable:
                    outs = outer_halves(self.parameters, tile, end)
                    for out in outs:
                        ends = (*self._without(end), *self._added(tile, orientation, out))
                        chosen = out if len(outs) > 1 else None
                        yield (tile, str(end), orientation, chosen), self._with(ends, tile)

    def _with(self, ends: tuple[End, ...], tile: Face) -> Tableau:
        sniffed = self.sniffed or (self.parameters.sniff and is_doublet(tile))
        return _tableau(self.parameters, tuple(sorted(ends)), sniffed)

    def _without(self, end: End) -> tuple[End, ...]:
        """The ends that remain after one is covered; of a lone doublet the other side remains."""
        at = self.ends.index(end)
        left = self.ends[:at] + self.ends[at + 1 :]
        return (*left, End(end.number, "doublet")) if end.kind == "lone" else left

    def _set(self, tile: Face, orientation: Orientation) -> tuple[End, ...]:
        """The ends of the first tile."""
        high, low = halves(tile)
        if high != low:
            return End(high), End(low)
        if self.parameters.sides_first:
            return (End(high, "long"),) * 4
        if self.parameters.sniff and self._branches(orientation):
            return End(high, "short"), End(high, "short"), End(high, "long"), End(high, "long")
        return (End(high, "lone"),) if self._counts_twice(orientation) else (End(high), End(high))

    def _added(self, tile: Face, orientation: Orientation, out: int) -> tuple[End, ...]:
        """The ends that a tile adds when it is joined with that half outside."""
        if not is_doublet(tile):
            return (End(out),)
        if self.parameters.sniff and not self.sniffed and self._branches(orientation):
            covered = 1 if _is_crosswise(self.parameters, orientation) else 0
            return (
                *(End(out, "short"),) * (1 + covered),
                *(End(out, "long"),) * (2 - covered),
            )
        return (End(out, "doublet"),) if self._counts_twice(orientation) else (End(out),)

    def _branches(self, orientation: Orientation) -> bool:
        """Whether a sniff in this orientation can be played on from four sides (2.9)."""
        return _is_crosswise(self.parameters, orientation) or self.parameters.inline_sniff_four_way

    def _counts_twice(self, orientation: Orientation) -> bool:
        """Whether a doublet in this orientation, as an end, counts with both halves."""
        return self.parameters.doublets_matter and _is_crosswise(self.parameters, orientation)


@lru_cache(_REMEMBERED)
def _tableau(parameters: Parameters, ends: tuple[End, ...], sniffed: bool) -> Tableau:
    """Returns the same value for equal tableaux, so that `after` is computed once for each."""
    return Tableau(parameters, ends, sniffed)


def empty_tableau(parameters: Parameters) -> Tableau:
    """The tableau before the first tile."""
    return _tableau(parameters, (), False)


def orientations(parameters: Parameters, tile: Face) -> tuple[Orientation, ...]:
    """The orientations between which a player can choose; only doublets in some games (2.9)."""
    if parameters.double_orientation == "choice" and is_doublet(tile):
        return "crosswise", "in line"
    return ("",)


def outer_halves(parameters: Parameters, tile: Face, end: End) -> tuple[int, ...]:
    """The halves that can be outside when the tile is joined to that end; empty if it does not fit.

    The touching halves are equal. At Matador they add up to seven instead, and a matador fits any
    end with either half outside (2.8, DM-13, DM-14).
    """
    high, low = halves(tile)
    turns = ((high, low),) if high == low else ((high, low), (low, high))
    if parameters.join == "equal":
        return tuple(out for touching, out in turns if touching == end.number)
    sevens = tuple(out for touching, out in turns if touching + end.number == 7)
    if is_matador(tile) and (parameters.matador_free_orientation or not sevens):
        return tuple(out for _, out in turns)
    return sevens


def why_it_does_not_fit(tableau: Tableau, lay: Lay) -> Objection:
    """The objection to a tile that does not fit in the given way."""
    parameters, tile = tableau.parameters, lay.tile
    if not tableau.ends and (lay.on or lay.out is not None):
        return Objection(
            f"No tile lies on the table yet; write '{tile}' alone, without an end or a half."
        )
    ends = {str(end): end for end in tableau.playable}
    if tableau.ends and lay.on not in ends:
        if any(lay.on == str(end) for end in tableau.ends):
            return Objection(
                f"No tile can be joined to {lay.on} before all sides of the first tile are"
                " covered.",
                "2.3",
            )
        what = f"there is no open end '{lay.on}'" if lay.on else "no end is named"
        return Objection(f"{tile} cannot be joined: {what}; the open ends are {_listed(ends)}.")
    offered = orientations(parameters, tile)
    if lay.orientation not in offered:
        if len(offered) > 1:
            return Objection(f"Write how {tile} lies: '{tile} crosswise' or '{tile} in line'.")
        return Objection(f"{tile} can lie in one way only; leave '{lay.orientation}' out.")
    outs = outer_halves(parameters, tile, ends[lay.on]) if lay.on else ()
    if lay.on and not outs:
        if parameters.join == "seven":
            return Objection(
                f"No half of {tile} makes seven with the {lay.on}, and {tile} is not a matador."
            )
        return Objection(f"{tile} has no {ends[lay.on].number} to lay on the end {lay.on}.")
    if len(outs) > 1:
        choice = " or ".join(f"'{out} out'" for out in outs)
        return Objection(f"Write which half of {tile} is outside: {choice}.")
    return Objection(
        f"{tile} can have only one of its halves outside here; leave out '{lay.out} out'."
    )


def why_it_fits_no_end(tableau: Tableau, tile: Face) -> Objection:
    """The objection to a tile that fits no end."""
    ends = ", ".join(map(str, tableau.playable))
    why, fact = "neither of its halves equals one of them", "2.1"
    if tableau.parameters.join == "seven":
        why, fact = "no half of it makes seven with one of them, and it is not a matador", "2.8"
    return Objection(f"{tile} fits no end: the ends to play on are {ends}; {why}.", fact)


def _is_crosswise(parameters: Parameters, orientation: Orientation) -> bool:
    by_default = not orientation and parameters.double_orientation == "cross"
    return orientation == "crosswise" or by_default


def _listed(names: Mapping[str, End]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
