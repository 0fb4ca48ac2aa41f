"""The moves of a table for a set-up, for `wallwright plan --table`."""

from __future__ import annotations

from config.schema import GameConfig, Table
from controller.run.orders import Orders
from controller.run.planning.magazine import expected_magazine_times
from controller.run.planning.planner import preview
from controller.run.planning.setup_forecast import hands_for_lanes
from rules.setup import Setup


def moves_of(settled: Setup, table: Table, config: GameConfig) -> dict[str, object]:
    """The moves of a table for this set-up, each with the shortest time of the move alone."""
    seating = settled.seating
    orders = Orders(settled.game, settled.parameters, seating.dealer, seating.players)
    planned = preview(settled, table, config.tile, hands_for_lanes(table, orders))
    times = expected_magazine_times(table, settled.layout.count)
    magazine: dict[str, object] = {}
    if times is not None:
        seconds, turning = round(times.total, 3), round(times.turning, 3)
        magazine = {"shuffle": table.shuffle, "seconds": seconds, "turning": turning}
    return {
        **({"magazine": magazine} if magazine else {}),
        "moves": [
            {**move.facts(), "seconds": seconds}
            for move, seconds in zip(planned.moves, planned.seconds_each, strict=True)
        ],
        "seconds": planned.seconds,
    }
