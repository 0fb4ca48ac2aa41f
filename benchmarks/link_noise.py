"""Sends a million commands over a noisy line: each is executed once, in order, undamaged.

Bit errors in 1 of 1,000 bytes, both ways; one piece in 200 is lost, one in 200 is cut short, one in
100 arrives twice or again later. Events go the other way at the same time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from random import Random

from benchmarks import Row
from benchmarks.link_boards import KEY, RecordingBoard
from firmware_bridge.sim import clock
from firmware_bridge.sim.host_session import begin_session
from firmware_bridge.sim.line import Noise, memory_line
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import WINDOW, EdgeSeen, Message, Ok, Set

COMMANDS = 1_000_000
EVENTS = 100_000
SEED = 2
PATIENCE = 60.0
"""Virtual seconds to wait for the last events."""


def main() -> Iterator[Row]:
    """Send `COMMANDS` commands over the noisy line; yield whether each was executed once."""
    yield clock.run(_measure(COMMANDS, EVENTS))


async def _measure(commands: int, events: int) -> Row:
    noise = Noise(Random(SEED), bit=0.001, drop=0.005, repeat=0.01, cut=0.005)
    host, there = memory_line(noise=noise)
    line, board = SerialLine(host), RecordingBoard(there)
    link = line.link(0, "noisy")
    received: list[Message] = []
    link.on_event = received.append
    loop, began = asyncio.get_running_loop(), time.perf_counter()
    await begin_session(link, b"noise..1", KEY)
    values = iter(range(commands))
    wrong = 0

    async def send_commands() -> None:
        nonlocal wrong
        for value in values:
            wrong += await link.request(Set(1, value)) != Ok()

    async def emit_events() -> None:
        for number in range(events):
            board.emit(_edge(number))
            await asyncio.sleep(0.008)

    async with asyncio.TaskGroup() as group:
        for _ in range(WINDOW):
            group.create_task(send_commands())
        group.create_task(emit_events())
    busy = loop.time()
    await asyncio.sleep(PATIENCE)
    exact = board.done == list(range(commands)) and not wrong
    in_order = received == [_edge(number) for number in range(events)]
    verdict = {True: "each once", False: "WRONG"}
    dropped = line.decoder.dropped + board.session.damaged
    return Row(
        f"{commands:,} commands and {events:,} events on a line with bit errors in 1 of 1,000"
        " bytes, drops, repeats, cut-offs",
        f"commands {verdict[exact]}, events {verdict[in_order]};"
        f" {dropped:,} frames damaged, {link.traffic.retries:,} resent,"
        f" {busy:,.0f} s of line time in {time.perf_counter() - began:.0f} s",
        "each exactly once, none lost, none undetected",
        exact and in_order,
    )


def _edge(number: int) -> EdgeSeen:
    return EdgeSeen(number & 7, number & 1, number, number)


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
