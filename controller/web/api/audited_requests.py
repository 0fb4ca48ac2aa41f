"""Records each request that changes something, such as a login, with its answer and its sender.

The commands of a table are not recorded here: its service records them with their arguments.
Neither a request's body nor a header is recorded, because they contain passwords and secrets; an
endpoint names what of its body is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.web.api.accounts.identity import Identity
from controller.web.api.endpoints import ENDPOINTS, Endpoint, endpoints_at
from controller.web.api.request_guard import ADDRESS, IDENTITY

SUBJECT, DETAILS, RECORDED = "subject", "details", "recorded"
"""Keys of the request's state: the user whom a login names, also if it is refused; what an endpoint
adds to the record; whether the change was recorded before it was made."""
_REFUSED = 400
MOST_PATH = 100
"""Most characters of a path that are recorded; clients without login choose their length."""


@dataclass(frozen=True)
class AuditedRequest:
    """A request that was answered: the endpoint's name, the HTTP status, and who sent it."""

    name: str
    status: int
    path: str
    who: str
    role: str
    address: str
    details: Mapping[str, object] = field(default_factory=dict)


class AuditedRequests:
    """An ASGI application that passes requests to `api`, and their results to `record`.

    `endpoints` are those of `api`: the table's, unless it is another application.
    """

    def __init__(
        self,
        api: ASGIApp,
        record: Callable[[AuditedRequest], None],
        endpoints: tuple[Endpoint, ...] = ENDPOINTS,
    ) -> None:
        self._api = api
        self._record = record
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = self._endpoint_name(scope)
        if name is None:
            await self._api(scope, receive, send)
            return
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._api(scope, receive, noting)
        finally:
            if status >= _REFUSED or not scope.get("state", {}).get(RECORDED):
                self._record(_audited(scope, name, status))

    def _endpoint_name(self, scope: Scope) -> str | None:
        """The endpoint of a request that changes something; None for commands and all others."""
        if scope["type"] != "http" or scope["method"] == "GET":
            return None
        for each in endpoints_at(scope["path"], self._endpoints):
            if each.method == scope["method"] and not each.reads and each.name != "give_command":
                return each.name
        return None


def _audited(scope: Scope, name: str, status: int) -> AuditedRequest:
    state = scope.get("state", {})
    identity: Identity | None = state.get(IDENTITY)
    return AuditedRequest(
        name,
        status,
        scope["path"][:MOST_PATH],
        who=identity.name if identity is not None else state.get(SUBJECT, ""),
        role=identity.role.value if identity is not None else "",
        address=state.get(ADDRESS) or (scope["client"][0] if scope.get("client") else ""),
        details=state.get(DETAILS, {}),
    )
