"""The state of a table's service, and the facts of it that survive a restart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from controller.service.auditing.audit_trail import AuditTrail
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.store_thread import StoreThread
from controller.service.status import ServiceName, ServiceStatus

OUT_OF_PLAY = "out of play"
"""Name of the fact in the store that has the person who has taken the table out of play."""


class ServiceState:
    """The state of the service, and whether the table is in play. Each change is recorded.

    `clock` returns seconds of the table's clock. `changed` publishes the status soon.
    """

    def __init__(
        self,
        store: EveningStore,
        thread: StoreThread,
        audit: AuditTrail,
        clock: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        self.out_of_play: str | None = store.fact(OUT_OF_PLAY)
        """The person who has taken the table out of play; None if it is in play."""
        self.status = ServiceStatus(
            sentence=self.idle_sentence, out_of_play=self.out_of_play is not None
        )
        self.clock = clock
        self._thread = thread
        self._audit = audit
        self._changed = changed

    @property
    def idle_sentence(self) -> str:
        """The sentence of the state `idle`."""
        if self.out_of_play is None:
            return "The table is free; choose a game to begin."
        return f"{self.out_of_play} has taken the table out of play."

    @property
    def audit_anchor(self) -> dict[str, object] | None:
        """The size and the root of the audit log, which the journal keeps with each run."""
        return self._audit.anchor

    def set(self, state: ServiceName, sentence: str) -> None:
        """Change the state of the service."""
        self._audit.on_state(state, sentence)
        self.status = ServiceStatus(
            state=state,
            since=round(self.clock(), 3),
            sentence=sentence,
            out_of_play=self.out_of_play is not None,
        )
        self._changed()

    def take_out_of_play(self, who: str) -> None:
        """Let no session begin until `put_in_play`, even after a restart."""
        self._set_out_of_play(who)

    def put_in_play(self) -> None:
        """Let sessions begin again."""
        self._set_out_of_play(None)

    def _set_out_of_play(self, who: str | None) -> None:
        self.out_of_play = who
        self.keep(OUT_OF_PLAY, who)
        self._audit.record("put_in_play" if who is None else "taken_out_of_play", who=who or "")
        state = self.status.state
        self.set(state, self.idle_sentence if state == "idle" else self.status.sentence)

    # Facts that survive a restart

    def keep(self, name: str, value: object) -> None:
        """Keep a fact by its name in the store; None if it applies no longer."""
        self._thread.write(lambda store: store.put_fact(name, value))

    async def kept(self, name: str) -> Any:
        """The value of a fact that was kept; None if there is none. Raises StoreError."""
        return await self._thread.read(lambda store: store.fact(name))

    async def stored(self) -> None:
        """Wait until every fact so far is on disk. Raises StoreError if that is not possible."""
        await self._thread.stored()
