"""The components that the activity on top uses, as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from config.schema import Table, TileSize
from controller.run.operator.guided_steps import Guided
from controller.run.orders import Orders
from controller.run.run_state import RunState
from controller.run.stations.rig import Stations
from rules.tiles import Face


@dataclass(frozen=True)
class Workplace:
    """The components of one table.

    `face_of` returns a tile's face by its tag, None for an unknown tag. `record` takes each line of
    the record of the play.
    """

    table: Table
    tile: TileSize
    rig: Stations
    guided: Guided
    run_state: RunState
    orders: Orders
    face_of: Callable[[int], Face | None]
    record: Callable[[str], None]
