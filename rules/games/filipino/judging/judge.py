"""The judge of Filipino mahjong: whether a claimed win is valid, and who pays (F24-F38)."""

from __future__ import annotations

from rules.games.filipino.judging.case import Case, Rival, concealed, meld_of
from rules.games.filipino.judging.questions import QUESTIONS
from rules.games.filipino.judging.recorded_case import recorded_case
from rules.games.filipino.parameters import SEATS
from rules.games.filipino.score import How, Price, Won, false_win, price
from rules.games.filipino.wins import Declared, WinningHand, winning_hand
from rules.judging.judge_registry import Verdict

__all__ = ["QUESTIONS", "Case", "judge", "recorded_case"]


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    if case.taken and case.tile == case.joker and case.parameters.joker_discard == "dead":
        why = f"A discarded joker '{case.joker}' cannot be claimed in this house (F25)."
        return _false_win(case, why, [])
    hand = winning_hand(_declared(case, own), case.parameters)
    wins = _wins(case)
    if hand is None:
        why = "These tiles are not five sets and a pair, nor seven pairs and a set (F26)."
        return _false_win(case, why, wins)
    winner, best = _first_winner(case, [(own, hand), *wins])
    priced = _priced(case, winner, best)
    reasons = (*priced.reasons, f"The winner takes {priced.chips} chips (F34).")
    if winner is not own:
        before = f"Seat {winner.seat} comes before seat {case.seat} on this tile (F33)."
        reasons = (before, *reasons)
    return Verdict(
        legal=winner is own,
        win=winner is own,
        name=priced.name,
        payments=priced.payments,
        reasons=reasons,
        winner=winner.seat,
    )


def _priced(case: Case, winner: Rival, best: WinningHand) -> Price:
    how: How = case.by if case.by in ("discard", "robbing") else "self"
    source = case.discarder if case.taken else None
    won = Won(winner.seat, best, how, source, winner.flores)
    return price(won, case.parameters, case.stakes)


def _false_win(case: Case, why: str, wins: list[tuple[Rival, WinningHand]]) -> Verdict:
    """The verdict on tiles that do not win: their seat pays each of the others (F35).

    Another seat can win on the same tile, unless a false win ends the hand in this house.
    """
    payments = false_win(case.seat, case.parameters, case.stakes)
    reasons: tuple[str, ...] = (why, "The seat pays every other seat for the false win (F35).")
    who = None
    if wins and case.parameters.after_false_win == "ends":
        reasons += ("A false win ends the hand in this house; no other claim wins (F35).",)
    elif wins:
        winner, best = _first_winner(case, wins)
        priced, who = _priced(case, winner, best), winner.seat
        chips = f"The winner takes {priced.chips} chips (F34)."
        wins_now = f"Seat {who} wins on this tile: {priced.name} (F33)."
        reasons += (wins_now, *priced.reasons, chips)
        payments += priced.payments
    return Verdict(legal=False, name="false win", payments=payments, reasons=reasons, winner=who)


def _wins(case: Case) -> list[tuple[Rival, WinningHand]]:
    """The valid claims of the other seats."""
    judged = ((each, winning_hand(_declared(case, each), case.parameters)) for each in case.claims)
    return [(rival, hand) for rival, hand in judged if hand is not None]


def _first_winner(
    case: Case, winners: list[tuple[Rival, WinningHand]]
) -> tuple[Rival, WinningHand]:
    """The winner with priority, if several seats win on the same tile (F33, A2)."""
    if len(winners) == 1 or case.discarder is None:
        return winners[0]
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
