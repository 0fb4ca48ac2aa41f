"""The results of pai gow that people report: wins, losses and pushes, stakes, tiles (4.2, 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from rules.errors import RulesError
from rules.games.pai_gow.match import PaiGowMatch
from rules.games.pai_gow.play import PaiGowPlay, players_against, why_split_illegal
from rules.games.pai_gow.ranking import Half, Split
from rules.games.pai_gow.settle import RESULTS as FARED
from rules.games.pai_gow.settle import Result as Fared
from rules.games.pai_gow.settle import compare, name_of, settle
from rules.games.pai_gow.setup import stakes_of
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
from rules.tiles import Face, tile_set

TILES = 4
"""The number of tiles of a hand (4.2)."""
_SET: Final = tile_set("pai_gow_32")


@dataclass(frozen=True, slots=True, kw_only=True)
class BankedHand(FinishedHand):
    """A finished hand and its banker, after whom the bank is offered (4.3)."""

    banker: Seat


def form(match: PaiGowMatch, setup: Setup | None = None) -> ResultForm:
    """How each player fared against the bank; then the stakes; then the tiles and their splits.

    Each list has one value for each seat. The bank has no result and no stake, so its value is null
    there. In `hands` and `high` null stands for a hand that was not shown; the results of such
    hands are needed.
    """
    stakes = _known_stakes(match, setup)
    banker = match.dealer if setup is None else setup.seating.dealer
    each = partial(ResultField, per_seat=True)
    tiles = partial(
        each, kind="tiles", depth="tiles", needed="tiles", choices=tuple(dict.fromkeys(_SET.faces))
    )
    fields = (
        ResultField("banker", "seat", "the seat of the bank", needed="who", known=banker),
        each(
            "results",
            "choice",
            "how each player fared",
            choices=FARED,
            except_seat="banker",
            needed="who",
            unless="hands",
        ),
        each(
            "stakes",
            "number",
            "the stake of each player",
            "amount",
            except_seat="banker",
            needed="amount",
            least=1,
            most=match.parameters.most_staked,
            known=stakes,
            rule="section 5",
        ),
        tiles("hands", words="the four tiles of each seat", least=TILES, most=TILES, rule="4.2"),
        tiles("high", words="the two tiles of each high hand", least=2, most=2, rule="4.2"),
    )
    return ResultForm("pai_gow", len(match.scores), fields, partial(_wrong, match, banker, stakes))


def finish(match: PaiGowMatch, result: Result) -> BankedHand:
    """The finished hand of a checked result; its payments are counted if all stakes are known."""
    house, banker = match.parameters, result["banker"]
    splits = _splits(result, len(match.scores))
    players = players_against(banker, len(match.scores), house)
    fared = {seat: _fared(match, result, splits, seat) for seat in players}
    stakes = _stakes(match, result)
    if any(stakes[seat] is None for seat in players):
        return BankedHand(not_counted(name_of(fared)), counted=False, banker=banker)
    settlement = settle(house, banker, [stake or 0 for stake in stakes], fared, splits)
    return BankedHand(settlement, banker=banker)


def read(match: PaiGowMatch, acts: Sequence[RecordedAct], play: PaiGowPlay, depth: Depth) -> Result:
    """The result of a followed hand; the tiles of a hand that was not shown are left out.

    Raises RulesError for a hand that is not over, and for stakes that are not whole units.
    """
    finished(play)
    seats = range(len(play.hands))
    result: dict[str, Any] = {
        "banker": play.banker,
        "results": [None if seat == play.banker else play.result(seat) for seat in seats],
    }
    if depth != "who":
        for stake in play.stakes:
            if stake != int(stake):
                raise RulesError(f"A stake of {stake} is not a whole number of units.")
        result["stakes"] = [
            None if seat == play.banker else int(play.stakes[seat]) for seat in seats
        ]
    if depth == "tiles":
        splits = [hand.split for hand in play.hands]
        result["hands"] = [None if split is None else list(split.tiles) for split in splits]
        result["high"] = [None if split is None else list(split.high) for split in splits]
    return result


def _known_stakes(match: PaiGowMatch, setup: Setup | None) -> list[int | None] | None:
    """The stakes that were asked before the cut; those of a house that asks for none are 1."""
    if setup is not None:
        asked = stakes_of(setup)
        return [None if seat == setup.seating.dealer else each for seat, each in enumerate(asked)]
    if match.parameters.highest_stake > 1:
        return None
    return [None if seat == match.dealer else 1 for seat in range(len(match.scores))]


def _stakes(match: PaiGowMatch, result: Result) -> list[int | None]:
    """The stake of each seat; None if it is not known, which cannot be where every stake is 1."""
    given: Sequence[int | None] = result.get("stakes") or (None,) * len(match.scores)
    usual = 1 if match.parameters.highest_stake == 1 else None
    return [usual if stake is None else stake for stake in given]


def _splits(result: Result, seats: int) -> dict[Seat, Split | None]:
    """The splits of the hands whose tiles are given."""
    splits: dict[Seat, Split | None] = dict.fromkeys(range(seats))
    hands, highs = result.get("hands") or (), result.get("high") or ()
    for seat, (tiles, high) in enumerate(zip(hands, highs, strict=True)):
        if tiles is not None:
            low = Counter(tiles) - Counter(high)
            splits[seat] = Split(_half(high), _half(tuple(low.elements())))
    return splits


def _half(tiles: Sequence[Face]) -> Half:
    first, second = tiles
    return first, second


def _fared(
    match: PaiGowMatch, result: Result, splits: dict[Seat, Split | None], seat: Seat
) -> Fared | None:
    """How a player fared: by the tiles if both hands are known, or else as it was reported."""
    player, banker = splits[seat], splits[result["banker"]]
    if player is not None and banker is not None:
        return compare(player, banker, match.parameters).result
    return _reported(match, result)[seat]


def _reported(match: PaiGowMatch, result: Result) -> Sequence[Fared | None]:
    return result.get("results") or (None,) * len(match.scores)


def _wrong(
    match: PaiGowMatch, known: Seat, stakes: list[int | None] | None, result: Result
) -> Iterator[str]:
    yield from _wrong_banker(match, known, result["banker"])
    if result.get("stakes") not in (None, stakes):
        yield from _wrong_stakes(result)
    yield from _wrong_tiles(match, result)
    splits = _splits(result, len(match.scores))
    yield from _wrong_results(match, result, splits)


def _wrong_banker(match: PaiGowMatch, known: Seat, banker: Seat) -> Iterator[str]:
    if banker != known and banker not in match.bankers:
        listed = " or ".join(map(str, dict.fromkeys((known, *match.bankers))))
        yield f"banker: Seat {banker} cannot bank this hand; the bank is at seat {listed} (4.3)."


def _wrong_stakes(result: Result) -> Iterator[str]:
    for seat, stake in enumerate(result["stakes"]):
        if seat == result["banker"] and stake is not None:
            yield f"stakes: Seat {seat} is the bank, which has no stake; write null for it (4.2)."
        if seat != result["banker"] and stake is None:
            yield f"stakes: The result does not say the stake of seat {seat}; add it."


def _wrong_results(
    match: PaiGowMatch, result: Result, splits: dict[Seat, Split | None]
) -> Iterator[str]:
    house, banker = match.parameters, result["banker"]
    given = _reported(match, result)
    if given[banker] is not None:
        yield f"results: Seat {banker} is the bank, which has no result; write null for it (4.2)."
    for seat in players_against(banker, len(match.scores), house):
        reported = given[seat]
        fared = _fared(match, result, splits, seat)
        if fared is None:
            yield (
                f"results: The result does not say how seat {seat} fared, and its tiles or those of"
                " the bank are not given; add one of the two."
            )
        if reported is not None and reported != fared:
            player, banks = splits[seat], splits[banker]
            assert player is not None and banks is not None
            why = "; ".join(compare(player, banks, house).reasons)
            yield (
                f"results: The tiles of seat {seat} give {fared} and not {reported}: {why}."
                " Correct the result or the tiles."
            )


def _wrong_tiles(match: PaiGowMatch, result: Result) -> Iterator[str]:
    hands, highs = result.get("hands"), result.get("high")
    if hands is None or highs is None:
        return
    shown = Counter[Face]()
    for seat, (tiles, high) in enumerate(zip(hands, highs, strict=True)):
        if (tiles is None) != (high is None):
            yield f"high: Give the four tiles and the high hand of seat {seat}, or null for both."
            return
        if tiles is None:
            continue
        if Counter(high) - Counter(tiles):
            yield (
                f"high: {' '.join(high)} are not two of the tiles of seat {seat}, which are"
                f" {' '.join(tiles)}."
            )
            return
        shown.update(tiles)
    for face, number in shown.items():
        if number > _SET.faces.count(face):
            yield (
                f"hands: '{face}' is named {number} times, but the set has"
                f" {_SET.faces.count(face)} (4.1); read the tiles again."
            )
            return
    for seat, split in _splits(result, len(match.scores)).items():
        why = None if split is None else why_split_illegal(match.parameters, seat, split)
        if why is not None:
            yield f"high: {why}"


RESULTS: Final = GameResults(form, finish, read)
"""The results of pai gow."""
