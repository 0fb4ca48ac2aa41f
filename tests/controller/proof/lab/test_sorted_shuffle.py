"""The laboratory with a drum that keeps the order: a magazine cures it, and without it is found."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from controller.cli import main
from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.tiles import Tile
from tests.sorted_table import SORTED

SCORES = ("guessing_by_rule", "guessing_by_record")
HARMONIC = sum(1 / number for number in range(1, 33))


@pytest.fixture(autouse=True)
def drum_that_keeps_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the drum give the tiles out in the order in which they fell in."""
    dropped: list[Tile] = []
    pour = Drum.pour

    def poured(drum: Drum, tiles: Iterable[Tile]) -> None:
        dropped[:] = tiles
        pour(drum, dropped)

    def first(drum: Drum, wheel: int) -> Tile:
        return drum.well.take(next(tile for tile in dropped if tile.holder is drum.well))

    monkeypatch.setattr(Drum, "pour", poured)
    monkeypatch.setattr(Drum, "pick", first)


def scores(
    table: Path, cycles: int, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[tuple[float, float]]]:
    """Return the exit code, and each guessing score with its standard error."""
    options = ("--table", str(table), "--game", "pai_gow", "--cycles", str(cycles), "--seed", "1")
    code = main(["lab", "shuffle", *options, "--json"])
    report = json.loads(capsys.readouterr().out)
    found = {each["name"]: each for each in report["statistics"]}
    return code, [(found[name]["observed"], found[name]["standard_error"]) for name in SCORES]


@pytest.mark.slow
def test_R3_a_sorted_shuffle_passes_whatever_the_drum_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, guessed = scores(SORTED, 30, capsys)
    assert code == 0
    for score, error in guessed:
        assert abs(score - HARMONIC) < 3 * error


@pytest.mark.slow
def test_the_same_drum_is_found_if_the_magazine_keeps_the_order_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "unsorted.yaml"
    text = SORTED.read_text("utf-8")
    table.write_text(text.replace("shuffle: sorted", "shuffle: drum"), "utf-8")
    code, guessed = scores(table, 30, capsys)
    assert code == 1
    assert all(score > 3 * HARMONIC for score, _ in guessed)


@pytest.mark.slow
def test_the_same_drum_is_found_on_a_table_without_a_magazine(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, guessed = scores(Path("pai_gow"), 30, capsys)
    assert code == 1
    assert all(score > 3 * HARMONIC for score, _ in guessed)
