"""Meets a board again after a pause: its session, its sensors' listeners, and its axes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from weakref import WeakSet

from config.schema import AxisChannel, BoardConfig, SensorChannel
from controller.pausing.board_lease import BoardLease
from controller.pausing.edges import Listening
from controller.pausing.pause_gate import PauseGate
from controller.stations.homing import Homing
from firmware_bridge.board import Board, BoardIdentity

_RAMP = 0.1
"""Time after which an axis has certainly come to rest, seconds; longer than its ramp."""


class ReMeeting:
    """One board between two sessions. `home` finds its axes again after they lost their power."""

    def __init__(
        self, board: Board, config: BoardConfig, gate: PauseGate, home: Homing | None
    ) -> None:
        self._board = board
        self._gate = gate
        self._home = home
        self._sent: dict[str, float] = {}
        """Position to which each axis was last sent, metres."""
        self._astray = False
        """Whether the axes have lost their power and so their positions."""
        self._boots: int | None = None
        self._listeners: WeakSet[Listening] = WeakSet()
        channels = config.channels
        self._sensor = next(
            (name for name, each in channels.items() if isinstance(each, SensorChannel)), None
        )
        self._ramps = max(
            (
                channel.speed / channel.acceleration + _RAMP
                for channel in channels.values()
                if isinstance(channel, AxisChannel)
            ),
            default=0.0,
        )

    # While the table runs

    def listen(self, sensors: tuple[str, ...]) -> Listening:
        """Every edge from now on; after a lost line, one for all that came meanwhile."""
        listening = Listening(self._board, self._gate, sensors)
        self._listeners.add(listening)
        return listening

    def sends(self, targets: Mapping[str, float]) -> None:
        """Axes are sent to these positions, metres."""
        self._sent.update(targets)

    def homes(self, axis: str) -> None:
        """An axis is homed; its last commanded position no longer counts."""
        self._sent.pop(axis, None)

    def lost_power(self) -> None:
        """Its axes have lost their power: they must be found again."""
        self._astray = True

    def refuses_unhomed(self) -> bool:
        """The board has no home of an axis; returns whether it lost one that was in use."""
        self._astray |= bool(self._sent)
        return bool(self._sent)

    async def answer(self) -> None:
        """Read a sensor, if there is one, to learn that the board answers. Raises BoardError."""
        if self._sensor is not None:
            await self._board.read(self._sensor)

    # Sessions

    async def start(self) -> BoardIdentity:
        """Begin the first session. Raises BoardError."""
        identity = await self._board.start()
        self._boots = identity.boots
        return identity

    async def meet(self) -> None:
        """Begin a session if there is none; wait for what still ramps down. Raises BoardError."""
        identity = await self._board.start()
        if self._boots is not None and identity.boots != self._boots:
            self._astray = True
        self._boots = identity.boots
        for listening in tuple(self._listeners):
            await listening.listen_again()
        await asyncio.sleep(self._ramps)

    async def find_axes(self, lease: BoardLease) -> None:
        """Home the axes and send them back, if they have lost their power.

        Raises BoardError, TableFault.
        """
        if self._astray and self._home is not None and self._sent:
            await self._home(self._board, self._sent, lease.lent)
        self._astray = False
