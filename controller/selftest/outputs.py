"""Trials of switched outputs: the relay, lamps, gates, jaws' width, the buzzer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from config.schema import OutputChannel, StripChannel
from controller.selftest.naming import named
from controller.selftest.subject import Subject
from controller.selftest.trial import DisagreementError, Trial
from firmware_bridge.board import Reason

SHOWN = 1.0
"""How long a lamp or a gate is switched over, seconds."""


def relays(subject: Subject) -> Iterator[Trial]:
    """Trials of the safety relays: the lease closes it; its contact, if wired, must follow."""
    for relay in subject.table.modules.relay:
        told = f"{relay.contact} followed" if relay.contact else "it has no contact to tell"
        channels = tuple(name for name in (relay.coil, relay.contact) if name)
        yield Trial(
            "relay",
            relay.coil,
            channels,
            f"Listen to the relay {relay.coil}: it closes for a second, and no motor turns.",
            f"{relay.coil} on for {SHOWN:g} s",
            partial(_stay_closed, told),
            "Did it click, and did nothing move?",
            (relay.coil,),
        )


async def _stay_closed(told: str) -> str:
    await asyncio.sleep(SHOWN)
    return told


def shown(subject: Subject) -> Iterator[Trial]:
    """Every other output and strip: switched over from its safe value for a moment."""
    coils = {relay.coil for relay in subject.table.modules.relay}
    for channel, part, what in named(subject.table):
        config = subject.table.channel(channel)
        if channel in coils or not isinstance(config, OutputChannel | StripChannel):
            continue
        value, seconds = _switched_over(config)
        how = "goes on" if value else "goes off"
        yield Trial(
            part,
            what,
            (channel,),
            f"Watch {what} of {part} ({channel}): it {how} for {seconds:g} s.",
            f"{channel} to {value} for {seconds:g} s",
            partial(_show, subject, channel, value, seconds),
            "Did it?",
            (channel,),
        )


def _switched_over(config: OutputChannel | StripChannel) -> tuple[int, float]:
    """The value that can be seen to differ from rest, and for how many seconds."""
    if isinstance(config, StripChannel):
        return (1 << config.lamps) - 1, SHOWN
    seconds = SHOWN if config.max_on is None else min(SHOWN, config.max_on / 2)
    return 1 - config.safe, seconds


async def _show(subject: Subject, channel: str, value: int, seconds: float) -> str:
    ended = await subject.board(channel).pulse(channel, value, seconds)
    if ended.reason is not Reason.DONE:
        raise DisagreementError(
            f"{channel} ended by {ended.reason.name} after {ended.seconds:.1f} s"
        )
    return "no sensor tells"
