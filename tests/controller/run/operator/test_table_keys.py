"""Tests the queue of a key's presses: none is missed, and waiting leaves a press in the queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from controller.run.operator.table_keys import Key
from firmware_bridge.board import Board, Edge
from firmware_bridge.boards.devices import Sensor
from firmware_bridge.sim import clock
from tests.firmware_bridge.scripted_edges import scripted


class Button(Board):
    """A board with one key that is pressed at these times, seconds."""

    def __init__(self, *presses: float) -> None:
        self._presses = presses

    @scripted
    async def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        for number, at in enumerate(self._presses, 1):
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            yield Edge(sensors[0], True, at, number)
            yield Edge(sensors[0], False, at, number)


def key_pressed_at(*seconds: float) -> Key:
    return Key(Sensor(Button(*seconds), "key"))


def test_waiting_for_a_queued_press_leaves_it_in_the_queue() -> None:
    async def scenario() -> None:
        key, loop = key_pressed_at(3.0), asyncio.get_running_loop()
        await key.wait_queued()
        assert loop.time() == 3.0
        await key.wait_queued()
        await key.pressed()
        assert loop.time() == 3.0
        key.close()

    clock.run(scenario())


def test_a_press_that_was_taken_or_forgotten_is_not_queued_any_more() -> None:
    async def scenario() -> None:
        key, loop = key_pressed_at(1.0, 2.0, 9.0), asyncio.get_running_loop()
        await key.pressed()
        await asyncio.sleep(4.0)
        key.forget()
        await key.wait_queued()
        assert loop.time() == 9.0
        key.close()

    clock.run(scenario())


def test_the_second_of_two_presses_stays_queued_when_the_first_was_taken() -> None:
    async def scenario() -> None:
        key, loop = key_pressed_at(1.0, 1.5), asyncio.get_running_loop()
        await asyncio.sleep(2.0)
        await key.pressed()
        await key.wait_queued()
        assert loop.time() == 2.0
        key.close()

    clock.run(scenario())
