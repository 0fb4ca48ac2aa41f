"""The home switches of axes: each is active while its axis is at its home position."""

from __future__ import annotations

from collections.abc import Callable

from config.schema import AxisChannel, Table

_EXACT = 1e-6
"""Metres; positions closer together than this are the same."""


class HomeSwitches:
    """The home switches of all axes of a table; `sense` reports a switch's change."""

    def __init__(self, table: Table, sense: Callable[[str, bool], None]) -> None:
        self._sense = sense
        self._axes = {
            name: channel
            for board in table.boards.values()
            for name, channel in board.channels.items()
            if isinstance(channel, AxisChannel)
        }

    def reset_sensors(self) -> None:
        """Report the positions at power-on: 0.0 m, or the lower end of a rail above that."""
        for axis in self._axes.values():
            self._sense(axis.home_switch, axis.home == max(0.0, axis.low))

    def axis_begins(self, axis: str, start: float, target: float) -> None:
        """Process the start of a motion of an axis from one position to another, in metres."""
        if abs(target - start) > _EXACT:
            self._sense(self._axes[axis].home_switch, False)

    def axis_ends(self, axis: str, position: float) -> None:
        """Process the stop of an axis at this position, in metres."""
        if abs(position - self._axes[axis].home) <= _EXACT:
            self._sense(self._axes[axis].home_switch, True)
