"""Sounds the buzzer briefly when a person is asked, at a limited rate; never delays a round."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from config.schema import BuzzerModule, Table
from controller.events import Event, EventLog, EventName
from controller.run.pausing.power_lease import BoardSupply
from firmware_bridge.wire.errors import BoardError

SIGNAL = "buzzer"
"""Name of the buzzer as a holder of its board's lease."""


class Buzzer:
    """A table's buzzer, active from `begin` to `close`. `supplies` are the boards' leases, by name.

    If it cannot sound, for example during an emergency stop, an event reports that and the run goes
    on.
    """

    def __init__(
        self,
        table: Table,
        supplies: Mapping[str, BoardSupply],
        events: EventLog,
        clock: Callable[[], float],
    ) -> None:
        self._module = table.modules.buzzer
        self._supply = supplies[table.board_of(self._module.sounder)] if self._module else None
        self._events = events
        self._clock = clock
        self._last: float | None = None
        """When it sounded last, seconds of the table's clock."""
        self._open = False
        self._sounding: asyncio.Task[None] | None = None
        if self._module is not None:
            events.listen(self._on_event)

    def begin(self) -> None:
        """Enable the buzzer, once the boards are open."""
        self._open = True

    async def close(self) -> None:
        """Disable the buzzer."""
        self._open = False
        if self._sounding is not None:
            self._sounding.cancel()
            await asyncio.wait((self._sounding,))

    def _on_event(self, event: Event) -> None:
        module, supply = self._module, self._supply
        if (
            event["event"] != EventName.OPERATOR_PROMPTED
            or not self._open
            or module is None
            or supply is None
        ):
            return
        now = self._clock()
        if self._last is None or now - self._last >= module.every:
            self._last = now
            loop = asyncio.get_running_loop()
            self._sounding = loop.create_task(self._sound(module, supply))

    async def _sound(self, module: BuzzerModule, supply: BoardSupply) -> None:
        try:
            await supply.hold_for_signal(SIGNAL)
            try:
                await supply.board.pulse(module.sounder, 1, module.seconds)
            finally:
                await supply.release_for_signal(SIGNAL)
        except BoardError as error:
            self._events.emit(EventName.SIGNAL_FAILED, channel=module.sounder, why=str(error))
