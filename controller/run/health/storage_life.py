"""The storage life of each board: the used share, and the rounds that remain at the present rate.

A board keeps its state in a storage with a limited number of writes, and reports which share of
them it has used (docs/decisions/0022). The daemon asks for it when a run stops, after all motors
have stopped, and records it in the journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError

LONGEST_ANSWER = 0.5
"""Seconds that the stop of a run waits for the answers of all boards (our choice)."""
WHOLE = 1000
"""The storage's specified writes, permille."""


async def storage_used(boards: Mapping[str, Board]) -> dict[str, int]:
    """The used share of each board's storage, permille, without boards that do not report it.

    All boards are asked at once. Takes at most `LONGEST_ANSWER` and raises no BoardError.
    """
    answers = await asyncio.gather(*map(_answer_of, boards.values()))
    return {name: used for name, used in zip(boards, answers, strict=True) if used is not None}


async def _answer_of(board: Board) -> int | None:
    with suppress(BoardError, TimeoutError):
        async with asyncio.timeout(LONGEST_ANSWER):
            return await board.storage_used()
    return None


@dataclass
class StorageLife:
    """One board in a journal: its shares, and the rounds played with it.

    `first` and `last` are reported shares, permille, rounded down; None before the first report.
    `first_at` and `last_at` are the numbers of rounds with this board at these reports.
    """

    serial: str = ""
    rounds: int = 0
    first: int | None = None
    first_at: int = 0
    last: int | None = None
    last_at: int = 0

    def reported(self, used: int) -> None:
        """Add a reported share. A lower one than before begins a new life: the storage is new."""
        if self.first is None or self.last is None or used < self.last:
            self.first, self.first_at = used, self.rounds
        self.last, self.last_at = used, self.rounds

    @property
    def rounds_left(self) -> int | None:
        """The rounds that remain at least if the next ones wear the storage as the reported ones.

        The shares are rounded down, so the storage can have lost up to one permille more than their
        difference, and up to one permille more than the last share says. None without a round
        between two reports.
        """
        if self.first is None or self.last is None or self.last_at == self.first_at:
            return None
        rest = max(0, WHOLE - self.last - 1)
        return rest * (self.last_at - self.first_at) // (self.last - self.first + 1)

    @property
    def facts(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return {
            "serial": self.serial,
            "used_permille": self.last,
            "rounds": self.rounds,
            "rounds_left": self.rounds_left,
        }


class StorageLives:
    """The storage life of every board in a journal, by name."""

    def __init__(self) -> None:
        self._lives: dict[str, StorageLife] = {}

    def begin_run(self, serials: Mapping[str, str]) -> None:
        """Add the boards of a run; a board with another serial number than before is a new one."""
        for board, serial in serials.items():
            if board not in self._lives or self._lives[board].serial != serial:
                self._lives[board] = StorageLife(serial)

    def add_round(self) -> None:
        """Add a round, which all boards have played."""
        for life in self._lives.values():
            life.rounds += 1

    def reported(self, used: Mapping[str, int]) -> None:
        """Add the shares that the boards reported when a run stopped, permille."""
        for board, share in used.items():
            self._lives.setdefault(board, StorageLife()).reported(share)

    @property
    def facts(self) -> dict[str, dict[str, Any]]:
        """The figures of each board as JSON values."""
        return {board: life.facts for board, life in sorted(self._lives.items())}
