"""The installation of the service on a table's computer: its serial ports and its options.

`wallwright install` (`controller/cli/commands/install.py`) asks a person and carries it out. A port
has a name that stays, and the board that answers on it. systemd reads the options from a file.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from config.schema import Table
from firmware_bridge.commissioning.probe import ProbeAnswer, answers
from firmware_bridge.wire.errors import BoardSilentError
from rules.errors import WallwrightError

STABLE = (Path("/dev/wallwright"), Path("/dev/serial/by-id"))
"""Folders with names that a port keeps when it gets another number; the first ones are better."""
BOARD_VENDORS = frozenset({0x2341, 0x2A03, 0x2E8A, 0x1A86, 0x0403, 0x10C4})
"""USB vendors of boards and their adapters: those of packaging/60-wallwright.rules."""


class PortChoiceError(WallwrightError, ValueError):
    """The boards that answer do not show which port each board of the table has."""


@dataclass(frozen=True)
class AnsweringPort:
    """A port under its stable name, and the boards that answer on it, in the order of addresses."""

    name: str
    boards: tuple[ProbeAnswer, ...]


def stable_name(device: str, folders: Sequence[Path] = STABLE) -> str:
    """The name of a port that stays when cables are plugged in again; the port itself if none.

    A name below `/dev/wallwright` has the serial number of the board's USB device.
    """
    target = Path(device).resolve()
    for folder in folders:
        for link in sorted(folder.iterdir()) if folder.is_dir() else []:
            if link.resolve() == target:
                return str(link)
    return device


def attached_ports() -> tuple[ListPortInfo, ...]:
    """Every serial port of this computer, by name."""
    return tuple(sorted(list_ports.comports(), key=lambda each: str(each.device)))


def can_be_a_board(port: ListPortInfo) -> bool:
    """Whether a port may be asked without being named: a USB device of a vendor of boards.

    Other ports can lead to a console, a Bluetooth chip or a modem, which would take the bytes for
    commands.
    """
    return port.vid in BOARD_VENDORS


async def answering_ports() -> tuple[AnsweringPort, ...]:
    """The ports on which boards answer, of those that can be boards. A port in use is left out."""
    found = []
    for port in filter(can_be_a_board, attached_ports()):
        try:
            boards = await answers(port.device)
        except BoardSilentError:
            continue
        if boards:
            found.append(AnsweringPort(stable_name(port.device), boards))
    return tuple(found)


def ports_of_boards(table: Table, found: Sequence[AnsweringPort]) -> Mapping[str, str]:
    """Each board of the table with its port: by its serial number, or else by its address.

    Raises PortChoiceError if a board answers on no port or could be one of several.
    """
    ports: dict[str, str] = {}
    for name, board in table.boards.items():
        fitting = [
            port.name
            for port in found
            for answer in port.boards
            if (answer.serial == board.serial if board.serial else answer.address == board.address)
        ]
        wanted = (
            f"the serial number {board.serial}" if board.serial else f"the address {board.address}"
        )
        if not fitting:
            raise PortChoiceError(
                f"No board with {wanted} answers, which the board {name} of the table"
                f" {table.name} has. Connect it and check it with `wallwright scan`, give its port"
                f" with --port {name}=PORT, or set up a simulated table with --simulated."
            )
        if len(fitting) > 1:
            raise PortChoiceError(
                f"Boards with {wanted} answer on {' and '.join(fitting)}. Give the port of the"
                f" board {name} of the table {table.name}: --port {name}=PORT."
            )
        ports[name] = fitting[0]
    return ports


OPTIONS_FILE = Path("/etc/wallwright/serve.conf")
TABLE_FILE = Path("/etc/wallwright/table.yaml")
"""Where the file of a table of one's own is copied."""
VARIABLE = "WALLWRIGHT_SERVE"
_HEAD = """\
# The options with which wallwright.service starts `wallwright serve`; the manual page
# wallwright-serve(1) lists all. Written by `wallwright install`, which writes it again.
# Without --port the table is simulated. The service reads this file at its start.
"""


@dataclass(frozen=True)
class ServiceOptions:
    """The options of `wallwright serve` that belong to one computer.

    `ports` has the port of each board; it is empty for a simulated table.
    """

    table: str
    ports: Mapping[str, str] = field(default_factory=dict)
    listen: str | None = None
    nameplate: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The options as words of a command line."""
        words = ["--table", self.table]
        distinct = sorted(set(self.ports.values()))
        if len(distinct) == 1:
            words += ["--port", distinct[0]]
        else:
            for board, port in self.ports.items():
                words += ["--port", f"{board}={port}"]
        if self.listen is not None:
            words += ["--listen", self.listen]
        if self.nameplate is not None:
            words += ["--nameplate", self.nameplate]
        return tuple(words)

    @property
    def text(self) -> str:
        """The contents of the file: one variable, which systemd divides into words again.

        systemd removes the outer quotes of the line, and then the quotes of each word.
        """
        line = " ".join(map(shlex.quote, self.words))
        escaped = line.replace("\\", "\\\\").replace('"', '\\"')
        return f'{_HEAD}{VARIABLE}="{escaped}"\n'
