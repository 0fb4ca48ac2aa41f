"""`--emulated`: simulated processors that execute the firmware, and their requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import BadInputError

if TYPE_CHECKING:
    from config.schema import Table

Emulated = Annotated[
    bool,
    typer.Option("--emulated", help="Execute the real firmware on simulated processors (slower)."),
]


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
