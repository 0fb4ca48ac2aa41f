"""Every command is one complete object; the lists that people read are made of these objects."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from controller.service import commands
from controller.service.commands import BY_NAME, COMMANDS, STOPS
from controller.service.commands.command import TableCommand
from controller.service.status import Value
from controller.service.user_roles import UserRole
from controller.web.api.routes.commands import command_schemas

HOUSE = Path(__file__).parents[4]
ROLES = (UserRole.PLAYER, UserRole.DEALER, UserRole.ATTENDANT, UserRole.TECHNICIAN)
OBJECTS = {
    id(found): found
    for module in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}.")
    for found in vars(import_module(module.name)).values()
    if isinstance(found, TableCommand)
}


def test_every_command_object_is_in_the_list_once() -> None:
    assert {each.name for each in OBJECTS.values()} == {each.name for each in COMMANDS}
    assert len(OBJECTS) == len(COMMANDS) == len(BY_NAME)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.name)
def test_a_command_has_a_name_arguments_a_role_and_words(command: TableCommand[Any]) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", command.name)
    assert issubclass(command.arguments, Value)
    assert command.role in ROLES
    assert re.fullmatch(r"[A-Z][^.]*\.", command.summary), "one sentence"
    assert (command.target_role is None) == (not command.target)
    assert command.stops or not command.not_stored
    # A stop is executed each time, so nothing of it is recognised as a repetition.
    assert not command.stops or (command.press is None and command.activities is None)
    if command.example is not None:
        command.arguments.model_validate(command.example)


def test_the_commands_that_stop_motions_are_these() -> None:
    """The list of stops is complete: a stop has no limit and is executed before it is recorded."""
    assert sorted(STOPS) == ["pause", "stop_activity", "stop_jog", "stop_service"]


def test_the_table_of_commands_in_the_documentation_is_that_of_the_objects() -> None:
    text = (HOUSE / "docs" / "reference" / "API.md").read_text("utf-8")
    section = text.partition("\n## Commands\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    assert [(row[0], row[2], row[3]) for row in rows] == [
        (f"| `{each.name}`", each.role.value, f"{each.summary} |") for each in COMMANDS
    ]


def test_the_api_describes_every_command_with_its_summary_and_its_role() -> None:
    schemas = command_schemas()
    for command in COMMANDS:
        described = schemas[f"Command_{command.name}"]["description"]
        assert described == f"{command.summary} Least role: {command.role.value}."
