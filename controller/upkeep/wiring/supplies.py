"""The supplies that each part of a table needs besides its pins: supply, motor supply, 5 V, ground.

The kind of a lead decides. Motors, axes and outputs have drivers on the motor supply, which the
relay and the emergency stop interrupt. The relay's own coil, the lamp tower, the buzzer and the
panel are connected before the relay, because they must work while the motors have no power.
Modules on serial ports, lamp strips, sensors and measuring amplifiers need 5 V; a sensor that is a
plain switch leaves the 5 V unused. The emergency stop and the light curtain are contacts to ground.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from config.schema import Table
from controller.upkeep.wiring.leads import BoardLeads, Lead, Sort, leads_of


class SupplyRail(Enum):
    """A supply rail to which parts are connected."""

    ALWAYS = "supply"
    MOTORS = "motor supply"
    LOGIC = "5 V"
    GROUND = "ground"


NEEDS = {
    Sort.MOTOR: (SupplyRail.MOTORS, SupplyRail.GROUND),
    Sort.AXIS: (SupplyRail.MOTORS, SupplyRail.GROUND),
    Sort.OUTPUT: (SupplyRail.MOTORS, SupplyRail.GROUND),
    Sort.STRIP: (SupplyRail.LOGIC, SupplyRail.GROUND),
    Sort.SENSOR: (SupplyRail.LOGIC, SupplyRail.GROUND),
    Sort.SAFETY: (SupplyRail.GROUND,),
    Sort.SERIAL: (SupplyRail.LOGIC, SupplyRail.GROUND),
    Sort.ANALOG: (SupplyRail.LOGIC, SupplyRail.GROUND),
}
"""The rails that a part on each sort of lead needs."""
ALWAYS_ON = ("relay", "tower", "buzzer", "panel")
"""Parts whose outputs keep their power while the motors have none."""
BOARD_NEEDS = (SupplyRail.LOGIC, SupplyRail.GROUND)
"""The rails that a board itself needs; on USB the host supplies both."""


class Fed(NamedTuple):
    """A part on one board, or the board itself (`part` is empty), with the rails that it needs."""

    board: str
    part: str
    supplies: tuple[SupplyRail, ...]

    @property
    def name(self) -> str:
        """The name for the document: the board and the part."""
        return f"{self.board}: {self.part}" if self.part else f"board {self.board}"


def fed_parts(table: Table) -> tuple[Fed, ...]:
    """Every board and every part of a table with the rails that it needs, board by board."""
    return tuple(fed for board in leads_of(table) for fed in _of_board(board))


def supplies_of(leads: Iterable[Lead]) -> tuple[SupplyRail, ...]:
    """The rails that these leads need together, in the order of `SupplyRail`."""
    needed = {rail for lead in leads for rail in _needs(lead)}
    return tuple(rail for rail in SupplyRail if rail in needed)


def _needs(lead: Lead) -> tuple[SupplyRail, ...]:
    """The rails that the part on one lead needs."""
    if lead.sort is Sort.OUTPUT and lead.part.partition(" ")[0] in ALWAYS_ON:
        return SupplyRail.ALWAYS, SupplyRail.GROUND
    return NEEDS[lead.sort]


def _of_board(board: BoardLeads) -> Iterable[Fed]:
    """Yield the board, then each of its parts, with the rails that they need."""
    yield Fed(board.name, "", BOARD_NEEDS)
    for part in dict.fromkeys(lead.part for lead in board.leads):
        leads = [lead for lead in board.leads if lead.part == part]
        yield Fed(board.name, part, supplies_of(leads))
