"""A subscription to edges whose line is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import cast

from controller.run.pausing.pause_gate import SILENT, PauseCause, PauseGate
from controller.run.pausing.resumable_board import EdgeSubscription
from firmware_bridge.board import Board, Edge
from firmware_bridge.sim.clock import run
from firmware_bridge.wire.errors import BoardSilentError
from tests.firmware_bridge.scripted_edges import ScriptedEdges


class BoardWithoutLine:
    """A board whose first subscription ends with a lost line; the next one gives an edge."""

    name = "base"

    def __init__(self) -> None:
        self._subscriptions = 0

    def watch(self, *sensors: str) -> ScriptedEdges:
        self._subscriptions += 1
        return ScriptedEdges(self._lost() if self._subscriptions == 1 else self._edges(*sensors))

    async def _lost(self) -> AsyncIterator[Edge]:
        raise BoardSilentError("the line is lost")
        yield

    async def _edges(self, *sensors: str) -> AsyncIterator[Edge]:
        for sensor in sensors:
            yield Edge(sensor, True, 1.0, 1)


def test_a_lost_line_pauses_the_table_and_edges_continue_after_the_recovery() -> None:
    async def scenario() -> None:
        causes: list[PauseCause] = []
        left: list[EdgeSubscription] = []
        gate = PauseGate(causes.append)
        board = cast("Board", BoardWithoutLine())
        subscription = EdgeSubscription(board, gate, ("s1",), left.append)
        edge = asyncio.ensure_future(anext(subscription))
        await asyncio.sleep(0.1)
        assert causes == [PauseCause(SILENT, "base")]
        assert not gate.open and not edge.done()
        await subscription.recover()
        assert (await edge).sensor == "s1"
        subscription.close()
        assert left == [subscription]
        assert [edge async for edge in subscription] == []

    run(scenario())
