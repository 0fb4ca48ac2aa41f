"""Writes docs/reference/API.md from the tables of endpoints and of commands."""

from __future__ import annotations

from collections.abc import Iterator

from controller.service.commands import COMMANDS
from controller.web.api.endpoints import ENDPOINTS, PREFIX, SUBSCRIBE, Endpoint, OpenAccess

_INTRODUCTION = """\
# The API

This page is generated from `controller/web/api/endpoints.py` and
`controller/service/commands/` by `make docs`. `GET /api/v1/openapi.json` describes every
request and response as OpenAPI 3.1.

The service of a table answers at `http://127.0.0.1:8080/` unless it is started with another
address. Beyond this computer it listens with TLS only. Bodies are JSON in UTF-8 of at most 16 KiB
and 32 levels of lists and objects; those of `/login`, `/first-start` and `/pair` have at most
4 KiB.
The service has at most 256 connections at the same time, 64 of one address (one IPv6 network of 64
bits), and keeps 32 of them for clients on its own computer. If there are too many, it closes the
one that has waited longest without a request. A connection has 10 s for the head of a request, 10 s
for its body, and is closed 10 s after its last request.
`examples/play_an_evening.py` is a client of 100 lines that plays two games.

## Logging in

While no technician exists, the service prints a one-time link, such as
`http://127.0.0.1:8080/#first-start=TOKEN`. It is valid for an hour and for one use: `POST
/api/v1/first-start` with `token`, `name` and `password` makes the first technician. A restart
prints a new link.

- **People** log in with `POST /api/v1/login` (`name`, `password`). The answer sets a cookie that
  scripts cannot read, and contains `csrf`. Every later request that changes something has that
  value in the header `X-CSRF-Token`. `GET /api/v1/me` returns it again, for example after a page
  was loaded anew.
- **Machines** send an API token in the header `Authorization: Bearer TOKEN`, and no CSRF token. A
  technician makes tokens with `POST /api/v1/tokens`.
- **Tablets** are paired: a technician makes a code with `POST /api/v1/pairing-codes`, and the
  tablet sends it to `POST /api/v1/pair`, which sets a cookie.
- **The table's own touchscreen** sends the text of the file `touchscreen.token` in the data
  directory to `POST /api/v1/pair`. It is accepted from the table's own computer only.

After 5 failed attempts a name is locked for 30 s for the address from which they came, and after 20
the address for every name; each further failure doubles the time. An IPv6 network of 64 bits counts
as one address. Attempts from the table's own computer are not locked: they wait for each other, one
a second. A browser in which the user has logged in before keeps a cookie (`wallwright-browser`)
that gives no right, but by which its attempts are counted, and take turns, for themselves. A user
can log in 60 times at once, then once in 10 s.

A login ends after 7 days, or when the service has run for 7 days since, whichever comes first, and
with each change of its user. The one-time link and pairing codes are measured by a clock that
cannot be set. The tokens, devices and codes that a technician has made end when the technician is
deleted or loses the role. A user's name has letters of one alphabet and digits, and does not look
like that of another user.

The header `X-Client-Id` (at most 32 letters, digits, `-` and `_`) names a client, such as one tab
of a browser. It tells the clients of one login apart where one client leads a recovery.

## Roles

`player`, `dealer`, `attendant` and `technician` include the rights of the roles before them. The
role `table` is the touchscreen's and has the rights of a player. The role `auditor` reads
everything and changes nothing. The role `metrics` is for the token of a monitoring system: it reads
`GET /metrics` and nothing else of the table. A prompt is answered by its own role, and a fault is
cleared by the role in the fault catalogue.
"""

_GIVING = """\
`POST /api/v1/commands` gives the table a command: `id`, `name` and `arguments`. The client chooses
the id; a command with the same id is executed once, and its second reply equals the first. An id is
the client's own, by its login and `X-Client-Id`; with another name or other arguments it is refused
(`id_used`). If the service was killed before the reply, a repetition is refused (`interrupted`) and
not executed: look at the status. `pause`, `stop_jog`, `stop_activity` and `stop_service` are
executed each time. 200 means that the command is done and stored, an answer, a correction and a
share in the journal of the table; 202 that it takes effect later. A press of the lid's key is not
kept over a restart. If the audit log, the file of the sessions or the journal cannot be written,
the codes are `audit` and `not_stored`. `GET /api/v1/commands` has the JSON schema of the arguments.
"""

_ERRORS = """\
## Long lists

`GET /sessions`, `GET /sessions/{session}/results` and `GET /journal` return a page: at most `limit`
entries (50 if it is left out, at most 200). `next` is the `before` or the `after` of the next page,
and null after the last one. A line of the journal begins with its number, which is the `after` of
the page behind it. `GET /journal.ndjson` streams the whole journal from `after` on. The other lists
are short: a table has at most 100 users, 100 tokens and devices, 200 presets, and 20 logins of a
user at the same time. A further one is refused with the code `full`; a further login ends the
oldest.

## Errors

Every error is a problem document (RFC 9457) of the type `application/problem+json`:

```json
{"type": "urn:wallwright:problem:role", "title": "Forbidden", "status": 403,
 "detail": "The role 'player' may not give the command 'correct'; it needs the role 'dealer'.",
 "code": "role", "next_step": "Ask a person with the role 'dealer'."}
```

`code` does not change between versions. A command that the table refuses is a problem too: 403 for
a role that is too low, 422 for wrong arguments, 409 for anything that contradicts the present
state. A caller may give 10 commands a second, 100 at once, and 60 that are refused in a minute;
then the code is `too_many_commands`, 429. Commands that stop motions have no limit. Changes of
accounts are in the audit log before they take effect; if it cannot be written, the code is `audit`,
503.
A locked name gets 429 with `Retry-After`.
"""

_STREAM = """\
## The stream

`WS /api/v1/stream?events=1&client=tab1&run=ID&since=N` sends JSON messages. All parameters are
optional. `client` is the same as the header `X-Client-Id`; with `events=1` the client receives
events too.

| message | keys | when |
|---|---|---|
| `snapshot` | `run`, `sequence`, `at`, `status` | first, unless the client resumes |
| `delta` | `sequence`, `at`, `patch` | at every change: a JSON merge patch (RFC 7386) |
| `event` | `event` | at every event, as [EVENTS.md](EVENTS.md) lists them |
| `heartbeat` | `sequence`, `at` | once a second |
| `pong` | `id`, `at` | as the answer to `{"type": "ping", "id": N}` |

`at` is the time of the table's clock in seconds. A delta's `sequence` is one more than that of the
change before it. A client that reconnects gives the `run` of its last snapshot and its last
`sequence`; it receives the changes that it missed. If the service has restarted since, or if more
than 200 changes are missing, it receives a snapshot.

Roles below `dealer` follow a feed with a `run` and numbers of its own. While a hand is played whose
discards lie mixed (the house rule `discards`), that feed has no order of the discards, no seat of a
discard and no source of a claimed tile; the events `action_taken`, `delivered`, `step` and `move`
of the hand are not sent, and a client that reconnects receives a snapshot, not the changes that it
missed.

A client that has received nothing for 2 s has lost the connection.

The service never waits for a client. It ends a connection with one of these codes:

| code | cause | what the client does |
|---|---|---|
| 4400 | the client sent anything but a ping | correct the client |
| 4401 | the client is not logged in, or its login has ended | log in again |
| 4408 | the client reads more slowly than the table changes | connect again |
| 1001, 1012 | the service stops | connect again |

A handshake from a page of another site is refused with 403.
"""

_NAMES = """\
## The name of the table

The header `Host` of every request must name this computer; any other request gets 421
(`unknown_host`). Otherwise a page of another site, whose name is made to resolve to the table's
address, could send requests from a browser at the table. Accepted are every IP address, because no
name has to be resolved for it; `localhost`; the computer's host name, also with the ending `.local`
and with the number that mDNS appends to a name that exists twice; the names in the certificate of
`--cert`; and each `serve --host-name NAME`. `NAME` can begin with `*.`, which stands for one label.
"""

_PROXY = """\
## Behind a proxy

A proxy on the same computer ends TLS and passes requests on. It has to pass the header `Host`, to
permit WebSockets, and to state the client's address and the scheme. The service takes these from
the addresses of `serve --proxy 127.0.0.1` only; without the option all clients of the proxy count
as this computer. Of several addresses in `X-Forwarded-For`, the last one that is not a
proxy's counts. A text that is not an IP address counts as one unknown client, and so does an
address of this computer that a proxy on another computer states. The name under which people open
the proxy must be a name of the table:

```nginx
location / {
    proxy_pass http://127.0.0.1:8080;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $http_connection;
    proxy_buffering off;
}
```
"""


def page() -> str:
    """Return the text of docs/reference/API.md."""
    parts = [_INTRODUCTION, *_endpoints(), *_commands(), _ERRORS, _STREAM, _NAMES, _PROXY]
    return "\n".join(parts)


def _endpoints() -> Iterator[str]:
    yield "## Endpoints"
    yield ""
    yield f"All paths but `/metrics` begin with `{PREFIX}`."
    yield ""
    yield "| request | least role | what it does |"
    yield "|---|---|---|"
    for endpoint in ENDPOINTS:
        method = "WS" if endpoint.method == SUBSCRIBE else endpoint.method
        request = f"`{method} {endpoint.path}`"
        yield f"| {request} | {_least(endpoint)} | {endpoint.summary} |"
    yield ""


def _least(endpoint: Endpoint) -> str:
    if isinstance(endpoint.least, OpenAccess):
        return endpoint.least.value
    return endpoint.least.value + (", or auditor" if endpoint.reads else "")


def _commands() -> Iterator[str]:
    yield "## Commands"
    yield ""
    yield _GIVING
    yield "| command | arguments | least role | what it does |"
    yield "|---|---|---|---|"
    for kind in COMMANDS:
        names = ", ".join(f"`{name}`" for name in kind.arguments.model_fields) or "-"
        yield f"| `{kind.name}` | {names} | {kind.role.value} | {kind.summary} |"
    yield ""
