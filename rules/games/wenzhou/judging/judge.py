"""The judge of Wenzhou mahjong: whether a claimed win is valid, its class, and who pays."""

from __future__ import annotations

from rules.games.wenzhou.judging.case import (
    Case,
    Rival,
    concealed,
    laid_down,
)
from rules.games.wenzhou.judging.questions import QUESTIONS
from rules.games.wenzhou.judging.recorded_case import recorded_case
from rules.games.wenzhou.settling.score import Stakes, false_win, won
from rules.games.wenzhou.setup import SEATS
from rules.games.wenzhou.wins.caishen import Caishen
from rules.games.wenzhou.wins.hand import DOUBLE, Claim, NoWin, WinReading, judged
from rules.geometry import Seat
from rules.judging.judge_registry import Verdict

__all__ = ["QUESTIONS", "Case", "judge", "recorded_case"]


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    stakes = Stakes(case.dealer, case.streak, case.parameters)
    win = judged(_claim(case, own), case.parameters)
    if isinstance(win, NoWin):
        penalty = false_win(case.seat, stakes, win.sentence)
        wins, payments, reasons = _wins(case), penalty.payments, penalty.reasons
        who = None
        if wins and case.parameters.after_false_win == "ends":
            reasons += ("A false win ends the hand in this house; no other claim wins (W36).",)
        elif wins:
            who, best = _first_winner(case, wins)
            settlement = won(who, best, stakes)
            name = f"{best.name}, x{best.multiplier}"
            reasons += (f"Seat {who} wins on this tile: {name} (W26).", *settlement.reasons)
            payments += settlement.payments
        return Verdict(
            legal=False,
            name=penalty.name,
            multiplier=penalty.multiplier,
            payments=payments,
            reasons=reasons,
            winner=who,
        )
    winner, best = _first_winner(case, {case.seat: win, **_wins(case)})
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
        winner=winner,
    )


def _wins(case: Case) -> dict[Seat, WinReading]:
    """The valid claims of the other seats."""
    judgements = {rival.seat: judged(_claim(case, rival), case.parameters) for rival in case.claims}
    return {seat: win for seat, win in judgements.items() if isinstance(win, WinReading)}


def _first_winner(case: Case, wins: dict[Seat, WinReading]) -> tuple[Seat, WinReading]:
    """The winner with priority: a double first, then the nearest in turn (W26, W27, E18).

    Only a tile of a discarder can have several claims.
    """
    discarder = case.discarder or 0
    return min(
        wins.items(),
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
