"""What puts tiles before a head's pusher: the wheel past the counter, or the magazine."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from controller.run.faults.failures import TableFault
from controller.run.stations.tile_counter import TileCounter


class StackSource(Protocol):
    """Brings tiles to the pusher of a head; the push calls it to remove a fault of its own."""

    @property
    def part(self) -> str:
        """The part that a fault of the push names."""

    @property
    def sensor(self) -> str:
        """The sensor that counts the tiles."""

    @property
    def tile_counter(self) -> TileCounter:
        """The tiles that have come."""

    async def lift(self, tiles: int) -> int:
        """Bring this number of tiles; returns it. Raises TableFault."""

    async def is_stuck(self) -> bool:
        """Whether a tile sticks, so that the pusher cannot turn."""

    async def loosen(self, fault: TableFault) -> None:
        """Try to free the stuck tile, before the next attempt of the push."""

    async def feed_again(self, fault: TableFault) -> None:
        """Bring tiles in place of those that a person removed to clear a fault of the push."""

    def at_rest(self) -> AbstractAsyncContextManager[None]:
        """Stop all parts below while a person reaches in."""
