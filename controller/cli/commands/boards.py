"""`wallwright boards`: lists the board profiles, or the pins of one."""

from __future__ import annotations

import json

import click
from rich.table import Table as Grid

from config.board_profiles import BoardProfile, board_names, board_profile, pin_ranges
from config.validation.board_pins import HIGH
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError, unknown_name
from controller.cli.options.shared import json_option
from controller.cli.terminal.screen import screen


@click.command(cls=CliCommand)
@click.argument("name", required=False, help="List the pins of this board profile.")
@json_option
def boards(name: str | None, as_json: bool) -> int:
    """List the board profiles, or every pin of one with its abilities and its state at boot."""
    if name is not None and name not in board_names():
        raise BadInputError(unknown_name("board profile", name, board_names()))
    profiles = [board_profile(each) for each in board_names() if name in (None, each)]
    if as_json:
        # Tuples become lists, so that the output is the file's own form with every default.
        print(json.dumps([profile.model_dump(mode="json") for profile in profiles], indent=2))
    elif name is None:
        screen().print(_list(profiles))
    else:
        screen().print(_pins(profiles[0]))
    return 0


def _list(profiles: list[BoardProfile]) -> Grid:
    grid = Grid("chip", "board", "kind", "logic", "axes", "not for motors", box=None)
    for profile in profiles:
        high = [
            pin.pin for pin in profile.pins if pin.at_boot in HIGH and pin.pin in profile.able()
        ]
        volts, axes = f"{profile.logic:g} V", str(profile.axes)
        grid.add_row(
            profile.name, profile.title, profile.kind, volts, axes, f"pins {pin_ranges(high)}"
        )
    return grid


def _pins(profile: BoardProfile) -> Grid:
    grid = Grid(
        *("pin", "label", "can be", "reserved for", "at boot", "note"),
        title=f"{profile.name}: {profile.title}, {profile.logic:g} V",
        title_justify="left",
        title_style="bold",
        box=None,
    )
    for pin in profile.pins:
        reserved = "" if pin.reserved is None else pin.reserved.replace("_", " ")
        state = pin.at_boot.replace("_", " ")
        grid.add_row(str(pin.pin), pin.label, ", ".join(pin.can), reserved, state, pin.note)
    return grid
