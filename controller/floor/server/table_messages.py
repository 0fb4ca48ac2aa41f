"""Takes the messages of tables: keeps their state in the room, and passes the rest on to storage.

A message of a table can be wrong in every part. A message that is not understood is counted and
dropped. The messages of each table are limited, so that one table cannot use the time of the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from controller.floor.broker import Message
from controller.floor.messages import (
    LARGEST_PAYLOAD,
    TO_TABLE,
    Alive,
    Birth,
    Kind,
    LogHead,
    PayloadError,
    Reply,
    State,
    StoredPosition,
    TableAddress,
    TopicError,
    address_and_kind,
    parsed,
)
from controller.floor.server.metrics import FloorCounts
from controller.floor.server.room import Room
from controller.floor.server.storing import Intake, WaitingBatch
from controller.floor.store.tables import KnownTable

RATE = 8.0
"""Messages of one table in a second, over a longer time. A table in play sends at most one."""
BURST = 40.0
"""Messages of one table at once, such as those of a new connection."""
MOST_KEYS = 20_000
"""Tables that are counted; see `room.MOST_TABLES`."""
Key = TypeVar("Key")


@dataclass
class _Bucket:
    """The messages that are permitted at time `at`."""

    left: float
    at: float


class FloodLimit(Generic[Key]):
    """A token bucket for each table. Times are seconds of one clock."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: dict[Key, _Bucket] = {}

    def admits(self, key: Key, now: float) -> bool:
        """Count one message; false if it is one too many."""
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= MOST_KEYS:
                self._forget(now)
            bucket = self._buckets[key] = _Bucket(self._burst, now)
        bucket.left = min(self._burst, bucket.left + (now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True

    def _forget(self, now: float) -> None:
        """Forget full buckets, and the older half if all are in use."""
        full = self._burst / self._rate
        kept = {key: each for key, each in self._buckets.items() if now - each.at < full}
        self._buckets = dict(list(kept.items())[-MOST_KEYS // 2 :])


ASK_AGAIN = 5.0
"""Least seconds between two times that a table is asked to repeat its birth and its state."""
SILENT = 2.5
"""A table is silent after this many times of its longest time between two states (our choice)."""
GRACE = 20.0
"""Seconds in which a table has to be heard again after the broker was connected again."""
MOST_TOPICS = 100_000
"""Topics whose parts are kept in memory."""
Address = tuple[TableAddress, Kind]


@dataclass
class _Seen:
    """The last messages of a table: the connection that is alive, and the last state in it.

    `heard` is the time of the last message; `is_silent` whether the table was then counted as
    disconnected, because no message came for too long.
    """

    alive: str = ""
    sequence: int = -1
    asked: float = float("-inf")
    heard: float = float("-inf")
    is_silent: bool = False


@dataclass(frozen=True)
class MessageReactions:
    """What the floor service does when a message arrives.

    `repeat` asks a table with this birth to publish its birth and its state again. `refused`
    answers a retired table. `replied` takes each reply, `head_arrived` each head to cosign.
    """

    repeat: Callable[[TableAddress, str], None]
    refused: Callable[[TableAddress, str], None]
    replied: Callable[[TableAddress, Reply], None]
    head_arrived: Callable[[TableAddress, LogHead], None]


class TableMessages:
    """Receives every message of a floor's tables, on the event loop.

    `clock` gives seconds, `wall` the computer's time.
    """

    def __init__(
        self,
        room: Room,
        intake: Intake,
        counts: FloorCounts,
        reactions: MessageReactions,
        *,
        clock: Callable[[], float],
        wall: Callable[[], datetime],
    ) -> None:
        self._room, self._intake, self._counts = room, intake, counts
        self._reactions = reactions
        self._clock, self._wall = clock, wall
        self._limit = FloodLimit[TableAddress]()
        self._seen: dict[TableAddress, _Seen] = {}
        self._answered_retired: dict[TableAddress, float] = {}
        """When each retired table was answered last."""
        self._topics: dict[str, Address | None] = {}
        self._expected: tuple[KnownTable, ...] = ()
        self._expected_until = float("inf")

    def receive(self, message: Message) -> None:
        """Take one message; it never raises."""
        found = self._address(message.topic)
        if found is None:
            self._counts.drop("topic")
            return
        address, kind = found
        now = self._clock()
        # The floor's own positions are no messages of the table.
        if (
            kind not in TO_TABLE
            and not message.is_retained
            and not self._limit.admits(address, now)
        ):
            self._counts.drop("flood")
            return
        if self._room.is_retired(address):
            self._drop_retired(address, kind, message, now)
            return
        self._counts.messages[kind] += 1
        self._hear(address, kind, now, is_kept=message.is_retained)
        if len(message.payload) > LARGEST_PAYLOAD:
            self._counts.drop("malformed")
            return
        if kind == "events":
            self._take_events(address, message, now)
            return
        try:
            self._take(address, kind, message)
        except PayloadError:
            self._counts.drop("malformed")

    def expect(self, tables: Sequence[KnownTable]) -> None:
        """Show these tables as disconnected if they are not heard soon after the start."""
        self._expected = tuple(tables)

    def broker_connected(self) -> None:
        """Note that the broker is connected: wills may have been lost with the broker."""
        latest = self._clock() + GRACE
        self._expected_until = min(self._expected_until, latest)
        for address, seen in self._seen.items():
            seen.heard = min(seen.heard, latest - self._longest_silence(address))

    def note_silence(self) -> None:
        """Count tables as disconnected of which no message came for too long.

        A will is lost if the broker is killed, or if it is started again without its disk.
        """
        now = self._clock()
        for address, seen in self._seen.items():
            table = self._room.table(address)
            if table is None or not table.is_connected:
                continue
            if now - seen.heard > self._longest_silence(address):
                seen.is_silent = True
                self._room.update(address, is_connected=False, changed_connection=self._wall())
        if self._expected and now > self._expected_until:
            for known in self._expected:
                if self._room.table(known.address) is None:
                    self._room.update(
                        known.address, known_title=known.title, changed_connection=self._wall()
                    )
            self._expected = ()

    def _longest_silence(self, address: TableAddress) -> float:
        table = self._room.table(address)
        if table is None or table.birth is None:
            return GRACE
        return SILENT * table.birth.state_every

    def _hear(self, address: TableAddress, kind: Kind, now: float, *, is_kept: bool) -> None:
        """Note that the table has sent a message; a silent table is connected again."""
        seen = self._seen.get(address)
        if seen is None or kind in TO_TABLE:
            return
        seen.heard = now
        if seen.is_silent and not is_kept:
            seen.is_silent = False
            self._room.update(address, is_connected=True, changed_connection=self._wall())

    def _drop_retired(
        self, address: TableAddress, kind: Kind, message: Message, now: float
    ) -> None:
        """Drop a message of a retired table; answer its states now and then, so that it stops.

        The floor's own answers come back to it where several services share the events.
        """
        if kind in TO_TABLE:
            return
        self._counts.drop("retired")
        self._seen.pop(address, None)
        last = self._answered_retired.get(address, float("-inf"))
        if kind != "state" or message.is_retained or now < last + ASK_AGAIN:
            return
        try:
            state = parsed(State, message.payload)
        except PayloadError:
            return
        self._answered_retired[address] = now
        self._reactions.refused(address, state.birth)

    def _address(self, topic: str) -> Address | None:
        if topic in self._topics:
            return self._topics[topic]
        try:
            found = address_and_kind(topic)
        except TopicError:
            return None
        if found[0].floor != self._room.floor:
            return None
        if len(self._topics) >= MOST_TOPICS:
            self._topics.clear()
        self._topics[topic] = found
        return found

    def _take_events(self, address: TableAddress, message: Message, now: float) -> None:
        """Let a batch wait; it is parsed in the thread that stores it.

        The broker keeps no events, so a retained batch was published by a foreign client.
        """
        if message.is_retained:
            self._counts.drop("retained")
        elif self._room.update(address) is None:
            self._counts.drop("too_many_tables")
        else:
            self._intake.add_batch(WaitingBatch(address, message.payload, now))

    def _take(self, address: TableAddress, kind: Kind, message: Message) -> None:
        payload = message.payload
        match kind:
            case "alive":
                self._take_alive(address, parsed(Alive, payload))
            case "birth":
                self._take_birth(address, parsed(Birth, payload))
            case "state":
                self._take_state(address, parsed(State, payload), is_kept=message.is_retained)
            case "position":
                self._take_position(address, parsed(StoredPosition, payload))
            case "reply" if not message.is_retained:
                self._reactions.replied(address, parsed(Reply, payload))
            case "head" if not message.is_retained and self._of(address) is not None:
                self._reactions.head_arrived(address, parsed(LogHead, payload))
            case "reply" | "head":
                self._counts.drop("retained")
            case _:
                self._counts.drop("topic")

    def _take_alive(self, address: TableAddress, alive: Alive) -> None:
        seen = self._of(address)
        if seen is None or (not alive.online and seen.alive not in ("", alive.birth)):
            # The will of an earlier connection, after the next one was made.
            return
        seen.alive, seen.is_silent = alive.birth, False
        is_switched_off = alive.switched_off and not alive.online
        old = self._room.table(address)
        if old is None or old.is_connected != alive.online or old.changed_connection is None:
            self._room.update(
                address,
                is_connected=alive.online,
                is_switched_off=is_switched_off,
                changed_connection=self._wall(),
            )
        else:
            self._room.update(address, is_switched_off=is_switched_off)

    def _take_birth(self, address: TableAddress, birth: Birth) -> None:
        seen = self._of(address)
        if seen is None:
            return
        old = self._room.table(address)
        fields: dict[str, object] = {"birth": birth}
        if old is None or old.birth is None or old.birth.birth != birth.birth:
            seen.sequence = -1
        if old is not None and old.birth is not None and old.birth.log != birth.log:
            fields |= {"stored": 0, "stored_at": None, "contradiction": ""}
            fields |= {"unproven": "", "cosigned": 0, "cosigned_at": None}
        self._room.update(address, **fields)
        self._intake.add_birth(address, birth)

    def _take_state(self, address: TableAddress, state: State, *, is_kept: bool) -> None:
        seen = self._of(address)
        if seen is None:
            return
        table = self._room.table(address)
        birth = table.birth if table is not None else None
        is_of_birth = birth is not None and birth.birth == state.birth
        if is_of_birth and state.sequence <= seen.sequence:
            return
        # A kept state is the last one of several, so its number shows no gap.
        if not is_of_birth or (state.sequence != seen.sequence + 1 and not is_kept):
            self._ask_again(address, state.birth, seen)
        if is_of_birth:
            seen.sequence = state.sequence
            self._room.update(address, state=state, state_received=self._wall())

    def _take_position(self, address: TableAddress, position: StoredPosition) -> None:
        """Note that another service of the floor has stored events of this table."""
        table = self._room.table(address)
        if table is None or table.birth is None or table.birth.log != position.log:
            return
        if position.log is not None and position.next > table.stored:
            self._room.update(address, stored=position.next, stored_at=self._wall())

    def _of(self, address: TableAddress) -> _Seen | None:
        """The last messages of a table; None if the floor has no place for another table."""
        if self._room.update(address) is None:
            self._counts.drop("too_many_tables")
            return None
        return self._seen.setdefault(address, _Seen(heard=self._clock()))

    def _ask_again(self, address: TableAddress, birth: str, seen: _Seen) -> None:
        now = self._clock()
        if now - seen.asked >= ASK_AGAIN:
            seen.asked = now
            self._counts.repeats += 1
            self._reactions.repeat(address, birth)
