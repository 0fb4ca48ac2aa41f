"""Commands that list tables, games, ports and help, print the version, or check files."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from config.layout.staging import DoesNotFitError, stage
from config.loader import game_names, load_table, table_names
from controller.cli.application import COMMANDS
from rules.geometry import Walls
from tests.controller.cli.conftest import Wallwright
from tests.quick import slow_except

HOUSE = Path(__file__).parents[4]
TABLE = HOUSE / "config" / "tables" / "robotic.yaml"
GAME = HOUSE / "config" / "games" / "pai_gow.yaml"


def test_every_table_is_listed_on_a_line_of_its_own(wallwright: Wallwright) -> None:
    result = wallwright("tables")
    assert (result.code, result.err) == (0, "")
    assert [line.split()[0] for line in result.out.splitlines()[1:]] == list(table_names())


def test_every_game_is_listed_with_the_tables_that_it_fits(wallwright: Wallwright) -> None:
    result = wallwright("games")
    assert (result.code, result.err) == (0, "")
    lines = {line.split()[0]: line for line in result.out.splitlines()[1:]}
    assert list(lines) == list(game_names())
    assert lines["wenzhou"].strip().endswith("auto_deal, bench, classic, robotic, single_port")
    assert "2-8" in lines["pai_gow"]


@pytest.mark.parametrize("line", ["version", "--version"])
def test_the_version_is_printed(line: str, wallwright: Wallwright) -> None:
    result = wallwright(line)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("wallwright 0.")


def test_the_version_is_printed_in_a_source_tree_that_is_not_installed(
    wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("controller.cli.commands.version.installed_version", absent)
    assert wallwright("version").out.startswith("wallwright 0.")


def test_without_a_command_the_list_of_commands_is_printed(wallwright: Wallwright) -> None:
    result = wallwright("")
    assert (result.code, result.err) == (0, "")
    for command in ("plan", "run", "board", "check", "tables", "games", "scan", "version"):
        assert command in result.out


def test_scanning_a_port_that_does_not_exist_is_an_error(
    wallwright: Wallwright,
) -> None:
    result = wallwright("scan /dev/no-such-port")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("Port /dev/no-such-port cannot be opened (No such file")


@pytest.mark.slow
def test_a_valid_table_is_reported_with_the_games_that_fit(wallwright: Wallwright) -> None:
    result = wallwright(f"check {TABLE}")
    assert (result.code, result.err) == (0, "")
    first, *games = result.out.splitlines()
    assert first == f"{TABLE}: the table robotic has no defect."
    assert [line.split(":")[0].strip() for line in games] == list(game_names())
    assert "  wenzhou: fits" in games


def test_a_valid_game_is_reported_with_the_tables_that_it_fits(wallwright: Wallwright) -> None:
    result = wallwright(f"check {GAME}")
    assert (result.code, result.err) == (0, "")
    first, *tables = result.out.splitlines()
    assert first == f"{GAME}: the game pai_gow has no defect."
    assert [line.split(":")[0].strip() for line in tables] == list(table_names())


def test_every_defect_of_every_file_is_a_line_on_standard_error(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    table, game = tmp_path / "table.yaml", tmp_path / "game.yaml"
    table.write_text(TABLE.read_text().replace("sets: 2", "sets: two\nsofas: 1"))
    game.write_text(GAME.read_text().replace("n_dice: 3", "n_dice: three\n  n_cups: 1"))
    result = wallwright(f"check {table} {game} {tmp_path / 'none.yaml'} {tmp_path} {TABLE}")
    assert result.code == 2
    lines = result.err.splitlines()
    assert [line.split(": ")[0].rpartition(":")[0] or line.split(": ")[0] for line in lines] == [
        str(table), str(table), str(game), str(game), str(tmp_path / "none.yaml"), str(tmp_path)
    ]  # fmt: skip
    assert lines[-2:] == [
        f"{tmp_path / 'none.yaml'}: the file does not exist. Check the path.",
        f"{tmp_path}: is a directory. Name a file in it.",
    ]
    assert result.out.startswith(f"{TABLE}: the table robotic has no defect.")


def test_if_no_file_is_valid_standard_output_is_empty(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    result = wallwright(f"check {tmp_path / 'none.yaml'}")
    assert (result.code, result.out) == (2, "")


# JSON


def as_json(wallwright: Wallwright, line: str) -> list[dict[str, Any]]:
    result = wallwright(f"{line} --json")
    assert result.err == ""
    return list(json.loads(result.out))


def test_tables_and_games_are_listed_as_json(wallwright: Wallwright) -> None:
    tables, games = as_json(wallwright, "tables"), as_json(wallwright, "games")
    assert [row["table"] for row in tables] == list(table_names())
    assert [row["game"] for row in games] == list(game_names())
    (robotic,) = (row for row in tables if row["table"] == "robotic")
    assert robotic["sets"] == 2 and "gantry" in robotic["modules"]
    (pai_gow,) = (row for row in games if row["game"] == "pai_gow")
    assert pai_gow["tiles"] == 32 and "pai_gow" in pai_gow["tables"]


def test_every_pin_of_a_board_is_listed_as_json(wallwright: Wallwright) -> None:
    (board,) = as_json(wallwright, "wiring bench")
    pins = {pin["channel"]: pin["pin"] for pin in board["pins"]}
    channels = load_table("bench").boards["pins"].channels
    assert {name: pins[name] for name in channels if name in pins} == {
        name: channel.pin for name, channel in channels.items() if name in pins
    }
    assert set(channels) <= set(pins)
    assert not set(board["free"]) & set(pins.values())


def test_defects_and_fits_are_listed_as_json(wallwright: Wallwright, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("game: whist\n")
    result = wallwright(f"check {TABLE} {bad} --json")
    assert (result.code, result.err) == (2, "")
    valid, defective = json.loads(result.out)
    assert (valid["file"], valid["table"], valid["defects"]) == (str(TABLE), "robotic", [])
    assert {each["with"] for each in valid["fits"]} == set(game_names())
    assert defective["file"] == str(bad) and defective["defects"]


def test_the_result_of_a_scan_is_printed_as_json(wallwright: Wallwright) -> None:
    result = wallwright("scan /dev/no-such-port --json")
    assert result.code == 2
    (port,) = json.loads(result.out)
    assert (port["port"], port["boards"]) == ("/dev/no-such-port", [])
    assert "cannot be opened" in port["refusal"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_option_h_prints_the_help_of_every_command(name: str, wallwright: Wallwright) -> None:
    short, long = wallwright(f"{name} -h"), wallwright(f"{name} --help")
    assert (short.code, short.err) == (0, "")
    assert short.out == long.out and "Usage: wallwright" in short.out


@pytest.mark.parametrize(
    ("typed", "offered"),
    slow_except(
        [("wallwright explain JA", ["JAM"]), ("wallwright run --game back", ["backgammon"])],
        [
            ("wallwright expl", ["explain"]),
            ("wallwright explain JA", ["JAM"]),
            ("wallwright explain ja", ["jam"]),
            ("wallwright plan wen", ["wenzhou"]),
            ("wallwright run --table rob", ["robotic"]),
            ("wallwright run --game back", ["backgammon"]),
            ("wallwright run --cut chee", ["chee_yee"]),
            ("wallwright wiring ben", ["bench"]),
        ],
    ),
)
def test_a_shell_completes_commands_games_tables_cuts_and_fault_codes(
    typed: str, offered: list[str]
) -> None:
    completion = {
        "_WALLWRIGHT_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        (Path(sys.executable).with_name("wallwright"),),
        env={**os.environ, **completion},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == [f"plain,{word}" for word in offered], done.stderr


def test_the_error_for_too_few_trays_has_the_number_that_is_needed() -> None:
    machine = load_table("robotic")
    trays = machine.modules.trays
    assert trays is not None
    fewer = trays.model_copy(update={"sides": trays.sides[:2]})
    table = machine.model_copy(
        update={"modules": machine.modules.model_copy(update={"trays": fewer})}
    )
    hands = dict.fromkeys(range(4), 33)
    with pytest.raises(DoesNotFitError, match=r"^needs 4 trays, but the table has 2$"):
        stage(Walls.even(17), table, hands)
