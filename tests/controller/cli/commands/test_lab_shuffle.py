"""`wallwright lab shuffle`: reports of simulated and of recorded cycles."""

from __future__ import annotations

import json
import re
import subprocess
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from controller.cli import main
from controller.proof.lab.statistic import Orders, uniform
from tests.controller.cli.conftest import COMMAND
from tests.controller.proof.lab.models.bad_drums import kept_order

SMALL = ("--table", "pai_gow", "--game", "pai_gow", "--cycles", "51", "--seed", "4")


def recorded(file: Path, orders: Orders) -> Path:
    tags = [f"tag {number}" for number in range(orders.shape[1])]
    lines: list[object] = [{"format": "wallwright-cycles", "version": 1, "table": "number 7"}]
    lines += [{"in": tags, "out": [tags[tile] for tile in order]} for order in orders.tolist()]
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


def test_recorded_cycles_of_a_perfect_shuffle_pass_with_a_report_in_one_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = recorded(tmp_path / "cycles.jsonl", uniform(np.random.default_rng(1), 100, 32))
    html = tmp_path / "report.html"
    assert main(["lab", "shuffle", "--recorded", str(file), "--html", str(html), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["schema_version"] == 1
    assert report["source"] == {"kind": "recorded", "table": "number 7"}
    assert (report["verdict"], report["cycles"], report["tiles"]) == ("passed", 100, 32)
    page = html.read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 3
    assert "http" not in page
    for statistic in report["statistics"]:
        assert statistic["title"] in page
        assert statistic["finds"] in page


def test_brackets_in_the_name_of_a_recorded_table_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = recorded(tmp_path / "c", uniform(np.random.default_rng(1), 30, 32))
    file.write_text(file.read_text().replace("number 7", "7 [/] [red]"))
    assert main(["lab", "shuffle", "--recorded", str(file)]) == 0
    assert "of the table 7 [/] [red]." in capsys.readouterr().out


def test_recorded_cycles_of_a_bad_drum_differ_and_end_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    orders = kept_order(np.random.default_rng(2), 100, 32, 0.6)
    assert main(["lab", "shuffle", "--recorded", str(recorded(tmp_path / "c", orders))]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "differ from a perfect shuffle" in printed
    assert re.search(
        r"neighbours kept together \([\d.]+ instead of 1\.938, pairs a cycle\)", printed
    )
    assert "in at most 1% of all reports. Mix longer" in printed


def test_recorded_cycles_of_too_few_tiles_are_refused_with_the_name_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = recorded(tmp_path / "c", uniform(np.random.default_rng(1), 30, 7))
    assert main(["lab", "shuffle", "--recorded", str(file)]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert f"recording {file} have too few tiles: 7." in error


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--cycles", "29"], "`--cycles` must be at least 30; got 29"),
        (["--jobs", "0"], "`--jobs` must be at least 1; got 0"),
        (["--recorded", "no such file"], "cannot be read"),
        (["--table", "nosuch"], "There is no table 'nosuch'"),
        (["--table", "pai_gow", "--game", "wenzhou"], "does not fit the table pai_gow"),
        (["--game", "backgammon"], "has no tiles, so nothing is shuffled"),
    ],
)
def test_a_wrong_command_line_is_refused_with_a_sentence(
    capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    assert main(["lab", "shuffle", *options]) == 2
    error = capsys.readouterr().err
    assert sentence in " ".join(error.split())
    assert "Traceback" not in error


def test_a_missing_extra_is_refused_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = import_module("controller.cli.commands.lab")
    monkeypatch.setattr(command, "find_spec", lambda package: None)
    assert main(["lab", "shuffle"]) == 2
    assert "pip install 'wallwright[lab]'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
def test_simulated_cycles_give_the_same_report_in_one_process_and_in_two(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["lab", "shuffle", *SMALL, "--json"]) == 0
    alone = capsys.readouterr().out
    # The processes are forks of the command, and this process may have threads, whose locks a fork
    # would keep; so the command has a process of its own.
    together = subprocess.run(
        (*COMMAND, "lab", "shuffle", *SMALL, "--json", "--jobs", "2"),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (together.returncode, together.stderr) == (0, "")
    assert together.stdout == alone
    assert json.loads(alone)["cycles"] == 51
    assert json.loads(alone)["tiles"] == 32
