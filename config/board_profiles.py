"""Board profiles: the kinds of board that can drive a table, as data.

    profile = board_profile("mega2560")

A profile describes a board that can be bought, such as the Arduino Mega 2560: its pins, what each
pin can do, and its state at boot. It contains facts of data sheets and of this project's firmware,
never of one table. Pins have the numbers that table files use. Each profile is a YAML file in the
folder `boards`. The firmware's constants are generated from the same files (tools/chip_header.py),
so that host and firmware use one set of facts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache, cached_property
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from config.errors import Finding, instead, located, shown
from config.schema import BoardConfig, Part, Positive, Unit
from config.strict_yaml import parse

Ability = Literal["input", "output", "step", "analog", "pwm", "interrupt"]
"""A function that a pin can have.

`input` is a digital input with a pull-up, `output` a digital output, `step` the step output of an
axis, `analog` an input of the analogue-to-digital converter, `pwm` a hardware timer's output, and
`interrupt` an input with an external interrupt of its own.
"""
Role = Literal["link", "emergency", "curtain", "motor_current", "identity"]
"""A fixed function of a pin.

`link` is the line to the host, `emergency` and `curtain` are the safety inputs that the firmware
monitors by itself, `motor_current` measures the current of all motors, and `identity` reads the
memory of an add-on board.
"""
BootState = Literal["floating", "pulled_up", "pulled_down", "driven"]
"""The state of a pin from reset until the program sets it: high impedance, a pull-up or pull-down
resistor, or driven by a bootloader, an operating system or another chip of the board."""
USUAL_LIMIT = 4.0
"""Volts at the pin for the current of all motors: the limit without `current_limit` (our value)."""
USUAL: dict[Literal["serial", "gpio"], str] = {"serial": "mega2560", "gpio": "raspberry_pi"}
"""The profile of a board that names no `chip`, by the kind of board."""


_FOLDER = resources.files("config") / "boards"


@cache
def board_names() -> tuple[str, ...]:
    """The names of all profiles, in alphabetical order."""
    files = _FOLDER.iterdir()
    return tuple(sorted(Path(file.name).stem for file in files if file.name.endswith(".yaml")))


@cache
def board_profile(name: str) -> BoardProfile:
    """Loads a profile by its name. Raises ConfigErrors for an unknown name or an invalid file."""
    if name not in board_names():
        wrong = f"is not the name of a board profile ({shown(name)})"
        raise located(name, {}, [Finding((), wrong, instead(name, board_names()))])
    file = f"{name}.yaml"
    text = (_FOLDER / file).read_text("utf-8")
    document = parse(text, file)
    try:
        return BoardProfile.model_validate_json(json.dumps(document.value))
    except ValidationError as error:
        findings = (
            Finding(each["loc"], each["msg"], "Correct the profile.")
            for each in error.errors(include_url=False)
        )
        raise located(file, document.lines, findings) from None


def chip_of(board: BoardConfig) -> str:
    """The name of a board's profile: its `chip`, or the usual one of its kind."""
    return board.chip if board.chip is not None else USUAL[board.kind]


def profile_of(board: BoardConfig) -> BoardProfile:
    """The profile of a table's board. Raises ConfigErrors if its `chip` is unknown."""
    return board_profile(chip_of(board))


class PinProfile(Part):
    """One pin of a board."""

    pin: Annotated[int, Field(ge=0, le=254)]
    """The number of the pin in table files."""
    label: str
    """The name that is printed on the board or on its usual drawings."""
    pad: str
    """The name in the chip's data sheet: port and bit, or GPIO number."""
    can: tuple[Ability, ...]
    """The functions that the pin can have."""
    reserved: Role | None = None
    """The fixed function of the pin, if it has one."""
    at_boot: BootState = "floating"
    """The state from reset until the program sets the pin."""
    note: str = ""
    """A sentence about the pin; for a pin that is not floating at boot, what drives or pulls it."""


class PortProfile(Part):
    """A serial port for a module (dice reader or tile reader)."""

    port: Annotated[int, Field(ge=1, le=3)]
    """The number of the port in table files."""
    sends: int
    """The pin on which the board sends."""
    receives: int
    """The pin on which the board receives."""


class ConverterProfile(Part):
    """The analogue-to-digital converter."""

    bits: Annotated[int, Field(ge=8, le=16)]
    """The resolution of the converter, in bits."""
    volts: Annotated[Positive, Unit("V")]
    """The voltage of its highest value; pins measure from 0 V to this voltage."""

    @property
    def most_millivolts(self) -> int:
        """The highest value that it measures: one step below the end of its range."""
        return int(self.volts * 1000 * (1 - 2**-self.bits))


class StorageProfile(Part):
    """The memory that keeps counts, positions, serial number and key without power."""

    kind: Literal["eeprom", "flash", "files"]
    """`eeprom` is written byte by byte, `flash` is erased in blocks, `files` is a file system."""
    size: Annotated[int, Field(ge=0), Unit("bytes")]
    """The memory that the firmware can use; 0 for a file system."""
    block: Annotated[int, Field(ge=0), Unit("bytes")]
    """The smallest part that can be erased; 1 for an EEPROM, 0 for a file system."""
    cycles: Annotated[int, Field(ge=0)]
    """The number of times that each part can be written, by the data sheet; 0 if it gives none."""


class ReferenceProfile(Part):
    """The reference voltage against which a chip measures its supply, if it can be calibrated."""

    nominal: Annotated[Positive, Unit("V")]
    """The voltage that a board uses which was not calibrated."""
    least: Annotated[Positive, Unit("V")]
    """The lowest voltage by the data sheet. The board refuses a lower one."""
    most: Annotated[Positive, Unit("V")]
    """The highest voltage by the data sheet. The board refuses a higher one."""
    calibrated: Annotated[Positive, Unit("of the true voltage")]
    """The largest error of the measured supply after the calibration, near `low`."""


class SupplyProfile(Part):
    """The supply of the board, as the firmware measures it."""

    at: str
    """The pin whose voltage is measured."""
    low: Annotated[Positive, Unit("V")]
    """The measured voltage below which the board latches LOW_SUPPLY."""
    ordinary: Annotated[Positive, Unit("V")]
    """The lowest voltage at this pin with a supply that keeps to its standard. A board must run
    with it, however much its measurement differs from the true voltage."""
    most: Annotated[Positive, Unit("V")]
    """The highest voltage at this pin by the data sheet."""
    reads_least: Annotated[Positive, Unit("of the true voltage")]
    """The lowest measured voltage, as a share of the true one, by the tolerance of the parts."""
    reads_most: Annotated[Positive, Unit("of the true voltage")]
    """The highest measured voltage, as a share of the true one."""
    reference: ReferenceProfile | None = None
    """The reference of the measurement, if `wallwright firmware calibrate` can store it."""

    @property
    def true_low(self) -> tuple[float, float]:
        """The lowest and the highest true voltage below which a board can latch LOW_SUPPLY."""
        return self.low / self.reads_most, self.low / self.reads_least


class BootloaderProfile(Part):
    """The program that starts before the firmware, and through which it is flashed."""

    name: str
    """The name of the bootloader."""
    size: Annotated[int, Field(ge=0), Unit("bytes")]
    """The flash that it occupies."""
    starts: str
    """When it runs, and how it is left."""


class CurrentGroup(Part):
    """Pins whose outputs share a limit of current."""

    name: str
    """The name of the group, such as the chip's ports."""
    milliamperes: Annotated[Positive, Unit("mA")]
    """The largest sum of the currents of these pins."""
    pins: tuple[int, ...]
    """The pins of the group."""


class CurrentLimits(Part):
    """The currents that the pins can supply or sink."""

    pin: Annotated[Positive, Unit("mA")]
    """The current of one pin at which the data sheet specifies its levels."""
    pin_maximum: Annotated[Positive, Unit("mA")]
    """The current of one pin above which the chip can be damaged."""
    total: Annotated[Positive, Unit("mA")]
    """The largest sum of the currents of all pins."""
    groups: tuple[CurrentGroup, ...] = ()
    """Groups of pins with a limit of their own."""


class BoardProfile(Part):
    """A kind of board: its chip, its pins and its limits."""

    name: str
    """The name for `chip:` in table files."""
    title: str
    """The name for people."""
    kind: Literal["serial", "gpio"]
    """The `kind:` of boards with this profile."""
    processor: str
    """The chip."""
    logic: Annotated[Positive, Unit("V")]
    """The voltage of a high level; more damages the chip."""
    axes: Annotated[int, Field(ge=0)]
    """The number of stepper axes that the firmware drives."""
    steps: Annotated[int, Field(ge=0), Unit("1/s")]
    """The highest step rate of an axis, while all others have it too; 0 without axes. Measured with
    an emulated Mega whose inputs change all the time (`python -m benchmarks firmware_chatter`); a
    Pico keeps it up to 200,000 changes of inputs a second in all (decision 53)."""
    converter: ConverterProfile | None = None
    """The analogue-to-digital converter, if the board has one."""
    storage: StorageProfile
    """The memory that survives a loss of power."""
    supply: SupplyProfile | None = None
    """The supply, if the board measures it."""
    bootloader: BootloaderProfile | None = None
    """The bootloader, if there is one."""
    current: CurrentLimits
    """The limits of the pins' currents."""
    ports: tuple[PortProfile, ...] = ()
    """The serial ports for modules."""
    pins: tuple[PinProfile, ...]
    """The pins, in the order of their numbers."""
    sources: tuple[str, ...]
    """The documents from which the facts are."""

    @cached_property
    def by_number(self) -> dict[int, PinProfile]:
        """The pins by their numbers."""
        return {pin.pin: pin for pin in self.pins}

    @property
    def usual_limit(self) -> float:
        """The limit of the current of all motors of a board without `current_limit`, in volts.

        It is 4 V at the pin that measures this current, or nine tenths of the converter's range.
        """
        full = self.converter.volts if self.converter else 0.0
        return min(USUAL_LIMIT, round(full * 0.9, 3))

    @cached_property
    def by_port(self) -> dict[int, PortProfile]:
        """The serial ports for modules by their numbers."""
        return {port.port: port for port in self.ports}

    def able(self, *abilities: Ability) -> tuple[int, ...]:
        """The pins that channels can use with all these abilities.

        Pins for the link, the motor current and the identity of add-on boards are left out.
        """
        return tuple(
            pin.pin
            for pin in self.pins
            if pin.reserved in (None, "emergency", "curtain") and set(abilities) <= set(pin.can)
        )

    def reserved(self, role: Role) -> int | None:
        """The first pin with this fixed function; None if the board has no such pin."""
        return next((pin.pin for pin in self.pins if pin.reserved == role), None)


def pin_ranges(pins: Iterable[int]) -> str:
    """Numbers as text, with runs of three or more shortened: `2 to 4, 12`; `none` for no number."""
    texts: list[str] = []
    for _, run in groupby(enumerate(sorted(pins)), key=lambda each: each[1] - each[0]):
        numbers = [pin for _, pin in run]
        short = len(numbers) > 2
        texts += [f"{numbers[0]} to {numbers[-1]}"] if short else map(str, numbers)
    return ", ".join(texts) or "none"
