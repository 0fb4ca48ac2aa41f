"""Start-up time: which modules a command imports before it prints its answer."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pkgutil import walk_packages

import pytest
from click import Context

from controller.cli import _INPUT_ERRORS
from controller.cli.application import COMMANDS, app
from controller.cli.command import LazyGroup
from controller.cli.commands.audit import audit
from controller.cli.commands.floor import floor
from tests.controller.cli.test_bad_command_lines import REFUSED
from tests.quick import tries

HEAVY = (
    *("pydantic", "rich", "transitions", "yaml", "click"),
    *("gpiozero", "serial", "asyncio", "rules.games"),
)
MACHINE = ("controller.run.daemon", "controller.run.assembly", "transitions", "gpiozero", "serial")
"""Modules that only a command that drives a table needs."""
LATE_ERRORS = (
    *("chaos --from", "chaos --games", "chaos --tables", "chaos --kill --games", "scan"),
    *("run --journal", "run --play --record", "run --port /dev/null"),
)
"""Beginnings of command lines whose errors are found by modules that drive tables or open ports."""
EARLY_ERRORS = ("chaos --rounds 0", "chaos --jobs 0", "run --port /dev/none", "run --rounds 0")
"""Command lines whose errors must be found without the modules that drive tables."""

_IMPORTS_OF_ONE = """
import contextlib, io, json, shlex, sys
from controller.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    code = main(shlex.split(sys.argv[1]))
print(json.dumps([code, [name for name in sys.argv[2:] if name in sys.modules]]))
"""

_IMPORTS_OF_MANY = """
import contextlib, io, json, os, shlex, sys
import click, yaml
import config.loader, config.validation.checks, controller.cli.application, rules.games
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
    """The exit code of a command line, and which of the watched modules it imported."""
    done = subprocess.run(
        (sys.executable, "-c", _IMPORTS_OF_ONE, line, *watched),
        capture_output=True,
        text=True,
        check=True,
    )
    code, names = json.loads(done.stdout)
    return code, names


@pytest.mark.parametrize("line", ["version", "--version"])
def test_the_version_imports_nothing_heavy(line: str) -> None:
    assert imported(line, HEAVY) == (0, [])


def test_a_plan_imports_nothing_that_drives_a_table() -> None:
    line = "plan wenzhou --throw 3,5 --throw 2,4 --json"
    assert imported(line, (*MACHINE, "rich.console", "asyncio")) == (0, [])


@pytest.mark.parametrize("line", ["games --json", "tables --json"])
def test_a_list_of_games_or_tables_imports_no_play_and_no_judge(line: str) -> None:
    late = ("rules.play", "rules.judging", "asyncio", "rich.console")
    assert imported(line, (*MACHINE, *late)) == (0, [])


def test_a_service_imports_no_package_that_draws_at_a_terminal() -> None:
    code = """
import sys
import controller.cli.runs.serve_session
sys.exit(" ".join(name for name in sys.modules if name.split(".")[0] == "rich"))
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stderr.strip() == ""


def test_an_unknown_command_imports_no_table_and_no_game() -> None:
    assert imported("pln", (*MACHINE, "pydantic", "yaml", "rules.games")) == (2, [])


EVERY_INVALID_LINE = [
    line
    for line in dict.fromkeys(
        {" ".join(line.split()[:2]): line for line, _ in REFUSED if line}.values()
    )
    if not line.startswith(LATE_ERRORS) and not line.startswith("firmware")
]
INVALID_LINES = EVERY_INVALID_LINE[:: tries(4, quick=4, evidence=1)]


@pytest.fixture(scope="module")
def imports_of_errors() -> dict[str, tuple[int, list[str]]]:
    """For each invalid line its exit code, and the modules of `MACHINE` that it imported.

    One process imports the modules that all commands need, and forks for each line.
    """
    done = subprocess.run(
        (sys.executable, "-c", _IMPORTS_OF_MANY, *MACHINE),
        input=json.dumps(INVALID_LINES),
        capture_output=True,
        text=True,
        check=True,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return {line: (code, names) for line, (code, names) in zip(INVALID_LINES, replies, strict=True)}


@pytest.mark.evidence
@pytest.mark.parametrize("line", INVALID_LINES)
def test_an_invalid_command_line_imports_nothing_that_drives_a_table(
    line: str, imports_of_errors: dict[str, tuple[int, list[str]]]
) -> None:
    assert imports_of_errors[line] == (2, [])


@pytest.mark.parametrize("line", EARLY_ERRORS)
def test_an_early_error_imports_neither_the_daemon_nor_the_journal_nor_the_simulator(
    line: str,
) -> None:
    late = (
        "controller.run.journal",
        "controller.proof.chaos",
        "firmware_bridge.sim",
        "rich",
        "asyncio",
    )
    assert imported(line, (*MACHINE, *late)) == (2, [])


def test_every_listed_input_error_exists() -> None:
    for module, name in _INPUT_ERRORS:
        assert issubclass(getattr(import_module(module), name), Exception)


@pytest.mark.parametrize(
    ("group", "name"),
    [(group, name) for group in (app, audit, floor) for name in group.modules],
    ids=lambda value: value.name if isinstance(value, LazyGroup) else value,
)
def test_the_list_of_commands_repeats_the_first_sentence_of_each_command(
    group: LazyGroup, name: str
) -> None:
    command = group.loaded(name)
    assert command.name == name
    assert command.get_short_help_str() == group.modules[name][1]


def test_help_lists_every_command_without_importing_one() -> None:
    modules = tuple(f"controller.cli.commands.{module}" for module, _ in COMMANDS.values())
    watched = tuple(name for name in modules if name != "controller.cli.commands.version")
    assert imported("--help", (*watched, "rich")) == (0, [])
    assert app.list_commands(Context(app)) == list(COMMANDS)


@pytest.mark.parametrize("group", ["audit", "floor"])
def test_help_of_a_group_imports_none_of_its_commands(group: str) -> None:
    modules = (audit if group == "audit" else floor).modules
    watched = tuple(f"controller.cli.commands.{group}.{module}" for module, _ in modules.values())
    assert imported(f"{group} --help", (*watched, "cryptography", "sqlalchemy")) == (0, [])


def test_a_table_needs_no_package_of_the_floor_service() -> None:
    """Where they are missing, the commands of a floor name the extra that installs them."""
    rooms = ("controller.floor.table", "controller.web.api", "controller.service")
    modules = [
        module.name
        for room in rooms
        for module in walk_packages(import_module(room).__path__, f"{room}.")
    ]
    code = f"""
import sys
from importlib import import_module
sys.modules.update(dict.fromkeys(("sqlalchemy", "alembic", "psycopg")))
for name in {modules}:
    import_module(name)
from controller.cli import main
sys.exit(main(["floor", "demo", "--tables", "1"]))
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.rstrip().endswith("pip install 'wallwright[floor]'.")
