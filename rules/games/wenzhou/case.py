"""What a Wenzhou case cannot say at once: each contradiction is one sentence with its rule.

A verdict on a case that no table can produce would be wrong for every real table, so such a case is
refused before it is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from rules.errors import RulesError
from rules.games.wenzhou.caishen import Caishen
from rules.games.wenzhou.hand import SETS, By
from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.position import ALIKE
from rules.games.wenzhou.sets_down import SetDown, set_down
from rules.games.wenzhou.setup import SEATS, WENZHOU
from rules.geometry import Seat
from rules.judge_checks import about_claims, about_seats, refuse
from rules.tiles import Face

COMPLETE: Final = 3 * SETS + 2
"""Tiles of a winning hand, each set laid down counted as three (W24)."""


@dataclass(frozen=True)
class Rival:
    """Another seat that called a win on the same tile."""

    seat: Seat
    """The seat that claims too."""
    hand: tuple[Face, ...]
    """Its concealed tiles, with or without the winning tile."""
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that it has laid down."""


@dataclass(frozen=True)
class Case:
    """What lies on the table when a seat claims a win.

    Raises RulesError for a case that contradicts itself.
    """

    indicator: Face
    """The tile turned up; the three others like it are caishen (W14)."""
    hand: tuple[Face, ...]
    """The claimant's concealed tiles, 17 with the winning tile or 16 beside it; a set laid
    down counts as three.
    """
    seat: Seat
    """The seat that claims the win."""
    tile: Face | None = None
    """The winning tile. Left out, it is the last tile of the hand."""
    by: By = "self"
    """Where the winning tile came from: drawn by the claimant, drawn as a kong's
    replacement, discarded, or robbed from a kong.
    """
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that the claimant has laid down, each as its tiles."""
    dealer: Seat = 0
    """The seat that deals."""
    streak: int = 1
    """The dealer's hands in a row, this one included (W31)."""
    discarder: Seat | None = None
    """The seat that discarded the tile, or added it to a pong."""
    first_turn: bool = False
    """The win is made with the dealer's dealt hand, or on the dealer's first discard (E11)."""
    undisturbed: bool = True
    """No tile was called and no kong laid down before (E11)."""
    claims: tuple[Rival, ...] = ()
    """The other seats that claim the same tile."""
    parameters: Parameters = field(default_factory=Parameters)
    """What this house plays differently."""

    def __post_init__(self) -> None:
        require_consistent(self, self.claimants)

    @property
    def claimants(self) -> tuple[Rival, ...]:
        """The claimant itself, then the rivals."""
        return Rival(self.seat, self.hand, self.melds), *self.claims


def require_consistent(case: Case, claimants: Sequence[Rival]) -> None:
    """Raises RulesError with the first contradiction of a case; `claimants` begin with its own."""
    refuse(_about_seats(case))
    refuse(_about_the_tile(case))
    refuse(_about_the_first_turn(case))
    WENZHOU.tiles.require(case.indicator)
    for claimant in claimants:
        refuse(_about_a_hand(case, claimant))
    refuse(_about_sets_down(case, claimants))
    refuse(_about_the_set(case, claimants))


def laid_down(claimant: Rival, caishen: Caishen) -> tuple[SetDown, ...]:
    """A claimant's sets. Raises RulesError for tiles that are no set (W19, W21)."""
    for faces in claimant.melds:
        if not faces:
            raise RulesError(f"A set of seat {claimant.seat} has no tiles; leave it out.")
    return tuple(set_down(faces, caishen) for faces in claimant.melds)


def concealed(case: Case, claimant: Rival) -> tuple[tuple[Face, ...], Face]:
    """A claimant's concealed tiles without the winning one, and that one.

    Raises RulesError where the hand does not have it.
    """
    hand, tile = list(claimant.hand), case.tile
    if len(hand) + 3 * len(claimant.melds) < COMPLETE:
        assert tile is not None
        return tuple(hand), tile
    won = hand[-1] if tile is None else tile
    if won not in hand:
        raise RulesError(
            f"The hand of seat {claimant.seat} has not the winning tile, '{won}'; it has"
            f" {' '.join(hand)}."
        )
    hand.remove(won)
    return tuple(hand), won


def _about_seats(case: Case) -> Iterator[str]:
    rivals = tuple(rival.seat for rival in case.claims)
    yield from about_seats({"dealer": case.dealer}, SEATS)
    yield from about_claims(case.seat, case.by, case.discarder, rivals, seats=SEATS, rule="W26")
    most = len(case.parameters.dealer_scale)
    if case.streak < 1:
        yield f"streak: The dealer's first hand in a row is 1, not {case.streak} (W31)."
    if case.streak > most:
        yield (
            f"streak: Hand {case.streak} in a row cannot be; after hand {most}, the last figure"
            f" of the scale, the deal passes (W33)."
        )


def _about_the_tile(case: Case) -> Iterator[str]:
    if case.tile is None:
        if case.by in ("discard", "robbing"):
            yield f"tile: A win on another's tile (by: {case.by}) names it: give the tile."
        return
    if case.by == "robbing" and case.tile == case.indicator:
        yield (
            f"tile: '{case.tile}' is a caishen, which is in no kong and so cannot be robbed (W21)."
        )


def _about_the_first_turn(case: Case) -> Iterator[str]:
    """Heaven is the dealer's dealt hand, earth a win on the dealer's first discard (E11)."""
    if not case.first_turn:
        return
    match case.by:
        case "self":
            yield from _about_heaven(case)
        case "discard":
            yield from _about_earth(case)
        case "replacement":
            yield (
                "first_turn: A replacement tile follows a kong, and heaven is won before any kong"
                " (E11); by is 'self', or first_turn is false."
            )
        case _:
            yield "first_turn: No kong can be robbed on the dealer's first discard (E11)."


def _about_heaven(case: Case) -> Iterator[str]:
    if case.seat != case.dealer:
        yield (
            f"first_turn: Heaven is won with the dealer's dealt hand (E11); seat {case.seat} drew"
            f" the tile, and the dealer is seat {case.dealer}."
        )
    if case.melds:
        yield "melds: No set lies before the dealer while it holds the hand as dealt (E11)."
    if not case.undisturbed:
        yield (
            "undisturbed: No tile can be called before the dealer has discarded (E11), so it cannot"
            " be false."
        )


def _about_earth(case: Case) -> Iterator[str]:
    if case.seat == case.dealer:
        yield (
            f"first_turn: Earth is won on the dealer's first discard (E11); seat {case.seat} is the"
            " dealer and cannot win on it."
        )
    if case.discarder not in (None, case.dealer):
        yield (
            f"discarder: The first discard of a hand is the dealer's, seat {case.dealer}'s (E11),"
            f" not seat {case.discarder}'s."
        )
    if case.melds or any(rival.melds for rival in case.claims):
        yield "melds: No other seat has laid down a set before the dealer's first discard (E11)."
    if case.tile == case.indicator:
        yield (
            f"tile: '{case.tile}' is a caishen, which the dealer cannot discard first: the hand has"
            " other tiles (W22)."
        )


def _about_a_hand(case: Case, claimant: Rival) -> Iterator[str]:
    """A hand has 17 tiles with the winning one, and 16 without it."""
    laid, size = len(claimant.melds), len(claimant.hand) + 3 * len(claimant.melds)
    whole = f"seat {claimant.seat} has {len(claimant.hand)} concealed tiles and {laid} sets"
    if laid > SETS:
        yield f"melds: {whole}; a winning hand has {SETS} sets at most (W24)."
    if size == COMPLETE - 1 and case.tile is None:
        yield f"tile: {whole}, which is one tile short; give the winning tile (W24)."
    if size not in (COMPLETE - 1, COMPLETE):
        yield (
            f"hand: {whole}; with each set counted as three tiles a winning hand has {COMPLETE},"
            f" or {COMPLETE - 1} beside the winning tile, not {size} (W24)."
        )


def _about_the_set(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
    """Every tile is of the set, and none is shown too often; the winning tile lies there once."""
    shown = [case.indicator]
    tile = case.tile
    for claimant in claimants:
        hand, won = concealed(case, claimant)
        shown += [*hand, *(face for meld in claimant.melds for face in meld)]
        tile = won
    assert tile is not None
    beside = shown.count(tile)
    for face, number in Counter([*shown, tile]).items():
        WENZHOU.tiles.require(face)
        if number > ALIKE:
            yield (
                f"hand: There are only {ALIKE} '{face}', the indicator included; the case shows"
                f" {number} (W1)."
            )
    if case.by == "robbing" and beside:
        yield (
            f"tile: The robbed '{tile}' is the fourth of its kong, yet the case shows {beside} more"
            f" beside the kong's pong: '{tile}' would be there {beside + ALIKE} times (W1)."
        )


def _about_sets_down(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
    melds, *_ = (laid_down(claimant, Caishen(case.indicator)) for claimant in claimants)
    if case.by == "replacement" and not any(meld.what == "kong" for meld in melds):
        yield (
            f"by: A replacement tile follows a kong (W23), and seat {case.seat} has laid down none."
        )
