"""Leases of boards: `BoardSupply` shares a board's lease, `BoardLease` keeps it through pauses.

A `BoardSupply` shares the lease of one board between work, which needs powered motors, and lamps or
a buzzer:

- `hold_lease` (work): the relay's contact must be open; then the lease is taken, the coil is
  switched on, and the contact must be closed. Only then may motors start.
- `release_lease` (work): the coil, all motors and all lamps go to their safe values. Lamps that
  need the lease are then lit again.

Work has priority. When its last holder releases the lease, the board's lease is released too, even
if lamps are lit: every output goes to its safe value, so no motion outlasts the work that started
it. The lamps then take the lease again, without power on the motors.

A `BoardLease` is the lease of work that lasts through pauses; it is taken again after each pause.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from config.schema import RelayModule, Table
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.pausing.pause_gate import Interruption
from firmware_bridge.board import Board
from firmware_bridge.wire.errors import BoardError, BoardRefusedError


class BoardSupply:
    """One board's lease, and the relay that switches the power of its motors, if it has one.

    `fault_handler` handles the faults of the relay: it retries, then asks a person.
    """

    def __init__(
        self, board: Board, relay: RelayModule | None, fault_handler: FaultHandler
    ) -> None:
        self.board = board
        self.on_release: Callable[[], None] = _no_listener
        """Called when all outputs, lamps included, have gone to their safe values."""
        self._relay = relay
        self._fault_handler = fault_handler
        self._work_lock = asyncio.Lock()
        """Held while work takes or releases the lease, also while a person is asked about the
        relay."""
        self._lease_lock = asyncio.Lock()
        """Held while the board's own lease is taken or released."""
        self._work = 0
        """How many holders of the lease do work."""
        self._powered = False
        self._signals: set[str] = set()
        """Signals (lamp tower, buzzer) that need the lease without work."""
        self._held = False
        self._uncertain = False

    @property
    def is_held(self) -> bool:
        """Whether the board's lease is held now, by work or by a signal."""
        return self._held

    # For work

    async def hold_lease(self) -> None:
        """Take the lease, with power on the motors; calls nest. Raises BoardError, TableFault."""
        async with self._work_lock:
            self._work += 1
            if self._work == 1:
                try:
                    await self._fault_handler.run(self._power, self._wait_for_relay)
                except BaseException:
                    self._work -= 1
                    raise

    async def release_lease(self) -> None:
        """Release the lease; after the outermost call every output is at its safe value."""
        async with self._work_lock:
            if not self._work:
                return  # an earlier `hold_lease` failed, so there is nothing to release
            self._work -= 1
            if not self._work:
                await self._release()

    async def wait_settled(self) -> None:
        """Wait until a change of the lease that has begun has succeeded or failed."""
        async with self._work_lock:
            pass

    # For lamps and the buzzer

    async def hold_for_signal(self, signal: str) -> None:
        """Take the lease for a signal, without power on the motors. Raises BoardError."""
        self._signals.add(signal)
        await self._take()

    async def release_for_signal(self, signal: str) -> None:
        """Release the lease if neither work nor another signal needs it. Raises BoardError."""
        self._signals.discard(signal)
        if not self._work and not self._signals:
            await self._release()

    def mark_uncertain(self) -> None:
        """Note that the board may have dropped its lease; before its next use it is taken again."""
        self._uncertain = True

    # Helpers

    async def _take(self) -> None:
        """Take the board's lease, unless it is held; take it again if it is uncertain."""
        if self._uncertain and not self._powered:
            with suppress(BoardError):
                await self._release()
        self._uncertain = False
        async with self._lease_lock:
            if not self._held:
                await self.board.hold_lease()
                self._held = True

    async def _release(self) -> None:
        """Release the board's lease, if it is held; every output goes to its safe value."""
        async with self._lease_lock:
            if not self._held:
                return
            self._held = self._powered = False
            try:
                await self.board.release_lease()
            finally:
                self.on_release()

    async def _power(self) -> None:
        """Take lease and power, or neither. Raises TableFault if the contact does not follow."""
        try:
            await self._check_contact_is_open()
            await self._take()
            await self._close_relay()
            self._powered = True
        except BaseException:
            with suppress(BoardError):
                await self._release()
            raise

    async def _wait_for_relay(self, _: TableFault) -> None:
        """Wait before the next attempt: the relay was released and needs time to open."""
        if self._relay is not None:
            await asyncio.sleep(self._relay.seconds)

    async def _check_contact_is_open(self) -> None:
        """Raise TableFault WELDED if the contact is closed: it could not cut the motors' power."""
        relay = self._relay
        if relay is None or relay.contact is None or not await self.board.read(relay.contact):
            return
        # The relay may have been released a moment ago.
        await asyncio.sleep(relay.seconds)
        if await self.board.read(relay.contact):
            evidence = f"{relay.contact} is active while {relay.coil} is off"
            raise TableFault(Fault.WELDED, relay.coil, evidence)

    async def _close_relay(self) -> None:
        """Switch the coil on. Raises TableFault RELAY if the contact does not close in time."""
        relay = self._relay
        if relay is None:
            return
        await self.board.set(relay.coil, 1)
        await asyncio.sleep(relay.seconds)
        if relay.contact is not None and not await self.board.read(relay.contact):
            evidence = f"{relay.contact} gave no signal within {relay.seconds:g} s"
            raise TableFault(Fault.RELAY, relay.coil, evidence)


def supplies(
    table: Table, boards: Mapping[str, Board], fault_handler: FaultHandler
) -> dict[str, BoardSupply]:
    """A supply for every board with a relay, a lamp of the tower or the buzzer, by its name."""
    modules = table.modules
    relays = {table.board_of(relay.coil): relay for relay in modules.relay}
    signals = list(modules.tower.lamps.values()) if modules.tower else []
    signals += [modules.buzzer.sounder] if modules.buzzer else []
    names = dict.fromkeys([*relays, *map(table.board_of, signals)])
    return {name: BoardSupply(boards[name], relays.get(name), fault_handler) for name in names}


def _no_listener() -> None:
    """Do nothing: the default of `on_release`, if no lamp needs to be lit again."""


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
