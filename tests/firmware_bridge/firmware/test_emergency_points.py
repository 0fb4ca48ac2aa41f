"""Opens the emergency stop at every point of the main loop, on virtual pins.

The core's main loop can be interrupted at each of its calls of the processor. For each kind of
command the stop opens at the first such call, then at the second, and so on until the command has
ended; the reflex reports it some calls later. `benchmarks/emergency_phases.py` does the same with
the processor's cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.emergency_phases import (
    ALL_LIT,
    HOLD_PIN,
    HOME_PIN,
    KINDS,
    LEASE_MS,
    RECORDS,
    SAFE_LEVELS,
    STRIP,
    STRIP_PIN,
    WATCHED,
    PhaseKind,
)
from benchmarks.firmware_host import EMERGENCY_PIN
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.codec import EVENTS, Decoder, configuration_crc
from firmware_bridge.wire.messages import (
    Clear,
    Commit,
    Home,
    Identity,
    Message,
    Move,
    Set,
    TakeLease,
)
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip
from tests.quick import tries

REPORTS_AFTER = (0, 1, 5, 40)
"""Calls from the press to its report."""
AXIS_KINDS = ("home", "move", "stepping")
LATER_US = 3000


class PressedBoard:
    """A board on virtual pins with the table of `emergency_phases`, and its commands."""

    def __init__(self, library: Path) -> None:
        self.chip = VirtualChip(library, b"", b"", 0)
        self.chip.reset()
        for pin in (HOME_PIN, HOLD_PIN):
            self.chip.pin(pin, True)
        self._session = HostSession(0, bytes(16))
        self._decoder = Decoder()
        self.chip.receive(self._session.identify(b"nonce001"))
        (identity,) = [
            frame.message
            for frame in self._decoder.feed(self.chip.sent())
            if isinstance(frame.message, Identity)
        ]
        self.chip.receive(self._session.authenticate(identity))
        self.order(*RECORDS)
        self.order(Commit(len(RECORDS), configuration_crc(RECORDS)))

    def order(self, *commands: Message) -> None:
        for command in commands:
            self.chip.receive(self._session.command(command))
            self.chip.advance(20)
        self._acknowledge_events()

    def _acknowledge_events(self) -> None:
        for frame in self._decoder.feed(self.chip.sent()):
            if type(frame.message) in EVENTS:
                self.chip.receive(self._session.received(frame.sequence))

    def prepare(self, kind: PhaseKind) -> None:
        """Do what comes before the command of this kind, with every output safe."""
        self.chip.pin(HOLD_PIN, not kind.release)
        if isinstance((kind.before or kind.commands or (None,))[0], Move):
            self.chip.pin(HOME_PIN, False)
            self.order(TakeLease(LEASE_MS), Home(5))
            self.chip.pin(HOME_PIN, True)
        self.order(TakeLease(LEASE_MS), *kind.before)
        if kind.latched:
            self.chip.pin(EMERGENCY_PIN, True)
            self.chip.pin(EMERGENCY_PIN, False)
        self.chip.changes()

    def press(self, kind: PhaseKind, point: int, report_after: int) -> bool:
        """Give the command and press at this point; return whether the press came in time."""
        self.chip.press_at(point, report_after)
        if kind.release:
            self.chip.pin(HOLD_PIN, True)
        self.order(*kind.commands)
        self.chip.advance(LATER_US)
        pressed = not self.chip.press_is_due
        self.chip.press_at(0, 0)
        return pressed

    def recover(self) -> None:
        self.chip.pin(EMERGENCY_PIN, True)  # both edges of the input, whatever it was before
        self.chip.pin(EMERGENCY_PIN, False)
        self.order(Clear())
        self.chip.advance(LATER_US)


@contextmanager
def board(library: Path) -> Iterator[PressedBoard]:
    pressed = PressedBoard(library)
    try:
        yield pressed
    finally:
        pressed.chip.close()


@pytest.mark.parametrize("name", KINDS)
def test_no_output_becomes_active_after_the_emergency_stop_at_any_point(
    library: Path, name: str
) -> None:
    kind = KINDS[name]
    active = False
    with board(library) as pressed:
        for report_after in REPORTS_AFTER:
            point, step = 0, tries(1, quick=1 if name == "clear" else 7)
            while True:
                point += step
                pressed.prepare(kind)
                if not pressed.press(kind, point, report_after):
                    break
                steps = pressed.chip.steps(0)
                pressed.recover()
                changes = pressed.chip.changes()
                at = next(n for n, each in enumerate(changes) if each.pin == EMERGENCY_PIN)
                active = active or any(each.pin == kind.pin for each in changes[:at])
                wrong = [
                    each
                    for each in changes[at:]
                    if each.pin in WATCHED and each.level != SAFE_LEVELS[each.pin]
                ]
                assert not wrong, f"press at point {point}, reported {report_after} later"
                assert pressed.chip.steps(0) == steps
                assert pressed.chip.lamps(STRIP_PIN) == 0
            pressed.recover()
    assert active or name in (*AXIS_KINDS, "strip")


def test_an_output_works_again_once_the_stop_is_cleared_and_it_is_ordered_anew(
    library: Path,
) -> None:
    with board(library) as pressed:
        pressed.prepare(KINDS["strip"])
        assert pressed.press(KINDS["strip"], 3, 0)
        pressed.recover()
        pressed.order(Set(STRIP, ALL_LIT))
        pressed.chip.advance(LATER_US)
        assert pressed.chip.lamps(STRIP_PIN) == ALL_LIT
