"""Sensor subscription that survives a lost line: missed edges come from the board's counters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.run.pausing.pause_gate import SILENT, PauseCause, PauseGate
from firmware_bridge.board import Board, Edge
from firmware_bridge.wire.errors import BoardSilentError


class EdgeSubscription:
    """Asynchronous iterator over the edges of sensors, which continues after a lost line.

    If a sensor's count has risen while the line was lost, one edge reports that. Only sensors that
    have given an edge to this subscription before are checked, since it has no earlier count of the
    others. `leave` ends the recovery of this subscription after lost lines.
    """

    def __init__(
        self,
        board: Board,
        gate: PauseGate,
        sensors: tuple[str, ...],
        leave: Callable[[EdgeSubscription], None],
    ) -> None:
        self._leave = leave
        self._board = board
        self._gate = gate
        self._sensors = sensors
        self._edges = board.watch(*sensors)
        self._recovered = asyncio.Event()
        self._lost = self._closed = False
        self._last: dict[str, Edge] = {}
        self._missed: list[Edge] = []

    def __aiter__(self) -> EdgeSubscription:
        return self

    async def __anext__(self) -> Edge:
        while not self._missed:
            if self._closed:
                raise StopAsyncIteration
            try:
                edge = await anext(self._edges)
            except BoardSilentError:
                self._lost = True
                self._recovered.clear()
                self._gate.shut(PauseCause(SILENT, self._board.name))
                await self._recovered.wait()
            else:
                self._last[edge.sensor] = edge
                return edge
        edge = self._missed.pop(0)
        self._last[edge.sensor] = edge
        return edge

    def close(self) -> None:
        """End the subscription, and an iteration that still waits for an edge. Idempotent."""
        self._closed = True
        self._leave(self)
        self._edges.close()
        self._recovered.set()

    async def recover(self) -> None:
        """Subscribe again after a lost line and report missed edges; called during the pause."""
        if self._lost:
            self._edges.close()
            self._edges = self._board.watch(*self._sensors)
            for sensor, last in self._last.items():
                if (count := await self._board.count(sensor)) > last.count:
                    self._missed.append(Edge(sensor, True, last.at, count))
            self._lost = False
            self._recovered.set()
