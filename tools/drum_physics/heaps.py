"""Four heaps of tiles at the moment before they fall into the drum, and their order of falling."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, pi
from typing import Any

import numpy as np

from tools.drum_physics.setting import QUADRANTS, DrumSetting

GAP, DROP = 0.003, 0.01
"""Gap between the circles around two tiles of a layer, and between the layers, metres."""


@dataclass(frozen=True)
class Heaps:
    """Place (metres), quadrant, layer (0 lowest) and order of falling (0 first) of each tile."""

    places: Any
    quadrants: Any
    layers: Any
    order: Any


def heap_up(setting: DrumSetting, chance: np.random.Generator) -> Heaps:
    """Lay each quarter of the set on a square grid over its quadrant, layer upon layer.

    All four heaps fall at the same time, and a lower layer falls before a higher one; the order
    inside a layer is random, because its tiles fall at the same moment.
    """
    radius = setting.pan_radius_mm / 1000
    length, width, height = (side / 1000 for side in setting.tile_mm)
    pitch = hypot(length, width) + GAP
    first = pitch / 2 + 0.003
    steps = range(int(radius / pitch) + 1)
    cells = [
        (first + pitch * column, first + pitch * row)
        for column in steps
        for row in steps
        if hypot(first + pitch * column, first + pitch * row) < radius - pitch / 2
    ]
    share = setting.tiles // QUADRANTS
    places, layers = [], []
    for quadrant in range(QUADRANTS):
        turn = pi / 2 * quadrant
        for place in range(share):
            layer, within = divmod(place, len(cells))
            if within == 0:
                free = chance.permutation(len(cells))
            x, y = cells[free[within]]
            places.append(
                (
                    x * np.cos(turn) - y * np.sin(turn),
                    x * np.sin(turn) + y * np.cos(turn),
                    0.03 + (height + DROP) * layer,
                )
            )
            layers.append(layer)
    keys = np.array(layers) + chance.random(len(layers))
    return Heaps(
        np.array(places),
        np.arange(setting.tiles) // share,
        np.array(layers),
        np.argsort(np.argsort(keys)),
    )
