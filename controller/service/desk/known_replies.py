"""Replies to commands by client and id, by which a repeated command is recognised."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from controller.service.commands import CommandReply, CommandRequest
from controller.service.commands.refusal import CommandRefusedError
from controller.service.evening.store_thread import StoreThread

REPLIES = 1000
"""Number of replies that are kept in memory; the store keeps more."""
FREE_SPACE = "Free space on the disk of the data folder; the service tries again every 5 s."
PAUSE_NOT_STORED = (
    "The pause is not stored yet: if the service restarts now, the table is not paused."
)
Facts = dict[str, Any]


class KnownReplies:
    """The replies of one table, in memory and in the store; a key is a client and an id."""

    def __init__(self, thread: StoreThread) -> None:
        self._thread = thread
        self._latest: dict[str, Facts] = {}

    def latest(self, key: str) -> Facts | None:
        """The facts of a reply that is in memory; None without one."""
        return self._latest.get(key)

    async def find(self, key: str, *, is_stored: bool) -> Facts | None:
        """The facts of a reply, from memory or the store; None without one. Raises StoreError."""
        if key in self._latest or not is_stored:
            return self._latest.get(key)
        return await self._thread.read(lambda store: store.reply(key))

    async def keep(
        self, key: str, request: CommandRequest, reply: CommandReply, *, is_stored: bool
    ) -> None:
        """Keep a reply; returns when it and all earlier writes are on disk. Raises StoreError.

        With `is_stored` false the reply is kept in memory only.
        """
        facts = {
            "command": request.name,
            "arguments": _digest(request),
            **reply.model_dump(mode="json"),
        }
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


def _digest(request: CommandRequest) -> str:
    """The hash of a command's arguments, by which a repeated command is compared."""
    text = json.dumps(request.arguments, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
