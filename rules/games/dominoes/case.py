"""A case of dominoes for the judge, and the checks that refuse a case that contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Literal

from rules.errors import RulesError
from rules.games.dominoes.actions import Lay, parse
from rules.games.dominoes.layout import (
    Tableau,
    empty_tableau,
    why_it_does_not_fit,
    why_it_fits_no_end,
)
from rules.games.dominoes.setup import double_six, is_doublet
from rules.games.dominoes.variants import (
    VARIANTS,
    Drawing,
    Parameters,
    SetTile,
    Variant,
    Way,
    Window,
)
from rules.geometry import Seat
from rules.judging import check_seats, refuse
from rules.tiles import Face

_GAMES = {variant.name: variant for variant in VARIANTS}


@dataclass(frozen=True)
class House:
    """The parameters that a house changes (2.3-2.9); None leaves the game's value.

    The names are those of `variants.Parameters`.
    """

    hand: tuple[int, int, int] | None = None
    setter: Way | None = None
    set_tile: SetTile | None = None
    matador_free_orientation: bool | None = None
    double_orientation: Literal["cross", "line", "choice"] | None = None
    sniff: bool | None = None
    inline_sniff_four_way: bool | None = None
    sides_first: bool | None = None
    draw: Drawing | None = None
    draw_when_able: bool | None = None
    boneyard_reserve: int | None = None
    pass_when_able: bool | None = None
    base: Literal[0, 3, 5] | None = None
    muggins_call: bool | None = None
    muggins_window: Window | None = None
    set_points: int | None = None
    double_header: int | None = None
    triple_header: int | None = None
    triple_by_single: bool | None = None
    block_score: Literal["sum", "difference"] | None = None
    blocked_doublets_lose: bool | None = None
    round_hand: Literal["none", "nearest5"] | None = None
    hand_win: int | None = None
    target: int | None = None
    stop_immediately: bool | None = None

    def changed(self, parameters: Parameters) -> Parameters:
        """The game's parameters with these changes. Raises IllegalSetupError if they contradict."""
        changes = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(parameters, **changes)


@dataclass(frozen=True)
class Case:
    """The tiles on the table, and the action of a seat.

    Values that are not given are not checked: a hand that is not given can contain any tile. Raises
    RulesError for a case that contradicts itself.
    """

    game: str
    """The game of dominoes; the command line names it."""
    tile: str | None = None
    """The action of the seat: a tile and where it lies, such as `6-4`, `4-4 on 4`, `1-1 in line
    on 6` or `6-1 on 3, 6 out`; or `draw`, `go` or `call`. If the tile can lie in one way only, its
    name is enough. If left out, the hand has ended and the case asks for its score.
    """
    layout: tuple[str, ...] = ()
    """The tiles on the table in the order they were played, each written like `tile`."""
    seat: Seat = 0
    """The seat that acts."""
    called: bool = True
    """The points of the tile were called, and this seat called first (2.5)."""
    players: int | None = None
    """The number of players. If left out, the number of hands, or else the game's maximum."""
    hand: tuple[Face, ...] | None = None
    """The tiles that the seat holds before it acts."""
    hands: tuple[tuple[Face, ...], ...] | None = None
    """The tiles of every seat, seat 0 first."""
    boneyard: int | None = None
    """The number of tiles left in the boneyard."""
    passed: int = 0
    """The number of turns passed since the last tile."""
    scores: tuple[int, ...] = ()
    """The points of each seat in the game, seat 0 first."""
    parameters: House = field(default_factory=House)
    """The parameters of this house that differ from the game's."""

    def __post_init__(self) -> None:
        if self.game not in _GAMES:
            raise RulesError(
                f"game: '{self.game}' is not a game of dominoes; choose one of {', '.join(_GAMES)}."
            )
        require_consistent(self, self.variant)
        laid_out(self)

    @property
    def variant(self) -> Variant:
        """The variant of dominoes."""
        return _GAMES[self.game]

    @property
    def house(self) -> Parameters:
        """The game's parameters with the changes of this house."""
        return self.parameters.changed(self.variant.parameters)

    @property
    def seats(self) -> int:
        """The number of players."""
        if self.hands is not None:
            return len(self.hands)
        return self.variant.players[-1] if self.players is None else self.players


def require_consistent(case: Case, variant: Variant) -> None:
    """Raises RulesError with the first contradiction of a case; does not check its layout."""
    refuse(_check_players(case, variant))
    refuse(_check_tiles(case))
    refuse(_check_counts(case))
    refuse(_check_dealt(case, variant))
    refuse(_check_question(case))


def laid_out(case: Case) -> tuple[Tableau, tuple[Lay, ...]]:
    """The layout, and the tiles in it. Raises RulesError for an impossible layout."""
    tableau = empty_tableau(case.house)
    laid: tuple[Lay, ...] = ()
    for text in case.layout:
        lay = parse(case.seat, text)
        if not isinstance(lay, Lay):
            raise RulesError(
                f"layout: '{text}' lays no tile; write the tile and its end, as '6-4 on 6'."
            )
        lay = joined(tableau, lay, laid)
        wrong = None if laid else why_not_set(lay.tile, case.house, case.seats, case.variant.title)
        if lay not in tableau or wrong:
            sentence = f"{wrong[0]} ({wrong[1]})." if wrong else why_no_fit(tableau, lay)
            raise RulesError(f"layout: The layout is impossible: {sentence}")
        tableau, laid = tableau[lay], (*laid, lay)
    lain = {lay.tile for lay in laid}
    held = (case.hand or ()) if case.hands is None else (t for hand in case.hands for t in hand)
    for tile in held:
        if tile in lain:
            raise RulesError(
                f"hand: {tile} is both in a hand and in the layout; a set of dominoes has it once"
                " (C1)."
            )
    return tableau, laid


def joined(tableau: Tableau, lay: Lay, laid: tuple[Lay, ...]) -> Lay:
    """The action with its open end; without one in the text, the only way in which the tile fits.

    Raises RulesError for a tile that is already in the layout, or that fits in several ways.
    """
    if lay.tile in {other.tile for other in laid}:
        raise RulesError(f"layout: {lay.tile} is named twice; a set of dominoes has it once (C1).")
    if lay in tableau or lay.on:
        return lay
    ways = [
        way
        for way in tableau.lays[lay.seat].get(lay.tile, ())
        if lay.orientation in ("", way.orientation) and lay.out in (None, way.out)
    ]
    if len(ways) > 1:
        offered = " or ".join(f"'{way}'" for way in ways)
        raise RulesError(f"tile: {lay.tile} can lie in several ways; write {offered}.")
    return ways[0] if ways else lay


def why_no_fit(tableau: Tableau, lay: Lay) -> str:
    """The objection to a tile at its end, or, if no end is named, at any end."""
    if lay.on or not tableau.ends or lay.tile in tableau.lays[lay.seat]:
        return why_it_does_not_fit(tableau, lay).cited
    return why_it_fits_no_end(tableau, lay.tile).cited


def why_not_set(
    tile: Face, parameters: Parameters, players: int, title: str
) -> tuple[str, str] | None:
    """The objection to a first tile, and the number of its rule; None if it can be set.

    If the holder of the 6-6 sets and all tiles are dealt, a player holds the 6-6 (2.3). At Bergen
    players draw until one of them holds a doublet (2.4).
    """
    dealt = players * parameters.hand[players - 2]
    ways = (parameters.setter, parameters.set_tile)
    if ways == ("double_six", "deciding") and tile != "6-6" and dealt == len(double_six()):
        return f"{tile} cannot be set at {title}: the first tile has to be 6-6", "2.3"
    if ways == ("bergen", "doublet") and not is_doublet(tile):
        return f"{tile} cannot be set at {title}: the first tile has to be a doublet", "2.4"
    return None


def _check_players(case: Case, variant: Variant) -> Iterator[str]:
    if case.players is not None and case.players not in variant.players:
        offered = ", ".join(map(str, variant.players))
        yield f"players: {variant.title} has {offered} players, not {case.players}."
    if case.hands is not None and case.seats not in variant.players:
        offered = ", ".join(map(str, variant.players))
        yield f"hands: {variant.title} has {offered} players, so not {case.seats} hands."
    if case.hands is not None and case.players not in (None, len(case.hands)):
        yield (
            f"hands: {len(case.hands)} hands are given for {case.players} players; give one hand"
            " for each."
        )
    yield from check_seats({"seat": case.seat}, case.seats)
    if case.scores and len(case.scores) != case.seats:
        yield (
            f"scores: {len(case.scores)} scores are given for {case.seats} players; give one score"
            " for each."
        )
    for score in case.scores:
        if score < 0:
            yield f"scores: A score is 0 or more, not {score}."
        if score >= case.house.target:
            yield f"scores: A seat has {score} of {case.house.target} points; the game is over."


def _check_tiles(case: Case) -> Iterator[str]:
    own = case.hand
    if own is not None and case.hands is not None and sorted(own) != sorted(case.hands[case.seat]):
        yield f"hand: The hand of seat {case.seat} differs from that in `hands`; give it once."
    hands = case.hands if case.hands is not None else () if own is None else (own,)
    field = "hand" if case.hands is None else "hands"
    held = list(chain(*hands))
    for tile in held:
        if tile not in double_six():
            yield f"{field}: '{tile}' is not a domino; write a tile from 0-0 to 6-6, as 6-4 (C1)."
        if held.count(tile) > 1:
            yield f"{field}: {tile} is named twice; a set of dominoes has it once (C1)."


def _check_counts(case: Case) -> Iterator[str]:
    if case.boneyard is not None and not 0 <= case.boneyard <= len(double_six()):
        yield f"boneyard: It has 0 to {len(double_six())} tiles, not {case.boneyard}."
    if not 0 <= case.passed < case.seats:
        yield (
            f"passed: {case.passed} turns cannot have passed since the last tile; after"
            f" {case.seats} the hand is blocked (C9)."
        )
    if case.passed and not case.layout:
        yield "passed: No turn passes before the first tile is set (C5); leave it out."
    held = sum(map(len, case.hands)) if case.hands is not None else len(case.hand or ())
    seen = held + len(case.layout) + (case.boneyard or 0)
    if seen > len(double_six()):
        yield (
            f"boneyard: {held} tiles in hand, {len(case.layout)} on the table and"
            f" {case.boneyard or 0} in the boneyard are {seen}; the set has only"
            f" {len(double_six())} (C1)."
        )
    known = case.hands is not None and case.boneyard is not None and case.layout
    if known and seen != len(double_six()):
        yield (
            f"boneyard: {held} tiles in hand, {len(case.layout)} on the table and {case.boneyard}"
            f" in the boneyard are {seen}; the set has {len(double_six())} (C1)."
        )


def _check_dealt(case: Case, variant: Variant) -> Iterator[str]:
    """Yields a sentence for a hand with more tiles than were dealt, where no seat draws."""
    house = case.house
    if house.hands_can_grow:
        return
    known = case.players is not None or case.hands is not None
    dealt = max(house.hand[n - 2] for n in ((case.seats,) if known else variant.players))
    field = "hand" if case.hands is None else "hands"
    for seat, hand in enumerate(case.hands or (case.hand or (),)):
        if len(hand) > dealt:
            holder = case.seat if case.hands is None else seat
            yield (
                f"{field}: Seat {holder} holds {len(hand)} tiles; {dealt} are dealt at"
                f" {variant.title}, and no seat draws (C3)."
            )


def _check_question(case: Case) -> Iterator[str]:
    if case.hand == ():
        yield f"hand: Seat {case.seat} has no tile left, so the hand is over (C9); give all hands."
    empty = [seat for seat, hand in enumerate(case.hands or ()) if not hand]
    if len(empty) > 1:
        yield (
            f"hands: Seats {empty[0]} and {empty[1]} cannot both be out; the first seat that is out"
            " ends the hand (C9)."
        )
    if case.tile is None:
        if case.hands is None:
            yield "hands: Without a tile the case asks for the hand's score; give all hands (C9)."
        if case.passed:
            yield "passed: Without a tile the hand has ended; leave `passed` out."
    elif empty and case.tile != "call":
        yield f"hands: Seat {empty[0]} is out, so the hand is over (C9); leave the tile out."
    if case.tile == "call":
        if not case.called:
            yield "called: The seat calls the points, so `called` cannot be false (2.5)."
        if not case.layout:
            yield "layout: Without tiles on the table there are no points to call (2.5)."
