"""Trials of sensors, which the person operates by hand while no part moves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from functools import partial

from config.schema import SensorChannel
from controller.upkeep.selftest.trial import (
    PATIENCE,
    DisagreementError,
    TableUnderTest,
    Trial,
    named_channels,
)
from firmware_bridge.board import BoardFault, FaultCode


def stops(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of every emergency button: its board must stop, and accept Clear after the release."""
    for sensor in subject.table.modules.emergency:
        yield Trial(
            "emergency stop",
            "button",
            (sensor,),
            f"Press the emergency stop when you are asked ({sensor}); no part moves.",
            "nothing",
            partial(_stops_its_board, subject, sensor),
        )


async def _stops_its_board(subject: TableUnderTest, sensor: str) -> str:
    """Have an emergency button pressed and released, then clear the board."""
    board = subject.board(sensor)
    with closing(board.faults) as faults:
        await subject.ask("Press the emergency stop.", sensor, True)
        try:
            async with asyncio.timeout(PATIENCE):
                while not (
                    isinstance(fault := await anext(faults), BoardFault)
                    and fault.code is FaultCode.EMERGENCY_STOP
                ):
                    pass
        except TimeoutError:
            raise DisagreementError(
                f"{sensor} became active, and board {board.name} did not stop"
            ) from None
    await subject.ask("Release the emergency stop.", sensor, False)
    await board.clear()
    return f"board {fault.board} stopped at {sensor}, and was cleared after its release"


def by_hand(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of every sensor that no other trial covers; the person makes it active by hand."""
    covered = {*subject.table.modules.emergency, *subject.own_sensors()}
    for channel, part, role in named_channels(subject.table):
        config = subject.table.channel(channel)
        if channel in covered or not isinstance(config, SensorChannel):
            continue
        yield Trial(
            part,
            role,
            (channel,),
            f"Cover {role} of {part} when you are asked ({channel}); no part moves.",
            "nothing",
            partial(_follows, subject, channel, f"{role} of {part}"),
        )


async def _follows(subject: TableUnderTest, sensor: str, name: str) -> str:
    """Have a sensor made active and inactive again; returns the evidence."""
    board = subject.board(sensor)
    before = await board.count(sensor)
    await subject.ask(f"Cover or press {name}, and hold it.", sensor, True)
    await subject.ask(f"Free {name} again.", sensor, False)
    counted = await board.count(sensor) - before
    return f"{sensor} became active and inactive again; its count rose by {counted}"


def measured(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of every analogue input: the board must answer one reading with a value."""
    for channel, part, role in named_channels(subject.table):
        if subject.table.channel(channel).kind == "analog":
            yield Trial(
                part,
                role,
                (channel,),
                f"{role} of {part} is read ({channel}); no part moves.",
                "one reading",
                partial(_measure, subject, channel),
            )


async def _measure(subject: TableUnderTest, channel: str) -> str:
    """The reading of an analogue input as text."""
    return f"{await subject.board(channel).read(channel)} mV"
