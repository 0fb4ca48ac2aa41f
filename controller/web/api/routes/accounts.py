"""Endpoints by which technicians manage users, API tokens and paired devices."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import FastAPI, Path, Request
from pydantic import Field
from starlette.responses import Response

from controller.service.status import Value
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity, User
from controller.web.api.audited_requests import Changes
from controller.web.api.problems import unknown
from controller.web.api.request_guard import IDENTITY
from controller.web.api.routes.login import (
    CredentialEntry,
    KeyPath,
    NewPassword,
    UserName,
    credential_entry,
)
from controller.web.api.routes.registration import json_response, register

_DAY = 24 * 3600.0

PersonRole = Literal["player", "dealer", "attendant", "technician", "auditor"]
"""The roles of people; the role `table` is the touchscreen's."""
TokenRole = Literal["player", "dealer", "attendant", "technician", "auditor", "metrics"]
"""The roles of API tokens; only a token can have the role `metrics`."""
DeviceRole = Literal["player", "dealer", "attendant", "auditor"]
"""The roles of paired devices: anybody can pick one up, so none is a technician."""
Label = Annotated[str, Field(min_length=1, max_length=40)]
UserPath = Annotated[str, Path(max_length=40, description="Name of a user.")]


class UserEntry(Value):
    """A user; `created` in seconds since 1970 (UTC)."""

    name: str
    role: UserRole
    created: float


class UserList(Value):
    """All users by name."""

    users: tuple[UserEntry, ...]


class NewUser(Value):
    """A user to add."""

    name: UserName
    role: PersonRole
    password: NewPassword


class UserChange(Value):
    """Changes of a user; what is left out stays. The user's logins end."""

    role: PersonRole | None = None
    password: NewPassword | None = None


class KeyList(Value):
    """API tokens and paired devices, latest first."""

    keys: tuple[CredentialEntry, ...]


class NewToken(Value):
    """An API token to make: the machine's name, its role, and for how long the token is valid."""

    name: Label
    role: TokenRole
    days: Annotated[int, Field(ge=1, le=3650)] | None = Field(
        default=None, description="Days until it expires; null: until it is revoked."
    )


class TokenAnswer(Value):
    """A new API token; the service does not keep it and cannot show it again."""

    id: str
    token: str


class NewPairingCode(Value):
    """A device to pair: its name and its role."""

    name: Label
    role: DeviceRole


class PairingCode(Value):
    """A code that one device can enter until `expires` (seconds since 1970, UTC)."""

    code: str
    name: str
    role: UserRole
    expires: float


class AccountRoutes:
    """Manages users, API tokens and devices."""

    def __init__(self, accounts: Accounts, changes: Changes | None = None) -> None:
        self._accounts = accounts
        self._changes = changes or Changes(None)

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "users", UserList, self.users)
        register(app, "add_user", UserEntry, self.add_user, 409, 503, status=201)
        register(app, "change_user", UserEntry, self.change_user, 404, 409, 503)
        register(app, "delete_user", None, self.delete_user, 404, 409, 503, status=204)
        register(app, "keys", KeyList, self.keys)
        register(app, "add_token", TokenAnswer, self.add_token, 409, 503, status=201)
        register(app, "add_pairing_code", PairingCode, self.add_pairing_code, 409, 503, status=201)
        register(app, "revoke_key", None, self.revoke_key, 404, 503, status=204)

    async def users(self) -> Response:
        return json_response({"users": [_user(each) for each in self._accounts.users()]})

    async def add_user(self, request: Request, body: NewUser) -> Response:
        await self._changes.record(request, "add_user", name=body.name, role=body.role)
        made = await self._accounts.add_user(body.name, UserRole(body.role), body.password)
        return json_response(_user(made), 201)

    async def change_user(self, request: Request, user: UserPath, body: UserChange) -> Response:
        new_password = body.password is not None
        facts = {"name": user, "role": body.role or "", "new_password": new_password}
        await self._changes.record(request, "change_user", **facts)
        role = UserRole(body.role) if body.role is not None else None
        changed = await self._accounts.change_user(user, role, body.password)
        if changed is None:
            raise unknown("user", user, "`GET /api/v1/users` lists them.")
        return json_response(_user(changed))

    async def delete_user(self, request: Request, user: UserPath) -> Response:
        await self._changes.record(request, "delete_user", name=user)
        if not await self._accounts.delete_user(user):
            raise unknown("user", user, "`GET /api/v1/users` lists them.")
        return Response(status_code=204)

    async def keys(self, request: Request) -> Response:
        identity: Identity = request.scope["state"][IDENTITY]
        return json_response(
            {
                "keys": [
                    credential_entry(each, identity)
                    for each in self._accounts.credentials()
                    if each.kind in ("token", "device")
                ]
            }
        )

    async def add_token(self, request: Request, body: NewToken) -> Response:
        life = body.days * _DAY if body.days is not None else None
        facts = {"name": body.name, "role": body.role, "days": body.days}
        await self._changes.record(request, "add_token", **facts)
        maker = request.scope["state"][IDENTITY].maker
        token, key = await self._accounts.add_token(body.name, UserRole(body.role), life, maker)
        return json_response({"id": key, "token": token}, 201)

    async def add_pairing_code(self, request: Request, body: NewPairingCode) -> Response:
        await self._changes.record(request, "add_pairing_code", name=body.name, role=body.role)
        maker = request.scope["state"][IDENTITY].maker
        code, pairing = self._accounts.add_pairing_code(body.name, UserRole(body.role), maker)
        answer = {
            "code": code,
            "name": pairing.name,
            "role": pairing.role.value,
            "expires": pairing.expires,
        }
        return json_response(answer, 201)

    async def revoke_key(self, request: Request, key: KeyPath) -> Response:
        for each in self._accounts.credentials():
            if each.id == key and each.kind in ("token", "device"):
                facts = {"name": each.name, "role": each.role.value, "key": key}
                await self._changes.record(request, "revoke_key", **facts)
                await self._accounts.revoke(key)
                return Response(status_code=204)
        raise unknown("key", key, "`GET /api/v1/keys` lists them.")


def _user(user: User) -> dict[str, object]:
    return {"name": user.name, "role": user.role.value, "created": user.created}
