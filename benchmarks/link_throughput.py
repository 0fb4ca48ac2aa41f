"""Compares commands per second on a pseudo-terminal with pyserial's echo of the same bytes.

Both keep a window of 8 frames in flight, and send one more for each frame received. At the other
end is a separate process. They run alternately, so that a busy machine slows both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from statistics import median

import serial

from benchmarks import Row
from benchmarks.link_boards import KEY, board, echo, in_a_process
from firmware_bridge.sim.host_session import begin_session
from firmware_bridge.wire.codec import encode
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import WINDOW, Set
from firmware_bridge.wire.transport import BAUD, open_serial

TURNS = 7
SECONDS = 1.0
GOAL = 0.5
GOAL_OF_PROCESSOR = 25_000
COMMAND = Set(1, 800)


def main() -> Iterator[Row]:
    """Measure the link and the echo alternately; yield the link's rate and their ratio."""
    with in_a_process(echo) as echoing, in_a_process(board) as answering:
        _bare(echoing, 0.2)
        asyncio.run(_link(answering, 0.2))
        turns = [
            (_bare(echoing, SECONDS), *asyncio.run(_link(answering, SECONDS))) for _ in range(TURNS)
        ]
    bare, ours, busy = (median(figures) for figures in zip(*turns, strict=True))
    ratio = median(link / bare for bare, link, _ in turns)
    yield Row(
        f"commands a second through a pseudo-terminal, window {WINDOW}, against a bare pyserial"
        " echo of the same bytes",
        f"{ratio:.2f} x ({ours:,.0f} against {bare:,.0f})",
        f"{GOAL} x",
        ratio >= GOAL,
    )
    yield Row(
        "commands a second of the host's own processor time",
        f"{ours / busy:,.0f}",
        f"{GOAL_OF_PROCESSOR:,}",
        ours / busy >= GOAL_OF_PROCESSOR,
    )


def _bare(path: str, seconds: float) -> float:
    """Return the frames per second that the echo sends back."""
    frame = encode(0, 0, COMMAND, bytes(16))
    with serial.Serial(path, BAUD, timeout=5.0) as port:
        for _ in range(WINDOW):
            port.write(frame)
        frames, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            if len(port.read(len(frame))) != len(frame):
                raise RuntimeError(
                    f"The echo on {path} returned no frame within 5 s; run the benchmark again."
                )
            port.write(frame)
            frames += 1
        took = time.perf_counter() - began
        for _ in range(WINDOW):
            port.read(len(frame))
    return frames / took


async def _link(path: str, seconds: float) -> tuple[float, float]:
    """Return the link's commands per second, and the share of a core that this process used."""
    line = SerialLine(open_serial(path))
    link = line.link(0, "bench")
    await begin_session(link, time.perf_counter_ns().to_bytes(8, "little"), KEY)
    began, cpu = time.perf_counter(), time.process_time()
    commands = 0

    async def ask() -> None:
        nonlocal commands
        while time.perf_counter() - began < seconds:
            await link.request(COMMAND)
            commands += 1

    await asyncio.gather(*(ask() for _ in range(WINDOW)))
    took, busy = time.perf_counter() - began, time.process_time() - cpu
    line.close()
    return commands / took, busy / took


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
