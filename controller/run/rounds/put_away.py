"""Prompts people to put every tile away, if the positions of the tiles cannot be proven.

The lid is open until the operator answers. Then the table begins as at its first start, so that no
hand is dealt from tiles whose position is only assumed. The journal and the events record it.
"""

from __future__ import annotations

from controller.events import EventName
from controller.run.faults.catalogue import CATALOGUE, STOP, Fault
from controller.run.faults.failures import TableFault
from controller.run.faults.retry import Asking
from controller.run.pausing.operator_help import ask_until_answered
from controller.run.run_state import RunState
from controller.run.stations.rig import Stations
from firmware_bridge.guide import Ask

TABLE = "the table"
ACTIVITY = "regather"
"""Name of the intent in the journal."""


async def put_away(rig: Stations, run_state: RunState, help_: Asking, why: str) -> None:
    """Open the lid and prompt people to put every tile back into its box, set by set.

    Raises TableFault if the answer is 'stop', or if no answer comes in time. After that, and if the
    run is interrupted, the intent stays unconfirmed in the journal, and the next run begins with
    this prompt.
    """
    row = CATALOGUE[Fault.UNPROVEN]
    ask = Ask(row.code, TABLE, why, row.request(TABLE), row.answers)
    async with run_state.intent(ACTIVITY, {"why": why}, emit=EventName.PUT_AWAY_REQUESTED):
        parts = [part.motor.channel for part in (rig.lid,) if part]
        async with rig.leased(*parts):
            if rig.lid:
                await rig.lid.go_forth()
            answer = await ask_until_answered(run_state, help_, ask, row.who)
        if answer in (None, STOP):
            raise TableFault(Fault.UNPROVEN, TABLE, why)
