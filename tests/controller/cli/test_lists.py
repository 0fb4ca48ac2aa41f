"""What there is: tables, games, ports, the version, help; and whether a file is right."""

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

HOUSE = Path(__file__).parents[3]
TABLE = HOUSE / "config" / "tables" / "robotic.yaml"
GAME = HOUSE / "config" / "games" / "pai_gow.yaml"


def test_every_table_is_listed_on_a_line_of_its_own(wallwright: Wallwright) -> None:
    said = wallwright("tables")
    assert (said.code, said.err) == (0, "")
    assert [line.split()[0] for line in said.out.splitlines()[1:]] == list(table_names())


def test_every_game_is_listed_with_the_tables_that_it_fits(wallwright: Wallwright) -> None:
    said = wallwright("games")
    assert (said.code, said.err) == (0, "")
    lines = {line.split()[0]: line for line in said.out.splitlines()[1:]}
    assert list(lines) == list(game_names())
    assert lines["wenzhou"].strip().endswith("auto_deal, bench, classic, robotic, single_port")
    assert "2-8" in lines["pai_gow"]


@pytest.mark.parametrize("line", ["version", "--version"])
def test_the_version_is_told(line: str, wallwright: Wallwright) -> None:
    said = wallwright(line)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("wallwright 0.")


def test_a_source_tree_that_nobody_installed_knows_its_version_too(
    wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("controller.cli.version.installed_version", absent)
    assert wallwright("version").out.startswith("wallwright 0.")


def test_without_a_command_one_reads_which_commands_there_are(wallwright: Wallwright) -> None:
    said = wallwright("")
    assert (said.code, said.err) == (0, "")
    for command in ("plan", "run", "board", "check", "tables", "games", "scan", "version"):
        assert command in said.out


def test_a_port_that_was_named_and_is_not_there_is_a_bad_command_line(
    wallwright: Wallwright,
) -> None:
    said = wallwright("scan /dev/no-such-port")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Port /dev/no-such-port cannot be opened (No such file")


def test_a_good_table_is_told_with_the_games_that_fit(wallwright: Wallwright) -> None:
    said = wallwright(f"check {TABLE}")
    assert (said.code, said.err) == (0, "")
    first, *games = said.out.splitlines()
    assert first == f"{TABLE}: the table robotic is well described."
    assert [line.split(":")[0].strip() for line in games] == list(game_names())
    assert "  wenzhou: fits" in games


def test_a_good_game_is_told_with_the_tables_that_it_fits(wallwright: Wallwright) -> None:
    said = wallwright(f"check {GAME}")
    assert (said.code, said.err) == (0, "")
    first, *tables = said.out.splitlines()
    assert first == f"{GAME}: the game pai_gow is well described."
    assert [line.split(":")[0].strip() for line in tables] == list(table_names())


def test_every_defect_of_every_file_is_a_line_on_standard_error(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    table, game = tmp_path / "table.yaml", tmp_path / "game.yaml"
    table.write_text(TABLE.read_text().replace("sets: 2", "sets: two\nsofas: 1"))
    game.write_text(GAME.read_text().replace("n_dice: 3", "n_dice: three\n  n_cups: 1"))
    said = wallwright(f"check {table} {game} {tmp_path / 'none.yaml'} {tmp_path} {TABLE}")
    assert said.code == 2
    lines = said.err.splitlines()
    assert [line.split(": ")[0].rpartition(":")[0] or line.split(": ")[0] for line in lines] == [
        str(table), str(table), str(game), str(game), str(tmp_path / "none.yaml"), str(tmp_path)
    ]  # fmt: skip
    assert lines[-2:] == [
        f"{tmp_path / 'none.yaml'}: there is no such file. Look at the path.",
        f"{tmp_path}: is a directory. Name a file in it.",
    ]
    assert said.out.startswith(f"{TABLE}: the table robotic is well described.")


def test_nothing_but_bad_files_leaves_standard_output_empty(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    said = wallwright(f"check {tmp_path / 'none.yaml'}")
    assert (said.code, said.out) == (2, "")


# For programs


def as_json(wallwright: Wallwright, line: str) -> list[dict[str, Any]]:
    said = wallwright(f"{line} --json")
    assert said.err == ""
    return list(json.loads(said.out))


def test_tables_and_games_are_listed_for_programs_too(wallwright: Wallwright) -> None:
    tables, games = as_json(wallwright, "tables"), as_json(wallwright, "games")
    assert [row["table"] for row in tables] == list(table_names())
    assert [row["game"] for row in games] == list(game_names())
    (robotic,) = (row for row in tables if row["table"] == "robotic")
    assert robotic["sets"] == 2 and "gantry" in robotic["modules"]
    (pai_gow,) = (row for row in games if row["game"] == "pai_gow")
    assert pai_gow["tiles"] == 32 and "pai_gow" in pai_gow["tables"]


def test_every_pin_of_a_board_is_listed_for_programs_too(wallwright: Wallwright) -> None:
    (board,) = as_json(wallwright, "wiring bench")
    pins = {pin["channel"]: pin["pin"] for pin in board["pins"]}
    channels = load_table("bench").boards["pins"].channels
    assert {name: pins[name] for name in channels if name in pins} == {
        name: channel.pin for name, channel in channels.items() if name in pins
    }
    assert set(channels) <= set(pins)
    assert not set(board["free"]) & set(pins.values())


def test_defects_and_fits_are_listed_for_programs_too(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("game: whist\n")
    said = wallwright(f"check {TABLE} {bad} --json")
    assert (said.code, said.err) == (2, "")
    right, wrong = json.loads(said.out)
    assert (right["file"], right["table"], right["defects"]) == (str(TABLE), "robotic", [])
    assert {each["with"] for each in right["fits"]} == set(game_names())
    assert wrong["file"] == str(bad) and wrong["defects"]


def test_a_port_is_scanned_for_programs_too(wallwright: Wallwright) -> None:
    said = wallwright("scan /dev/no-such-port --json")
    assert said.code == 2
    (port,) = json.loads(said.out)
    assert (port["port"], port["boards"]) == ("/dev/no-such-port", [])
    assert "cannot be opened" in port["refusal"]


@pytest.mark.parametrize("name", COMMANDS)
def test_h_is_help_for_every_command(name: str, wallwright: Wallwright) -> None:
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
    words = {"_WALLWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": typed}
    count = {"COMP_CWORD": str(len(typed.split()) - 1)}
    done = subprocess.run(
        (Path(sys.executable).with_name("wallwright"),),
        env={**os.environ, **words, **count},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == offered, done.stderr


def test_a_table_with_too_few_trays_is_told_how_many_it_needs() -> None:
    machine = load_table("robotic")
    trays = machine.modules.trays
    assert trays is not None
    fewer = trays.model_copy(update={"sides": trays.sides[:2]})
    table = machine.model_copy(
        update={"modules": machine.modules.model_copy(update={"trays": fewer})}
    )
    hands = dict.fromkeys(range(4), 33)
    with pytest.raises(DoesNotFitError, match=r"^needs 4 trays, and the table has 2$"):
        stage(Walls.even(17), table, hands)
