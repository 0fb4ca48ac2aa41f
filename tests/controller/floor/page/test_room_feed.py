from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigErrors
from controller.floor.messages import TableAddress
from controller.floor.page import room_feed
from controller.floor.page.room_feed import (
    RoomFeed,
    RoomPlan,
    RoomStream,
    TooManyWatchersError,
    condition_of,
    load_plan,
    table_view,
)
from controller.floor.server.room import RoomTable
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import open_accounts, utc_seconds
from tests.controller.floor.figures.stored_logs import NOON, happened
from tests.controller.floor.page.fake_floor import (
    NOW,
    FakeFloor,
    a_state,
    birth,
    fake_floor,
    minutes_ago,
)
from tests.controller.web.api.served import CHEAP, PASSWORD

PATIENCE = 30.0
"""Real seconds after which news that do not arrive are a defect."""
FAULT = {
    "code": "LIFT",
    "part": "lift 2",
    "evidence": "stuck",
    "cure": "Look.",
    "role": "technician",
    "since": minutes_ago(5),
}
STAFF_NEED = {"who": "attendant", "sentence": "Clear the jam.", "since": minutes_ago(3)}
PLAYER_NEED = {"who": "player", "sentence": "Choose the cut.", "since": minutes_ago(1)}


def table(is_connected: bool = True, contradiction: str = "", **state: Any) -> RoomTable:
    return RoomTable(
        TableAddress("main", "t1"),
        is_connected,
        NOON,
        birth("Table 1"),
        a_state(**state),
        contradiction=contradiction,
    )


@pytest.mark.parametrize(
    ("shown", "condition", "who", "since"),
    [
        (table(), "playing", "", ""),
        (table(fault=FAULT, needs=[STAFF_NEED]), "fault", "technician", minutes_ago(5)),
        (table(needs=[PLAYER_NEED, STAFF_NEED]), "help", "attendant", minutes_ago(3)),
        (table(needs=[PLAYER_NEED]), "waiting", "player", minutes_ago(1)),
        (table(False, fault=FAULT), "disconnected", "", minutes_ago(120)),
        (table(contradiction="The log contradicts itself."), "log", "technician", ""),
        (table(mode="paused"), "paused", "", ""),
        (table(service="service_mode"), "service", "", ""),
        (table(service="fault"), "fault", "attendant", ""),
        (table(service="idle", out_of_play=True), "out_of_play", "", ""),
        (table(service="idle"), "idle", "", ""),
        (RoomTable(TableAddress("main", "t1")), "new", "", ""),
        (RoomTable(TableAddress("main", "t1"), True), "new", "", ""),
    ],
)
def test_the_condition_says_who_is_needed_and_since_when(
    shown: RoomTable, condition: str, who: str, since: str
) -> None:
    found = condition_of(shown)
    assert (found.name, found.who, found.since) == (condition, who, since)
    assert json.loads(json.dumps(table_view(shown)))["condition"] == condition


def with_feed(folder: Path, test: Callable[[FakeFloor, RoomFeed], Awaitable[None]]) -> None:
    async def run() -> None:
        floor = fake_floor(folder)
        feed = RoomFeed(floor, RoomPlan(), lambda: NOW)
        feed.start()
        try:
            await test(floor, feed)
        finally:
            await feed.close()
            floor.worker.close()
            floor.engine.dispose()

    asyncio.run(run())


async def woken(watcher: room_feed.RoomWatcher) -> None:
    async with asyncio.timeout(PATIENCE):
        await watcher.wake.wait()


def test_a_watcher_that_reads_slowly_gets_each_table_once_in_its_newest_state(
    tmp_path: Path,
) -> None:
    async def test(floor: FakeFloor, feed: RoomFeed) -> None:
        with feed.watch() as watcher:
            await asyncio.sleep(0)
            for rounds in range(1000):
                floor.show("t1", birth=birth("Table 1"), state=a_state(rounds=rounds))
                floor.show("t2", birth=birth("Table 2"))
                await asyncio.sleep(0)
            await woken(watcher)
            assert len(watcher.tables) == 2
            news = json.loads(feed.news(watcher))
            assert [each["name"] for each in news["tables"]] == ["t1", "t2"]
            assert news["tables"][0]["state"]["rounds"] == 999
            assert json.loads(feed.news(watcher))["tables"] == []

    with_feed(tmp_path, test)


def test_new_alarms_reach_a_watcher_soon_after_their_events_are_stored(tmp_path: Path) -> None:
    async def test(floor: FakeFloor, feed: RoomFeed) -> None:
        await feed.read_alarms()
        with feed.watch() as watcher:
            floor.store("t1", [happened(5, "fault", code="LIFT", part="lift 2")])
            floor.show("t1", stored=1)
            async with asyncio.timeout(PATIENCE):
                while not watcher.alarms:
                    await woken(watcher)
                    watcher.wake.clear()
            (alarm,) = json.loads(feed.news(watcher))["alarms"]
            assert (alarm["table"], alarm["kind"], alarm["code"]) == ("t1", "fault", "LIFT")

    with_feed(tmp_path, test)


def test_a_database_that_fails_is_logged_once_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(room_feed, "ALARMS_EVERY", 0.01)

    async def test(floor: FakeFloor, feed: RoomFeed) -> None:
        await feed.read_alarms()
        most, floor.worker._most = floor.worker._most, 0
        floor.store("t1", [happened(5, "fault", code="LIFT", part="lift 2")])
        floor.show("t1", stored=1)
        await asyncio.sleep(0.3)
        assert feed.alarms == ()
        floor.worker._most = most
        async with asyncio.timeout(PATIENCE):
            while not feed.alarms:  # noqa: ASYNC110 - the list has no event
                await asyncio.sleep(0.01)

    with_feed(tmp_path, test)
    assert [each.getMessage().partition(":")[0] for each in caplog.records] == [
        "Alarms cannot be read"
    ]


def test_alarms_of_another_floor_in_the_same_database_are_not_shown(tmp_path: Path) -> None:
    async def test(floor: FakeFloor, feed: RoomFeed) -> None:
        floor.store("t1", [happened(5, "fault", code="LIFT", part="lift 2")])
        with floor.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE tables SET floor = 'other'")
        await feed.read_alarms()
        assert feed.alarms == ()

    with_feed(tmp_path, test)


def test_the_number_of_watchers_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_feed, "MOST_WATCHERS", 1)

    async def test(floor: FakeFloor, feed: RoomFeed) -> None:
        with feed.watch(), pytest.raises(TooManyWatchersError), feed.watch():
            pass

    with_feed(tmp_path, test)


def stream_until(
    folder: Path,
    act: Callable[[FakeFloor, list[str]], Awaitable[None]],
    delay: float = 0.0,
    *,
    ends: str = "page",
) -> list[str]:
    """Stream the room to a page, and return its messages; `delay` is what each of them takes.

    The stream has to end because of the `page`, of its `login`, or of the `floor` itself.
    """
    sent: list[str] = []

    async def test(floor: FakeFloor, feed: RoomFeed) -> None:
        accounts = await open_accounts(folder, utc_seconds, CHEAP)
        await accounts.add_user("ann", UserRole.DEALER, PASSWORD)
        _, identity = await accounts.login("ann", PASSWORD, "10.0.0.1")
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message.get("body"):
                sent.append(message["body"].decode())
                await asyncio.sleep(delay)

        stream = RoomStream(feed, accounts, identity)
        task = asyncio.ensure_future(stream({"type": "http"}, receive, send))
        try:
            await act(floor, sent)
            if ends == "login":
                await accounts.delete_user("ann")
            elif ends == "page":
                gone.set()
            async with asyncio.timeout(PATIENCE):
                await task
        finally:
            task.cancel()
            await accounts.close()

    with_feed(folder, test)
    return sent


def data_of(message: str) -> dict[str, Any]:
    assert message.startswith("data: ") and message.endswith("\n\n")
    value: dict[str, Any] = json.loads(message[6:])
    return value


async def messages(sent: list[str], number: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(sent) < number:  # noqa: ASYNC110 - the list has no event
            await asyncio.sleep(0.01)


def test_the_stream_begins_with_the_room_and_goes_on_with_what_changes(tmp_path: Path) -> None:
    async def act(floor: FakeFloor, sent: list[str]) -> None:
        await messages(sent, 1)
        floor.show("t1", birth=birth('Table "1"\n\ndata: x'))
        await messages(sent, 2)

    first, second, *_ = stream_until(tmp_path, act)
    assert data_of(first)["type"] == "room"
    assert data_of(second)["tables"][0]["title"] == 'Table "1"\n\ndata: x'


def test_the_stream_repeats_the_time_when_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_feed, "HEARTBEAT", 0.3)

    async def act(floor: FakeFloor, sent: list[str]) -> None:
        await messages(sent, 3)

    assert data_of(stream_until(tmp_path, act)[2])["tables"] == []


def test_the_stream_ends_with_the_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_feed, "HEARTBEAT", 0.3)

    async def act(floor: FakeFloor, sent: list[str]) -> None:
        await messages(sent, 1)

    stream_until(tmp_path, act, ends="login")


def test_a_page_that_takes_a_message_too_slowly_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_feed, "SENDING", 0.1)

    async def act(floor: FakeFloor, sent: list[str]) -> None:
        await messages(sent, 1)

    assert len(stream_until(tmp_path, act, delay=60.0, ends="floor")) == 1


def test_a_plan_with_a_wrong_place_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("tables:\n  t1: [0, 0]\n  t2: [1, -1]\n")
    with pytest.raises(ConfigErrors, match="3"):
        load_plan(file)
    file.write_text("tables:\n  t1: [4, 2]\n")
    assert load_plan(file).tables == {"t1": (4, 2)}
