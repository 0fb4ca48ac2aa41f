"""The board's side of the wire, frame by frame."""

from __future__ import annotations

from random import Random

from firmware_bridge.sim.session import REPEAT_AFTER, BoardSession
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import Decoder, Frame, encode
from firmware_bridge.wire.messages import EVENT_WINDOW, REMEMBERED, Message


class Desk:
    """A session on a desk: what it executed, and what it said."""

    def __init__(self) -> None:
        self.done: list[Message] = []
        self.session = BoardSession(3, self._execute, self._send)
        self._said: list[Frame] = []
        self._decoder = Decoder()

    def send(self, sequence: int, message: Message, address: int = 3) -> list[Frame]:
        self.session.receive(encode(address, sequence, message))
        return self.received()

    def identify(self, sequence: int = 9, nonce: bytes = b"nonce-01") -> list[Frame]:
        return self.send(sequence, wire.Identify(1, nonce))

    def received(self) -> list[Frame]:
        said, self._said = self._said, []
        return said

    def _execute(self, message: Message, sequence: int) -> Message:
        self.done.append(message)
        if isinstance(message, wire.Pulse):
            self.session.emit(_edge(message.channel))
        return wire.Value(len(self.done))

    def _send(self, data: bytes) -> None:
        self._said += self._decoder.feed(data)


def _edge(number: int) -> wire.EdgeSeen:
    return wire.EdgeSeen(number, 1, 0, number)


def test_before_identify_nothing_is_done_and_nothing_said() -> None:
    desk = Desk()
    assert desk.send(0, wire.Clear()) == []
    desk.session.emit(_edge(1))
    assert desk.done == [] and desk.received() == []


def test_commands_after_identify_are_done_in_order_and_answered_by_their_number() -> None:
    desk = Desk()
    assert desk.identify(9) == [Frame(3, 9, wire.Value(1))]
    assert desk.send(10, wire.Clear()) == [Frame(3, 10, wire.Value(2))]


def test_a_repeated_command_gets_the_same_reply_and_is_not_done_twice() -> None:
    desk = Desk()
    desk.identify(9)
    first = desk.send(10, wire.Clear())
    assert desk.send(10, wire.Clear()) == first
    assert len(desk.done) == 2 and desk.session.repeated == 1


def test_a_command_that_comes_before_the_one_expected_waits_to_be_sent_again() -> None:
    desk = Desk()
    desk.identify(9)
    assert desk.send(11, wire.Set(1, 2)) == []
    assert [f.sequence for f in desk.send(10, wire.Set(1, 1)) + desk.send(11, wire.Set(1, 2))] == [
        10,
        11,
    ]
    assert desk.done[1:] == [wire.Set(1, 1), wire.Set(1, 2)]


def test_an_old_duplicate_can_never_be_done_whatever_its_age() -> None:
    desk = Desk()
    desk.identify(255)
    for sequence in range(200):
        desk.send(sequence, wire.Set(1, sequence))
    assert len(desk.done) == 201
    for age in range(1, 200):
        answers = desk.send(200 - age, wire.Set(1, 200 - age))
        assert len(answers) == (age <= REMEMBERED), age
    assert len(desk.done) == 201


def test_commands_to_another_address_are_not_for_this_board() -> None:
    desk = Desk()
    desk.identify(9)
    assert desk.send(10, wire.Clear(), address=4) == []
    assert len(desk.done) == 1


def test_an_identify_that_comes_twice_does_not_begin_twice() -> None:
    desk = Desk()
    first = desk.identify(9)
    desk.send(10, wire.Clear())
    assert desk.identify(9) == first
    assert [frame.sequence for frame in desk.send(11, wire.Clear())] == [11]


def test_a_new_nonce_begins_a_session_with_its_own_numbers_and_no_old_events() -> None:
    desk = Desk()
    desk.identify(9)
    desk.session.emit(_edge(1))
    desk.received()
    desk.identify(50, b"nonce-02")
    assert desk.session.tick(100.0) is None
    assert desk.send(10, wire.Clear()) == []
    assert [frame.sequence for frame in desk.send(51, wire.Clear())] == [51]


def test_events_have_their_own_numbers_and_are_repeated_until_received() -> None:
    desk = Desk()
    desk.identify(9)
    desk.session.emit(_edge(1))
    desk.session.emit(_edge(2))
    events = [Frame(3, 10, _edge(1)), Frame(3, 11, _edge(2))]
    assert desk.received() == events
    due = desk.session.tick(1.0)
    assert due == 1.0 + REPEAT_AFTER
    assert desk.received() == []
    later = desk.session.tick(due)
    assert later is not None and later > due + REPEAT_AFTER, "each repetition waits longer"
    assert desk.received() == events
    desk.send(0, wire.Received(10))
    desk.session.tick(5.0)
    desk.session.tick(6.0)
    assert desk.received() == events[1:]
    desk.send(0, wire.Received(11))
    assert desk.session.tick(7.0) is None


def test_received_speaks_for_all_events_before_it_and_an_old_one_for_none() -> None:
    desk = Desk()
    desk.identify(9)
    for number in range(5):
        desk.session.emit(_edge(number))
    desk.send(0, wire.Received(13))
    desk.send(0, wire.Received(11))
    desk.received()
    desk.session.tick(0.0)
    desk.session.tick(1.0)
    assert [frame.sequence for frame in desk.received()] == [14]


def test_no_more_events_than_the_window_are_ahead_of_the_host() -> None:
    desk = Desk()
    desk.identify(9)
    for number in range(3 * EVENT_WINDOW):
        desk.session.emit(_edge(number))
    assert len(desk.received()) == EVENT_WINDOW
    assert len(desk.send(0, wire.Received(9 + EVENT_WINDOW))) == EVENT_WINDOW


def test_the_reply_goes_before_an_event_of_its_own_command() -> None:
    desk = Desk()
    desk.identify(9)
    said = desk.send(10, wire.Pulse(4, 1, 40))
    assert said == [Frame(3, 10, wire.Value(2)), Frame(3, 10, _edge(4))]


def test_garbage_is_counted_and_never_raises() -> None:
    desk = Desk()
    desk.identify(9)
    random = Random(5)
    for _ in range(2000):
        desk.session.receive(random.randbytes(random.randrange(80)) + b"\0")
    assert len(desk.done) == 1
    assert desk.session.damaged > 1000
