"""Set-up of Filipino mahjong (F3-F18): throws, mano's choice of a wall, flores, the joker."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, Literal

from rules.errors import IllegalOutcomeError
from rules.games.filipino.parameters import SEATS, Parameters
from rules.geometry import End, OpenWall, Seat, WallPlace, Walls, count_seats, counter_clockwise
from rules.setup import Game, Script, Seating, Setup, choose, see, throw
from rules.steps import Build, Choose, Outcome, Packet, Ready, Replace, Step, TurnUp
from rules.tiles import Face

if TYPE_CHECKING:
    from rules.play import Tiles

PACKET = 8
FOR_MANO = "throw for mano"
PLUS_N, THROW_AGAIN = "plus n", "throw again"
LAID_OUT = "flores laid out"


def script(seating: Seating, parameters: Parameters) -> Script:
    """The script from the shuffled set to mano's first discard (F5-F17)."""
    walls = Walls(parameters.columns)
    yield Build(walls)

    roller = seating.dealer
    total = yield from throw_for_mano(roller, parameters)
    mano = count_seats(roller, total, SEATS)
    owner, end = yield from choose_wall(mano)
    wall = walls.open(owner, total, end)

    tiles = iter(wall.forward)
    yield from deal(mano, tiles, parameters.mano_batches)
    undealt = tuple(tiles)

    standing = replacement_order(wall, total, undealt, parameters.replacement_end)
    laid = yield from lay_out_flores(mano, standing, parameters)
    joker, shows = yield from turn_up_joker(mano, standing, laid, parameters)
    standing.remove(joker)
    return Ready(
        begins=mano,
        draws=tuple(place for place in undealt if place in standing),
        replacements=tuple(standing),
        indicator=joker,
        shows=shows,
        opened=wall.gap,
    )


def throw_for_mano(roller: Seat, parameters: Parameters) -> Generator[Step, Outcome, int]:
    """The roller throws twice; with `plus_n_range` he can name a number instead (F6)."""
    if not parameters.plus_n_range:
        return sum((yield from throw(roller, 1, FOR_MANO, times=2)))
    (thrown,) = yield from throw(roller, 1, FOR_MANO)
    least, greatest = parameters.plus_n_range
    offered: tuple[int | str, ...] = (THROW_AGAIN, *range(least, greatest + 1))
    added = yield from choose(roller, PLUS_N, offered, THROW_AGAIN)
    if not isinstance(added, int):
        (added,) = yield from throw(roller, 1, FOR_MANO)
    return thrown + added


def is_pair(setup: Setup) -> bool:
    """Whether the roller's two throws for mano were equal; a named number is not a throw."""
    faces = [face for step, dice in setup.throws if step.why == FOR_MANO for face in dice]
    return len(faces) == 2 and faces[0] == faces[1]


def choose_wall(mano: Seat) -> Generator[Step, Outcome, tuple[Seat, End]]:
    """Mano names another seat's wall, and an end of it (F8)."""
    others = counter_clockwise(mano, SEATS)[1:]
    ends: tuple[End, ...] = ("right", "left")
    offered = {f"{owner} {end}": (owner, end) for owner in others for end in ends}
    named = yield from choose(mano, "wall", offered, f"{others[0]} right")
    return offered[named]


def deal(
    mano: Seat, tiles: Iterable[WallPlace], batches: Sequence[int]
) -> Generator[Step, Outcome, None]:
    """Deals mano's batches and two packets of 8 to each other seat, counter-clockwise (F9)."""
    wall = iter(tiles)
    for number, batch in enumerate(batches):
        yield Packet(mano, tuple(islice(wall, batch)))
        if number < 2:
            for seat in counter_clockwise(mano, SEATS)[1:]:
                yield Packet(seat, tuple(islice(wall, PACKET)))


def replacement_order(
    wall: OpenWall, total: int, undealt: Sequence[WallPlace], end: Literal["gap", "outer"]
) -> list[WallPlace]:
    """The undealt tiles in the order of replacements (F13).

    With `end="gap"` they go from the gap backwards, upper tile first, and on into the neighbouring
    wall. With `end="outer"` the standing columns of the opened wall go first, from their outer end.
    """
    left = frozenset(undealt)
    columns = _columns(place for place in wall.tail if place in left)
    if end == "outer":
        columns[:total] = reversed(columns[:total])
    return [place for column in columns for place in column]


def lay_out_flores(
    mano: Seat, standing: list[WallPlace], parameters: Parameters
) -> Generator[Step, Outcome, int]:
    """Seats lay out flores and take as many tiles, until no more flores appear (F11, F12).

    Removes the taken tiles from `standing`. Returns the number of flores laid out by all seats.
    """
    laid = 0
    fresh = {seat: 2 * PACKET + (seat == mano) for seat in counter_clockwise(mano, SEATS)}
    while fresh:
        seat, tiles = next(iter(fresh.items()))
        del fresh[seat]
        most = min(tiles, parameters.flores - laid)
        shown = yield from choose(seat, LAID_OUT, range(most + 1), 0)
        for _ in range(shown):
            yield Replace(seat, standing.pop(0))
        laid += shown
        if shown and parameters.replacement_by == "immediate":
            fresh = {seat: shown} | fresh
        elif shown:
            fresh[seat] = shown
    return laid


def turn_up_joker(
    mano: Seat, standing: list[WallPlace], laid: int, parameters: Parameters
) -> Generator[Step, Outcome, tuple[WallPlace, Face | None]]:
    """Mano throws and turns up tiles until one is not a flores; returns the joker and its face.

    Removes the flores that mano takes from `standing` (F14-F16). Raises IllegalOutcomeError for
    more flores than the set has.
    """
    seen: set[WallPlace] = set()
    while True:
        total = sum((yield from throw(mano, 1, "throw for the joker", times=2)))
        columns = _columns(place for place in standing if place not in seen)
        for depth, place in enumerate(columns[total - 1]):
            shows = yield from see(TurnUp(place, mano))
            if not parameters.is_flores(shows):
                return place, shows
            seen.add(place)
            if laid + len(seen) > parameters.flores:
                raise IllegalOutcomeError(
                    f"'{shows}' at {place} would be number {laid + len(seen)} of the flores, but "
                    f"the set has {parameters.flores}; read the tile again."
                )
            if depth == 0 or parameters.second_flores == "mano":
                yield Replace(mano, place)
                standing.remove(place)


def _columns(places: Iterable[WallPlace]) -> list[list[WallPlace]]:
    """Places grouped by column, in their order; half a column counts as a column (F14)."""
    return [list(column) for _, column in groupby(places, key=lambda at: (at.owner, at.column))]


def flores_of(setup: Setup) -> tuple[int, ...]:
    """The number of flores of each seat, including those that mano turned up for the joker (A5)."""
    flores = [0] * SEATS
    for number, (step, outcome) in enumerate(setup.done):
        if isinstance(step, Choose) and step.what == LAID_OUT and isinstance(outcome, int):
            flores[step.by] += outcome
        elif isinstance(step, Replace) and isinstance(setup.done[number - 1][0], TurnUp):
            flores[step.seat] += 1
    return tuple(flores)


def flores_bonus(
    flores: Sequence[int], amount: int = 5, low: int = 0, high: int = 13
) -> tuple[int, ...]:
    """The gain of each seat after the joker is turned up, for few or many flores (F18)."""
    paid = [count <= low or count >= high for count in flores]
    return tuple(amount * (len(flores) * own - sum(paid)) for own in paid)


def flores_to_lay_out(setup: Setup, tiles: Tiles) -> int:
    """The number of flores in the hand of the asked seat, if the tiles are known (F11, F20).

    It is the answer to the pending question. Raises IllegalOutcomeError if the set-up asks another
    question.
    """
    asked = setup.pending
    if not isinstance(asked, Choose) or asked.what != LAID_OUT:
        raise IllegalOutcomeError(
            f"The pending step of the set-up is {asked}, not the flores of a seat; give its "
            "outcome first."
        )
    parameters: Parameters = setup.parameters
    dealt = [tiles.get(place) for place in setup.hands.get(asked.by, ())]
    return sum(map(parameters.is_flores, dealt)) - flores_of(setup)[asked.by]


def answers(setup: Setup, tiles: Tiles) -> Outcome:
    """The answer that these tiles require; None if the answer is free."""
    asked = setup.pending
    if isinstance(asked, Choose) and asked.what == LAID_OUT:
        return flores_to_lay_out(setup, tiles)
    return None


FILIPINO = Game(
    name="filipino",
    title="Filipino mahjong",
    tiles_name="mahjong_144",
    players=(4,),
    parameters=Parameters,
    script=script,
)
