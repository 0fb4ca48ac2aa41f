"""What the floor answers: the stored position, and whether the table has to send events again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import UTC, datetime

from controller.floor.messages import Birth, Events, StoredPosition, TableAddress, encoded
from controller.floor.server.metrics import FloorCounts
from controller.floor.server.room import Room
from controller.floor.server.storing import Intake, Storing, WaitingBatch
from controller.floor.store.floor_store import FloorStore
from controller.web.api.worker_thread import WorkerThread
from tests.controller.floor.event_lines import BIRTH, batch_of, birth_of, lines_of, log_id
from tests.controller.floor.server.served_floor import SOON

A1 = TableAddress("club", "a1")
LINES = lines_of(20)


def answers_to(url: str, *messages: Birth | Events) -> list[tuple[int, bool]]:
    """Send messages of one table, each after the answer to the one before.

    Returns the position of each answer, and whether it asks for events again.
    """

    async def scene() -> list[StoredPosition]:
        answers: asyncio.Queue[StoredPosition] = asyncio.Queue()
        received: list[StoredPosition] = []

        async def note(_: TableAddress, position: StoredPosition) -> None:
            answers.put_nowait(position)

        counts, worker, store = FloorCounts(), WorkerThread("store"), FloorStore(url)
        intake = Intake(counts.drop)
        storing = Storing(
            store,
            worker,
            intake,
            Room("club"),
            counts,
            answer=note,
            wall=lambda: datetime.now(UTC),
        )
        await storing.open()
        task = asyncio.create_task(storing.run())
        for message in messages:
            if isinstance(message, Birth):
                intake.add_birth(A1, message)
            else:
                intake.add_batch(WaitingBatch(A1, encoded(message), 0.0))
            async with asyncio.timeout(SOON):
                received.append(await answers.get())
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        worker.close()
        store.close()
        return received

    return [(answer.next, answer.resend) for answer in asyncio.run(scene())]


def batch(first: int, end: int) -> Events:
    """A message with the events from `first` to before `end`."""
    return batch_of(LINES, first, end).events


def test_events_are_asked_for_again_if_earlier_ones_are_missing_and_not_if_they_come_twice(
    sqlite_url: str,
) -> None:
    assert answers_to(sqlite_url, batch(0, 5), batch(8, 9), batch(0, 5), batch(5, 8)) == [
        (5, False),
        (5, True),
        (5, False),
        (8, False),
    ]


def test_a_table_that_a_service_sees_for_the_first_time_sends_again_what_may_be_lost(
    sqlite_url: str,
) -> None:
    birth = birth_of(BIRTH, log_id(LINES))
    assert answers_to(sqlite_url, birth, batch(0, 5), birth) == [(0, True), (5, False), (5, True)]
