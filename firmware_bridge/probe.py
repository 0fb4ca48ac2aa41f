"""Who answers on a serial port: for people who look for a board."""

from __future__ import annotations

import asyncio
import os

from firmware_bridge import messages as wire
from firmware_bridge.board import BoardSilent
from firmware_bridge.link import Line
from firmware_bridge.transport import BAUD, open_serial
from firmware_bridge.words import text

PATIENCE = 3.0
"""A board that resets when its port is opened has begun to answer within this."""


async def probe(port: str) -> str:
    """Which boards answer on a port, or why none does; for people. Keys are not checked."""
    try:
        line = Line(open_serial(port))
    except BoardSilent as reason:
        return str(reason)
    try:
        asked = {
            address: asyncio.ensure_future(line.link(address, str(address)).identify(os.urandom(8)))
            for address in range(8)
        }
        # Boards share a line, so those that answer do so together; the rest is silence.
        await asyncio.wait(asked.values(), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0.1)
        found = [
            _introduced(address, answer.result())
            for address, answer in asked.items()
            if answer.done() and not answer.cancelled() and not answer.exception()
        ]
        for answer in asked.values():
            answer.cancel()
        await asyncio.gather(*asked.values(), return_exceptions=True)
    finally:
        line.close()
    return "; ".join(found) or f"nothing answers at {BAUD} baud"


def _introduced(address: int, said: wire.Message) -> str:
    if isinstance(said, wire.Identity):
        return (
            f"board {text(said.serial)} at address {address}: firmware {said.firmware}"
            f" ({text(said.build)}), protocol {said.protocol}"
        )
    return f"a board of another protocol version at address {address}; upgrade its firmware"
