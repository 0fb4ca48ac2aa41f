"""A subscription whose edges a test writes as a generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import wraps
from typing import Any

from firmware_bridge.board import Edge


class ScriptedEdges:
    """The edges of a generator, as a board gives them; `closed` once the subscriber has closed."""

    def __init__(self, edges: AsyncIterator[Edge]) -> None:
        self._edges = edges
        self.closed = False

    def __aiter__(self) -> ScriptedEdges:
        return self

    async def __anext__(self) -> Edge:
        return await anext(self._edges)

    def close(self) -> None:
        self.closed = True


def scripted(edges: Callable[..., AsyncIterator[Edge]]) -> Callable[..., Any]:
    """Decorate a generator method so that it returns a subscription to its edges."""

    @wraps(edges)
    def watch(*given: Any) -> ScriptedEdges:
        return ScriptedEdges(edges(*given))

    return watch
