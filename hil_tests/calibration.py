"""What the stamps of a board can show: whether two sensors have stamps of their own, how exact.

A board notes the time of the last change for each group of inputs, not for each input: an
ATmega2560 for each port, an RP2040 for all its pins. If two sensors of one group change before the
board has reported the first change, both edges have the time of the second one, and the distance
between them is lost: it was once reported as 0 us. Within one group only the edges of the same
sensor have times of their own.

For sensors of two groups, the error is measured on the harness itself: two outputs become safe in
the same moment, and the distance that the board then reports is the error of a distance between
these two sensors, with the difference of their wires. Both edges can come at any time between two
samples, which adds the interval of the samples.

A distance that a board measures on its own harness contains the delay of the wires. It is an upper
bound of the board's reaction time, and says so; the delay cannot be told apart from the reaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from config.board_profiles import board_profile
from firmware_bridge.board import Edge
from hil_tests.harness import Harness

if TYPE_CHECKING:
    from hil_tests.targets import Bench

T = TypeVar("T")

CLOCK_US = 1.0
"""Resolution of the board's time stamps, microseconds."""
SAMPLING_US = {"mega2560": 20.0, "rp2040": 1.0}
"""Interval at which a board samples its sensors, by chip, microseconds; an RP2040 has interrupts,
which read the levels about a microsecond after the edge."""
TIMES = 10
"""How often the outputs become safe at once."""
SETTLED = 0.02
"""Seconds from the outputs' last edges to the moment at which they become safe."""


@dataclass(frozen=True)
class PairCalibration:
    """The errors of the distance between the edges of two sensors, microseconds, signed.

    `sampling` is the interval at which the board samples them.
    """

    errors: tuple[float, ...]
    sampling: float

    @property
    def resolution(self) -> float:
        """The smallest distance that says more than its own error."""
        return self.sampling + max(map(abs, self.errors)) + CLOCK_US


def shared_stamp(harness: Harness, first: str, second: str) -> str | None:
    """Why a distance between these sensors cannot be measured; None if it can."""
    profile = board_profile(harness.chip)
    pins = {sensor: pin for pin, sensor in harness.sensor_on_pin.items()}
    groups = [profile.by_number[pins[each]].pad[:1] for each in (first, second)]
    if groups[0] != groups[1] and first != second:
        return None
    return (
        f"{first} (pin {pins[first]}) and {second} (pin {pins[second]}) of a {harness.chip} have"
        " one time stamp for both, so the distance of their edges is not known. Wire them to two"
        " ports, if the chip has several."
    )


async def calibrated(bench: Bench, first: str, second: str) -> PairCalibration:
    """Measure the errors of `forward` and `lit`, in any order; their outputs become safe at once.

    Raises ValueError for sensors with one time stamp.
    """
    reason = shared_stamp(bench.harness, first, second)
    if reason is not None:
        raise ValueError(reason)
    board, errors = bench.board, list[float]()
    watched = board.watch(first), board.watch(second)
    try:
        for _ in range(TIMES):
            await board.set("lamp", 1)
            await board.set("motor", 1000)
            for each in watched:
                await _edge(each, active=True)
            await asyncio.sleep(SETTLED)
            await board.release_lease()
            ends = [await _edge(each, active=False) for each in watched]
            errors.append(round((ends[1].at - ends[0].at) * 1e6, 1))
            await board.hold_lease()
    finally:
        for each in watched:
            each.close()
    return PairCalibration(tuple(errors), SAMPLING_US[bench.harness.chip])


BEAT, LATE = 0.001, 0.003
"""Interval of the heartbeat of this computer, and the lateness that it may have, seconds."""


async def while_punctual(work: Callable[[], Awaitable[T]], tries: int = 20) -> T:
    """Do work whose time this computer measures; again if the computer itself was late meanwhile.

    A busy computer runs this program too late now and then, and a time that it measures then is not
    the board's. Raises AssertionError if it was late in all `tries`.
    """
    for _ in range(tries):
        worst = [0.0]
        beating = asyncio.create_task(_beat(worst))
        await asyncio.sleep(0)
        try:
            result = await work()
            await asyncio.sleep(2 * BEAT)
        finally:
            beating.cancel()
        if worst[0] <= LATE:
            return result
    raise AssertionError(
        f"This computer was late by more than {LATE * 1000:g} ms in {tries} measurements one after"
        " the other, so it cannot measure a board's times. End other programs."
    )


async def _beat(worst: list[float]) -> None:
    """Keep the greatest lateness of a heartbeat, seconds."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + BEAT
        await asyncio.sleep(BEAT)
        worst[0] = max(worst[0], loop.time() - due)


async def _edge(watched: AsyncIterator[Edge], *, active: bool) -> Edge:
    """Wait up to 2 s for the next edge to this level."""
    async with asyncio.timeout(2.0):
        while (edge := await anext(watched)).active is not active:
            pass
    return edge
