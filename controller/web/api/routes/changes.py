"""Records a change of the accounts in the audit log before it takes effect.

Logins, logouts and the end of a login are recorded after they happened, so that people can log in
while the log cannot be written, see the fault, and stop the service.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from fastapi import Request

from controller.records.audit.errors import AuditError
from controller.web.api.accounts.identity import Identity
from controller.web.api.audited_requests import DETAILS, RECORDED
from controller.web.api.problems import ProblemError
from controller.web.api.request_guard import ADDRESS, IDENTITY


class ChangeRecord(Protocol):
    """What records the changes: a table's service."""

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
