"""Tests that the codec in Python and the firmware decode every frame to the same message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.wire.codec import COMMANDS, REPLIES, Decoder, Frame, codes, encode
from firmware_bridge.wire.messages import (
    PROTOCOL,
    TABLE,
    Identify,
    Message,
    Refusal,
    Refused,
    Report,
    Statistics,
)
from tests.firmware_bridge.conformance.script import MESSAGES
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

VECTORS = yaml.safe_load(Path(__file__).with_name("vectors.yaml").read_text("utf-8"))
OPENING = Identify(PROTOCOL, b"a nonce.")


def wire(vector: dict[str, Any]) -> bytes:
    return bytes.fromhex(vector["bytes"])


def meaning(vector: dict[str, Any]) -> Frame:
    means = dict(vector["means"])
    address, sequence = means.pop("address"), means.pop("sequence")
    ((name, values),) = means.items()
    kind = MESSAGES[name]
    fields = [
        bytes.fromhex(value) if code.endswith("s") else value
        for value, code in zip(values, codes(kind), strict=True)
    ]
    return Frame(address, sequence, kind(*fields))


GOOD = [pytest.param(wire(v), meaning(v), id=str(v["means"])) for v in VECTORS["good"]]
BAD = [pytest.param(wire(v), v["counted"], id=v["scenario"]) for v in VECTORS["bad"]]


class Board:
    """A firmware with this address, in a session in which `sequence` is expected next."""

    def __init__(self, library: Path, address: int, sequence: int) -> None:
        self._chip = VirtualChip(library, b"VECTOR00", KEY, address)
        self._chip.reset()
        self._address = address
        self._decoder = Decoder()
        self.send((sequence - 1) & 0xFF, OPENING)

    def send(self, sequence: int, message: Message) -> list[Frame]:
        return self.receive(encode(self._address, sequence, message))

    def receive(self, data: bytes) -> list[Frame]:
        """Give these bytes to the board; return the board's replies."""
        self._chip.receive(data)
        self._chip.advance(2000)
        return [
            frame
            for frame in self._decoder.feed(self._chip.sent())
            if type(frame.message) in REPLIES
        ]

    def damaged(self, sequence: int) -> int:
        """The number of frames that the firmware has counted as damaged."""
        (reply,) = self.send(sequence, Report())
        assert isinstance(reply.message, Statistics)
        return reply.message.damaged

    def close(self) -> None:
        self._chip.close()


def test_every_message_has_a_vector() -> None:
    covered = {type(meaning(vector).message) for vector in VECTORS["good"]}
    assert covered == {row.message for row in TABLE}


@pytest.mark.parametrize(("data", "frame"), GOOD)
def test_a_sound_frame_decodes_to_the_message_of_its_vector(data: bytes, frame: Frame) -> None:
    decoder = Decoder()
    assert encode(*frame) == data
    assert decoder.feed(data) == [frame]
    assert decoder.dropped == 0


@pytest.mark.parametrize(("data", "counted"), BAD)
def test_a_damaged_frame_is_counted_and_the_next_one_received(data: bytes, counted: str) -> None:
    decoder = Decoder()
    sound = Frame(0, 5, Report())
    assert decoder.feed(data + encode(*sound)) == [sound]
    assert (getattr(decoder, counted), decoder.dropped) == (1, 1)


@pytest.mark.parametrize(("data", "frame"), GOOD)
def test_the_firmware_receives_a_sound_frame_and_replies_to_a_command(
    library: Path, data: bytes, frame: Frame
) -> None:
    board = Board(library, frame.address, frame.sequence)
    replies = board.receive(data)
    after = frame.sequence
    if type(frame.message) in COMMANDS:
        assert [reply[:2] for reply in replies] == [frame[:2]]
        after = (frame.sequence + 1) & 0xFF
    else:
        assert replies == []
    if MESSAGES["Bootloader"] is not type(frame.message):
        assert board.damaged(after) == 0
    board.close()


@pytest.mark.parametrize(("data", "counted"), BAD)
def test_the_firmware_counts_a_damaged_frame_and_does_not_execute_it(
    library: Path, data: bytes, counted: str
) -> None:
    board = Board(library, 0, 5)
    assert board.receive(data) == [], counted
    assert board.damaged(5) == 1
    board.close()


@pytest.mark.parametrize("vector", VECTORS["idle"], ids=lambda vector: vector["scenario"])
def test_zeros_on_an_idle_line_are_not_counted_as_damage(
    library: Path, vector: dict[str, Any]
) -> None:
    decoder = Decoder()
    assert decoder.feed(wire(vector)) == []
    assert decoder.dropped == 0
    board = Board(library, 0, 5)
    assert board.receive(wire(vector)) == []
    assert board.damaged(5) == 0
    board.close()


def test_the_firmware_accepts_a_frame_cut_at_any_byte(library: Path) -> None:
    whole = encode(0, 5, MESSAGES["Set"](3, 800))
    for cut in range(1, len(whole)):
        board = Board(library, 0, 5)
        assert board.receive(whole[:cut]) == []
        (reply,) = board.receive(whole[cut:])
        assert reply.message == Refused(Refusal.NOT_CONFIGURED, 255)
        board.close()
