"""How much a command imports before it answers: told by the modules, not by a clock."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import pytest
from click import Context

from controller.cli import _REFUSALS
from controller.cli.application import COMMANDS, LazyGroup, loaded
from tests.controller.cli.test_bad_command_lines import REFUSED

HEAVY = (
    *("pydantic", "rich", "transitions", "yaml", "typer", "click"),
    *("gpiozero", "serial", "asyncio", "rules.games"),
)
MACHINE = ("controller.daemon", "controller.assembly", "transitions", "gpiozero", "serial")
"""What only a command needs that drives a table."""
NEEDS_THE_MACHINE = ("chaos", "run --journal", "run --play --record", "run --port /dev/n", "scan")
"""Commands that are refused by what drives tables or opens ports."""

_PROBE = """
import contextlib, io, json, shlex, sys
from controller.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    code = main(shlex.split(sys.argv[1]))
print(json.dumps([code, [name for name in sys.argv[2:] if name in sys.modules]]))
"""

_PROBES = """
import contextlib, io, json, os, shlex, sys
import pydantic, typer, yaml
import controller.cli.application
from controller.cli import main
for line in json.load(sys.stdin):
    if not os.fork():
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            code = main(shlex.split(line))
        reply = [code, [name for name in sys.argv[1:] if name in sys.modules]]
        os.write(1, json.dumps(reply).encode() + b"\\n")
        os._exit(0)
    os.wait()
"""


def imported(line: str, watched: tuple[str, ...]) -> tuple[int, list[str]]:
    """The exit code of a command line, and which of these modules it imported."""
    done = subprocess.run(
        (sys.executable, "-c", _PROBE, line, *watched), capture_output=True, text=True, check=True
    )
    code, names = json.loads(done.stdout)
    return code, names


@pytest.mark.parametrize("line", ["version", "--version"])
def test_the_version_imports_nothing_heavy(line: str) -> None:
    assert imported(line, HEAVY) == (0, [])


def test_a_plan_imports_nothing_that_drives_a_table() -> None:
    line = "plan wenzhou --throw 3,5 --throw 2,4 --json"
    assert imported(line, (*MACHINE, "rich.console", "asyncio")) == (0, [])


def test_a_command_that_does_not_exist_imports_no_table_and_no_game() -> None:
    assert imported("pln", (*MACHINE, "pydantic", "yaml", "rules.games")) == (2, [])


REFUSALS = [
    line
    for line in dict.fromkeys(
        {" ".join(line.split()[:2]): line for line, _ in REFUSED if line}.values()
    )
    if not line.startswith(NEEDS_THE_MACHINE) and not line.startswith("firmware")
]


@pytest.fixture(scope="module")
def refusals() -> dict[str, tuple[int, list[str]]]:
    """For each refusal its exit code and the modules of `MACHINE` that it imported.

    One process imports what all commands share and forks for each line.
    """
    done = subprocess.run(
        (sys.executable, "-c", _PROBES, *MACHINE),
        input=json.dumps(REFUSALS),
        capture_output=True,
        text=True,
        check=True,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return {line: (code, names) for line, (code, names) in zip(REFUSALS, replies, strict=True)}


@pytest.mark.parametrize("line", REFUSALS)
def test_a_refusal_imports_nothing_that_drives_a_table(
    line: str, refusals: dict[str, tuple[int, list[str]]]
) -> None:
    assert refusals[line] == (2, [])


def test_every_error_that_is_a_refusal_is_where_the_command_line_looks_for_it() -> None:
    for module, name in _REFUSALS:
        assert issubclass(getattr(import_module(module), name), Exception)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_command_says_of_itself(name: str) -> None:
    command = loaded(name)
    assert command.help is not None
    assert COMMANDS[name][1] == command.help.split("\n\n")[0].replace("\n", " ")


def test_help_lists_every_command_without_importing_one() -> None:
    modules = tuple(f"controller.cli.{module}" for module, _ in COMMANDS.values())
    watched = tuple(name for name in modules if name != "controller.cli.version")
    assert imported("--help", watched) == (0, [])
    group = LazyGroup(name="wallwright")
    assert group.list_commands(Context(group)) == list(COMMANDS)
