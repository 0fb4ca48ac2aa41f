"""Trials of switched outputs: relays, lamps, gates, the width of the jaws, the buzzer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from config.schema import OutputChannel, StripChannel
from controller.upkeep.selftest.naming import named_channels
from controller.upkeep.selftest.table_under_test import TableUnderTest
from controller.upkeep.selftest.trial import DisagreementError, Trial
from firmware_bridge.board import Reason

SHOWN = 1.0
"""How long an output differs from its safe value, seconds."""


def relays(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of the safety relays: taking the lease closes a relay and its contact, if wired."""
    for relay in subject.table.modules.relay:
        evidence = f"{relay.contact} followed" if relay.contact else "the relay has no contact"
        channels = tuple(name for name in (relay.coil, relay.contact) if name)
        yield Trial(
            "relay",
            relay.coil,
            channels,
            f"Listen to the relay {relay.coil}: it closes for a second, and no motor runs.",
            f"{relay.coil} on for {SHOWN:g} s",
            partial(_stay_closed, evidence),
            "Did the relay click, and did no part move?",
            (relay.coil,),
        )


async def _stay_closed(evidence: str) -> str:
    """Keep the relay closed for `SHOWN` seconds by the trial's lease; returns `evidence`."""
    await asyncio.sleep(SHOWN)
    return evidence


def shown(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of all other outputs and strips: switched from the safe value for a moment."""
    coils = {relay.coil for relay in subject.table.modules.relay}
    for channel, part, role in named_channels(subject.table):
        config = subject.table.channel(channel)
        if channel in coils or not isinstance(config, OutputChannel | StripChannel):
            continue
        value, seconds = _switched_over(config)
        how = "goes on" if value else "goes off"
        yield Trial(
            part,
            role,
            (channel,),
            f"Watch {role} of {part} ({channel}): it {how} for {seconds:g} s.",
            f"{channel} to {value} for {seconds:g} s",
            partial(_show, subject, channel, value, seconds),
            "Did this happen?",
            (channel,),
        )


def _switched_over(config: OutputChannel | StripChannel) -> tuple[int, float]:
    """A value that visibly differs from the safe value, and for how many seconds to set it."""
    if isinstance(config, StripChannel):
        return (1 << config.lamps) - 1, SHOWN
    seconds = SHOWN if config.max_on is None else min(SHOWN, config.max_on / 2)
    return 1 - config.safe, seconds


async def _show(subject: TableUnderTest, channel: str, value: int, seconds: float) -> str:
    """Set an output to a value for this time; returns the evidence."""
    ended = await subject.board(channel).pulse(channel, value, seconds)
    if ended.reason is not Reason.DONE:
        raise DisagreementError(
            f"{channel} ended by {ended.reason.name} after {ended.seconds:.1f} s"
        )
    return "no sensor shows the effect"
