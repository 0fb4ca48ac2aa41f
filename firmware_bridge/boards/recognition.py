"""Recognises a board that answers again: its serial number, its configuration, its counters.

A board can be replaced, or its cable can be put into another table, while the line is down. Such a
stranger would count from elsewhere, so it is neither configured nor driven.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.board import BoardIdentity
from firmware_bridge.wire.errors import StrangeBoardError

UNCONFIGURED = 0
"""The checksum of a board that has lost its channel table with its power."""
BOOTS = 0x10000
"""The board's boot counter begins at 0 again after so many."""


class Recognition:
    """What a host remembers of one board. `serial` is the number that the table's file names."""

    def __init__(self, board: str, serial: str | None) -> None:
        self._board = board
        self._serial = serial
        self._met: BoardIdentity | None = None
        self._counts: dict[int, int] = {}

    @property
    def counts(self) -> Mapping[int, int]:
        """The highest count that was seen of each channel, by its number."""
        return self._counts

    @property
    def has_met(self) -> bool:
        """Whether the board has answered before."""
        return self._met is not None

    def counted(self, channel: int, count: int) -> None:
        """Remember what a channel has counted."""
        self._counts[channel] = max(count, self._counts.get(channel, 0))

    def check(self, identity: BoardIdentity, configuration: int) -> None:
        """Compare a board that answers with the one that was met. Raises BoardStranger.

        `configuration` is the checksum of this table's channels: on a board that was met, any other
        means that another program has used it.
        """
        name, met = self._board, self._met
        if self._serial is not None and identity.serial != self._serial:
            raise StrangeBoardError(
                f"board {name}: a board with serial {identity.serial} answers, and the table's file"
                f" names {self._serial}; connect that one, or correct boards.{name}.serial."
            )
        if met is None:
            return
        if identity.serial != met.serial:
            raise StrangeBoardError(
                f"board {name}: a board with serial {identity.serial} answers where {met.serial}"
                " did; connect that one again."
            )
        if (identity.boots - met.boots) % BOOTS >= BOOTS // 2:
            raise StrangeBoardError(
                f"board {name} (serial {met.serial}) has started {identity.boots} times and had"
                f" started {met.boots} times before: it has lost its memory."
            )
        if identity.configuration_crc not in (UNCONFIGURED, configuration):
            raise StrangeBoardError(
                f"board {name} (serial {met.serial}) has the configuration of another table"
                f" ({identity.configuration_crc:04x}, not {configuration:04x}): end the program"
                " that used it, then switch the board off and on."
            )

    def check_count(self, channel: int, sensor: str, count: int) -> None:
        """Raise BoardStranger for a count that went back."""
        seen = self._counts.get(channel, 0)
        if count < seen:
            raise StrangeBoardError(
                f"board {self._board}: {sensor} counts {count} and had counted {seen}; it is"
                " another board, or it has lost its memory."
            )

    def met(self, identity: BoardIdentity) -> None:
        """The board has been recognised."""
        self._met = identity
