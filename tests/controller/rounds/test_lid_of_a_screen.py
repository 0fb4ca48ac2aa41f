"""The lid's key pressed on a screen while a set is built: simulated people only close the lid."""

from __future__ import annotations

import asyncio

from controller.assembly import Hardware
from controller.daemon import Daemon
from controller.events import Event, EventLog
from tests.controller.table_with_faults import evening


def test_a_lid_that_a_screen_opens_during_a_build_is_closed_and_no_set_is_pushed_in() -> None:
    async def press(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        building = asyncio.Event()

        def on_event(event: Event) -> None:
            if event.get("under") == "building":
                building.set()

        events.listen(on_event)
        await building.wait()
        await asyncio.sleep(8.0)
        daemon.press_lid_key()

    played = evening(game="wenzhou", meanwhile=press)
    assert [code for _, code, _ in played.fault_events] == ["FORGOTTEN", "FORGOTTEN"]
    assert played.fault is None
    assert played.when(event="ready")
    assert {place: n for place, n in played.census.items() if n} == {"box 1": 136, "felt": 136}
