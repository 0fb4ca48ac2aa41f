"""A table stays connected to its floor: births, states, events and requests, in virtual time."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from controller.floor.broker import Broker
from controller.floor.discovery import REPEAT
from controller.floor.messages import (
    Alive,
    Birth,
    Cosignature,
    Events,
    Kind,
    LogHead,
    Reply,
    Request,
    State,
    StoredPosition,
    TableAddress,
    address_and_kind,
    encoded,
    parsed,
    signed,
)
from controller.floor.settings import FloorSettings, RequestKey
from controller.floor.table.outbox import ASK_EVERY, LONGEST_RESEND
from controller.floor.table.publisher import LONGEST, TablePublisher
from controller.floor.table.session import EVERY, FLOOR_ANSWERS, LAST_EVENTS, STATE_EVERY
from controller.records.audit.notes import COSIGNATURE, Checkpoint, SignedNote, SigningKey
from controller.records.audit.tree import leaf_hash
from firmware_bridge.sim.clock import run
from tests.controller.floor.memory_broker import MemoryBroker
from tests.controller.floor.table.fake_source import FakeSource

T07 = TableAddress("main", "t07")
PIT, STRANGER = SigningKey("pit", b"p" * 32), SigningKey("pit", b"s" * 32)
SETTINGS = FloorSettings(
    T07,
    "Table 7",
    Broker("broker", 1883),
    keys=(RequestKey(PIT.public, "attendant", frozenset({"take_out_of_play"})),),
)


class PlainFloor:
    """A floor that stores what continues its events, and answers each message."""

    def __init__(self, broker: MemoryBroker) -> None:
        self.lines: list[str] = []
        self.broker = broker
        self.is_answering = True
        self.birth: Birth | None = None

    async def run(self) -> None:
        """Take messages until cancelled; connect again after a loss."""
        while True:
            with suppress(Exception):
                async with self.broker.connect(SETTINGS.broker, "floor") as connection:
                    for kind in ("birth", "events"):
                        await connection.subscribe(f"wallwright/1/main/+/{kind}")
                    async for message in connection.messages():
                        _, kind_of = address_and_kind(message.topic)
                        if kind_of == "birth":
                            self.birth = parsed(Birth, message.payload)
                        elif self.is_answering:
                            self._take(parsed(Events, message.payload))
            await asyncio.sleep(1.0)

    def _take(self, events: Events) -> None:
        have = len(self.lines)
        if events.first <= have:
            if events.first and events.first == have:
                assert events.before == leaf_hash(self.lines[-1].encode()).hex()
            self.lines += events.lines[have - events.first :]
        position = StoredPosition(
            birth=events.birth, log=events.log, next=len(self.lines), resend=events.first > have
        )
        self.broker.publish(T07.topic("position"), encoded(position))


Scene = Callable[[MemoryBroker, PlainFloor, FakeSource], Awaitable[None]]


def on_a_floor(
    scene: Scene,
    broker: MemoryBroker | None = None,
    lines: int = 0,
    settings: FloorSettings = SETTINGS,
) -> None:
    """Run a table and a floor until the scene ends."""

    async def main() -> None:
        present = MemoryBroker() if broker is None else broker
        source, floor = FakeSource(lines), PlainFloor(present)
        publisher = TablePublisher(settings, source, connect=present.connect)
        tasks = [asyncio.create_task(each) for each in (floor.run(), publisher.run())]
        try:
            await scene(present, floor, source)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    run(main())


def of_kind(broker: MemoryBroker, kind: Kind) -> list[bytes]:
    """Return the payloads of the table's messages of one kind."""
    return [each.payload for each in broker.published if each.topic == T07.topic(kind)]


def test_a_table_announces_itself_and_its_events_reach_the_floor_in_order() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(5)
        source.add(7)
        await asyncio.sleep(3)
        assert floor.lines == source.lines
        assert parsed(Alive, broker.retained[T07.topic("alive")]).online
        birth = parsed(Birth, broker.retained[T07.topic("birth")])
        assert (birth.title, birth.simulated) == ("Table 7", True)
        assert birth.log == leaf_hash(source.lines[0].encode()).hex()

    on_a_floor(scene, lines=1200)


def test_a_table_in_play_sends_at_most_one_message_a_second() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        for number in range(600):
            await asyncio.sleep(0.1)
            source.shown = source.shown.model_copy(update={"rounds": number})
            source.add(1)
        await asyncio.sleep(5)
        assert floor.lines == source.lines
        times = [
            each.at
            for each in broker.published
            if address_and_kind(each.topic)[1] in {"state", "events"}
        ]
        gaps = [after - before for before, after in pairwise(times)]
        assert min(gaps) >= EVERY
        states = [parsed(State, payload) for payload in of_kind(broker, "state")]
        assert [state.sequence for state in states] == list(range(len(states)))
        assert states[-1].rounds == 599

    on_a_floor(scene)


def test_an_idle_table_repeats_its_state_every_20_seconds() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(10 * STATE_EVERY + 5)
        assert len(of_kind(broker, "state")) == 11
        assert not of_kind(broker, "events")

    on_a_floor(scene)


def test_a_table_without_a_network_sends_everything_when_it_is_back() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        source.add(10)
        await asyncio.sleep(5)
        broker.is_down = True
        broker.lose_connections()
        assert not parsed(Alive, broker.retained[T07.topic("alive")]).online
        for _ in range(3600):
            await asyncio.sleep(1)
            source.add(2)
        assert len(floor.lines) == 10
        broker.is_down = False
        await asyncio.sleep(LONGEST + EVERY)
        assert len(of_kind(broker, "birth")) == 2
        await asyncio.sleep(60)
        assert floor.lines == source.lines
        births = {parsed(Birth, payload).birth for payload in of_kind(broker, "birth")}
        assert len(births) == 2

    on_a_floor(scene)


@pytest.mark.parametrize("seed", range(5))
def test_every_event_is_stored_once_with_lost_and_repeated_messages(seed: int) -> None:
    broker = MemoryBroker(loss=0.3, repetition=0.2)
    broker.chance.seed(seed)

    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        for number in range(300):
            await asyncio.sleep(1)
            source.add(2)
            floor.is_answering = not 100 <= number < 140
            if number % 70 == 50:
                broker.lose_connections()
        broker.loss = 0.0
        await asyncio.sleep(200)
        assert floor.lines == source.lines

    on_a_floor(scene, broker)


def test_a_log_that_cannot_be_read_is_read_again_and_nothing_is_left_out() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        source.failure = "The audit log cannot be used."
        source.add(3)
        await asyncio.sleep(60)
        assert not floor.lines
        assert of_kind(broker, "state")
        source.failure = None
        await asyncio.sleep(20)
        assert floor.lines == source.lines
        assert floor.birth is not None and floor.birth.log is not None

    on_a_floor(scene)


def test_a_floor_that_missed_a_birth_gets_it_again_at_most_once_a_second() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(5)
        assert floor.birth is not None
        again = StoredPosition(birth=floor.birth.birth, log=None, next=0, again=True)
        for _ in range(100):
            broker.publish(T07.topic("position"), encoded(again))
            await asyncio.sleep(0.05)
        assert 2 <= len(of_kind(broker, "birth")) <= 8

    on_a_floor(scene)


def test_a_retired_table_sends_no_events_leaves_home_assistant_and_goes_on_when_taken_back() -> (
    None
):
    settings = replace(SETTINGS, discovery=True)

    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        def answer(*, retired: bool) -> None:
            assert floor.birth is not None
            position = StoredPosition(birth=floor.birth.birth, log=None, next=0, retired=retired)
            broker.publish(T07.topic("position"), encoded(position))

        def entities() -> list[bytes]:
            return [each for topic, each in broker.retained.items() if "/config" in topic]

        await asyncio.sleep(5)
        assert all(entities())
        answer(retired=True)
        await asyncio.sleep(5)
        assert not any(entities())
        source.add(7)
        before = len(of_kind(broker, "events"))
        await asyncio.sleep(2 * REPEAT)
        assert len(of_kind(broker, "events")) == before
        assert not any(entities())
        assert of_kind(broker, "state")  # the floor answers them
        answer(retired=False)
        await asyncio.sleep(10)
        assert floor.lines == source.lines
        assert all(entities())

    on_a_floor(scene, lines=3, settings=settings)


def test_a_table_reports_that_the_floor_has_retired_it() -> None:
    reports: list[str | None] = []

    async def main() -> None:
        broker = MemoryBroker()
        publisher = TablePublisher(
            SETTINGS,
            FakeSource(3),
            connect=broker.connect,
            connection_changed=reports.append,
        )
        task = asyncio.create_task(publisher.run())
        await asyncio.sleep(1)
        birth = parsed(Birth, broker.retained[T07.topic("birth")]).birth
        for retired in (True, True, False):
            position = StoredPosition(birth=birth, log=None, next=0, retired=retired)
            broker.publish(T07.topic("position"), encoded(position))
            await asyncio.sleep(FLOOR_ANSWERS)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(main())
    first, *others = reports
    assert first is not None and "The floor main has retired the table t07" in first
    assert others == [None]


def test_a_floor_that_does_not_answer_is_reported_once_and_its_first_answer_too() -> None:
    """A broker passes nothing on from a table whose certificate has another name."""
    reports: list[str | None] = []

    async def main() -> None:
        broker = MemoryBroker()
        publisher = TablePublisher(
            SETTINGS, FakeSource(1), connect=broker.connect, connection_changed=reports.append
        )
        publishing = asyncio.create_task(publisher.run())
        await asyncio.sleep(FLOOR_ANSWERS - 1)
        assert not reports
        await asyncio.sleep(300)
        (silence,) = reports
        assert silence is not None and "the floor main does not answer" in silence
        floor = asyncio.create_task(PlainFloor(broker).run())
        await asyncio.sleep(LONGEST_RESEND + 2)
        assert reports == [silence, None]
        broker.is_down = True
        broker.lose_connections()
        await asyncio.sleep(300)
        assert reports[2:] == ["The connection is lost.", "The broker is down."]
        for task in (publishing, floor):
            task.cancel()
        await asyncio.gather(publishing, floor, return_exceptions=True)

    run(main())


def test_a_table_announces_itself_to_home_assistant_every_day_if_its_file_says_so() -> None:
    def announcements(broker: MemoryBroker) -> int:
        return sum(each.topic.startswith("homeassistant/") for each in broker.published)

    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(5)
        first = announcements(broker)
        assert first > 5
        await asyncio.sleep(REPEAT + STATE_EVERY)
        assert announcements(broker) == 2 * first

    async def without(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(5)
        assert not announcements(broker)

    on_a_floor(scene, settings=replace(SETTINGS, discovery=True))
    on_a_floor(without)


async def replies_to(
    broker: MemoryBroker, floor: PlainFloor, *requests: Request
) -> list[tuple[bool, str]]:
    for request in requests:
        broker.publish(T07.topic("request"), encoded(request))
    await asyncio.sleep(1)
    replies = [parsed(Reply, payload) for payload in of_kind(broker, "reply")]
    return [(reply.accepted, reply.sentence) for reply in replies]


def request_of(floor: PlainFloor, number: int = 1, name: str = "take_out_of_play") -> Request:
    assert floor.birth is not None
    plain = Request(
        birth=floor.birth.birth,
        number=number,
        at="2026-01-02T03:04:05.678Z",
        name=name,
        arguments={},
        who="Mei",
        role="attendant",
        key="",
        signature="",
    )
    return signed(plain, T07, PIT)


def test_a_signed_request_reaches_the_table_once_with_the_role_of_its_key() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(3)
        request = request_of(floor)
        replies = await replies_to(broker, floor, request, request, request)
        assert replies == [(True, "The table is out of play.")]
        assert source.requests == [("take_out_of_play", "Mei", "attendant")]

    on_a_floor(scene)


def test_a_request_that_the_table_does_not_permit_is_refused_with_a_sentence() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(3)
        ((accepted, sentence),) = await replies_to(broker, floor, request_of(floor, name="home"))
        assert not accepted
        assert "may not request 'home'; this table permits it take_out_of_play" in sentence
        assert not source.requests

    on_a_floor(scene)


def test_forged_old_and_foreign_requests_get_no_reply() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(3)
        good = request_of(floor, number=5)
        changed = good.model_copy(update={"name": "put_in_play"})
        by_stranger = signed(good, T07, STRANGER)
        for_another_table = signed(good, TableAddress("main", "t08"), PIT)
        of_an_old_birth = signed(good.model_copy(update={"birth": "0" * 32}), T07, PIT)
        noise = good.model_copy(update={"signature": base64.b64encode(b"x" * 64).decode()})
        unknown = good.model_copy(update={"key": "another"})
        forged = (changed, by_stranger, for_another_table, of_an_old_birth, noise, unknown)
        assert not await replies_to(broker, floor, *forged)
        broker.publish(T07.topic("request"), b"{" * 300_000)
        broker.publish(T07.topic("position"), b"\xff")
        assert len(await replies_to(broker, floor, good, request_of(floor, number=4))) == 1
        broker.lose_connections()
        await asyncio.sleep(30)
        assert len(await replies_to(broker, floor, good)) == 1

    on_a_floor(scene)


WITNESS, OTHER = (SigningKey("floor-main/witness", each * 32, COSIGNATURE) for each in (b"w", b"o"))
WITNESSED = replace(SETTINGS, witness=WITNESS.public)


def cosign(broker: MemoryBroker, key: SigningKey) -> None:
    """Cosign the last head that the table has sent."""
    head = parsed(LogHead, of_kind(broker, "head")[-1])
    line = key.cosignature(Checkpoint.parsed(SignedNote.parsed(head.note).text), 1_800_000_000)
    cosignature = Cosignature(birth=head.birth, log=head.log, line=str(line))
    broker.publish(T07.topic("cosignature"), encoded(cosignature))


def test_the_floor_is_asked_to_cosign_a_head_every_five_minutes_after_it_has_stored_it() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        floor.is_answering = False
        await asyncio.sleep(30)
        assert not of_kind(broker, "head"), "the floor has stored nothing"
        floor.is_answering = True
        await asyncio.sleep(40)
        (first,) = of_kind(broker, "head")
        assert SignedNote.parsed(parsed(LogHead, first).note).text.splitlines()[1] == "12"
        cosign(broker, WITNESS)
        await asyncio.sleep(2 * ASK_EVERY)
        (kept,) = source.cosigned
        assert kept.signature_of(WITNESS.public) is not None
        assert len(of_kind(broker, "head")) == 1, "no new event needs a cosignature"
        source.add(3)
        await asyncio.sleep(40)
        assert len(of_kind(broker, "head")) == 2
        broker.lose_connections()
        source.add(3)
        await asyncio.sleep(ASK_EVERY / 2)
        assert len(of_kind(broker, "head")) == 2, "a new connection is no reason to ask"
        await asyncio.sleep(ASK_EVERY)
        assert len(of_kind(broker, "head")) == 3

    on_a_floor(scene, lines=12, settings=WITNESSED)


def test_a_cosignature_of_another_key_or_connection_is_not_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(40)
        cosign(broker, OTHER)
        await asyncio.sleep(5)
        assert "Compare `witness` in the table's floor file" in caplog.text
        head = parsed(LogHead, of_kind(broker, "head")[-1])
        for line in ("", "no line", "\N{EM DASH} a !"):
            damaged = Cosignature(birth=head.birth, log=head.log, line=line)
            broker.publish(T07.topic("cosignature"), encoded(damaged))
        for changed in ({"birth": "f" * 32}, {"log": "f" * 64}):
            line = WITNESS.cosignature(Checkpoint.parsed(SignedNote.parsed(head.note).text), 1)
            other = Cosignature(birth=head.birth, log=head.log, line=str(line))
            broker.publish(T07.topic("cosignature"), encoded(other.model_copy(update=changed)))
        await asyncio.sleep(5)
        assert not source.cosigned
        cosign(broker, WITNESS)
        cosign(broker, WITNESS)
        await asyncio.sleep(5)
        assert len(source.cosigned) == 1

    on_a_floor(scene, lines=12, settings=WITNESSED)


def test_a_table_without_the_floors_key_asks_for_no_cosignature() -> None:
    async def scene(broker: MemoryBroker, floor: PlainFloor, source: FakeSource) -> None:
        await asyncio.sleep(2 * ASK_EVERY)
        assert not of_kind(broker, "head")

    on_a_floor(scene, lines=12)


def switched_off(
    broker: MemoryBroker, *, answers: bool = True, is_down: bool = False
) -> tuple[list[str], list[str], float]:
    """Switch a table off that has sent 3 events, just after it has written the last one.

    Returns the events that the floor has, those of the table, and the seconds until the end.
    """
    found: list[tuple[list[str], list[str], float]] = []

    async def main() -> None:
        source, floor = FakeSource(3), PlainFloor(broker)
        publisher = TablePublisher(SETTINGS, source, connect=broker.connect)
        tasks = [asyncio.create_task(each) for each in (floor.run(), publisher.run())]
        await asyncio.sleep(10)
        floor.is_answering = answers
        if is_down:
            broker.is_down = True
            broker.lose_connections()
        begun = asyncio.get_running_loop().time()
        source.add(1)
        publisher.end()
        await tasks[1]
        tasks[0].cancel()
        took = asyncio.get_running_loop().time() - begun
        found.append((floor.lines, source.lines, took))

    run(main())
    return found[0]


def test_a_table_that_is_switched_off_sends_its_last_event_and_says_so() -> None:
    broker = MemoryBroker()
    stored, written, took = switched_off(broker)
    assert len(written) == 4
    assert stored == written
    assert took < LAST_EVENTS
    last = parsed(Alive, broker.retained[T07.topic("alive")])
    assert (last.online, last.switched_off) == (False, True)


def test_a_table_is_switched_off_in_seconds_beside_a_floor_that_does_not_answer() -> None:
    broker = MemoryBroker()
    stored, _, took = switched_off(broker, answers=False)
    assert len(stored) == 3
    assert took < LAST_EVENTS + EVERY
    assert parsed(Alive, broker.retained[T07.topic("alive")]).switched_off


def test_a_table_without_a_network_is_switched_off_at_once() -> None:
    broker = MemoryBroker()
    _, _, took = switched_off(broker, is_down=True)
    assert took < EVERY
    assert not parsed(Alive, broker.retained[T07.topic("alive")]).switched_off
