"""`wallwright replay` of damaged files, and the stakes of `wallwright run --play`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from tests.controller.cli.conftest import Wallwright


@pytest.fixture
def record(wallwright: Wallwright, tmp_path: Path) -> Path:
    """The record of two hands of block."""
    file = tmp_path / "evening.jsonl"
    assert wallwright(f"run --game block --play --rounds 2 --seed 4 --record {file}").code == 0
    return file


@pytest.mark.slow
def test_a_damaged_record_is_replayed_or_refused_with_one_line_that_names_the_damage(
    record: Path, wallwright: Wallwright
) -> None:
    intact, chance = record.read_bytes(), Random(5)
    refused = 0
    for _ in range(60):
        data = bytearray(intact)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 4))
        record.write_bytes(data)
        result = wallwright(f"replay {record} --json")
        refused += result.code != 0
        if result.code:
            assert re.search(r"Line \d+ of the record ", result.err)
            assert result.err.count("\n") == 1
    assert refused > 30


@pytest.mark.slow
def test_bytes_that_are_not_utf_8_are_reported_with_their_line(
    record: Path, wallwright: Wallwright
) -> None:
    record.write_bytes(record.read_bytes() + b'{"seat": 0, "do": "\xff"}\n')
    lines = record.read_bytes().count(b"\n")
    result = wallwright(f"replay {record}")
    assert result.code == 1
    assert result.err == f"{record}: Line {lines} of the record is not UTF-8 text (byte 20).\n"


@pytest.mark.slow
def test_a_wrong_parameter_is_reported_with_its_line(record: Path, wallwright: Wallwright) -> None:
    first, rest = record.read_text("utf-8").split("\n", 1)
    heading = json.dumps(json.loads(first) | {"parameters": {"target": "high"}})
    record.write_text(f"{heading}\n{rest}", encoding="utf-8")
    result = wallwright(f"replay {record}")
    assert (result.code, result.out) == (1, "")
    assert "Line 1 of the record cannot be played: parameters.target is not a whole" in result.err


@pytest.mark.slow
def test_stakes_at_pai_gow_are_entered_recorded_and_replayed(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    file = tmp_path / "evening.jsonl"
    result = wallwright(
        "run --table pai_gow --game pai_gow --players 4 --play --rounds 2 --seed 3"
        f" --stake 1=100 --stake 2=7 --record {file}"
    )
    assert result.code == 0, result.err
    heading = json.loads(file.read_text("utf-8").splitlines()[0])
    assert heading["outcomes"][1:4] == [100, 7, 1]
    hands = wallwright(f"replay {file} --json").events
    paid = {abs(payment["amount"]) for hand in hands for payment in hand["payments"]}
    assert paid & {100, 7}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--game block --stake 1=100", "Block has no stakes; leave out --stake."),
        ("--game pai_gow --stake 1", "such as --stake 1=100; got '1'."),
        ("--game pai_gow --stake 1=0", "such as --stake 1=100; got '1=0'."),
        ("--game pai_gow --stake 1=99999999", "an amount from 1 to 10000"),
        ("--game pai_gow --players 3 --stake 3=5", "Seat 3 has no player; with 3 players seats"),
        ("--game pai_gow --stake 1=5 --stake 1=6", "Seat 1 has two stakes"),
    ],
)
def test_an_invalid_stake_is_refused(options: str, says: str, wallwright: Wallwright) -> None:
    result = wallwright(f"run --table pai_gow {options}")
    assert result.code == 2
    assert says in result.err
