"""Facts of every channel that do not change: its part and role, its unit, how it can be jogged."""

from __future__ import annotations

import difflib
from typing import Literal

from config.schema import AxisChannel, Channel, MotorChannel, Table
from controller.upkeep.selftest.naming import named_channels
from controller.upkeep.service_mode.mode_status import ChannelStatus
from controller.upkeep.service_mode.refusals import ServiceModeRefusalError

FULL = 1000
"""Full speed, permille."""
MOST_AXIS_SPEED = 250
"""Highest speed of an axis that is jogged, permille: its speed when it is homed (our choice)."""
Unit = Literal["level", "mV", "mm", "permille", "bits", ""]
_UNITS: dict[str, Unit] = {
    "sensor": "level",
    "output": "level",
    "analog": "mV",
    "axis": "mm",
    "motor": "permille",
    "strip": "bits",
}


def channel_facts(table: Table, homes: frozenset[str]) -> dict[str, ChannelStatus]:
    """Every channel of a table without its value; `homes` are the channels that can be homed."""
    named = {channel: (part, role) for channel, part, role in named_channels(table)}
    for board in table.boards.values():
        for name, config in board.channels.items():
            if isinstance(config, AxisChannel):
                named.setdefault(config.home_switch, ("gantry", f"home switch of {name}"))
    return {
        name: _facts(board, name, config, named.get(name, ("table", name)), name in homes)
        for board, boards in table.boards.items()
        for name, config in boards.channels.items()
    }


def _facts(
    board: str, name: str, config: Channel, named: tuple[str, str], homes: bool
) -> ChannelStatus:
    part, role = named
    ways: tuple[Literal["forward", "reverse"], ...] = ()
    least = most = 0
    if isinstance(config, MotorChannel):
        ways = ("forward", "reverse") if config.reverse_pin is not None else ("forward",)
        least, most = (FULL, FULL) if config.full_only else (1, FULL)
    elif isinstance(config, AxisChannel):
        ways, least, most = ("forward", "reverse"), 1, MOST_AXIS_SPEED
    return ChannelStatus(
        board=board,
        kind=config.kind,
        part=part,
        role=role,
        unit=_UNITS.get(config.kind, ""),
        jog=ways,
        least_speed=least,
        most_speed=most,
        homes=homes,
    )


def known_channel(table: Table, name: str) -> Channel:
    """The configuration of a channel. Raises ServiceModeRefusalError for an unknown name."""
    for board in table.boards.values():
        if name in board.channels:
            return board.channels[name]
    every = [channel for board in table.boards.values() for channel in board.channels]
    near = difflib.get_close_matches(name, every, 3)
    raise ServiceModeRefusalError(
        "unknown_channel",
        f"'{name[:60]}' is not a channel of the table {table.name}.",
        f"Name a channel such as {' or '.join(near or every[:2])}.",
    )
