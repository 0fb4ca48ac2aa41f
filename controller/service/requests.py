"""A command from a client, the reply to it, its refusal, and the person or device that gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from controller.service.status import Value
from controller.service.user_roles import UserRole
from rules.errors import WallwrightError


class CommandRequest(Value):
    """A command from a client; `id` is the client's own, unique in the table's life."""

    id: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+$")
    name: str = Field(max_length=40)
    arguments: dict[str, object] = Field(default_factory=dict)


class CommandReply(Value):
    """The result of a command: accepted (it takes effect later), done, or refused.

    `code` is a short name of the refusal for programs; `next_step` says what a person can do.
    """

    id: str
    state: Literal["accepted", "done", "refused"]
    sentence: str = ""
    code: str = ""
    next_step: str = ""


class CommandRefusedError(WallwrightError, ValueError):
    """A command that the present state does not permit; `code` is short, for programs."""

    def __init__(self, code: str, sentence: str, next_step: str = "") -> None:
        super().__init__(sentence)
        self.code = code
        self.next_step = next_step


@dataclass(frozen=True)
class Actor:
    """The person or device that gives a command, as the API has authenticated it.

    `client` identifies the connection, for the control lease of recoveries. `address` is the
    network address of the client, for the audit log.
    """

    name: str
    role: UserRole
    client: str
    address: str = ""
