"""Checks of boards by their replies: the build, the chip, the serial number and the key."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from controller.cli.errors import as_sentence
from firmware_bridge.boards.encoding import chip_name, text
from firmware_bridge.commissioning import flashing, pico_flashing
from firmware_bridge.commissioning.device_keys import NO_IDENTITY, DeviceKeys
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.probe import ProbeAnswer, answers
from firmware_bridge.wire.errors import BoardSilentError

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
