"""`wallwright install`: sets up the service of this computer after the Debian package."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from config.durable_files import replace_file
from config.loader import table_names
from config.schema import Table
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.boards import PINS, port_option, ports_of, require_ports
from controller.cli.options.lookup import table_named
from controller.upkeep.installation import (
    OPTIONS_FILE,
    TABLE_FILE,
    VARIABLE,
    PortChoiceError,
    ServiceOptions,
    answering_ports,
    ports_of_boards,
)
from controller.upkeep.update.preparation import debian_package
from firmware_bridge.commissioning.probe import board_summary

UNIT = "wallwright.service"
USER = "wallwright"
DATA = Path("/var/lib/wallwright/data")
COMMAND = "/usr/bin/wallwright"
SIMULATED = "robotic"
"""The simulated table of `--simulated --yes` without a table: it deals every game by itself."""


@click.command(cls=CliCommand)
@click.option(
    "--table",
    shell_complete=completion.tables,
    show_default="asked for",
    help="The table: a name from 'wallwright tables', or its YAML file, which is copied to"
    " /etc/wallwright.",
)
@port_option
@click.option("--simulated", is_flag=True, help="Set up a simulated table, without a board.")
@click.option(
    "--listen", show_default="127.0.0.1:8080", help="Address and port of the API and the panel."
)
@click.option(
    "--nameplate",
    help="Maker, model and serial number for receipts, such as 'Treasure, MJ-9, A-17'.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be done, and change nothing.")
@click.option("--yes", is_flag=True, help="Ask nothing, for scripts.")
def install(
    table: str | None,
    port: tuple[str, ...],
    simulated: bool,
    listen: str | None,
    nameplate: str | None,
    dry_run: bool,
    yes: bool,
) -> int:
    """Set up the service of this computer: table, ports, files in /etc/wallwright, start."""
    if simulated and port:
        raise BadInputError("`--simulated` is a table without boards; leave out --port.")
    _require_package()
    if os.geteuid() != 0 and not dry_run:
        raise BadInputError(
            "`wallwright install` writes into /etc/wallwright, which belongs to root; run it with"
            " sudo, or look first with --dry-run."
        )
    named = table or _asked_table(simulated=simulated, yes=yes)
    machine = table_named(named)
    ports = {} if simulated else _ports(machine, port)
    options = _options(named, ports, listen, nameplate)
    _print_plan(named, options)
    if dry_run:
        print("Nothing was changed (--dry-run).")
        return 0
    if not yes and not click.confirm("Do this?", default=True):
        print("Nothing was changed.")
        return 1
    _write(named, options)
    if _doctor(options.table) != 0:
        print(
            "The configuration is written, and the service was not started. Correct the problems,"
            " then run this command again.",
            file=sys.stderr,
        )
        return 1
    return _start()


def _require_package() -> None:
    if debian_package() is None:
        raise BadInputError(
            "This program was not installed by the Debian package, which brings the service's unit"
            " and user; install the package first (docs/start/INSTALL.md), or start it by hand:"
            " wallwright serve."
        )


def _asked_table(*, simulated: bool, yes: bool) -> str:
    if yes and simulated:
        return SIMULATED
    if yes:
        raise BadInputError(
            "`--yes` skips every question, also the one for the table; add --table NAME."
        )
    names = ", ".join(table_names())
    return str(click.prompt(f"The table: the path of its file, or one of {names}"))


def _ports(machine: Table, given: Sequence[str]) -> Mapping[str, str]:
    """The port of each board: given, the pins of this computer, or found by asking the boards."""
    if given:
        ports = ports_of(machine, given)
        require_ports(ports.values())
        return ports
    if any(board.kind == "gpio" for board in machine.boards.values()):
        return dict.fromkeys(machine.boards, PINS)
    print("Asking the boards on the serial ports of this computer.")
    found = asyncio.run(answering_ports())
    for each in found:
        for answer in each.boards:
            print(f"{each.name}: {board_summary(answer)}")
    try:
        return ports_of_boards(machine, found)
    except PortChoiceError as error:
        raise BadInputError(str(error)) from error


def _options(
    named: str, ports: Mapping[str, str], listen: str | None, nameplate: str | None
) -> ServiceOptions:
    table = str(TABLE_FILE) if _is_file(named) else named
    return ServiceOptions(table, ports, listen, nameplate)


def _is_file(named: str) -> bool:
    """Whether a table is named by its file, and not by the name of a table of the program."""
    return named not in table_names()


def _print_plan(named: str, options: ServiceOptions) -> None:
    print("This will be done:")
    if _is_file(named) and not _is_same(Path(named), TABLE_FILE):
        print(f"  copy {named} to {TABLE_FILE}")
    line = next(each for each in options.text.splitlines() if each.startswith(VARIABLE))
    print(f"  write {OPTIONS_FILE}: {line}")
    print(f"  check the computer: wallwright doctor --table {options.table} --data {DATA}")
    print(f"  start the service, now and at every start of the computer: {UNIT}")


def _write(named: str, options: ServiceOptions) -> None:
    try:
        OPTIONS_FILE.parent.mkdir(parents=True, exist_ok=True)
        if _is_file(named) and not _is_same(Path(named), TABLE_FILE):
            replace_file(TABLE_FILE, Path(named).read_bytes())
            TABLE_FILE.chmod(0o644)
            print(f"Copied {named} to {TABLE_FILE}.")
        replace_file(OPTIONS_FILE, options.text.encode("utf-8"))
        OPTIONS_FILE.chmod(0o644)
    except OSError as error:
        raise BadInputError(
            f"{error.filename} cannot be written ({error.strerror}); free space on the disk, or"
            " check that /etc is writable."
        ) from error
    print(f"Wrote {OPTIONS_FILE}.")


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _doctor(table: str) -> int:
    """Check the computer as the user of the service, in the folder of its data."""
    sys.stdout.flush()  # the output of the other process comes after ours
    command = ["runuser", "-u", USER, "--", COMMAND, "doctor", "--table", table]
    command += ["--data", str(DATA)]
    return subprocess.run(command, cwd=DATA, check=False).returncode  # noqa: S603 - our command


def _start() -> int:
    """Enable and start the service, as far as this computer can."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        print("systemd is not installed here, so the service was not started.")
        return 0
    done = subprocess.run([systemctl, "enable", UNIT], check=False)  # noqa: S603 - of the system
    if done.returncode == 0 and Path("/run/systemd/system").is_dir():
        done = subprocess.run([systemctl, "restart", UNIT], check=False)  # noqa: S603 - as above
    if done.returncode != 0:
        print(
            f"systemctl ended with the code {done.returncode}; the reason: journalctl -u {UNIT}.",
            file=sys.stderr,
        )
        return 1
    print(f"The service is set up; its messages: journalctl -u {UNIT}.")
    return 0
