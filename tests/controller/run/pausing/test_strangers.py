"""Tests that a replaced board is recognised, is reported to a person, and is not driven."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from config.loader import load_table
from config.schema import Table
from controller.events import Event
from controller.run.faults.catalogue import DONE, Fault
from controller.run.faults.failures import TableFault
from controller.run.pausing.operator_help import ASKS
from firmware_bridge.guide import Ask
from tests.controller.played_round import Happens, Round, play
from tests.quick import slow_except

AT = 86.0
"""Seconds after power-on: the heads build the first set."""

Change = Callable[[Round], None]


def another_serial(played: Round) -> None:
    assert played.hardware.bench is not None
    played.hardware.bench.boards["base"]._serial = b"SIM99999"


def another_key(played: Round) -> None:
    assert played.hardware.bench is not None
    played.hardware.bench.boards["base"].key = b"the key of another table"


def another_configuration(played: Round) -> None:
    assert played.hardware.bench is not None
    played.hardware.bench.boards["base"].channel_table.crc = 0x1234


def fewer_boots(played: Round) -> None:
    assert played.hardware.bench is not None
    played.hardware.bench.boards["base"]._boots = 0


def lower_counts(played: Round) -> None:
    """Set all counts of the base board to 0, as if its memory had been erased."""
    assert played.hardware.bench is not None
    counts = played.hardware.bench.boards["base"].memory.counts
    counts.update(dict.fromkeys(counts, 0))


STRANGERS = {
    "another serial number": another_serial,
    "another key": another_key,
    "another table's configuration": another_configuration,
    "fewer starts": fewer_boots,
    "lower counts": lower_counts,
}


def swapped(change: Change, put_back: bool) -> tuple[Happens, list[Ask], list[object]]:
    """Reset the base board and let `change` make it look like another board.

    Return the function that does this in `play`, the prompts to people, and the outputs that
    were active while a prompt was open.
    """
    asked: list[Ask] = []
    driven: list[object] = []
    # The ready lamp is left out, because it is lit while a board has no configuration.

    def happen(played: Round) -> None:
        bench = played.hardware.bench
        assert bench is not None
        board = bench.boards["base"]
        right = (board._serial, board.key, board._boots)
        bench.reset("base", 1)
        change(played)

        async def answer(ask: Ask) -> str:
            asked.append(ask)
            await asyncio.sleep(20.0)
            driven.extend(
                pin for pin in played.pin_changes if pin[0] > AT and pin[2] and pin[1] != "ready"
            )
            if put_back and ask.code == "STRANGER":
                board._serial, board.key, board._boots = right
                bench.reset("base", 1)
            return DONE

        played.daemon._pauses._people._ask = answer

    return happen, asked, driven


@pytest.mark.parametrize("kind", slow_except(["another key"], list(STRANGERS)[:-1]))
def test_R13_a_board_proves_its_key_after_each_reset_and_another_one_is_not_driven(
    kind: str,
) -> None:
    happen, asked, driven = swapped(STRANGERS[kind], put_back=True)
    played = play(happens={AT: happen})
    assert [(ask.code, ask.part) for ask in asked] == [("STRANGER", "board base")]
    assert driven == [], "no output is active while another board is connected"
    assert "STRANGER" in {event["why"] for event in played.events_named("paused")}
    assert played.events_named("fault") == []
    assert sum(map(len, played.hands.values())) == 16 * 3 + 17


@pytest.mark.parametrize("kind", slow_except(["fewer starts"], STRANGERS))
def test_a_replaced_board_that_stays_stops_the_table_with_the_fault_stranger(kind: str) -> None:
    happen, asked, driven = swapped(STRANGERS[kind], put_back=False)
    with pytest.raises(TableFault) as raised:
        play(happens={AT: happen})
    assert (raised.value.fault, raised.value.part) == (Fault.STRANGER, "board base")
    assert [ask.code for ask in asked] == ["STRANGER"] * ASKS
    assert driven == []


@pytest.mark.slow
def test_a_board_that_only_lost_its_power_is_not_a_stranger() -> None:
    def happen(played: Round) -> None:
        assert played.hardware.bench is not None
        played.hardware.bench.reset("base", 1)

    played = play(happens={AT: happen})
    assert "STRANGER" not in {event["why"] for event in played.events_named("paused")}


def test_a_board_with_another_serial_number_than_in_the_last_run_is_not_driven() -> None:
    driven: list[object] = []
    prompts: list[Event] = []

    def on_event(played: Round, event: Event) -> None:
        if event["event"] == "state" and event["under"] == "testing":
            played.hardware.serial[0].expect_serial("WW000001")
        if event["event"] == "operator_prompted":
            prompts.append(event)
            driven.extend(pin for pin in played.pin_changes if pin[2] and pin[1] != "ready")

    with pytest.raises(TableFault) as raised:
        play(on=on_event)
    assert (raised.value.fault, raised.value.part) == (Fault.STRANGER, "board base")
    assert [event["code"] for event in prompts] == ["STRANGER"] * ASKS
    assert "SIM00000 answers, but the last run of the journal had WW000001" in str(
        prompts[0]["evidence"]
    )
    assert driven == []


@pytest.mark.slow
def test_the_serial_number_in_the_tables_file_replaces_the_one_of_the_last_run() -> None:
    def on_event(played: Round, event: Event) -> None:
        if event["event"] == "state" and event["under"] == "testing":
            played.hardware.serial[0].expect_serial("WW000001")

    assert play(naming("SIM00000"), on=on_event).events_named("ready")


@pytest.mark.slow
def test_a_run_keeps_the_serial_numbers_of_its_boards_in_the_journal() -> None:
    recorded = play().daemon.run_state.journal.serials
    assert recorded == {"base": "SIM00000", "arm": "SIM00001"}


def naming(serial: str) -> Table:
    """Return the robotic table with this serial number of its base board in its file."""
    table = load_table("robotic")
    base = table.boards["base"].model_copy(update={"serial": serial})
    return table.model_copy(update={"boards": {**table.boards, "base": base}})


def test_a_table_whose_file_names_another_serial_number_does_not_begin() -> None:
    seen: list[object] = []
    with pytest.raises(
        TableFault, match="SIM00000 answers, but the table's file names ABC"
    ) as fault:
        play(naming("ABC"), on=lambda _, event: seen.append(event["event"]))
    assert fault.value.fault is Fault.STRANGER
    assert seen.count("operator_prompted") == ASKS
    assert "walls_raised" not in seen


@pytest.mark.slow
def test_a_table_whose_file_names_the_serial_number_of_its_board_begins() -> None:
    table = load_table("robotic")
    address = table.boards["base"].address
    assert play(naming(f"SIM{address:05}")).events_named("ready")
