"""A test that waits too long fails with its condition and with what it shows."""

from __future__ import annotations

import asyncio

import pytest

from tests.waiting import until, wait_until


def test_a_condition_that_stays_false_is_named_with_what_the_test_shows() -> None:
    given: list[str] = []
    wait_until(lambda: given, pause=lambda: given.append("jog"))
    with pytest.raises(AssertionError, match=r"(?s)after 0 s:.*len\(given\) > 2.*only \['jog'\]"):
        wait_until(lambda: len(given) > 2, lambda: f"only {given}", limit=0.0)


def test_a_task_waits_for_a_condition_and_for_a_coroutine() -> None:
    async def asked() -> bool:
        return len(looks) > 2

    async def wait() -> None:
        await until(lambda: not looks.append("look") and len(looks) > 2)
        await until(asked)
        with pytest.raises(AssertionError, match=r"after 0 s:\nawait until\(lambda: False"):
            await until(lambda: False, limit=0.0)

    looks: list[str] = []
    asyncio.run(wait())
