"""The domino tableau, represented by its open ends only.

Only the open ends decide which moves are legal, not the position of each tile. So a tableau is the
multiset of its open ends: a tile removes one end and adds its own. Equal tableaux share one value,
which computes the tiles that fit only once. There are few: 29 at Block, 113 at Muggins,
under 13,000 at Sniff.

A doublet laid crosswise lies across its arm: the arm meets one of its long sides and goes on from
the other, and its short ends stick out (2.9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, NamedTuple

from rules.games.dominoes.actions import Lay, Lie
from rules.games.dominoes.bones import double_six, halves, is_doublet, is_matador
from rules.games.dominoes.variants import Parameters
from rules.objections import Objection
from rules.tiles import Face

SEATS = range(4)

Kind = Literal["half", "doublet", "lone", "short", "long"]
"""A half; a doublet across the end of an arm; a doublet that lies alone, both of whose sides are
open; and of a doublet with four sides a short end or a long side."""

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
    """An open end: the number that is matched there, and what shows it."""

    number: int
    kind: Kind = "half"

    @property
    def counts(self) -> int:
        """What it adds to the total: a doublet both halves (2.5), a bare long side 0 (DM-07)."""
        return self.number * _HALVES_THAT_COUNT[self.kind]

    def __str__(self) -> str:
        return _NAMES[self.kind].format(self.number)


Joint = tuple[Face, str, Lie, int | None]
"""One way to lay a tile: which tile, on which end, how it lies, which half is turned out."""


@dataclass(frozen=True)
class Tableau:
    """The open ends in order, none before the set, and whether the sniff lies already (2.9)."""

    parameters: Parameters
    ends: tuple[End, ...] = ()
    sniffed: bool = False

    def __str__(self) -> str:
        return " ".join(str(end) for end in self.ends) or "nothing"

    @cached_property
    def total(self) -> int:
        """What the open ends count together (2.5, 2.9)."""
        return sum(end.counts for end in self.ends)

    @property
    def open_ends(self) -> int:
        """How many tiles could be joined side by side."""
        return sum(2 if end.kind == "lone" else 1 for end in self.ends)

    @cached_property
    def playable(self) -> tuple[End, ...]:
        """The ends that may be played on, equal ones once; bare sides before arms (2.3)."""
        ends = tuple(dict.fromkeys(self.ends))
        bare = tuple(end for end in ends if end.kind == "long")
        return bare if bare and self.parameters.sides_first else ends

    @cached_property
    def lays(self) -> tuple[Mapping[Face | None, tuple[Lay, ...]], ...]:
        """For each seat, every tile that fits and all ways in which that seat can lay it.

        A tile that nobody has seen is never among them.
        """
        fitting: dict[Face | None, list[Joint]] = {}
        for joint in self.after:
            fitting.setdefault(joint[0], []).append(joint)
        return tuple(
            {tile: tuple(Lay(seat, *joint) for joint in each) for tile, each in fitting.items()}
            for seat in SEATS
        )

    def __contains__(self, lay: Lay) -> bool:
        """Whether that tile fits so."""
        return (lay.tile, lay.on, lay.lie, lay.out) in self.after

    def __getitem__(self, lay: Lay) -> Tableau:
        """The tableau with that tile laid; KeyError if it does not fit so."""
        return self.after[lay.tile, lay.on, lay.lie, lay.out]

    @cached_property
    def after(self) -> Mapping[Joint, Tableau]:
        """Every way to lay a tile here, and the tableau that comes of it."""
        return dict(self._joints())

    def _joints(self) -> Iterator[tuple[Joint, Tableau]]:
        for tile in double_six():
            for lie in lies(self.parameters, tile):
                if not self.ends:
                    yield (tile, "", lie, None), self._with(self._set(tile, lie), tile)
                    continue
                for end in self.playable:
                    outs = outer_halves(self.parameters, tile, end)
                    for out in outs:
                        ends = (*self._without(end), *self._brought(tile, lie, out))
                        said = out if len(outs) > 1 else None
                        yield (tile, str(end), lie, said), self._with(ends, tile)

    def _with(self, ends: tuple[End, ...], tile: Face) -> Tableau:
        sniffed = self.sniffed or (self.parameters.sniff and is_doublet(tile))
        return _tableau(self.parameters, tuple(sorted(ends)), sniffed)

    def _without(self, end: End) -> tuple[End, ...]:
        """The ends that stay when one is covered; of a lone doublet the other side stays."""
        at = self.ends.index(end)
        left = self.ends[:at] + self.ends[at + 1 :]
        return (*left, End(end.number, "doublet")) if end.kind == "lone" else left

    def _set(self, tile: Face, lie: Lie) -> tuple[End, ...]:
        """The ends of the first tile."""
        high, low = halves(tile)
        if high != low:
            return End(high), End(low)
        if self.parameters.sides_first:
            return (End(high, "long"),) * 4
        if self.parameters.sniff and self._branches(lie):
            return End(high, "short"), End(high, "short"), End(high, "long"), End(high, "long")
        return (End(high, "lone"),) if self._across(lie) else (End(high), End(high))

    def _brought(self, tile: Face, lie: Lie, out: int) -> tuple[End, ...]:
        """The ends that a tile brings when it is joined with that half turned out."""
        if not is_doublet(tile):
            return (End(out),)
        if self.parameters.sniff and not self.sniffed and self._branches(lie):
            covered = 1 if _is_crosswise(self.parameters, lie) else 0
            return (
                *(End(out, "short"),) * (1 + covered),
                *(End(out, "long"),) * (2 - covered),
            )
        return (End(out, "doublet"),) if self._across(lie) else (End(out),)

    def _branches(self, lie: Lie) -> bool:
        """Whether a sniff that lies so can be played on from four sides (2.9)."""
        return _is_crosswise(self.parameters, lie) or self.parameters.inline_sniff_four_way

    def _across(self, lie: Lie) -> bool:
        """Whether a doublet that lies so is told from a half at the end of its arm."""
        return self.parameters.tells_doublets_apart and _is_crosswise(self.parameters, lie)


@cache
def _tableau(parameters: Parameters, ends: tuple[End, ...], sniffed: bool) -> Tableau:
    """One value for equal tableaux, so that each works out only once what fits it."""
    return Tableau(parameters, ends, sniffed)


def bare(parameters: Parameters) -> Tableau:
    """The table before the set."""
    return _tableau(parameters, (), False)


def lies(parameters: Parameters, tile: Face) -> tuple[Lie, ...]:
    """How the tile may lie; only a doublet, and only in some games, leaves a choice (2.9)."""
    if parameters.double_orientation == "choice" and is_doublet(tile):
        return "crosswise", "in line"
    return ("",)


def outer_halves(parameters: Parameters, tile: Face, end: End) -> tuple[int, ...]:
    """The halves that can be turned outwards when the tile is joined to that end; often none.

    Equal halves touch; at Matador two that make seven do, and a matador lies anywhere, either half
    outwards (2.8, DM-13, DM-14).
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
    """The objection to a lay that the tableau does not take."""
    parameters, tile = tableau.parameters, lay.tile
    if not tableau.ends and (lay.on or lay.out is not None):
        return Objection(f"Nothing lies on the table yet: {tile} is set, not joined to an end.")
    ends = {str(end): end for end in tableau.playable}
    if tableau.ends and lay.on not in ends:
        if any(lay.on == str(end) for end in tableau.ends):
            return Objection(
                f"The sides of the first tile are covered first; {lay.on} has to wait.", "2.3"
            )
        what = f"there is no open end '{lay.on}'" if lay.on else "it has to be joined to an end"
        return Objection(f"{tile} cannot lie there: {what}; the open ends are {_listed(ends)}.")
    offered = lies(parameters, tile)
    if lay.lie not in offered:
        if len(offered) > 1:
            return Objection(f"Say how {tile} lies: '{tile} crosswise' or '{tile} in line'.")
        return Objection(f"How {tile} lies is no choice here; leave '{lay.lie}' out.")
    outs = outer_halves(parameters, tile, ends[lay.on]) if lay.on else ()
    if lay.on and not outs:
        if parameters.join == "seven":
            return Objection(f"{tile} makes no seven with the {lay.on}, and it is no matador.")
        return Objection(f"{tile} has no {ends[lay.on].number} to lay on the end {lay.on}.")
    if len(outs) > 1:
        choice = " or ".join(f"'{out} out'" for out in outs)
        return Objection(f"Say which half of {tile} points outwards: {choice}.")
    return Objection(
        f"Which half of {tile} points outwards is no choice here; leave '{lay.out} out' away."
    )


def why_it_fits_nowhere(tableau: Tableau, tile: Face) -> Objection:
    """The objection to a tile that goes on no end."""
    ends = ", ".join(map(str, tableau.playable))
    why, fact = "neither half of it equals one of them", "2.1"
    if tableau.parameters.join == "seven":
        why, fact = "no half of it makes seven with one of them, and it is no matador", "2.8"
    return Objection(f"{tile} fits nowhere: the ends to play on are {ends}; {why}.", fact)


def _is_crosswise(parameters: Parameters, lie: Lie) -> bool:
    return lie == "crosswise" or (not lie and parameters.double_orientation == "cross")


def _listed(names: Mapping[str, End]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
