"""Opens the emergency stop, and breaks the light curtain, at every point of the main loop.

The core runs on virtual pins. Its main loop can be interrupted at each of its calls of the
processor. For each kind of command the input changes at the first such call, then at the second,
and so on until the command has ended; the reflex reports a press, and trips at a broken curtain,
some calls later. `benchmarks/safety_sweep.py` does the same with the processor's cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.emergency_phases import (
    ALL_LIT,
    EDGE_PIN,
    FORWARD_PIN,
    GUARDED_RECORDS,
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
from benchmarks.firmware_host import CURTAIN_PIN, EMERGENCY_PIN
from benchmarks.firmware_reflex import motor, sensor
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.codec import EVENTS, REPLIES, Decoder, configuration_crc
from firmware_bridge.wire.codes import Flag, Refusal
from firmware_bridge.wire.messages import (
    NONE,
    Clear,
    Commit,
    Configure,
    Home,
    Identity,
    Message,
    Move,
    Ok,
    Refused,
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

    def __init__(self, library: Path, records: Sequence[Configure]) -> None:
        self.chip = VirtualChip(library, b"PRESSED1", KEY, 0)
        self.chip.reset()
        for pin in (HOME_PIN, HOLD_PIN):
            self.chip.pin(pin, True)
        self._session = HostSession(0, KEY)
        self._decoder = Decoder()
        self.replies: list[Message] = []
        self.chip.receive(self._session.identify(b"nonce001"))
        (identity,) = [
            frame.message
            for frame in self._decoder.feed(self.chip.sent())
            if isinstance(frame.message, Identity)
        ]
        self.chip.receive(self._session.authenticate(identity))
        self.order(*records)
        self.order(Commit(len(records), configuration_crc(records)))

    def order(self, *commands: Message) -> None:
        for command in commands:
            self.chip.receive(self._session.command(command))
            self.chip.advance(20)
        self._acknowledge_events()

    def ask(self, command: Message) -> Message:
        """Give a command without time passing; return its reply."""
        self.chip.receive(self._session.command(command))
        self._acknowledge_events()
        return self.replies[-1]

    def _acknowledge_events(self) -> None:
        for frame in self._decoder.feed(self.chip.sent()):
            if type(frame.message) in REPLIES:
                self.replies.append(frame.message)
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
        return self._execute(kind)

    def break_beam(self, kind: PhaseKind, point: int, trip_after: int) -> bool:
        """Give the command and break the light curtain at this point; return as `press`."""
        self.chip.edge_at(CURTAIN_PIN, True, point, trip_after)
        return self._execute(kind)

    def _execute(self, kind: PhaseKind) -> bool:
        if kind.release:
            self.chip.pin(HOLD_PIN, True)
        self.order(*kind.commands)
        self.chip.advance(LATER_US)
        pressed = not self.chip.press_is_due
        self.chip.press_at(0, 0)
        self.chip.edge_at(CURTAIN_PIN, False, 0, 0)
        return pressed

    def recover(self) -> None:
        self.chip.pin(EMERGENCY_PIN, True)  # both edges of the input, whatever it was before
        self.chip.pin(EMERGENCY_PIN, False)
        self.chip.pin(CURTAIN_PIN, False)
        self.order(Clear())
        self.chip.advance(LATER_US)


@contextmanager
def board(library: Path, records: Sequence[Configure] = RECORDS) -> Iterator[PressedBoard]:
    pressed = PressedBoard(library, records)
    try:
        yield pressed
    finally:
        pressed.chip.close()


@pytest.mark.evidence
@pytest.mark.parametrize("name", KINDS)
def test_no_output_becomes_active_after_the_emergency_stop_at_any_point(
    library: Path, name: str
) -> None:
    kind = KINDS[name]
    active = False
    with board(library) as pressed:
        for report_after in REPORTS_AFTER:
            point, step = 0, tries(3, quick=1 if name == "clear" else 7, evidence=1)
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


@pytest.mark.evidence
@pytest.mark.parametrize("name", KINDS)
def test_no_guarded_part_moves_on_after_the_light_curtain_is_broken_at_any_point(
    library: Path, name: str
) -> None:
    kind = KINDS[name]
    active = False
    with board(library, GUARDED_RECORDS) as broken:
        for trip_after in REPORTS_AFTER:
            point, step = 0, tries(3, quick=1 if name in ("clear", "set_motor") else 7, evidence=1)
            while True:
                point += step
                broken.prepare(kind)
                if not broken.break_beam(kind, point, trip_after):
                    break
                broken.chip.advance(LATER_US)  # the axis brakes by its ramp
                steps = broken.chip.steps(0)
                broken.chip.advance(LATER_US)
                levels = {pin: broken.chip.output(pin) for pin in WATCHED}
                assert levels == SAFE_LEVELS, f"broken at point {point}, tripped {trip_after} later"
                assert broken.chip.steps(0) == steps
                assert broken.chip.lamps(STRIP_PIN) == 0
                active = active or any(each.pin == kind.pin for each in broken.chip.changes())
                broken.recover()
            broken.recover()
    assert active or name in (*AXIS_KINDS, "strip")


def test_the_stop_is_latched_as_the_65th_fault_and_clear_is_refused_while_it_is_pressed(
    library: Path,
) -> None:
    motors, up, down = range(32), 32, 33
    pins = [pin for pin in range(22, 70) if pin not in (HOME_PIN, HOLD_PIN)]
    records = [
        *(
            motor(each, pins[each])._replace(forward_stop=up, reverse_stop=down, max_on_ms=5)
            for each in motors
        ),
        *(sensor(each, pins[each])._replace(active_high=1) for each in (up, down)),
    ]
    with board(library, records) as pressed:
        for switch in (up, down):
            pressed.chip.pin(pins[switch], False)
        pressed.order(TakeLease(LEASE_MS))
        for each in motors:
            assert pressed.ask(Set(each, 1000)) == Ok()
        pressed.chip.advance(10_000)  # 32 faults: every motor is on for too long
        for switch in (up, down):  # and 32 more: both switches of every motor
            pressed.chip.pin(pins[switch], True)
        pressed.chip.pin(EMERGENCY_PIN, True)
        for switch in (up, down):
            pressed.chip.pin(pins[switch], False)
        pressed.chip.advance(LATER_US)
        refused = pressed.ask(Clear())
        assert refused == Refused(Refusal.CAUSE_PERSISTS, NONE)
        assert isinstance(pressed.ask(Set(0, 1000)), Refused)
        assert pressed.chip.output(pins[0]) == 0
        pressed.chip.pin(EMERGENCY_PIN, False)
        assert pressed.ask(Clear()) == Ok()
        assert pressed.ask(Set(0, 1000)) == Ok()
        assert pressed.chip.output(pins[0]) == 1


def test_a_stop_on_a_pin_of_the_table_that_is_pressed_at_commit_is_latched(library: Path) -> None:
    stop = sensor(1, EDGE_PIN)._replace(active_high=1, flags=Flag.EMERGENCY)
    with board(library, [motor(0, FORWARD_PIN), stop]) as pressed:  # a free input is high: pressed
        pressed.order(TakeLease(LEASE_MS))
        assert pressed.ask(Set(0, 1000)) == Refused(Refusal.FAULT_LATCHED, 1)
        assert pressed.ask(Clear()) == Refused(Refusal.CAUSE_PERSISTS, 1)
        pressed.chip.pin(EDGE_PIN, False)
        assert pressed.ask(Clear()) == Ok()
        assert pressed.ask(Set(0, 1000)) == Ok()


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
