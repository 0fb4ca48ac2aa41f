"""What a domino case cannot say at once: each contradiction is one sentence with its rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from rules.errors import RulesError
from rules.games.dominoes.actions import Lay, parse
from rules.games.dominoes.bones import double_six, is_doublet
from rules.games.dominoes.house import House
from rules.games.dominoes.layout import Tableau, bare, why_it_does_not_fit, why_it_fits_nowhere
from rules.games.dominoes.variants import VARIANTS, Parameters, Variant
from rules.geometry import Seat
from rules.judge_checks import about_seats, refuse
from rules.tiles import Face

_GAMES = {variant.name: variant for variant in VARIANTS}


@dataclass(frozen=True)
class Case:
    """What lies on the table, and what a seat does.

    What is not given is not judged: a hidden hand may hold any tile. Raises RulesError for a case
    that contradicts itself.
    """

    game: str
    """Which game of dominoes it is; the command names it."""
    tile: str | None = None
    """What the seat does: a tile and where it lies, such as `6-4`, `4-4 on 4`, `1-1 in line
    on 6` or `6-1 on 3, 6 out`; or `draw`, `go` or `call`. Where a tile can lie in one way
    only, its name is enough. Left out, the hand has ended, and the case asks for its score.
    """
    layout: tuple[str, ...] = ()
    """The tiles as they were played, the first one first, each written as `tile` is."""
    seat: Seat = 0
    """The seat that acts."""
    called: bool = True
    """The points of the tile were called, and this seat called first (2.5)."""
    players: int | None = None
    """How many play. Left out, as many as there are hands, or as the game has at most."""
    hand: tuple[Face, ...] | None = None
    """What the seat holds before it acts."""
    hands: tuple[tuple[Face, ...], ...] | None = None
    """What every seat holds, seat 0 first."""
    boneyard: int | None = None
    """How many tiles are left in the boneyard."""
    passed: int = 0
    """How many turns have passed since the last tile."""
    scores: tuple[int, ...] = ()
    """What each seat has in the game, seat 0 first."""
    parameters: House = field(default_factory=House)
    """What this house plays differently."""

    def __post_init__(self) -> None:
        if self.game not in _GAMES:
            raise RulesError(
                f"game: '{self.game}' is no game of dominoes; take {', '.join(_GAMES)}."
            )
        require_consistent(self, self.variant)
        laid_out(self)

    @property
    def variant(self) -> Variant:
        """The game of dominoes that is played."""
        return _GAMES[self.game]

    @property
    def house(self) -> Parameters:
        """The game's parameters as this house changes them."""
        return self.parameters.changed(self.variant.parameters)

    @property
    def seats(self) -> int:
        """How many play."""
        if self.hands is not None:
            return len(self.hands)
        return self.variant.players[-1] if self.players is None else self.players


def require_consistent(case: Case, variant: Variant) -> None:
    """Raises RulesError with the first contradiction of a case, its layout apart."""
    refuse(_about_players(case, variant))
    refuse(_about_tiles(case))
    refuse(_about_counts(case))
    refuse(_about_what_is_asked(case))


def why_not_set(
    tile: Face, parameters: Parameters, players: int, title: str
) -> tuple[str, str] | None:
    """The sentence against a first tile, for any holder, and its fact; None if it may be set.

    Where the 6-6 decides and all tiles are dealt out, one player holds it (2.3). At Bergen tiles
    are drawn until one player holds a doublet (2.4).
    """
    dealt = players * parameters.hand[players - 2]
    ways = (parameters.setter, parameters.set_tile)
    if ways == ("double_six", "deciding") and tile != "6-6" and dealt == len(double_six()):
        return f"{tile} cannot be set at {title}: 6-6 is set first, by its holder", "2.3"
    if ways == ("bergen", "doublet") and not is_doublet(tile):
        return f"{tile} cannot be set at {title}: a doublet has to be set", "2.4"
    return None


def _about_players(case: Case, variant: Variant) -> Iterator[str]:
    if case.players is not None and case.players not in variant.players:
        offered = ", ".join(map(str, variant.players))
        yield f"players: {variant.title} is played by {offered}, not by {case.players}."
    if case.hands is not None and case.seats not in variant.players:
        yield f"hands: {variant.title} is not played with {case.seats} hands."
    if case.hands is not None and case.players not in (None, len(case.hands)):
        yield f"hands: {len(case.hands)} hands are given for {case.players} players."
    yield from about_seats({"seat": case.seat}, case.seats)
    if case.scores and len(case.scores) != case.seats:
        yield f"scores: {len(case.scores)} scores are given for {case.seats} players."
    for score in case.scores:
        if score < 0:
            yield f"scores: A score is 0 or more, not {score}."
        if score >= case.house.target:
            yield f"scores: A seat has {score} of {case.house.target} points; the game is over."


def _about_tiles(case: Case) -> Iterator[str]:
    own = case.hand
    if own is not None and case.hands is not None and sorted(own) != sorted(case.hands[case.seat]):
        yield f"hand: The hand of seat {case.seat} is another one among the hands; give it once."
    hands = case.hands if case.hands is not None else () if own is None else (own,)
    field = "hand" if case.hands is None else "hands"
    held = list(chain(*hands))
    for tile in held:
        if tile not in double_six():
            yield f"{field}: '{tile}' is no domino; the set goes from 0-0 to 6-6, as 6-4 (C1)."
        if held.count(tile) > 1:
            yield f"{field}: {tile} is there twice; a set of dominoes has it once (C1)."


def _about_counts(case: Case) -> Iterator[str]:
    if case.boneyard is not None and not 0 <= case.boneyard <= len(double_six()):
        yield f"boneyard: There are 0 to {len(double_six())} tiles in it, not {case.boneyard}."
    if not 0 <= case.passed < case.seats:
        yield (
            f"passed: {case.passed} turns cannot have passed since the last tile; after"
            f" {case.seats} the hand is blocked (C9)."
        )
    if case.passed and not case.layout:
        yield "passed: Nobody passes before the first tile is set (C5)."
    held = sum(map(len, case.hands)) if case.hands is not None else len(case.hand or ())
    seen = held + len(case.layout) + (case.boneyard or 0)
    if seen > len(double_six()):
        yield (
            f"boneyard: {held} tiles in hand, {len(case.layout)} on the table and"
            f" {case.boneyard or 0} in the boneyard are more than the set's {len(double_six())}."
        )
    known = case.hands is not None and case.boneyard is not None and case.layout
    if known and seen != len(double_six()):
        yield (
            f"boneyard: {held} tiles in hand, {len(case.layout)} on the table and {case.boneyard}"
            f" in the boneyard are {seen}; the set has {len(double_six())} (C1)."
        )


def _about_what_is_asked(case: Case) -> Iterator[str]:
    if case.hand == ():
        yield f"hand: Seat {case.seat} has no tile left, so the hand is over (C9); give all hands."
    empty = [seat for seat, hand in enumerate(case.hands or ()) if not hand]
    if len(empty) > 1:
        yield f"hands: Seats {empty[0]} and {empty[1]} cannot both be out; the first ends the hand."
    if case.tile is None:
        if case.hands is None:
            yield "hands: Without a tile the case asks for the hand's score; give all hands (C9)."
        if case.passed:
            yield "passed: Without a tile the hand has ended; leave it out."
    elif empty and case.tile != "call":
        yield f"hands: Seat {empty[0]} is out and the hand over (C9); nothing is played."
    if case.tile == "call":
        if not case.called:
            yield "called: The seat calls the points, so called cannot be false (2.5)."
        if not case.layout:
            yield "layout: Before the first tile there are no points to call (2.5)."


def laid_out(case: Case) -> tuple[Tableau, tuple[Lay, ...]]:
    """The layout, and the tiles in it. Raises RulesError for a layout that cannot be."""
    tableau = bare(case.house)
    laid: tuple[Lay, ...] = ()
    for text in case.layout:
        lay = parse(case.seat, text)
        if not isinstance(lay, Lay):
            raise RulesError(
                f"layout: '{text}' lays no tile; write the tile and where: '6-4 on 6'."
            )
        lay = joined(tableau, lay, laid)
        wrong = None if laid else why_not_set(lay.tile, case.house, case.seats, case.variant.title)
        if lay not in tableau or wrong:
            sentence = f"{wrong[0]} ({wrong[1]})." if wrong else why_no_fit(tableau, lay)
            raise RulesError(f"layout: The layout cannot be: {sentence}")
        tableau, laid = tableau[lay], (*laid, lay)
    lain = {lay.tile for lay in laid}
    held = (case.hand or ()) if case.hands is None else (t for hand in case.hands for t in hand)
    for tile in held:
        if tile in lain:
            raise RulesError(f"hand: {tile} is there twice: in hand, and in the layout (C1).")
    return tableau, laid


def joined(tableau: Tableau, lay: Lay, laid: tuple[Lay, ...]) -> Lay:
    """A tile and where it lies; where the text does not say so, in the one way that there is."""
    if lay.tile in {other.tile for other in laid}:
        raise RulesError(f"layout: {lay.tile} is there twice; a set of dominoes has it once (C1).")
    if lay in tableau or lay.on:
        return lay
    ways = [
        way
        for way in tableau.lays[lay.seat].get(lay.tile, ())
        if lay.lie in ("", way.lie) and lay.out in (None, way.out)
    ]
    if len(ways) > 1:
        offered = " or ".join(f"'{way}'" for way in ways)
        raise RulesError(f"tile: {lay.tile} can lie in several ways; write {offered}.")
    return ways[0] if ways else lay


def why_no_fit(tableau: Tableau, lay: Lay) -> str:
    """The sentence against a tile; one that is named alone fits nowhere."""
    if lay.on or not tableau.ends or lay.tile in tableau.lays[lay.seat]:
        return why_it_does_not_fit(tableau, lay).cited
    return why_it_fits_nowhere(tableau, lay.tile).cited
