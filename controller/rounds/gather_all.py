"""Re-gathering: where nobody can prove any more what lies where, people put every tile away.

The lid stands open and the arm is out of the way while they do; then the table begins as cold as on
its first evening. That it was so is in the journal and among the events: no hand is ever dealt from
tiles that are only believed to be there.
"""

from __future__ import annotations

from controller.faults.catalogue import CATALOGUE, STOP, Fault
from controller.faults.retry import Asking
from controller.faults.table_fault import TableFault
from controller.run_state import Books
from controller.stations.rig import Stations
from firmware_bridge.guide import Ask

TABLE = "the table"
ACTIVITY = "regather"
"""What the journal calls it."""


async def regather(rig: Stations, books: Books, help_: Asking, why: str) -> None:
    """Have every tile put back into its box, set by set.

    Raises TableFault if nobody does: the table does not go on with what it cannot prove. Then, and
    where a run is broken off in it, the intent stays unconfirmed, and the next run begins with it.
    """
    row = CATALOGUE[Fault.UNPROVEN]
    ask = Ask(row.code, TABLE, why, row.request(TABLE), row.answers)
    async with books.intent(ACTIVITY, {"why": why}, tell="regathered"):
        parts = [part.motor.channel for part in (rig.lid,) if part]
        async with rig.leased(*parts):
            if rig.lid:
                await rig.lid.go_forth()
            async with books.asking(ask, row.who) as note:
                answer = await help_(ask)
                note(answer)
        if answer == STOP:
            raise TableFault(Fault.UNPROVEN, TABLE, why)
