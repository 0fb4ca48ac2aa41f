"""Plans a complete set-up without a machine: its moves and their least times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from config.layout.field import Field
from config.layout.staging import Staging, stage
from config.schema import Table, TileSize
from controller.run.planning.least_times import move_seconds, top_bound
from controller.run.planning.moves import Move
from controller.run.planning.planner import Planner
from controller.run.planning.setup_forecast import seats_of
from controller.run.planning.table_top import TableTop
from rules.geometry import Seat
from rules.setup import Setup
from rules.steps import Build


@dataclass(frozen=True)
class Preview:
    """The moves of a table for a complete set-up, and their least durations.

    `seconds_each` are the durations of the moves; `seconds` is their sum plus the time in which the
    walls are raised.
    """

    staging: Staging
    moves: tuple[Move, ...]
    seconds_each: tuple[float, ...]
    seconds: float
    top: TableTop


def preview(
    setup: Setup, table: Table, tile: TileSize, hands: Mapping[Seat, int] | None
) -> Preview:
    """Plan every step of a complete set-up. Raises DoesNotFitError.

    `hands` are the numbers of tiles in hand lanes by seat, None if lanes are not used.
    """
    staging = stage(setup.layout, table, hands)
    planner = Planner(table, Field(table, tile), staging, seats_of(setup))
    if hands:
        planner = planner.with_lanes(setup)
    raised = planner.raised()
    moves, top = list(raised.moves), raised.top
    for step, _ in setup.done:
        if not isinstance(step, Build):
            plan = planner.plan(step, top)
            moves += plan.moves
            top = plan.top
    height = tile.height_mm / 1000
    return Preview(
        planner.staging,
        tuple(moves),
        tuple(round(seconds, 3) for seconds in move_seconds(moves, table, height)),
        round(top_bound(moves, table, staging, height), 3),
        top,
    )
