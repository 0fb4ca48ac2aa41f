"""`wallwright firmware`: builds, flashes and verifies the firmware, and provisions boards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import click

from controller.cli.command import CommandGroup
from controller.cli.errors import BadInputError, print_error
from controller.cli.options import completion
from controller.cli.options.boards import keys_of, keys_option
from controller.cli.options.shared import PATH
from controller.cli.runs.board_checks import (
    ChipLiteral,
    board_limits,
    image_file,
    print_limits,
    require_build,
    require_identity,
    require_new_serial,
    require_own_serial,
)
from controller.cli.runs.supply_calibration import calibrate_supply, print_supply
from firmware_bridge.commissioning import flashing, image_signature, pico_flashing
from firmware_bridge.commissioning.device_keys import DeviceKeys, KeysError
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.key_files import signers_file, signing_key_file
from firmware_bridge.commissioning.provisioning import (
    image,
    require_real,
    with_limits,
    without_reference,
)

firmware = CommandGroup(
    "firmware", help="Build, flash and verify the boards' firmware; provision boards."
)

port_argument = click.argument(
    "port",
    shell_complete=completion.files,
    help="The board's serial port; 'wallwright scan' lists the ports.",
)


chip_option = click.option(
    "--chip",
    type=click.Choice(get_args(ChipLiteral)),
    default="mega2560",
    help="The board: an Arduino Mega 2560 or a Raspberry Pi Pico.",
)


signing_key_option = click.option(
    "--signing-key",
    type=PATH,
    show_default="~/.config/wallwright/signing_key",
    help="The file with the key that signs the image; created if it is missing.",
)
signers_option = click.option(
    "--signers",
    type=PATH,
    show_default="~/.config/wallwright/signers",
    help="The file with the public keys of the makers whose images this host writes.",
)
unsigned_option = click.option(
    "--unsigned", is_flag=True, help="Write your own build without checking its signature."
)


@firmware.command()
@chip_option
@signing_key_option
@signers_option
def build(chip: ChipLiteral, signing_key: Path | None, signers: Path | None) -> int:
    """Build and sign the firmware: with avr-gcc, or with arm-none-eabi-gcc for a Pico."""
    with _errors_reported() as result:
        if chip == "rp2040":
            made, shown = pico_flashing.build(), pico_flashing.UF2
        else:
            made, shown = flashing.build(), flashing.ELF
        public = image_signature.sign(
            image_file(chip),
            chip,
            made,
            signing_key or signing_key_file(),
            signers or signers_file(),
        )
        print(f"Built: {shown} (build {made.hex()}), signed by {public.hex()}.")
    return result.code


bare_option = click.option(
    "--bare",
    is_flag=True,
    help="Use an ISP programmer; PORT is the programmer's port, or usb. The board has no"
    " bootloader afterwards.",
)
programmer_option = click.option(
    "--programmer", default="usbasp", help="With --bare: the programmer's name in avrdude's list."
)


@firmware.command()
@click.argument(
    "port",
    shell_complete=completion.files,
    required=False,
    help="The board's serial port; for a Pico its drive, if several are there.",
)
@chip_option
@bare_option
@programmer_option
@unsigned_option
@signers_option
@keys_option
def flash(
    port: str | None,
    chip: ChipLiteral,
    bare: bool,
    programmer: str,
    unsigned: bool,
    signers: Path | None,
    keys: Path | None,
) -> int:
    """Write the signed firmware into a board; check the build that a Mega then reports."""
    known = keys_of(keys)
    with _errors_reported() as result:
        if chip == "rp2040":
            made = pico_flashing.require_built()
            signed = _require_signature(chip, made, signers, unsigned=unsigned)
            how = pico_flashing.flash(port)
            print(f"The Pico was flashed {how} (build {made.hex()}). {signed}")
            return result.code
        if port is None:
            raise BadInputError("PORT is missing; see 'wallwright firmware --help'.")
        made = flashing.require_built()
        signed = _require_signature(chip, made, signers, unsigned=unsigned)
        if bare:
            flashing.flash_bare(port, programmer)
            print(
                f"The board was erased and flashed without a bootloader. {signed} Provision it:"
                " wallwright firmware provision PORT --bare --serial S --address N."
            )
            return result.code
        flashing.flash(port)
        print(f"The board on {port} was flashed. {signed}")
        require_build(port, made, known, chip)
    return result.code


@firmware.command()
@port_argument
@chip_option
@click.option(
    "--full", is_flag=True, help="Also read back the whole flash memory with the bootloader."
)
@keys_option
def verify(port: str, chip: ChipLiteral, full: bool, keys: Path | None) -> int:
    """Check that a board runs the firmware that is built on this computer; record its build."""
    known = keys_of(keys)
    with _errors_reported() as result:
        if full and chip == "rp2040":
            raise BadInputError("--full reads a Mega's flash memory; leave it out for a Pico.")
        made = (pico_flashing if chip == "rp2040" else flashing).require_built()
        flashing.require_port(port)
        require_build(port, made, known, chip)
        print_limits(port, known)
        print_supply(port, known)
        if full:
            flashing.compare(port)
            print("Every byte of its flash memory matches the built firmware.")
    return result.code


@firmware.command()
@click.argument(
    "port",
    shell_complete=completion.files,
    required=False,
    help="The board's serial port; for a Pico its drive, if several are there.",
)
@click.option(
    "--serial", required=True, help="The board's new serial number: 8 letters and digits."
)
@click.option(
    "--address", type=int, default=0, help="The board's address, as in the table's file: 0 to 7."
)
@click.option(
    "--key-bytes", type=int, default=32, help="The size of the board's key in bytes: 16 or 32."
)
@click.option("--again", is_flag=True, help="Replace the key of a board that has one already.")
@keys_option
@chip_option
@bare_option
@programmer_option
@click.option(
    "--table",
    shell_complete=completion.tables,
    help="The table for which the board is: it refuses longer leases and on-times, and"
    " parts without the light curtain's guard, than this table has.",
)
@click.option("--board", show_default="by --address", help="With --table: which of its boards.")
@click.option(
    "--longest-lease",
    type=float,
    show_default="the table's, at least 1; 2 without a table",
    help="The longest lease in seconds that a host may take.",
)
@click.option(
    "--longest-on",
    type=float,
    show_default="the longest of the table; 600 without a table",
    help="The longest maximum on-time in seconds that an output may have.",
)
def provision(
    port: str | None,
    serial: str,
    address: int,
    key_bytes: int,
    again: bool,
    keys: Path | None,
    chip: ChipLiteral,
    bare: bool,
    programmer: str,
    table: str | None,
    board: str | None,
    longest_lease: float | None,
    longest_on: float | None,
) -> int:
    """Write serial number, address, key and limits to a board; store the key on this host."""
    key = os.urandom(max(key_bytes, 0))
    limits = board_limits(table, board, address, longest_lease, longest_on)
    try:
        data = with_limits(image(serial, key, address), limits)
        require_real(serial, key)
    except ValueError as error:
        raise BadInputError(str(error)) from error
    known = keys_of(keys)
    with _errors_reported() as result:
        if chip == "rp2040":
            _provision_pico(port, serial, address, key, known, data)
            return result.code
        if port is None:
            raise BadInputError("PORT is missing; see 'wallwright firmware --help'.")
        flashing.require_avrdude(port)
        if bare:
            require_new_serial(serial, known)
        else:
            require_own_serial(port, serial, known, again=again)
        known.require_writable()  # checked before the board gets a key that cannot be stored
        pieces = without_reference(data)
        if bare:
            flashing.write_eeprom_bare(port, programmer, pieces)
        else:
            flashing.write_eeprom(port, pieces)
        known.remember(serial, key)
        if bare:
            # The board cannot be asked here; `flash --bare` has written the image that is built.
            if (made := flashing.built_hash()) is not None and flashing.HEX.exists():
                known.record_build(serial, made, flashing.image_hash())
            print(
                f"The board is {serial}, address {address}, and locked; its key is in"
                f" {known.file}. Check it on its own port: wallwright scan PORT."
            )
            return result.code
        print(f"The board on {port} is {serial}, address {address}; its key is in {known.file}.")
        require_identity(port, serial, key, known)
        print_limits(port, known, limits)
    return result.code


@firmware.command()
@port_argument
@click.option(
    "--measured",
    type=float,
    show_default="asked",
    help="The voltage in volts that a multimeter shows between the board's 5V pin and GND.",
)
@keys_option
def calibrate(port: str, measured: float | None, keys: Path | None) -> int:
    """Calibrate by a multimeter how a Mega measures its 5 V supply; show before and after."""
    known = keys_of(keys)
    with _errors_reported() as result:
        calibrate_supply(port, measured, known)
    return result.code


def _provision_pico(
    drive: str | None, serial: str, address: int, key: bytes, known: DeviceKeys, data: bytes
) -> None:
    """Write an identity through a Pico's bootloader, in which the board cannot be asked."""
    require_new_serial(serial, known)
    known.require_writable()
    how = pico_flashing.provision(drive, data)
    known.remember(serial, key)
    print(
        f"The Pico is {serial}, address {address}, written {how}; its key is in {known.file}. Its"
        " counts begin anew. Check it on its serial port: wallwright firmware verify PORT --chip"
        " rp2040."
    )


# The image


def _require_signature(
    chip: ChipLiteral, made: bytes, signers: Path | None, *, unsigned: bool
) -> str:
    """A sentence that names the trusted signer of the image; with `unsigned` none is needed.

    Raises FlashingError.
    """
    if unsigned:
        return "The signature of the image was not checked (--unsigned)."
    trusted = signers or signers_file()
    name = image_signature.require_signed(image_file(chip), chip, made, trusted)
    return f"The image is signed by {name}."


# Exit codes


class _Result:
    """The exit code of a command."""

    code = 0


@contextmanager
def _errors_reported() -> Iterator[_Result]:
    """Report errors: exit code 2 if nothing was changed, 1 if an operation failed midway."""
    result = _Result()
    try:
        yield result
    except KeysError as error:
        raise BadInputError(str(error)) from error
    except FlashingError as error:
        if error.refused:
            raise BadInputError(str(error)) from error
        print_error(str(error))
        result.code = 1
