"""Endpoints of the caller's own login: first start, login, pairing, logout, password."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Request
from pydantic import Field
from starlette.responses import Response

from controller.service.status import Value
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import LOGIN_LIFE, Accounts
from controller.web.api.accounts.identity import (
    Credential,
    CredentialKind,
    Identity,
)
from controller.web.api.accounts.login_secrets import LONGEST, SHORTEST
from controller.web.api.audited_requests import SUBJECT, Changes
from controller.web.api.problems import unknown
from controller.web.api.request_guard import ADDRESS, COOKIE, IDENTITY
from controller.web.api.routes.registration import json_response, register

DEVICE_LIFE = 10 * 365 * 24 * 3600
"""Seconds for which a paired device keeps its cookie; it ends when the device is revoked."""
BROWSER_COOKIE = f"{COOKIE}-browser"
"""The cookie of a browser in which a user has logged in; a logout keeps it. See `KnownBrowsers`.
"""

UserName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        pattern=r"^[^\s/\\?#%\x00-\x1f\x7f-\x9f\ufeff]+$",
        description="A name without spaces, slashes and the characters ? # %.",
    ),
]
NewPassword = Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST)]
GivenPassword = Annotated[str, Field(max_length=LONGEST)]
KeyPath = Annotated[str, Path(max_length=40, description="Id of a login, a token or a device.")]


class LoginRequest(Value):
    """A user's name and password."""

    name: Annotated[str, Field(max_length=40)]
    password: GivenPassword


class FirstStartRequest(Value):
    """The token of the one-time link, and the first technician's name and password."""

    token: Annotated[str, Field(max_length=100)]
    name: UserName
    password: NewPassword


class PairRequest(Value):
    """A pairing code, or the token of the table's own touchscreen."""

    code: Annotated[str, Field(max_length=100)]


class PasswordChange(Value):
    """The present password and the new one."""

    old: GivenPassword
    new: NewPassword


class Caller(Value):
    """The caller of a request. `csrf` is sent in the header X-CSRF-Token; empty for machines."""

    name: str
    role: UserRole
    kind: CredentialKind
    login: str = Field(description="Id of the caller's credential.")
    csrf: str


class CredentialEntry(Value):
    """A login, an API token or a paired device; times in seconds since 1970 (UTC)."""

    id: str
    kind: CredentialKind
    name: str
    role: UserRole
    created: float
    expires: float | None
    own: bool = Field(description="Whether it is the caller's present one.")


class LoginList(Value):
    """Valid logins, latest first."""

    logins: tuple[CredentialEntry, ...]


class LoginRoutes:
    """Logs users and devices in and out."""

    def __init__(self, accounts: Accounts, changes: Changes | None = None) -> None:
        self._accounts = accounts
        self._changes = changes or Changes(None)

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "login", Caller, self.login, 401, 429, 503)
        register(app, "first_start", Caller, self.first_start, 403, 429, 503)
        register(app, "pair", Caller, self.pair, 401, 403, 429, 503)
        register(app, "me", Caller, self.me)
        register(app, "logout", None, self.logout, status=204)
        register(app, "change_password", Caller, self.change_password, 401, 409, 429, 503)
        register(app, "logins", LoginList, self.logins)
        register(app, "end_login", None, self.end_login, 404, status=204)

    async def login(self, request: Request, body: LoginRequest) -> Response:
        address = request.scope["state"][ADDRESS]
        if self._accounts.is_user(body.name):
            # Any other text is not recorded: people type their password into the wrong field.
            request.scope["state"][SUBJECT] = body.name
        marks = _marks(request)
        made = await self._accounts.login(body.name, body.password, address, marks)
        return self._logged_in(request, *made)

    async def first_start(self, request: Request, body: FirstStartRequest) -> Response:
        address = request.scope["state"][ADDRESS]
        if self._accounts.is_first_start(body.token):
            await self._changes.record(request, "first_start", name=body.name, role="technician")
        made = await self._accounts.first_start(body.token, body.name, body.password, address)
        request.scope["state"][SUBJECT] = body.name
        return self._logged_in(request, *made)

    async def pair(self, request: Request, body: PairRequest) -> Response:
        address = request.scope["state"][ADDRESS]
        made = await self._accounts.pair(body.code, address, _marks(request))
        return self._logged_in(request, *made)

    async def me(self, request: Request) -> Response:
        return json_response(_caller(request.scope["state"][IDENTITY]))

    async def logout(self, request: Request) -> Response:
        await self._accounts.revoke(request.scope["state"][IDENTITY].credential)
        response = Response(status_code=204)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return response

    async def change_password(self, request: Request, body: PasswordChange) -> Response:
        identity, address = (request.scope["state"][key] for key in (IDENTITY, ADDRESS))
        # A wrong password changes nothing, and must not fill the log either.
        before = await self._accounts.check_password(identity, body.old, address, _marks(request))
        await self._changes.record(request, "change_password", name=identity.name)
        made = await self._accounts.change_password(identity, before, body.new)
        return self._logged_in(request, *made)

    async def logins(self, request: Request) -> Response:
        identity: Identity = request.scope["state"][IDENTITY]
        return json_response(
            {
                "logins": [
                    credential_entry(each, identity)
                    for each in self._accounts.credentials()
                    if each.kind in ("login", "touchscreen") and _sees(identity, each)
                ]
            }
        )

    async def end_login(self, request: Request, login: KeyPath) -> Response:
        identity: Identity = request.scope["state"][IDENTITY]
        for each in self._accounts.credentials():
            if each.id == login and (_is_own(identity, each) or _manages(identity)):
                await self._accounts.revoke(login)
                return Response(status_code=204)
        raise unknown("login", login, "`GET /api/v1/logins` lists them.")

    def _logged_in(self, request: Request, secret: str, identity: Identity) -> Response:
        """The caller with cookies that scripts cannot read and that other sites cannot send."""
        response = json_response(_caller(identity))
        life = DEVICE_LIFE if identity.kind == "device" else round(LOGIN_LIFE)
        marks = self._accounts.marked(_marks(request), identity)
        cookies = [(COOKIE, secret, life)]
        if marks:
            cookies.append((BROWSER_COOKIE, marks, DEVICE_LIFE))
        for name, value, seconds in cookies:
            response.set_cookie(
                name,
                value,
                max_age=seconds,
                path="/",
                secure=request.url.scheme == "https",
                httponly=True,
                samesite="strict",
            )
        return response


def credential_entry(credential: Credential, identity: Identity) -> dict[str, object]:
    """A credential as its endpoint shows it."""
    return {
        "id": credential.id,
        "kind": credential.kind,
        "name": credential.name,
        "role": credential.role.value,
        "created": credential.created,
        "expires": credential.expires,
        "own": credential.id == identity.credential,
    }


def _marks(request: Request) -> str:
    return request.cookies.get(BROWSER_COOKIE, "")


def _caller(identity: Identity) -> dict[str, object]:
    return {
        "name": identity.name,
        "role": identity.role.value,
        "kind": identity.kind,
        "login": identity.credential,
        "csrf": identity.csrf,
    }


def _is_own(identity: Identity, credential: Credential) -> bool:
    if credential.id == identity.credential:
        return True
    same = credential.name.casefold() == identity.name.casefold()
    return same and credential.kind == identity.kind == "login"


def _manages(identity: Identity) -> bool:
    return identity.role.includes(UserRole.TECHNICIAN)


def _sees(identity: Identity, credential: Credential) -> bool:
    reads = _manages(identity) or identity.role is UserRole.AUDITOR
    return reads or _is_own(identity, credential)
