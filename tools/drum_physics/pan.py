"""The description of a drum that MuJoCo compiles: pan, rim, ribs, bars and tiles.

The frame is that of the pan: z is the axis of the pan, +y is uphill, and gravity is inclined
instead of the pan. The rim does not turn. Lengths are in metres.
"""

from __future__ import annotations

from math import cos, pi, radians, sin

from config.layout.mixing import GRAVITY
from tools.drum_physics.setting import DrumSetting

RIM_SEGMENTS = 16
RIB_HEIGHT, RIB_WIDTH = 0.012, 0.006
"""Of a rib, metres."""
BAR_GAP = 0.004
"""Gap between the ribs and a fixed bar above them, metres."""
RIM_FRICTION = 0.2


def describe(setting: DrumSetting, step: float, contact: str, solver: str) -> str:
    """The XML of a drum; `contact` and `solver` are attributes for contacts and the solver."""
    radius = setting.pan_radius_mm / 1000
    tilt = radians(setting.tilt_deg)
    gravity = f"0 {-GRAVITY * sin(tilt):.6f} {-GRAVITY * cos(tilt):.6f}"
    half = " ".join(f"{side / 2000:.4f}" for side in setting.tile_mm)
    floor = f"{radius + 0.03:.4f} {radius + 0.03:.4f} 0.05"
    friction = f'friction="{setting.friction} 0.002 0.0001"'
    return f"""<mujoco>
  <option timestep="{step}" gravity="{gravity}" {solver}/>
  <size memory="128M"/>
  <default><geom condim="3" {contact} {friction}/></default>
  <worldbody>
    {"".join(_rim(radius))}
    {"".join(_bars(setting, radius))}
    <body name="pan">
      <joint name="pan" type="hinge" axis="0 0 1" armature="1000"/>
      <geom type="box" size="{floor}" pos="0 0 -0.05" mass="1"/>
      {"".join(_ribs(setting, radius))}
    </body>
    {"".join(_tiles(setting, half))}
  </worldbody>
</mujoco>"""


def _rim(radius: float) -> list[str]:
    return [
        f'<geom type="plane" size="1 1 0.1" pos="{radius * cos(at):.5f} {radius * sin(at):.5f} 0"'
        f' zaxis="{-cos(at):.5f} {-sin(at):.5f} 0" contype="2" conaffinity="2" priority="1"'
        f' friction="{RIM_FRICTION} 0.002 0.0001"/>'
        for at in (2 * pi * side / RIM_SEGMENTS for side in range(RIM_SEGMENTS))
    ]


def _ribs(setting: DrumSetting, radius: float) -> list[str]:
    """Radial ribs on the floor, from a fifth of the radius to the rim."""
    inner, outer = 0.2 * radius, 0.98 * radius
    return [_radial(at, inner, outer, RIB_HEIGHT, 0.0) for at in _angles(setting.ribs)]


def _bars(setting: DrumSetting, radius: float) -> list[str]:
    base = (RIB_HEIGHT if setting.ribs else 0.0) + BAR_GAP
    return [_radial(at + 0.3, 0.15 * radius, radius, 0.03, base) for at in _angles(setting.bars)]


def _angles(count: int) -> list[float]:
    return [2 * pi * number / count for number in range(count)]


def _radial(at: float, inner: float, outer: float, height: float, base: float) -> str:
    middle, half = (inner + outer) / 2, (outer - inner) / 2
    return (
        f'<geom type="box" size="{half:.4f} {RIB_WIDTH / 2:.4f} {height / 2:.4f}"'
        f' pos="{middle * cos(at):.4f} {middle * sin(at):.4f} {base + height / 2:.4f}"'
        f' euler="0 0 {at * 180 / pi:.3f}" mass="0.1"/>'
    )


def _tiles(setting: DrumSetting, half: str) -> list[str]:
    mass = setting.tile_g / 1000
    return [
        f'<body name="tile{number}"><freejoint/>'
        f'<geom type="box" size="{half}" mass="{mass}" contype="3" conaffinity="3"/></body>'
        for number in range(setting.tiles)
    ]
