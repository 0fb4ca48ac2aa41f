"""Terminals and files with ASCII characters only: every command can write to them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.application import COMMANDS
from controller.cli.terminal.screen import LOOKALIKES
from tests.controller.cli.conftest import COMMAND
from tests.quick import slow_except

HOUSE = Path(__file__).parents[4]
ASCII_ENVIRONMENTS = (
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
)
LINES = (
    *(f"{name} --help" for name in COMMANDS),
    "--help",
    "run --game block --until ready",
    "run --until ready --throw 3,5 --throw 2,4",
    "run --game block --play --events -",
    "plan pai_gow --cut chee_yee --throw 2,3,4 --table pai_gow",
    "tables",
    "games",
    "wiring robotic",
    "check config/tables/robotic.yaml",
    "explain",
    "explain JAM",
    "doctor",
    "lab paigow",
    "scan",
    "selftest --sim --yes --table bench",
    "chaos --rounds 1 --games block --tables robotic",
    "plan caf\u00e9",
)


def run_command(line: str, environment: dict[str, str]) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        (*COMMAND, *line.split()),
        env={**os.environ, **environment},
        cwd=HOUSE,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("line", LINES)
def test_every_command_writes_to_an_ascii_terminal(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HOUSE)
    with ExitStack() as files:
        for name in ("stdout", "stderr"):
            file = (tmp_path / name).open("w", encoding="ascii")
            monkeypatch.setattr(sys, name, files.enter_context(file))
        code = main(line.split())
    assert code == (2 if line.startswith("plan caf") else 0)
    for name in ("stdout", "stderr"):
        assert (tmp_path / name).read_bytes().isascii()
    assert (tmp_path / ("stderr" if code else "stdout")).stat().st_size


@pytest.mark.parametrize(
    "line", slow_except(["plan caf\u00e9"], ["run --game block --until ready", "plan caf\u00e9"])
)
def test_a_process_with_an_ascii_environment_writes_ascii(line: str) -> None:
    code, out, err = run_command(line, ASCII_ENVIRONMENTS[0])
    assert b"Traceback" not in err, err.decode()
    assert out.isascii() and err.isascii()
    assert code == (2 if line.startswith("plan caf") else 0), err.decode()


@pytest.mark.slow
def test_commands_write_ascii_in_the_locale_C() -> None:
    code, out, err = run_command("games", ASCII_ENVIRONMENTS[1])
    assert (code, err, out.isascii()) == (0, b"", True)


@pytest.mark.slow
def test_the_picture_of_the_table_has_no_question_marks() -> None:
    _, out, _ = run_command("run --until ready --throw 3,5 --throw 2,4", ASCII_ENVIRONMENTS[0])
    picture = out.decode().split("rounds played")[0]
    assert "##" in picture and "%" in picture and "?" not in picture


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\u2592\u2588\u2588\u2584\u2584\u00b7\u00b7", b"%##==.."),
        ("caf\u00e9 \u2026", b"cafe ..."),
        ("\u256d\u2500\u2502\u256e", b"+-|+"),
        ("5 \u2212 3 \u2013 1", b"5 - 3 - 1"),
        ("\U0001f600", b"?"),
    ],
)
def test_an_unsupported_character_is_replaced_by_a_similar_one(text: str, plain: bytes) -> None:
    assert text.encode("ascii", LOOKALIKES) == plain
