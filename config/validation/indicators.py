"""Validates relay, lamp tower and buzzer: safe values, longest times on, boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from config.errors import Finding, Path
from config.schema import OutputChannel, Table

_SAFE = {
    "red": (1, "is dark when nobody gives orders", "so that a table whose host died shows red"),
    "amber": (0, "is lit when nobody gives orders", "for only red may be"),
    "green": (0, "is lit when nobody gives orders", "for a dead host is not well"),
}


def _coils_fall(table: Table) -> Iterator[Finding]:
    """Checks that the relay's coil is off by default, and stays on while it is commanded on."""
    for relay in table.modules.relay:
        board = table.board_of(relay.coil)
        coil = table.channel(relay.coil)
        path: Path = ("boards", board, "channels", relay.coil)
        if isinstance(coil, OutputChannel) and coil.safe:
            wrong = f"leaves the motors their power while nobody holds the lease ({coil.safe})"
            yield Finding((*path, "safe"), wrong, "Give `safe: 0`.")
        if isinstance(coil, OutputChannel) and coil.max_on is not None:
            wrong = f"cuts the motors off in the middle of their work ({coil.max_on:g})"
            yield Finding((*path, "max_on"), wrong, "Leave it out: the lease ends it.")


def _one_relay_a_board(table: Table) -> Iterator[Finding]:
    taken: dict[str, str] = {}
    for at, relay in enumerate(table.modules.relay):
        board, path = table.board_of(relay.coil), ("modules", "relay", at)
        first = taken.setdefault(board, relay.coil)
        if first != relay.coil:
            wrong = f"feeds the motors of board '{board}', as '{first}' does ('{relay.coil}')"
            yield Finding((*path, "coil"), wrong, "Leave one of the two out.")
        if relay.contact is not None and table.board_of(relay.contact) != board:
            wrong = f"hangs on board '{table.board_of(relay.contact)}' ('{relay.contact}')"
            yield Finding((*path, "contact"), wrong, f"Wire it to '{board}', with its coil.")


def _lamps_of_the_tower(table: Table) -> Iterator[Finding]:
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
            wrong = f"hangs on board '{board}', and the lamps above it on '{first}' ('{lamp}')"
            yield Finding(("modules", "tower", colour), wrong, f"Wire it to '{first}'.")
        channel = table.channel(lamp)
        path: Path = ("boards", board, "channels", lamp)
        safe, wrong, why = _SAFE[colour]
        if isinstance(channel, OutputChannel) and channel.safe != safe:
            yield Finding(
                (*path, "safe"), f"{wrong} ({channel.safe})", f"Give `safe: {safe}`, {why}."
            )
        if isinstance(channel, OutputChannel) and channel.max_on is not None:
            wrong = f"stops the whole board when the lamp has been lit so long ({channel.max_on:g})"
            yield Finding((*path, "max_on"), wrong, "Leave it out.")


def _buzzer_ends(table: Table) -> Iterator[Finding]:
    """Checks that the board limits the buzzer's time on, in case the host hangs."""
    buzzer = table.modules.buzzer
    if buzzer is None:
        return
    channel = table.channel(buzzer.sounder)
    if not isinstance(channel, OutputChannel):
        return
    path: Path = ("boards", table.board_of(buzzer.sounder), "channels", buzzer.sounder)
    if channel.safe:
        wrong = f"sounds when nobody gives orders ({channel.safe})"
        yield Finding((*path, "safe"), wrong, "Give `safe: 0`.")
    if channel.max_on is None or channel.max_on <= buzzer.seconds:
        told = "missing" if channel.max_on is None else f"{channel.max_on:g}"
        wrong = f"does not outlast the {buzzer.seconds:g} s that it is to sound ({told})"
        cure = f"Give `max_on:` with more than {buzzer.seconds:g}, such as {2 * buzzer.seconds:g}."
        yield Finding((*path, "max_on"), wrong, cure)
    if buzzer.every < buzzer.seconds:
        wrong = f"is less than the {buzzer.seconds:g} s that it sounds ({buzzer.every:g})"
        yield Finding(("modules", "buzzer", "every"), wrong, "Give more, such as 10.")


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _coils_fall,
    _one_relay_a_board,
    _lamps_of_the_tower,
    _buzzer_ends,
)
