"""What there is: tables, games, ports, the version, help; and whether a file is right."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from config.loader import game_names, table_names
from tests.controller.cli.conftest import Wallwright

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


def test_a_scan_says_what_answers_on_a_port(wallwright: Wallwright) -> None:
    said = wallwright("scan /dev/no-such-port")
    assert (said.code, said.err) == (0, "")
    assert "/dev/no-such-port cannot be opened" in said.out


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
