"""Endpoints of the commands: the table of all commands, and giving one within limits.

The commands that one caller gives are limited, so that they cannot fill the log or the store.
Commands that stop motions have no limit. Times are seconds of a clock that cannot be set.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from fastapi import FastAPI, Request
from pydantic import BaseModel, Field, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.responses import Response

from controller.service.commands import BY_NAME, COMMANDS, STOPS
from controller.service.port import Actor, CommandReply, CommandRequest, ServicePort
from controller.service.status import Status
from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import Identity
from controller.web.api.json_text import json_text
from controller.web.api.problems import ProblemError
from controller.web.api.request_guard import ADDRESS, CLIENT, IDENTITY
from controller.web.api.routes.registration import json_response, register, text_response

PER_SECOND, AT_ONCE = 10.0, 100.0
"""Commands of one caller in a second for a long time, and at once (our choice). A jog is renewed
ten times a second at most, and a table of eight players acts less often."""
REFUSALS = 60
"""Refused commands of one caller in a minute; then the caller waits for the next minute."""
MINUTE = 60.0
KEPT = 1000
"""Callers that are kept; the one that was idle longest is dropped."""


@dataclass
class _Caller:
    """A caller's permits at a time, and its refused commands since the beginning of a minute."""

    permits: float
    at: float
    refused: int = 0
    minute: float = 0.0


class CommandLimits:
    """Admits the commands of callers, by the id of their credential."""

    def __init__(self) -> None:
        self._callers: OrderedDict[str, _Caller] = OrderedDict()

    def wait(self, caller: str, command: str, now: float) -> float:
        """Take a permit for a command; returns 0, or the seconds until one may be given."""
        if command in STOPS:
            return 0.0
        found = self._caller(caller, now)
        if found.refused >= REFUSALS and now < found.minute + MINUTE:
            return found.minute + MINUTE - now
        found.permits = min(AT_ONCE, found.permits + (now - found.at) * PER_SECOND)
        found.at = now
        if found.permits < 1.0:
            return (1.0 - found.permits) / PER_SECOND
        found.permits -= 1.0
        return 0.0

    def refused(self, caller: str, now: float) -> None:
        """Count a command that was refused."""
        found = self._caller(caller, now)
        if now >= found.minute + MINUTE:
            found.refused, found.minute = 0, now
        found.refused += 1

    def _caller(self, caller: str, now: float) -> _Caller:
        found = self._callers.setdefault(caller, _Caller(AT_ONCE, now, minute=now))
        self._callers.move_to_end(caller)
        while len(self._callers) > KEPT:
            self._callers.popitem(last=False)
        return found


_STATUS = {"role": 403, "arguments": 422, "unknown_command": 422}
"""HTTP status by the code of a refusal; any other refusal is a conflict, 409."""

_EXAMPLES = {
    each.name: {
        "id": f"panel-{number}",
        "name": each.name,
        **({"arguments": dict(each.example)} if each.example else {}),
    }
    for number, each in enumerate((each for each in COMMANDS if each.example is not None), 1)
}


def command_schemas() -> dict[str, dict[str, Any]]:
    """The JSON schemas of all commands by component name; `GiveCommand` is any one of them.

    References point to `#/components/schemas/`, where the OpenAPI description has them.
    """
    kinds: list[tuple[type[BaseModel], Literal["validation"]]] = [
        (kind.arguments, "validation") for kind in COMMANDS
    ]
    arguments, top = models_json_schema(kinds, ref_template="#/components/schemas/{model}")
    request = CommandRequest.model_json_schema()["properties"]
    found: dict[str, dict[str, Any]] = dict(top.get("$defs", {}))
    names = []
    for kind in COMMANDS:
        given = arguments[kind.arguments, "validation"]
        optional = not any(field.is_required() for field in kind.arguments.model_fields.values())
        names.append(f"Command_{kind.name}")
        found[names[-1]] = {
            "type": "object",
            "title": kind.name,
            "description": f"{kind.summary} Least role: {kind.role.value}.",
            "properties": {
                "id": request["id"],
                "name": {"const": kind.name, "type": "string"},
                "arguments": given,
            },
            "required": ["id", "name"] if optional else ["id", "name", "arguments"],
            "additionalProperties": False,
        }
    found["GiveCommand"] = {
        "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in names],
    }
    return found


class CommandDescription(BaseModel):
    """One command: what it does, the least role that may give it, the schema of its arguments."""

    name: str
    summary: str
    role: UserRole
    arguments: dict[str, Any] = Field(description="JSON schema of `arguments`.")


class CommandTable(BaseModel):
    """Every command."""

    commands: list[CommandDescription]


@cache
def _table_text() -> str:
    """The table of all commands as JSON, made once in a process."""
    return json_text(
        {
            "commands": [
                {
                    "name": kind.name,
                    "summary": kind.summary,
                    "role": kind.role.value,
                    "arguments": kind.arguments.model_json_schema(),
                }
                for kind in COMMANDS
            ]
        }
    )


class CommandRoutes:
    """Passes commands to the service, for callers whose role suffices."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        self._limits = CommandLimits()
        self._table = _table_text()

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "commands", CommandTable, self.commands)
        register(
            app,
            "give_command",
            CommandReply,
            self.give,
            409,
            429,
            503,
            more={202: "Accepted: the command takes effect later."},
            examples=_EXAMPLES,
        )

    async def commands(self) -> Response:
        return text_response(self._table)

    async def give(self, request: Request, command: CommandRequest) -> Response:
        identity: Identity = request.scope["state"][IDENTITY]
        loop = asyncio.get_running_loop()
        wait = self._limits.wait(identity.credential, command.name, loop.time())
        if wait > 0:
            raise ProblemError(
                429,
                "too_many_commands",
                "The caller has given too many commands, or too many that were refused.",
                f"Wait {wait:.0f} s; commands that stop the table are always accepted.",
                {"Retry-After": str(round(wait + 1))},
            )
        try:
            check_command(command, identity.role, self._service.feed.status)
        except ProblemError:
            self._limits.refused(identity.credential, loop.time())
            raise
        state = request.scope["state"]
        actor = Actor(identity.name, identity.role, state[CLIENT], state.get(ADDRESS, ""))
        reply = await self._service.submit(command, actor)
        if reply.state == "refused":
            self._limits.refused(identity.credential, loop.time())
            status = _STATUS.get(reply.code, 409)
            raise ProblemError(status, reply.code or "refused", reply.sentence, reply.next_step)
        return json_response(reply.model_dump(), 202 if reply.state == "accepted" else 200)


def check_command(command: CommandRequest, role: UserRole, status: Status) -> None:
    """Raises ProblemError for an unknown command, for wrong arguments and for a role too low."""
    kind = BY_NAME.get(command.name)
    if kind is None:
        raise ProblemError(
            422,
            "unknown_command",
            f"There is no command '{command.name}'.",
            f"Give one of {', '.join(BY_NAME)}.",
        )
    _require(role, kind.role, f"give the command '{command.name}'")
    try:
        given = kind.arguments.model_validate(command.arguments)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "arguments"
        raise ProblemError(
            422,
            "arguments",
            f"The arguments of '{command.name}' are wrong: {place[:80]}: {first['msg']}.",
            "Compare them with the schema in `GET /api/v1/commands`.",
        ) from None
    least = None if kind.target_role is None else kind.target_role(status, given)
    if least is not None:
        _require(role, least, kind.target)


def _require(role: UserRole, least: UserRole, act: str) -> None:
    if not role.includes(least):
        raise ProblemError(
            403,
            "role",
            f"The role '{role.value}' may not {act}; it needs the role '{least.value}'.",
            f"Ask a person with the role '{least.value}'.",
        )
