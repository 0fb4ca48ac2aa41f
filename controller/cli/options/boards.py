"""The options for boards: ports and keys of real ones, faults and processors of simulated ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.shared import PATH
from firmware_bridge.commissioning.key_files import keys_file

if TYPE_CHECKING:
    from config.schema import Table
    from firmware_bridge.commissioning.device_keys import DeviceKeys
    from firmware_bridge.sim.faults.injected_fault import InjectedFault


PINS = "gpio"
"""The value of `--port` for a table that is driven by this computer's GPIO pins."""
port_option = click.option(
    "--port",
    shell_complete=completion.files,
    multiple=True,
    help="The boards' serial port; BOARD=PORT, repeated, if each has its own; gpio for this"
    " computer's pins.",
)
keys_option = click.option(
    "--keys",
    type=PATH,
    show_default="~/.config/wallwright/keys",
    help="The file with the keys of the boards.",
)
allow_simulated_option = click.option(
    "--allow-simulated",
    is_flag=True,
    help="Accept the simulated boards of 'wallwright board', whose key is public; every port"
    " must be a pseudo-terminal.",
)


def keys_of(
    file: Path | None, ports: Iterable[str] = (), *, allow_simulated: bool = False
) -> DeviceKeys:
    """Read the keys of the boards on these ports. Raises BadInputError for an unusable file.

    With `allow_simulated` it also raises BadInputError for a port that is not a pseudo-terminal.
    """
    from firmware_bridge.commissioning.device_keys import DeviceKeys, KeysError

    if allow_simulated:
        _require_pseudo_terminals(ports)
    try:
        return DeviceKeys(file or keys_file(), simulated=allow_simulated)
    except KeysError as error:
        raise BadInputError(str(error)) from error


def require_ports_for_simulated(ports: Mapping[str, str], *, allow_simulated: bool) -> None:
    """Raise BadInputError if `--allow-simulated` is given and `--port` is not."""
    if allow_simulated and not ports:
        raise BadInputError(
            "`--allow-simulated` needs the port of `wallwright board`; add --port, or leave out"
            " --allow-simulated."
        )


def _require_pseudo_terminals(ports: Iterable[str]) -> None:
    from firmware_bridge.wire.transport import is_pseudo_terminal

    for port in ports:
        if not is_pseudo_terminal(port):
            raise BadInputError(
                f"`--allow-simulated` accepts a public key, so every port must be a"
                f" pseudo-terminal of `wallwright board`; {port} is another device. Leave out"
                " --allow-simulated."
            )


def require_ports_for_keys(keys: Path | None, ports: Mapping[str, str]) -> None:
    """Raise BadInputError if `--keys` is given and `--port` is not."""
    if keys is not None and not ports:
        raise BadInputError(f"`--keys {keys}` needs a real board; add --port, or leave out --keys.")


def ports_of(table: Table, texts: Sequence[str]) -> dict[str, str]:
    """Each board's port, from the values of `--port`; a single port serves every board.

    Raises BadInputError for a value that names no board, and for boards without a port or with two.
    """
    if any(board.kind == "gpio" for board in table.boards.values()):
        if any(text != PINS for text in texts):
            raise BadInputError(
                f"The table {table.name} is driven by GPIO pins; give --port {PINS}."
            )
        return dict.fromkeys(table.boards, PINS) if texts else {}
    if len(texts) == 1 and "=" not in texts[0]:
        return dict.fromkeys(table.boards, texts[0])
    ports: dict[str, str] = {}
    for text in texts:
        board, _, port = text.partition("=")
        if board not in table.boards or not port:
            names = " and ".join(f"--port {name}=PORT" for name in table.boards)
            raise BadInputError(
                f"--port {text} names no board of the table {table.name}; give {names}."
            )
        if board in ports:
            raise BadInputError(
                f"Board {board} has two ports, {ports[board]} and {port}; give one."
            )
        ports[board] = port
    missing = [name for name in table.boards if name not in ports]
    if texts and missing:
        raise BadInputError(f"Board {missing[0]} has no port; add --port {missing[0]}=PORT.")
    return ports


def require_ports(ports: Iterable[str]) -> None:
    """Raise BadInputError for a serial port that does not exist.

    This check is fast: the modules that drive a table need not be imported for it.
    """
    for port in ports:
        if port != PINS and not Path(port).exists():
            raise BadInputError(
                f"There is no port {port}; `wallwright scan` lists the attached ports."
            )


fault_option = click.option(
    "--fault",
    multiple=True,
    help="A fault to inject (simulation only): KIND:PART, with @SECONDS, #NTH or :RATE. Repeat"
    " for several; docs/build/INJECTED_FAULTS.md lists the kinds.",
)
faults_option = click.option(
    "--faults", type=PATH, help="A YAML file of faults to inject (simulation only)."
)
emulated_option = click.option(
    "--emulated", is_flag=True, help="Execute the real firmware on simulated processors (slower)."
)


def injected_faults_of(
    texts: Sequence[str], campaign: Path | None, table: Table
) -> tuple[InjectedFault, ...]:
    """The faults to inject in a run. Raises BadInputError, or ConfigErrors for the file."""
    if campaign is None and not texts:
        return ()
    from firmware_bridge.sim.faults.campaign import load_campaign
    from firmware_bridge.sim.faults.injected_fault import BadFaultOptionError, check, parse

    from_file = [] if campaign is None else list(load_campaign(campaign, table))
    try:
        return (*from_file, *(check(parse(text), table) for text in texts))
    except BadFaultOptionError as bad:
        raise BadInputError(str(bad)) from bad


def require_emulation(table: Table) -> None:
    """Raise BadInputError if the firmware of this table's boards cannot be executed here."""
    if any(board.kind == "gpio" for board in table.boards.values()):
        raise BadInputError(
            f"The table {table.name} is driven by GPIO pins, without firmware; leave out"
            " --emulated."
        )
    from firmware_bridge.sim.processors.processor import Processor

    try:
        Processor().close()
    except (FileNotFoundError, ValueError) as error:
        raise BadInputError(str(error)) from error
    except OSError as error:
        raise BadInputError(
            f"The processor simulator cannot be loaded ({error}); install the package libsimavr2."
        ) from error
