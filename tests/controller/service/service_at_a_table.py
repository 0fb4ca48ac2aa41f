"""A service at a simulated table in virtual time, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.recorder import AuditRecorder, ClockReading, RecorderClocks
from controller.run.journal.storage import DirectStorage, Storage
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.store_thread import ImmediateStore
from controller.service.port import Actor, CommandReply, CommandRequest
from controller.service.runs.openers import SimulatedTable
from controller.service.settings import ServiceSettings
from controller.service.status import Status, TableFacts
from controller.service.table_service import ClientPort, TableService
from controller.service.user_roles import UserRole
from firmware_bridge.sim.clock import run
from firmware_bridge.sim.faults.injected_fault import parse
from firmware_bridge.sim.host_computer import SlowDisk
from tests.fitting import long_leased

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
"""The computer's time when a service starts."""
Scenario = Callable[["Guests"], Awaitable[None]]
_NUMBERS = count(1)
"""The numbers of commands, of all guests: a host refuses an id that an earlier host has seen."""


class Guests:
    """People at one table; each command gets an id of its own."""

    def __init__(self, service: TableService) -> None:
        self.service = service
        self.port = ClientPort(service)

    @property
    def status(self) -> Status:
        """The status, without the delay of the publication."""
        return self.service.feed.status

    async def give(
        self,
        name: str,
        /,
        role: UserRole = UserRole.TECHNICIAN,
        client: str = "phone",
        **arguments: object,
    ) -> CommandReply:
        """Give a command; returns its reply."""
        request = CommandRequest(id=f"c{next(_NUMBERS)}", name=name, arguments=arguments)
        self._last = request, Actor("Ann", role, client, "192.168.1.20")
        return await self.port.submit(*self._last)

    async def repeat(self) -> CommandReply:
        """Send the last command again with its id, as a client does without a reply."""
        return await self.port.submit(*self._last)

    def repeat_of(self, others: Guests) -> None:
        """Let `repeat` send the last command of other guests: of the same client, before a kill."""
        self._last = others._last

    async def have(self, name: str, /, **arguments: object) -> None:
        """Give a command that must be carried out."""
        reply = await self.give(name, **arguments)  # type: ignore[arg-type]
        assert reply.state == "done", f"{name}: {reply.sentence}"

    async def _next_change(self) -> None:
        changed = asyncio.Event()
        end = self.service.feed.follow(lambda delta: changed.set())
        await changed.wait()
        end()

    async def until(self, reached: Callable[[Status], bool], limit: float = 3600.0) -> None:
        """Wait until the status is so, at most `limit` seconds."""
        async with asyncio.timeout(limit):
            while not reached(self.status):
                await self._next_change()


def at_a_table(
    scenario: Scenario,
    table: str = "robotic",
    *,
    automatic: bool = True,
    injected_faults: tuple[str, ...] = (),
    store: Path | None = None,
    journal: Path | None = None,
    seed: int = 1,
    audit: Path | None = None,
    audit_storage: Callable[[], Storage] = DirectStorage,
    opener: Callable[..., SimulatedTable] = SimulatedTable,
) -> None:
    """Run a service until the scenario ends, then stop it.

    `audit` is the folder of its audit log on `audit_storage`, `opener` makes what opens its tables.
    """

    def recorder(clock: Callable[[], float], changed: Callable[[], None]) -> AuditRecorder:
        assert audit is not None

        def clocks() -> ClockReading:
            return ClockReading(NOON + timedelta(seconds=clock()), clock())

        return AuditRecorder(
            LogFolder(audit),
            table,
            RecorderClocks(clock, computer=clocks),
            audit_storage(),
            changed=changed,
            journal=None if journal is None else (journal, None),
        )

    async def serve() -> None:
        machine = long_leased(table)
        kept = EveningStore(store)
        service = TableService(
            machine,
            TableFacts(name=machine.name, seats=4, simulated=True, software="test"),
            opener(machine, seed, tuple(map(parse, injected_faults))),
            kept,
            ImmediateStore(kept),
            ServiceSettings(
                storage=SlowDisk,
                journal=journal,
                automatic=automatic,
                recorder=None if audit is None else recorder,
            ),
        )
        serving = asyncio.ensure_future(service.serve())
        try:
            await scenario(Guests(service))
        finally:
            service.stop()
            await serving
            service.close()
            kept.close()

    run(serve())
