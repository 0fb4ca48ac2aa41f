"""Repeats a few drums in PyBullet: `python -m tools.drum_physics.bullet OUTPUT [NAME ...]`.

PyBullet is not a dependency of this project: install it by `pip install pybullet` to run this. Its
solver differs from MuJoCo's in every part, so that a result of both is not one of a solver. The
tilt is a rotation of gravity, as in `pan`, and the same heaps fall in.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from math import cos, pi, radians, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from config.layout.mixing import GRAVITY
from tools.drum_physics.designs import DESIGNS
from tools.drum_physics.heaps import heap_up
from tools.drum_physics.measures import segregation
from tools.drum_physics.pan import RIB_HEIGHT, RIB_WIDTH, RIM_FRICTION, RIM_SEGMENTS
from tools.drum_physics.setting import DrumSetting

STEP = 1 / 240
SPIN_UP = 0.5
COMPARED = ("usual", "tilt 45", "tilt 25", "wide pan", "32 tiles")
"""The designs that both engines simulate."""
SECONDS = 20
"""Seconds of mixing of each run."""


def tumble(setting: DrumSetting, seed: int, seconds: int) -> tuple[list[float], float]:
    """The segregation index at each whole second, and the fastest speed of a tile, m/s."""
    bullet: Any = import_module("pybullet")
    world = bullet.connect(bullet.DIRECT)
    tilt, radius = radians(setting.tilt_deg), setting.pan_radius_mm / 1000
    bullet.setGravity(0, -GRAVITY * sin(tilt), -GRAVITY * cos(tilt), physicsClientId=world)
    bullet.setPhysicsEngineParameter(fixedTimeStep=STEP, numSolverIterations=50)
    pan = _pan(bullet, setting, radius)
    _rim(bullet, radius, sqrt(setting.friction))
    chance = np.random.default_rng(seed)
    heaps = heap_up(setting, chance)
    tiles = _tiles(bullet, setting, heaps.places, chance)
    speed, index, fastest = setting.rpm * 2 * pi / 60, [], 0.0
    for step in range(round(seconds / STEP)):
        now = step * STEP
        turning = speed * min(1.0, now / SPIN_UP)
        angle = speed * (now - SPIN_UP / 2 if now > SPIN_UP else now**2 / (2 * SPIN_UP))
        bullet.resetBasePositionAndOrientation(
            pan, (0, 0, 0), (0, 0, sin(angle / 2), cos(angle / 2))
        )
        bullet.resetBaseVelocity(pan, (0, 0, 0), (0, 0, turning))
        bullet.stepSimulation()
        if (step + 1) % 24 == 0:
            speeds = [np.linalg.norm(bullet.getBaseVelocity(tile)[0]) for tile in tiles]
            fastest = max(fastest, float(max(speeds)))
        if (step + 1) % 240 == 0:
            places = np.array([bullet.getBasePositionAndOrientation(t)[0] for t in tiles])
            index.append(segregation(places, heaps.quadrants))
    bullet.disconnect(world)
    return index, float(fastest)


def _pan(bullet: Any, setting: DrumSetting, radius: float) -> Any:
    """Floor and ribs as one body without mass, whose motion is given."""
    inner, outer = 0.2 * radius, 0.98 * radius
    angles = [2 * pi * number / setting.ribs for number in range(setting.ribs)]
    halves = [(radius + 0.03, radius + 0.03, 0.05)]
    halves += [((outer - inner) / 2, RIB_WIDTH / 2, RIB_HEIGHT / 2)] * len(angles)
    middle = (inner + outer) / 2
    places = [(0.0, 0.0, -0.05)]
    places += [(middle * cos(a), middle * sin(a), RIB_HEIGHT / 2) for a in angles]
    turns = [(0.0, 0.0, sin(a / 2), cos(a / 2)) for a in (0.0, *angles)]
    shape = bullet.createCollisionShapeArray(
        shapeTypes=[bullet.GEOM_BOX] * len(halves),
        halfExtents=halves,
        collisionFramePositions=places,
        collisionFrameOrientations=turns,
    )
    pan = bullet.createMultiBody(0, shape)
    bullet.changeDynamics(pan, -1, lateralFriction=sqrt(setting.friction), restitution=0.0)
    return pan


def _rim(bullet: Any, radius: float, tile_friction: float) -> None:
    for side in range(RIM_SEGMENTS):
        at = 2 * pi * side / RIM_SEGMENTS
        shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=(0.05, 0.4 * radius, 1.0))
        place = ((radius + 0.05) * cos(at), (radius + 0.05) * sin(at), 0.5)
        rim = bullet.createMultiBody(0, shape, -1, place, (0, 0, sin(at / 2), cos(at / 2)))
        bullet.changeDynamics(
            rim, -1, lateralFriction=RIM_FRICTION / tile_friction, restitution=0.0
        )


def _tiles(
    bullet: Any, setting: DrumSetting, places: Any, chance: np.random.Generator
) -> list[Any]:
    half = [side / 2000 for side in setting.tile_mm]
    shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half)
    tiles = []
    for place in places:
        turn = chance.uniform(0, 2 * pi)
        way = (0, 0, sin(turn / 2), cos(turn / 2))
        tile = bullet.createMultiBody(setting.tile_g / 1000, shape, -1, list(place), way)
        # PyBullet multiplies the coefficients of both bodies.
        bullet.changeDynamics(
            tile, -1, lateralFriction=sqrt(setting.friction), restitution=0.0,
            linearDamping=0.0, angularDamping=0.0,
        )  # fmt: skip
        tiles.append(tile)
    return tiles


def main() -> int:
    """Run the named designs with three seeds each, and write them as JSON."""
    output, names = Path(sys.argv[1]), sys.argv[2:] or [*COMPARED]
    runs = []
    for seed in (1, 2, 3):
        for design in DESIGNS:
            if design.name in names:
                began = time.process_time()
                index, fastest = tumble(design.setting, seed, SECONDS)
                runs.append(
                    {
                        "design": design.name,
                        "seed": seed,
                        "setting": design.setting.as_json(),
                        "segregation": [round(each, 3) for each in index],
                        "fastest": round(fastest, 2),
                        "cpu_s": round(time.process_time() - began, 1),
                    }
                )
                print(design.name, seed, runs[-1]["segregation"], runs[-1]["fastest"], flush=True)
                lines = ",\n  ".join(json.dumps(run) for run in runs)
                output.write_text(f'{{"runs": [\n  {lines}\n]}}\n', "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
