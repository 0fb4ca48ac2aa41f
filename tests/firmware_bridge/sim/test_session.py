"""Tests `BoardSession`, the board's side of the wire protocol, frame by frame."""

from __future__ import annotations

from random import Random

from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.sim.session import REPEAT_AFTER, BoardSession
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import Decoder, Frame, encode, framed, plain
from firmware_bridge.wire.messages import EVENT_WINDOW, REMEMBERED, Message
from firmware_bridge.wire.session_security import MOST_FORGED, TAG_SIZE

KEY = b"the key of a test"
IDENTITY = wire.Identity(wire.PROTOCOL, 1, 1, b"test", b"TEST0000", 1, 0, 0, 0, bytes(8), bytes(8))


class SessionRig:
    """A session without a board: records the executed commands and the sent frames."""

    def __init__(self) -> None:
        self.done: list[Message] = []
        self.session = BoardSession(3, self._execute, self._send, KEY)
        self.host = HostSession(3, KEY)
        self._sent: list[Frame] = []
        self._decoder = Decoder()

    def send(self, sequence: int, message: Message, address: int = 3) -> list[Frame]:
        """Send a command; `sequence` is near the number of the next one."""
        host = self.host
        ahead = (sequence - host.sequence + 0x80 & 0xFF) - 0x80
        counter = max(host.counter + ahead, 0)
        host.counter = max(host.counter, counter + 1)
        key = host.keys.host if host.keys else b""
        self.session.receive(encode(address, sequence, message, key, counter))
        return self.received()

    def acknowledge(self, sequence: int) -> list[Frame]:
        self.session.receive(self.host.received(sequence))
        return self.received()

    def identify(self, sequence: int = 9, nonce: bytes = b"nonce-01") -> list[Frame]:
        """Ask for the identity only."""
        self.host.counter = sequence
        self.session.receive(self.host.identify(nonce))
        return self.received()

    def begin(self, sequence: int = 9, nonce: bytes = b"nonce-01") -> None:
        """Begin a session whose first command has the number `sequence` + 2."""
        (identity,) = self.identify(sequence, nonce)
        assert isinstance(identity.message, wire.Identity)
        self.session.receive(self.host.authenticate(identity.message))
        (accepted,) = self.received()
        assert accepted[:3] == (3, sequence + 1 & 0xFF, wire.Ok())
        self.done.clear()

    def received(self) -> list[Frame]:
        """The frames that the board has sent since the last call, all with the right tag."""
        sent, self._sent = self._sent, []
        assert all(self.host.is_genuine(frame) for frame in sent)
        return [frame._replace(tag=b"", plain=b"") for frame in sent]

    def _execute(self, message: Message, sequence: int) -> Message:
        self.done.append(message)
        if isinstance(message, wire.Identify):
            return IDENTITY._replace(nonce=b"%08d" % len(self.done))
        if isinstance(message, wire.Authenticate):
            return wire.Ok()
        if isinstance(message, wire.Pulse):
            self.session.emit(_edge(message.channel))
        return wire.Value(len(self.done))

    def _send(self, data: bytes) -> None:
        self._sent += self._decoder.feed(data)


def _edge(number: int) -> wire.EdgeSeen:
    return wire.EdgeSeen(number, 1, 0, number)


def test_before_a_session_no_command_is_executed_and_no_event_is_sent() -> None:
    rig = SessionRig()
    assert rig.send(0, wire.Clear()) == []
    rig.session.emit(_edge(1))
    assert rig.done == [] and rig.received() == []
    rig.identify(9)
    rig.done.clear()
    assert rig.send(11, wire.Clear()) == [], "an answered Identify is not a session yet"
    rig.session.emit(_edge(1))
    assert rig.done == [] and rig.received() == []


def test_commands_of_a_session_are_executed_and_replies_have_their_numbers() -> None:
    rig = SessionRig()
    rig.begin(9)
    assert rig.send(11, wire.Clear()) == [Frame(3, 11, wire.Value(1))]
    assert rig.send(12, wire.Clear()) == [Frame(3, 12, wire.Value(2))]


def test_a_repeated_command_gets_the_same_reply_and_is_executed_once() -> None:
    rig = SessionRig()
    rig.begin(9)
    first = rig.send(11, wire.Clear())
    assert rig.send(11, wire.Clear()) == first
    assert len(rig.done) == 1 and rig.session.repeated == 1


def test_a_command_that_arrives_before_an_earlier_one_is_dropped_until_repeated() -> None:
    rig = SessionRig()
    rig.begin(9)
    assert rig.send(12, wire.Set(1, 2)) == []
    assert [f.sequence for f in rig.send(11, wire.Set(1, 1)) + rig.send(12, wire.Set(1, 2))] == [
        11,
        12,
    ]
    assert rig.done == [wire.Set(1, 1), wire.Set(1, 2)]


def test_a_duplicate_of_any_age_is_never_executed() -> None:
    rig = SessionRig()
    rig.begin(254)
    for sequence in range(200):
        rig.send(sequence, wire.Set(1, sequence))
    assert len(rig.done) == 200
    for age in range(1, 200):
        counter = rig.host.counter - age
        assert rig.host.keys is not None
        duplicate = encode(3, counter & 0xFF, wire.Set(1, 200 - age), rig.host.keys.host, counter)
        rig.session.receive(duplicate)
        assert len(rig.received()) == (age <= REMEMBERED), age
    assert len(rig.done) == 200


def test_commands_to_another_address_are_ignored() -> None:
    rig = SessionRig()
    rig.begin(9)
    assert rig.send(11, wire.Clear(), address=4) == []
    assert rig.done == []


def test_a_repeated_identify_is_answered_alike_and_changes_no_session() -> None:
    rig = SessionRig()
    first = rig.identify(9)
    assert rig.identify(9) == first
    rig.begin(9)
    rig.send(11, wire.Clear())
    assert rig.identify(9) == first
    rig.host.counter = 12
    assert [frame.sequence for frame in rig.send(12, wire.Clear())] == [12]


def test_an_identify_by_another_host_does_not_end_the_session() -> None:
    rig = SessionRig()
    rig.begin(9)
    rig.session.emit(_edge(1))
    rig.received()
    stranger = HostSession(3, b"another key", first=40)
    rig.session.receive(stranger.identify(b"stranger"))
    (identity,) = rig.received()
    assert isinstance(identity.message, wire.Identity)
    rig.session.receive(stranger.authenticate(identity.message))
    assert rig.received() == []
    assert rig.send(11, wire.Clear()) == [Frame(3, 11, wire.Value(2))]


def test_a_new_session_has_new_numbers_and_no_old_events() -> None:
    rig = SessionRig()
    rig.begin(9)
    rig.session.emit(_edge(1))
    rig.received()
    rig.begin(50, b"nonce-02")
    assert rig.session.tick(100.0) is None
    assert rig.send(11, wire.Clear()) == []
    assert [frame.sequence for frame in rig.send(52, wire.Clear())] == [52]


def test_events_have_their_own_numbers_and_are_repeated_until_received() -> None:
    rig = SessionRig()
    rig.begin(9)
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
    rig.acknowledge(10)
    rig.session.tick(5.0)
    rig.session.tick(6.0)
    assert rig.received() == events[1:]
    rig.acknowledge(11)
    assert rig.session.tick(7.0) is None


def test_received_acknowledges_all_events_before_it_and_an_old_one_has_no_effect() -> None:
    rig = SessionRig()
    rig.begin(9)
    for number in range(5):
        rig.session.emit(_edge(number))
    rig.acknowledge(13)
    rig.acknowledge(11)
    rig.received()
    rig.session.tick(0.0)
    rig.session.tick(1.0)
    assert [frame.sequence for frame in rig.received()] == [14]


def test_no_more_events_than_the_window_are_sent_ahead() -> None:
    rig = SessionRig()
    rig.begin(9)
    for number in range(3 * EVENT_WINDOW):
        rig.session.emit(_edge(number))
    assert len(rig.received()) == EVENT_WINDOW
    assert len(rig.acknowledge(9 + EVENT_WINDOW)) == EVENT_WINDOW


def test_the_reply_is_sent_before_an_event_of_its_own_command() -> None:
    rig = SessionRig()
    rig.begin(9)
    frames = rig.send(11, wire.Pulse(4, 1, 40))
    assert frames == [Frame(3, 11, wire.Value(1)), Frame(3, 10, _edge(4))]


def test_garbage_is_counted_and_never_raises() -> None:
    rig = SessionRig()
    rig.begin(9)
    random = Random(5)
    for _ in range(2000):
        rig.session.receive(random.randbytes(random.randrange(80)) + b"\0")
    assert rig.done == []
    assert rig.session.damaged > 1000


# Attacks by a device between host and board, which can send sound frames but has no key


def test_a_command_that_was_altered_on_the_line_is_not_executed() -> None:
    rig = SessionRig()
    rig.begin(9)
    (genuine,) = Decoder().feed(rig.host.command(wire.Set(1, 0)))
    altered = framed(plain(3, 11, wire.Set(1, 1000)) + genuine.tag)
    rig.session.receive(altered)
    assert rig.done == [] and rig.session.forged == 1
    rig.host.counter -= 1
    assert rig.send(11, wire.Set(1, 0)) == [Frame(3, 11, wire.Value(1))]


def test_a_command_without_a_tag_is_not_executed() -> None:
    rig = SessionRig()
    rig.begin(9)
    rig.session.receive(encode(3, 11, wire.Bootloader(1)))
    assert rig.done == [] and rig.session.forged == 1


def test_a_recorded_session_is_refused() -> None:
    rig = SessionRig()
    recorded = [rig.host.identify(b"nonce-01")]
    rig.session.receive(recorded[0])
    (identity,) = rig.received()
    assert isinstance(identity.message, wire.Identity)
    recorded += [rig.host.authenticate(identity.message), rig.host.command(wire.Set(1, 1000))]
    for frame in recorded[1:]:
        rig.session.receive(frame)
    assert rig.done[-1] == wire.Set(1, 1000)
    another = SessionRig()
    another.done += [wire.Ok()]  # the board has answered an Identify meanwhile: another nonce
    for frame in recorded:
        another.session.receive(frame)
    assert wire.Set(1, 1000) not in another.done
    assert wire.Authenticate not in map(type, another.done)


def test_a_command_recorded_256_commands_ago_is_not_executed_again() -> None:
    rig = SessionRig()
    rig.begin(9)
    recorded = rig.host.command(wire.Set(1, 1000))
    rig.session.receive(recorded)
    for _ in range(255):
        rig.session.receive(rig.host.command(wire.Clear()))
    rig.received()
    rig.done.clear()
    rig.session.receive(recorded)  # its sequence number is the next one again
    assert rig.done == [] and rig.session.forged == 1


def test_a_repeated_authenticate_does_not_begin_the_session_again() -> None:
    rig = SessionRig()
    (identity,) = rig.identify(9)
    assert isinstance(identity.message, wire.Identity)
    recorded = rig.host.authenticate(identity.message)
    rig.session.receive(recorded)
    first = rig.received()
    rig.session.receive(recorded)
    assert rig.received() == first
    for _ in range(255):
        rig.session.receive(rig.host.command(wire.Clear()))
    rig.received()
    rig.done.clear()
    rig.session.receive(recorded)  # its sequence number is the next one again
    assert rig.done == []


def test_an_acknowledgement_recorded_256_events_ago_acknowledges_nothing() -> None:
    rig = SessionRig()
    rig.begin(9)
    rig.session.emit(_edge(0))
    recorded = rig.host.received(10)
    rig.session.receive(recorded)
    for number in range(1, 256):
        rig.session.emit(_edge(number))
        rig.acknowledge(10 + number & 0xFF)
    rig.session.emit(_edge(7))
    rig.received()
    rig.session.receive(recorded)
    assert rig.session.tick(0.0) is not None, "the event still waits"


def test_64_guessed_tags_end_the_session() -> None:
    rig = SessionRig()
    rig.begin(9)
    for guess in range(MOST_FORGED):
        command = plain(3, 11, wire.Set(1, 1000))
        rig.session.receive(framed(command + guess.to_bytes(TAG_SIZE, "little")))
    assert rig.done == []
    assert rig.send(11, wire.Clear()) == []
    rig.begin(60, b"nonce-02")
    assert rig.send(62, wire.Clear()) == [Frame(3, 62, wire.Value(1))]
