"""A claimed win on the floor: whether it stands, as what, and who pays whom what (F24-F38)."""

from __future__ import annotations

from rules.games.filipino.case import Case, Rival, concealed, meld_of
from rules.games.filipino.parameters import SEATS
from rules.games.filipino.score import How, Won, false_win, price
from rules.games.filipino.wins import Declared, WinningHand, winning_hand
from rules.judge_registry import Verdict


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
