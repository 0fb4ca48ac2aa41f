"""Records each request that changes something, such as a login, with its answer and its sender.

The commands of a table are not recorded here: its service records them with their arguments.
Neither a request's body nor a header is recorded, because they contain passwords and secrets; an
endpoint names what of its body is recorded.

A change of the accounts is recorded in the audit log before it takes effect (`Changes`). Logins,
logouts and the end of a login are recorded after they happened, so that people can log in while the
log cannot be written, see the fault, and stop the service.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.records.audit.errors import AuditError
from controller.web.api.accounts.identity import Identity
from controller.web.api.endpoints import ENDPOINTS, Endpoint, endpoints_at
from controller.web.api.problems import ProblemError
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


class ChangeRecord(Protocol):
    """The interface that records changes; a table's service implements it."""

    async def record_change(
        self, what: str, details: dict[str, object], who: str, role: str, address: str
    ) -> None:
        """Record a change; returns when it is on disk. Raises AuditError."""


class Changes:
    """Records changes by `target`; None for the floor, which records a request after its answer."""

    def __init__(self, target: ChangeRecord | None) -> None:
        self._target = target

    async def record(self, request: Request, what: str, **details: object) -> None:
        """Record a change that the caller of a request makes, before it is made.

        Without a target, the details become those of the record of the request. Raises ProblemError
        if it cannot be recorded: then nothing may change.
        """
        state = request.scope["state"]
        plain = {
            name: value.value if isinstance(value, Enum) else value
            for name, value in details.items()
        }
        if self._target is None:
            state[DETAILS] = plain
            return
        identity: Identity | None = state[IDENTITY]
        who = "" if identity is None else identity.name
        role = "" if identity is None else identity.role.value
        try:
            await self._target.record_change(what, plain, who, role, state.get(ADDRESS, ""))
        except AuditError as error:
            raise ProblemError(
                503,
                "audit",
                f"Nothing was changed, because it cannot be recorded. {error}",
                "Call a technician: the audit log must be written again first.",
            ) from None
        state[RECORDED] = True
