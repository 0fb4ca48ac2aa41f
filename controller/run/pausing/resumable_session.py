"""One board's session: begins it, also after a pause, with subscriptions and axes restored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from config.schema import AxisChannel, BoardConfig, SensorChannel
from controller.run.pausing.board_lease import BoardLease
from controller.run.pausing.edges import EdgeSubscription
from controller.run.pausing.pause_gate import PauseGate
from controller.run.stations.homing import Homing
from firmware_bridge.board import Board, BoardIdentity

_RAMP = 0.1
"""Margin on the time that an axis takes to ramp down from full speed, seconds."""


class ResumableSession:
    """The sessions with one board. `home` homes its axes after they have lost their power."""

    def __init__(
        self, board: Board, config: BoardConfig, gate: PauseGate, home: Homing | None
    ) -> None:
        self._board = board
        self._gate = gate
        self._home = home
        self._targets: dict[str, float] = {}
        """Position to which each axis was last sent, metres."""
        self._positions_lost = False
        """Whether the axes have lost their power and so their positions."""
        self._boots: int | None = None
        self._subscriptions: dict[EdgeSubscription, None] = {}
        """In the order of subscription, which a set would not keep."""
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

    def subscribe(self, sensors: tuple[str, ...]) -> EdgeSubscription:
        """Every edge of these sensors until the `close`; continues after a lost line."""
        subscription = EdgeSubscription(self._board, self._gate, sensors, self._unsubscribe)
        self._subscriptions[subscription] = None
        return subscription

    def _unsubscribe(self, subscription: EdgeSubscription) -> None:
        self._subscriptions.pop(subscription, None)

    def record_targets(self, targets: Mapping[str, float]) -> None:
        """Record the positions to which axes are sent, metres."""
        self._targets.update(targets)

    def forget_target(self, axis: str) -> None:
        """Forget the last target of an axis, because the axis is being homed."""
        self._targets.pop(axis, None)

    def mark_power_lost(self) -> None:
        """Note that the axes have lost their power, so that they are homed before they move."""
        self._positions_lost = True

    def has_lost_home(self) -> bool:
        """Whether a refusal NOT_HOMED is unexpected: an axis that was in use has lost its home."""
        self._positions_lost |= bool(self._targets)
        return bool(self._targets)

    async def poll(self) -> None:
        """Read a sensor, if there is one, to check that the board answers. Raises BoardError."""
        if self._sensor is not None:
            await self._board.read(self._sensor)

    # Sessions

    async def start(self) -> BoardIdentity:
        """Begin the first session. Raises BoardError."""
        identity = await self._board.start()
        self._boots = identity.boots
        return identity

    async def restart(self) -> BoardIdentity | None:
        """Begin a session if there is none; wait until axes have ramped down. Raises BoardError.

        Returns the identity of a board that was reset since the last session: its axes have lost
        their homes. Otherwise returns None.
        """
        identity = await self._board.start()
        was_reset = self._boots is not None and identity.boots != self._boots
        self._positions_lost |= was_reset
        self._boots = identity.boots
        for subscription in tuple(self._subscriptions):
            await subscription.recover()
        await asyncio.sleep(self._ramps)
        return identity if was_reset else None

    async def restore_axes(self, lease: BoardLease) -> None:
        """Home the axes and send them back to their targets, if they have lost their power.

        Raises BoardError, TableFault.
        """
        if self._positions_lost and self._home is not None and self._targets:
            await self._home(self._board, self._targets, lease.lent)
        self._positions_lost = False
