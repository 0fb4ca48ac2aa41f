"""The limits that `firmware provision` writes to a board, and those that boards report."""

from __future__ import annotations

import asyncio

from controller.cli.errors import BadInputError, as_sentence
from controller.cli.options.lookup import table_named
from firmware_bridge.boards.encoding import milliseconds
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.probe import ProbeAnswer, answers, reported_limits
from firmware_bridge.commissioning.provisioning import limits_of
from firmware_bridge.wire.errors import BoardError, BoardSilentError
from firmware_bridge.wire.limits import (
    LONGEST_LEASE,
    LONGEST_ON,
    MOST_LEASE_MS,
    MOST_ON_MS,
    BoardLimits,
    summary,
)


def board_limits(
    table: str | None,
    board: str | None,
    address: int,
    longest_lease: float | None,
    longest_on: float | None,
) -> BoardLimits:
    """The limits by the options of `firmware provision`. Raises BadInputError."""
    if table is None:
        if board is not None:
            raise BadInputError(f"`--board {board}` needs the table of the board; add --table.")
        found = BoardLimits(milliseconds(LONGEST_LEASE), milliseconds(LONGEST_ON))
    else:
        found = _of_table(table, board, address)
    lease_ms = found.lease_ms if longest_lease is None else milliseconds(longest_lease)
    on_ms = found.on_ms if longest_on is None else milliseconds(longest_on)
    if not 0 < lease_ms <= MOST_LEASE_MS:
        raise BadInputError(
            f"`--longest-lease` must be more than 0 and at most {MOST_LEASE_MS / 1000:g} s; got"
            f" {lease_ms / 1000:g}."
        )
    if not 0 <= on_ms <= MOST_ON_MS:
        raise BadInputError(
            f"`--longest-on` must be 0 to {MOST_ON_MS / 1000:g} s; got {on_ms / 1000:g}."
        )
    return BoardLimits(
        lease_ms, on_ms, found.of_pins, found.guarded, found.unlimited, found.curtain
    )


def _of_table(named: str, board: str | None, address: int) -> BoardLimits:
    table = table_named(named)
    boards = table.boards
    if board is None:
        found = [name for name, each in boards.items() if each.address == address]
        if len(found) != 1:
            raise BadInputError(
                f"The table {table.name} has {len(found)} boards with the address {address}; name"
                f" one with --board: {', '.join(boards)}."
            )
        board = found[0]
    if board not in boards:
        raise BadInputError(
            f"The table {table.name} has no board {board}; it has {', '.join(boards)}."
        )
    return limits_of(table, board)


def print_limits(port: str, known: DeviceKeys, expected: BoardLimits | None = None) -> None:
    """Print the limits of each board on a port whose key is known.

    Raises FlashingError if `expected` are not those that the boards report.
    """
    try:
        found = asyncio.run(answers(port))
        for answer in found:
            _print_one(port, answer, known, expected)
    except BoardSilentError as error:
        raise FlashingError(as_sentence(error), refused=True) from error
    except BoardError as error:
        raise FlashingError(as_sentence(error)) from error


def _print_one(
    port: str, answer: ProbeAnswer, known: DeviceKeys, expected: BoardLimits | None
) -> None:
    if answer.serial not in known:
        return
    key = known.of(answer.serial)
    limits = asyncio.run(reported_limits(port, answer, key)) if answer.has_key(key) else None
    if limits is None:
        return
    print(f"Limits of {answer.serial}: {summary(limits)}.")
    if expected is not None and limits != expected.message:
        raise FlashingError(
            f"The board {answer.serial} reports other limits than were written; provision it again:"
            f" wallwright firmware provision {port} --serial {answer.serial} --again."
        )
