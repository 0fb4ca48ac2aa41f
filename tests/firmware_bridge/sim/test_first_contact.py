"""Tests the host's first contact with boards that have the Mega's bootloader, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

import pytest

from config.loader import load_table
from firmware_bridge.board import FaultCode
from firmware_bridge.boards.encoding import flags_of
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim import clock
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.line import CablePlug
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.link import HOLDS, LISTENS, START_SILENCE, STARTS, SerialLine
from tests.firmware_bridge.sim.rack import FACES, TILE

now = asyncio.get_running_loop
ANSWERS = 0.2
"""Seconds that a board which runs needs at most until it is configured."""


class Contact:
    """A table on a cable that was plugged in just now, and the host's end of it."""

    def __init__(self) -> None:
        table = load_table("robotic")
        self.plug = CablePlug()
        self.bench = Bench(Plant(table, TILE, FACES, 1, now()), self.plug.send)
        self.plug.on_receive = self.bench.receive
        self.plug.on_reset = self.bench.reset_all
        self.plug.pull()
        self.plug.put_back()
        self.line = SerialLine(self.plug.open())
        random = Random(1)
        self.base, self.arm = (
            SerialBoard(name, board, self.line, KEY, lambda: random.randbytes(8), flags_of(table))
            for name, board in table.boards.items()
        )

    def replug(self) -> None:
        self.plug.pull()
        self.plug.put_back()
        self.line.attach(self.plug.open())


def run(scenario: Callable[[Contact], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        contact = Contact()
        try:
            await scenario(contact)
        finally:
            contact.line.close()
            contact.bench.close()

    clock.run(main())


async def started_within(board: SerialBoard, seconds: float) -> int:
    """Start a board; return its reset cause."""
    began = now().time()
    identity = await board.start()
    assert now().time() - began <= seconds
    return identity.reset_cause


def test_a_board_that_the_opening_of_its_port_has_reset_answers_within_a_second() -> None:
    async def scenario(contact: Contact) -> None:
        assert await started_within(contact.base, STARTS + ANSWERS) == ResetCause.EXTERNAL
        assert await started_within(contact.arm, ANSWERS) == ResetCause.EXTERNAL

    run(scenario)


def test_a_board_that_another_program_holds_in_its_bootloader_answers_in_bounded_time() -> None:
    """For example, ModemManager sends `AT` to a port that it has found."""

    async def scenario(contact: Contact) -> None:
        await asyncio.sleep(LISTENS / 2)
        contact.bench.receive(b"AT\r")
        await started_within(contact.base, 12.0)

    run(scenario)


def test_a_port_that_was_opened_before_is_opened_without_a_reset() -> None:
    async def scenario(contact: Contact) -> None:
        boots = (await contact.base.start()).boots
        contact.line.attach(contact.plug.open())
        began = now().time()
        assert (await contact.base.start()).boots == boots
        assert now().time() - began < ANSWERS

    run(scenario)


def test_a_board_whose_cable_is_plugged_in_again_reports_one_start_more() -> None:
    async def scenario(contact: Contact) -> None:
        boots = (await contact.base.start()).boots
        contact.replug()
        assert (await contact.base.start()).boots == boots + 1

    run(scenario)


def test_a_board_that_hung_is_used_again_at_once_and_reports_its_fault() -> None:
    async def scenario(contact: Contact) -> None:
        await contact.base.start()
        faults = contact.base.faults
        contact.bench.reset("base", ResetCause.WATCHDOG)
        with pytest.raises(BoardSilentError, match=r"was reset \(cause: watchdog\) and has start"):
            await anext(faults)
        assert await started_within(contact.base, ANSWERS) == ResetCause.WATCHDOG
        assert (await anext(contact.base.faults)).code is FaultCode.WATCHDOG

    run(scenario)


def test_a_board_whose_supply_fell_under_lease_is_not_fed_for_ever() -> None:
    """Renewals of the lease hold its bootloader; the host notices, and then is silent."""

    async def scenario(contact: Contact) -> None:
        for board in (contact.base, contact.arm):
            await board.start()
            await board.hold_lease()
        faults = contact.base.faults
        contact.bench.reset("base", ResetCause.BROWN_OUT)
        with pytest.raises(BoardSilentError):
            await anext(faults)
        # The other board's renewals are bytes on the same line.
        cause = await started_within(contact.base, 5.0 + HOLDS)
        assert cause == ResetCause.BROWN_OUT
        assert (await anext(contact.base.faults)).code is FaultCode.BROWN_OUT

    run(scenario)


def test_a_line_is_silent_no_longer_than_its_limit_if_no_board_announces_itself() -> None:
    async def scenario(contact: Contact) -> None:
        sent: list[float] = []
        contact.bench.close()
        contact.plug.on_reset = lambda: None
        contact.plug.on_receive = lambda data: sent.append(now().time())
        contact.replug()
        began, starting = now().time(), asyncio.create_task(contact.base.start())
        await asyncio.sleep(START_SILENCE + 0.1)
        assert START_SILENCE <= sent[0] - began < START_SILENCE + 0.01
        starting.cancel()

    run(scenario)
