"""Every command on every page is parsed, and run as it is printed unless `NOT_RUN` has a reason.

The commands of a page are run one after another in a folder of their own. It contains the page's
YAML files under their names, and links to the project's folders.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import click
import pytest

from controller.cli import main
from controller.cli.application import app
from rules.games import PLUGINS
from tests.pages import PAGES, TOP, Shown, commands, files, name_of, spans

NOT_RUN: Sequence[tuple[str, str]] = (
    (r"make ", "it installs .venv and runs these tests"),
    (r"\. ", "it changes the shell in which it runs"),
    (r"(sudo )?apt(-get)? ", "it installs packages on the machine"),
    (r"sudo install ", "it writes into the folders of an installation"),
    (
        r"sudo (wallwright install|systemctl|journalctl)",
        "tests/packaging runs the service's package",
    ),
    (r"wallwright floor serve", "it serves until Ctrl-C; tests/controller/floor/server runs it"),
    (
        r"wallwright floor (tables|retire|unretire|rename) ",
        "it needs the database of a floor; tests/controller/cli/commands/test_floor_tables.py",
    ),
    (r"wallwright floor demo", "it serves until Ctrl-C; tests/controller/floor/demo runs it"),
    (r"sudo nft ", "it changes the firewall; test_attacks_by_floods.py loads such a file"),
    (r"pg_(dump|restore) ", "it needs PostgreSQL; tests/controller/floor/test_backup.py runs both"),
    (r"git ", "it needs a network or another repository"),
    (r"(python -m )?pip ", "tests/examples installs the same package into a folder of its own"),
    (r"wallwright run --game high_bone ", "tests/examples runs it where the game is installed"),
    (
        r"python -m tools\.drum_physics",
        "it simulates for minutes; tests/tools/test_drum_physics.py runs a second",
    ),
    (r"python -m pytest ", "tests/examples and `make test` run the conformance suite"),
    (r"pytest ", "`make test` runs hil_tests; no harness is connected to this machine"),
    (r"python -m benchmarks", "`make bench` measures for minutes; the name must exist"),
    (
        r"wallwright board ",
        "it runs until Ctrl-C; tests/controller/cli/commands/test_ports.py uses it",
    ),
    (
        r"wallwright doctor",
        "its exit code depends on the computer; test_doctor.py of the commands runs it",
    ),
    (
        r"wallwright run .*--trace http",
        "it needs a collector; tests/controller/records/tracing has one",
    ),
    (r"wallwright casino gat", "it needs a serial line; tests/controller/casino has one"),
    (
        r"wallwright identity challenge ",
        "it needs a signed program; tests/controller/records/identity",
    ),
    (r"wallwright monitor ", "it needs a service that runs; tests/controller/cli/monitor runs it"),
    (
        r"wallwright serve ",
        "it serves until Ctrl-C; tests/controller/cli/commands/test_serve.py runs it",
    ),
    (r"wallwright \w+ .*--port ", "no board is connected to this machine"),
    (r"wallwright scan /dev/", "no board is connected to this machine"),
    (
        r"wallwright firmware (flash|verify|provision|calibrate) ",
        "no board is connected to this machine",
    ),
    (r"wallwright check my_table.yaml", "`wallwright learn` writes this file in a dialogue"),
    (r"wallwright learn --sim ", "it asks a person; tests/controller/upkeep/learn gives answers"),
    (r"wallwright run --emulated ", "it takes minutes; the tests of the firmware run it"),
    (
        r"wallwright identity make ",
        "it signs an installation; tests/controller/records/identity runs it",
    ),
    (
        r"(sudo )?wallwright update ",
        "it needs releases and two slots; tests/controller/upkeep/update runs it",
    ),
    (r"\s*curl ", "it needs a service or an authority on a network"),
    (
        r"wallwright backup ",
        "it needs a service's data and a passphrase; tests/controller/records/backup",
    ),
    (r"wallwright audit ", "it needs a service's data; tests/controller/records/audit runs it"),
    (
        r"\s*wallwright verify bundle",
        "it needs a service's bundle; tests/controller/records/audit runs it",
    ),
    (
        r"wallwright lab shuffle .*--cycles 1000",
        "it takes minutes; tests/controller/cli/commands/test_lab_shuffle.py runs fewer cycles",
    ),
    (r"wallwright lab shuffle --recorded", "it needs a file recorded from a table; as above"),
    (r"wallwright chaos .*--rounds \d{3,}", "it takes hours; `make test` runs fewer rounds"),
)
"""The beginnings of commands that a test does not run, with the reasons. They are parsed."""
IN_PLAIN = re.compile(
    r"^    (?:wallwright|make|python|python3|pip|pytest|sudo|apt-get|git clone)\b.*$", re.MULTILINE
)
WITH_COMMANDS = [page for page in PAGES if list(commands(page))]
LONG = (
    *("BENCH.md", "COMMANDS.md", "FAULTS.md", "GUIDE.md", "INJECTED_FAULTS.md", "PI.md"),
    *("RULES_LIBRARY.md", "TABLE_FILE.md", "VIRTUAL_BOARDS.md"),
)
"""Pages whose commands run for more than a second."""
ALL = [command for page in PAGES for command in commands(page)]
TARGETS = re.findall(r"^([a-z0-9-]+):", (TOP / "Makefile").read_text("utf-8"), re.MULTILINE)
PLACEHOLDER = re.compile(r"^[A-Z]+(\.yaml)?(\.\.\.)?$")


def why_not_run(command: Shown) -> str | None:
    return next((why for begins, why in NOT_RUN if re.match(begins, command.line)), None)


@pytest.fixture
def page_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Return the folder in which a page's commands are run."""
    page: Path = request.getfixturevalue("page")
    for entry in ("config", "docs", "examples", "tests", "tools"):
        (tmp_path / entry).symlink_to(TOP / entry)
    for name, text in files(page):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))  # keys, and who may sign
        # A game from a folder stays registered in the process; the next test must not have it.
        patch.setattr(PLUGINS, "_added", dict(PLUGINS._added))
        patch.setattr(sys, "path", list(sys.path))
        yield tmp_path


@pytest.mark.usefixtures("page_folder")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page.name in LONG), id=name_of(page))
        for page in WITH_COMMANDS
    ],
)
def test_the_commands_of_a_page_print_what_the_page_shows(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in commands(page):
        if why_not_run(command) is None:
            wrong = difference_from_page(command, capsys)
            assert wrong is None, f"{command}\n{wrong}"


def difference_from_page(command: Shown, capsys: pytest.CaptureFixture[str]) -> str | None:
    """Return the difference between a command's result and the page, or None if they agree."""
    code, out, err = run(command.words, capsys)
    if command.into is not None:
        Path(command.into).write_text(out, encoding="utf-8")
        out = ""
    if err and err not in command.prints:
        return f"The page shows no such error, and the command ends with {code}:\n{err}"
    if code != (2 if err else 0):
        return f"The command ends with {code}."
    want, got = command.prints, out + err
    if "run" in command.words:
        want, got = without_real_time(want), without_real_time(got)
    shows_it = not want.strip() or OutputChecker().check_output(
        want, got, ELLIPSIS | NORMALIZE_WHITESPACE
    )
    return None if shows_it else f"The page shows\n{want}\nand the command prints\n{got}"


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command; return its exit code, output and errors."""
    if words[0] == "wallwright":
        capsys.readouterr()
        code = main(words[1:])
        return code, *capsys.readouterr()
    assert words[0] == "python", f"`{words[0]}` cannot be run; add it to NOT_RUN with a reason."
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def without_real_time(text: str) -> str:
    """Replace the seconds that a command took on this computer by #; every other figure counts.

    A run in virtual time is the same run on every computer.
    """
    return re.sub(r"[0-9.]+ s here", "# s here", text)


def test_every_command_is_in_a_console_block() -> None:
    """The tests find commands in console blocks only; commands in other blocks are not tested."""
    found = {name_of(page): IN_PLAIN.findall(page.read_text("utf-8")) for page in PAGES}
    assert {page: lines for page, lines in found.items() if lines} == {}


def test_the_command_line_accepts_every_command() -> None:
    """Command, options and values are parsed, also for commands that are not run."""
    refused = {str(command): why_refused(command.words) for command in ALL}
    assert {line: why for line, why in refused.items() if why} == {}


def test_every_reason_not_to_run_a_command_is_needed() -> None:
    unused = [begins for begins, _ in NOT_RUN if not any(re.match(begins, c.line) for c in ALL)]
    assert set(unused) <= {r"git ", r"\. ", r"python -m benchmarks", NOT_RUN[-1][0]}


def test_commands_in_the_text_exist_with_their_options() -> None:
    refused = {}
    for page in PAGES:
        for span in spans(page):
            if re.match(r"(wallwright|make) [a-z]|python -m benchmarks|(run|plan|board) --", span):
                words = shlex.split(span)
                if words[0] in ("run", "plan", "board"):
                    words = ["wallwright", *words]
                words = [re.sub(PLACEHOLDER, "1", word) for word in words]
                refused[f"{name_of(page)}: {span}"] = why_refused(words, whole=False)
    assert {where: why for where, why in refused.items() if why} == {}


def why_refused(words: list[str], *, whole: bool = True) -> str | None:
    """Return why the command line refuses the command, an option or a value; None if it does not.

    If the text has only a part of a command (`whole` is False), an argument can be missing.
    """
    match words:
        case ["make", *rest]:
            if not (rest[0] in TARGETS or rest[0] == "-C" or "/" in rest[0]):
                return f"The Makefile has no {rest[0]}."
        case ["python", "-m", "benchmarks", *names]:
            missing = [name for name in names if not (TOP / "benchmarks" / f"{name}.py").exists()]
            return f"The folder benchmarks has no {missing}." if missing else None
        case ["wallwright", *rest]:
            try:
                parse(app, "wallwright", rest)
            except click.ClickException as error:
                why = error.format_message()
                lacks = isinstance(error, click.MissingParameter) or "requires an arg" in why
                return None if lacks and not whole else why
    return None


def parse(command: click.Command, name: str, words: list[str]) -> None:
    """Parse a command's words as click does, without running the command."""
    if isinstance(command, click.Group):
        with click.Context(command, info_name=name) as context:
            if not words or words[0].startswith("--"):
                return
            called, inner, rest = command.resolve_command(context, words)
        assert inner is not None
        parse(inner, called or "", rest)
        return
    command.make_context(name, words)
