"""Move generator for a throw (section 2): men on the bar first, both dice if any order allows it.

An option is a tuple of steps, one for each die played; a step is a number, `32 * die + source`.
Every option leads to a different board: two orders of steps that lead to the same board are one
option. Most positions are computed with masks (`board`): take the points from which each die can be
played and all pairs of them, remove the pairs that need two men on a point with one man, and add
the moves of one man by both dice. Bearing off is rare and is searched step by step
(`_search_orders`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from rules.dice import Dice
from rules.games.backgammon.board import (
    BAR,
    MEN,
    OFF,
    POINTS,
    BackgammonBoard,
    Mask,
    Men,
    held,
    mirrored,
    shift,
)
from rules.geometry import Seat
from rules.values import LazyTable

Option = tuple[int, ...]
"""The steps of a whole move, `32 * die + source` each."""
HOME = 6
HALF = 48
"""The bits of twelve points in a mask; lookup tables are for half a board."""
_LOWER: Mask = (1 << HALF + 4) - 1
_BAR: Mask = 1 << 4 * BAR


class Step(NamedTuple):
    """The move of one man by one die, in its owner's numbering; `hits` if it hits a blot (B5)."""

    source: int
    target: int
    hits: bool = False


def _step(number: int) -> Step:
    source = number & 31
    return Step(source, max(OFF, source - (number >> 5)))


STEPS: LazyTable[int, Step] = LazyTable(_step)
"""The step for each step number."""
SHIFTS: LazyTable[int, int] = LazyTable(
    lambda number: shift(STEPS[number].source, STEPS[number].target)
)
"""For each step number, the number that the step adds to its owner's men."""


def options(own: Men, other: Men, dice: Dice, *, larger: bool = True) -> list[Option]:
    """Every move that this throw allows, one for each resulting board; empty if no man can move.

    `larger`: if either die can be played but not both, the larger die must be played (BG-08).
    """
    return options_and_blots(own, other, dice, larger=larger)[0]


def options_and_blots(
    own: Men, other: Men, dice: Dice, *, larger: bool = True
) -> tuple[list[Option], Mask]:
    """The options, and the opponent's blots in the mover's numbering, which an option can hit."""
    enemy = mirrored(other)
    # Equal to `held(enemy)` and `made(enemy)`; their common part is computed once.
    several = (enemy >> 1 | enemy >> 2 | enemy >> 3) & POINTS
    open_points = POINTS ^ several
    blots = enemy & open_points
    high, low = dice
    if high == low:
        return _doublet(own, open_points, high), blots
    if high < low:
        high, low = low, high
    away = own >> 4 * (HOME + 1)
    if own >> 4 * BAR:
        found = _entering(own, open_points, blots, high, low)
    elif away & (away - 1):
        found = _two_men(own, open_points, blots, high, low)
    else:
        found = _search_orders(own, open_points, blots, high, low)
    if found:
        return found, blots
    first, second = (sources(own, open_points, die) for die in (high, low))
    if larger and first:
        second = ()
    return [(step,) for step in first + second], blots


def played(board: BackgammonBoard, seat: Seat, option: Option) -> BackgammonBoard:
    """The board after an option; every blot that is hit goes to the bar (B5)."""
    own, other = board[seat], board[1 - seat]
    for step in option:
        own += SHIFTS[step]
        target = STEPS[step].target
        if target and other >> 4 * (BAR - target) & 15 == 1:
            other += shift(BAR - target, BAR)
    return board.with_men(seat, own, other)


def sources(own: Men, open_points: Mask, die: int) -> Option:
    """The steps that one die allows: from the bar, along the board, or off the board."""
    landing = open_points << 4 * die
    if own >> 4 * BAR:
        return _steps(die, landing & _BAR)
    points = held(own)
    steps = _steps(die, points & landing & POINTS)
    if own >> 4 * (HOME + 1):
        return steps
    rearmost = (points.bit_length() - 1) // 4
    if own >> 4 * die & 15:
        return (*steps, 32 * die + die)
    return (*steps, 32 * die + rearmost) if 0 < rearmost < die else steps


def _two_men(own: Men, open_points: Mask, blots: Mask, high: int, low: int) -> list[Option]:
    """The moves of both dice with no man on the bar and at least two men outside the home board.

    No man can be borne off then.
    """
    several = (own >> 1 | own >> 2 | own >> 3) & POINTS
    points = (own | several) & POINTS
    landing_high, landing_low = open_points << 4 * high, open_points << 4 * low
    by_high, by_low = points & landing_high, points & landing_low
    found: list[Option] = list(product(_steps(high, by_high), _steps(low, by_low)))
    alone = by_high & by_low & ~several
    while alone:
        point = alone.bit_length() // 4
        alone ^= 1 << 4 * point
        found.remove((32 * high + point, 32 * low + point))

    # Moves of one man by both dice. If his first die ends on a point with other men of his side,
    # moving one of those men from there gives the same board, and that pair is found already.
    high_first = by_high & landing_low << 4 * high
    low_first = by_low & landing_high << 4 * low
    onward = high_first & ~(points << 4 * high)
    if onward:
        found += _onward(high, low, onward)
    if low_first:
        same = high_first & low_first & ~(blots << 4 * high | blots << 4 * low)
        vacant = low_first & ~(points << 4 * low)
        onward = vacant & ~same
        if onward:
            found += [(second, first) for first, second in _onward(low, high, onward)]
        doubled = same & ~vacant
        while doubled:
            source = doubled.bit_length() // 4
            doubled ^= 1 << 4 * source
            found.remove((32 * high + source - low, 32 * low + source))
    return found


def _onward(first: int, then: int, points: Mask) -> list[Option]:
    """The moves of one man from each of these points, by one die and then by the other."""
    further = 32 * (then - first) - first
    return [(step, step + further) for step in _steps(first, points)]


def _entering(own: Men, open_points: Mask, blots: Mask, high: int, low: int) -> list[Option]:
    """The moves of both dice with men on the bar, who enter before any other man moves (BG-07)."""
    enter_high, enter_low = open_points >> 4 * (BAR - high) & 1, open_points >> 4 * (BAR - low) & 1
    high_enters, low_enters = 32 * high + BAR, 32 * low + BAR
    if own >> 4 * BAR > 1:
        return [(high_enters, low_enters)] if enter_high and enter_low else []
    points = held(own) & POINTS
    after_high, after_low = 1 << 4 * (BAR - high), 1 << 4 * (BAR - low)
    found: list[Option] = []
    if enter_high:
        then = (points | after_high) & open_points << 4 * low
        found = [(high_enters, step) for step in _steps(low, then)]
    if enter_low:
        then = (points | after_low) & open_points << 4 * high
        if enter_high and not blots & (after_high | after_low):
            then &= ~after_low  # the man from the bar moved by both dice is found above
        found += [(step, low_enters) for step in _steps(high, then)]
    return found


def _search_orders(own: Men, open_points: Mask, blots: Mask, high: int, low: int) -> list[Option]:
    """The moves of both dice, searched step by step in both orders (BG-09 to BG-11).

    Used if at most one man is outside the home board: the first die can then decide whether the
    second one can bear a man off.
    """
    found: dict[tuple[Men, Mask], Option] = {}
    for first, second in ((high, low), (low, high)):
        for one in sources(own, open_points, first):
            between = own + SHIFTS[one]
            for two in sources(between, open_points, second):
                hit = blots & (1 << 4 * STEPS[one].target | 1 << 4 * STEPS[two].target)
                option = (one, two) if first == high else (two, one)
                found.setdefault((between + SHIFTS[two], hit), option)
    return list(found.values())


def _doublet(own: Men, open_points: Mask, die: int) -> list[Option]:
    """The moves of a doublet: up to four steps of one die (B1, B2).

    The rearmost man moves first, so that each board is found only once.
    """
    steps: Option = ()
    while own >> 4 * BAR and len(steps) < 4:
        if not open_points >> 4 * (BAR - die) & 1:
            return [steps] if steps else []
        steps += (32 * die + BAR,)
        own += SHIFTS[steps[0]]
    left = 4 - len(steps)
    if not left:
        return [steps]
    away = own >> 4 * (HOME + 1)
    if away and (away % 15 or MEN) >= left:  # modulo 15 is the sum of the groups of four bits
        return _along(own, open_points << 4 * die, die, steps, left)
    found = [(steps, own, BAR)]
    for _ in range(left):
        further = [
            ((*before, step), men + SHIFTS[step], step & 31)
            for before, men, last in found
            for step in sources(men, open_points, die)
            if step & 31 <= last
        ]
        if not further:
            break
        found = further
    return [done for done, _, _ in found if done]


def _along(own: Men, landing: Mask, die: int, steps: Option, left: int) -> list[Option]:
    """The moves of `left` steps of a doublet, where too many men are away from home to bear off."""
    far, number = 4 * die, 32 * die
    found = [(steps, own, held(own) & landing & POINTS)]
    for _ in range(left - 1):
        further = []
        for before, men, free in found:
            points = free
            while points:
                point = points & -points
                points ^= point
                target = point >> far
                # No man behind this point moves after this step; the point itself can be empty now.
                rest = free ^ points | landing & target
                if men & 14 * point == 0:
                    rest ^= point
                step = number + point.bit_length() // 4
                further.append(((*before, step), men - point + target, rest))
        if not further:
            return [before for before, _, _ in found if before]
        found = further
    last = [(*before, step) for before, _, free in found for step in _steps(die, free)]
    return last or [before for before, _, _ in found if before]


def _steps(die: int, points: Mask) -> Option:
    """The steps of a die from each of these points."""
    return _lower(die, points & _LOWER) + _upper(die, points >> HALF + 4)


@cache
def _lower(die: int, points: Mask) -> Option:
    return tuple(32 * die + point for point in _each(points))


@cache
def _upper(die: int, points: Mask) -> Option:
    return tuple(32 * die + HALF // 4 + 1 + point for point in _each(points))


def _each(points: Mask) -> Iterator[int]:
    """The points of a mask."""
    while points:
        lowest = points & -points
        yield lowest.bit_length() // 4
        points ^= lowest
