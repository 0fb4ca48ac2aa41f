"""The worth of a game of backgammon, and the results that people report (section 4, BG-13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal, get_args

from rules.errors import RulesError
from rules.games.backgammon.legal import CUBE, HIGHEST
from rules.games.backgammon.match import BackgammonMatch
from rules.games.backgammon.setup import SEATS, Parameters, automatic_doubles
from rules.geometry import Seat
from rules.judging import RecordedAct
from rules.play import Payment, Settlement
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

Win = Literal["single", "gammon", "backgammon", "dropped"]
"""How a game was won; `dropped` by a double that was not taken."""
BEHIND = "on the bar or in the winner's home"
"""Where the loser of a backgammon has a man."""


def settled(
    house: Parameters,
    winner: Seat,
    win: Win,
    cube: int = 1,
    *,
    gammons_count: bool = True,
    behind: str = BEHIND,
) -> Settlement:
    """The settlement of a game that was won in this way, with the cube at this value.

    `gammons_count` is false under the Jacoby rule while nobody has turned the cube. `behind` is
    where a man of the loser is at a backgammon.
    """
    loser = 1 - winner
    not_off = f"seat {loser} has borne no man off"
    name, times, reason = "single game", 1, f"seat {loser} has borne a man off"
    if win == "dropped":
        name, reason = "dropped", f"seat {loser} dropped the double"
    elif win != "single" and not gammons_count:
        reason = "the cube was not turned, so gammons do not count (Jacoby)"
    elif win == "gammon":
        name, times, reason = "gammon", house.gammon, not_off
    elif win == "backgammon":
        name, times, reason = "backgammon", house.backgammon, f"{not_off} and has a man {behind}"
    points = times * cube
    reasons = [reason]
    if cube > 1:
        reasons.append(f"the cube shows {cube}")
    payment = Payment(loser, winner, points, ", ".join(reasons))
    return Settlement(name, points, (payment,), tuple(reasons), winner)


def form(match: BackgammonMatch, setup: Setup | None = None) -> ResultForm:
    """Who won; then how, and the value of the cube, if the game has one."""
    house = match.parameters
    wins = get_args(Win) if match.has_cube else get_args(Win)[:-1]
    amount = partial(ResultField, depth="amount", needed="amount", rule="section 4")
    fields = [
        ResultField("winner", "seat", "the seat that won the game", needed="who"),
        amount("win", "choice", "how the game was won", choices=wins),
    ]
    if match.has_cube and house.automatic_doubles:
        known = None if setup is None else automatic_doubles(setup)
        words = "the number of automatic doubles of the opening throw"
        fields.append(
            amount("automatic", "number", words, most=house.automatic_doubles, known=known)
        )
    if match.has_cube:
        words = "the value of the cube at the end, without a double that was dropped"
        fields.append(amount("cube", "number", words, least=1, most=HIGHEST))
    return ResultForm("backgammon", SEATS, tuple(fields), _wrong)


def finish(match: BackgammonMatch, result: Result) -> FinishedHand:
    """The finished game of a checked result."""
    winner: Seat = result["winner"]
    if "win" not in result:
        return FinishedHand(not_counted("won", winner, f"seat {winner} won"), counted=False)
    house, cube = match.parameters, result.get("cube", 1)
    turned = cube > _first_value(result)
    gammons_count = turned or not (house.jacoby and match.has_cube)
    return FinishedHand(settled(house, winner, result["win"], cube, gammons_count=gammons_count))


def read(match: BackgammonMatch, acts: Sequence[RecordedAct], play: Any, depth: Depth) -> Result:
    """The result of a followed game; it has no tiles, so `tiles` is the same as `amount`.

    Raises RulesError for a game that is not over, and without the actions from its beginning.
    """
    winner = finished(play).winner
    result: dict[str, Any] = {"winner": winner}
    if depth == "who":
        return result
    result["win"] = play.win
    if match.has_cube:
        result["cube"] = play.cube
        if match.parameters.automatic_doubles:
            if not acts:
                raise RulesError("The first value of the cube is not known; give all actions.")
            result["automatic"] = CUBE.index(acts[0][0].cube)
    return result


def _first_value(result: Result) -> int:
    """The value of the cube before the first double of a player."""
    return CUBE[result.get("automatic", 0)]


def _wrong(result: Result) -> Iterator[str]:
    cube = result.get("cube")
    if cube is None:
        return
    if cube not in CUBE:
        shows = f"2, 4 ... {HIGHEST}, or 1 before it is turned"
        yield f"cube: The cube shows {shows}, not {cube} (section 4)."
    first = _first_value(result)
    if cube < first:
        yield f"cube: The opening throw has doubled the stake to {first}, so {cube} is too low."
    if result.get("win") == "dropped" and cube == HIGHEST:
        yield f"cube: A cube of {HIGHEST} cannot be doubled, so no double was dropped; correct it."


RESULTS: Final = GameResults(form, finish, read, carried=("crawford_past",))
"""The results of backgammon."""
