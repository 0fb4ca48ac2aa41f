"""Recognises a board after a reconnect by its serial number, configuration and counters.

A board can be replaced, or its cable can be put into another table, while the line is down. The
counters of another board have other values, so such a board is neither configured nor driven.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.board import BoardIdentity
from firmware_bridge.wire.errors import StrangeBoardError

UNCONFIGURED = 0
"""The checksum that a board reports after a power loss, which clears its channel table."""
BOOTS = 0x10000
"""The number of boots after which the board's boot counter begins at 0 again."""


class Recognition:
    """Identity and counters of one board, as last seen.

    `serial` and `chip` are those of the table's file.
    """

    def __init__(self, board: str, serial: str | None, chip: str) -> None:
        self._board = board
        self._serial = serial
        self._chip = chip
        self._last_serial: str | None = None
        self._identified: BoardIdentity | None = None
        self._counts: dict[int, int] = {}

    @property
    def counts(self) -> Mapping[int, int]:
        """The highest count seen of each channel, by its number."""
        return self._counts

    @property
    def was_identified(self) -> bool:
        """Whether the board has been identified before."""
        return self._identified is not None

    def expect(self, serial: str | None) -> None:
        """Set the serial number that the board had in the last run of the journal, if it is known.

        A serial number in the table's file has priority over it.
        """
        self._last_serial = serial

    def counted(self, channel: int, count: int) -> None:
        """Record a channel's count."""
        self._counts[channel] = max(count, self._counts.get(channel, 0))

    def check(self, identity: BoardIdentity, configuration: int) -> None:
        """Compare a board with the one identified before. Raises StrangeBoardError.

        `configuration` is the checksum of this table's channels. Another value, on a board that was
        identified before, means that another program has used the board.
        """
        name, before = self._board, self._identified
        if self._serial is not None and identity.serial != self._serial:
            raise StrangeBoardError(
                f"board {name}: a board with serial {identity.serial} answers, but the table's file"
                f" names {self._serial}; connect {self._serial}, or correct boards.{name}.serial."
            )
        if identity.chip != self._chip:
            raise StrangeBoardError(
                f"board {name}: a board with serial {identity.serial} and the chip {identity.chip}"
                f" answers, but the table's file describes the pins of a {self._chip}; connect a"
                f" {self._chip}, or set boards.{name}.chip and correct the board's pins."
            )
        if before is None:
            last = self._last_serial if self._serial is None else None
            if last is not None and identity.serial != last:
                raise StrangeBoardError(
                    f"board {name}: a board with serial {identity.serial} answers, but the last run"
                    f" of the journal had {last}; connect {last}, or set boards.{name}.serial to"
                    f" {identity.serial} in the table's file."
                )
            return
        if identity.serial != before.serial:
            raise StrangeBoardError(
                f"board {name}: a board with serial {identity.serial} answers instead of"
                f" {before.serial}; connect board {before.serial} again."
            )
        if (identity.boots - before.boots) % BOOTS >= BOOTS // 2:
            raise StrangeBoardError(
                f"board {name} (serial {before.serial}) reports {identity.boots} starts, and"
                f" reported {before.boots} before: it has lost its memory."
            )
        if identity.configuration_crc not in (UNCONFIGURED, configuration):
            raise StrangeBoardError(
                f"board {name} (serial {before.serial}) has the configuration of another table"
                f" ({identity.configuration_crc:04x}, not {configuration:04x}): end the program"
                " that used it, then switch the board off and on."
            )

    def check_count(self, channel: int, sensor: str, count: int) -> None:
        """Raise StrangeBoardError for a count that decreased."""
        seen = self._counts.get(channel, 0)
        if count < seen:
            raise StrangeBoardError(
                f"board {self._board}: the count of {sensor} decreased from {seen} to {count}; this"
                " is another board, or the board has lost its memory."
            )

    def record(self, identity: BoardIdentity) -> None:
        """Record the identity of a board that was checked."""
        self._identified = identity
