"""The leases of boards during service mode: held for one motion, with power on the motors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress

from config.schema import Table
from controller.run.faults.retry import FaultHandler
from controller.run.pausing.power_lease import BoardSupply, supplies
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError


class BoardLeases:
    """Holds the leases of boards for the duration of a block.

    `supply` are the supplies of boards with a relay or with signal lamps, by name; without them,
    supplies are created for the table.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, Board],
        supply: Mapping[str, BoardSupply] | None = None,
    ) -> None:
        self._table = table
        self._boards = boards
        self._supply = supplies(table, boards, FaultHandler()) if supply is None else supply

    @asynccontextmanager
    async def held(self, channels: Iterable[str]) -> AsyncIterator[None]:
        """Hold the leases of these channels' boards within a block. Raises BoardError, TableFault.

        At the end all motion of these boards is stopped, also if a lamp keeps the lease.
        """
        names = dict.fromkeys(self._table.board_of(channel) for channel in channels)
        taken: list[Board | BoardSupply] = []
        try:
            for name in names:
                lessor = self._supply.get(name) or self._boards[name]
                await lessor.hold_lease()
                taken.append(lessor)
            yield
        finally:
            self.stop(names)
            for lessor in reversed(taken):
                with suppress(BoardError):
                    await lessor.release_lease()

    def stop(self, boards: Iterable[str] | None = None) -> None:
        """Stop all motion of these boards now; of every board without names."""
        for name in self._boards if boards is None else boards:
            self._boards[name].stop_all()
