"""The judge of Filipino mahjong: whether a claimed win is valid, and who pays (F24-F38)."""

from __future__ import annotations

from rules.games.filipino.judging.case import Case, Rival, concealed, meld_of
from rules.games.filipino.judging.recorded_case import recorded_case
from rules.games.filipino.parameters import SEATS
from rules.games.filipino.score import How, Won, false_win, price
from rules.games.filipino.wins import Declared, WinningHand, winning_hand
from rules.judging.judge_registry import Verdict

__all__ = ["Case", "judge", "recorded_case"]


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    if case.taken and case.tile == case.joker and case.parameters.joker_discard == "dead":
        return _false_win(
            case, f"A discarded joker '{case.joker}' cannot be claimed in this house (F25)."
        )
    hand = winning_hand(_declared(case, own), case.parameters)
    if hand is None:
        return _false_win(
            case, "These tiles are not five sets and a pair, nor seven pairs and a set (F26)."
        )
    winner, best = _first_winner(case, own, hand)
    how: How = case.by if case.by in ("discard", "robbing") else "self"
    source = case.discarder if case.taken else None
    won = Won(winner.seat, best, how, source, winner.flores)
    priced = price(won, case.parameters, case.stakes)
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
    )


def _false_win(case: Case, why: str) -> Verdict:
    """The verdict on tiles that do not win: their seat pays each of the others (F35)."""
    return Verdict(
        legal=False,
        name="false win",
        payments=false_win(case.seat, case.parameters, case.stakes),
        reasons=(why, "The seat pays every other seat for the false win (F35)."),
    )


def _first_winner(case: Case, own: Rival, hand: WinningHand) -> tuple[Rival, WinningHand]:
    """The winner with priority, if several seats win on the same tile (F33, A2)."""
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
