"""Scoring of dominoes: open ends, the set and headers, the end of a hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rules.games.dominoes.actions import Lay
from rules.games.dominoes.layout import Tableau
from rules.games.dominoes.setup import is_doublet, pips
from rules.games.dominoes.variants import Parameters
from rules.geometry import Seat
from rules.play import HOUSE, Payment, Settlement
from rules.tiles import Face

Hands = Sequence[Sequence[Face]]


class Score(NamedTuple):
    """Points of a seat, and their reason."""

    seat: Seat
    points: int
    why: str


class HandScore(NamedTuple):
    """The points for the end of a hand; `winner` is None on a tie. `reasons` explain each step."""

    winner: Seat | None
    points: int
    reasons: tuple[str, ...]


def open_ends_score(tableau: Tableau) -> int:
    """The total of the open ends if it is a multiple of the base, or 0 (2.5, 2.7, 2.9)."""
    base = tableau.parameters.base
    return tableau.total if base and tableau.total % base == 0 else 0


def header_scores(before: Tableau, lay: Lay, after: Tableau) -> tuple[Score, ...]:
    """The points of a tile at Bergen: for the set, a double header or a triple header (2.4).

    Two equal open ends are a double header. If one of them is a doublet, they are a triple header,
    provided that the doublet was laid now or that `triple_by_single` is set.
    """
    parameters = before.parameters
    if not before.ends:
        points = parameters.set_points
        return (Score(lay.seat, points, "the set (2.4)"),) if points else ()
    numbers = {end.number for end in after.ends}
    if len(after.ends) != 2 or len(numbers) != 1:
        return ()
    number = after.ends[0].number
    at_an_end = any(end.kind == "doublet" for end in after.ends)
    if is_doublet(lay.tile) or (at_an_end and parameters.triple_by_single):
        points, what = parameters.triple_header, "triple"
    else:
        points, what = parameters.double_header, "double"
    why = f"{what} header, {number} at both ends (2.4)"
    return (Score(lay.seat, points, why),) if points else ()


def hand_score(parameters: Parameters, hands: Hands, out: Seat | None) -> HandScore:
    """The score of a hand that a seat has won by going out, or that is blocked (C9, C10)."""
    counts = [sum(map(pips, hand)) for hand in hands]
    if out is not None:
        return end_score(parameters, counts, out, is_out=True)
    lowest = _lowest(parameters, hands, counts)
    return end_score(parameters, counts, lowest[0] if len(lowest) == 1 else None, is_out=False)


def end_score(
    parameters: Parameters, counts: Sequence[int], winner: Seat | None, *, is_out: bool
) -> HandScore:
    """The score of a hand from the pips of each seat and the winner, None on a tie (C9, C10).

    `counts` can be empty if the pips are not known and do not decide the points.
    """
    if is_out:
        reasons = [f"Seat {winner} is out (C9)."]
    else:
        each = ", ".join(f"seat {seat} has {count}" for seat, count in enumerate(counts))
        listed = f"{each} pips; " if each else ""
        end = "a tie scores no points (C10)" if winner is None else f"seat {winner} wins (C9)"
        reasons = [f"Blocked: {listed}{end}."]
    if winner is None:
        return HandScore(None, 0, tuple(reasons))
    if parameters.hand_win:
        reasons.append(f"Winning the hand is worth {parameters.hand_win} (2.4).")
        return HandScore(winner, parameters.hand_win, tuple(reasons))

    others = sum(counts) - counts[winner]
    points = others
    reasons.append(f"The others are left with {others} pips (C9).")
    if parameters.block_score == "difference" and counts[winner]:
        points = max(points - counts[winner], 0)
        reasons.append(f"Minus seat {winner}'s own {counts[winner]} pips: {points} (C9).")
    if parameters.round_hand == "nearest5" and points % 5:
        points = (points + 2) // 5 * 5
        reasons.append(f"Rounded to the nearest five: {points} (2.5).")
    return HandScore(winner, points, tuple(reasons))


def target_reached(parameters: Parameters, winner: Seat, total: int) -> HandScore:
    """The end of a hand in which a seat has reached the target; the hand scores nothing more."""
    reason = (
        f"Seat {winner} has {total} of {parameters.target} points;"
        " the game ends at once (section 4)."
    )
    return HandScore(winner, 0, (reason,))


def settled(name: str, scored: Sequence[Score], end: HandScore) -> Settlement:
    """The settlement of a hand; no player loses points, so the house pays them.

    `name` is how the hand ended, and `scored` are the points during the hand.
    """
    payments = [Payment(HOUSE, *score) for score in scored]
    reasons = [f"Seat {seat} scores {points}: {why}." for seat, points, why in scored]
    if end.winner is not None and end.points:
        payments.append(Payment(HOUSE, end.winner, end.points, "the hand (C9)"))
    return Settlement(name, 1, tuple(payments), (*reasons, *end.reasons), end.winner)


def _lowest(parameters: Parameters, hands: Hands, counts: Sequence[int]) -> list[Seat]:
    """The seats with the fewest pips; `blocked_doublets_lose` puts doublets behind (2.4)."""
    weights: list[tuple[bool, int]] = [(False, count) for count in counts]
    if parameters.blocked_doublets_lose:
        weights = [
            (any(map(is_doublet, hand)), count) for hand, count in zip(hands, counts, strict=True)
        ]
    least = min(weights)
    return [seat for seat, weight in enumerate(weights) if weight == least]
