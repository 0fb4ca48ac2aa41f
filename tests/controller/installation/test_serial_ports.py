"""Which port each board of a table has, and the names of ports that stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load_table
from controller.installation.serial_ports import (
    AnsweringPort,
    PortChoiceError,
    ports_of_boards,
    stable_name,
)
from firmware_bridge.commissioning.probe import ProbeAnswer
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.messages import PROTOCOL

ROBOTIC = load_table("robotic")


def _answer(address: int, serial: str = "WALL0001") -> ProbeAnswer:
    identity = wire.Identity(
        protocol=PROTOCOL,
        firmware=1,
        chip=1,
        build=bytes(4),
        serial=serial.encode(),
        boots=0,
        reset_cause=0,
        channel_hash=0,
        configuration_crc=0,
        nonce=bytes(8),
        proof=bytes(8),
    )
    return ProbeAnswer(address, bytes(8), identity)


def test_boards_on_one_line_share_its_port() -> None:
    line = AnsweringPort("/dev/wallwright/A1", (_answer(0), _answer(1, "WALL0002")))
    assert ports_of_boards(ROBOTIC, [line]) == {
        "base": "/dev/wallwright/A1",
        "arm": "/dev/wallwright/A1",
    }


def test_each_board_has_the_port_on_which_its_address_answers() -> None:
    one = AnsweringPort("/dev/wallwright/B2", (_answer(1),))
    other = AnsweringPort("/dev/wallwright/A1", (_answer(0),))
    assert ports_of_boards(ROBOTIC, [one, other]) == {
        "base": "/dev/wallwright/A1",
        "arm": "/dev/wallwright/B2",
    }


def test_a_serial_number_in_the_tables_file_counts_more_than_the_address() -> None:
    board = ROBOTIC.boards["base"].model_copy(update={"serial": "WALL0009"})
    table = ROBOTIC.model_copy(update={"boards": {"base": board}})
    wrong = AnsweringPort("/dev/ttyUSB0", (_answer(0, "WALL0001"),))
    right = AnsweringPort("/dev/ttyUSB1", (_answer(0, "WALL0009"),))
    assert ports_of_boards(table, [wrong, right]) == {"base": "/dev/ttyUSB1"}
    with pytest.raises(PortChoiceError, match="No board with the serial number WALL0009 answers"):
        ports_of_boards(table, [wrong])


def test_two_ports_with_the_same_address_are_no_answer() -> None:
    found = [AnsweringPort(f"/dev/ttyUSB{n}", (_answer(0), _answer(1))) for n in range(2)]
    with pytest.raises(PortChoiceError, match="answer on /dev/ttyUSB0 and /dev/ttyUSB1"):
        ports_of_boards(ROBOTIC, found)


def test_a_port_is_named_by_the_link_that_stays(tmp_path: Path) -> None:
    port, links = tmp_path / "ttyACM0", tmp_path / "wallwright"
    port.touch()
    links.mkdir()
    assert stable_name(str(port), [links, tmp_path / "none"]) == str(port)
    (links / "75830333").symlink_to("../ttyACM0")
    assert stable_name(str(port), [links]) == str(links / "75830333")
