"""Admits a request: the endpoint exists, the caller may use it, and the body is JSON of its size.

The guard stands before the web framework and enforces `controller.web.api.endpoints`. A request
that it does not admit gets a problem document, and no other code sees it.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity
from controller.web.api.endpoints import (
    ENDPOINTS,
    PREFIX,
    SUBSCRIBE,
    Endpoint,
    OpenAccess,
    endpoints_at,
)
from controller.web.api.json_text import BadJsonError, checked_json
from controller.web.api.problems import ProblemError

COOKIE = "wallwright"
"""The cookie with the secret of a login."""
CSRF_HEADER = "X-CSRF-Token"
"""The header that a page adds to each request that changes something."""
CLIENT_HEADER = "X-Client-Id"
"""The header by which a client names itself, such as one tab of a browser."""
IDENTITY, CLIENT, ADDRESS = "identity", "client", "address"
"""Keys of the request's state: the caller's identity, its client's id, its network address."""

_CLIENT = re.compile(r"[A-Za-z0-9_-]{1,32}")


class RequestGuard:
    """An ASGI application that admits requests to `api`; other paths go to `page` unchecked.

    `endpoints` are those of `api`: the table's, unless another application is guarded.
    """

    def __init__(
        self,
        api: ASGIApp,
        page: ASGIApp | None,
        accounts: Accounts,
        endpoints: tuple[Endpoint, ...] = ENDPOINTS,
    ) -> None:
        self._api = api
        self._page = page
        self._accounts = accounts
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._api(scope, receive, send)
        elif self._page is not None and not self._is_of_the_api(scope["path"]):
            await self._page(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._subscribe(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            endpoint = _endpoint(scope, self._endpoints)
            self._admit(scope, endpoint)
            receive = await _checked_body(scope, receive, endpoint.longest_body)
        except ProblemError as problem:
            await problem.response()(scope, receive, send)
            return
        await self._api(scope, receive, send)

    async def _subscribe(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a WebSocket. A client without login gets a close code, which a page can read."""
        try:
            endpoint = _endpoint(scope, self._endpoints)
            self._admit(scope, endpoint)
        except ProblemError as problem:
            if problem.status == 401:
                await receive()
                await send({"type": "websocket.accept"})
                await send({"type": "websocket.close", "code": 4401, "reason": problem.detail})
            else:
                await refuse_handshake(problem, scope, receive, send)
            return
        await self._api(scope, receive, send)

    def _admit(self, scope: Scope, endpoint: Endpoint) -> None:
        """Put the caller's identity into the request's state. Raises ProblemError."""
        headers = Headers(scope=scope)
        address = scope["client"][0] if scope.get("client") else ""
        identity, by_cookie = self._identity(headers, address)
        if not endpoint.admits(identity.role if identity is not None else None):
            if identity is None:
                raise ProblemError(
                    401,
                    "login_required",
                    "This request needs a login.",
                    "Log in, or send an API token in the header `Authorization: Bearer`.",
                    {"WWW-Authenticate": "Bearer"},
                )
            raise ProblemError(
                403,
                "role_too_low",
                f"The role '{identity.role.value}' may not do this; it needs {_least(endpoint)}.",
                "Log in with another role.",
            )
        changes = endpoint.method not in ("GET", SUBSCRIBE)
        if changes or endpoint.method == SUBSCRIBE:
            _check_origin(headers, scope, required=by_cookie and endpoint.method == SUBSCRIBE)
        if (
            changes
            and by_cookie
            and identity is not None
            and endpoint.least is not OpenAccess.PUBLIC
            and headers.get(CSRF_HEADER) != identity.csrf
        ):
            raise ProblemError(
                403,
                "csrf_token_missing",
                f"The header {CSRF_HEADER} is missing or wrong.",
                f"Send the `csrf` value of `GET {PREFIX}/me` in it.",
            )
        state = scope.setdefault("state", {})
        state[IDENTITY] = identity
        state[ADDRESS] = address
        state[CLIENT] = client_id(identity, headers.get(CLIENT_HEADER, ""))

    def _is_of_the_api(self, path: str) -> bool:
        is_below = path == "/api" or path.startswith("/api/")
        return is_below or bool(endpoints_at(path, self._endpoints))

    def _identity(self, headers: Headers, address: str) -> tuple[Identity | None, bool]:
        """The caller's identity, and whether a cookie showed it."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            identity = self._accounts.identify(token.strip(), address)
            # A cookie's secret in the header would avoid the CSRF token.
            is_token = identity is not None and identity.kind == "token"
            return (identity if is_token else None), False
        secret = _cookie(headers)
        return (self._accounts.identify(secret, address) if secret else None), True


def client_id(identity: Identity | None, given: str) -> str:
    """The id of a client: its credential's, and the name that it gave itself, such as a tab's."""
    if identity is None:
        return ""
    return f"{identity.credential}.{given}" if _CLIENT.fullmatch(given) else identity.credential


def _endpoint(scope: Scope, endpoints: tuple[Endpoint, ...]) -> Endpoint:
    found = endpoints_at(scope["path"], endpoints)
    method = SUBSCRIBE if scope["type"] == "websocket" else scope["method"]
    for endpoint in found:
        if endpoint.method == method:
            return endpoint
    if not found:
        raise ProblemError(
            404,
            "unknown_path",
            "No resource of the API has this path.",
            "See docs/reference/API.md for the paths.",
        )
    methods = [endpoint.method for endpoint in found if endpoint.method != SUBSCRIBE]
    if not methods:
        raise ProblemError(
            426,
            "websocket_required",
            "This path is a WebSocket.",
            "Open it with a WebSocket client.",
            {"Upgrade": "websocket"},
        )
    raise ProblemError(
        405,
        "method_not_allowed",
        f"The method {method} is not allowed here.",
        f"Use {' or '.join(methods)}.",
        {"Allow": ", ".join(methods)},
    )


def _least(endpoint: Endpoint) -> str:
    if isinstance(endpoint.least, OpenAccess):
        return endpoint.least.value
    auditor = " or 'auditor'" if endpoint.reads else ""
    return f"the role '{endpoint.least.value}'{auditor}"


def _check_origin(headers: Headers, scope: Scope, *, required: bool) -> None:
    """Raises ProblemError for a request that a page of another site has sent."""
    origin = headers.get("origin")
    if origin is None:
        if not required:
            return
    elif urlsplit(origin).netloc == headers.get("host"):
        return
    raise ProblemError(
        403,
        "other_origin",
        "The request comes from a page of another site.",
        "Open the panel at the address of this service; a proxy has to pass the header Host on.",
    )


def _cookie(headers: Headers) -> str:
    """The secret of a login. Cookies of other programs at this host may have any form."""
    for line in headers.getlist("cookie"):
        for each in line.split(";"):
            name, _, value = each.partition("=")
            if name.strip() == COOKIE:
                return value.strip()
    return ""


async def _checked_body(scope: Scope, receive: Receive, longest: int) -> Receive:
    """Read a body of at most `longest` bytes; returns a `receive` that repeats it.

    Raises ProblemError for a bad body, and for a stated length above the limit before it is read.
    """
    too_large = ProblemError(
        413,
        "too_large",
        f"The body has more than {longest} bytes.",
        "Send a smaller one.",
        {"Connection": "close"},
    )
    stated = Headers(scope=scope).get("content-length", "0")
    if len(stated) > 12 or (stated.isdecimal() and int(stated) > longest):
        raise too_large
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return _repeating(message, receive)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > longest:
            raise too_large
    body = b"".join(parts)
    if body:
        try:
            checked_json(body)
        except BadJsonError as error:
            raise ProblemError(400, "not_json", str(error), "Send JSON in UTF-8.") from None
    return _repeating({"type": "http.request", "body": body, "more_body": False}, receive)


def _repeating(first: Message, receive: Receive) -> Receive:
    """A `receive` that returns a message first, and then goes on."""
    left = [first]

    async def repeat() -> Message:
        return left.pop() if left else await receive()

    return repeat


async def refuse_handshake(
    problem: ProblemError, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer the handshake of a WebSocket with a problem document, if the server can do that."""
    await receive()
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 4403, "reason": problem.detail})
        return

    async def answer(message: Message) -> None:
        await send({**message, "type": f"websocket.{message['type']}"})

    response = problem.response()
    await answer(
        {
            "type": "http.response.start",
            "status": response.status_code,
            "headers": response.raw_headers,
        }
    )
    await answer({"type": "http.response.body", "body": bytes(response.body)})
