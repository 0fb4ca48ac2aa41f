"""Board profiles: the kinds of board that can drive a table, as data.

    profile = board_profile("mega2560")

Each profile is a YAML file in this folder. The firmware's constants are generated from the same
files (tools/chip_header.py), so that host and firmware use one set of facts.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from config.boards.profile import (
    Ability,
    BoardProfile,
    BootloaderProfile,
    BootState,
    ConverterProfile,
    CurrentGroup,
    CurrentLimits,
    PinProfile,
    PortProfile,
    ReferenceProfile,
    Role,
    StorageProfile,
    SupplyProfile,
    pin_ranges,
)
from config.errors import Finding, instead, located, shown
from config.schema import BoardConfig
from config.strict_yaml import parse

USUAL: dict[Literal["serial", "gpio"], str] = {"serial": "mega2560", "gpio": "raspberry_pi"}
"""The profile of a board that names no `chip`, by the kind of board."""

__all__ = [
    "USUAL",
    "Ability",
    "BoardProfile",
    "BootState",
    "BootloaderProfile",
    "ConverterProfile",
    "CurrentGroup",
    "CurrentLimits",
    "PinProfile",
    "PortProfile",
    "ReferenceProfile",
    "Role",
    "StorageProfile",
    "SupplyProfile",
    "board_names",
    "board_profile",
    "chip_of",
    "pin_ranges",
    "profile_of",
]


@cache
def board_names() -> tuple[str, ...]:
    """The names of all profiles, in alphabetical order."""
    files = resources.files("config.boards").iterdir()
    return tuple(sorted(Path(file.name).stem for file in files if file.name.endswith(".yaml")))


@cache
def board_profile(name: str) -> BoardProfile:
    """Loads a profile by its name. Raises ConfigErrors for an unknown name or an invalid file."""
    if name not in board_names():
        wrong = f"is not the name of a board profile ({shown(name)})"
        raise located(name, {}, [Finding((), wrong, instead(name, board_names()))])
    file = f"{name}.yaml"
    text = (resources.files("config.boards") / file).read_text("utf-8")
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
