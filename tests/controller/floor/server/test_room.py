"""Tests the present state of a floor's tables and the subscription to its changes."""

from __future__ import annotations

import asyncio

import pytest

from controller.floor.messages import TableAddress
from controller.floor.server import room as room_module
from controller.floor.server.room import Room, TooManyFollowersError

FIRST, SECOND = TableAddress("club", "a1"), TableAddress("club", "a2")


def test_a_table_that_connects_appears_in_the_room_under_its_name() -> None:
    room = Room("club")
    room.update(SECOND, is_connected=True)
    room.update(FIRST, stored=5)
    assert [table.address for table in room.view().tables] == [FIRST, SECOND]
    assert room.view().tables[1].title == "a2"
    assert room.table(TableAddress("club", "a3")) is None


def test_a_slow_page_receives_each_tables_newest_state_once() -> None:
    async def follow() -> None:
        room = Room("club")
        with room.follow() as changes:
            for stored in range(1000):
                room.update(FIRST, stored=stored)
            room.update(SECOND, is_connected=True)
            change = await changes.next()
            assert [(table.address, table.stored) for table in change.tables] == [
                (FIRST, 999),
                (SECOND, 0),
            ]
            room.update(FIRST, stored=999)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await changes.next()

    asyncio.run(follow())


def test_a_page_is_informed_when_the_broker_or_the_database_fails() -> None:
    async def follow() -> None:
        room = Room("club")
        with room.follow() as changes:
            room.change(broker=True, database=True)
            change = await changes.next()
            assert change.is_broker_connected
            room.change(database=False)
            change = await changes.next()
            assert (change.is_broker_connected, change.is_database_available) == (True, False)

    asyncio.run(follow())


def test_a_room_has_a_limited_number_of_tables_and_of_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room_module, "MOST_FOLLOWERS", 1)
    room = Room("club", most_tables=1)
    assert room.update(FIRST) is not None
    assert room.update(SECOND) is None
    assert room.update(FIRST, stored=3) is not None
    with room.follow(), pytest.raises(TooManyFollowersError, match="close one"), room.follow():
        pass
    with room.follow():
        pass
