"""The lease of one board, shared: work needs it with the motors' power, lamps need it without.

hold    the relay's contact must be open; lease, coil, contact closed; then motors may start
    give    coil, motors, lamps, all to their safe values; lamps are then lit again

Work has priority. When its last holder gives the lease back, the board lets all outputs go to their
safe values, as on a board without lamps, and the lamps take a lease of their own. So no motion
continues after the work that started it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from config.schema import RelayModule, Table
from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError


class BoardSupply:
    """One board's lease, and the relay that feeds its motors, if it has one.

    `care` says what is done about a relay that does not obey.
    """

    def __init__(self, board: Board, relay: RelayModule | None, care: Care) -> None:
        self.board = board
        self.fell: Callable[[], None] = _nobody
        """Called when all outputs, lamps included, went to their safe values."""
        self._relay = relay
        self._care = care
        self._turn = asyncio.Lock()
        """Held while work takes or gives back, and while a person is asked about the relay."""
        self._changing = asyncio.Lock()
        """Held while the board's own lease is taken or given back."""
        self._work = 0
        self._powered = False
        self._shown_by: set[str] = set()
        """Components that show something, and so need the lease without work."""
        self._live = False
        self._doubtful = False

    @property
    def live(self) -> bool:
        """Whether the board's lease is held now, by any holder."""
        return self._live

    # For work

    async def hold_lease(self) -> None:
        """The lease, with power on the motors; calls nest. Raises BoardError, TableFault."""
        async with self._turn:
            self._work += 1
            if self._work == 1:
                try:
                    await self._care.cured(self._power, self._cut)
                except BaseException:
                    self._work -= 1
                    raise

    async def release_lease(self) -> None:
        """Give the lease back; after the outermost call every output is at its safe value."""
        async with self._turn:
            if not self._work:
                return  # the lease could not be taken
            self._work -= 1
            if not self._work:
                await self._drop()

    async def settled(self) -> None:
        """Wait until a change of the lease that is under way has succeeded or failed."""
        async with self._turn:
            pass

    # For lamps

    async def light(self, who: str) -> None:
        """A component shows something from now on and needs the lease. Raises BoardError."""
        self._shown_by.add(who)
        await self._take()

    async def dim(self, who: str) -> None:
        """A component's display needs no lease any more. Raises BoardError."""
        self._shown_by.discard(who)
        if not self._work and not self._shown_by:
            await self._drop()

    def doubt(self) -> None:
        """The board may have dropped its lease by itself: take the lamps' lease anew."""
        self._doubtful = True

    # Helpers

    async def _take(self) -> None:
        if self._doubtful and not self._powered:
            with suppress(BoardError):
                await self._drop()
        self._doubtful = False
        async with self._changing:
            if not self._live:
                await self.board.hold_lease()
                self._live = True

    async def _drop(self) -> None:
        async with self._changing:
            if not self._live:
                return
            self._live = self._powered = False
            try:
                await self.board.release_lease()
            finally:
                self.fell()

    async def _power(self) -> None:
        """Lease and power, or neither. Raises TableFault for a contact that does not follow."""
        try:
            await self._open()
            await self._take()
            await self._close()
            self._powered = True
        except BaseException:
            with suppress(BoardError):
                await self._drop()
            raise

    async def _cut(self, _: TableFault) -> None:
        """The relay's automatic cure: release it and try once more."""
        if self._relay is not None:
            await asyncio.sleep(self._relay.seconds)

    async def _open(self) -> None:
        """Check that the contact is open first: a welded contact could not cut the motors."""
        relay = self._relay
        if relay is None or relay.contact is None or not await self.board.read(relay.contact):
            return
        # The relay may have been released at this very moment.
        await asyncio.sleep(relay.seconds)
        if await self.board.read(relay.contact):
            evidence = f"{relay.contact} is active while {relay.coil} is off"
            raise TableFault(Fault.WELDED, relay.coil, evidence)

    async def _close(self) -> None:
        relay = self._relay
        if relay is None:
            return
        await self.board.set(relay.coil, 1)
        await asyncio.sleep(relay.seconds)
        if relay.contact is not None and not await self.board.read(relay.contact):
            evidence = f"{relay.contact} gave no signal within {relay.seconds:g} s"
            raise TableFault(Fault.RELAY, relay.coil, evidence)


def supplies(table: Table, boards: Mapping[str, Board], care: Care) -> dict[str, BoardSupply]:
    """The supply of every board that has a relay, lamps of the tower or the buzzer, by its name."""
    modules = table.modules
    relays = {table.board_of(relay.coil): relay for relay in modules.relay}
    shown = list(modules.tower.lamps.values()) if modules.tower else []
    shown += [modules.buzzer.sounder] if modules.buzzer else []
    names = dict.fromkeys([*relays, *map(table.board_of, shown)])
    return {name: BoardSupply(boards[name], relays.get(name), care) for name in names}


def _nobody() -> None:
    """The default listener: no component shows anything."""
