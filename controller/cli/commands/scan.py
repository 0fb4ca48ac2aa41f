"""`wallwright scan`: lists the serial ports and the boards that answer on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

import typer

from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.options import completion
from controller.cli.options.boards import AllowSimulated, KeysFile, keys_of
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import AsJson
from controller.cli.runs.board_checks import LimitsReport, report_limits
from controller.upkeep.installation import attached_ports, can_be_a_board
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
from firmware_bridge.wire.transport import console_use


def scan(
    ports: Annotated[
        list[str] | None,
        typer.Argument(
            help="The ports to scan; without one, all USB ports that can be a board.",
            show_default=False,
        ),
    ] = None,
    keys: KeysFile = None,
    limits: Annotated[
        bool,
        typer.Option(
            "--limits",
            help="Also show the limits with which each board was provisioned. A board reports them"
            " in a session only, which ends the motions of an earlier session.",
        ),
    ] = False,
    table: Annotated[
        str | None,
        typer.Option(
            help="With --limits: the table whose limits the boards should have; the exit code is 1"
            " if they have others.",
            show_default=False,
            autocompletion=completion.tables,
        ),
    ] = None,
    allow_simulated: AllowSimulated = False,
    as_json: AsJson = False,
) -> int:
    """List serial ports and the boards on them, with serial number, firmware, key and limits."""
    if table is not None and not limits:
        raise BadInputError(f"`--table {table}` compares limits; add --limits.")
    needed = None if table is None else table_named(table)
    known = keys_of(keys, ports or (), allow_simulated=allow_simulated)
    attached = {port.device: port for port in attached_ports()}
    found = [
        scanned_port(port, attached[port].description if port in attached else "n/a")
        if ports or can_be_a_board(attached[port])
        else Scanned(port, attached[port].description, refusal=_not_asked(port))
        for port in ports or attached
    ]
    if limits:
        found = [
            replace(
                each,
                limits={
                    answer.address: report_limits(each.port, answer, known, needed)
                    for answer in each.answers
                    if answer.identity
                },
            )
            for each in found
        ]
    if as_json:
        print(json.dumps([facts(each, known) for each in found], indent=2))
    elif not ports and not any(map(can_be_a_board, attached.values())):
        print(NOT_ATTACHED)
    for each in found:
        if each.refusal is not None and ports:
            print_error(each.refusal)
        elif not as_json:
            for line in _lines(each, known):
                print(f"{each.port}{each.described}: {line}")
    # A port named on the command line that cannot be opened is bad input.
    if ports and any(each.refusal is not None for each in found):
        return 2
    return int(any(report.differs for each in found for report in each.limits.values()))


NOT_ATTACHED = (
    "No board and no adapter of a board is attached by USB. Connect the board, with a cable that"
    " carries data too, and scan again. A board at the header of a Raspberry Pi must be named, for"
    " example: wallwright scan /dev/ttyAMA0 (docs/build/PI.md has the settings)."
)
NOT_ASKED = (
    "not asked, because it is not a USB device that can be a board; it can be a console or a modem."
    " If a board is on it: wallwright scan {port}"
)
A_CONSOLE = (
    "not asked, because {used_by}. It cannot have a board until that is switched off:"
    " docs/build/PI.md has the settings"
)


def _not_asked(port: str) -> str:
    """The reason why an unnamed port was skipped, and the next step."""
    used_by = console_use(port)
    return NOT_ASKED.format(port=port) if used_by is None else A_CONSOLE.format(used_by=used_by)


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


def _lines(scanned: Scanned, keys: DeviceKeys) -> list[str]:
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
