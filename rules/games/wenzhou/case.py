"""A judge case of Wenzhou mahjong, and the checks that refuse a case that contradicts itself.

A case that cannot occur at a table is refused before it is judged, because it contains at least one
wrong value.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from rules.errors import RulesError
from rules.games.wenzhou.actions import Win
from rules.games.wenzhou.play import WenzhouPlay
from rules.games.wenzhou.setup import SEATS, WENZHOU, Parameters
from rules.games.wenzhou.state import ALIKE, Position, Stage, claim_of
from rules.games.wenzhou.tiles import Caishen, SetDown, set_down
from rules.games.wenzhou.wins import SETS, By
from rules.geometry import Seat
from rules.judging import RecordedAct, check_claims, check_seats, no_case, refuse
from rules.steps import Facts
from rules.tiles import Face

COMPLETE: Final = 3 * SETS + 2
"""The number of tiles of a winning hand, counting each set laid down as three (W24)."""


@dataclass(frozen=True)
class Rival:
    """Another seat that claims a win on the same tile."""

    seat: Seat
    """The seat that declares the win too."""
    hand: tuple[Face, ...]
    """Its concealed tiles, with or without the winning tile."""
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that it has laid down."""


@dataclass(frozen=True)
class Case:
    """The tiles on the table when a seat claims a win.

    Raises RulesError for a case that contradicts itself.
    """

    indicator: Face
    """The tile turned up; the three equal tiles are caishen (W14)."""
    hand: tuple[Face, ...]
    """The claimant's concealed tiles: 17 with the winning tile, or 16 without it. Each set laid
    down counts as three of them.
    """
    seat: Seat
    """The seat that claims the win."""
    tile: Face | None = None
    """The winning tile. If left out, it is the last tile of the hand."""
    by: By = "self"
    """The source of the winning tile: drawn by the claimant, drawn as a kong's replacement,
    discarded, or robbed from a kong.
    """
    melds: tuple[tuple[Face, ...], ...] = ()
    """The sets that the claimant has laid down, each as its tiles."""
    dealer: Seat = 0
    """The dealer's seat."""
    streak: int = 1
    """The number of the dealer's hands in a row, including this one (W31)."""
    discarder: Seat | None = None
    """The seat that discarded the tile, or added it to a pong."""
    first_turn: bool = False
    """The win is with the dealer's dealt hand, or on the dealer's first discard (E11)."""
    undisturbed: bool = True
    """No tile was called and no kong was laid down before the win (E11)."""
    claims: tuple[Rival, ...] = ()
    """The other seats that claim the same tile."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        require_consistent(self, self.claimants)

    @property
    def claimants(self) -> tuple[Rival, ...]:
        """The claimant, then the rivals."""
        return Rival(self.seat, self.hand, self.melds), *self.claims


def recorded_case(
    acts: Sequence[RecordedAct], play: WenzhouPlay, seat: Seat | None = None
) -> Facts:
    """The keys of the case of a hand's win; `seat` has no effect. Raises RulesError.

    A hand without a win has no case, and neither has a win with unknown tiles.
    """
    settlement = play.position.settlement
    if settlement is None or settlement.winner is None:
        raise no_case("no seat has won it")
    winner = settlement.winner
    before, action = winning_act(acts)
    claims = {act.seat: act for act in (*before.answers, action) if isinstance(act, Win)}
    claim = claim_of(before, winner, claims[winner].shows)
    if claim is None or before.deal.caishen.face is None:
        raise no_case("tiles of the win are not recorded")
    stakes = before.deal.stakes
    taken = before.stage is not Stage.ACT
    facts: Facts = {
        "indicator": before.deal.caishen.face,
        "hand": [*claim.hand, claim.tile],
        "seat": winner,
        "tile": claim.tile,
        "by": claim.by,
        "melds": [list(meld.faces) for meld in claim.melds],
        "dealer": stakes.dealer,
        "streak": stakes.streak,
        "first_turn": claim.first_turn,
        "undisturbed": claim.undisturbed,
    }
    if taken:
        facts["discarder"] = before.turn
        facts["claims"] = [_rival(before, win) for win in claims.values() if win.seat != winner]
    return facts


def winning_act(acts: Sequence[RecordedAct]) -> tuple[Position, object]:
    """The position before the action that ended the hand with a win, and that action."""
    for (before, action), (after, _) in itertools.pairwise(acts):
        if after.position.settlement is not None:
            return before.position, action
    before, action = acts[-1]
    return before.position, action


def _rival(before: Position, win: Win) -> Facts:
    """Another seat that claimed the same tile. Raises RulesError for unknown tiles."""
    claim = claim_of(before, win.seat, win.shows)
    if claim is None:
        raise no_case(f"tiles of seat {win.seat}, which claimed the win too, are not recorded")
    melds = [list(meld.faces) for meld in claim.melds]
    return {"seat": win.seat, "hand": list(claim.hand), "melds": melds}


def require_consistent(case: Case, claimants: Sequence[Rival]) -> None:
    """Raises RulesError with the first contradiction; `claimants` begins with `case.seat`."""
    refuse(_check_seats(case))
    refuse(_check_tile(case))
    refuse(_check_first_turn(case))
    WENZHOU.tiles.require(case.indicator)
    for claimant in claimants:
        refuse(_check_hand(case, claimant))
    refuse(_check_melds(case, claimants))
    refuse(_check_tile_counts(case, claimants))


def laid_down(claimant: Rival, caishen: Caishen) -> tuple[SetDown, ...]:
    """A claimant's sets. Raises RulesError for tiles that form no set (W19, W21)."""
    for faces in claimant.melds:
        if not faces:
            raise RulesError(f"melds: A set of seat {claimant.seat} has no tiles; leave it out.")
    try:
        return tuple(set_down(faces, caishen) for faces in claimant.melds)
    except RulesError as error:
        raise RulesError(f"melds: {error}") from None


def concealed(case: Case, claimant: Rival) -> tuple[tuple[Face, ...], Face]:
    """A claimant's concealed tiles without the winning tile, and the winning tile.

    Raises RulesError if the hand does not contain the winning tile.
    """
    hand, tile = list(claimant.hand), case.tile
    if len(hand) + 3 * len(claimant.melds) < COMPLETE:
        assert tile is not None
        return tuple(hand), tile
    won = hand[-1] if tile is None else tile
    if won not in hand:
        raise RulesError(
            f"tile: The hand of seat {claimant.seat} lacks the winning tile, '{won}'; it has"
            f" {' '.join(hand)}."
        )
    hand.remove(won)
    return tuple(hand), won


def _check_seats(case: Case) -> Iterator[str]:
    rivals = tuple(rival.seat for rival in case.claims)
    yield from check_seats({"dealer": case.dealer}, SEATS)
    yield from check_claims(case.seat, case.by, case.discarder, rivals, seats=SEATS, rule="W26")
    most = len(case.parameters.dealer_scale)
    if case.streak < 1:
        yield f"streak: The number of hands in a row is at least 1, not {case.streak} (W31)."
    if case.streak > most:
        yield (
            f"streak: A dealer has at most {most} hands in a row, the length of the scale, not"
            f" {case.streak}; then the deal passes (W33)."
        )


def _check_tile(case: Case) -> Iterator[str]:
    if case.tile is None:
        if case.by in ("discard", "robbing"):
            yield f"tile: A win on another seat's tile (by: {case.by}) needs the tile; give it."
        return
    if case.by == "robbing" and case.tile == case.indicator:
        yield (f"tile: '{case.tile}' is a caishen, which is in no kong and cannot be robbed (W21).")


def _check_first_turn(case: Case) -> Iterator[str]:
    """Checks heaven (the dealer's dealt hand) and earth (the dealer's first discard) (E11)."""
    if not case.first_turn:
        return
    match case.by:
        case "self":
            yield from _check_heaven(case)
        case "discard":
            yield from _check_earth(case)
        case "replacement":
            yield (
                "first_turn: A replacement tile follows a kong, but heaven is won before any kong"
                " (E11); set `by` to 'self', or `first_turn` to false."
            )
        case _:
            yield "first_turn: No kong can be robbed on the dealer's first discard (E11)."


def _check_heaven(case: Case) -> Iterator[str]:
    if case.seat != case.dealer:
        yield (
            f"first_turn: Heaven is won with the dealer's dealt hand (E11); seat {case.seat} drew"
            f" the tile, and the dealer is seat {case.dealer}."
        )
    if case.melds:
        yield "melds: The dealer has laid down no set while it holds the dealt hand (E11)."
    if not case.undisturbed:
        yield (
            "undisturbed: No tile can be called before the dealer has discarded (E11), so"
            " `undisturbed` cannot be false."
        )


def _check_earth(case: Case) -> Iterator[str]:
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
            f"tile: '{case.tile}' is a caishen, which the dealer cannot discard while the hand has"
            " other tiles (W22)."
        )


def _check_hand(case: Case, claimant: Rival) -> Iterator[str]:
    """Checks that a hand has 17 tiles with the winning tile, or 16 without it."""
    laid, size = len(claimant.melds), len(claimant.hand) + 3 * len(claimant.melds)
    whole = f"seat {claimant.seat} has {len(claimant.hand)} concealed tiles and {laid} sets"
    if laid > SETS:
        yield f"melds: {whole}; a winning hand has at most {SETS} sets (W24)."
    if size == COMPLETE - 1 and case.tile is None:
        yield f"tile: {whole}, which is one tile short; give the winning tile (W24)."
    if size not in (COMPLETE - 1, COMPLETE):
        yield (
            f"hand: {whole}; with each set counted as three tiles a winning hand has {COMPLETE},"
            f" or {COMPLETE - 1} without the winning tile, not {size} (W24)."
        )


def _check_tile_counts(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
    """Yields a sentence for each face that the case shows more often than the set has it.

    The winning tile is counted once for all claimants. Raises RulesError for a face that the set
    does not have.
    """
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
                f"hand: The set has only {ALIKE} '{face}', including the indicator; the case shows"
                f" {number} (W1)."
            )
    if case.by == "robbing" and beside:
        yield (
            f"tile: The robbed '{tile}' is the fourth tile of its kong, but the case shows {beside}"
            f" more of them outside the kong, {beside + ALIKE} in all; the set has {ALIKE} (W1)."
        )


def _check_melds(case: Case, claimants: Sequence[Rival]) -> Iterator[str]:
    melds, *_ = (laid_down(claimant, Caishen(case.indicator)) for claimant in claimants)
    if case.by == "replacement" and not any(meld.what == "kong" for meld in melds):
        yield (
            f"by: A replacement tile follows a kong (W23), but seat {case.seat} has laid down none."
        )
