"""Writes docs/build/MIXING.md from the model and the stored runs of the rigid-body simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import isinf, pi
from random import Random
from statistics import mean
from textwrap import fill

from config.layout.mixing import (
    ENOUGH_EXCESS,
    FITTED,
    TILE_AREA,
    PanMotion,
    guessing_score,
    mixing_state,
    needed_seconds,
    pan_motion,
)
from config.loader import load_table, table_names
from tools.drum_physics.compare import compared_engines
from tools.drum_physics.designs import DESIGNS
from tools.drum_physics.fit import SPREAD, Fitted, fitted_campaign, read_runs
from tools.drum_physics.order_fit import ORDER, drop_order_correlation
from tools.drum_physics.setting import WHOLE_SET, DrumSetting, plausible_speed

_ORDERS = 12
"""Random orders of which a guessing score is the mean; its standard error is below 0.1."""
_SECONDS = (0, 8, 20, 40, 60, 90, 120)
_PANS = tuple(
    PanMotion(tilt, 20.0, ribs, radius, WHOLE_SET * TILE_AREA / (pi * radius**2))
    for tilt, ribs, radius in (
        (45.0, 2, 0.36),
        (40.0, 2, 0.36),
        (35.0, 2, 0.36),
        (35.0, 4, 0.36),
        (35.0, 2, 0.28),
        (35.0, 4, 0.28),
        (35.0, 8, 0.28),
        (25.0, 2, 0.36),
        (10.0, 2, 0.36),
    )
)
_INTRODUCTION = """\
# How well a drum mixes

This page is generated from the model in `config/layout/mixing.py` and from the stored runs of a
rigid-body simulation (`docs/build/campaigns/drum_physics.json`); change those, then run `make
docs`.

**No real drum has been measured.** Everything here is a simulation and a model that is fitted to
it. A table with a tag reader can measure its own drum; its result takes precedence over this
page.

## Terms

A set falls into the drum as four heaps, one from each side of the table.

- **Segregation index**: the share of a tile's six nearest neighbours that are from its own heap,
  over chance. It is 1 when the heaps are mixed and 4 when they are apart.
- **Excess**: the segregation index minus 1.
- **Guessing score**: a player guesses each tile before it is picked, and sees it afterwards. The
  score is the expected number of right guesses in a whole set. The player of this page has learned
  the model, and which tile was in which heap. After a perfect shuffle no player scores more than 1
  + 1/2 + ... + 1/n: 5.49 with 136 tiles, 4.06 with 32.
- **Needed time**: the seconds after which the excess is {enough:g}.
"""
_MODEL = """\
## The model

Accelerations are in g, and friction is 0.35.

- slope = sin(tilt) - 0.35 cos(tilt); at less than 19.3 degrees a single tile does not slide.
- The tiles of a heap spread over the pan by diffusion. The *spread* is the mean square way of a
  tile in one direction, over 2 and over the square of the pan's radius.
- sliding = 1 / (1 + exp((hold - slope) / hold_width)) is the share of the tiles that slide.
- The heaps become one layer in the first revolutions, which spreads them by settling x
  (fill / 0.6)^crowding x sliding x (1 - exp(-revolutions / settling_turns)).
- Each second of turning adds rate x (rpm / 20)^speed x exp(-ribs x (number of ribs - 4)) x
  (0.6 / fill)^fill x (280 mm / radius)^size x sliding.
- excess = the sum of the eight slowest modes of diffusion that starts with the four quarters of a
  disc. Mode (m, k) has the weight 8 c^2 w and the decay 2 j^2 for each unit of spread: j is zero k
  of the derivative of the Bessel function J_m, c = 2 sin(m pi / 4) / (m pi), and w is the mode's
  share of a constant along the radius. The slowest mode has 1.517 and 6.78.
- The chance of a tile from the heap of the last tile is larger by the factor exp(follows x
  excess).

The simulated table (`firmware_bridge/sim/plant/below_lid/drum.py`) picks its tiles by this model.
It uses the seconds for which the drum really turned, to the nearest whole second, so that a drum
that stops in a pause mixes less.
"""
_LIMITS = """\
## Measurements, model and assumptions

- **Measured in the simulation**: the segregation index of every run, the fastest tile of every
  run, and the picks of the runs that have picks.
- **Model**: diffusion, the form of its rate, and that a set's order depends on the heaps only.
  The stored runs have tilts from {tilts} degrees, {speeds} revolutions a minute, tiles that
  cover {fills} of the pan, and up to {seconds} s of mixing. All else is extrapolated.
- **Assumption**: friction of 0.35 between tiles and of 0.2 at the rim, tiles of 38 x 28 x 20 mm and
  35 g, ribs of 12 mm, a weak magnet, four heaps of equal size that fall in at the same time, the
  pan's size from the drum's capacity, and heads that pick in turn. In the simulated table,
  consecutive quarters of the swept tiles are the heaps.
- **First in, first out**: the correlation of the order of falling with the order of the picks is
  {correlation:.2f} +- {error:.2f} on average of {runs} runs with a whole set; the model has no such
  effect.
- **Weakest part**: few tiles in a small pan. Such a set lies in a single layer after two seconds;
  if it fills the pan, it hardly moves then, which one rate for all sizes does not describe.
- **Not described**: a pan at 60 revolutions a minute throws its tiles, and mixes much faster than
  the model says. The model is for 10 to 45 revolutions a minute.
- **A pan without ribs** mixed 136 tiles fastest, but may carry no tile to the heads: in two runs
  with 32 tiles in a pan of 400 mm without ribs the tiles lay still, and the heads picked none.
- **Not in the model**: fixed bars above the ribs, stronger magnets, worn tiles, static
  electricity, and the mixing that goes on while the heads pick.
- **Never measured**: any real drum, any real magnet, and any real set.

## The simulation

`tools/drum_physics` tumbles boxes in MuJoCo (extra `physics`): an inclined pan that turns about its
own axis in a rim of 16 sides that stands still, with radial ribs; heads at the upper rim take the
nearest tile within 50 mm. Box contacts of MuJoCo can throw resting boxes at 15 to 21 m/s. With
contacts that have a time constant of 20 ms and critical damping, and a solver that iterates until
its tolerance is 1e-5, the fastest tile of all runs had {fastest:.1f} m/s. The program refuses a run
with a tile that is faster than a fall from its heap and a slide without friction explain
({limit:.1f} m/s in the drum *usual*), and a run in which the pan turned less far than its speed
demands. The second check exists because the pan of earlier runs touched the rim, which braked it
to 14 instead of 20 revolutions a minute.
"""


def page() -> str:
    """Return the text of docs/build/MIXING.md."""
    lines = [_INTRODUCTION.format(enough=ENOUGH_EXCESS), *_tables(), *_scores(), _MODEL]
    lines += [*_constants(), *_campaign(), *_engines(), _limits(), *_commands()]
    return "\n".join(lines)


def _limits() -> str:
    settings = [design.setting for design in DESIGNS]
    correlation, error, runs = drop_order_correlation(read_runs())
    return _LIMITS.format(
        tilts=_range([each.tilt_deg for each in settings]),
        speeds=_range([each.rpm for each in settings]),
        fills=_range([round(each.fill, 2) for each in settings]),
        seconds=max(design.seconds for design in DESIGNS),
        correlation=correlation,
        error=error,
        runs=runs,
        fastest=max(run["fastest"] for run in read_runs()),
        limit=plausible_speed(DrumSetting()),
    )


def _range(values: Sequence[float]) -> str:
    return f"{min(values):g} to {max(values):g}"


def _tables() -> Iterator[str]:
    yield "## The tables of this project"
    yield ""
    yield "With a drum filled to its capacity:"
    yield ""
    yield "| table | tilt, speed, ribs, pan | needed | `mix` | guessing score | perfect shuffle |"
    yield "|---|---|---|---|---|---|"
    for name in table_names():
        if (drum := load_table(name).modules.drum) is None:
            continue
        pan = pan_motion(drum, drum.capacity)
        motion = f"{drum.tilt_deg:g} deg, {drum.rpm:g} rpm, {drum.ribs}, {2000 * pan.radius:.0f} mm"
        score, perfect = _score(pan, drum.mix, drum.capacity), _perfect(drum.capacity)
        needed = needed_seconds(pan)
        yield f"| {name} | {motion} | {needed:g} s | {drum.mix:g} s | {score:.1f} | {perfect:.1f} |"
    yield ""


def _scores() -> Iterator[str]:
    yield f"## Geometry, seconds and guessing score, {WHOLE_SET} tiles at 20 revolutions a minute"
    yield ""
    yield "Each cell has the segregation index and the guessing score after these seconds."
    yield ""
    yield f"| tilt, ribs, pan | needed | {' | '.join(f'{at} s' for at in _SECONDS)} |"
    yield f"|---|---|{'---|' * len(_SECONDS)}"
    for pan in _PANS:
        cells = [
            f"{1 + mixing_state(pan, at).excess:.2f}, {_score(pan, at, WHOLE_SET):.1f}"
            for at in _SECONDS
        ]
        needed = needed_seconds(pan)
        shown = "never" if isinf(needed) else f"{needed:g} s"
        geometry = f"{pan.tilt_deg:g} deg, {pan.ribs}, {2000 * pan.radius:g} mm"
        yield f"| {geometry} | {shown} | {' | '.join(cells)} |"
    yield ""
    yield f"After a perfect shuffle: 1.00, {_perfect(WHOLE_SET):.1f}."
    yield ""


def _constants() -> Iterator[str]:
    found = campaign_fit()
    yield "| constant | value | standard error |"
    yield "|---|---|---|"
    for name in (*SPREAD, *ORDER):
        yield f"| {name} | {getattr(FITTED, name):.3g} | {found.errors[name]:.2g} |"
    yield ""


def _campaign() -> Iterator[str]:
    found = campaign_fit()
    yield "## Simulated drums"
    yield ""
    yield _paragraph(
        f"{found.runs} runs of {len(found.rows)} drums. *Measured* is the segregation index, the"
        " mean of all runs and seconds, with the standard error of this mean. *Model* is the"
        " model's mean over the same seconds; its standard error is that of the constants and of"
        f" the form: drums differ from the model by {found.form:.2f} (standard deviation). A drum"
        " that is *held out* was not used for the fit; the model does not describe one that is"
        " *outside*."
    )
    yield ""
    yield "| drum | runs | measured | model | difference in standard errors | |"
    yield "|---|---|---|---|---|---|"
    for row in found.rows:
        yield (
            f"| {row.design} | {row.runs} | {row.measured:.2f} +- {row.measured_error:.2f}"
            f" | {row.predicted:.2f} +- {row.predicted_error:.2f} | {row.deviation:+.1f}"
            f" | {row.use} |"
        )
    yield ""
    yield _paragraph(
        "*usual* is 136 tiles in a pan of 560 mm with 4 ribs, at 35 degrees and 20 revolutions a"
        " minute; each other row changes what its name says. *wide* is 720 mm, *narrow* 480 mm; 64"
        " tiles are in a pan of 384 mm, 32 tiles in one of 280 mm."
    )
    yield ""


def _engines() -> Iterator[str]:
    rows = compared_engines()
    yield "## Another engine"
    yield ""
    most = max(abs(row.mujoco - row.bullet) for row in rows)
    yield _paragraph(
        "The same drums in PyBullet, whose solver differs from MuJoCo's in every part: the mean"
        f" segregation index over the first {rows[0].seconds} s, with its standard error. The"
        f" engines differ by up to {most:.2f}, more than by chance: a figure of this page is not"
        " more exact than that."
    )
    yield ""
    yield "| drum | MuJoCo | PyBullet | difference in standard errors | fastest tile in PyBullet |"
    yield "|---|---|---|---|---|"
    for row in rows:
        yield (
            f"| {row.design} | {row.mujoco:.2f} +- {row.mujoco_error:.2f}"
            f" | {row.bullet:.2f} +- {row.bullet_error:.2f} | {row.deviation:+.1f}"
            f" | {row.fastest:.1f} m/s |"
        )
    yield ""


def _commands() -> Iterator[str]:
    yield "```console"
    yield "$ python -m tools.drum_physics       # repeats the campaign: many processor minutes"
    yield "$ python -m tools.drum_physics.fit   # fits the constants, and checks each drum"
    yield "$ python -m tools.drum_physics.bullet docs/build/campaigns/drum_bullet.json  # PyBullet"
    yield "```"
    yield ""


def _paragraph(text: str) -> str:
    return fill(text, width=100)


def _score(pan: PanMotion, seconds: float, tiles: int) -> float:
    return mean(guessing_score(tiles, mixing_state(pan, seconds), Random(1), _ORDERS))


def _perfect(tiles: int) -> float:
    return sum(1 / left for left in range(1, tiles + 1))


@cache
def campaign_fit() -> Fitted:
    """The model fitted to the stored runs; the fit takes 20 s."""
    return fitted_campaign()
