"""The options by which a simulated table is told what goes wrong at it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import BadInputError

if TYPE_CHECKING:
    from config.schema import Table
    from firmware_bridge.sim.faults.injection import InjectedFault

FaultTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        help="What goes wrong (simulation only): KIND:PART, with @SECONDS, #NTH or :RATE; repeat"
        " for several. docs/INJECTED_FAULTS.md lists the kinds.",
        show_default=False,
    ),
]
Campaign = Annotated[
    Path | None,
    typer.Option("--faults", help="A YAML file of such faults.", show_default=False),
]


def injected_faults_of(
    texts: Sequence[str] | None, campaign: Path | None, table: Table
) -> tuple[InjectedFault, ...]:
    """The injected faults of a run. Raises BadInput, or ConfigErrors for the file."""
    if campaign is None and not texts:
        return ()
    from firmware_bridge.sim.faults.campaign import load_campaign
    from firmware_bridge.sim.faults.injection import BadFaultOptionError, check, parse

    told = [] if campaign is None else list(load_campaign(campaign, table))
    try:
        return (*told, *(check(parse(text), table) for text in texts or ()))
    except BadFaultOptionError as bad:
        raise BadInputError(str(bad)) from bad
