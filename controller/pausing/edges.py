"""Sensor subscription that survives a lost line: missed edges come from the board's counters."""

from __future__ import annotations

import asyncio

from controller.pausing.pause_gate import SILENT, PauseCause, PauseGate
from firmware_bridge.board import Board, Edge
from firmware_bridge.wire.errors import BoardSilentError


class Listening:
    """Edges of sensors; after a lost line, one for each sensor that was activated meanwhile."""

    def __init__(self, board: Board, gate: PauseGate, sensors: tuple[str, ...]) -> None:
        self._board = board
        self._gate = gate
        self._sensors = sensors
        self._ears = board.watch(*sensors)
        self._back = asyncio.Event()
        self._lost = False
        self._last: dict[str, Edge] = {}
        self._missed: list[Edge] = []

    def __aiter__(self) -> Listening:
        return self

    async def __anext__(self) -> Edge:
        while not self._missed:
            try:
                edge = await anext(self._ears)
            except BoardSilentError:
                self._lost = True
                self._back.clear()
                self._gate.shut(PauseCause(SILENT, self._board.name))
                await self._back.wait()
            else:
                self._last[edge.sensor] = edge
                return edge
        edge = self._missed.pop(0)
        self._last[edge.sensor] = edge
        return edge

    async def listen_again(self) -> None:
        """After a reconnect, report the edges that were missed; called during the pause."""
        if self._lost:
            self._ears = self._board.watch(*self._sensors)
            for sensor, seen in self._last.items():
                if (count := await self._board.count(sensor)) > seen.count:
                    self._missed.append(Edge(sensor, True, seen.at, count))
            self._lost = False
            self._back.set()
