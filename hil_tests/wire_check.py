"""Self-check of the harness: every wire is found, and no wire is connected to another one.

The check uses a table of its own, in which every output of the harness is a plain output. It sets
one output at a time and reads all sensors.
"""

from __future__ import annotations

import asyncio

from firmware_bridge.boards.serial_board import SerialBoard
from hil_tests.harness import Harness, Wire

SETTLED = 0.05
"""Seconds after which every wire has its level."""


async def wrong_wires(board: SerialBoard, harness: Harness) -> list[str]:
    """Check an open board that has the harness's `check_config`; a sentence for each defect."""
    found = await _at_rest(board, harness)
    await board.hold_lease()
    try:
        for wire in harness.wires:
            found += await _defects(board, harness, wire)
    finally:
        await board.release_lease()
    return found


async def _at_rest(board: SerialBoard, harness: Harness) -> list[str]:
    return [
        f"{wire.sensor} (pin {wire.to}) is high while every output is off; its wire is missing or"
        f" connected to a supply: {wire}"
        for wire in harness.wires
        if await board.read(wire.sensor)
    ]


async def _defects(board: SerialBoard, harness: Harness, driven: Wire) -> list[str]:
    before = {wire.sensor: await board.read(wire.sensor) for wire in harness.wires}
    await board.set(driven.channel, 1)
    await asyncio.sleep(SETTLED)
    found = []
    for wire in harness.wires:
        high = bool(await board.read(wire.sensor))
        if wire.sensor == driven.sensor and not high:
            found.append(f"no level arrives at {wire.sensor}; the wire is missing: {wire}")
        if wire.sensor != driven.sensor and high and not before[wire.sensor]:
            found.append(
                f"pin {driven.pin} also reaches {wire.sensor} (pin {wire.to}); two wires are"
                f" connected or exchanged: {driven}, and {wire}"
            )
    await board.set(driven.channel, 0)
    await asyncio.sleep(SETTLED)
    return found
