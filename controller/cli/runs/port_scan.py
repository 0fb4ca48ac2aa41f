"""The boards that answer on a serial port, and what is known about them on this computer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from controller.cli.errors import as_sentence
from controller.cli.runs.board_checks import LimitsReport
from firmware_bridge.boards.encoding import chip_name, text
from firmware_bridge.commissioning.device_keys import (
    SIMULATED,
    DeviceKeys,
    MissingKeyError,
    PublicKeyError,
)
from firmware_bridge.commissioning.flashing import tree_hash
from firmware_bridge.commissioning.probe import SILENCE, ProbeAnswer, answers, board_summary
from firmware_bridge.wire.errors import BoardSilentError


@dataclass(frozen=True)
class Scanned:
    """A port: its description ("n/a" for none), its boards, or why it was not asked."""

    port: str
    description: str
    answers: tuple[ProbeAnswer, ...] = ()
    refusal: str | None = None
    limits: Mapping[int, LimitsReport] = field(default_factory=dict)
    """The limits of the boards by address, if they were asked for."""

    @property
    def described(self) -> str:
        """The description in parentheses, or "" if there is none."""
        return f" ({self.description})" if self.description != "n/a" else ""


def scanned_port(port: str, description: str = "n/a") -> Scanned:
    """Ask the boards on one port."""
    try:
        return Scanned(port, description, asyncio.run(answers(port)))
    except BoardSilentError as error:
        return Scanned(port, description, refusal=as_sentence(error))


def facts(scanned: Scanned, keys: DeviceKeys) -> dict[str, object]:
    """A port as JSON values."""
    current = tree_hash()
    return {
        "port": scanned.port,
        "description": None if scanned.description == "n/a" else scanned.description,
        "refusal": scanned.refusal,
        "boards": [
            {
                "address": answer.address,
                "serial": answer.serial,
                "protocol": answer.identity.protocol if answer.identity else None,
                "firmware": answer.identity.firmware if answer.identity else None,
                "chip": chip_name(answer.identity.chip) if answer.identity else None,
                "build": text(answer.identity.build) if answer.identity else None,
                "state_of_build": build_of(answer, scanned.port, current),
                "key": key_of(answer, keys) if answer.identity else None,
            }
            | (
                {"limits": scanned.limits[answer.address].facts}
                if answer.address in scanned.limits
                else {}
            )
            for answer in scanned.answers
        ],
    }


def lines_of(scanned: Scanned, keys: DeviceKeys) -> list[str]:
    """A port as sentences: one for each board, or why it was not asked."""
    if scanned.refusal is not None:
        return [scanned.refusal]
    current = tree_hash()
    lines = []
    for answer in scanned.answers:
        if answer.identity is None:
            lines.append(f"{board_summary(answer)}: wallwright firmware flash {scanned.port}")
            continue
        lines.append(
            f"{board_summary(answer)}; build {build_of(answer, scanned.port, current)};"
            f" key {key_of(answer, keys)}"
        )
        if answer.address in scanned.limits:
            lines.append(f"board {answer.serial}: {scanned.limits[answer.address].sentence}")
    return lines or [SILENCE]


def build_of(answer: ProbeAnswer, port: str, current: bytes | None) -> str:
    """Whether a board's build matches the sources on this computer, whose hash is `current`."""
    if answer.serial.startswith(SIMULATED):
        return "simulated"
    if current is None:
        return "unknown (the firmware's sources are not installed here)"
    if answer.identity is not None and answer.identity.build == current:
        return "current"
    return f"not current (update it: wallwright firmware flash {port})"


def key_of(answer: ProbeAnswer, keys: DeviceKeys) -> str:
    """Whether the board's key is in the key file, and whether the board has the same key."""
    try:
        key = keys.of(answer.serial)
    except PublicKeyError:
        return "public (a simulated board: only --allow-simulated accepts it)"
    except MissingKeyError:
        return "not in the key file (create one: wallwright firmware provision)"
    if answer.has_key(key):
        return "matches the key file"
    return "differs from the key file (check that this is the right board)"
