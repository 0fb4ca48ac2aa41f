"""What an activity on top works with: the table, its stations, guided steps, run state, orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from config.schema import Table, TileSize
from controller.operator.guided_steps import Guided
from controller.orders import Orders
from controller.run_state import RunState
from controller.stations.rig import Stations
from rules.tiles import Face


@dataclass(frozen=True)
class Workplace:
    """One table at work. `face_of` tells a tile's face by its tag, or None.

    `record` takes the lines of a record of the play, each as it comes.
    """

    table: Table
    tile: TileSize
    rig: Stations
    guided: Guided
    run_state: RunState
    orders: Orders
    face_of: Callable[[int], Face | None]
    record: Callable[[str], None]
