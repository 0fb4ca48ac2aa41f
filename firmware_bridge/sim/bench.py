"""Bench: all boards of a plant on one line, as bytes in and bytes out on any transport.

The line may be in memory or a pseudo-terminal; the event loop may be virtual or real.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from firmware_bridge.commissioning.provisioning import limits_of
from firmware_bridge.executor.virtual_board import KEY, VirtualBoard
from firmware_bridge.sim.falsifying_board import Falsification, FalsifyingBoard
from firmware_bridge.sim.faults.disturbances import Cable, Disturbances
from firmware_bridge.sim.plant.electrical import BoardInputs
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.session import BoardEnd, Send
from firmware_bridge.sim.stall import boards_side
from firmware_bridge.wire.codec import Decoder, whole_frames
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.link import HOLDS, LISTENS, STARTS


class Bench:
    """A plant, its boards, and their sessions. Creating it switches the table on.

    `send` gets whole frames. A board's serial number is SIM and its address. `boards` replace the
    table's own boards, and `inputs` receive the plant's reports in place of the boards. With
    `provisioned` each board has the limits that its table needs, otherwise none.
    """

    def __init__(
        self,
        plant: Plant,
        send: Send,
        key: bytes = KEY,
        *,
        boards: Mapping[str, VirtualBoard] | None = None,
        inputs: Mapping[str, BoardInputs] | None = None,
        provisioned: bool = False,
    ) -> None:
        self.plant = plant
        self.boards = dict(boards or {}) or {
            name: _board(plant, name, key, provisioned=provisioned) for name in plant.table.boards
        }
        self._send = send
        self._decoder = Decoder()
        """Decodes once for all boards, if every board receives the same bytes."""
        self._disturbances = self._make_disturbances(plant)
        self._booting: dict[str, BootDelay] = {}
        """The boards that are in their bootloaders."""
        self._falsifying: dict[str, FalsifyingBoard] = {}
        """The boards whose messages are falsified."""
        self._ends = {name: self._end(name) for name in self.boards}
        plant.connect(inputs or self.boards)
        with boards_side():
            plant.power_on()

    def receive(self, data: bytes) -> None:
        """Receive bytes from the host; each board takes the frames with its address."""
        if self._disturbances is not None:
            self._disturbances.carry(data, self._deliver)
            return
        for boot in self._booting.values():
            boot.receive()
        frames = self._decoder.feed(data)
        for end in self._ends.values():
            own = [frame for frame in frames if frame.address == end.address]
            if own:
                end.take(own)

    def reset(self, name: str, cause: ResetCause = ResetCause.POWER) -> None:
        """Restart one board: it loses its session and its channel table.

        Its bootloader starts it after `STARTS` seconds, or at once after a reset by the watchdog.
        """
        self._ends[name].close()
        if name in self._booting:
            self._booting.pop(name).cancel()
        self.boards[name].reset(cause)
        if cause == ResetCause.WATCHDOG:
            self._start(name)
        else:
            self._booting[name] = BootDelay(self.plant.world.loop, partial(self._start, name))

    def reset_all(self) -> None:
        """Restart every board: the host's port has asserted DTR."""
        for name in self.boards:
            self.reset(name, ResetCause.EXTERNAL)

    def falsify(
        self, chance: Random, counts: Counter[Falsification]
    ) -> Mapping[str, FalsifyingBoard]:
        """Put a falsifying board in front of every board, and return them. `counts` counts them."""
        for name, end in self._ends.items():
            end.close()
            self._falsifying[name] = FalsifyingBoard(self.boards[name], end.address, chance, counts)
            self._ends[name] = self._end(name)
        return self._falsifying

    def set_cable(self, cable: Cable) -> None:
        """Set the cable that `link_unplugged` pulls; without one the host is not notified."""
        if self._disturbances is not None:
            self._disturbances.cable = cable

    def close(self) -> None:
        """Stop all sending and repeating."""
        for boot in self._booting.values():
            boot.cancel()
        for end in self._ends.values():
            end.close()

    def _start(self, name: str) -> None:
        self._booting.pop(name, None)
        self._ends[name] = self._end(name)
        with boards_side():
            self._ends[name].announce(self.boards[name].started)

    def _end(self, name: str) -> BoardEnd:
        board, falsifying = self.boards[name], self._falsifying.get(name)
        address = self.plant.table.boards[name].address
        execute = None if falsifying is None else falsifying.execute
        if self._disturbances is None:
            end = BoardEnd(board, address, self._send, self._decoder, execute)
        else:
            send = partial(self._send_frame, name)
            end = BoardEnd(board, address, send, Decoder(), execute)
        if falsifying is not None:
            falsifying.connect(end)
        return end

    # Injected faults

    def _make_disturbances(self, plant: Plant) -> Disturbances | None:
        """The disturbances of line, boards and host, or None if the run has no injected fault."""
        if not plant.injected_faults:
            return None
        return Disturbances(plant.world.loop, plant.injected_faults, tuple(self.boards), self.reset)

    def _deliver(self, data: bytes) -> None:
        assert self._disturbances is not None
        # Boards have decoders of their own here, because one can miss bytes that another receives.
        # Whole frames are the same for all of them, and are decoded once.
        frames = whole_frames(data)
        with boards_side():
            for name, end in tuple(self._ends.items()):
                if name in self._disturbances.silent:
                    continue
                if name in self._booting:
                    self._booting[name].receive()
                if frames is None or not end.is_between_frames:
                    end.receive(data)
                else:
                    end.take([frame for frame in frames if frame.address == end.address])

    def _send_frame(self, name: str, data: bytes) -> None:
        assert self._disturbances is not None
        if name not in self._disturbances.silent:
            self._disturbances.carry(data, self._send_to_host)

    def _send_to_host(self, data: bytes) -> None:
        with boards_side(False):
            self._send(data)


def _board(plant: Plant, name: str, key: bytes, *, provisioned: bool) -> VirtualBoard:
    config = plant.table.boards[name]
    return VirtualBoard(
        config,
        plant,
        plant.world.loop,
        emergency=plant.table.modules.emergency,
        serial=f"SIM{config.address:05}".encode(),
        key=key,
        limits=limits_of(plant.table, name) if provisioned else None,
    )


class BootDelay:
    """The bootloader of a virtual board that was reset now: delays the start, and swallows bytes.

    `start` is called when the bootloader has left.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, start: Callable[[], None]) -> None:
        self._loop = loop
        self._start = start
        self._listens_until = loop.time() + LISTENS
        self._held = False
        self._timer = loop.call_later(STARTS, start)

    def receive(self) -> None:
        """Process the arrival of bytes: they hold the bootloader, and are lost."""
        now = self._loop.time()
        if self._held or now < self._listens_until:
            self._held = True
            self._timer.cancel()
            self._timer = self._loop.call_at(now + HOLDS, self._start)

    def cancel(self) -> None:
        """Do not start the board: it was reset again, or switched off."""
        self._timer.cancel()
