"""Sensors, which people work by hand while nothing moves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from config.schema import SensorChannel
from controller.selftest.asking import PATIENCE
from controller.selftest.naming import named
from controller.selftest.subject import Subject
from controller.selftest.trial import DisagreementError, Trial
from firmware_bridge.board import FaultCode


def stops(subject: Subject) -> Iterator[Trial]:
    """Every button of the emergency stop: its board must stop, and be cleared afterwards."""
    for sensor in subject.table.modules.emergency:
        yield Trial(
            "emergency stop",
            "button",
            (sensor,),
            f"Press the emergency stop when you are asked ({sensor}); nothing moves.",
            "nothing",
            partial(_stop_is_heard, subject, sensor),
        )


async def _stop_is_heard(subject: Subject, sensor: str) -> str:
    board = subject.board(sensor)
    faults = board.faults
    await subject.ask("Press the emergency stop.", sensor, True)
    try:
        async with asyncio.timeout(PATIENCE):
            while (fault := await anext(faults)).code is not FaultCode.EMERGENCY_STOP:
                pass
    except TimeoutError:
        raise DisagreementError(
            f"{sensor} became active, and board {board.name} did not stop"
        ) from None
    await subject.ask("Release the emergency stop.", sensor, False)
    await board.clear()
    return f"board {fault.board} stopped at {sensor}, and was cleared after its release"


def by_hand(subject: Subject) -> Iterator[Trial]:
    """Trials of every sensor that a hand can make active and that no trial of a motor covers."""
    elsewhere = {*subject.table.modules.emergency, *subject.own_sensors()}
    for channel, part, what in named(subject.table):
        config = subject.table.channel(channel)
        if channel in elsewhere or not isinstance(config, SensorChannel):
            continue
        yield Trial(
            part,
            what,
            (channel,),
            f"Cover {what} of {part} when you are asked ({channel}); nothing moves.",
            "nothing",
            partial(_follows, subject, channel, f"{what} of {part}"),
        )


async def _follows(subject: Subject, sensor: str, what: str) -> str:
    board = subject.board(sensor)
    before = await board.count(sensor)
    await subject.ask(f"Cover or press {what}, and hold it.", sensor, True)
    await subject.ask(f"Free {what} again.", sensor, False)
    counted = await board.count(sensor) - before
    return f"{sensor} became active and inactive again; counted {counted}"


def measured(subject: Subject) -> Iterator[Trial]:
    """Trials of every analogue input, read once: the board has to answer with a value."""
    for channel, part, what in named(subject.table):
        if subject.table.channel(channel).kind == "analog":
            yield Trial(
                part,
                what,
                (channel,),
                f"{what} of {part} is read ({channel}); nothing moves.",
                "one reading",
                partial(_measure, subject, channel),
            )


async def _measure(subject: Subject, channel: str) -> str:
    return f"{await subject.board(channel).read(channel)} mV"
