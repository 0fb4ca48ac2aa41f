"""The results of dominoes that people report: the winner, pips left, points on the way (C9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from rules.errors import RulesError
from rules.games.dominoes.match import DominoMatch
from rules.games.dominoes.play import DominoPlay
from rules.games.dominoes.score import Score, end_score, hand_score, settled, target_reached
from rules.games.dominoes.setup import double_six, pips
from rules.games.dominoes.variants import VARIANTS, Parameters
from rules.geometry import Seat
from rules.judging import RecordedAct
from rules.results import (
    Depth,
    FinishedHand,
    GameResults,
    Result,
    ResultField,
    ResultForm,
    finished,
    not_counted,
)
from rules.setup import Setup
from rules.tiles import Face

MOST_OPEN = 48
"""No open ends total more: there are four at most, and a 6-6 counts twelve (2.5, 2.9)."""


def form(match: DominoMatch, setup: Setup | None = None, *, game: str) -> ResultForm:
    """How the hand ended and who won; then the pips left and the points on the way; then the tiles.

    `blocked` has a winner and `tied` has none (C10); `target` ends the hand and the game during the
    hand. A null in the points on the way is 0.
    """
    house, seats = match.parameters, len(match.scores)
    at_target = ("target",) if _stops(house) else ()
    by_tiles = ("out", "blocked", "tied")
    when = (("end", by_tiles),)
    each = partial(ResultField, per_seat=True, when=when, rule="C9")
    fields = [
        ResultField(
            "end", "choice", "how the hand ended", needed="who", choices=(*by_tiles, *at_target)
        ),
        ResultField(
            "winner",
            "seat",
            "the seat that won the hand",
            needed="who",
            when=(("end", ("out", "blocked", *at_target)),),
        ),
    ]
    if not house.hand_win:
        most = _heaviest(_most_tiles(house, seats, 1))
        words = "the pips left in each hand"
        fields.append(
            each("pips", "number", words, "amount", needed="amount", most=most, unless="hands")
        )
    if house.scores_in_play:
        fields.append(
            ResultField(
                "scored",
                "number",
                "the points of each seat during the hand",
                "amount",
                needed="amount",
                most=_most_on_the_way(house),
                per_seat=True,
            )
        )
    tiles = "the tiles left in each hand"
    fields.append(each("hands", "tiles", tiles, "tiles", needed="tiles", choices=double_six()))
    return ResultForm(game, seats, tuple(fields), partial(_wrong, match))


def finish(match: DominoMatch, result: Result) -> FinishedHand:
    """The finished hand of a checked result."""
    house, end = match.parameters, result["end"]
    winner: Seat | None = result.get("winner")
    counts = _counts(result)
    name = "blocked" if end == "tied" else end
    unknown = house.scores_in_play and "scored" not in result
    if unknown or (end in ("out", "blocked") and not (counts or house.hand_win)):
        return FinishedHand(not_counted(name, winner), counted=False)
    scored = tuple(
        Score(seat, points, "during the hand")
        for seat, points in enumerate(result.get("scored", ()))
        if points
    )
    if winner is not None and end == "target":
        total = _totals(match, result)[winner]
        return FinishedHand(settled(name, scored, target_reached(house, winner, total)))
    score = end_score(house, counts, winner, is_out=end == "out")
    return FinishedHand(settled(name, scored, score))


def read(match: DominoMatch, acts: Sequence[RecordedAct], play: DominoPlay, depth: Depth) -> Result:
    """The result of a followed hand.

    Raises RulesError for a hand that is not over, and for tiles that were not seen.
    """
    winner = finished(play).winner
    house = play.parameters
    result: dict[str, Any] = {"end": play.ended if winner is not None else "tied"}
    if winner is not None:
        result["winner"] = winner
    if depth == "who":
        return result
    if house.scores_in_play:
        result["scored"] = [
            after - before for after, before in zip(play.scores, play.party.opening, strict=True)
        ]
    if play.ended == "target":
        return result
    if not house.hand_win:
        result["pips"] = [sum(map(pips, hand)) for hand in _seen(play)]
    if depth == "tiles":
        result["hands"] = _seen(play)
    return result


def _seen(play: DominoPlay) -> list[list[Face]]:
    hands = [[tile for tile in hand if tile is not None] for hand in play.hands]
    for seat, hand in enumerate(hands):
        if len(hand) < len(play.hands[seat]):
            raise RulesError(f"The tiles left in the hand of seat {seat} were not seen.")
    return hands


def _stops(house: Parameters) -> bool:
    """Whether points during a hand can end the game at once (section 4)."""
    return house.scores_in_play and house.stop_immediately


def _most_tiles(house: Parameters, seats: int, hands: int) -> int:
    """The most tiles that this number of hands can have; one tile at least is on the table."""
    dealt = house.hand[seats - 2] * hands
    return len(double_six()) - 1 if house.hands_can_grow else dealt


def _heaviest(tiles: int) -> int:
    """The most pips of this number of tiles."""
    return sum(sorted(map(pips, double_six()), reverse=True)[:tiles])


def _most_on_the_way(house: Parameters) -> int:
    headers = max(house.set_points, house.double_header, house.triple_header)
    return len(double_six()) * ((MOST_OPEN if house.base else 0) + headers)


def _counts(result: Result) -> list[int]:
    """The pips of each hand, from its tiles if they are given; empty if they are not known."""
    if "hands" in result:
        return [sum(map(pips, hand)) for hand in result["hands"]]
    return [count or 0 for count in result.get("pips", ())]


def _totals(match: DominoMatch, result: Result) -> list[int]:
    """The score of each seat in the game with the points during the hand."""
    scored = result["scored"]
    return [score + (points or 0) for score, points in zip(match.scores, scored, strict=True)]


def _wrong(match: DominoMatch, result: Result) -> Iterator[str]:
    house = match.parameters
    if "hands" in result:
        yield from _wrong_hands(house, result)
    if "pips" in result:
        yield from _wrong_pips(house, result)
    if "scored" in result:
        yield from _wrong_points(match, result)


def _wrong_hands(house: Parameters, result: Result) -> Iterator[str]:
    hands: Sequence[Sequence[Face] | None] = result["hands"]
    end, winner = result["end"], result.get("winner")
    seen = set[Face]()
    for seat, hand in enumerate(hands):
        if hand is None:
            yield f"hands: The result does not say the tiles of seat {seat}; write [] for none."
            return
        for tile in hand:
            if tile in seen:
                yield f"hands: {tile} is named twice; a set of dominoes has it once (C1)."
            seen.add(tile)
        most = _most_tiles(house, len(hands), 1)
        if len(hand) > most:
            yield f"hands: Seat {seat} has {len(hand)} tiles; it can have {most} at most (C2)."
        if end == "out" and seat == winner and hand:
            yield f"hands: Seat {seat} went out, so it has no tile left; leave its hand empty (C9)."
        if not hand and not (end == "out" and seat == winner):
            yield f"hands: Seat {seat} has no tile left, so it went out; give that end (C9)."
    if len(seen) > _most_tiles(house, len(hands), len(hands)):
        yield "hands: The hands have more tiles than the set has beside the table (C1)."
    score = hand_score(house, [hand or () for hand in hands], winner if end == "out" else None)
    if score.winner != winner:
        yield f"winner: {score.reasons[0]}"


def _wrong_pips(house: Parameters, result: Result) -> Iterator[str]:
    given: Sequence[int | None] = result["pips"]
    end, winner = result["end"], result.get("winner")
    for seat, count in enumerate(given):
        if end == "out" and seat == winner:
            if count:
                yield f"pips: Seat {seat} went out, so it has 0 pips left and not {count} (C9)."
        elif count is None:
            yield f"pips: The result does not say the pips of seat {seat}; add them."
            return
    counts = [count or 0 for count in given]
    if "hands" in result and counts != _counts(result):
        yield f"pips: The tiles have {_listed(_counts(result))} pips and not {_listed(counts)}."
    most = _heaviest(_most_tiles(house, len(counts), len(counts)))
    if sum(counts) > most:
        yield f"pips: The hands have {sum(counts)} pips; {most} at most are possible (C1)."
    without = [seat for seat, count in enumerate(counts) if not count]
    if len(without) - (end == "out") > 1:
        yield (
            f"pips: Seats {_listed(without)} have 0 pips, but only one tile has none, the 0-0 (C1)."
        )
    lowest = [seat for seat, count in enumerate(counts) if count == min(counts)]
    if end == "blocked" and not house.blocked_doublets_lose and lowest != [winner]:
        yield (
            f"winner: Seat {winner} has not the fewest pips: {_listed(counts)}; the seat with the"
            " fewest wins, and equal ones tie (C9, C10)."
        )
    if end == "tied" and len(set(counts)) == len(counts):
        yield f"end: {_listed(counts)} pips are no tie; give the end blocked and the winner (C10)."
    elif end == "tied" and not house.blocked_doublets_lose and len(lowest) == 1:
        yield f"end: Seat {lowest[0]} alone has the fewest pips: {_listed(counts)}; it wins (C9)."


def _wrong_points(match: DominoMatch, result: Result) -> Iterator[str]:
    house, end, winner = match.parameters, result["end"], result.get("winner")
    steps = (house.base, house.set_points, house.double_header, house.triple_header)
    for seat, points in enumerate(result["scored"]):
        if points and not _is_sum(points, steps):
            worth = ", ".join(str(step) for step in sorted({*steps} - {0}))
            yield (
                f"scored: Seat {seat} cannot score {points}; during a hand it scores {worth} or"
                " several of them (2.4, 2.5, 2.7)."
            )
    if not _stops(house):
        return
    for seat, total in enumerate(_totals(match, result)):
        of = f"scored: Seat {seat} has {total} of {house.target} points with these"
        if total < house.target and end == "target" and seat == winner:
            yield f"{of}, so they did not end the game; correct them or the end (section 4)."
        if total >= house.target and not (end == "target" and seat == winner):
            yield f"{of}, so the game ended at once; give the end target and this winner."


def _is_sum(points: int, steps: Sequence[int]) -> bool:
    """Whether the points are a sum of these steps, each taken any number of times."""
    reached = {0}
    for total in range(1, points + 1):
        if any(step and total - step in reached for step in steps):
            reached.add(total)
    return points in reached


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


RESULTS: Final[Mapping[str, GameResults]] = {
    variant.name: GameResults(partial(form, game=variant.name), finish, read)
    for variant in VARIANTS
}
"""The results of each domino game, by its name."""
