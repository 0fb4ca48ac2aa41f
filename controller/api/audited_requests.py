"""Records each request that changes something, such as a login, with its answer and its sender.

Commands are not recorded here: the service records them with their arguments. Neither a request's
body nor a header is recorded, because they contain passwords and secrets.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.api.accounts.identity import Identity
from controller.api.endpoints import endpoints_at
from controller.api.request_guard import ADDRESS, IDENTITY
from controller.service.port import ServicePort

SUBJECT = "subject"
"""Key of the request's state: the name that a login gives, also if it is refused."""


class AuditedRequests:
    """An ASGI application that passes requests to `api`, and their results to the audit log."""

    def __init__(self, api: ASGIApp, service: ServicePort) -> None:
        self._api = api
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = _endpoint_name(scope)
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
            self._record(scope, name, status)

    def _record(self, scope: Scope, name: str, status: int) -> None:
        state = scope.get("state", {})
        identity: Identity | None = state.get(IDENTITY)
        address = state.get(ADDRESS) or (scope["client"][0] if scope.get("client") else "")
        who = identity.name if identity is not None else state.get(SUBJECT, "")
        role = identity.role.value if identity is not None else ""
        self._service.record_access(name, status, scope["path"], who, role, address)


def _endpoint_name(scope: Scope) -> str | None:
    """The endpoint of a request that changes something; None for commands and all others."""
    if scope["type"] != "http" or scope["method"] == "GET":
        return None
    for each in endpoints_at(scope["path"]):
        if each.method == scope["method"] and not each.reads and each.name != "give_command":
            return each.name
    return None
