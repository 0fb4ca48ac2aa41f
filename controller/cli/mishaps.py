"""The options by which a simulated table is told what goes wrong at it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from config.schema import Table
from controller.cli.errors import BadInput
from firmware_bridge.sim.faults.campaign import load_campaign
from firmware_bridge.sim.faults.injection import BadMishap, Mishap, check, parse

FaultTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        help="What goes wrong (simulation only): KIND:PART, with @SECONDS, #NTH or :RATE; repeat"
        " for several. docs/MISHAPS.md lists the kinds.",
        show_default=False,
    ),
]
Campaign = Annotated[
    Path | None,
    typer.Option("--faults", help="A YAML file of such faults.", show_default=False),
]


def mishaps_of(
    texts: Sequence[str] | None, campaign: Path | None, table: Table
) -> tuple[Mishap, ...]:
    """What was ordered to go wrong. Raises BadInput, or ConfigErrors for the file."""
    told = [] if campaign is None else list(load_campaign(campaign, table))
    try:
        return (*told, *(check(parse(text), table) for text in texts or ()))
    except BadMishap as bad:
        raise BadInput(str(bad)) from bad
