"""What a Filipino case cannot say at once: each contradiction is one sentence with its rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from rules.errors import RulesError
from rules.games.filipino.actions import JOKER, bare
from rules.games.filipino.hand import Meld, MeldName, defect
from rules.games.filipino.parameters import SEATS, SETS, Parameters
from rules.games.filipino.setup import FILIPINO
from rules.geometry import Seat
from rules.judge_checks import about_claims, about_seats, refuse
from rules.tiles import Face

COMPLETE: Final = 3 * SETS + 2
"""Tiles of a winning hand, each set laid down counted as three (F26)."""


By = Literal["discard", "self", "replacement", "robbing"]
"""Where the winning tile came from."""


@dataclass(frozen=True)
class Rival:
    """Another seat that declared a win on the same tile."""

    seat: Seat
    """The seat that declares too."""
    hand: tuple[Face, ...]
    """Its concealed tiles, with or without the winning tile."""
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that it has laid down."""
    flores: int = 0
    """How many flores it has laid out."""


@dataclass(frozen=True)
class Case:
    """What lies on the table when a seat declares a win.

    Raises RulesError for a case that contradicts itself.
    """

    joker: Face
    """The tile turned up; tiles like it are jokers (F17)."""
    hand: tuple[Face, ...]
    """The claimant's concealed tiles, 17 with the winning tile or 16 beside it; a set laid
    down counts as three.
    """
    seat: Seat
    """The seat that declares the win."""
    tile: Face | None = None
    """The winning tile. Left out, the claimant is mano and wins with the dealt tiles."""
    by: By = "self"
    """Where the winning tile came from: drawn by the claimant, drawn as a replacement,
    discarded, or added to another seat's pong.
    """
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that the claimant has laid down, each as its tiles; the tile for which a
    joker stands has a star, `5m*`.
    """
    flores: int = 1
    """How many flores the claimant has laid out (F30)."""
    discarder: Seat | None = None
    """The seat that discarded the tile, or added it to a pong."""
    dealer: Seat = 0
    """The seat that deals. No payment depends on it."""
    streak: int = 1
    """The dealer's hands in a row. No payment depends on it."""
    claims: tuple[Rival, ...] = ()
    """The other seats that declare a win on the same tile."""
    doubled: bool = False
    """Two alike in the roller's throw have doubled every amount, in houses that play so."""
    parameters: Parameters = field(default_factory=Parameters)
    """What this house plays differently."""

    def __post_init__(self) -> None:
        require_consistent(self, self.claimants)

    @property
    def claimants(self) -> tuple[Rival, ...]:
        """The claimant itself, then the rivals."""
        return Rival(self.seat, self.hand, self.melds, self.flores), *self.claims

    @property
    def stakes(self) -> int:
        """What every amount is multiplied by."""
        return 1 + self.doubled

    @property
    def taken(self) -> bool:
        """Whether the tile came from another seat."""
        return self.by in ("discard", "robbing")


def require_consistent(case: Case, claimants: Sequence[Rival]) -> None:
    """Raises RulesError with the first contradiction of a case; `claimants` begin with its own."""
    refuse(_about_seats(case))
    refuse(_about_the_tile(case))
    refuse(_about_flores(case, claimants))
    for claimant in claimants:
        refuse(_about_a_hand(case, claimant))
        for tiles in claimant.melds:
            meld_of(tiles, case.joker)
            refuse(_about_a_set(case, claimant, tiles))
    refuse(_about_the_whole_set(case, claimants))


def concealed(case: Case, claimant: Rival) -> tuple[Face, ...]:
    """A claimant's concealed tiles with the winning one."""
    if case.tile is not None and _size(claimant) < COMPLETE:
        return (*claimant.hand, case.tile)
    return claimant.hand


def meld_of(tiles: tuple[Face, ...], joker: Face) -> Meld:
    """A set laid down. Raises RulesError for tiles that are none (F22, F23)."""
    for tile in tiles:
        face = bare(tile)
        if face not in FILIPINO.tiles or tile not in (face, face + JOKER):
            raise RulesError(
                f"melds: '{tile}' is no tile; write one as 5m, with a star for a joker: 5m*."
            )
    faces = {bare(tile) for tile in tiles}
    name: MeldName = "chow" if len(faces) > 1 else "kong" if len(tiles) == 4 else "pong"
    if not 3 <= len(tiles) <= 4 or (name == "chow" and len(tiles) > 3):
        raise RulesError(f"melds: '{' '.join(tiles)}' is no set; three or four tiles are.")
    wrong = defect(name, tiles, joker)
    if wrong is not None:
        raise RulesError(f"melds: {wrong}")
    return Meld(name, tiles)


def _about_seats(case: Case) -> Iterator[str]:
    rivals = tuple(rival.seat for rival in case.claims)
    yield from about_seats({"dealer": case.dealer}, SEATS)
    yield from about_claims(case.seat, case.by, case.discarder, rivals, seats=SEATS, rule="F33")
    if case.streak < 1:
        yield f"streak: The first hand of a dealer in a row is 1, not {case.streak}."
    if case.doubled and not case.parameters.pairs_double:
        yield "doubled: In this house two alike double nothing (parameter pairs_double)."


def _about_the_tile(case: Case) -> Iterator[str]:
    house = case.parameters
    FILIPINO.tiles.require(case.joker)
    if house.is_flores(case.joker):
        yield (
            f"joker: '{case.joker}' is a flores, and tiles are turned up until one of play appears"
            " (F15)."
        )
    if case.tile is None:
        if case.taken:
            yield "tile: A win on another's tile names it and its seat: give tile and discarder."
        return
    FILIPINO.tiles.require(case.tile)
    if not case.taken:
        return
    if case.discarder is None:
        yield "discarder: A win on another's tile names it and its seat: give the discarder (F29)."
    if house.is_flores(case.tile):
        yield (
            f"tile: '{case.tile}' is a flores, which is laid out (F20); no other seat discards it"
            " or adds it to a pong."
        )
    if case.by == "robbing" and case.tile == case.joker and not house.joker_in_melds:
        yield f"tile: '{case.tile}' is the joker, which stands in no set laid down here (F25)."


def _about_flores(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
    most = case.parameters.flores
    for claimant in claimants:
        if not 0 <= claimant.flores <= most:
            yield (
                f"flores: Seat {claimant.seat} cannot have laid out {claimant.flores} flores; the"
                f" set has {most} (F3)."
            )
    if sum(claimant.flores for claimant in claimants) > most:
        yield (
            "flores: The claimants have laid out"
            f" {' and '.join(str(claimant.flores) for claimant in claimants)} flores; the set has"
            f" {most} (F3)."
        )
    if case.by == "replacement" and not case.flores and all(len(m) < 4 for m in case.melds):
        yield (
            "by: A replacement tile follows a kong or a flores (F11, F23), and seat"
            f" {case.seat} has laid down neither."
        )


def _about_a_hand(case: Case, claimant: Rival) -> Iterator[str]:
    hand, laid, size = claimant.hand, len(claimant.melds), _size(claimant)
    whole = f"Seat {claimant.seat} shows {len(hand)} tiles and {laid} sets"
    if laid > SETS:
        yield f"melds: {whole}; a winning hand has {SETS} sets at most (F26)."
    if size == COMPLETE - 1 and case.tile is None:
        yield f"tile: {whole}, which is one tile short; give the winning tile (F26)."
    if size not in (COMPLETE - 1, COMPLETE):
        yield (
            f"hand: {whole}; a winning hand has {COMPLETE} tiles, or {COMPLETE - 1} beside the"
            f" winning one, each set counted as three, not {size} (F26)."
        )
    for face in hand:
        FILIPINO.tiles.require(face)
    if case.tile is not None and size == COMPLETE and case.tile not in hand:
        yield (
            f"tile: The hand of seat {claimant.seat} has not the winning tile, '{case.tile}'; it"
            f" has {' '.join(hand)}."
        )


def _about_a_set(case: Case, claimant: Rival, tiles: tuple[Face, ...]) -> Iterator[str]:
    house, said = case.parameters, " ".join(tiles)
    flores = [tile for tile in tiles if house.is_flores(bare(tile))]
    if flores:
        yield (
            f"melds: '{said}' of seat {claimant.seat} has the flores '{flores[0]}'; no set is made"
            " of flores (F2, F11)."
        )
    if not house.joker_in_melds and any(tile.endswith(JOKER) for tile in tiles):
        yield f"melds: '{said}' has a joker; here no joker stands in a set laid down (F25)."


def _about_the_whole_set(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
    """No tile is shown too often, the one turned up included; the winning one lies there once."""
    shown = Counter([case.joker])
    for claimant in claimants:
        hand = Counter(concealed(case, claimant))
        if case.tile is not None:
            hand[case.tile] -= 1
        shown += hand
        for tiles in claimant.melds:
            shown += Counter(case.joker if tile.endswith(JOKER) else tile for tile in tiles)
    if case.tile is not None:
        shown[case.tile] += 1
    for face, number in shown.items():
        most = FILIPINO.tiles.faces.count(face)
        if number > most:
            yield (
                f"hand: There are only {most} '{face}', the one turned up included; the case shows"
                f" {number} (F3)."
            )
    if case.by == "robbing" and case.tile is not None and case.tile != case.joker:
        least = _least_in_the_pong(case, shown[case.joker])
        beside = shown[case.tile] - 1
        if beside + least + 1 > FILIPINO.tiles.faces.count(case.tile):
            yield (
                f"tile: The robbed '{case.tile}' joins a pong with at least {least} of its face"
                f" (F32), yet the case shows {beside} more beside it; the set has"
                f" {FILIPINO.tiles.faces.count(case.tile)}."
            )


def _least_in_the_pong(case: Case, jokers_shown: int) -> int:
    """How many natural tiles a pong must have to which the robbed tile was added (F25, F32)."""
    if not case.parameters.joker_in_melds:
        return 3
    jokers_left = FILIPINO.tiles.faces.count(case.joker) - jokers_shown
    return max(1, 3 - jokers_left)


def _size(claimant: Rival) -> int:
    return len(claimant.hand) + 3 * len(claimant.melds)
