"""`wallwright replay` on damaged files, and stakes that are given to `wallwright run --play`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from tests.controller.cli.conftest import Wallwright


@pytest.fixture
def kept(wallwright: Wallwright, tmp_path: Path) -> Path:
    """The record of two hands of block."""
    file = tmp_path / "evening.jsonl"
    assert wallwright(f"run --game block --play --rounds 2 --seed 4 --record {file}").code == 0
    return file


def test_any_damaged_bytes_are_a_replay_or_one_line_that_names_the_line(
    kept: Path, wallwright: Wallwright
) -> None:
    whole, chance = kept.read_bytes(), Random(5)
    refused = 0
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 4))
        kept.write_bytes(data)
        said = wallwright(f"replay {kept} --json")
        refused += said.code != 0
        if said.code:
            assert re.search(r"Line \d+ of the record ", said.err)
            assert said.err.count("\n") == 1
    assert refused > 30


def test_bytes_that_are_no_text_are_named_with_their_line(
    kept: Path, wallwright: Wallwright
) -> None:
    kept.write_bytes(kept.read_bytes() + b'{"seat": 0, "do": "\xff"}\n')
    lines = kept.read_bytes().count(b"\n")
    said = wallwright(f"replay {kept}")
    assert said.code == 1
    assert said.err == f"{kept}: Line {lines} of the record is no UTF-8 text (byte 20).\n"


def test_a_wrong_parameter_is_named_with_its_line(kept: Path, wallwright: Wallwright) -> None:
    first, rest = kept.read_text("utf-8").split("\n", 1)
    heading = json.dumps(json.loads(first) | {"parameters": {"target": "high"}})
    kept.write_text(f"{heading}\n{rest}", encoding="utf-8")
    said = wallwright(f"replay {kept}")
    assert (said.code, said.out) == (1, "")
    assert "Line 1 of the record cannot be played: parameters.target is not a whole" in said.err


def test_stakes_at_pai_gow_are_entered_recorded_and_replayed(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    file = tmp_path / "evening.jsonl"
    said = wallwright(
        "run --table pai_gow --game pai_gow --players 4 --play --rounds 2 --seed 3"
        f" --stake 1=100 --stake 2=7 --record {file}"
    )
    assert said.code == 0, said.err
    asked = json.loads(file.read_text("utf-8").splitlines()[0])
    assert asked["outcomes"][1:4] == [100, 7, 1]
    hands = wallwright(f"replay {file} --json").events
    paid = {abs(payment["amount"]) for hand in hands for payment in hand["payments"]}
    assert paid & {100, 7}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--game block --stake 1=100", "Block has no use for --stake"),
        ("--game pai_gow --stake 1", "'1' is no stake; give --stake SEAT=AMOUNT"),
        ("--game pai_gow --stake 1=0", "'1=0' is no stake"),
        ("--game pai_gow --stake 1=99999999", "an amount from 1 to 10000"),
        ("--game pai_gow --players 3 --stake 3=5", "Nobody plays at seat 3"),
        ("--game pai_gow --stake 1=5 --stake 1=6", "Seat 1 has two stakes"),
    ],
)
def test_a_stake_that_cannot_be_is_refused(options: str, says: str, wallwright: Wallwright) -> None:
    said = wallwright(f"run --table pai_gow {options}")
    assert said.code == 2
    assert says in said.err
