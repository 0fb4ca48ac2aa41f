"""The description of a kind of injected fault."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from firmware_bridge.sim.faults.parts import Parts

BY_OUTPUTS = "each change of an output"
"""The occasion of all faults from outside: `@` needs no occasion, `#` and rates count them."""


class Realm(enum.Enum):
    """The component that applies a fault."""

    PLANT = "plant"
    BOARD = "board"
    LINE = "line"
    HOST = "host"


@dataclass(frozen=True)
class FaultKind:
    """One kind of injected fault.

    `does` is the effect, `shows` the sensors' readings. `measure` is the meaning of the number
    after `~` (empty: the kind takes none) and `usual` its default.
    """

    name: str
    does: str
    shows: str
    cure: str
    occasion: str
    parts: Parts
    measure: str = ""
    usual: float = 0.0
    realm: Realm = Realm.PLANT
