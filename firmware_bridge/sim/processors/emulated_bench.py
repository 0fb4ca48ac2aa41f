"""Emulated bench: boards run the compiled firmware, instruction by instruction, on virtual time.

Every board is a simulated processor with the program that is flashed. Its serial port is the link,
and its pins are wired to the plant. On a virtual loop the processors run in lockstep with the loop:
they run to the loop's next timer, and stop earlier at a change of the plant. On any other loop
`follow_real_time` runs them by the real clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from pathlib import Path

from firmware_bridge.commissioning.provisioning import eeprom, limits_of
from firmware_bridge.executor.channels import ImpossibleOrderError
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.disturbances import Cable, Disturbances
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.processors.emulated_board import SLICE, EmulatedBoard
from firmware_bridge.sim.processors.processor import (
    CYCLES_PER_US,
    EEPROM_SIZE,
    ELF,
    FREQUENCY,
    FlashImage,
)
from firmware_bridge.sim.stall import boards_side
from firmware_bridge.wire.codes import ResetCause

Send = Callable[[bytes], None]

HEAD_START = 20_000 * CYCLES_PER_US
"""Cycles that the boards run before the first message: a start takes some milliseconds."""
_TURN = 0.001
"""Seconds between two advances on a real clock."""
_AT_ONCE = 10_000 * CYCLES_PER_US
"""Maximum cycles of one advance on a real clock."""
_LATE = 100_000 * CYCLES_PER_US
"""Cycles behind the real clock from which on the boards do not catch up."""


class EmulatedBench:
    """A plant and its boards, as in `Bench`. Creating it switches the table on.

    `send` gets complete frames. An order that the mechanism cannot execute is recorded in
    `refusals` and raised as `ImpossibleOrderError` from the loop or from `follow_real_time`,
    because pins cannot refuse an order and the rest of such a run is meaningless. With a
    `bootloader` every reset starts that program first. With `provisioned` each board has the limits
    that its table needs, otherwise none.
    Raises `FileNotFoundError` if the program or the simulator's library is not built.
    """

    def __init__(
        self,
        plant: Plant,
        send: Send,
        key: bytes = KEY,
        elf: Path = ELF,
        bootloader: FlashImage | None = None,
        provisioned: bool = False,
    ) -> None:
        self.plant = plant
        self.refusals: list[str] = []
        self._raised = 0
        self._send = send
        self._loop = plant.world.loop
        self._epoch = self._loop.time()
        self._at = 0
        """The cycle that all boards have reached."""
        self._scheduled: list[tuple[int, int, str, Callable[[], None]]] = []
        self._count = 0
        self._disturbances = self._make_disturbances(plant)
        self.boards: dict[str, EmulatedBoard] = {}
        for name in plant.table.boards:
            self.boards[name] = self._board(name, key, elf, bootloader, provisioned=provisioned)
        self._longest_run = min(board.longest_run for board in self.boards.values())
        plant.connect(self.boards)
        with boards_side():
            plant.power_on()
            self._epoch -= HEAD_START / FREQUENCY
            while self._at < HEAD_START:
                self._run(min(self._at + self._longest_run, HEAD_START))
            self._measure()
        if isinstance(self._loop, VirtualLoop):
            self._loop.companion = self.run_boards

    def receive(self, data: bytes) -> None:
        """Send bytes from the host to every board, each byte with its transmission time."""
        if self._disturbances is not None:
            self._disturbances.carry(data, self._deliver)
        else:
            self._deliver(data)

    def reset(self, name: str, cause: ResetCause = ResetCause.POWER) -> None:
        """Restart one board for a cause: its button, a hung program, or its supply."""
        self.boards[name].reset(cause)

    def reset_all(self) -> None:
        """Restart every board: the host's port has asserted DTR."""
        for name in self.boards:
            self.reset(name, ResetCause.EXTERNAL)

    def set_cable(self, cable: Cable) -> None:
        """Set the cable that `link_unplugged` pulls; without one the host is not notified."""
        if self._disturbances is not None:
            self._disturbances.cable = cable

    def close(self) -> None:
        """Stop all boards."""
        if isinstance(self._loop, VirtualLoop):
            self._loop.companion = None
        self._scheduled.clear()
        for board in self.boards.values():
            board.close()

    # Time

    def run_boards(self, now: float, until: float) -> float:
        """Run the boards up to a time; return the time of their first change, if it is earlier.

        Raises ImpossibleOrderError and FirmwareCrashedError.
        """
        self._raise_refusals()
        goal = self._cycle_at(until)
        with boards_side():
            while self._at < goal and self._next() > self._at:
                self._run(min(self._at + self._longest_run, goal, self._next()))
            if self._next() > goal:
                return until
            at = max(now, self._epoch + self._next() / FREQUENCY)
            self._loop.call_at(at, self._apply_due, self._next())
            return at

    async def follow_real_time(self) -> None:
        """Run the boards by the real clock, without end.

        Boards that are slower than the real clock all slow down by the same time.
        Raises ImpossibleOrderError and FirmwareCrashedError.
        """
        while True:
            await asyncio.sleep(_TURN)
            self._raise_refusals()
            self._catch_up()

    def _catch_up(self) -> None:
        behind = self._now() - self._at
        if behind > _LATE:
            self._epoch += (behind - _AT_ONCE) / FREQUENCY
        goal = min(self._now(), self._at + _AT_ONCE)
        with boards_side():
            while self._at < goal:
                self._run(min(self._at + self._longest_run, goal))
                self._apply_due(self._at)

    def _run(self, until: int) -> None:
        least = min(self._at + SLICE, until)
        for board in self.boards.values():
            until = max(least, board.run(until, least))
        self._at = until

    def _apply_due(self, by: int) -> None:
        while self._next() <= by:
            _, _, channel, action = heappop(self._scheduled)
            try:
                action()
            except ImpossibleOrderError as refusal:
                self._refuse(channel, str(refusal))

    def _next(self) -> int:
        return self._scheduled[0][0] if self._scheduled else _NEVER

    def _schedule(self, cycle: int, channel: str, action: Callable[[], None]) -> None:
        self._count += 1
        heappush(self._scheduled, (cycle, self._count, channel, action))

    def _now(self) -> int:
        return round((self._loop.time() - self._epoch) * FREQUENCY)

    def _cycle_at(self, time: float) -> int:
        return int((time - self._epoch) * FREQUENCY)

    # Boards

    def _board(
        self,
        name: str,
        key: bytes,
        elf: Path,
        bootloader: FlashImage | None,
        *,
        provisioned: bool,
    ) -> EmulatedBoard:
        config = self.plant.table.boards[name]
        serial = f"SIM{config.address:05}"
        limits = limits_of(self.plant.table, name) if provisioned else None
        return EmulatedBoard(
            config,
            self.plant,
            eeprom(serial, key, config.address, limits).ljust(EEPROM_SIZE, b"\xff"),
            now=self._now,
            schedule=self._schedule,
            refuse=self._refuse,
            send=lambda cycle, frame: self._schedule(
                cycle, name, lambda: self._send_frame(name, frame)
            ),
            elf=elf,
            bootloader=bootloader,
        )

    def _measure(self) -> None:
        """Update the analogue inputs every 20 ms, because their voltages change slowly."""
        measuring = [board for board in self.boards.values() if board.measures]
        for board in measuring:
            board.measure()
        if measuring:
            self._schedule(self._now() + _MEASURED_EVERY, "analogue inputs", self._measure)

    def _refuse(self, channel: str, why: str) -> None:
        self.refusals.append(f"{channel}: {why}")

    def _raise_refusals(self) -> None:
        fresh = self.refusals[self._raised :]
        self._raised = len(self.refusals)
        if fresh:
            raise ImpossibleOrderError(" ".join(fresh))

    # The line and its disturbances

    def _make_disturbances(self, plant: Plant) -> Disturbances | None:
        if not plant.injected_faults:
            return None
        return Disturbances(
            self._loop, plant.injected_faults, tuple(plant.table.boards), self.reset
        )

    def _deliver(self, data: bytes) -> None:
        with boards_side():
            for name, board in self.boards.items():
                if self._disturbances is None or name not in self._disturbances.silent:
                    board.receive(data)

    def _send_frame(self, name: str, frame: bytes) -> None:
        if self._disturbances is None:
            self._send_to_host(frame)
        elif name not in self._disturbances.silent:
            self._disturbances.carry(frame, self._send_to_host)

    def _send_to_host(self, frame: bytes) -> None:
        with boards_side(False):
            self._send(frame)


_NEVER = 1 << 62
_MEASURED_EVERY = 20_000 * CYCLES_PER_US
