"""`wallwright firmware`: build it, flash it into a board, verify it, give a board its identity."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options import KeysFile, keys_of
from firmware_bridge.boards.encoding import text
from firmware_bridge.commissioning import flashing
from firmware_bridge.commissioning.device_keys import DeviceKeys, KeysError
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.probe import ProbeAnswer, answers
from firmware_bridge.commissioning.provisioning import image, require_real
from firmware_bridge.wire.errors import BoardSilentError

firmware = typer.Typer(
    name="firmware", help="The boards' firmware: build, flash, verify, provision."
)

Port = Annotated[str, typer.Argument(help="The board's serial port: 'wallwright scan' lists them.")]


@firmware.command()
def build() -> int:
    """Build the firmware of an Arduino Mega 2560 with avr-gcc."""
    with _told() as told:
        print(f"Built: {flashing.ELF} (build {flashing.build().hex()}).")
    return told.code


@firmware.command()
def flash(port: Port) -> int:
    """Write the built firmware into a board, then ask the board whether it runs it."""
    with _told() as told:
        made = flashing.require_built()
        flashing.flash(port)
        print(f"The board on {port} was flashed.")
        _require_build(port, made)
    return told.code


@firmware.command()
def verify(
    port: Port,
    full: Annotated[
        bool, typer.Option("--full", help="Read the whole flash back too, by the bootloader.")
    ] = False,
) -> int:
    """Ask a board whether it runs the firmware that is built here."""
    with _told() as told:
        made = flashing.require_built()
        flashing.require_port(port)
        _require_build(port, made)
        if full:
            flashing.compare(port)
            print("Every byte of its flash is as built.")
    return told.code


@firmware.command()
def provision(
    port: Port,
    serial: Annotated[str, typer.Option(help="Its serial number: 8 letters and digits.")],
    address: Annotated[int, typer.Option(help="Its address, as in the table: 0 to 7.")] = 0,
    key_bytes: Annotated[int, typer.Option(help="The size of its key: 16 or 32.")] = 32,
    keys: KeysFile = None,
) -> int:
    """Give a board its serial number, address and a new key, and keep the key on this host."""
    key = os.urandom(max(key_bytes, 0))
    try:
        data = image(serial, key, address)
        require_real(serial, key)
    except ValueError as error:
        raise BadInputError(str(error)) from error
    known = keys_of(keys)
    with _told() as told:
        flashing.require_avrdude(port)
        _require_its_own(port, serial, known)
        known.require_writable()  # before the board has a key that nobody could keep
        flashing.write_eeprom(port, data)
        known.remember(serial, key)
        print(f"The board on {port} is {serial}, address {address}; its key is in {known.file}.")
        _require_identity(port, serial, key)
    return told.code


# What the board says itself


def _require_build(port: str, made: bytes) -> None:
    """Raises FlashingError unless every board on this port runs the build `made`."""
    found = _answers(port)
    for answer in found:
        said = answer.identity
        if said is None:
            raise FlashingError(
                f"The board at address {answer.address} on {port} speaks another version of the"
                f" protocol; flash it: wallwright firmware flash {port}."
            )
        if said.build != made:
            raise FlashingError(
                f"The board {answer.serial} on {port} runs the build {text(said.build)}, not"
                f" {made.hex()}; flash it: wallwright firmware flash {port}."
            )
        print(f"The board {answer.serial} on {port} runs the build {made.hex()}, as built here.")


def _require_its_own(port: str, serial: str, known: DeviceKeys) -> None:
    """A serial number that has a key already may only be given to the board that bears it."""
    if serial not in known:
        return
    if serial in (answer.serial for answer in _heard(port)):
        return
    raise FlashingError(
        f"{serial} has a key in {known.file} already, and the board on {port} is another; give it"
        f" another serial number, or remove the line of {serial} from that file.",
        refused=True,
    )


def _require_identity(port: str, serial: str, key: bytes) -> None:
    answer = next((each for each in _answers(port) if each.serial == serial), None)
    if answer is None:
        raise FlashingError(
            f"The board on {port} does not say that it is {serial}; flash its firmware, then"
            f" provision it again: wallwright firmware flash {port}."
        )
    if not answer.has_key(key):
        raise FlashingError(
            f"The board {serial} on {port} does not know its new key; provision it again."
        )
    print(f"It answers, and knows its key; {_address(answer)}.")


def _address(answer: ProbeAnswer) -> str:
    return f"its table names it by `address: {answer.address}`"


def _answers(port: str) -> tuple[ProbeAnswer, ...]:
    """What answers on a port. Raises FlashingError if nothing does."""
    found = _heard(port)
    if not found:
        raise FlashingError(
            f"Nothing answers on {port}; does the board have firmware? wallwright firmware flash"
            f" {port} gives it some."
        )
    return found


def _heard(port: str) -> tuple[ProbeAnswer, ...]:
    try:
        return asyncio.run(answers(port))
    except BoardSilentError as reason:
        raise FlashingError(str(reason), refused=True) from reason


# How it ended


class _Outcome:
    """The exit code of a command."""

    code = 0


@contextmanager
def _told() -> Iterator[_Outcome]:
    """Exit code 2 for what was refused beforehand, 1 for what failed on the way."""
    outcome = _Outcome()
    try:
        yield outcome
    except KeysError as error:
        raise BadInputError(str(error)) from error
    except FlashingError as error:
        if error.refused:
            raise BadInputError(str(error)) from error
        typer.echo(str(error), err=True)
        outcome.code = 1
