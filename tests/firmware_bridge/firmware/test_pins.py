"""Tests that the firmware accepts for each kind of channel the pins of the board profile only."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.board_profiles import Ability, board_profile
from config.schema import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    Channel,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    SensorChannel,
    StripChannel,
)
from firmware_bridge.boards import encoding
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import Configure, Identity, Refused
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

MEGA = board_profile("mega2560")
BEYOND = (70, 71, 128, 254)
"""Numbers that are no pin of a Mega 2560."""
CHANNELS: dict[str, tuple[Channel, Ability]] = {
    "motor": (MotorChannel(kind="motor", pin=2, safe=0, max_on=1.0), "output"),
    "output": (OutputChannel(kind="output", pin=2, safe=0), "output"),
    "strip": (StripChannel(kind="strip", pin=2, lamps=3, safe=0), "output"),
    "dice": (DiceChannel(kind="dice", pin=2, port=1, safe=0, shake=1.0), "output"),
    "sensor": (SensorChannel(kind="sensor", pin=2, active="low", debounce_ms=1), "input"),
    "analog": (AnalogChannel(kind="analog", pin=54), "analog"),
    "axis": (
        AxisChannel(
            kind="axis",
            pin=2,
            direction_pin=3,
            home_switch="home",
            low=0.0,
            high=0.5,
            speed=0.5,
            acceleration=1.0,
        ),
        "step",
    ),
}


def _record(channel: Channel) -> Configure:
    """Return the record of a channel, on a board that also has a home switch."""
    home = SensorChannel(kind="sensor", pin=4, active="low", debounce_ms=1)
    board = BoardConfig(kind="serial", channels={"one": channel, "home": home})
    return encoding.records(board, {})[0]


@pytest.mark.parametrize("kind", CHANNELS)
def test_a_channel_on_a_pin_that_cannot_serve_it_is_refused_by_the_firmware(
    kind: str, library: Path
) -> None:
    channel, ability = CHANNELS[kind]
    record = _record(channel)
    chip = VirtualChip(library, b"PINS0001", KEY, 0)
    chip.reset(at=0)
    decoder, accepted, session = Decoder(), [], HostSession(0, KEY)
    chip.receive(session.identify(b"nonce001"))
    identity = decoder.feed(chip.sent())[-1].message
    assert isinstance(identity, Identity)
    chip.receive(session.authenticate(identity))
    for pin in (*(pin.pin for pin in MEGA.pins), *BEYOND):
        chip.advance(2000)
        decoder.feed(chip.sent())
        sequence = session.sequence
        chip.receive(session.command(record._replace(pin=pin)))
        chip.advance(2000)
        (reply,) = [f.message for f in decoder.feed(chip.sent()) if f.sequence == sequence]
        if isinstance(reply, Refused):
            assert reply.reason == Refusal.OUT_OF_RANGE
        else:
            accepted.append(pin)
    assert tuple(accepted) == MEGA.able(ability)
