"""Tests the tables for Raspberry Pi Picos in examples/pico."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load_table
from tests.firmware_bridge.firmware.emulated_rounds import play

TABLES = Path(__file__).parents[2] / "examples" / "pico"
PAI_GOW = str(TABLES / "pai_gow_pico.yaml")
CUT: dict[str, int | str] = {"cut": "dragon_head"}


@pytest.mark.parametrize("file", sorted(TABLES.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_board_of_a_table_is_a_pico(file: Path) -> None:
    table = load_table(file)
    assert table.name == file.stem
    assert {board.chip for board in table.boards.values()} == {"rp2040"}


@pytest.mark.slow
def test_four_picos_deal_the_wenzhou_hands_of_two_megas() -> None:
    megas, picos = (
        play(table, "wenzhou", seed=5, emulated=False, until_ready=True)
        for table in ("robotic", str(TABLES / "robotic_pico.yaml"))
    )
    assert (picos.hands, picos.dice) == (megas.hands, megas.dice)
    assert [len(hand) for hand in picos.hands.values()] == [17, 16, 16, 16]


@pytest.mark.slow
def test_two_picos_deal_the_hands_of_one_mega() -> None:
    mega, picos = (
        play(table, "pai_gow", seed=5, emulated=False, answers=CUT)
        for table in ("pai_gow", PAI_GOW)
    )
    assert (picos.hands, picos.dice, picos.census) == (mega.hands, mega.dice, mega.census)
    assert [len(hand) for hand in picos.hands.values()] == [4] * 8
