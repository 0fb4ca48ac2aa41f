"""Validates relay, lamp tower and buzzer: their safe values, maximum on-times and boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from config.errors import Finding, Path
from config.schema import OutputChannel, Table

_SAFE = {
    "red": (1, "is dark without the lease", "so that red is lit after the host has died"),
    "amber": (0, "is lit without the lease", "because only red is lit then"),
    "green": (0, "is lit without the lease", "because only red is lit then"),
}
"""For each lamp of the tower: its required safe value, the defect and the reason in messages."""


def _relay_coils(table: Table) -> Iterator[Finding]:
    """Checks that each relay's coil has the safe value 0 and no maximum on-time."""
    for relay in table.modules.relay:
        board = table.board_of(relay.coil)
        coil = table.channel(relay.coil)
        path: Path = ("boards", board, "channels", relay.coil)
        if isinstance(coil, OutputChannel) and coil.safe:
            wrong = f"gives the motors power without the lease ({coil.safe})"
            yield Finding((*path, "safe"), wrong, "Give `safe: 0`.")
        if isinstance(coil, OutputChannel) and coil.max_on is not None:
            wrong = f"stops the board while its motors still work ({coil.max_on:g})"
            yield Finding((*path, "max_on"), wrong, "Leave it out: the lease limits the on-time.")


def _one_relay_per_board(table: Table) -> Iterator[Finding]:
    taken: dict[str, str] = {}
    for at, relay in enumerate(table.modules.relay):
        board, path = table.board_of(relay.coil), ("modules", "relay", at)
        first = taken.setdefault(board, relay.coil)
        if first != relay.coil:
            wrong = f"is a second relay of board '{board}', after '{first}' ('{relay.coil}')"
            yield Finding((*path, "coil"), wrong, "Leave one of the two out.")
        if relay.contact is not None and table.board_of(relay.contact) != board:
            wrong = f"is on board '{table.board_of(relay.contact)}' ('{relay.contact}')"
            yield Finding((*path, "contact"), wrong, f"Wire it to '{board}', the coil's board.")


def _tower_lamps(table: Table) -> Iterator[Finding]:
    """Checks the tower: lamps on one board, right safe values, no maximum on-time."""
    tower = table.modules.tower
    if tower is None:
        return
    lamps = tower.lamps
    if not lamps:
        cure = "Name `red:`, `amber:` or `green:`, or leave the tower out."
        yield Finding(("modules", "tower"), "has no lamp", cure)
    boards = {colour: table.board_of(lamp) for colour, lamp in lamps.items()}
    for colour, lamp in lamps.items():
        first, board = next(iter(boards.items()))[1], boards[colour]
        if board != first:
            wrong = f"is on board '{board}', but the lamps above it are on '{first}' ('{lamp}')"
            yield Finding(("modules", "tower", colour), wrong, f"Wire it to '{first}'.")
        channel = table.channel(lamp)
        path: Path = ("boards", board, "channels", lamp)
        safe, wrong, why = _SAFE[colour]
        if isinstance(channel, OutputChannel) and channel.safe != safe:
            yield Finding(
                (*path, "safe"), f"{wrong} ({channel.safe})", f"Give `safe: {safe}`, {why}."
            )
        if isinstance(channel, OutputChannel) and channel.max_on is not None:
            wrong = f"stops the whole board after the lamp was lit that long ({channel.max_on:g})"
            yield Finding((*path, "max_on"), wrong, "Leave it out.")


def _buzzer_limits(table: Table) -> Iterator[Finding]:
    """Checks the buzzer: safe value 0, a maximum on-time, and a pause longer than its sound.

    The board ends the sound by `max_on` if the host hangs.
    """
    buzzer = table.modules.buzzer
    if buzzer is None:
        return
    channel = table.channel(buzzer.sounder)
    if not isinstance(channel, OutputChannel):
        return
    path: Path = ("boards", table.board_of(buzzer.sounder), "channels", buzzer.sounder)
    if channel.safe:
        wrong = f"sounds without the lease ({channel.safe})"
        yield Finding((*path, "safe"), wrong, "Give `safe: 0`.")
    if channel.max_on is None or channel.max_on <= buzzer.seconds:
        given = "missing" if channel.max_on is None else f"{channel.max_on:g}"
        wrong = f"must be longer than the sound of {buzzer.seconds:g} s ({given})"
        cure = f"Give `max_on:` with more than {buzzer.seconds:g}, such as {2 * buzzer.seconds:g}."
        yield Finding((*path, "max_on"), wrong, cure)
    if buzzer.every < buzzer.seconds:
        wrong = f"must be at least the sound of {buzzer.seconds:g} s ({buzzer.every:g})"
        yield Finding(("modules", "buzzer", "every"), wrong, "Give more, such as 10.")


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _relay_coils,
    _one_relay_per_board,
    _tower_lamps,
    _buzzer_limits,
)
