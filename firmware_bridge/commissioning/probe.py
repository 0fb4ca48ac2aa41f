"""Probe: finds the boards that answer on a serial port."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from firmware_bridge.boards.encoding import chip_name, text
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.challenge import verified
from firmware_bridge.wire.errors import BoardProtocolError, BoardSilentError
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.messages import PROTOCOL
from firmware_bridge.wire.transport import BAUD, open_serial

PATIENCE = 3.0
"""Seconds to wait for the first answer, after the silence of a port that resets its boards."""
OTHERS = 0.25
"""Seconds to wait for other boards of the line after the first answer; they take milliseconds."""
ADDRESSES = range(8)
LIMITS_SINCE = 2
"""The first firmware that has limits."""
SUPPLY_SINCE = 3
"""The first firmware that reports its supply."""
SAMPLES = 32
"""Measurements of the supply whose mean is taken."""


@dataclass(frozen=True)
class ProbeAnswer:
    """The reply of the board at an address to `Identify`."""

    address: int
    nonce: bytes
    reply: wire.Message

    @property
    def identity(self) -> wire.Identity | None:
        """The identity of the board; None if the board has another version of the protocol."""
        reply = self.reply
        return reply if isinstance(reply, wire.Identity) and reply.protocol == PROTOCOL else None

    @property
    def serial(self) -> str:
        """The serial number of the board; "" if it has another version of the protocol."""
        return text(self.identity.serial) if self.identity else ""

    def has_key(self, key: bytes) -> bool:
        """Whether the proof in the reply is valid for this key."""
        identity = self.identity
        return (
            identity is not None and verified(key, self.address, self.nonce, identity) is not None
        )


async def answers(port: str, patience: float = PATIENCE) -> tuple[ProbeAnswer, ...]:
    """The boards on a port, by address. Raises BoardSilentError if it cannot be opened.

    Sends nothing but `Identify`, which changes nothing in a board.
    """
    line = SerialLine(open_serial(port))
    try:
        nonces = {address: os.urandom(8) for address in ADDRESSES}
        asked = {
            address: asyncio.ensure_future(line.link(address, str(address)).identify(nonce))
            for address, nonce in nonces.items()
        }
        # A port whose opening resets its boards is silent at first; the wait begins afterwards.
        patience += max(0.0, line.silent_until - line.loop.time())
        # The boards of a line receive `Identify` at about the same time.
        await asyncio.wait(asked.values(), timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(OTHERS)
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


async def reported_limits(port: str, answer: ProbeAnswer, key: bytes) -> wire.Limits | None:
    """The limits of a board that has this key; None if its firmware has none.

    Begins a session, which ends the motions of an earlier one. Raises BoardError.
    """
    if answer.identity is None or answer.identity.firmware < LIMITS_SINCE:
        return None
    (reply,) = await _asked(port, answer, key, wire.ReadLimits())
    if not isinstance(reply, wire.Limits):
        raise BoardProtocolError(
            f"the board {answer.serial} answered the request for its limits with {reply}; flash it"
            " again: wallwright firmware flash PORT."
        )
    return reply


@dataclass(frozen=True)
class SupplyReport:
    """The supply of a board as it measures it, and the reference that is stored in the board."""

    volts: float
    """The mean of the measurements; 0 if the board does not measure its supply."""
    reference_mv: int
    """The stored reference; 0 if the board was not calibrated."""


async def reported_supply(
    port: str, answer: ProbeAnswer, key: bytes, samples: int = SAMPLES
) -> SupplyReport | None:
    """The supply of a board that has this key; None if its firmware does not report it.

    Begins a session, which ends the motions of an earlier one. Raises BoardError.
    """
    if answer.identity is None or answer.identity.firmware < SUPPLY_SINCE:
        return None
    replies = await _asked(port, answer, key, *[wire.ReadSupply()] * samples)
    measured = []
    for reply in replies:
        if not isinstance(reply, wire.Supply):
            raise BoardProtocolError(
                f"the board {answer.serial} answered the request for its supply with {reply}; flash"
                " it again: wallwright firmware flash PORT."
            )
        measured.append(reply)
    volts = sum(each.measured_mv for each in measured) / len(measured) / 1000
    return SupplyReport(volts, measured[-1].reference_mv)


async def _asked(
    port: str, answer: ProbeAnswer, key: bytes, *questions: wire.Message
) -> list[wire.Message]:
    """The replies to these commands in a session of their own. Raises BoardError."""
    line = SerialLine(open_serial(port))
    try:
        link = line.link(answer.address, answer.serial)
        nonce = os.urandom(8)
        identity = await link.identify(nonce)
        challenge = (
            verified(key, answer.address, nonce, identity)
            if isinstance(identity, wire.Identity)
            else None
        )
        if challenge is None:
            raise BoardProtocolError(
                f"the board {answer.serial} proved its key before and does not prove it now; check"
                " what else is on its line."
            )
        await link.authenticate(challenge.host_proof, challenge.keys)
        return [await link.request(question) for question in questions]
    finally:
        line.close()


async def probe(port: str) -> str:
    """A sentence: the boards that answer on a port, or why none does. Keys are not checked."""
    try:
        found = await answers(port)
    except BoardSilentError as reason:
        return str(reason)
    return "; ".join(map(board_summary, found)) or SILENCE


SILENCE = f"nothing answers at {BAUD} baud"
"""The description of a port on which no board answers."""


def board_summary(answer: ProbeAnswer) -> str:
    """A description of a board: serial number, address, firmware and protocol."""
    reply = answer.identity
    if reply is None:
        return (
            f"a board of another protocol version at address {answer.address}; upgrade its firmware"
        )
    return (
        f"board {answer.serial} at address {answer.address}: {chip_name(reply.chip)}, firmware"
        f" {reply.firmware} ({text(reply.build)}), protocol {reply.protocol}"
    )
