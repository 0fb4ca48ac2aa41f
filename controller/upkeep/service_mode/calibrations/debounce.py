"""Debounce times: a person covers and frees a sensor, and its edges show whether it bounces.

A board reports a level only after it has lasted for the debounce time, so bounces that are shorter
than this time are not seen and need no cure. A bounce that is longer appears as a short pulse or a
short gap. The new debounce time has to be longer than every bounce and much shorter than the
shortest real pulse.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from config.schema import SensorChannel
from controller.upkeep.selftest.trial import Watcher, wait_for_sensor
from controller.upkeep.service_mode.calibrations.calibration import CalibrationError, Measured
from controller.upkeep.service_mode.calibrations.table_edits import TableEdit
from controller.upkeep.service_mode.channels import ChannelMonitor
from firmware_bridge.board import Board, Edge

TIMES = 5
"""How often the sensor is covered (our choice)."""
SETTLING = 0.5
"""Seconds after each change in which bounces are recorded (our choice)."""
SHORT = 0.2
"""Share of the longest active time below which a level counts as a bounce (our choice)."""
SAFETY = 2.0
"""The new debounce time as a multiple of the longest bounce (our choice)."""
ROOM = 1 / 3
"""Largest share of the shortest real pulse that the debounce time may have (our choice)."""


@dataclass(frozen=True)
class _Phases:
    """How long the sensor stayed active and inactive, seconds, without the last level."""

    active: list[float]
    inactive: list[float]

    @property
    def limit(self) -> float:
        """Levels that lasted less than this are bounces."""
        return SHORT * max(self.active, default=0.0)

    @property
    def bounces(self) -> list[float]:
        """The levels that are bounces."""
        return [time for time in (*self.active, *self.inactive) if time < self.limit]

    @property
    def shortest_pulse(self) -> float:
        """The shortest level that is no bounce."""
        every = [*self.active, *self.inactive]
        return min((time for time in every if time >= self.limit), default=0.0)


async def measure_debounce(
    channel: str,
    config: SensorChannel,
    board: Board,
    monitor: ChannelMonitor,
    watcher: Watcher,
    step: Callable[[str], None],
) -> Measured:
    """Record the sensor's edges, and propose a debounce time if it bounces.

    Raises CalibrationError, DisagreementError, BoardError.
    """
    edges: list[Edge] = []
    end = monitor.on_edge(lambda edge: edges.append(edge) if edge.sensor == channel else None)
    try:
        for time in range(1, TIMES + 1):
            step(f"cover {time} of {TIMES}")
            await wait_for_sensor(watcher, board, f"Cover or press {channel}.", channel, True)
            await asyncio.sleep(SETTLING)
            await wait_for_sensor(watcher, board, f"Free {channel} again.", channel, False)
            await asyncio.sleep(SETTLING)
    finally:
        end()
    return _judge(board.name, channel, config, _phases(edges))


def _phases(edges: list[Edge]) -> _Phases:
    phases = _Phases([], [])
    for edge, following in pairwise(edges):
        (phases.active if edge.active else phases.inactive).append(following.at - edge.at)
    return phases


def _judge(board: str, channel: str, config: SensorChannel, phases: _Phases) -> Measured:
    """The proposal for the measured phases. Raises CalibrationError if no time can cure it."""
    measured, bounces = Measured(), phases.bounces
    measured.sentences.append(
        f"{channel} was covered {TIMES} times; its board reported {len(phases.active)} pulses,"
        f" and the shortest real level lasted {phases.shortest_pulse * 1000:.0f} ms."
    )
    if not bounces:
        measured.sentences.append(
            f"No bounce is longer than the debounce time of {config.debounce_ms:g} ms; no change."
        )
        return measured
    new = math.ceil(round(SAFETY * max(bounces) * 1000, 3))
    measured.sentences.append(
        f"{len(bounces)} bounces are longer than the debounce time of {config.debounce_ms:g} ms;"
        f" the longest lasted {max(bounces) * 1000:.1f} ms."
    )
    if new > phases.shortest_pulse * 1000 * ROOM:
        raise CalibrationError(
            f"{channel} bounces for up to {max(bounces) * 1000:.1f} ms, which no debounce time can"
            f" remove without losing pulses of {phases.shortest_pulse * 1000:.0f} ms. Clean the"
            " sensor, tighten its plug, or replace it."
        )
    place = ("boards", board, "channels", channel, "debounce_ms")
    why = f"{channel}: debounce time {config.debounce_ms:g} ms to {new} ms"
    measured.edits.append(TableEdit(place, new, f"{why}, {SAFETY:g} times the longest bounce."))
    return measured
