"""The lead of a recovery: while one client leads, no other client answers a fault prompt.

Two people at two panels would otherwise answer the same fault differently, each without seeing the
part that the other one moved. The lead is taken, taken over, released, or lapses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.service.port import Actor
from controller.service.status import LeadStatus

LAPSE = 30.0
"""Real seconds for which a client without a stream keeps the lead (our choice)."""


class RecoveryLead:
    """The client that leads a recovery. `clock` returns seconds of the table's clock.

    `pace` is the number of these seconds in a real second: above 1 for a simulated table that runs
    faster than real time, so that people there have as long as at a real table. The object has no
    timer: `LeadWatch` calls `lapse` at the time `lapses_at`.
    """

    def __init__(self, clock: Callable[[], float], pace: float = 1.0) -> None:
        self._clock = clock
        self._lapse = LAPSE * pace
        self._connected: set[str] = set()
        self.status: LeadStatus | None = None
        """The leading client as the status shows it; None without a leader."""
        self.lapses_at: float | None = None
        """Time at which the lead lapses, because its client has no stream; None if it has one."""

    def take(self, actor: Actor) -> LeadStatus | None:
        """Give the lead to a client; returns the lead of another client that it takes over."""
        before = self.status
        if before is not None and before.client == actor.client:
            self._watch()
            return None
        self.status = LeadStatus(
            client=actor.client, name=actor.name, role=actor.role, since=self._clock()
        )
        self._watch()
        return before

    def release(self, client: str) -> bool:
        """End the lead of a client; False if that client does not lead."""
        if self.status is None or self.status.client != client:
            return False
        self.status = self.lapses_at = None
        return True

    def presence(self, client: str, connected: bool) -> None:
        """Note that a client's first stream has begun, or that its last one has ended."""
        if connected:
            self._connected.add(client)
        else:
            self._connected.discard(client)
        if self.status is not None and self.status.client == client:
            self._watch()

    def lapse(self) -> bool:
        """End the lead if its time has come; returns whether it ended."""
        if self.lapses_at is None or self._clock() < self.lapses_at:
            return False
        self.status = self.lapses_at = None
        return True

    def other_leader(self, client: str) -> LeadStatus | None:
        """The lead of another client, which excludes this client from fault prompts."""
        self.lapse()
        return self.status if self.status is not None and self.status.client != client else None

    def _watch(self) -> None:
        assert self.status is not None
        present = self.status.client in self._connected
        self.lapses_at = None if present else self._clock() + self._lapse


class LeadWatch:
    """Ends the lead of a recovery when its time comes. `changed` publishes each change of the lead.

    `clock` is that of the lead, which is also that of the event loop.
    """

    def __init__(
        self, lead: RecoveryLead, clock: Callable[[], float], changed: Callable[[], None]
    ) -> None:
        self._lead = lead
        self._clock = clock
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._lapsing: asyncio.TimerHandle | None = None

    def presence(self, client: str, connected: bool) -> None:
        """Note that a client's first stream has begun, or that its last one has ended."""
        self._lead.presence(client, connected)
        if self._lead.status is not None and self._lead.status.client == client:
            self.watch()

    def watch(self) -> None:
        """Publish a change of the lead, and end the lead when its time comes."""
        self.close()
        self._lead.lapse()
        if self._lead.lapses_at is not None:
            wait = self._lead.lapses_at - self._clock()
            self._lapsing = self._loop.call_later(wait, self.watch)
        self._changed()

    def close(self) -> None:
        """Stop watching the lead."""
        if self._lapsing is not None:
            self._lapsing.cancel()
            self._lapsing = None
