"""Computes paths of horizontal and vertical lines for wires, with few crossings.

The board is in the middle, and the labels are at both sides. On each side, between board and
labels, is a channel of vertical tracks. Below the board is a bed of horizontal tracks. Each wire
has a track of its own, so no two wires share a piece of a line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from tools.wiring.footprints import Way

Point = tuple[float, float]
Item = TypeVar("Item")

BELOW = float("inf")
"""The position of the bed before its tracks are assigned: below everything."""


class Run(NamedTuple):
    """One wire whose path is to be computed: from a pad to a label on the left or on the right."""

    name: str
    pad: Point
    way: Way
    jog: float
    label: Point
    to_left: bool

    @property
    def across(self) -> bool:
        """Whether the wire uses the bed below the board."""
        return self.way is Way.DOWN or (self.way is Way.LEFT) != self.to_left


class _Upright(NamedTuple):
    """A wire in a channel, with the heights of its ends towards the labels and the board."""

    run: Run
    to_labels: tuple[float, ...]
    to_board: tuple[float, ...]

    @property
    def span(self) -> tuple[float, float]:
        ends = (*self.to_labels, *self.to_board)
        return min(ends), max(ends)


class Ground(NamedTuple):
    """The space for wires: the inner edge of each channel, the top of the bed, the distances.

    `bed` is the height of a row of labels. Further rows of labels can follow below it at distances
    of `row`; the tracks of the bed avoid these heights.
    """

    left: float
    right: float
    bed: float
    pitch: float
    row: float


def lay(runs: Sequence[Run], ground: Ground) -> dict[str, list[Point]]:
    """Return the corners of each wire, from its pad to its label."""
    left, right = _channel(runs, to_left=True), _channel(runs, to_left=False)
    left_x = {each.run.name: ground.left - at * ground.pitch for at, each in enumerate(left)}
    right_x = {each.run.name: ground.right + at * ground.pitch for at, each in enumerate(right)}
    bed = _bed(runs, left_x, right_x)
    bed_y = {run.name: ground.bed + _deep(at, ground.row) for at, run in enumerate(bed)}
    return {run.name: _corners(run, left_x, right_x, bed_y) for run in runs}


def width_of(runs: Sequence[Run], pitch: float, *, to_left: bool) -> float:
    """Return the width that the channel of vertical tracks on one side needs, in pixels."""
    return (len(_uprights(runs, to_left=to_left)) + 1) * pitch


def depth_of(runs: Sequence[Run], row: float) -> float:
    """Return the height that the horizontal tracks below the board need, in pixels."""
    return _deep(sum(run.across for run in runs) + 1, row)


def _deep(track: int, row: float) -> float:
    """Return the distance of a track below the top of the bed; a label row has three tracks."""
    return row * (track // 3 + (0.2, 0.5, 0.8)[track % 3])


def _corners(
    run: Run, left_x: dict[str, float], right_x: dict[str, float], bed_y: dict[str, float]
) -> list[Point]:
    near, far = (left_x, right_x) if run.way is Way.LEFT else (right_x, left_x)
    x, y = run.pad
    corners = [run.pad]
    if run.way is Way.DOWN:
        if run.jog:
            corners += [(x + run.jog, y + abs(run.jog))]
            x += run.jog
        corners += [(x, bed_y[run.name])]
        last = (left_x if run.to_left else right_x)[run.name]
        corners += [(last, bed_y[run.name])]
    elif run.across:
        last = far[run.name]
        corners += [(near[run.name], y), (near[run.name], bed_y[run.name]), (last, bed_y[run.name])]
    else:
        last = near[run.name]
        corners += [(last, y)]
    return [*corners, (last, run.label[1]), run.label]


# The channels


def _uprights(runs: Sequence[Run], *, to_left: bool) -> list[_Upright]:
    side = Way.LEFT if to_left else Way.RIGHT
    found = []
    for run in runs:
        if run.to_left == to_left:
            entry = BELOW if run.across else run.pad[1]
            found.append(_Upright(run, (run.label[1],), (entry,)))
        elif run.way is side:
            found.append(_Upright(run, (), (run.pad[1], BELOW)))
    return found


def _channel(runs: Sequence[Run], *, to_left: bool) -> list[_Upright]:
    """Return the wires of a channel, the wire next to the board first."""
    return _settled(_uprights(runs, to_left=to_left), _crossings)


def _crossings(near: _Upright, far: _Upright) -> int:
    return sum(_within(y, far.span) for y in near.to_labels) + sum(
        _within(y, near.span) for y in far.to_board
    )


# The bed


def _bed(runs: Sequence[Run], left_x: dict[str, float], right_x: dict[str, float]) -> list[Run]:
    """Return the wires that run below the board, the uppermost first."""

    def ends(run: Run) -> tuple[float, float]:
        arrives = (left_x if run.to_left else right_x)[run.name]
        if run.way is Way.DOWN:
            return run.pad[0] + run.jog, arrives
        return (left_x if run.way is Way.LEFT else right_x)[run.name], arrives

    def crossings(upper: Run, lower: Run) -> int:
        span = min(ends(upper)), max(ends(upper))
        return sum(_within(x, span) for x in ends(lower))

    return _settled([run for run in runs if run.across], crossings)


def _within(value: float, span: tuple[float, float]) -> bool:
    return span[0] < value < span[1]


def _settled(items: list[Item], crossings: Callable[[Item, Item], int]) -> list[Item]:
    """Return an order of items in which no exchange of two neighbours removes a crossing."""
    order = list(items)
    for _ in order:  # as in bubble sort: one pass for each item
        for at in range(len(order) - 1):
            first, second = order[at], order[at + 1]
            if crossings(second, first) < crossings(first, second):
                order[at], order[at + 1] = second, first
    return order
