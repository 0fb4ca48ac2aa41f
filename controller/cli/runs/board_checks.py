"""Checks of boards by their replies: the build, the chip, the serial number, the key, the limits.

The limits are those that `firmware provision` writes to a board, and those that boards report.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from config.schema import Table
from controller.cli.errors import BadInputError, as_sentence
from controller.cli.options.lookup import table_named
from firmware_bridge.boards.encoding import chip_name, milliseconds, text
from firmware_bridge.commissioning import flashing, pico_flashing
from firmware_bridge.commissioning.device_keys import NO_IDENTITY, DeviceKeys, KeysError
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.probe import ProbeAnswer, answers, reported_limits
from firmware_bridge.commissioning.provisioning import limits_of
from firmware_bridge.wire.codes import LimitFlag
from firmware_bridge.wire.errors import BoardError, BoardSilentError
from firmware_bridge.wire.limits import (
    LONGEST_LEASE,
    LONGEST_ON,
    MOST_LEASE_MS,
    MOST_ON_MS,
    BoardLimits,
    pins_of,
    summary,
)
from firmware_bridge.wire.messages import Limits

ChipLiteral = Literal["mega2560", "rp2040"]


def image_file(chip: ChipLiteral) -> Path:
    """The file that is written to a board of this chip."""
    return pico_flashing.UF2 if chip == "rp2040" else flashing.HEX


def _record_build(answer: ProbeAnswer, known: DeviceKeys, chip: ChipLiteral) -> None:
    """Record the build of a board that has proven its key; `run` refuses another one."""
    if answer.identity is None or answer.serial not in known:
        return
    if not answer.has_key(known.of(answer.serial)):
        raise FlashingError(
            f"The board {answer.serial} does not have the key that {known.file} has for it; check"
            " that it is the right board, or provision it again."
        )
    found = answer.identity.build
    file, elf = image_file(chip), pico_flashing.ELF if chip == "rp2040" else flashing.ELF
    is_built = file.exists() and flashing.built_hash(elf) == found
    image = flashing.image_hash(file) if is_built else b""
    known.record_build(answer.serial, found, image)
    print(f"The build {text(found)} of {answer.serial} is recorded in {known.file}.")


def require_build(port: str, made: bytes, known: DeviceKeys, chip: ChipLiteral) -> None:
    """Raise FlashingError unless every board on this port is this chip with the build `made`.

    Records the build.
    """
    found = _answers(port)
    for answer in found:
        identity = answer.identity
        if identity is None:
            raise FlashingError(
                f"The board at address {answer.address} on {port} has another version of the"
                f" protocol; flash it: wallwright firmware flash {port}."
            )
        if chip_name(identity.chip) != chip:
            raise FlashingError(
                f"The board {answer.serial} on {port} has the chip {chip_name(identity.chip)}, not"
                f" {chip}; give --chip {chip_name(identity.chip)}."
            )
        if identity.build != made:
            raise FlashingError(
                f"The board {answer.serial} on {port} runs the build {text(identity.build)}, not"
                f" {made.hex()}; flash it: wallwright firmware flash {port}."
            )
        print(f"The board {answer.serial} on {port} runs the build {made.hex()}, as built here.")
        _record_build(answer, known, chip)


def require_new_serial(serial: str, known: DeviceKeys) -> None:
    """Raise FlashingError if the serial number has a key: a programmer cannot ask the board."""
    if serial in known:
        raise FlashingError(
            f"{serial} has a key in {known.file} already; choose another serial number, or remove"
            " its line from that file.",
            refused=True,
        )


def require_own_serial(port: str, serial: str, known: DeviceKeys, *, again: bool) -> None:
    """Raise FlashingError if the serial number belongs to another board.

    Also raises it if the board has a key already, unless `again` is given.
    """
    found = [answer.serial for answer in _probed(port)]
    if serial in known and serial not in found:
        raise FlashingError(
            f"{serial} has a key in {known.file} already, and the board on {port} has another"
            f" serial number; choose another one, or remove the line of {serial} from that file.",
            refused=True,
        )
    for named in found:
        if named not in NO_IDENTITY and not again:
            raise FlashingError(
                f"The board on {port} has a key already, as {named}; a key is written once. To"
                " replace it, add --again; hosts with the old key then refuse the board.",
                refused=True,
            )


def require_identity(port: str, serial: str, key: bytes, known: DeviceKeys) -> None:
    """Raise FlashingError unless the board reports this serial number and proves this key.

    Records the build of the board.
    """
    answer = next((each for each in _answers(port) if each.serial == serial), None)
    if answer is None:
        raise FlashingError(
            f"The board on {port} does not report the serial number {serial}; flash its firmware,"
            f" then provision it again: wallwright firmware flash {port}."
        )
    if not answer.has_key(key):
        raise FlashingError(
            f"The board {serial} on {port} does not have its new key; provision it again."
        )
    print(
        "The board answers and has its key; write"
        f" `address: {answer.address}` for it in the table's file."
    )
    _record_build(answer, known, "mega2560")


def _answers(port: str) -> tuple[ProbeAnswer, ...]:
    """The replies of the boards on a port. Raises FlashingError if no board answers."""
    found = _probed(port)
    if not found:
        raise FlashingError(
            f"No board answers on {port}; if it has no firmware, flash it: wallwright firmware"
            f" flash {port}."
        )
    return found


def _probed(port: str) -> tuple[ProbeAnswer, ...]:
    """The replies of the boards on a port. Raises FlashingError if it cannot be opened."""
    try:
        return asyncio.run(answers(port))
    except BoardSilentError as error:
        raise FlashingError(as_sentence(error), refused=True) from error


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


@dataclass(frozen=True)
class LimitsReport:
    """The limits that a board reports, or the reason why they are not known, with the next step."""

    limits: Limits | None
    unknown: str = ""
    differs: str = ""
    """That a table needs other limits, with the next step; "" if it does not."""

    @property
    def exist(self) -> bool:
        """Whether the board has limits."""
        return self.limits is not None and bool(self.limits.flags & LimitFlag.EXIST)

    @property
    def _are_of_table(self) -> bool:
        return self.limits is not None and bool(self.limits.flags & LimitFlag.OF_PINS)

    @property
    def sentence(self) -> str:
        """The limits and how they were set, for a person."""
        if self.limits is None:
            return f"limits not known: {self.unknown}"
        text = f"limits: {summary(self.limits)}"
        if self.exist:
            how = "from the file of a table" if self._are_of_table else "without a table"
            text += f"; `firmware provision` has set them {how}"
        return f"{text}; {self.differs}" if self.differs else text

    @property
    def facts(self) -> dict[str, object]:
        """The same as JSON values; times are in seconds."""
        limits = self.limits if self.exist else None
        return {
            "known": self.limits is not None,
            "reason": self.unknown or None,
            "exist": self.exist,
            "set_from_a_table": self._are_of_table if limits else None,
            "longest_lease": limits.lease_ms / 1000 if limits else None,
            "longest_on": limits.on_ms / 1000 if limits else None,
            "guarded_pins": pins_of(limits.guarded) if limits else None,
            "pins_without_longest_on": pins_of(limits.unlimited) if limits else None,
            "needs_curtain": bool(limits.flags & LimitFlag.NEEDS_CURTAIN) if limits else None,
            "differ": self.differs or None,
        }


def report_limits(
    port: str, answer: ProbeAnswer, keys: DeviceKeys, table: Table | None = None
) -> LimitsReport:
    """Read the limits of a board that answers on a port, and compare them with those of a table.

    The board reports them in a session only, which ends the motions of an earlier session.
    """
    try:
        key = keys.of(answer.serial, port)
        if not answer.has_key(key):
            return LimitsReport(
                None, "the board does not have the key that the key file has for it."
            )
        limits = asyncio.run(reported_limits(port, answer, key))
    except (KeysError, BoardError) as error:
        return LimitsReport(None, as_sentence(error))
    if limits is None:
        return LimitsReport(
            None, f"the board's firmware has none; update it: wallwright firmware flash {port}"
        )
    return LimitsReport(limits, differs=_difference(port, answer, limits, table) if table else "")


def _difference(port: str, answer: ProbeAnswer, limits: Limits, table: Table) -> str:
    names = [name for name, each in table.boards.items() if each.address == answer.address]
    if not names:
        return f"the table {table.name} has no board with the address {answer.address}"
    if any(limits == limits_of(table, name).message for name in names):
        return ""
    return (
        f"the table {table.name} needs others; provision the board again: wallwright firmware"
        f" provision {port} --serial {answer.serial} --address {answer.address} --again --table"
        f" {table.name}"
    )
