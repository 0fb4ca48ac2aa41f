"""A tile at dominoes on the floor: may it lie there, and what does it score?"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from rules.errors import RulesError
from rules.games.dominoes.actions import Lay, parse
from rules.games.dominoes.layout import (
    SEATS,
    Tableau,
    bare,
    why_it_does_not_fit,
    why_it_fits_nowhere,
)
from rules.games.dominoes.score import Score, header_scores, open_ends_score
from rules.games.dominoes.variants import VARIANTS, Parameters, Variant
from rules.geometry import Seat
from rules.judge_registry import Verdict
from rules.play import HOUSE, Payment
from rules.tiles import Face

_GAMES = {variant.name: variant for variant in VARIANTS}


@dataclass(frozen=True)
class House:
    """What a house does differently with tiles on the table (2.3-2.9); None as the game has it.

    The names are those of `variants.Parameters`.
    """

    matador_free_orientation: bool | None = None
    double_orientation: Literal["cross", "line", "choice"] | None = None
    sniff: bool | None = None
    inline_sniff_four_way: bool | None = None
    sides_first: bool | None = None
    base: Literal[0, 3, 5] | None = None
    muggins_call: bool | None = None
    set_points: int | None = None
    double_header: int | None = None
    triple_header: int | None = None
    triple_by_single: bool | None = None

    def changed(self, parameters: Parameters) -> Parameters:
        """A game's parameters with these changes."""
        changes = {name: told for name, told in asdict(self).items() if told is not None}
        return replace(parameters, **changes)


@dataclass(frozen=True)
class Case:
    """What lies on the table, and the tile that is tried.

    `layout` are the tiles as they were played, each in the words of `actions`: `6-4`, then
    `4-4 on 4`, `1-1 in line on 6`, `6-1 on 3, 6 out`; where a tile can lie in one way only, its
    name is enough. `tile` is written so too. `called`: somebody called the points, and `seat` was
    first (2.5). Hands are not seen here, so a set tile is judged by the table alone.
    """

    game: str
    tile: str
    layout: tuple[str, ...] = ()
    seat: Seat = 0
    called: bool = True
    parameters: House = field(default_factory=House)

    def __post_init__(self) -> None:
        if self.game not in _GAMES:
            raise RulesError(f"'{self.game}' is no game of dominoes; take {', '.join(_GAMES)}.")
        if self.seat not in SEATS:
            raise RulesError(f"There is no seat {self.seat}; seats are 0 to {SEATS[-1]}.")


def judge(case: Case) -> Verdict:
    """The verdict on the tile that is tried; raises RulesError for a layout that cannot be."""
    variant = _GAMES[case.game]
    before = bare(case.parameters.changed(variant.parameters))
    lain: set[Face] = set()
    for text in case.layout:
        lay = _read(before, case.seat, text, lain)
        if lay not in before:
            raise RulesError(f"The layout cannot be: {_why_not(before, lay)}")
        before = before[lay]
    lay = _read(before, case.seat, case.tile, lain)
    if lay not in before:
        return Verdict(legal=False, name="no fit", reasons=(_why_not(before, lay),))
    return _scored(case, variant, before, lay)


def _scored(case: Case, variant: Variant, before: Tableau, lay: Lay) -> Verdict:
    """The verdict on a tile that fits."""
    after = before[lay]
    scores = list(header_scores(before, lay, after))
    parameters, points = after.parameters, open_ends_score(after)
    reasons = [f"{lay} fits: {_why(before, lay)}; the open ends are now {after}."]
    if parameters.base:
        reasons.append(
            f"They total {after.total}, {'a' if points else 'no'} multiple of {parameters.base}"
            " that scores (2.5, 2.7, 2.9)."
        )
    if points and parameters.muggins_call and not case.called:
        reasons.append(f"Nobody called the {points} points, so they are nobody's (2.5).")
    elif points:
        scores.append(Score(lay.seat, points, f"open ends total {points} (2.5, 2.7, 2.9)"))
    reasons += [f"Seat {seat} scores {many}: {why}." for seat, many, why in scores]
    if not scores and not parameters.base:
        reasons.append(f"It scores nothing at {variant.title}.")
    total = sum(score.points for score in scores)
    return Verdict(
        legal=True,
        name=f"{total} points" if total else "no points",
        payments=tuple(Payment(HOUSE, *score) for score in scores),
        reasons=tuple(reasons),
    )


def _read(tableau: Tableau, seat: Seat, text: str, lain: set[Face]) -> Lay:
    """A tile and where it lies; where nothing says so, in the one way that there is.

    It joins those that have lain already.
    """
    lay = parse(seat, text)
    if not isinstance(lay, Lay):
        raise RulesError(f"'{text}' lays no tile; write the tile and where: '6-4 on 6'.")
    if lay.tile in lain:
        raise RulesError(f"{lay.tile} is there twice; a set of dominoes has it once.")
    lain.add(lay.tile)
    if lay in tableau or lay.on:
        return lay
    ways = [
        way
        for way in tableau.lays[seat].get(lay.tile, ())
        if lay.lie in ("", way.lie) and lay.out in (None, way.out)
    ]
    if len(ways) > 1:
        told = " or ".join(f"'{way}'" for way in ways)
        raise RulesError(f"{lay.tile} can lie in several ways; write {told}.")
    return ways[0] if ways else lay


def _why(before: Tableau, lay: Lay) -> str:
    """What lets a tile lie there."""
    if not before.ends:
        return "it is the first tile (section 2)"
    if before.parameters.join == "seven":
        return "the halves make seven, or it is a matador (2.8)"
    return "equal halves touch (2.1)"


def _why_not(tableau: Tableau, lay: Lay) -> str:
    """The sentence against a tile; one that is named alone fits nowhere."""
    if lay.on or not tableau.ends or lay.tile in tableau.lays[lay.seat]:
        return why_it_does_not_fit(tableau, lay).cited
    return why_it_fits_nowhere(tableau, lay.tile).cited
