"""The dice units of one board: shaking, reading the dice at rest, and stopping early."""

from __future__ import annotations

from collections.abc import Iterable

from firmware_bridge.board import Reason
from firmware_bridge.executor.channels import Core, ImpossibleOrderError, PortDevice, Running
from firmware_bridge.wire.messages import DiceRead, Kind

MOST_DICE = 5
"""Dice in one throw: as many faces as the event `DiceRead` carries."""


class DiceUnits:
    """Shakes dice units, one throw of a unit at a time. The caller has checked the orders."""

    def __init__(self, core: Core, devices: Iterable[PortDevice]) -> None:
        self._core = core
        self._units = tuple(unit for unit in devices if unit.record.kind == Kind.DICE)

    def throw(self, unit: PortDevice, dice: int, ticket: int) -> None:
        """Begin to shake; the unit reads `dice` dice once they are at rest."""
        loop = self._core.loop
        self._core.memory.begun(unit.number, ticket, None)
        unit.shaking = Running(ticket, loop.time())
        unit.shaking.timer = loop.call_later(
            unit.record.max_on_ms / 1000, self._at_rest, unit, dice
        )
        self._shake(unit, 1)

    def stop(self, unit: PortDevice, reason: Reason) -> None:
        """Stop shaking and report the end of the throw; without a throw, do nothing."""
        running, unit.shaking = unit.shaking, None
        if running is None or running.timer is None:
            return
        running.timer.cancel()
        self._shake(unit, 0)
        self._core.ended(running.ticket, unit.number, reason, 0, running.began)

    def stop_all(self, reason: Reason) -> None:
        """Stop every unit."""
        for unit in self._units:
            self.stop(unit, reason)

    def forget_tickets(self) -> None:
        """Make the tickets of the previous session invalid: its throws end without reports."""
        for unit in self._units:
            if unit.shaking is not None:
                unit.shaking.ticket = None

    def _at_rest(self, unit: PortDevice, dice: int) -> None:
        running, unit.shaking = unit.shaking, None
        assert running is not None
        self._shake(unit, 0)
        shown = self._core.wiring.dice(unit.name, dice)
        self._core.memory.threw(unit.number, shown)
        seconds = self._core.loop.time() - running.began
        self._core.memory.ended(unit.number, Reason.DONE, 0, seconds)
        assert running.ticket is not None
        self._core.emit(DiceRead(running.ticket, *shown, *(0,) * (MOST_DICE - len(shown))))

    def _shake(self, unit: PortDevice, on: int) -> None:
        try:
            self._core.wiring.output(unit.name, on)
        except ImpossibleOrderError as refusal:
            self._core.impossible(unit.number, str(refusal))
