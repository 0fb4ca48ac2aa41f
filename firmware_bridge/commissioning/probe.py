"""Who answers on a serial port: for people who look for a board."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from firmware_bridge.boards.encoding import text
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.link import Line
from firmware_bridge.wire.messages import PROTOCOL
from firmware_bridge.wire.session_security import proves
from firmware_bridge.wire.transport import BAUD, open_serial

PATIENCE = 3.0
"""A board that resets when its port is opened has begun to answer within this."""
ADDRESSES = range(8)


@dataclass(frozen=True)
class ProbeAnswer:
    """What the board at an address said when it was asked who it is."""

    address: int
    nonce: bytes
    said: wire.Message

    @property
    def identity(self) -> wire.Identity | None:
        """Who it is, if it speaks this version of the protocol."""
        said = self.said
        return said if isinstance(said, wire.Identity) and said.protocol == PROTOCOL else None

    @property
    def serial(self) -> str:
        """Its serial number; "" if its firmware is of another version."""
        return text(self.identity.serial) if self.identity else ""

    def knows(self, key: bytes) -> bool:
        """Whether it has proved that it knows this key."""
        return self.identity is not None and proves(self.identity, self.nonce, key)


async def answers(port: str, patience: float = PATIENCE) -> tuple[ProbeAnswer, ...]:
    """The boards on a port, by address. Raises BoardSilent if it cannot be opened.

    Nothing but `Identify` is sent, so no board changes what it does but for its session.
    """
    line = Line(open_serial(port))
    try:
        nonces = {address: os.urandom(8) for address in ADDRESSES}
        asked = {
            address: asyncio.ensure_future(line.link(address, str(address)).identify(nonce))
            for address, nonce in nonces.items()
        }
        # Boards share a line, so those that answer do so together; the rest is silence.
        await asyncio.wait(asked.values(), timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0.1)
        found = tuple(
            ProbeAnswer(address, nonces[address], answer.result())
            for address, answer in asked.items()
            if answer.done() and not answer.cancelled() and not answer.exception()
        )
        for answer in asked.values():
            answer.cancel()
        await asyncio.gather(*asked.values(), return_exceptions=True)
    finally:
        line.close()
    return found


async def probe(port: str) -> str:
    """Which boards answer on a port, or why none does; for people. Keys are not checked."""
    try:
        found = await answers(port)
    except BoardSilentError as reason:
        return str(reason)
    return "; ".join(map(introduced, found)) or SILENCE


SILENCE = f"nothing answers at {BAUD} baud"


def introduced(answer: ProbeAnswer) -> str:
    """A board in a sentence's beginning: serial number, address, firmware and protocol."""
    said = answer.identity
    if said is None:
        return (
            f"a board of another protocol version at address {answer.address}; upgrade its firmware"
        )
    return (
        f"board {answer.serial} at address {answer.address}: firmware {said.firmware}"
        f" ({text(said.build)}), protocol {said.protocol}"
    )
