"""Disturbances between boards and host: power failures, an unplugged cable, noise, a stalled host.

A stalled host receives nothing, sends nothing and runs no timer, while boards and plant continue.
At the end of the stall it receives all bytes of that time at once. A `StallingLoop` simulates
exactly this. On any other loop the line holds the bytes of both directions back. The host's timers
then continue, so that the host repeats its commands and, after about three seconds, reports its
boards as silent, which is the harder case.

An unplugged cable loses all bytes in both directions. The `Cable`, if one is set, notifies the
host's end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.faults.kinds import Realm
from firmware_bridge.sim.line import Noise, NoiseFilter
from firmware_bridge.sim.stall import StallingLoop
from firmware_bridge.wire.codes import ResetCause

Pass = Callable[[bytes], None]


class Cable(Protocol):
    """The host's end of the cable, which notifies the host when the cable is unplugged."""

    def pull(self) -> None:
        """Unplug the cable."""

    def put_back(self) -> None:
        """Plug the cable in again."""


BIT_ERRORS = 0.001
"""Probability that a byte of a noisy line is damaged (our value)."""


class Disturbances:
    """The state of the line, and the boards that are silent.

    `reset` resets one board, by name, for a cause.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        injected_faults: InjectedFaults,
        boards: tuple[str, ...],
        reset: Callable[[str, ResetCause], None],
    ) -> None:
        self.cable: Cable | None = None
        self.silent: set[str] = set()
        """The boards that neither receive nor send."""
        self._loop = loop
        self._injected_faults = injected_faults
        self._boards = boards
        self._reset = reset
        self._unplugged = False
        self._noisy = 0
        self._add_noise = NoiseFilter(Noise(injected_faults.stream("line"), bit=BIT_ERRORS)).apply
        self._stalls = 0
        self._waiting: deque[tuple[Pass, bytes]] = deque()
        injected_faults.appliers[Realm.LINE] = self._line
        injected_faults.appliers[Realm.BOARD] = self._board

    def carry(self, data: bytes, onward: Pass) -> None:
        """Carry bytes in either direction, damaged or delayed by the present disturbances."""
        if self._unplugged:
            return
        if self._noisy:
            data = self._add_noise(data)
        if self._stalls:
            self._waiting.append((onward, data))
        else:
            onward(data)

    def _line(self, injected: InjectedFault) -> None:
        match injected.kind:
            case "link_noise":
                self._noisy += 1
                self._loop.call_later(injected.amount, self._end_noise)
            case "host_stall" if isinstance(self._loop, StallingLoop):
                self._loop.stall(injected.amount)
            case "host_stall":
                self._stalls += 1
                self._loop.call_later(injected.amount, self._end_stall)
            case "link_unplugged":
                self._unplugged = True
                if self.cable is not None:
                    self.cable.pull()
                self._activate(injected, self._plug_in)

    def _board(self, injected: InjectedFault) -> None:
        match injected.kind:
            case "board_reset":
                self._reset(injected.part, ResetCause.WATCHDOG)
            case "brown_out":
                self._reset(injected.part, ResetCause.BROWN_OUT)
            case "power_cut":
                for board in self._boards if injected.part == "table" else (injected.part,):
                    self._reset(board, ResetCause.POWER)
            case "board_silent":
                self.silent.add(injected.part)
                self._activate(injected, lambda: self.silent.discard(injected.part))

    def _activate(self, injected: InjectedFault, repair: Callable[[], None]) -> None:
        """Record a fault that lasts until its repair, or for its size in seconds if it has one."""
        self._injected_faults.deactivate(injected.kind, injected.part)
        self._injected_faults.activate(injected.kind, injected.part, repair)
        if injected.amount:
            self._loop.call_later(
                injected.amount, self._injected_faults.repair, injected.kind, injected.part
            )

    def _plug_in(self) -> None:
        self._unplugged = False
        if self.cable is not None:
            self.cable.put_back()

    def _end_noise(self) -> None:
        self._noisy -= 1

    def _end_stall(self) -> None:
        """Deliver all waiting bytes; bytes sent in response are delivered after them."""
        if self._stalls == 1:
            while self._waiting:
                onward, data = self._waiting.popleft()
                onward(data)
        self._stalls -= 1
