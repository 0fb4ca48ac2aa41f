"""A claimed win on the floor: whether it stands, as what, and who pays whom what (F24-F38)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rules.games.filipino.contradictions import concealed, meld_of, require_consistent
from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.score import How, Won, false_win, price
from rules.games.filipino.wins import Declared, WinningHand, winning_hand
from rules.geometry import Seat
from rules.judge_registry import Verdict
from rules.tiles import Face

By = Literal["discard", "self", "replacement", "robbing"]


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


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    if case.taken and case.tile == case.joker and case.parameters.joker_discard == "dead":
        return _false_win(case, f"The joker '{case.joker}' lies dead here once discarded (F25).")
    hand = winning_hand(_declared(case, own), case.parameters)
    if hand is None:
        return _false_win(
            case, "These tiles are no five sets and a pair, nor seven pairs and a set (F26)."
        )
    winner, best = _first(case, own, hand)
    how: How = case.by if case.by in ("discard", "robbing") else "self"
    source = case.discarder if case.taken else None
    told = price(Won(winner.seat, best, how, source, winner.flores), case.parameters, case.stakes)
    reasons = (*told.reasons, f"The winner takes {told.chips} chips (F34).")
    if winner is not own:
        before = f"Seat {winner.seat} comes before seat {case.seat} on this tile (F33)."
        reasons = (before, *reasons)
    return Verdict(
        legal=winner is own,
        win=winner is own,
        name=told.name,
        payments=told.payments,
        reasons=reasons,
    )


def _false_win(case: Case, why: str) -> Verdict:
    """The verdict on tiles that do not win: their seat pays each of the others (F35)."""
    return Verdict(
        legal=False,
        name="false win",
        payments=false_win(case.seat, case.parameters, case.stakes),
        reasons=(why, "A false win is paid to each of the others (F35)."),
    )


def _first(case: Case, own: Rival, hand: WinningHand) -> tuple[Rival, WinningHand]:
    """The one of several winners whose win counts (F33, A2)."""
    winners = [(own, hand)]
    for rival in case.claims:
        other = winning_hand(_declared(case, rival), case.parameters)
        if other is not None:
            winners.append((rival, other))
    if len(winners) == 1 or case.discarder is None:
        return own, hand
    way = -1 if case.parameters.multi_win == "upper_seat_first" else 1
    discarder = case.discarder
    return min(winners, key=lambda one: way * (one[0].seat - discarder) % SEATS)


def _declared(case: Case, claimant: Rival) -> Declared:
    return Declared(
        concealed=concealed(case, claimant),
        joker=case.joker,
        tile=case.tile,
        taken=case.taken,
        melds=tuple(meld_of(tiles, case.joker) for tiles in claimant.melds),
    )
