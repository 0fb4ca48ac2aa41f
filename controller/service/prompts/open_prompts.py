"""The open prompts of a table: each has an id, waits for its answer, and is answered once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from controller.service.status import OpenPrompt, PromptKind
from rules.errors import WallwrightError

T = TypeVar("T")

REMEMBERED = 200
"""Number of answered prompts whose answers are kept, to recognise an answer that is repeated."""


class AnswerRefusedError(WallwrightError, ValueError):
    """An answer that a prompt does not permit, or an answer to a prompt that is not open."""


@dataclass(frozen=True)
class _Waiting:
    """A prompt, the conversion of its answer, and the future that takes the converted answer."""

    prompt: OpenPrompt
    read: Callable[[str], Any]
    answer: asyncio.Future[Any]


class OpenPrompts:
    """The prompts of one table, oldest first.

    `prefix` makes the ids differ from those of an earlier service. `changed` is called when a
    prompt opens or closes.
    """

    def __init__(
        self, prefix: str, clock: Callable[[], float], changed: Callable[[], None]
    ) -> None:
        self._prefix = prefix
        self._clock = clock
        self._changed = changed
        self._number = 0
        self._waiting: dict[str, _Waiting] = {}
        self._answered: OrderedDict[str, str] = OrderedDict()

    @property
    def open(self) -> tuple[OpenPrompt, ...]:
        """The open prompts, oldest first."""
        return tuple(waiting.prompt for waiting in self._waiting.values())

    def find(self, prompt: str) -> OpenPrompt | None:
        """The open prompt with this id; None if it is not open."""
        waiting = self._waiting.get(prompt)
        return None if waiting is None else waiting.prompt

    def takes_answer(self, kind: PromptKind) -> bool:
        """Whether a prompt of this kind was answered at this moment, and is closed next."""
        return any(
            waiting.prompt.kind == kind and waiting.answer.done()
            for waiting in self._waiting.values()
        )

    async def ask(self, prompt: OpenPrompt, read: Callable[[str], T]) -> T:
        """Open a prompt and wait for its answer; `read` converts it and raises RulesError if not.

        The prompt gets its id and its time here. If the caller is cancelled, the prompt closes.
        """
        self._number += 1
        name = f"{self._prefix}-{self._number}"
        opened = prompt.model_copy(update={"id": name, "since": round(self._clock(), 3)})
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting[name] = _Waiting(opened, read, answer)
        self._changed()
        try:
            return await answer
        finally:
            del self._waiting[name]
            self._changed()

    def answer(self, prompt: str, value: str) -> bool:
        """Answer a prompt; returns False if the same answer was given before.

        Raises AnswerRefusedError, or the RulesError of an answer that the prompt does not permit.
        """
        waiting = self._waiting.get(prompt)
        if waiting is None or waiting.answer.done():
            given = self._answered.get(prompt)
            if given == value:
                return False
            raise AnswerRefusedError(
                f"The prompt '{prompt}' is not open."
                if given is None
                else f"The prompt '{prompt}' was answered with '{given}' before."
            )
        waiting.answer.set_result(waiting.read(value))
        self._answered[prompt] = value
        while len(self._answered) > REMEMBERED:
            self._answered.popitem(last=False)
        return True
