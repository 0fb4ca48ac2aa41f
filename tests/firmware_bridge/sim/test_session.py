"""Tests `BoardSession`, the board's side of the wire protocol, frame by frame."""

from __future__ import annotations

from random import Random

from firmware_bridge.sim.session import REPEAT_AFTER, BoardSession
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import Decoder, Frame, encode
from firmware_bridge.wire.messages import EVENT_WINDOW, REMEMBERED, Message


class SessionRig:
    """A session without a board: records the executed commands and the sent frames."""

    def __init__(self) -> None:
        self.done: list[Message] = []
        self.session = BoardSession(3, self._execute, self._send)
        self._sent: list[Frame] = []
        self._decoder = Decoder()

    def send(self, sequence: int, message: Message, address: int = 3) -> list[Frame]:
        self.session.receive(encode(address, sequence, message))
        return self.received()

    def identify(self, sequence: int = 9, nonce: bytes = b"nonce-01") -> list[Frame]:
        return self.send(sequence, wire.Identify(1, nonce))

    def received(self) -> list[Frame]:
        sent, self._sent = self._sent, []
        return sent

    def _execute(self, message: Message, sequence: int) -> Message:
        self.done.append(message)
        if isinstance(message, wire.Pulse):
            self.session.emit(_edge(message.channel))
        return wire.Value(len(self.done))

    def _send(self, data: bytes) -> None:
        self._sent += self._decoder.feed(data)


def _edge(number: int) -> wire.EdgeSeen:
    return wire.EdgeSeen(number, 1, 0, number)


def test_before_identify_no_command_is_executed_and_no_event_is_sent() -> None:
    rig = SessionRig()
    assert rig.send(0, wire.Clear()) == []
    rig.session.emit(_edge(1))
    assert rig.done == [] and rig.received() == []


def test_commands_after_identify_are_executed_and_replies_have_their_numbers() -> None:
    rig = SessionRig()
    assert rig.identify(9) == [Frame(3, 9, wire.Value(1))]
    assert rig.send(10, wire.Clear()) == [Frame(3, 10, wire.Value(2))]


def test_a_repeated_command_gets_the_same_reply_and_is_executed_once() -> None:
    rig = SessionRig()
    rig.identify(9)
    first = rig.send(10, wire.Clear())
    assert rig.send(10, wire.Clear()) == first
    assert len(rig.done) == 2 and rig.session.repeated == 1


def test_a_command_that_arrives_before_an_earlier_one_is_dropped_until_repeated() -> None:
    rig = SessionRig()
    rig.identify(9)
    assert rig.send(11, wire.Set(1, 2)) == []
    assert [f.sequence for f in rig.send(10, wire.Set(1, 1)) + rig.send(11, wire.Set(1, 2))] == [
        10,
        11,
    ]
    assert rig.done[1:] == [wire.Set(1, 1), wire.Set(1, 2)]


def test_a_duplicate_of_any_age_is_never_executed() -> None:
    rig = SessionRig()
    rig.identify(255)
    for sequence in range(200):
        rig.send(sequence, wire.Set(1, sequence))
    assert len(rig.done) == 201
    for age in range(1, 200):
        answers = rig.send(200 - age, wire.Set(1, 200 - age))
        assert len(answers) == (age <= REMEMBERED), age
    assert len(rig.done) == 201


def test_commands_to_another_address_are_ignored() -> None:
    rig = SessionRig()
    rig.identify(9)
    assert rig.send(10, wire.Clear(), address=4) == []
    assert len(rig.done) == 1


def test_a_repeated_identify_does_not_begin_another_session() -> None:
    rig = SessionRig()
    first = rig.identify(9)
    rig.send(10, wire.Clear())
    assert rig.identify(9) == first
    assert [frame.sequence for frame in rig.send(11, wire.Clear())] == [11]


def test_a_new_nonce_begins_a_session_with_new_numbers_and_without_old_events() -> None:
    rig = SessionRig()
    rig.identify(9)
    rig.session.emit(_edge(1))
    rig.received()
    rig.identify(50, b"nonce-02")
    assert rig.session.tick(100.0) is None
    assert rig.send(10, wire.Clear()) == []
    assert [frame.sequence for frame in rig.send(51, wire.Clear())] == [51]


def test_events_have_their_own_numbers_and_are_repeated_until_received() -> None:
    rig = SessionRig()
    rig.identify(9)
    rig.session.emit(_edge(1))
    rig.session.emit(_edge(2))
    events = [Frame(3, 10, _edge(1)), Frame(3, 11, _edge(2))]
    assert rig.received() == events
    due = rig.session.tick(1.0)
    assert due == 1.0 + REPEAT_AFTER
    assert rig.received() == []
    later = rig.session.tick(due)
    assert later is not None and later > due + REPEAT_AFTER, "each repetition waits longer"
    assert rig.received() == events
    rig.send(0, wire.Received(10))
    rig.session.tick(5.0)
    rig.session.tick(6.0)
    assert rig.received() == events[1:]
    rig.send(0, wire.Received(11))
    assert rig.session.tick(7.0) is None


def test_received_acknowledges_all_events_before_it_and_an_old_one_has_no_effect() -> None:
    rig = SessionRig()
    rig.identify(9)
    for number in range(5):
        rig.session.emit(_edge(number))
    rig.send(0, wire.Received(13))
    rig.send(0, wire.Received(11))
    rig.received()
    rig.session.tick(0.0)
    rig.session.tick(1.0)
    assert [frame.sequence for frame in rig.received()] == [14]


def test_no_more_events_than_the_window_are_sent_ahead() -> None:
    rig = SessionRig()
    rig.identify(9)
    for number in range(3 * EVENT_WINDOW):
        rig.session.emit(_edge(number))
    assert len(rig.received()) == EVENT_WINDOW
    assert len(rig.send(0, wire.Received(9 + EVENT_WINDOW))) == EVENT_WINDOW


def test_the_reply_is_sent_before_an_event_of_its_own_command() -> None:
    rig = SessionRig()
    rig.identify(9)
    frames = rig.send(10, wire.Pulse(4, 1, 40))
    assert frames == [Frame(3, 10, wire.Value(2)), Frame(3, 10, _edge(4))]


def test_garbage_is_counted_and_never_raises() -> None:
    rig = SessionRig()
    rig.identify(9)
    random = Random(5)
    for _ in range(2000):
        rig.session.receive(random.randbytes(random.randrange(80)) + b"\0")
    assert len(rig.done) == 1
    assert rig.session.damaged > 1000
