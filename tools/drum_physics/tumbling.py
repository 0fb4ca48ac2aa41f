"""Tumbles the tiles of a drum in MuJoCo, then lets heads at the rim pick them.

Contacts are soft (time constant 20 ms, critically damped) and a step is 6 ms: with the harder
contacts of MuJoCo's default solver settings, box contacts can throw resting boxes at 15 to 21 m/s.
A run whose fastest tile exceeds `plausible_speed` is refused. The packages `mujoco` and `numpy` are
those of the extra `physics`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, degrees, pi, sin
from typing import Any

import mujoco
import numpy as np

from rules.errors import WallwrightError
from tools.drum_physics.heaps import Heaps, heap_up
from tools.drum_physics.measures import segregation
from tools.drum_physics.pan import describe
from tools.drum_physics.setting import DrumSetting, plausible_speed

STEP = 0.006
"""Seconds of one step."""
CONTACT = 'solref="0.02 1"'
SOLVER = (
    'solver="Newton" iterations="20" ls_iterations="8" tolerance="1e-5" integrator="implicitfast"'
)
SPIN_UP = 0.5
"""Seconds in which the pan comes to its speed."""
HEAD_ANGLES = (65.0, 90.0, 115.0)
"""Angles of the heads at the rim, degrees; 90 is the highest point of the pan."""
REACH = 0.05
"""Distance of a tile's centre from the head's point up to which the head can pick it, metres."""
HEAD_INSET = 0.03
"""Distance of a head's point from the rim, metres."""
HEAD_REST = 0.28
"""Least seconds between two picks of one head."""
MAGNET_ARM = 0.005
"""Torque that turns a face down, in metres times the magnet's force."""
MAGNET_REACH = 0.015
"""Height of a tile's centre above the floor up to which the magnet acts, metres."""
LONGEST_PICKING = 60.0
"""Seconds after which tiles that no head has picked count as left over."""


class StalledPanError(WallwrightError):
    """The pan did not turn as far as its speed demands: a contact brakes it."""


class ImplausibleSpeedError(WallwrightError):
    """A contact threw a tile faster than any real tile moves; the run proves nothing."""


@dataclass
class Tumbled:
    """One run: the segregation index at each whole second, and each pick."""

    heaps: Heaps
    segregation: list[float] = field(default_factory=list)
    picks: list[tuple[int, int, float]] = field(default_factory=list)
    """Tile, head and seconds since the heads began."""
    fastest: float = 0.0
    """Speed of the fastest tile, m/s."""
    face_down: float = 0.0
    """Share of the tiles that lie face down after mixing."""


def tumble(setting: DrumSetting, seed: int, seconds: int, *, picking: bool) -> Tumbled:
    """Let the heaps fall, turn the pan for these seconds, then pick if `picking`.

    Raises ImplausibleSpeedError if a tile moves faster than `plausible_speed`, and StalledPanError
    if the pan turns less far than its speed demands.
    """
    drum = _Drum(setting, seed)
    for _ in range(seconds):
        drum.run(1.0)
        drum.check_turned()
        drum.result.segregation.append(segregation(drum.places(), drum.result.heaps.quadrants))
    drum.result.face_down = float((drum.faces()[:, 2] < -0.7).mean())
    if picking:
        drum.pick_all()
    return drum.result


class _Drum:
    """The compiled drum, its state and the tiles that are still in it."""

    def __init__(self, setting: DrumSetting, seed: int) -> None:
        chance = np.random.default_rng(seed)
        self._setting = setting
        self._model = mujoco.MjModel.from_xml_string(describe(setting, STEP, CONTACT, SOLVER))
        self._data = mujoco.MjData(self._model)
        self._speed = setting.rpm * 2 * pi / 60
        self._radius = setting.pan_radius_mm / 1000
        self._limit = plausible_speed(setting)
        self.result = Tumbled(heap_up(setting, chance))
        tiles = np.arange(setting.tiles)
        # The pan's hinge comes first in the state: one position, one velocity, body 1.
        self._at = 1 + 7 * tiles[:, None] + np.arange(7)
        self._moving = 1 + 6 * tiles[:, None] + np.arange(6)
        self._body = 2 + tiles
        self._inside = np.ones(setting.tiles, dtype=bool)
        self._parked = self._data.qpos.copy()
        for tile in tiles:
            turn, over = chance.uniform(0, 2 * pi), chance.random() < 0.5
            # A rotation about z, after half a turn about x for a tile that falls face up.
            about_z = (cos(turn / 2), 0.0, 0.0, sin(turn / 2))
            over_z = (0.0, cos(turn / 2), sin(turn / 2), 0.0)
            self._data.qpos[self._at[tile]] = (
                *self.result.heaps.places[tile],
                *(over_z if over else about_z),
            )
            self._parked[self._at[tile]] = (10.0 + tile, 0.0, 10.0, 1.0, 0.0, 0.0, 0.0)

    def places(self) -> Any:
        return self._data.qpos[self._at[:, :3]]

    def faces(self) -> Any:
        """The direction in which each tile's face looks: its own -z axis."""
        return -self._data.xmat[self._body].reshape(-1, 3, 3)[:, :, 2]

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self._step()

    def check_turned(self) -> None:
        turned, due = self._data.qpos[0], self._speed * (self._data.time - SPIN_UP / 2)
        if not abs(turned - due) <= 0.01 * due + 0.01:
            raise StalledPanError(
                f"The pan turned {degrees(turned):.0f} deg in {self._data.time:.1f} s instead of"
                f" {degrees(due):.0f} deg. Look for a contact that brakes the pan."
            )

    def _step(self) -> None:
        data = self._data
        data.qvel[0] = self._speed * min(1.0, data.time / SPIN_UP)
        self._pull()
        mujoco.mj_step(self._model, data)
        out = ~self._inside
        if out.any():
            data.qpos[self._at[out]] = self._parked[self._at[out]]
            data.qvel[self._moving[out]] = 0.0
        fastest = float(np.sqrt((data.qvel[self._moving[:, :3]] ** 2).sum(axis=1)).max())
        self.result.fastest = max(self.result.fastest, fastest)
        if not fastest <= self._limit:
            raise ImplausibleSpeedError(
                f"A tile moved at {fastest:.1f} m/s after {data.time:.2f} s, more than"
                f" {self._limit:.1f} m/s. Use a shorter step or softer contacts."
            )

    def _pull(self) -> None:
        """Apply the magnet to the tiles on the floor."""
        near = self._inside & (self.places()[:, 2] < MAGNET_REACH)
        force = self._data.xfrc_applied
        force[self._body] = 0.0
        force[self._body, 2] = -self._setting.magnet_n * near
        # The torque is the cross product of the face's direction with straight down.
        face = self.faces()
        arm = self._setting.magnet_n * MAGNET_ARM * near
        force[self._body, 3], force[self._body, 4] = -face[:, 1] * arm, face[:, 0] * arm

    def pick_all(self) -> None:
        """Let each head take the nearest tile within its reach whenever it has rested."""
        start = self._data.time
        inset = self._radius - HEAD_INSET
        points = [(inset * cos(a * pi / 180), inset * sin(a * pi / 180)) for a in HEAD_ANGLES]
        ready = [start] * len(points)
        while self._inside.any() and self._data.time - start < LONGEST_PICKING:
            for head, point in enumerate(points):
                if self._data.time < ready[head]:
                    continue
                away = np.hypot(*(self.places()[:, :2] - point).T)
                away[~self._inside] = np.inf
                tile = int(np.argmin(away))
                if away[tile] < REACH:
                    self._inside[tile] = False
                    self.result.picks.append((tile, head, self._data.time - start))
                    self._data.qpos[self._at[tile]] = self._parked[self._at[tile]]
                    self._data.qvel[self._moving[tile]] = 0.0
                    ready[head] = self._data.time + HEAD_REST
            self._step()
