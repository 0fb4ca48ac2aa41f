"""The options of a simulated table: injected faults, and processors that execute the firmware."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import BadInputError

if TYPE_CHECKING:
    from config.schema import Table
    from firmware_bridge.sim.faults.injected_fault import InjectedFault

FaultTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        help="A fault to inject (simulation only): KIND:PART, with @SECONDS, #NTH or :RATE. Repeat"
        " for several; docs/build/INJECTED_FAULTS.md lists the kinds.",
        show_default=False,
    ),
]
Campaign = Annotated[
    Path | None,
    typer.Option(
        "--faults", help="A YAML file of faults to inject (simulation only).", show_default=False
    ),
]
Emulated = Annotated[
    bool,
    typer.Option("--emulated", help="Execute the real firmware on simulated processors (slower)."),
]


def injected_faults_of(
    texts: Sequence[str] | None, campaign: Path | None, table: Table
) -> tuple[InjectedFault, ...]:
    """The faults to inject in a run. Raises BadInputError, or ConfigErrors for the file."""
    if campaign is None and not texts:
        return ()
    from firmware_bridge.sim.faults.campaign import load_campaign
    from firmware_bridge.sim.faults.injected_fault import BadFaultOptionError, check, parse

    from_file = [] if campaign is None else list(load_campaign(campaign, table))
    try:
        return (*from_file, *(check(parse(text), table) for text in texts or ()))
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
