"""The monitor's connection: it resumes, notices silence, and gives up only if it is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from controller.cli.monitor import stream_reader
from controller.cli.monitor.stream_reader import (
    BadAddressError,
    MonitorRefusedError,
    StreamReader,
    parse_address,
)
from tests.controller.cli.monitor.fake_stream import TOKEN, FakeStream
from tests.controller.cli.monitor.statuses import PLAYING, as_json

NOT_UNDERSTOOD = "the service sent a message that is not understood"

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No connection is lost only because a busy computer is late."""
    assert stream_reader.SILENCE == 2.0
    monkeypatch.setattr(stream_reader, "SILENCE", 60.0)


@asynccontextmanager
async def reading(fake: FakeStream) -> AsyncIterator[tuple[StreamReader, Until]]:
    changed = asyncio.Event()

    def on_change() -> None:
        if reader.view.connection == "lost":
            fake.losses.append(reader.view.why)
        changed.set()

    reader = StreamReader(parse_address(fake.address), TOKEN, on_change)
    task = asyncio.create_task(reader.run())

    async def until(reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(120):
            while not reached():
                await changed.wait()
                changed.clear()

    try:
        yield reader, until
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def played(scenario: Callable[[FakeStream, StreamReader, Until], Awaitable[None]]) -> None:
    async def run(fake: FakeStream) -> None:
        async with reading(fake) as (reader, until):
            await until(lambda: reader.view.status is not None)
            await scenario(fake, reader, until)

    with FakeStream(as_json(PLAYING)) as fake:
        asyncio.run(run(fake))


async def off(work: Callable[[], object]) -> None:
    await asyncio.get_running_loop().run_in_executor(None, work)


def test_a_change_is_merged_into_the_status() -> None:
    async def scenario(fake: FakeStream, reader: StreamReader, until: Until) -> None:
        await off(lambda: fake.publish(tiles={"expected": 272, "accounted": 270}))
        await until(lambda: reader.view.sequence == 8)
        assert reader.view.status is not None
        assert reader.view.status == fake.status
        assert reader.view.status["tiles"]["accounted"] == 270

    played(scenario)


def test_after_a_dropped_connection_the_reader_resumes_from_its_last_change() -> None:
    async def scenario(fake: FakeStream, reader: StreamReader, until: Until) -> None:
        await off(lambda: fake.publish(tiles={"expected": 272, "accounted": 271}))
        await until(lambda: reader.view.sequence == 8)
        await off(fake.drop)
        await until(lambda: "the connection was closed" in fake.losses)
        await until(lambda: reader.view.connection == "connected")
        assert fake.requests[-1] == {"client": ["monitor"], "run": ["run1"], "since": ["8"]}
        assert reader.view.status == fake.status

    played(scenario)


@pytest.mark.slow
def test_a_silent_connection_counts_as_lost_after_two_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another program can delay the reader, so a time that is too long is measured again."""
    monkeypatch.setattr(stream_reader, "SILENCE", 2.0)

    async def scenario(fake: FakeStream, reader: StreamReader, until: Until) -> None:
        for _ in range(20):
            fake.is_silent = True
            await until(lambda: reader.view.connection == "lost")
            seconds = reader.view.since - reader.view.received
            assert seconds > 1.9
            if seconds < 2.2:
                break
            fake.is_silent = False
            await until(lambda: reader.view.connection == "connected")
        assert seconds < 2.2
        assert reader.view.why == "nothing was received for 2 s"

    played(scenario)


def test_a_missing_change_makes_the_reader_ask_for_a_snapshot() -> None:
    async def scenario(fake: FakeStream, reader: StreamReader, until: Until) -> None:
        tried = len(fake.requests)
        fake.sequence = 30
        gap = {"type": "delta", "sequence": 30, "patch": {"tiles": {"accounted": 1}}}
        await off(lambda: fake.send(gap))
        await until(lambda: NOT_UNDERSTOOD in fake.losses)
        await until(lambda: reader.view.status is not None)
        assert "since" not in fake.requests[tried]
        assert reader.view.sequence == 30
        assert reader.view.status == fake.status

    played(scenario)


@pytest.mark.parametrize(
    "message",
    [{"type": "delta", "sequence": "x", "patch": {}}, {"no": "type"}, {"type": "snapshot"}],
)
def test_a_message_that_is_not_understood_ends_the_connection_only(message: dict[str, str]) -> None:
    async def scenario(fake: FakeStream, reader: StreamReader, until: Until) -> None:
        await off(lambda: fake.send(message))
        await until(lambda: NOT_UNDERSTOOD in fake.losses)
        await until(lambda: reader.view.connection == "connected")
        assert reader.view.status == fake.status

    played(scenario)


def test_a_refused_token_ends_the_monitor_with_the_next_step() -> None:
    async def refused(fake: FakeStream) -> None:
        reader = StreamReader(parse_address(fake.address), "another", lambda: None)
        await reader.run()

    with (
        FakeStream(as_json(PLAYING)) as fake,
        pytest.raises(MonitorRefusedError, match=r"refuses the token .*--token-file"),
    ):
        asyncio.run(refused(fake))


@pytest.mark.parametrize(
    ("text", "address", "local"),
    [
        ("tablehost", "http://tablehost:8080", False),
        ("127.0.0.1:9000", "http://127.0.0.1:9000", True),
        ("https://table.example", "https://table.example:443", False),
        ("http://[::1]:8080/", "http://[::1]:8080", True),
        ("localhost", "http://localhost:8080", True),
    ],
)
def test_an_address_is_read_as_people_type_it(text: str, address: str, local: bool) -> None:
    found = parse_address(text)
    assert (str(found), found.is_local) == (address, local)


@pytest.mark.parametrize("text", ["", "ftp://table", "http://", "table:port", "http://a/panel"])
def test_a_bad_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadAddressError, match="is not the address of a service; give one such as"):
        parse_address(text)
