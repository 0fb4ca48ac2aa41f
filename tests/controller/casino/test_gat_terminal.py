"""The terminal's side of GAT at a line whose replies are lost or come late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from controller.casino.gat import terminal as gat_terminal
from controller.casino.gat.frames import (
    QUERIES,
    SPECIAL_FUNCTIONS,
    GatCommand,
    GatError,
    GatFrame,
    GatFrameReader,
    GatStart,
    GatState,
)
from controller.casino.gat.functions import GatRequest, answers_in, list_of_answers
from controller.casino.gat.port import GatResponder
from controller.casino.gat.terminal import GatTerminal
from firmware_bridge.wire.transport import Lost, Receive

ALL = GatRequest(SPECIAL_FUNCTIONS, bytes(range(20)))
ANSWERS = {f"component {number}": f"{number:064x}" for number in range(12)}
"""Answers whose result has several frames."""


class Line:
    """Implements `Transport`, with a machine at its other end. What arrives, arrives at once.

    `replied` gets each reply, and returns the frames that the terminal receives now.
    """

    resets_boards = False

    def __init__(self) -> None:
        self.machine = GatResponder(tuple(ANSWERS), lambda _: None, lambda: 0.0)
        self.replied: Callable[[GatFrame], list[GatFrame]] = lambda reply: [reply]
        self.replies: list[GatFrame] = []
        self._queries = GatFrameReader(QUERIES)

    def connect(self, receive: Receive, _: Lost) -> None:
        """Note the terminal."""
        self._receive = receive

    def write(self, data: bytes) -> None:
        """Let the machine reply to a query."""
        for query in self._queries.feed(data, 0.0):
            self.replies.append(self.machine.reply(query))
            for frame in self.replied(self.replies[-1]):
                self._receive(frame.to_bytes())

    def close(self) -> None:
        """Nothing is open."""


def at(line: Line, use: Callable[[GatTerminal], Awaitable[None]]) -> None:
    """Use a terminal at a line."""

    async def main() -> None:
        async with asyncio.timeout(60):
            await use(GatTerminal(line))

    asyncio.run(main())


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gat_terminal, "REPLY_LIMIT", 0.01)
    monkeypatch.setattr(gat_terminal, "POLL", 0.01)


def with_a_result() -> Line:
    """Return a line to a machine whose calculation is done."""
    line = Line()
    line.machine.reply(GatFrame(GatCommand.START, ALL.to_bytes()))
    line.machine.finish(ANSWERS)
    return line


def test_late_replies_to_repeated_queries_are_not_taken_as_the_next_frames() -> None:
    line = with_a_result()
    waiting: list[GatFrame] = []

    def one_late(reply: GatFrame) -> list[GatFrame]:
        waiting.append(reply)
        return [waiting.pop(0)] if len(waiting) > 1 else []

    async def use(terminal: GatTerminal) -> None:
        line.replied = one_late
        assert await terminal.result() == list_of_answers(ANSWERS)

    at(line, use)
    assert len(line.replies) > 3, "the result has several frames"


def test_a_machine_that_repeats_an_earlier_frame_for_ever_counts_as_silent() -> None:
    line = with_a_result()
    line.replied = lambda _: [line.replies[0]] * 2

    async def use(terminal: GatTerminal) -> None:
        with pytest.raises(GatError, match="did not answer 3 times"):
            await terminal.result()

    at(line, use)


def test_a_lost_reply_to_a_request_does_not_fail_a_calculation_that_ends_at_once() -> None:
    """The machine refuses the repeated request because it is busy, and is done soon after that."""
    line = Line()
    answers: list[GatStart] = []

    def without_the_first(reply: GatFrame) -> list[GatFrame]:
        if reply.command is not GatCommand.START_REPLY:
            return [reply]
        answers.append(GatStart(reply.data[0]))
        if len(answers) == 1:
            return []
        line.machine.finish(ANSWERS)
        return [reply]

    async def use(terminal: GatTerminal) -> None:
        line.replied = without_the_first
        assert answers_in(await terminal.calculated(ALL, 60.0)) == ANSWERS

    at(line, use)
    assert answers == [GatStart.ACKNOWLEDGED | GatStart.STARTED, GatStart(0)]


def test_a_request_that_is_not_offered_is_refused_also_after_an_earlier_result() -> None:
    line = with_a_result()

    async def use(terminal: GatTerminal) -> None:
        assert (await terminal.status()).state is GatState.DONE
        for request, reason in (
            (GatRequest(SPECIAL_FUNCTIONS, bytes(20), "daemon"), "refused the request"),
            (GatRequest(2, bytes(20)), "does not offer this level"),
        ):
            with pytest.raises(GatError, match=reason):
                await terminal.calculated(request, 60.0)

    at(line, use)
