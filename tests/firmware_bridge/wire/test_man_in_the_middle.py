"""Tests the host with a device between it and its board that does not have the board's key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from firmware_bridge.board import ProtocolBreach, ProtocolFault
from firmware_bridge.sim import clock
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import Frame
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.errors import BoardError, BoardProtocolError, BoardSilentError
from firmware_bridge.wire.session_security import MOST_FORGED, NOISE, NOISE_PERIOD
from tests.firmware_bridge.serial_rig import SerialRig, begun, kinds
from tests.firmware_bridge.wire.intruder import Change, Intruder

SENTENCE = (
    "board base (serial DESK0001) does not have the key that the key file has for it, or another"
    " device has changed its identity on the line; check that it is the right board and what else"
    " its line reaches, or provision it again."
)


def run_scenario(scenario: Callable[[SerialRig, Intruder], Awaitable[None]]) -> None:
    """Run a scenario with an intruder on the line of a started board under a lease."""

    async def main() -> None:
        rig = SerialRig()
        intruder = Intruder(rig.line, rig.host)
        await rig.board.start()
        await rig.board.hold_lease()
        await scenario(rig, intruder)
        await rig.board.close()

    clock.run(main())


def refusal_at_start(prepare: Callable[[SerialRig, Intruder], None], key: bytes = b"") -> str:
    """The error of the first start with this intruder; the board must not have been driven."""

    async def main() -> str:
        rig = SerialRig(key=key) if key else SerialRig()
        prepare(rig, Intruder(rig.line, rig.host))
        with pytest.raises(BoardError) as refused:
            await rig.board.start()
        assert set(kinds(rig)) == {wire.Identify}, "the board was only asked who it is"
        return str(refused.value)

    return clock.run(main())


def changed(kind: type[wire.Message], **fields: object) -> Change:
    """Change these fields in all messages of a kind."""

    def change(frame: Frame) -> Frame:
        if type(frame.message) is not kind:
            return frame
        message: Any = frame.message
        return frame._replace(message=message._replace(**fields))

    return change


def forged(rig: SerialRig) -> int:
    return rig.board.traffic.forged


def seen(rig: SerialRig) -> dict[ProtocolBreach, int]:
    return dict(rig.board.breaches)


# Events


def test_an_event_that_was_changed_on_the_line_is_refused_and_the_true_one_is_delivered() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.05)
        intruder.from_board = changed(wire.EdgeSeen, count=77)
        rig.virtual.sensor("s1", True)
        await asyncio.sleep(0.01)
        assert forged(rig) == 1
        intruder.from_board = lambda frame: frame
        assert (await anext(edges)).count == 1, "the board has repeated its event"

    run_scenario(scenario)


def test_a_repeated_event_is_not_delivered_again() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.05)
        rig.virtual.sensor("s1", True)
        await asyncio.sleep(0.05)
        (event,) = (f for f in intruder.board_frames if type(f.message) is wire.EdgeSeen)
        intruder.to_host(event)
        for number in range(256):
            rig.virtual.sensor("s1", number % 2 == 1)
            await asyncio.sleep(0.01)
        assert forged(rig) == 0
        before = rig.board.traffic.events
        intruder.to_host(event)  # its number is that of the next event now
        assert (rig.board.traffic.events, forged(rig)) == (before, 1)
        counts = [(await anext(edges)).count for _ in range(257)]
        assert counts == sorted(counts) and counts[:3] == [1, 1, 2] and counts[-1] == 129

    run_scenario(scenario)


# Replies


def test_a_repeated_reply_does_not_answer_a_later_command() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        rig.virtual.sensor("s1", True)
        assert await rig.board.read("s1") == 1
        reply = next(f for f in reversed(intruder.board_frames) if f.message == wire.Value(1))
        intruder.to_host(reply)
        rig.virtual.sensor("s1", False)
        # Until the next command has the same number; the lease is renewed by commands too.
        while rig.board._link._exchange._next & 0xFF != reply.sequence:
            await rig.board.self_test()
        intruder.from_board = lambda frame: reply if frame.sequence == reply.sequence else frame
        reading = asyncio.ensure_future(rig.board.read("s1"))
        await asyncio.sleep(0.01)
        assert forged(rig) == 1 and not reading.done()
        intruder.from_board = lambda frame: frame
        assert await reading == 0, "the true reply, which the board has kept"

    run_scenario(scenario)


def test_a_reply_that_was_changed_on_the_line_is_refused() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        intruder.from_board = changed(wire.Value, value=1)
        reading = asyncio.ensure_future(rig.board.read("s1"))
        await asyncio.sleep(0.01)
        assert forged(rig) == 1
        intruder.from_board = lambda frame: frame
        assert await reading == 0

    run_scenario(scenario)


# The start of a session


@pytest.mark.parametrize(
    "forgery",
    [
        {"build": b"good"},
        {"configuration_crc": 0x1234},
        {"boots": 9},
        {"reset_cause": 2},
        {"firmware": 7},
        {"nonce": b"12345678"},
        {"proof": bytes(8)},
    ],
    ids=lambda forgery: next(iter(forgery)),
)
def test_a_changed_identity_is_refused(forgery: dict[str, object]) -> None:
    def prepare(_: SerialRig, intruder: Intruder) -> None:
        intruder.from_board = changed(wire.Identity, **forgery)

    assert refusal_at_start(prepare) == SENTENCE


def test_a_foreign_board_with_the_right_serial_number_is_refused() -> None:
    sentence = refusal_at_start(lambda *_: None, key=b"the key of another table")
    assert sentence == SENTENCE


def test_a_recorded_session_that_is_played_back_is_refused() -> None:
    recorded: list[Frame] = []

    async def record(rig: SerialRig, intruder: Intruder) -> None:
        await rig.board.pulse("lamp", 1, 0.1)
        recorded.extend(intruder.board_frames)

    run_scenario(record)

    def prepare(rig: SerialRig, intruder: Intruder) -> None:
        rig.board._identification._nonce = lambda: b"another!"
        waiting = iter(recorded)
        intruder.from_board = lambda _: next(waiting)

    assert refusal_at_start(prepare) == SENTENCE


def test_the_proofs_of_one_session_do_not_begin_another() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        old = [f for f in intruder.board_frames if type(f.message) is wire.Identity][-1]
        met = [f for f in intruder.host_frames if type(f.message) is wire.Authenticate][-1]
        await rig.board.set("lamp", 1)
        # To the board: a challenge of the intruder, answered by the host's proof of this session.
        asked = len(rig.asked)
        intruder.to_board(Frame(2, met.sequence - 1 & 0xFF, wire.Identify(wire.PROTOCOL, bytes(8))))
        intruder.to_board(met)
        assert [type(message) for message in rig.asked[asked:]] == [wire.Identify]
        await rig.board.set("lamp", 0)  # the session goes on

        # To the host: the board's proof of this session, in the next one.
        await rig.board.close()
        intruder.from_board = lambda f: (
            old._replace(sequence=f.sequence) if type(f.message) is wire.Identity else f
        )
        with pytest.raises(BoardError, match="another device has changed its identity"):
            await rig.board.start()
        intruder.from_board = lambda frame: frame
        await rig.board.start()

    run_scenario(scenario)


# Frames that are sent back


def test_the_hosts_own_frames_are_refused_if_they_come_back() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        def reflect(frame: Frame) -> None:
            intruder.to_host(frame)

        intruder.from_host = reflect  # type: ignore[assignment]
        setting = asyncio.ensure_future(rig.board.set("lamp", 1))
        await asyncio.sleep(0.01)
        assert forged(rig) == 1 and not setting.done()
        intruder.from_host = lambda frame: frame
        await setting

    run_scenario(scenario)

    async def at_the_start() -> None:
        rig = SerialRig()
        intruder = Intruder(rig.line, rig.host)
        intruder.from_host = intruder.to_host  # type: ignore[assignment]
        with pytest.raises(BoardProtocolError, match=r"sent Identify.* to Identify"):
            await rig.board.start()

    clock.run(at_the_start())


def test_the_boards_own_frames_are_ignored_if_they_come_back() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        asked = len(rig.asked)
        for frame in tuple(intruder.board_frames):
            intruder.to_board(frame)
        assert len(rig.asked) == asked

    run_scenario(scenario)


# What the operator sees


def test_forged_frames_become_a_fault_that_the_operator_sees() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        faults = rig.board.faults
        reply = Frame(2, 0, wire.Ok(), bytes(4))
        for _ in range(NOISE):
            await _answered_by(rig, intruder, reply)
            await asyncio.sleep(NOISE_PERIOD / NOISE + 1.0)
        await _answered_by(rig, intruder, reply)
        assert seen(rig) == {}, "noise can explain so few"
        for _ in range(NOISE):
            await _answered_by(rig, intruder, reply)
        assert seen(rig) == {ProtocolBreach.FORGED: NOISE}
        fault = await anext(faults)
        assert isinstance(fault, ProtocolFault)
        assert fault.sentence == (
            "board base sent a frame without the tag of this session: a frame that another device"
            " has changed, repeated or made."
        )

    run_scenario(scenario)


def test_many_forged_frames_end_the_session_by_a_sentence() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        ended = asyncio.ensure_future(anext(rig.board.faults))
        await asyncio.sleep(0.0)
        for _ in range(MOST_FORGED):
            assert not rig.board.is_closed
            following = rig.board._link._exchange._expected_event & 0xFF
            intruder.to_host(Frame(2, following, wire.Held(0), bytes(4)))
        assert rig.board.is_closed
        assert isinstance(await ended, ProtocolFault)
        with pytest.raises(BoardSilentError, match=f"{MOST_FORGED} frames of this session did not"):
            await rig.board.self_test()
        assert seen(rig) == {ProtocolBreach.FORGED: MOST_FORGED - NOISE}

    run_scenario(scenario)


async def _answered_by(rig: SerialRig, intruder: Intruder, reply: Frame) -> None:
    """Send a command whose first answer is this frame, with the right number."""
    intruder.from_board = lambda frame: (
        reply._replace(sequence=frame.sequence) if type(frame.message) is wire.Value else frame
    )
    command = asyncio.ensure_future(rig.board.self_test())
    await asyncio.sleep(0.005)
    intruder.from_board = lambda frame: frame
    assert await command == 0


# The notice of a start, which has no tag


def test_a_forged_notice_of_a_start_costs_a_session_and_is_reported() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        await rig.board.home("x")
        await rig.board.move({"x": 0.25})
        moving = await begun(rig, rig.board.move({"x": 0.3}))
        intruder.to_host(Frame(2, 0, wire.Started(5, 1)))
        with pytest.raises(BoardSilentError, match="it was reset"):
            await moving
        identity = await rig.board.start()
        assert identity.boots == 1, "the board's proof, and not the notice"
        assert seen(rig) == {ProtocolBreach.FALSE_START: 1}
        fault = await anext(rig.board.faults)
        assert isinstance(fault, ProtocolFault)
        assert fault.sentence == (
            "board base sent Started(boots=5, reset_cause=1): a notice without a start of the"
            " board, which another device can send."
        )
        await rig.board.clear()
        await rig.board.hold_lease()
        await asyncio.sleep(1.0)  # the axis brakes
        await rig.board.move({"x": 0.1})  # an axis that was not homed would be refused

    run_scenario(scenario)


def test_a_true_notice_of_a_start_is_no_fault() -> None:
    async def scenario(rig: SerialRig, _: Intruder) -> None:
        rig.virtual.reset(ResetCause.EXTERNAL)
        rig._attach(rig.host._peer)
        rig.session.announce(rig.virtual.started)
        await asyncio.sleep(0.01)
        assert rig.board.is_closed
        await rig.board.start()
        assert seen(rig) == {}

    run_scenario(scenario)


def test_a_forged_identity_during_play_does_not_hide_a_true_start() -> None:
    async def scenario(rig: SerialRig, intruder: Intruder) -> None:
        (identity,) = (f for f in intruder.board_frames if type(f.message) is wire.Identity)
        intruder.to_host(changed(wire.Identity, boots=2)(identity) or identity)
        rig.virtual.reset(ResetCause.WATCHDOG)
        rig._attach(rig.host._peer)
        rig.session.announce(rig.virtual.started)
        await asyncio.sleep(0.01)
        assert rig.board.is_closed, "the host has taken the notice"
        await rig.board.start()

    run_scenario(scenario)
