"""What each part of a table needs besides its pins: a supply for its drivers, 5 V, and ground.

A channel's kind decides it. What moves is switched by drivers that take the motor supply, which
the relay and the emergency stop interrupt. The relay's own coil, lamps and the buzzer take the
supply before the relay: they have to work while the motors are without power. Modules, strips and
measuring amplifiers take 5 V; so do photo sensors, while a switch needs ground alone. The
emergency stop and the light curtain are contacts to ground.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from config.schema import Table
from controller.wiring.leads import BoardLeads, Lead, Sort, leads_of


class SupplyRail(Enum):
    """A rail that parts are connected to."""

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
"""What hangs on each sort of lead needs these."""
ALWAYS_ON = ("relay", "tower", "buzzer", "panel")
"""Parts whose outputs must not lose power together with the motors."""
BOARD_NEEDS = (SupplyRail.LOGIC, SupplyRail.GROUND)
"""A board itself; on USB it has both from the host."""


class Fed(NamedTuple):
    """A part of one board, or the board itself (`part` is empty), and what feeds it."""

    board: str
    part: str
    supplies: tuple[SupplyRail, ...]

    @property
    def name(self) -> str:
        return f"{self.board}: {self.part}" if self.part else f"board {self.board}"


def fed_parts(table: Table) -> tuple[Fed, ...]:
    """Every board and every part of a table with the supplies that it needs, board by board."""
    return tuple(fed for board in leads_of(table) for fed in _of_board(board))


def supplies_of(leads: Iterable[Lead]) -> tuple[SupplyRail, ...]:
    """What these leads need together, in the order of the rails."""
    needed = {supply for lead in leads for supply in _needs(lead)}
    return tuple(supply for supply in SupplyRail if supply in needed)


def _needs(lead: Lead) -> tuple[SupplyRail, ...]:
    if lead.sort is Sort.OUTPUT and lead.part.partition(" ")[0] in ALWAYS_ON:
        return SupplyRail.ALWAYS, SupplyRail.GROUND
    return NEEDS[lead.sort]


def _of_board(board: BoardLeads) -> Iterable[Fed]:
    yield Fed(board.name, "", BOARD_NEEDS)
    for part in dict.fromkeys(lead.part for lead in board.leads):
        leads = [lead for lead in board.leads if lead.part == part]
        yield Fed(board.name, part, supplies_of(leads))
