"""The judge of dominoes: whether an action is legal, its score, and the score of the hand."""

from __future__ import annotations

from collections.abc import Sequence

from rules.errors import RulesError
from rules.games.dominoes import legal as legality
from rules.games.dominoes.actions import Call, Draw, Go, Lay, parse
from rules.games.dominoes.case import Case, House, joined, laid_out, why_no_fit, why_not_set
from rules.games.dominoes.layout import Tableau
from rules.games.dominoes.legal import Hand
from rules.games.dominoes.play import DominoPlay, begin
from rules.games.dominoes.score import open_ends_score
from rules.geometry import Seat
from rules.judging import RecordedAct, Verdict, no_case
from rules.play import HOUSE, Payment
from rules.steps import Facts

__all__ = ["Case", "House", "judge", "recorded_case"]

_HIDDEN: Hand = (None,) * 7
"""A hand that the case does not show; it can contain any tile that is not seen elsewhere."""


def judge(case: Case) -> Verdict:
    """The verdict on the action of a seat, or on the score of a hand that has ended."""
    tableau, laid = laid_out(case)
    play = _play(case, tableau, laid)
    if case.tile is None:
        return _hand_over(case, play)
    action = parse(case.seat, case.tile)
    match action:
        case Lay():
            return _laid(case, play, joined(tableau, action, laid))
        case Draw() | Go() | Call():
            return _draw_go_or_call(case, play, action)
    raise RulesError(f"tile: '{case.tile}' is not an action here; write a tile, draw, go or call.")


def _play(case: Case, tableau: Tableau, laid: tuple[Lay, ...]) -> DominoPlay:
    """The play before the action; tiles that the case does not show are unknown."""
    hands: list[Hand] = [_HIDDEN] * case.seats
    if case.hands is not None:
        hands = [*case.hands]
    elif case.hand is not None:
        hands[case.seat] = case.hand
    known = tuple(hand or _HIDDEN for hand in hands)
    play = begin(case.variant.title, case.house, known, (), case.seat, case.scores)
    claim = 0
    window_open = not case.passed or case.house.muggins_window == "next_tile"
    if laid and case.house.muggins_call and window_open:
        claim = open_ends_score(tableau)
    return play._replace(
        tableau=tableau,
        hands=tuple(hands),
        boneyard=(None,) * _boneyard(case),
        goes=case.passed,
        claim=claim,
        ended="out" if () in hands else "",
        actions=laid,
    )


def _boneyard(case: Case) -> int:
    """The number of tiles in the boneyard: as given, or computed from the hands and the layout."""
    if case.boneyard is not None:
        return case.boneyard
    if case.hands is not None:
        return 28 - len(case.layout) - sum(map(len, case.hands))
    return 28 - case.seats * case.house.hand[case.seats - 2]


def _laid(case: Case, play: DominoPlay, lay: Lay) -> Verdict:
    """The verdict on a tile that is laid."""
    if case.hands is not None or case.hand is not None:
        own = play.hands[case.seat]
        if lay.tile not in own:
            raise RulesError(
                f"tile: Seat {case.seat} does not hold {lay.tile}; its hand is"
                f" {' '.join(map(str, own))}."
            )
    if lay not in play.tableau:
        return Verdict(legal=False, name="no fit", reasons=(why_no_fit(play.tableau, lay),))
    wrong = None
    if not play.tableau.ends:
        wrong = why_not_set(lay.tile, case.house, case.seats, case.variant.title)
    sentence = f"{wrong[0]} ({wrong[1]})." if wrong else legality.why_not(play, lay)
    if sentence is not None:
        return Verdict(legal=False, name="not allowed", reasons=(sentence,))
    after = play.apply(lay)
    reasons = [f"{lay} fits: {_why(play.tableau, lay)}; the open ends are now {after.tableau}."]
    points = open_ends_score(after.tableau)
    if case.house.base:
        reasons.append(
            f"They total {after.tableau.total}, which is {'a' if points else 'not a'} multiple of"
            f" {case.house.base} that scores (2.5, 2.7, 2.9)."
        )
    if after.claim and case.called:
        after = after.apply(Call(case.seat))
    elif after.claim:
        reasons.append(f"The {points} points were not called, so no seat scores them (2.5).")
        after = after._replace(claim=0)
    reasons += [f"Seat {seat} scores {many}: {why}." for seat, many, why in after.scored]
    if not after.scored and not case.house.base:
        reasons.append(f"{lay.tile} scores no points at {case.variant.title}.")
    return _after(case, after, reasons)


def _draw_go_or_call(case: Case, play: DominoPlay, action: Draw | Go | Call) -> Verdict:
    """The verdict on a draw, a go or a call."""
    if isinstance(action, Draw | Go):
        _require_hand_and_boneyard(case)
    sentence = legality.why_not(play, action)
    if sentence is not None:
        return Verdict(legal=False, name="not allowed", reasons=(sentence,))
    after = play.apply(action)
    if isinstance(action, Call):
        reasons = [f"Seat {seat} scores {many}: {why}." for seat, many, why in after.scored]
        return _after(case, after, reasons)
    able = legality.is_able(play, case.seat)
    left = len(play.boneyard)
    cannot = f"Seat {case.seat} {'can' if able else 'cannot'} play"
    tiles = f"{left} tile{'s are' if left != 1 else ' is'} in the boneyard"
    rule = "(C3, 2.8, 2.9)" if able else "(C3, C4)"
    reason = f"{cannot}, and {tiles}: the seat can {case.tile} {rule}."
    if isinstance(action, Draw):
        return Verdict(legal=True, name="draw", reasons=(reason,))
    return _after(case, after, [reason], name="go")


def _require_hand_and_boneyard(case: Case) -> None:
    """Raises RulesError if the case lacks the hand or the boneyard that decide a draw or a go."""
    if case.hand is None and case.hands is None:
        raise RulesError(
            f"hand: Whether seat {case.seat} can {case.tile} depends on its tiles; give its hand"
            " (C3)."
        )
    if case.boneyard is None and case.hands is None and case.house.draw != "none":
        raise RulesError(
            f"boneyard: Whether seat {case.seat} can {case.tile} depends on the boneyard; give the"
            " number of tiles left in it (C4)."
        )


def _hand_over(case: Case, play: DominoPlay) -> Verdict:
    """The verdict on a hand that has ended. Raises RulesError if it has not ended."""
    play = play._replace(claim=0)
    if not play.ended:
        if case.layout and not case.house.pass_when_able:
            _require_blocked(case, play)
        play = play._replace(ended="blocked")
    return _after(case, play, [])


def _require_blocked(case: Case, play: DominoPlay) -> None:
    for seat in range(case.seats):
        if legality.is_able(play, seat):
            tile = next(tile for tile in play.hands[seat] if tile in play.tableau.lays[seat])
            raise RulesError(f"hands: The hand is not blocked: seat {seat} can play {tile} (C9).")
    left = len(play.boneyard)
    if case.house.draw != "none" and left > case.house.boneyard_reserve:
        raise RulesError(
            f"boneyard: The hand is not blocked: {left} tiles are in the boneyard, and all but"
            f" {case.house.boneyard_reserve} can be drawn (C4)."
        )


def _after(case: Case, after: DominoPlay, reasons: list[str], name: str = "") -> Verdict:
    """The verdict on a legal action, with the score of the hand if the action ends it."""
    payments: tuple[Payment, ...] = tuple(Payment(HOUSE, *score) for score in after.scored)
    won = False
    if after.ended and (case.hands is not None or after.ended == "target"):
        settlement = after.settlement
        assert settlement is not None
        counted = len(after.scored)
        payments, name = settlement.payments, settlement.name
        reasons += settlement.reasons[counted:]
        won = settlement.winner is not None
    elif after.ended:
        reasons.append("The hand has ended; give all hands for its score (C9).")
        name, won = after.ended, after.ended == "out"
    total = sum(payment.amount for payment in payments)
    return Verdict(
        legal=True,
        win=won,
        name=name or (f"{total} points" if total else "no points"),
        payments=payments,
        reasons=tuple(reasons),
    )


def _why(before: Tableau, lay: Lay) -> str:
    """The reason why a tile fits."""
    if not before.ends:
        return "it is the first tile (section 2)"
    if before.parameters.join == "seven":
        return "the halves make seven, or it is a matador (2.8)"
    return "equal halves touch (2.1)"


def recorded_case(acts: Sequence[RecordedAct], play: DominoPlay, seat: Seat | None = None) -> Facts:
    """The keys of the case of a hand's end; `seat` has no effect. Raises RulesError.

    A hand in which the last tile or its call won the game asks about that action; any other hand
    asks for its score. A hand with unknown tiles has no case.
    """
    if play.settlement is None:
        raise no_case("it has not ended")
    if play.ended == "target":
        return _winning_act(acts)
    facts = _position(play, play.hands)
    # The points of the hand are those before its end; the case adds the score of the hand.
    return facts | {"scores": list(play.scores)}


def _winning_act(acts: Sequence[RecordedAct]) -> Facts:
    """The case of the action that won the game."""
    before, action = next(each for each in reversed(acts) if isinstance(each[1], Lay | Call))
    facts = _position(before, before.hands)
    facts |= {"tile": str(action), "seat": action.seat, "scores": list(before.scores)}
    if before.goes:
        facts["passed"] = before.goes
    return facts


def _position(play: DominoPlay, hands: Sequence[Sequence[str | None]]) -> Facts:
    """The tiles on the table and in the hands. Raises RulesError for unknown tiles."""
    if any(tile is None for hand in hands for tile in hand):
        raise no_case("tiles in the hands are not recorded")
    return {
        "layout": [str(each) for each in play.actions if isinstance(each, Lay)],
        "hands": [list(hand) for hand in hands],
        "boneyard": len(play.boneyard),
    }
