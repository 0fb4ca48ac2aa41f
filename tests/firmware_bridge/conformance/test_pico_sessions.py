"""Tests that the emulated Pico sends the bytes of the virtual board in the same sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from config.loader import load_table
from firmware_bridge.sim import clock
from firmware_bridge.sim.falsifying_board import FieldValues
from firmware_bridge.sim.processors.processor import CYCLES_PER_US
from firmware_bridge.sim.processors.rp2040 import USB, Rp2040
from firmware_bridge.wire.codec import COMMANDS, Frame, encode
from firmware_bridge.wire.messages import (
    Authenticate,
    Bootloader,
    Identify,
    Identity,
    Report,
    Statistics,
    Supply,
)
from tests.firmware_bridge.conformance.pico_twins import (
    ENUMERATED_US,
    START_US,
    PicoChip,
    PicoTwins,
    named_channels,
)
from tests.firmware_bridge.conformance.script import Script, play_with
from tests.firmware_bridge.conformance.test_sessions import SCRIPTS
from tests.firmware_bridge.conformance.test_vectors import VECTORS, Board, meaning, wire
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import slow_except, tries

BOARDS = load_table("robotic").boards
NAMED = {
    board: named_channels(
        (script.steps for script in SCRIPTS if script.board == board), BOARDS[board].channels
    )
    for board in ("base", "arm")
}
DEAD_TIME = {"pass 299": "pass 294"}
"""Two commands that come before this period take two milliseconds of the dead time."""


def for_pico(script: Script) -> Script:
    """The script with periods that hold for a Pico."""
    lines = [DEAD_TIME.get(line, line) for line in script.steps.splitlines()]
    return replace(script, steps="\n".join(lines))


PLAYED = [for_pico(each) for each in SCRIPTS if "rattle" not in each.steps]
"""A pin of an emulated chip cannot change thousands of times at one instant (`rattle`)."""
STEP = tries(22, quick=len(PLAYED), evidence=1)
"""`make test` plays every 22nd session; `make evidence` plays all of them."""
STEP_OF_USB = tries(40, quick=len(PLAYED), evidence=1)
"""The same for the USB port; `make test` plays fewer."""


FRAMES = 60
GOOD, BAD, IDLE = ([wire(vector) for vector in VECTORS[key]] for key in ("good", "bad", "idle"))
COMMANDED = [
    message
    for message in (meaning(vector).message for vector in VECTORS["good"])
    if type(message) in COMMANDS - {Authenticate, Bootloader, Identify, Report}
]


@pytest.fixture(scope="module")
def pico() -> Iterator[Rp2040]:
    build("rp2040", "rp2040js")
    with Rp2040() as chip:
        yield chip


async def play_on_pico(pico: Rp2040, script: Script, link: int = 0) -> None:
    await play_with(
        lambda: PicoTwins(pico, "robotic", script.board, script.lamps, NAMED[script.board], link),
        script,
        pico.cycle // CYCLES_PER_US + (ENUMERATED_US if link == USB else START_US),
    )


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize(
    "script", slow_except(PLAYED[:1], PLAYED[::STEP]), ids=lambda script: script.scenario
)
def test_the_pico_sends_the_bytes_of_the_virtual_board(pico: Rp2040, script: Script) -> None:
    clock.run(play_on_pico(pico, script))


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize("script", PLAYED[4::STEP_OF_USB], ids=lambda script: script.scenario)
def test_the_pico_sends_the_same_bytes_on_its_usb_port(pico: Rp2040, script: Script) -> None:
    clock.run(play_on_pico(pico, script, USB))


class _Pico(Board):
    """The emulated Pico in a session, as `Board` is the firmware of this computer."""

    def __init__(self, pico: Rp2040, sequence: int) -> None:
        start_us = pico.cycle // CYCLES_PER_US + START_US
        self._begin(PicoChip(pico, 0, start_us, serial="VECTOR00"), 0, sequence)  # type: ignore[arg-type]

    def receive(self, data: bytes) -> list[Frame]:
        self._chip.receive(data)
        self._chip.advance(len(data) * 44 + 17_000)
        return super().receive(b"")


def replies(board: Board) -> tuple[list[Frame], list[int]]:
    """Send every vector, and every command with its tag; return the replies and counts."""
    sent: list[Frame] = []
    counts: list[int] = []
    for vectors in (GOOD, BAD, IDLE):
        for vector in vectors:
            sent += [
                frame for frame in board.receive(vector) if not isinstance(frame.message, Identity)
            ]
        counts.append(board.damaged())
    for message in COMMANDED:
        sent += board.send(message)
    return sent, counts


def _without_supply(frames: list[Frame]) -> list[Frame | type[Supply]]:
    return [Supply if isinstance(frame.message, Supply) else frame for frame in frames]


@pytest.mark.slow
def test_the_pico_answers_every_vector_with_the_bytes_of_the_host_build(
    library: Path, pico: Rp2040
) -> None:
    answers, damaged = replies(_Pico(pico, 5))
    of_host, damaged_on_host = replies(Board(library, 0, 5))
    # Each chip measures its own supply, so that only the kind of this reply is compared.
    assert _without_supply(answers) == _without_supply(of_host)
    assert len(answers) == len(COMMANDED) + 1, "and an Identify of protocol 1"
    assert damaged == damaged_on_host == [0, len(BAD), len(BAD)]


@pytest.mark.slow
def test_the_pico_answers_and_keeps_running_through_random_commands(pico: Rp2040) -> None:
    chance = Random(20261123)
    values = FieldValues(chance)
    board = _Pico(pico, 5)
    kinds = sorted({type(message) for message in COMMANDED}, key=lambda kind: kind.__name__)
    answered = 0
    for sent in range(FRAMES):
        message = values.message(chance.choice(kinds), (sent & 0xFF,))
        data = board.command(message) if chance.random() < 0.8 else encode(0, 9, message)
        board._chip.receive(data)
        board._chip.advance(4000)
        answered += len(Board.receive(board, b""))
    (reply,) = board.send(Report())
    assert isinstance(reply.message, Statistics)
    assert reply.message.resets == 0 and reply.message.longest_turn_us < 2000
    assert answered > FRAMES // 2
    assert not pico.state.lost, "the UART's interrupt is never late"
