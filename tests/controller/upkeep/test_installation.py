"""The port of each board, the names of ports that stay, and the file of the service's options."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import tty
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from config.loader import load_table
from controller.cli import main
from controller.upkeep.installation import (
    BOARD_VENDORS,
    VARIABLE,
    AnsweringPort,
    PortChoiceError,
    ServiceOptions,
    answering_ports,
    ports_of_boards,
    stable_name,
)
from firmware_bridge.commissioning.probe import ProbeAnswer, answers
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


class AttachedPort:
    """A pseudo-terminal that the computer lists as a serial port."""

    def __init__(self, vendor: int | None, description: str) -> None:
        self.end, self._side = os.openpty()
        tty.setraw(self._side)
        os.set_blocking(self.end, False)
        self.path = os.ttyname(self._side)
        self.listed = ListPortInfo(self.path)
        self.listed.vid, self.listed.description = vendor, description

    @property
    def received(self) -> bytes:
        """The bytes that were sent to it since the last question."""
        try:
            return os.read(self.end, 4096)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self.end)
        os.close(self._side)


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[AttachedPort]]:
    """An Arduino, the port on the header of a Raspberry Pi, and a modem on USB."""
    attached = [
        AttachedPort(0x2341, "Arduino Mega 2560"),
        AttachedPort(None, "ttyAMA0"),
        AttachedPort(0x12D1, "HUAWEI Mobile"),
    ]
    monkeypatch.setattr(list_ports, "comports", lambda: [each.listed for each in attached])
    yield attached
    for each in attached:
        each.close()


def test_a_scan_without_ports_writes_to_ports_that_can_be_a_board_and_to_no_other(
    ports: list[AttachedPort],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    brief = partial(answers, patience=0.1)
    monkeypatch.setattr("controller.cli.runs.port_scan.answers", brief)
    monkeypatch.setattr("controller.upkeep.installation.answers", brief)
    board, header, modem = ports
    assert main(["scan"]) == 0
    printed = capsys.readouterr().out
    assert board.received, "the question of who is there"
    for port in (header, modem):
        assert port.received == b""
        assert (
            f"{port.path} ({port.listed.description}): not asked, because it is not a USB device"
            f" that can be a board; it can be a console or a modem. If a board is on it: wallwright"
            f" scan {port.path}\n"
        ) in printed
    asyncio.run(answering_ports())
    assert [bool(port.received) for port in ports] == [True, False, False], "`install` asks too"
    assert main(["scan", header.path]) == 0
    assert header.received, "a port that is named is asked"


def test_a_scan_without_any_board_says_that_none_is_attached(
    ports: list[AttachedPort],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is plugged in; the UART of the header is a console, which cannot be named either."""
    _, header, _ = ports
    monkeypatch.setattr(list_ports, "comports", lambda: [header.listed])
    clause = "it is the terminal of process 88 (agetty)"
    monkeypatch.setattr("controller.cli.commands.scan.console_use", lambda _: clause)
    assert main(["scan"]) == 0
    attached, of_port = capsys.readouterr().out.splitlines()
    assert attached.startswith("No board and no adapter of a board is attached by USB. Connect the")
    assert of_port.endswith(
        f"not asked, because {clause}. It cannot have a board until that is switched off:"
        " docs/build/PI.md has the settings"
    )
    monkeypatch.setattr(list_ports, "comports", list)
    assert main(["scan"]) == 0
    assert capsys.readouterr().out.startswith("No board and no adapter")


def test_the_vendors_of_boards_are_those_of_the_rules_for_udev() -> None:
    rules = (Path(__file__).parents[3] / "packaging/60-wallwright.rules").read_text("utf-8")
    listed = re.search(r'ENV\{ID_VENDOR_ID\}!="([^"]+)"', rules)
    assert listed is not None
    assert {int(vendor, 16) for vendor in listed[1].split("|")} == BOARD_VENDORS


def _words(text: str) -> list[str]:
    """The words as systemd finds them: the file's quotes first, then those of each word."""
    line = next(each for each in text.splitlines() if each.startswith(VARIABLE))
    (value,) = shlex.split(line.removeprefix(f"{VARIABLE}="))
    return shlex.split(value)


def test_a_port_for_all_boards_is_given_once_and_other_ports_with_their_boards() -> None:
    one = ServiceOptions("robotic", {"base": "/dev/a", "arm": "/dev/a"})
    assert one.words == ("--table", "robotic", "--port", "/dev/a")
    two = ServiceOptions("robotic", {"base": "/dev/a", "arm": "/dev/b"})
    assert two.words == ("--table", "robotic", "--port", "base=/dev/a", "--port", "arm=/dev/b")
    assert ServiceOptions("robotic").words == ("--table", "robotic")


def test_every_text_reaches_the_service_as_it_was_given() -> None:
    for nameplate in ("Treasure, MJ-9, A-17", 'O\'Brien, "X", 5', "a\\b, c, d", "$HOME, %h, #"):
        options = ServiceOptions("/etc/wallwright/table.yaml", {}, "127.0.0.1:80", nameplate)
        assert _words(options.text) == list(options.words)
        assert options.words[-1] == nameplate
