"""Tests that the codec in Python and the firmware decode every frame to the same message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.challenge import Challenge
from firmware_bridge.wire.codec import COMMANDS, REPLIES, Decoder, Frame, codes, encode, plain
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import (
    TABLE,
    Identify,
    Identity,
    Message,
    Ok,
    Refused,
    Report,
    Statistics,
)
from firmware_bridge.wire.session_security import tag
from tests.firmware_bridge.conformance.script import MESSAGES
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

VECTORS = yaml.safe_load(Path(__file__).with_name("vectors.yaml").read_text("utf-8"))


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
        chip = VirtualChip(library, b"VECTOR00", KEY, address)
        chip.reset()
        self._begin(chip, address, sequence)

    def _begin(self, chip: VirtualChip, address: int, sequence: int) -> None:
        self._chip = chip
        self._decoder = Decoder()
        self._session = HostSession(address, KEY, first=(sequence - 2) & 0xFF)
        (identity,) = self.receive(self._session.identify(b"a nonce."))
        assert isinstance(identity.message, Identity)
        (accepted,) = self.receive(self._session.authenticate(identity.message))
        assert accepted.message == Ok()

    def send(self, message: Message) -> list[Frame]:
        """Send the next command of the session."""
        return self.receive(self._session.command(message))

    def receive(self, data: bytes) -> list[Frame]:
        """Give these bytes to the board; return the board's replies."""
        self._chip.receive(data)
        self._chip.advance(2000)
        return [
            frame
            for frame in self._decoder.feed(self._chip.sent())
            if type(frame.message) in REPLIES
        ]

    def damaged(self) -> int:
        """The number of frames that the firmware has counted as damaged."""
        (reply,) = self.send(Report())
        assert isinstance(reply.message, Statistics)
        return reply.message.damaged

    def command(self, message: Message) -> bytes:
        """The frame of the next command."""
        return self._session.command(message)

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
    is_identify = type(frame.message) is Identify
    assert len(board.receive(data)) == is_identify, "without a tag only Identify is answered"
    assert board.damaged() == 0
    board.close()
    if type(frame.message) in COMMANDS and not is_identify:
        board = Board(library, frame.address, frame.sequence)
        assert [reply[:2] for reply in board.send(frame.message)] == [frame[:2]]
        if MESSAGES["Bootloader"] is not type(frame.message):
            assert board.damaged() == 0
        board.close()


@pytest.mark.parametrize(("data", "counted"), BAD)
def test_the_firmware_counts_a_damaged_frame_and_does_not_execute_it(
    library: Path, data: bytes, counted: str
) -> None:
    board = Board(library, 0, 5)
    assert board.receive(data) == [], counted
    assert board.damaged() == 1
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
    assert board.damaged() == 0
    board.close()


def test_the_firmware_accepts_a_frame_cut_at_any_byte(library: Path) -> None:
    for cut in range(1, len(encode(0, 5, MESSAGES["Set"](3, 800), KEY[:16]))):
        board = Board(library, 0, 5)
        whole = board.command(MESSAGES["Set"](3, 800))
        assert board.receive(whole[:cut]) == []
        (reply,) = board.receive(whole[cut:])
        assert reply.message == Refused(Refusal.NOT_CONFIGURED, 255)
        board.close()


@pytest.mark.parametrize("vector", VECTORS["tagged"], ids=lambda vector: str(vector["counter"]))
def test_a_frame_has_the_tag_of_its_vector(vector: dict[str, Any]) -> None:
    data, frame, key = wire(vector), meaning(vector), bytes.fromhex(vector["key"])
    assert encode(*frame[:3], key, vector["counter"]) == data
    (decoded,) = Decoder().feed(data)
    assert decoded[:3] == frame[:3] and decoded.tag == tag(
        key, vector["counter"], plain(*frame[:3])
    )


@pytest.mark.parametrize("vector", VECTORS["openings"], ids=lambda vector: vector["scenario"])
def test_a_device_key_and_two_nonces_give_the_session_keys_and_proofs_of_their_vector(
    vector: dict[str, Any],
) -> None:
    key, address = bytes.fromhex(vector["device_key"]), vector["address"]
    identify, identity = meaning(vector["identify"]).message, meaning(vector["identity"]).message
    assert isinstance(identify, Identify) and isinstance(identity, Identity)
    challenge = Challenge.of(key, address, identify, identity)
    assert challenge.keys.host.hex() == vector["host_key"]
    assert challenge.keys.board.hex() == vector["board_key"]
    assert challenge.board_proof.hex() == vector["board_proof"]
    assert challenge.host_proof.hex() == vector["host_proof"]
