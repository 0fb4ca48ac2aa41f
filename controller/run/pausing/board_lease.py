"""The lease of one board for work that lasts through pauses; it is taken again after each pause."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from controller.run.pausing.interruption import Interruption
from controller.run.pausing.power_lease import BoardSupply
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError, BoardRefusedError


class BoardLease:
    """Counts the holders of a board's lease; they stay holders during a pause without a lease.

    Where the board has a `supply`, the lease is taken from there, with power on the motors.
    """

    def __init__(
        self, board: Board, supply: BoardSupply | None, interruption: Interruption
    ) -> None:
        self._board = board
        self._supply = supply
        self._lessor: Board | BoardSupply = supply or board
        self._interruption = interruption
        self._holders = 0
        self._leased = False

    @property
    def is_wanted(self) -> bool:
        """Whether work holds the lease; it stays a holder during a pause."""
        return self._holders > 0

    @property
    def is_leased(self) -> bool:
        """Whether the lease is being renewed now."""
        return self._leased

    async def hold(self) -> None:
        """Add a holder and take the lease; calls nest. Raises BoardError, TableFault."""
        self._holders += 1
        try:
            await self._interruption.repeat(self.take)
        except BaseException:
            self._holders -= 1
            raise

    async def release(self) -> bool:
        """Remove a holder; returns whether it was the last one. Raises BoardRefusedError.

        The board's lease itself is released by `give_back`.
        """
        if not self._holders:
            raise BoardRefusedError(
                f"board {self._board.name}: the lease cannot be released, because it is not held."
            )
        self._holders -= 1
        return not self._holders

    async def give_back(self) -> None:
        """Release the board's lease, after the last holder. Raises BoardError."""
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
        while self._holders:
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
            # Another holder may be taking the lease right now, before the motors have power.
            await self._supply.wait_settled()
            if self._leased:
                return

    async def drop(self) -> None:
        """Drop the lease when a pause begins: outputs go to safe values if the board answers."""
        if self._leased:
            self._leased = False
            with suppress(BoardError):
                await self._lessor.release_lease()

    def forget(self) -> None:
        """Note that the board is being closed, which ends its lease."""
        self._leased = False

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Hold the lease, with power on the motors, within a block during a pause."""
        await self._lessor.hold_lease()
        try:
            yield
        finally:
            await self._lessor.release_lease()
