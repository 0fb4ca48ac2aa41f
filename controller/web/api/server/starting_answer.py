"""Answers every request with `503 starting` until the table has recovered and tested itself."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from controller.web.api.problems import ProblemError

WAIT = "1"
"""Seconds after which a client should ask again."""


class StartingAnswer:
    """The application `app`, from the moment at which `is_open` is true."""

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool]) -> None:
        self._app = app
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse a stream."""
        if self._is_open():
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": "The table starts."})
        else:
            problem = ProblemError(
                503,
                "starting",
                "The table starts: its recovery and its self-tests have not ended.",
                "Ask again in a second.",
                {"Retry-After": WAIT, "Refresh": WAIT},
            )
            await problem.response()(scope, receive, send)
