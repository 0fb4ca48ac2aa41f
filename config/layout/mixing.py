"""Model of how well a drum mixes: how strongly the order of the picks depends on the heaps.

A set falls in as four heaps, one from each side, onto the four quarters of a round pan. The
segregation index is the share of a tile's six nearest neighbours that are from its own heap, over
chance; 1 when the heaps are mixed. The tiles of a heap spread over the pan by diffusion
(`spread_after`), which decides the excess of the index over 1 (`excess_of`). The larger the excess,
the more often the heads pick a tile of the same heap as the tile before, which a person who saw the
heaps can guess.

The constants are fitted to a rigid-body simulation by `python -m tools.drum_physics.fit`;
docs/build/MIXING.md has the data, the errors, the assumptions, and what was never measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, exp, expm1, inf, log, pi, radians, sin, sqrt
from random import Random
from typing import TypeVar

from config.schema import DrumModule, Table

SIDES = 4
"""Number of heaps in which a set falls in."""
FRICTION = 0.35
"""Coefficient of friction of tiles on tiles and on the pan (assumed)."""
TILE_AREA = 0.038 * 0.028
"""Area of the tile for which a drum's capacity is given, square metres (assumed)."""
FILL_AT_CAPACITY = 0.4
"""Area of the tiles of a full drum, in areas of its pan, if the table's file gives no pan."""
GRAVITY = 9.81

NORMAL_RPM, NORMAL_RIBS, NORMAL_FILL, NORMAL_RADIUS = 20.0, 4, 0.6, 0.28
"""Speed, number of ribs, area of the tiles in areas of the pan, and radius (m) of `rate`."""
ENOUGH_EXCESS = 0.1
"""Excess of the segregation index at which a set counts as mixed."""
LONGEST = 600
"""Seconds of mixing above which a drum counts as one that does not mix."""
DESCRIBED = {"tilt_deg": (10.0, 45.0), "rpm": (10.0, 45.0), "ribs": (1, 8), "fill": (0.25, 0.8)}
"""The pans that the model describes: a range of each value, within that of the simulated drums."""
MODES = (
    (1.5169, 6.78),
    (0.6904, 18.66),
    (0.1406, 35.30),
    (0.0724, 56.85),
    (0.0437, 82.32),
    (0.0756, 89.94),
    (0.0570, 112.54),
    (0.0229, 128.49),
)
"""The slowest modes of diffusion from the quarters of a disc of radius 1: weight in the excess, and
decay for each unit of the spread. They are 8 c^2 w and 2 j^2 with zeros j of the derivatives of
Bessel functions (docs/build/MIXING.md)."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class FittedMixing:
    """The constants of the model that are fitted to the simulation."""

    hold: float
    """Slope, in g, at which half of the tiles slide."""
    hold_width: float
    """Width of the transition from a pan that holds its tiles to one on which they slide, in g."""
    settling: float
    """Spread while the heaps become one layer."""
    settling_turns: float
    """Revolutions in which the heaps become one layer."""
    crowding: float
    """Power of the fill with which `settling` grows."""
    rate: float
    """Spread in a second of turning, once the tiles lie in one layer."""
    speed: float
    """Power of the speed with which `rate` grows."""
    ribs: float
    """Log ratio by which each rib reduces `rate`."""
    fill: float
    """Power of the fill with which `rate` falls."""
    size: float
    """Power of the radius with which `rate` falls."""
    follows: float
    """Log ratio by which a tile of the last tile's heap is picked next, for each unit of excess."""


FITTED = FittedMixing(
    hold=0.245,
    hold_width=0.0805,
    settling=0.0399,
    settling_turns=0.5,
    crowding=3.66,
    rate=0.00333,
    speed=0.165,
    ribs=0.32,
    fill=1.49,
    size=1.27,
    follows=0.597,
)


@dataclass(frozen=True)
class PanMotion:
    """Values that decide how fast a pan mixes: inclination, speed, ribs, radius (metres), fill."""

    tilt_deg: float
    rpm: float
    ribs: int
    radius: float
    fill: float
    """Area of all tiles lying flat, in areas of the pan."""


@dataclass(frozen=True)
class MixingState:
    """The remaining order of the heaps in a drum after some seconds of mixing."""

    excess: float
    """Segregation index minus 1."""
    follows: float
    """Factor on the chance of a tile of the heap from which the last tile was."""


def with_drum(table: Table, **values: float) -> Table:
    """The table with other values of its drum, such as `mix=8.0`; as it is if it has no drum."""
    if table.modules.drum is None:
        return table
    modules = {"drum": table.modules.drum.model_copy(update=values)}
    return table.model_copy(update={"modules": table.modules.model_copy(update=modules)})


def pan_motion(module: DrumModule, tiles: int) -> PanMotion:
    """The pan of a table's drum with this number of tiles."""
    if module.pan is None:
        radius = sqrt(module.capacity * TILE_AREA / FILL_AT_CAPACITY / pi)
    else:
        radius = module.pan / 2000
    fill = tiles * TILE_AREA / (pi * radius**2)
    return PanMotion(module.tilt_deg, module.rpm, module.ribs, radius, fill)


def undescribed(pan: PanMotion) -> list[str]:
    """The values of a pan that are outside the ranges of the model, by their names."""
    return [n for n, (low, high) in DESCRIBED.items() if not low <= getattr(pan, n) <= high]


def sliding(pan: PanMotion, fitted: FittedMixing = FITTED) -> float:
    """The share of the tiles that slide down the pan, 0 to 1: the slope drives, friction holds."""
    tilt = radians(pan.tilt_deg)
    slope = sin(tilt) - FRICTION * cos(tilt)
    return 1 / (1 + exp((fitted.hold - slope) / fitted.hold_width))


def settled_spread(pan: PanMotion, fitted: FittedMixing = FITTED) -> float:
    """Spread of the heaps when they have become one layer."""
    crowded = exp(fitted.crowding * log(pan.fill / NORMAL_FILL))
    return fitted.settling * crowded * sliding(pan, fitted)


def spread_rate(pan: PanMotion, fitted: FittedMixing = FITTED) -> float:
    """Spread in a second of turning, once the tiles lie in one layer."""
    logs = (
        fitted.speed * log(pan.rpm / NORMAL_RPM)
        - fitted.ribs * (pan.ribs - NORMAL_RIBS)
        - fitted.fill * log(pan.fill / NORMAL_FILL)
        - fitted.size * log(pan.radius / NORMAL_RADIUS)
    )
    return fitted.rate * exp(logs) * sliding(pan, fitted)


def spread_after(pan: PanMotion, seconds: float, fitted: FittedMixing = FITTED) -> float:
    """Spread of the heaps after some seconds of turning."""
    revolutions = seconds * pan.rpm / 60
    settled = settled_spread(pan, fitted) * -expm1(-revolutions / fitted.settling_turns)
    return settled + spread_rate(pan, fitted) * seconds


def excess_of(spread: float) -> float:
    """Excess of the segregation index at a spread: the sum of the modes of diffusion.

    The spread is the mean square way of a tile in one direction, over 2 and over the square of the
    pan's radius.
    """
    return sum(weight * exp(-decay * spread) for weight, decay in MODES)


def mixing_state(pan: PanMotion, seconds: float, fitted: FittedMixing = FITTED) -> MixingState:
    """The state of a set that the pan has mixed for these seconds."""
    spread = spread_after(pan, seconds, fitted)
    excess = excess_of(spread)
    return MixingState(excess, exp(fitted.follows * excess))


def needed_seconds(pan: PanMotion) -> float:
    """Whole seconds of mixing until the excess is `ENOUGH_EXCESS`; infinite above `LONGEST`."""
    seconds = range(LONGEST + 1)
    return next((at for at in seconds if mixing_state(pan, at).excess <= ENOUGH_EXCESS), inf)


def heaps_of(count: int) -> list[int]:
    """The heap of each tile of a set: consecutive quarters of the tiles fall in together."""
    return [at * SIDES // count for at in range(count)]


def order_of_picks(
    fallen: Sequence[tuple[Item, int]], state: MixingState, chance: Random
) -> list[Item]:
    """A random order in which the heads pick these tiles, each given with its heap."""
    left = list(fallen)
    picked: list[Item] = []
    last = None
    while left:
        chances = _chances([heap for _, heap in left], last, state.follows)
        item, last = left.pop(chance.choices(range(len(left)), chances)[0])
        picked.append(item)
    return picked


def guessing_score(count: int, state: MixingState, chance: Random, orders: int) -> list[float]:
    """Expected number of right guesses in each of some random orders, by the best player.

    The player knows the model and the heap of each tile, guesses each next tile, and sees each tile
    after the guess.
    """
    scores = []
    for _ in range(orders):
        left, last, score = heaps_of(count), None, 0.0
        while left:
            chances = _chances(left, last, state.follows)
            score += max(chances) / sum(chances)
            last = left.pop(chance.choices(range(len(left)), chances)[0])
        scores.append(score)
    return scores


def _chances(heaps: Sequence[int], last: int | None, follows: float) -> list[float]:
    """Chances of the tiles of these heaps to be picked next, after a tile of the heap `last`."""
    return [follows if heap == last else 1.0 for heap in heaps]
