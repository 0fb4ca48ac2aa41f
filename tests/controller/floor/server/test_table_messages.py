"""Tests how the floor takes messages of tables: late, missing, foreign and too many ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from controller.floor.broker import Broker, Message
from controller.floor.messages import (
    Alive,
    Birth,
    Kind,
    LogHead,
    Payload,
    Reply,
    State,
    StoredPosition,
    TableAddress,
    encoded,
)
from controller.floor.page.room_feed import NEEDS_A_PERSON, condition_of
from controller.floor.server.metrics import FloorCounts
from controller.floor.server.room import Room, RoomTable
from controller.floor.server.storing import MOST_BATCHES, Intake, WaitingBatch
from controller.floor.server.table_messages import (
    ASK_AGAIN,
    BURST,
    GRACE,
    SILENT,
    FloodLimit,
    MessageReactions,
    TableMessages,
)
from controller.floor.settings import FloorSettings
from controller.floor.store.table_changes import Roster
from controller.floor.store.tables import KnownTable
from controller.floor.table.publisher import TablePublisher
from firmware_bridge.sim.clock import run
from tests.controller.floor.event_lines import birth_of
from tests.controller.floor.memory_broker import MemoryBroker
from tests.controller.floor.table.fake_source import IDLE, FakeSource

A1, A2 = TableAddress("club", "a1"), TableAddress("club", "a2")
FIRST, SECOND = "1" * 32, "2" * 32
LOG, OTHER_LOG = "c" * 64, "d" * 64
NOW = datetime(2026, 11, 24, 20, tzinfo=UTC)


class Receiver:
    """Takes messages as a floor service does; `now` is its clock."""

    def __init__(self, most_tables: int = 10) -> None:
        self.now = 0.0
        self.counts = FloorCounts()
        self.room = Room("club", most_tables)
        self.intake = Intake(self.counts.drop)
        self.repeats: list[str] = []
        self.refused: list[str] = []
        self.replies: list[Reply] = []
        self.heads: list[tuple[TableAddress, LogHead]] = []
        self.messages = TableMessages(
            self.room,
            self.intake,
            self.counts,
            MessageReactions(
                repeat=lambda _, birth: self.repeats.append(birth),
                refused=lambda _, birth: self.refused.append(birth),
                replied=lambda _, reply: self.replies.append(reply),
                head_arrived=lambda address, head: self.heads.append((address, head)),
            ),
            clock=lambda: self.now,
            wall=lambda: NOW,
        )

    def send(
        self, kind: Kind, payload: Payload | bytes, *, kept: bool = False, to: TableAddress = A1
    ) -> None:
        data = payload if isinstance(payload, bytes) else encoded(payload)
        self.messages.receive(Message(to.topic(kind), data, is_retained=kept))

    @property
    def table(self) -> RoomTable:
        found = self.room.table(A1)
        assert found is not None
        return found


@pytest.fixture
def floor() -> Iterator[Receiver]:
    return Receiver()


def birth(birth_id: str, log: str | None = LOG) -> Birth:
    return birth_of(birth_id, log)


def state(birth_id: str, sequence: int) -> State:
    at = "2026-11-24T20:00:00.000Z"
    return State(**IDLE.model_dump(), birth=birth_id, sequence=sequence, at=at)


def test_a_late_will_of_an_earlier_connection_changes_nothing(floor: Receiver) -> None:
    floor.send("alive", Alive(online=True, birth=FIRST))
    floor.send("alive", Alive(online=True, birth=SECOND))
    floor.send("alive", Alive(online=False, birth=FIRST))
    assert floor.table.is_connected
    floor.send("alive", Alive(online=False, birth=SECOND))
    assert not floor.table.is_connected


def test_a_missed_state_is_asked_for_once_in_a_while(floor: Receiver) -> None:
    floor.send("birth", birth(FIRST))
    for sequence in (0, 1):
        floor.send("state", state(FIRST, sequence))
    assert floor.repeats == []
    floor.send("state", state(FIRST, 3))
    floor.send("state", state(FIRST, 5))
    assert floor.repeats == [FIRST]
    assert floor.table.state == state(FIRST, 5)
    floor.now += ASK_AGAIN
    floor.send("state", state(FIRST, 8))
    assert floor.repeats == [FIRST, FIRST]
    assert floor.counts.repeats == 2


def test_a_late_or_repeated_state_does_not_replace_a_newer_one(floor: Receiver) -> None:
    floor.send("birth", birth(FIRST))
    for sequence in (0, 1, 2, 1, 2):
        floor.send("state", state(FIRST, sequence))
    assert floor.table.state == state(FIRST, 2)
    assert floor.repeats == []


def test_a_kept_state_needs_no_earlier_ones(floor: Receiver) -> None:
    floor.send("birth", birth(FIRST), kept=True)
    floor.send("state", state(FIRST, 40), kept=True)
    floor.send("state", state(FIRST, 41))
    assert floor.table.state == state(FIRST, 41)
    assert floor.repeats == []


def test_a_state_of_an_unknown_birth_is_not_shown_and_asked_for(floor: Receiver) -> None:
    floor.send("state", state(SECOND, 0))
    assert floor.table.state is None
    assert floor.repeats == [SECOND]
    floor.send("birth", birth(SECOND))
    floor.send("state", state(SECOND, 1), kept=True)
    assert floor.table.state is not None


def test_a_new_log_begins_without_stored_events(floor: Receiver) -> None:
    floor.send("birth", birth(FIRST))
    floor.send("position", StoredPosition(birth=FIRST, log=LOG, next=12))
    floor.send("position", StoredPosition(birth=FIRST, log=LOG, next=7))
    floor.send("position", StoredPosition(birth=FIRST, log=OTHER_LOG, next=99))
    assert floor.table.stored == 12
    floor.room.update(A1, contradiction="The log contradicts itself.")
    floor.send("birth", birth(SECOND))
    assert floor.table.stored == 12
    floor.send("birth", birth(SECOND, OTHER_LOG))
    assert (floor.table.stored, floor.table.contradiction) == (0, "")


def test_events_and_replies_that_the_broker_kept_are_forged(floor: Receiver) -> None:
    reply = Reply(birth=FIRST, key="pit", number=1, accepted=True, sentence="")
    floor.send("events", b"{}", kept=True)
    floor.send("reply", reply, kept=True)
    assert floor.counts.dropped["retained"] == 2
    assert not floor.intake.gather()
    floor.send("reply", reply)
    assert floor.replies == [reply]


@pytest.mark.parametrize(
    "topic",
    [
        "wallwright/1/other/a1/alive",
        "wallwright/2/club/a1/alive",
        "wallwright/1/club/a1",
        "wallwright/1/club/A1/alive",
        "wallwright/1/club/../alive",
        "wallwright/1/club/a1/request",
        "",
    ],
)
def test_messages_of_foreign_topics_are_dropped(floor: Receiver, topic: str) -> None:
    floor.messages.receive(Message(topic, encoded(Alive(online=True, birth=FIRST))))
    assert floor.counts.dropped["topic"] == 1
    assert len(floor.room) == 0


def test_a_table_that_floods_loses_its_own_messages_only(floor: Receiver) -> None:
    for _ in range(10_000):
        floor.send("state", b"{}")
    floor.send("birth", birth(FIRST), to=A2)
    assert floor.counts.dropped["flood"] == 10_000 - BURST
    assert floor.counts.messages["birth"] == 1
    floor.now += 1
    floor.send("birth", birth(FIRST))
    assert floor.counts.messages["birth"] == 2


def test_tables_beyond_the_limit_are_dropped() -> None:
    floor = Receiver(most_tables=1)
    floor.send("birth", birth(FIRST))
    for kind, payload in (
        ("birth", birth(FIRST)),
        ("alive", Alive(online=True, birth=FIRST)),
        ("state", state(FIRST, 0)),
        ("events", b"{}"),
    ):
        floor.send(kind, payload, to=A2)  # type: ignore[arg-type] # kinds
    assert floor.counts.dropped["too_many_tables"] == 4
    assert len(floor.room) == 1
    assert len(floor.intake.gather().births) == 1


def test_each_table_has_a_batch_stored_before_any_has_two() -> None:
    counts = FloorCounts()
    intake = Intake(counts.drop)
    for number in range(MOST_BATCHES + 3):
        intake.add_batch(WaitingBatch(A1, str(number).encode(), 0.0))
    intake.add_batch(WaitingBatch(A2, b"other", 0.0))
    assert counts.dropped["full"] == 3
    payloads = [batch.payload for batch in intake.gather().batches]
    assert payloads == [b"0", b"other", *(str(n).encode() for n in range(1, MOST_BATCHES))]
    assert intake.waiting_bytes == 0
    assert not intake.gather()


def test_waiting_batches_are_bounded_altogether(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.floor.server.storing.MOST_BYTES", 1000)
    monkeypatch.setattr("controller.floor.server.storing.GATHERED_BYTES", 400)
    counts = FloorCounts()
    intake = Intake(counts.drop)
    for number in range(20):
        intake.add_batch(WaitingBatch(TableAddress("club", f"t{number}"), b"x" * 100, 0.0))
    assert counts.dropped["full"] == 10
    sizes = []
    while gathered := intake.gather():
        sizes.append(len(gathered.batches))
    assert sizes == [4, 4, 2]


def test_waiting_ends_when_a_message_comes_and_after_the_time() -> None:
    async def wait() -> None:
        intake = Intake(lambda _: None)
        assert not await intake.wait(0.01)
        intake.add_birth(A1, birth(FIRST))
        assert await intake.wait(0.01)
        intake.gather()
        assert not await intake.wait(0.01)

    asyncio.run(wait())


def test_a_flood_limit_forgets_tables_that_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.floor.server.table_messages.MOST_KEYS", 4)
    limit = FloodLimit[int](rate=1.0, burst=2.0)
    assert [limit.admits(0, 0.0) for _ in range(3)] == [True, True, False]
    assert all(limit.admits(number, 0.0) for number in range(1, 9))
    assert [limit.admits(8, 0.0) for _ in range(2)] == [True, False]
    assert limit.admits(0, 100.0)


def test_a_table_whose_will_was_lost_with_the_broker_is_disconnected_after_its_silence(
    floor: Receiver,
) -> None:
    floor.send("alive", Alive(online=True, birth=FIRST))
    floor.send("birth", birth(FIRST))
    silence = SILENT * birth(FIRST).state_every
    floor.now = silence
    floor.messages.note_silence()
    assert floor.table.is_connected
    floor.now += 0.1
    floor.messages.note_silence()
    assert not floor.table.is_connected
    assert floor.table.changed_connection == NOW
    floor.send("birth", birth(FIRST), kept=True)
    assert not floor.table.is_connected
    floor.send("events", b"{}")
    assert floor.table.is_connected


def test_a_table_that_does_not_come_back_after_the_broker_is_disconnected_soon(
    floor: Receiver,
) -> None:
    for address in (A1, A2):
        floor.send("alive", Alive(online=True, birth=FIRST), to=address)
        floor.send("birth", birth(FIRST), to=address)
    floor.now = 1.0
    floor.messages.broker_connected()
    floor.now = 10.0
    floor.send("alive", Alive(online=True, birth=SECOND), to=A2)
    floor.now = 1.0 + GRACE + 0.1
    floor.messages.note_silence()
    assert not floor.table.is_connected
    other = floor.room.table(A2)
    assert other is not None and other.is_connected


def test_a_table_in_the_database_that_is_not_heard_after_the_start_is_shown_as_disconnected(
    floor: Receiver,
) -> None:
    floor.messages.expect([KnownTable(A1, "Table 1"), KnownTable(A2, "Table 2")])
    floor.now = 5.0
    floor.messages.broker_connected()
    floor.send("birth", birth(FIRST), to=A2)
    floor.now = 5.0 + GRACE
    floor.messages.note_silence()
    assert floor.room.table(A1) is None
    floor.now += 0.1
    floor.messages.note_silence()
    assert (floor.table.title, floor.table.is_connected) == ("Table 1", False)
    assert floor.table.changed_connection == NOW
    other = floor.room.table(A2)
    assert other is not None and other.birth is not None and not other.known_title
    floor.send("alive", Alive(online=True, birth=FIRST))
    assert floor.table.is_connected


def test_at_closing_time_no_table_that_is_switched_off_needs_a_person() -> None:
    """200 tables; three lose their power instead, and only these are shown as needing a person."""
    broker, floor = MemoryBroker(), Receiver(most_tables=200)
    addresses = [TableAddress("club", f"t{number:03}") for number in range(200)]
    powerless = {"t007", "t050", "t199"}

    async def take() -> None:
        async with broker.connect(Broker("broker", 1883), "floor") as connection:
            await connection.subscribe("wallwright/1/club/+/alive")
            await connection.subscribe("wallwright/1/club/+/birth")
            async for message in connection.messages():
                floor.messages.receive(message)

    async def evening() -> None:
        loop = asyncio.get_running_loop()
        taking = loop.create_task(take())
        tables = {
            address.table: TablePublisher(
                FloorSettings(address, address.table, Broker("broker", 1883)),
                FakeSource(0),
                connect=broker.connect,
            )
            for address in addresses
        }
        running = {name: loop.create_task(table.run()) for name, table in tables.items()}
        await asyncio.sleep(60)
        assert all(table.is_connected for table in floor.room)
        wills = [each for each in broker.connections if each.name[-4:] in powerless]
        for name in powerless:
            tables[name].end()  # ends the test's task; the broker has published the will before
        for connection in wills:
            connection.lose()
        for table in tables.values():
            table.end()
        await asyncio.gather(*running.values())
        await asyncio.sleep(60)
        taking.cancel()

    run(evening())
    conditions = {table.address.table: condition_of(table).name for table in floor.room}
    assert len(conditions) == 200
    assert {name for name, each in conditions.items() if each in NEEDS_A_PERSON} == powerless
    assert {conditions[name] for name in conditions.keys() - powerless} == {"switched_off"}


def test_a_table_that_is_switched_on_again_and_then_fails_needs_a_person(floor: Receiver) -> None:
    floor.send("alive", Alive(online=True, birth=FIRST))
    floor.send("birth", birth(FIRST))
    floor.send("alive", Alive(online=False, birth=FIRST, switched_off=True))
    assert condition_of(floor.table).name == "switched_off"
    floor.send("alive", Alive(online=True, birth=SECOND))
    floor.send("birth", birth(SECOND))
    floor.send("alive", Alive(online=False, birth=SECOND))
    assert condition_of(floor.table).name == "disconnected"


def test_a_floor_that_starts_later_sees_which_tables_were_switched_off(floor: Receiver) -> None:
    floor.send("alive", Alive(online=False, birth=FIRST, switched_off=True), kept=True)
    floor.send("birth", birth(FIRST), kept=True)
    assert condition_of(floor.table).name == "switched_off"


def test_a_retired_table_leaves_the_room_and_its_messages_are_counted_and_dropped(
    floor: Receiver,
) -> None:
    floor.send("birth", birth(FIRST))
    floor.room.apply(Roster(retired={A1: "Table 1"}), NOW)
    assert len(floor.room) == 0
    floor.send("alive", Alive(online=True, birth=SECOND))
    floor.send("birth", birth(SECOND))
    floor.send("state", state(SECOND, 0))
    floor.send("state", state(SECOND, 1))
    floor.send("state", state(SECOND, 1), kept=True)
    floor.send("events", b"{}")
    floor.messages.expect([KnownTable(A1, "Table 1")])
    floor.now += 2 * GRACE
    floor.messages.note_silence()
    assert len(floor.room) == 0
    assert floor.counts.dropped == {"retired": 6}
    assert floor.intake.gather().batches == ()
    assert floor.refused == [SECOND]  # answered once in a while, so that it stops


def test_a_table_that_comes_back_is_shown_as_disconnected_and_then_as_before(
    floor: Receiver,
) -> None:
    floor.room.apply(Roster(retired={A1: "Table 1"}), NOW)
    floor.room.apply(Roster(), NOW)
    assert condition_of(floor.table).name == "disconnected"
    assert floor.table.title == "Table 1"
    floor.send("birth", birth(SECOND))
    floor.send("alive", Alive(online=True, birth=SECOND))
    assert floor.table.is_connected


def test_a_renamed_table_shows_the_floors_title_in_place_of_its_own(floor: Receiver) -> None:
    floor.room.apply(Roster(labels={A1: "Window table"}), NOW)
    floor.send("birth", birth(FIRST))
    assert floor.table.title == "Window table"
    floor.room.apply(Roster(), NOW)
    assert floor.table.title == "Table 1"
