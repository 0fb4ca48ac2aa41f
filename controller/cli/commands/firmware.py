"""`wallwright firmware`: builds, flashes and verifies the firmware, and provisions boards."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from controller.cli.errors import BadInputError, as_sentence
from controller.cli.options.boards import KeysFile, keys_of
from firmware_bridge.boards.encoding import text
from firmware_bridge.commissioning import flashing, pico_flashing
from firmware_bridge.commissioning.device_keys import UNSET, DeviceKeys, KeysError
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.probe import ProbeAnswer, answers
from firmware_bridge.commissioning.provisioning import image, require_real
from firmware_bridge.wire.errors import BoardSilentError

firmware = typer.Typer(
    name="firmware", help="Build, flash and verify the boards' firmware; provision boards."
)

Port = Annotated[
    str, typer.Argument(help="The board's serial port; 'wallwright scan' lists the ports.")
]


ChipName = Annotated[
    Literal["mega2560", "rp2040"],
    typer.Option("--chip", help="The board: an Arduino Mega 2560 or a Raspberry Pi Pico."),
]


SigningKey = Annotated[
    Path | None,
    typer.Option(
        help="The file with the key that signs the image; created if it is missing.",
        show_default="~/.config/wallwright/signing_key",
    ),
]
SignersFile = Annotated[
    Path | None,
    typer.Option(
        "--signers",
        help="The file with the public keys of the makers whose images this host writes.",
        show_default="~/.config/wallwright/signers",
    ),
]
Unsigned = Annotated[
    bool,
    typer.Option("--unsigned", help="Write your own build without checking its signature."),
]


@firmware.command()
def build(
    chip: ChipName = "mega2560", signing_key: SigningKey = None, signers: SignersFile = None
) -> int:
    """Build and sign the firmware: with avr-gcc, or with arm-none-eabi-gcc for a Pico."""
    from firmware_bridge.commissioning import image_signature

    with _errors_reported() as result:
        if chip == "rp2040":
            made, shown = pico_flashing.build(), pico_flashing.UF2
        else:
            made, shown = flashing.build(), flashing.ELF
        public = image_signature.sign(
            _image(chip),
            chip,
            made,
            signing_key or image_signature.signing_key_file(),
            signers or image_signature.signers_file(),
        )
        print(f"Built: {shown} (build {made.hex()}), signed by {public.hex()}.")
    return result.code


Bare = Annotated[
    bool,
    typer.Option(
        "--bare",
        help="Use an ISP programmer; PORT is the programmer's port, or usb. The board has no"
        " bootloader afterwards.",
    ),
]
Programmer = Annotated[
    str, typer.Option(help="With --bare: the programmer's name in avrdude's list.")
]


@firmware.command()
def flash(
    port: Annotated[
        str | None,
        typer.Argument(help="The board's serial port; for a Pico its drive, if several are there."),
    ] = None,
    chip: ChipName = "mega2560",
    bare: Bare = False,
    programmer: Programmer = "usbasp",
    unsigned: Unsigned = False,
    signers: SignersFile = None,
    keys: KeysFile = None,
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
        _require_build(port, made, known)
    return result.code


@firmware.command()
def verify(
    port: Port,
    full: Annotated[
        bool,
        typer.Option("--full", help="Also read back the whole flash memory with the bootloader."),
    ] = False,
    keys: KeysFile = None,
) -> int:
    """Check that a board runs the firmware that is built on this computer; record its build."""
    known = keys_of(keys)
    with _errors_reported() as result:
        made = flashing.require_built()
        flashing.require_port(port)
        _require_build(port, made, known)
        if full:
            flashing.compare(port)
            print("Every byte of its flash memory matches the built firmware.")
    return result.code


@firmware.command()
def provision(
    port: Port,
    serial: Annotated[
        str, typer.Option(help="The board's new serial number: 8 letters and digits.")
    ],
    address: Annotated[
        int, typer.Option(help="The board's address, as in the table's file: 0 to 7.")
    ] = 0,
    key_bytes: Annotated[
        int, typer.Option(help="The size of the board's key in bytes: 16 or 32.")
    ] = 32,
    again: Annotated[
        bool, typer.Option("--again", help="Replace the key of a board that has one already.")
    ] = False,
    keys: KeysFile = None,
    bare: Bare = False,
    programmer: Programmer = "usbasp",
) -> int:
    """Write a serial number, an address and a new key to a board; store the key on this host."""
    key = os.urandom(max(key_bytes, 0))
    try:
        data = image(serial, key, address)
        require_real(serial, key)
    except ValueError as error:
        raise BadInputError(str(error)) from error
    known = keys_of(keys)
    with _errors_reported() as result:
        flashing.require_avrdude(port)
        if bare:
            _require_new_serial(serial, known)
        else:
            _require_own_serial(port, serial, known, again=again)
        known.require_writable()  # checked before the board gets a key that cannot be stored
        if bare:
            flashing.write_eeprom_bare(port, programmer, data)
        else:
            flashing.write_eeprom(port, data)
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
        _require_identity(port, serial, key, known)
    return result.code


# Checks of the board's replies


def _image(chip: str) -> Path:
    """The file that is written to a board of this chip."""
    return pico_flashing.UF2 if chip == "rp2040" else flashing.HEX


def _require_signature(chip: str, made: bytes, signers: Path | None, *, unsigned: bool) -> str:
    """A sentence that names the trusted signer of the image; with `unsigned` none is needed.

    Raises FlashingError.
    """
    if unsigned:
        return "The signature of the image was not checked (--unsigned)."
    from firmware_bridge.commissioning import image_signature

    trusted = signers or image_signature.signers_file()
    name = image_signature.require_signed(_image(chip), chip, made, trusted)
    return f"The image is signed by {name}."


def _record_build(answer: ProbeAnswer, known: DeviceKeys) -> None:
    """Record the build of a board that has proven its key; `run` refuses another one."""
    if answer.identity is None or answer.serial not in known:
        return
    if not answer.has_key(known.of(answer.serial)):
        raise FlashingError(
            f"The board {answer.serial} does not have the key that {known.file} has for it; check"
            " that it is the right board, or provision it again."
        )
    found = answer.identity.build
    is_built = flashing.HEX.exists() and flashing.built_hash() == found
    image = flashing.image_hash() if is_built else b""
    known.record_build(answer.serial, found, image)
    print(f"The build {text(found)} of {answer.serial} is recorded in {known.file}.")


def _require_build(port: str, made: bytes, known: DeviceKeys) -> None:
    """Raise FlashingError unless every board on this port runs the build `made`; record it."""
    found = _answers(port)
    for answer in found:
        identity = answer.identity
        if identity is None:
            raise FlashingError(
                f"The board at address {answer.address} on {port} has another version of the"
                f" protocol; flash it: wallwright firmware flash {port}."
            )
        if identity.build != made:
            raise FlashingError(
                f"The board {answer.serial} on {port} runs the build {text(identity.build)}, not"
                f" {made.hex()}; flash it: wallwright firmware flash {port}."
            )
        print(f"The board {answer.serial} on {port} runs the build {made.hex()}, as built here.")
        _record_build(answer, known)


def _require_new_serial(serial: str, known: DeviceKeys) -> None:
    """Raise FlashingError if the serial number has a key: a programmer cannot ask the board."""
    if serial in known:
        raise FlashingError(
            f"{serial} has a key in {known.file} already; choose another serial number, or remove"
            " its line from that file.",
            refused=True,
        )


def _require_own_serial(port: str, serial: str, known: DeviceKeys, *, again: bool) -> None:
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
        if named != UNSET and not again:
            raise FlashingError(
                f"The board on {port} has a key already, as {named}; a key is written once. To"
                " replace it, add --again; hosts with the old key then refuse the board.",
                refused=True,
            )


def _require_identity(port: str, serial: str, key: bytes, known: DeviceKeys) -> None:
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
    _record_build(answer, known)


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
        typer.echo(str(error), err=True)
        result.code = 1
