"""`--emulated`: boards that are processors running the firmware, and what that needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import BadInputError

if TYPE_CHECKING:
    from config.schema import Table

Emulated = Annotated[
    bool,
    typer.Option("--emulated", help="Run the firmware itself, on simulated processors (slower)."),
]


def require_emulation(table: Table) -> None:
    """Raise BadInput where this table's boards cannot run the firmware here."""
    if any(board.kind == "gpio" for board in table.boards.values()):
        raise BadInputError(
            f"The table {table.name} hangs on GPIO pins and runs no firmware; leave out --emulated."
        )
    from firmware_bridge.sim.processors.processor import Processor

    try:
        Processor().close()
    except (FileNotFoundError, ValueError) as error:
        raise BadInputError(str(error)) from error
    except OSError as error:
        raise BadInputError(
            f"The simulator of the processor cannot be loaded ({error}); install libsimavr2."
        ) from error
