"""Validates channels: names, leases, addresses, limits, and that every reference names a channel.

`validation.board_pins` checks the pins against the board's profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from config.errors import Finding, Path, instead
from config.schema import (
    AxisChannel,
    BoardConfig,
    Channel,
    MotorChannel,
    Part,
    Table,
    channel_keys,
)

SHORTEST_LEASE, LONGEST_LEASE = 0.1, 2.0
"""Seconds. A busy host cannot renew a shorter lease in time; with a longer lease, motors run on for
too long after the host has died."""


class PinUse(NamedTuple):
    """A key that names a channel, and the allowed kinds of that channel."""

    path: Path
    kinds: tuple[str, ...]
    channel: str


def plugs(part: Part, path: Path) -> Iterator[PinUse]:
    """Yields every key in a module, and in the modules within it, that names a channel."""
    kinds = channel_keys(type(part))
    for name, value in part:
        for key, each in _each(value, (*path, name)):
            if isinstance(each, Part):
                yield from plugs(each, key)
            elif name in kinds and isinstance(each, str):
                yield PinUse(key, kinds[name], each)


def _each(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    if isinstance(value, tuple):
        yield from (((*path, at), each) for at, each in enumerate(value))
    else:
        yield path, value


def _channels(table: Table) -> Iterator[tuple[str, BoardConfig, str, Channel]]:
    for name, board in table.boards.items():
        for channel, config in board.channels.items():
            yield name, board, channel, config


def _leases(table: Table) -> Iterator[Finding]:
    for name, board in table.boards.items():
        if not SHORTEST_LEASE <= board.lease <= LONGEST_LEASE:
            cure = f"Give {SHORTEST_LEASE} to {LONGEST_LEASE} seconds."
            yield Finding(("boards", name, "lease"), f"is out of range ({board.lease})", cure)


def _addresses(table: Table) -> Iterator[Finding]:
    taken: dict[int, str] = {}
    for name, board in table.boards.items():
        if board.kind == "serial":
            first = taken.setdefault(board.address, name)
            if first != name:
                wrong = f"is also the address of board '{first}' ({board.address})"
                cure = "Give each board on the line its own address, 0 to 7."
                yield Finding(("boards", name, "address"), wrong, cure)


def _names(table: Table) -> Iterator[Finding]:
    taken: dict[str, str] = {}
    for name, _, channel, _ in _channels(table):
        first = taken.setdefault(channel, name)
        if first != name:
            wrong = f"is also the name of a channel of board '{first}' ('{channel}')"
            yield Finding(("boards", name, "channels", channel), wrong, "Rename one of the two.")


def _switches(table: Table) -> Iterator[Finding]:
    for name, board, channel, config in _channels(table):
        for key in channel_keys(type(config)):
            switch = getattr(config, key)
            if switch is None:
                continue
            path = ("boards", name, "channels", channel, key)
            found = board.channels.get(switch)
            if found is None:
                yield Finding(path, *_no_switch(table, name, switch))
            elif found.kind != "sensor":
                wrong = f"is a channel of kind {found.kind}, not sensor ('{switch}')"
                yield Finding(path, wrong, "Name a sensor.")


def _no_switch(table: Table, board: str, switch: str) -> tuple[str, str]:
    for elsewhere, config in table.boards.items():
        if switch in config.channels:
            cure = f"Wire it to '{board}': a board stops its motors only by its own switches."
            return f"is on board '{elsewhere}' ('{switch}')", cure
    return f"is not a channel ('{switch}')", instead(
        switch, _of_kind(table.boards[board], "sensor")
    )


def _of_kind(board: BoardConfig, *kinds: str) -> list[str]:
    return [name for name, config in board.channels.items() if config.kind in kinds]


def _stops_differ(table: Table) -> Iterator[Finding]:
    for name, _, channel, config in _channels(table):
        if (
            isinstance(config, MotorChannel)
            and config.forward_stop is not None
            and config.forward_stop == config.reverse_stop
        ):
            path = ("boards", name, "channels", channel, "reverse_stop")
            wrong = f"is also its forward_stop ('{config.reverse_stop}')"
            yield Finding(path, wrong, "Name the switch at the other end.")


def _axis_limits(table: Table) -> Iterator[Finding]:
    for name, _, channel, config in _channels(table):
        if isinstance(config, AxisChannel) and config.low >= config.high:
            path = ("boards", name, "channels", channel, "low")
            wrong = f"must be below `high` ({config.low:g}, and high is {config.high:g})"
            yield Finding(path, wrong, "Give the lower limit as `low`, in metres.")


def _plugs_fit(table: Table) -> Iterator[Finding]:
    configs = {channel: config for _, _, channel, config in _channels(table)}
    for path, kinds, channel in plugs(table.modules, ("modules",)):
        if channel not in configs:
            known = [name for name, config in configs.items() if config.kind in kinds]
            yield Finding(path, f"no board has this channel ('{channel}')", instead(channel, known))
        elif configs[channel].kind not in kinds:
            wrong = f"is a channel of kind {configs[channel].kind}, not {' or '.join(kinds)}"
            yield Finding(path, f"{wrong} ('{channel}')", f"Name a channel of kind {kinds[0]}.")


def _plugged_once(table: Table) -> Iterator[Finding]:
    """Checks that each channel has one use; those of `modules.keys` may have more."""
    taken: dict[str, Path] = {}
    for path, _, channel in plugs(table.modules, ("modules",)):
        first = taken.setdefault(channel, path)
        if first != path and path[:2] != ("modules", "keys") != first[:2]:
            wrong = f"is also {'.'.join(map(str, first))} ('{channel}')"
            yield Finding(path, wrong, "Give each its own channel.")


def _all_used(table: Table) -> Iterator[Finding]:
    used = {plug.channel for plug in plugs(table.modules, ("modules",))}
    for _, _, _, config in _channels(table):
        used.update(getattr(config, key) for key in channel_keys(type(config)))
    for name, _, channel, _ in _channels(table):
        if channel not in used:
            path = ("boards", name, "channels", channel)
            cure = "Name it in a module, or remove it."
            yield Finding(path, f"no module uses this channel ('{channel}')", cure)


def _safety_everywhere(table: Table) -> Iterator[Finding]:
    modules = table.modules
    for name, board in table.boards.items():
        if not set(modules.emergency) & board.channels.keys():
            wrong = f"has no emergency stop ('{name}')"
            cure = "Add a sensor for it here and name it in `modules.emergency`."
            yield Finding(("boards", name), wrong, cure)
        if modules.curtain and not set(modules.curtain) & board.channels.keys():
            wrong = f"has no light curtain, but other boards have one ('{name}')"
            cure = "Add a sensor for it here and name it in `modules.curtain`."
            yield Finding(("boards", name), wrong, cure)


def guarded(table: Table) -> frozenset[str]:
    """The channels of the motors and axes of lid, lifts, lanes, flipper and gantry."""
    modules = table.modules
    names: list[str | None] = []
    if modules.lid:
        names.append(modules.lid.motor)
    if modules.trays:
        names += [side.lift for side in modules.trays.sides]
    if modules.lanes:
        names += [seat.presenter for seat in modules.lanes.seats]
    if modules.flipper:
        names.append(modules.flipper.motor)
    if gantry := modules.gantry:
        names += [gantry.x, gantry.y, gantry.z, gantry.grip, gantry.turn, gantry.turner]
    return frozenset(name for name in names if name)


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _leases,
    _addresses,
    _names,
    _switches,
    _stops_differ,
    _axis_limits,
    _plugs_fit,
    _plugged_once,
    _all_used,
    _safety_everywhere,
)
