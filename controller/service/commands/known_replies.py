"""Replies to commands by client and id, by which a repeated command is recognised.

Before a command is executed its reply is stored as `interrupted`, and replaced when it ends. If the
service is killed in between, a repeated command gets that reply and is not executed a second time.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from controller.service.evening.evening_store import StoreError
from controller.service.evening.store_thread import StoreThread
from controller.service.requests import CommandRefusedError, CommandReply, CommandRequest

REPLIES = 1000
"""Number of replies that are kept in memory; the store keeps more."""
FREE_SPACE = "Free space on the disk of the data folder; the service tries again every 5 s."
LOOK_FIRST = "Look at the table, and give the command again if it had no effect."
Facts = dict[str, Any]


class KnownReplies:
    """The replies of one table, in memory and in the store; a key is a client and an id."""

    def __init__(self, thread: StoreThread) -> None:
        self._thread = thread
        self._latest: dict[str, Facts] = {}

    async def find(self, key: str, *, is_stored: bool) -> Facts | None:
        """The facts of a reply, from memory or the store; None without one. Raises StoreError."""
        if key in self._latest or not is_stored:
            return self._latest.get(key)
        return await self._thread.read(lambda store: store.reply(key))

    def begin(self, key: str, request: CommandRequest) -> None:
        """Begin to store that a command may be executed from now on; `begun` waits for it."""
        facts = _facts(request, _interrupted(request))
        self._thread.write(lambda store: store.put_reply(key, facts))

    def withdraw(self, key: str) -> None:
        """Forget a command that was refused: if it is repeated, it is executed."""
        self._thread.write(lambda store: store.put_reply(key, None))

    async def begun(self) -> None:
        """Wait until `begin` is on disk. Raises CommandRefusedError."""
        try:
            await self._thread.stored()
        except StoreError as error:
            raise not_stored(str(error)) from error

    async def keep(
        self, key: str, request: CommandRequest, reply: CommandReply, *, is_stored: bool
    ) -> None:
        """Keep a reply; returns when it and all earlier writes are on disk. Raises StoreError.

        With `is_stored` false the reply is kept in memory only.
        """
        facts = _facts(request, reply)
        if is_stored:
            self._thread.write(lambda store: store.put_reply(key, facts))
            await self._thread.stored()
        self._latest[key] = facts
        if len(self._latest) > REPLIES:
            del self._latest[next(iter(self._latest))]


def not_stored(failure: str) -> CommandRefusedError:
    """The refusal of a command whose effect cannot be stored."""
    return CommandRefusedError("not_stored", f"The command is not stored. {failure}", FREE_SPACE)


def repeated(request: CommandRequest, kept: Facts) -> CommandReply:
    """The reply to a command with an id that the client has used before."""
    facts = dict(kept)
    command, arguments = facts.pop("command"), facts.pop("arguments", None)
    if (command, arguments) != (request.name, _digest(request)):
        other = "" if command != request.name else " with other arguments"
        return CommandReply(
            id=request.id,
            state="refused",
            sentence=f"The id '{request.id}' was used for the command '{command}'{other}.",
            code="id_used",
            next_step="Give every command an id of its own.",
        )
    return CommandReply.model_validate(facts)


def _facts(request: CommandRequest, reply: CommandReply) -> Facts:
    """A reply with what identifies its command."""
    return {
        "command": request.name,
        "arguments": _digest(request),
        **reply.model_dump(mode="json"),
    }


def _interrupted(request: CommandRequest) -> CommandReply:
    """The reply to a repeated command whose first execution was interrupted."""
    return CommandReply(
        id=request.id,
        state="refused",
        sentence=(
            f"The command '{request.name}' was interrupted before its reply, and is not executed a"
            " second time."
        ),
        code="interrupted",
        next_step=LOOK_FIRST,
    )


def _digest(request: CommandRequest) -> str:
    """The hash of a command's arguments, by which a repeated command is compared."""
    text = json.dumps(request.arguments, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
