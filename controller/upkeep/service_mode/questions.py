"""Questions of service mode to the technician: one at a time, each with an id."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Literal

from controller.upkeep.selftest import TrialAnswer
from controller.upkeep.service_mode.mode_status import ModeQuestion, ServiceModeRefusalError

BEGIN, SKIP = "begin", "skip"
"""The answers to the announcement of a trial."""


class TechnicianQuestions:
    """Asks the technician and waits for the answer; `changed` is called at every change."""

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._number = 0
        self._answer: asyncio.Future[str] | None = None
        self.open: ModeQuestion | None = None
        """The question that is not answered yet."""
        self._last: tuple[str, str] = ("", "")

    async def ask(
        self,
        kind: Literal["begin", "confirm", "measure"],
        text: str,
        choices: tuple[str, ...] = (),
        unit: str = "",
    ) -> str:
        """Ask, and return the answer: one of the choices, or the number of a measurement."""
        self._number += 1
        self.open = ModeQuestion(
            id=f"s{self._number}",
            kind=kind,
            text=text,
            choices=choices,
            unit=unit,
            since=round(self._clock(), 3),
        )
        self._answer = asyncio.get_running_loop().create_future()
        self._changed()
        try:
            return await self._answer
        finally:
            self.open = self._answer = None
            self._changed()

    def answer(self, question: str, value: str) -> None:
        """Answer a question by its id. Raises ServiceModeRefusalError.

        The same answer to the last question again has no effect.
        """
        if (question, value) == self._last:
            return
        asked, waiting = self.open, self._answer
        if asked is None or waiting is None or asked.id != question or waiting.done():
            raise ServiceModeRefusalError(
                "no_question",
                f"The question '{question[:20]}' is not open.",
                "Answer the question that is shown now.",
            )
        if asked.kind == "measure":
            value = _number(value, asked.unit)
        elif value not in asked.choices:
            raise ServiceModeRefusalError(
                "bad_answer",
                f"'{value[:40]}' is not an answer to this question.",
                f"Answer {' or '.join(asked.choices)}.",
            )
        self._last = (question, value)
        waiting.set_result(value)


def _number(value: str, unit: str) -> str:
    """A measured value as text. Raises ServiceModeRefusalError if it is no positive number."""
    try:
        number = float(value.replace(",", "."))
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ServiceModeRefusalError(
            "bad_answer",
            f"'{value[:40]}' is not a positive number.",
            f"Enter the measured number of {unit}.",
        )
    return repr(number)


ANSWERS = {"yes": TrialAnswer.YES, "no": TrialAnswer.NO, SKIP: TrialAnswer.SKIP}
"""The answers to the question of a trial."""
