"""A judge case of Filipino mahjong, and the checks that refuse a case that contradicts itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from rules.errors import RulesError
from rules.games.filipino.actions import JOKER, Act, bare
from rules.games.filipino.hand import Meld, MeldName, why_not_a_set
from rules.games.filipino.legal import declared
from rules.games.filipino.parameters import SEATS, SETS, Parameters
from rules.games.filipino.play import FilipinoPlay
from rules.games.filipino.score import By
from rules.games.filipino.setup import FILIPINO
from rules.games.filipino.table import FilipinoTable, source_of
from rules.games.filipino.wins import Declared
from rules.geometry import Seat
from rules.judging import RecordedAct, check_claims, check_seats, no_case, refuse
from rules.steps import Facts
from rules.tiles import Face

COMPLETE: Final = 3 * SETS + 2
"""The number of tiles of a winning hand, counting each set laid down as three (F26)."""


@dataclass(frozen=True)
class Rival:
    """Another seat that declares a win on the same tile."""

    seat: Seat
    """The seat that declares the win too."""
    hand: tuple[Face, ...]
    """Its concealed tiles, with or without the winning tile."""
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that it has laid down."""
    flores: int = 0
    """The number of flores it has laid out."""


@dataclass(frozen=True)
class Case:
    """The tiles on the table when a seat declares a win.

    Raises RulesError for a case that contradicts itself.
    """

    joker: Face
    """The tile turned up; equal tiles are jokers (F17)."""
    hand: tuple[Face, ...]
    """The claimant's concealed tiles: 17 with the winning tile, or 16 without it. Each set laid
    down counts as three of them.
    """
    seat: Seat
    """The seat that declares the win."""
    tile: Face | None = None
    """The winning tile. If left out, the claimant is mano and wins with the dealt tiles."""
    by: By = "self"
    """The source of the winning tile: drawn by the claimant, drawn as a replacement, discarded, or
    added to another seat's pong.
    """
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that the claimant has laid down, each as its tiles. A joker is written as the face
    that it replaces, with a star: `5m*`.
    """
    flores: int = 1
    """The number of flores that the claimant has laid out (F30)."""
    discarder: Seat | None = None
    """The seat that discarded the tile, or added it to a pong."""
    dealer: Seat = 0
    """The dealer's seat. No payment depends on it."""
    streak: int = 1
    """The number of the dealer's hands in a row. No payment depends on it."""
    claims: tuple[Rival, ...] = ()
    """The other seats that declare a win on the same tile."""
    doubled: bool = False
    """Equal dice in the roller's throw have doubled every amount, in houses with that rule."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        require_consistent(self, self.claimants)

    @property
    def claimants(self) -> tuple[Rival, ...]:
        """The claimant, then the rivals."""
        return Rival(self.seat, self.hand, self.melds, self.flores), *self.claims

    @property
    def stakes(self) -> int:
        """The factor of every amount."""
        return 1 + self.doubled

    @property
    def taken(self) -> bool:
        """Whether the tile came from another seat."""
        return self.by in ("discard", "robbing")


def recorded_case(
    acts: Sequence[RecordedAct], play: FilipinoPlay, seat: Seat | None = None
) -> Facts:
    """The keys of the case of a hand's win; `seat` has no effect. Raises RulesError.

    A hand without a win has no case, and neither has a win with unknown tiles.
    """
    settlement = play.table.settlement
    if settlement is None or settlement.winner is None:
        raise no_case("no seat has won it")
    table, wins = winning_acts(acts)
    offer, shown = table.offer, shown_tiles(table, wins[settlement.winner])
    if table.joker is None:
        raise no_case("the tile turned up is not recorded")
    facts: Facts = {
        "joker": table.joker,
        "hand": list(shown.concealed),
        "seat": settlement.winner,
        "by": source_of(offer),
        "melds": _melds(shown),
        "flores": len(table.hands[settlement.winner].flores),
        "dealer": table.roller,
    }
    if shown.tile is not None:
        facts["tile"] = shown.tile
    if table.stakes > 1:
        facts["doubled"] = True
    if offer is not None:
        facts["discarder"] = offer.by
        facts["claims"] = [
            {
                "seat": rival,
                "hand": list(shown_tiles(table, win).concealed),
                "melds": _melds(shown_tiles(table, win)),
                "flores": len(table.hands[rival].flores),
            }
            for rival, win in wins.items()
            if rival != settlement.winner
        ]
    return facts


def winning_acts(acts: Sequence[RecordedAct]) -> tuple[FilipinoTable, dict[Seat, Act]]:
    """The table before the last action of a hand that was won, and the win of each claimant."""
    before, action = acts[-1]
    table: FilipinoTable = before.table
    answers = (*(table.offer.answers if table.offer is not None else ()), action)
    return table, {act.seat: act for act in answers if act.verb == "win"}


def shown_tiles(table: FilipinoTable, win: Act) -> Declared:
    """The tiles of a declared win. Raises RulesError if they are not recorded."""
    shown = declared(table, win, table.offer)
    if not isinstance(shown, Declared) or None in shown.concealed:
        raise no_case(f"tiles of seat {win.seat} are not recorded")
    return shown


def _melds(shown: Declared) -> list[list[str]]:
    """The sets laid down, as their tiles. Raises RulesError for a set that was not read."""
    if not all(meld.tiles for meld in shown.melds):
        raise no_case("the tiles of a set laid down are not recorded")
    return [list(meld.tiles) for meld in shown.melds]


def require_consistent(case: Case, claimants: Sequence[Rival]) -> None:
    """Raises RulesError with the first contradiction; `claimants` begins with `case.seat`."""
    refuse(_check_seats(case))
    refuse(_check_tile(case))
    refuse(_check_flores(case, claimants))
    for claimant in claimants:
        refuse(_check_hand(case, claimant))
        for tiles in claimant.melds:
            meld_of(tiles, case.joker)
            refuse(_check_meld(case, claimant, tiles))
    refuse(_check_tile_counts(case, claimants))


def concealed(case: Case, claimant: Rival) -> tuple[Face, ...]:
    """A claimant's concealed tiles, including the winning tile."""
    if case.tile is not None and _size(claimant) < COMPLETE:
        return (*claimant.hand, case.tile)
    return claimant.hand


def meld_of(tiles: tuple[Face, ...], joker: Face) -> Meld:
    """A set laid down. Raises RulesError for tiles that form no set (F22, F23)."""
    for tile in tiles:
        face = bare(tile)
        if face not in FILIPINO.tiles or tile not in (face, face + JOKER):
            raise RulesError(
                f"melds: '{tile}' is not a tile; write one as 5m, with a star for a joker: 5m*."
            )
    faces = {bare(tile) for tile in tiles}
    name: MeldName = "chow" if len(faces) > 1 else "kong" if len(tiles) == 4 else "pong"
    if not 3 <= len(tiles) <= 4 or (name == "chow" and len(tiles) > 3):
        raise RulesError(
            f"melds: '{' '.join(tiles)}' is not a set; give a chow of three tiles, or three or four"
            " equal tiles."
        )
    wrong = why_not_a_set(name, tiles, joker)
    if wrong is not None:
        raise RulesError(f"melds: {wrong}")
    return Meld(name, tiles)


def _check_seats(case: Case) -> Iterator[str]:
    rivals = tuple(rival.seat for rival in case.claims)
    yield from check_seats({"dealer": case.dealer}, SEATS)
    yield from check_claims(case.seat, case.by, case.discarder, rivals, seats=SEATS, rule="F33")
    if case.streak < 1:
        yield f"streak: The number of hands in a row is at least 1, not {case.streak}."
    if case.doubled and not case.parameters.pairs_double:
        yield "doubled: In this house equal dice do not double (parameter `pairs_double`)."


def _check_tile(case: Case) -> Iterator[str]:
    house = case.parameters
    FILIPINO.tiles.require(case.joker)
    if house.is_flores(case.joker):
        yield (
            f"joker: '{case.joker}' is a flores, which cannot be the joker; give the next tile"
            " turned up (F15)."
        )
    if case.tile is None:
        if case.taken:
            yield "tile: A win on another seat's tile needs the tile and the discarder; give both."
        called = [tiles for tiles in case.melds if len(tiles) == 3]
        if called:
            yield (
                f"tile: Seat {case.seat} has laid down '{' '.join(called[0])}', so it has not won"
                " with the dealt tiles; give the winning tile."
            )
        return
    FILIPINO.tiles.require(case.tile)
    if not case.taken:
        return
    if case.discarder is None:
        yield "discarder: A win on another seat's tile needs the discarder; give it (F29)."
    if house.is_flores(case.tile):
        yield (
            f"tile: '{case.tile}' is a flores, which is laid out (F20); no other seat discards it"
            " or adds it to a pong."
        )
    if case.by == "robbing" and case.tile == case.joker and not house.joker_in_melds:
        yield (
            f"tile: '{case.tile}' is the joker, which in this house is never in a set laid down"
            " (F25)."
        )


def _check_flores(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
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


def _check_hand(case: Case, claimant: Rival) -> Iterator[str]:
    hand, laid, size = claimant.hand, len(claimant.melds), _size(claimant)
    whole = f"Seat {claimant.seat} shows {len(hand)} tiles and {laid} sets"
    if laid > SETS:
        yield f"melds: {whole}; a winning hand has at most {SETS} sets (F26)."
    if size == COMPLETE - 1 and case.tile is None:
        yield f"tile: {whole}, which is one tile short; give the winning tile (F26)."
    if size not in (COMPLETE - 1, COMPLETE):
        yield (
            f"hand: {whole}; a winning hand has {COMPLETE} tiles, or {COMPLETE - 1} without the"
            f" winning tile, each set counted as three, not {size} (F26)."
        )
    for face in hand:
        FILIPINO.tiles.require(face)
    if case.tile is not None and size == COMPLETE and case.tile not in hand:
        yield (
            f"tile: The hand of seat {claimant.seat} lacks the winning tile, '{case.tile}'; it"
            f" has {' '.join(hand)}."
        )


def _check_meld(case: Case, claimant: Rival, tiles: tuple[Face, ...]) -> Iterator[str]:
    house, text = case.parameters, " ".join(tiles)
    flores = [tile for tile in tiles if house.is_flores(bare(tile))]
    if flores:
        yield (
            f"melds: '{text}' of seat {claimant.seat} has the flores '{flores[0]}'; flores form no"
            " sets (F2, F11)."
        )
    if not house.joker_in_melds and any(tile.endswith(JOKER) for tile in tiles):
        yield f"melds: '{text}' has a joker; in this house no set laid down has a joker (F25)."


def _check_tile_counts(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
    """Yields a sentence for each face that the case shows more often than the set has it.

    The tile turned up is included; the winning tile is counted once for all claimants.
    """
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
                f"hand: The set has only {most} '{face}', including the tile turned up; the case"
                f" shows {number} (F3)."
            )
    if case.by == "robbing" and case.tile is not None and case.tile != case.joker:
        least = _least_in_the_pong(case, shown[case.joker])
        beside = shown[case.tile] - 1
        if beside + least + 1 > FILIPINO.tiles.faces.count(case.tile):
            yield (
                f"tile: The robbed '{case.tile}' joins a pong with at least {least} of its face"
                f" (F32), but the case shows {beside} more of them; the set has"
                f" {FILIPINO.tiles.faces.count(case.tile)}."
            )


def _least_in_the_pong(case: Case, jokers_shown: int) -> int:
    """The least number of natural tiles in the pong that the robbed tile joins (F25, F32)."""
    if not case.parameters.joker_in_melds:
        return 3
    jokers_left = FILIPINO.tiles.faces.count(case.joker) - jokers_shown
    return max(1, 3 - jokers_left)


def _size(claimant: Rival) -> int:
    return len(claimant.hand) + 3 * len(claimant.melds)
