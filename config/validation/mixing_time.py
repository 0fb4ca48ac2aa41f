"""Warns about a table whose mixing time is shorter than its drum needs."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from config.errors import TableWarning
from config.layout.mixing import DESCRIBED, needed_seconds, pan_motion, undescribed
from config.schema import Table

NAMES = {
    "tilt_deg": "tilt in degrees",
    "rpm": "speed in revolutions a minute",
    "ribs": "number of ribs",
    "fill": "fill (area of the tiles of a full drum, in areas of the pan)",
}


def mixing_warnings(table: Table) -> Iterator[TableWarning]:
    """Yields a warning if the model does not show that a full drum mixes in its time."""
    drum = table.modules.drum
    if drum is None:
        return
    pan = pan_motion(drum, drum.capacity)
    for name in undescribed(pan):
        low, high = DESCRIBED[name]
        text = (
            f"no simulated drum is like this one: its {NAMES[name]} is {getattr(pan, name):.3g},"
            f" and the model of mixing is for {low:g} to {high:g}. Measure how it mixes"
            " (docs/build/LABORATORY.md)."
        )
        yield TableWarning(None, "modules.drum", text)
        return
    needed = needed_seconds(pan)
    if drum.mix >= needed:
        return
    motion = f"tilt {drum.tilt_deg:g} deg, {drum.rpm:g} rpm, {drum.ribs} ribs"
    if isinf(needed):
        text = (
            f"this drum hardly mixes ({motion}). Change its tilt or speed (docs/build/MIXING.md)."
        )
        yield TableWarning(None, "modules.drum", text)
        return
    text = (
        f"{drum.mix:g} s is less than the {needed:g} s that this drum needs with"
        f" {drum.capacity} tiles ({motion}): the order of the tiles can be guessed too often"
        " (docs/build/MIXING.md)."
    )
    yield TableWarning(None, "modules.drum.mix", text)
