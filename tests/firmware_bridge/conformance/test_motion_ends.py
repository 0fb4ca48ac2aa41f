"""Tests that a motion without an edge ends by its time, and that the rest of the board goes on."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.board import Edges, Reason
from firmware_bridge.boards import encoding as words
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.wire.messages import Faulted, MotionEnded, Ok, Set
from tests.firmware_bridge.conformance.test_memory import BASE, COUNTER_PIN, NAMES, WHEEL, Host
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

DRUM = NAMES.index("drum")


def test_a_head_that_gets_no_tile_leaves_the_other_motors_on_and_needs_no_person(
    library: Path,
) -> None:
    chip = VirtualChip(library, b"MOTION01", KEY, 0)
    chip.reset()
    host = Host(chip)
    host.begin()
    assert host.ask(Set(DRUM, 1000)) == Ok()
    order = words.drive(WHEEL, 1000, Edges("head0_counter", 2), 0.1, NAMES.index)
    assert host.ask(order) == Ok()
    for high in (False, True):
        chip.pin(COUNTER_PIN, high)
        chip.advance(5000)
    chip.advance(150_000)
    host.ask(Set(DRUM, 1000))
    (ended,) = {event for event in host.events if isinstance(event, MotionEnded)}
    assert (ended.channel, ended.reason, ended.count) == (WHEEL, Reason.TIME, 1)
    assert not [event for event in host.events if isinstance(event, Faulted)]
    assert chip.output(BASE.channels["drum"].pin) == 1
    assert chip.output(BASE.channels["head0_wheel"].pin) == 0
    chip.close()
