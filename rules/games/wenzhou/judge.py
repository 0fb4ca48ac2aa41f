"""A claimed win on the floor: whether it stands, in which class, and who pays whom what."""

from __future__ import annotations

from dataclasses import dataclass, field

from rules.games.wenzhou.caishen import Caishen
from rules.games.wenzhou.contradictions import (
    concealed,
    laid_down,
    require_consistent,
)
from rules.games.wenzhou.hand import DOUBLE, By, Claim, NoWin, WinReading, judged
from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.score import Stakes, false_win, won
from rules.games.wenzhou.setup import SEATS
from rules.geometry import Seat
from rules.judge_registry import Verdict
from rules.tiles import Face


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


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    stakes = Stakes(case.dealer, case.streak, case.parameters)
    win = judged(_claim(case, own), case.parameters)
    if isinstance(win, NoWin):
        penalty = false_win(case.seat, stakes, win.sentence)
        return Verdict(
            legal=False,
            name=penalty.name,
            multiplier=penalty.multiplier,
            payments=penalty.payments,
            reasons=penalty.reasons,
        )
    winner, best = _one_winner(case, win)
    settlement = won(winner, best, stakes)
    reasons = settlement.reasons
    if winner != case.seat:
        rule = "a double win comes first (W27)" if best.multiplier == DOUBLE else "is nearer (W26)"
        reasons = (f"Seat {winner} wins instead of seat {case.seat}: {rule}.", *reasons)
    return Verdict(
        legal=winner == case.seat,
        win=winner == case.seat,
        name=best.name,
        multiplier=best.multiplier,
        payments=settlement.payments,
        reasons=reasons,
    )


def _one_winner(case: Case, win: WinReading) -> tuple[Seat, WinReading]:
    """The one whose win counts: a double first, then the nearest in turn (W26, W27, E18)."""
    won_by = {case.seat: win}
    for rival in case.claims:
        other = judged(_claim(case, rival), case.parameters)
        if isinstance(other, WinReading):
            won_by[rival.seat] = other
    if len(won_by) == 1:
        return case.seat, win
    discarder = case.discarder
    assert discarder is not None
    return min(
        won_by.items(),
        key=lambda one: (one[1].multiplier != DOUBLE, (one[0] - discarder) % SEATS),
    )


def _claim(case: Case, rival: Rival) -> Claim:
    caishen = Caishen(case.indicator)
    hand, tile = concealed(case, rival)
    return Claim(
        caishen=caishen,
        hand=hand,
        tile=tile,
        by=case.by,
        melds=laid_down(rival, caishen),
        first_turn=case.first_turn,
        undisturbed=case.undisturbed,
    )
