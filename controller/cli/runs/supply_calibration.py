"""Calibration of a board's measurement of its supply, by a person with a multimeter.

A Mega measures its supply against a reference in its chip, which differs from chip to chip. The
person measures the supply at the same time; the ratio of both values gives the chip's reference,
which is written to the board's EEPROM by its bootloader, as its identity is.
"""

from __future__ import annotations

import asyncio
import sys
from typing import NamedTuple

import click

from config.board_profiles import ReferenceProfile, SupplyProfile, board_names, board_profile
from controller.cli.errors import BadInputError, as_sentence
from firmware_bridge.boards.encoding import chip_name
from firmware_bridge.commissioning import flashing
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.probe import (
    ProbeAnswer,
    SupplyReport,
    answers,
    reported_supply,
)
from firmware_bridge.commissioning.provisioning import REFERENCE_PLACE, reference_record
from firmware_bridge.wire.errors import BoardError, BoardSilentError


class CalibratedChip(NamedTuple):
    """A chip whose measurement can be calibrated: its supply and its reference."""

    supply: SupplyProfile
    reference: ReferenceProfile


def calibrated_chip(name: str) -> CalibratedChip | None:
    """The chip of a board profile; None if its measurement is not calibrated."""
    profile = board_profile(name).supply if name in board_names() else None
    if profile is None or profile.reference is None:
        return None
    return CalibratedChip(profile, profile.reference)


def calibrate_supply(port: str, measured: float | None, known: DeviceKeys) -> None:
    """Measure, compute the reference, store it and read it back; print each step.

    `measured` is the voltage that the multimeter shows; without it the person is asked. Raises
    BadInputError, and FlashingError.
    """
    flashing.require_avrdude(port)
    answer, chip = _single_board(port, known)
    before = _measured(port, answer, known)
    print(f"Before: {supply_summary(before, chip)}.")
    volts = _asked_volts(chip) if measured is None else measured
    reference_mv = computed_reference(before, volts, chip)
    flashing.write_eeprom(port, {REFERENCE_PLACE: reference_record(reference_mv)})
    written, chip = _single_board(port, known)
    after = _measured(port, written, known)
    if after.reference_mv != reference_mv:
        raise FlashingError(
            f"The board {answer.serial} reports the reference {after.reference_mv} mV, and"
            f" {reference_mv} mV was written; calibrate it again: wallwright firmware calibrate"
            f" {port}."
        )
    print(f"After: {supply_summary(after, chip)}; the multimeter showed {volts:.2f} V.")


def computed_reference(before: SupplyReport, volts: float, chip: CalibratedChip) -> int:
    """The chip's reference in millivolts, if its supply has this voltage.

    Raises BadInputError for a voltage that the supply cannot have, or that gives a reference
    outside the range of the chip's data sheet.
    """
    supply, reference = chip
    if not supply.ordinary <= volts <= supply.most:
        raise BadInputError(
            f"The measured voltage must be {supply.ordinary:g} to {supply.most:g} V, so that the"
            f" board works while its EEPROM is written; got {volts:g}. Measure between {supply.at}"
            " and GND of the board, correct the supply if the value is right, and calibrate again."
        )
    used = before.reference_mv or round(reference.nominal * 1000)
    found = round(used * volts / before.volts)
    if not _is_possible(found, reference):
        raise BadInputError(
            f"{volts:g} V at {supply.at} would be a reference of {found} mV, and the chip's data"
            f" sheet gives {_range(reference)}; the board measures {before.volts:.2f} V. Measure"
            f" again between {supply.at} and GND of the board itself, with fresh batteries in the"
            " multimeter; nothing was written."
        )
    return found


def supply_summary(report: SupplyReport, chip: CalibratedChip) -> str:
    """A sentence without its full stop: the supply, the reference, and the level of LOW_SUPPLY."""
    supply, reference = chip
    if report.reference_mv:
        used = f"its calibrated reference of {report.reference_mv} mV"
        level = f"within {reference.calibrated * 100:g} %"
    else:
        used = f"the nominal reference of {reference.nominal * 1000:.0f} mV, not calibrated"
        level = "which can be {:.2f} to {:.2f} V".format(*supply.true_low)
    return (
        f"the board measures {report.volts:.2f} V at {supply.at}, by {used}; LOW_SUPPLY comes below"
        f" {supply.low:g} V, {level}"
    )


def print_supply(port: str, known: DeviceKeys) -> None:
    """Print the supply of each board on a port whose key is known. Raises FlashingError."""
    for answer in _answers(port):
        if (found := reported_by(port, answer, known)) is not None:
            print(f"Supply of {answer.serial}: {supply_summary(*found)}.")


def reported_by(
    port: str, answer: ProbeAnswer, known: DeviceKeys
) -> tuple[SupplyReport, CalibratedChip] | None:
    """The supply that a board reports, whose key is known and whose chip can be calibrated.

    None for any other board. Begins a session. Raises FlashingError.
    """
    chip = _chip_of(answer)
    if chip is None or answer.serial not in known:
        return None
    key = known.of(answer.serial)
    report = _reported(port, answer, key) if answer.has_key(key) else None
    return (report, chip) if report is not None and report.volts else None


def _asked_volts(chip: CalibratedChip) -> float:
    if not sys.stdin.isatty():
        raise BadInputError(
            f"`--measured` is missing, and no terminal is attached to enter it; measure between"
            f" {chip.supply.at} and GND of the board, and add --measured VOLTS."
        )
    return float(
        click.prompt(
            f"The voltage between {chip.supply.at} and GND of the board, in volts", type=float
        )
    )


def _single_board(port: str, known: DeviceKeys) -> tuple[ProbeAnswer, CalibratedChip]:
    """The only board on a port, which can be calibrated. Raises FlashingError."""
    found = _answers(port)
    if len(found) != 1:
        raise FlashingError(
            f"{len(found)} boards answer on {port}, and one board must; connect the board alone"
            " with its USB cable, and look whether it is flashed: wallwright scan.",
            refused=True,
        )
    (answer,) = found
    if answer.identity is None:
        raise FlashingError(
            f"The board on {port} has another version of the protocol; flash the firmware of this"
            f" program: wallwright firmware flash {port}.",
            refused=True,
        )
    chip = _chip_of(answer)
    if chip is None:
        raise FlashingError(
            f"The board {answer.serial} is a {chip_name(answer.identity.chip)}, whose measurement"
            " of the supply is not calibrated; docs/build/BOARDS.md has its limits.",
            refused=True,
        )
    if answer.serial not in known or not answer.has_key(known.of(answer.serial)):
        raise FlashingError(
            f"The board {answer.serial} has no key that {known.file} has; provision the board"
            f" first: wallwright firmware provision {port} --serial S --address N.",
            refused=True,
        )
    return answer, chip


def _measured(port: str, answer: ProbeAnswer, known: DeviceKeys) -> SupplyReport:
    report = _reported(port, answer, known.of(answer.serial))
    if report is None or not report.volts:
        raise FlashingError(
            f"The firmware of the board {answer.serial} does not report its supply; flash the"
            f" firmware of this program: wallwright firmware flash {port}.",
            refused=True,
        )
    return report


def _reported(port: str, answer: ProbeAnswer, key: bytes) -> SupplyReport | None:
    try:
        return asyncio.run(reported_supply(port, answer, key))
    except BoardError as error:
        raise FlashingError(as_sentence(error)) from error


def _answers(port: str) -> tuple[ProbeAnswer, ...]:
    try:
        return asyncio.run(answers(port))
    except BoardSilentError as error:
        raise FlashingError(as_sentence(error), refused=True) from error


def _chip_of(answer: ProbeAnswer) -> CalibratedChip | None:
    return calibrated_chip(chip_name(answer.identity.chip)) if answer.identity else None


def _is_possible(reference_mv: int, reference: ReferenceProfile) -> bool:
    return reference.least * 1000 <= reference_mv <= reference.most * 1000


def _range(reference: ReferenceProfile) -> str:
    return f"{reference.least * 1000:.0f} to {reference.most * 1000:.0f} mV"
