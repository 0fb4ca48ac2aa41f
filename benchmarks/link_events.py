"""Measures the host's processor time while a line of 250 kbaud is full of events.

The board, in its own process, sends each event separately, so that the host wakes for every single
one. This is the pattern that costs the host most.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from benchmarks import Row
from benchmarks.link_boards import EVENTS_A_SECOND, KEY, in_a_process, reporter
from firmware_bridge.sim.host_session import begin_session
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import Message
from firmware_bridge.wire.transport import BAUD, open_serial

SECONDS = 6.0
GOAL = 0.40


def main() -> Iterator[Row]:
    """Yield the host's share of a core; the goal is missed if the line was not full of events."""
    with in_a_process(reporter) as path:
        events, share = asyncio.run(_measure(path))
    full = events >= 0.95 * EVENTS_A_SECOND
    yield Row(
        f"host's share of one core, {BAUD // 1000} kbaud full of edges",
        f"{share:.1%} at {events:,.0f} events a second"
        + ("" if full else ": the line was not full"),
        f"at most {GOAL:.0%}",
        full and share <= GOAL,
    )


async def _measure(path: str) -> tuple[float, float]:
    line = SerialLine(open_serial(path))
    link = line.link(0, "reporter")
    events = 0

    def count(_: Message) -> None:
        nonlocal events
        events += 1

    link.on_event = count
    await begin_session(link, time.perf_counter_ns().to_bytes(8, "little"), KEY)
    events, began, cpu = 0, time.perf_counter(), time.process_time()
    await asyncio.sleep(SECONDS)
    took, busy = time.perf_counter() - began, time.process_time() - cpu
    line.close()
    return events / took, busy / took


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
