"""The lease of one board for work that outlasts pauses: lost in a pause, taken again at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from controller.pausing.interruption import Interruption
from controller.pausing.power_lease import BoardSupply
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError, BoardRefusedError


class BoardLease:
    """Counts the holders of a board's lease; they stay holders during a pause without a lease.

    Where the board has a `supply`, the lease comes from there, with power on the motors.
    """

    def __init__(
        self, board: Board, supply: BoardSupply | None, interruption: Interruption
    ) -> None:
        self._board = board
        self._supply = supply
        self._lessor: Board | BoardSupply = supply or board
        self._interruption = interruption
        self._holds = 0
        self._leased = False

    @property
    def is_wanted(self) -> bool:
        """Whether work holds it, also during a pause."""
        return self._holds > 0

    @property
    def is_leased(self) -> bool:
        """Whether it is being renewed."""
        return self._leased

    async def hold(self) -> None:
        """Take the lease with all other holders; calls nest. Raises BoardError, TableFault."""
        self._holds += 1
        try:
            await self._interruption.repeat(self.take)
        except BaseException:
            self._holds -= 1
            raise

    async def release(self) -> bool:
        """Give the lease back; returns whether this was the last holder."""
        if not self._holds:
            name = self._board.name
            raise BoardRefusedError(f"board {name}: the lease is given back, but nobody holds it.")
        self._holds -= 1
        return not self._holds

    async def give_back(self) -> None:
        """Release the board's lease, after the last holder."""
        if self._leased:
            self._leased = False
            pauses = self._interruption.pauses
            try:
                await self._lessor.release_lease()
            except BoardError as error:
                if not self._interruption.caused(error, pauses):
                    raise

    async def take(self) -> None:
        """Take the lease from the board if there are holders. Raises BoardError, TableFault."""
        while self._holds:
            if not self._leased:
                self._leased = True
                try:
                    await self._lessor.hold_lease()
                except BaseException:
                    self._leased = False
                    raise
                return
            if self._supply is None:
                return
            # The motors may not have their power yet.
            await self._supply.settled()
            if self._leased:
                return

    async def drop(self) -> None:
        """Begin a pause: every output goes to its safe value, as far as the board still answers."""
        if self._leased:
            self._leased = False
            with suppress(BoardError):
                await self._lessor.release_lease()

    def forget(self) -> None:
        """The board is closed, and the lease with it."""
        self._leased = False

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """The lease, with power on the motors, within a block of a pause."""
        await self._lessor.hold_lease()
        try:
            yield
        finally:
            await self._lessor.release_lease()
