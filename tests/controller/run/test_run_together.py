"""Coroutines side by side: a failure cancels the others, and a cancellation is never lost."""

from __future__ import annotations

import asyncio

import pytest

from controller.run.run_together import end_task, run_together
from firmware_bridge.sim.clock import run


class JamError(Exception):
    """A failure of one of the works."""


async def jam_at(seconds: float) -> None:
    await asyncio.sleep(seconds)
    raise JamError


def test_a_failure_ends_the_other_work_and_stops_its_motor() -> None:
    stopped: list[str] = []

    async def stop() -> None:
        stopped.append("belt")

    async def main() -> None:
        with pytest.raises(JamError):
            await run_together(asyncio.sleep(60), jam_at(1), stops=[stop])
        assert asyncio.get_running_loop().time() == 1
        assert stopped == ["belt"]

    run(main())


def test_a_cancellation_in_the_instant_of_a_failure_is_not_taken_for_the_failure() -> None:
    """A caller that catches the failure would begin a retry on a table that is stopping."""
    retries: list[str] = []

    async def station() -> None:
        try:
            await run_together(jam_at(1), asyncio.sleep(60))
        except JamError:
            retries.append("retry")

    async def main() -> None:
        working = asyncio.create_task(station())
        await asyncio.sleep(0.5)
        # This timer was set after that of the jam: both fire in one turn of the loop.
        asyncio.get_running_loop().call_at(1.0, working.cancel)
        with pytest.raises(asyncio.CancelledError):
            await working
        assert not retries

    run(main())


def test_a_failure_during_the_clean_up_of_a_cancelled_task_is_raised() -> None:
    async def station() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            with pytest.raises(JamError):
                await run_together(jam_at(1))

    async def main() -> None:
        working = asyncio.create_task(station())
        await asyncio.sleep(1)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working

    run(main())


def test_a_cancellation_while_a_task_ends_is_not_lost() -> None:
    """A service that is ended, and that ends a part of itself at that moment, would go on."""

    async def slow_to_end() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(1)

    async def service(part: asyncio.Task[None]) -> None:
        await end_task(part)
        raise AssertionError("The cancellation is lost.")

    async def main() -> None:
        part = asyncio.create_task(slow_to_end())
        await asyncio.sleep(0)
        working = asyncio.create_task(service(part))
        await asyncio.sleep(0.5)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        await end_task(part)
        assert part.cancelled()

    run(main())
