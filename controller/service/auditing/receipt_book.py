"""Collects what the receipts of shuffle cycles and rounds say, and records them in the audit log.

The contents of a receipt are an event of the log. `wallwright audit receipt` makes the receipt
itself, which adds the proof that the log has the event.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from controller.audit.receipts.contents import RECEIPT, nameplate_facts
from controller.events import Event
from controller.identity.boot import software_identity
from controller.service.auditing.audit_trail import AuditTrail
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.session_book import SessionBook

if TYPE_CHECKING:
    from controller.audit.log.event_line import AuditEvent

ROUNDS = 10
"""Number of rounds that `last_rounds` keeps (a regulator asks for the last ten games)."""


class ReceiptBook:
    """The receipts of one service. `nameplate` is maker, model and serial number.

    `chance` returns the record of the machine's random choices for the present round, or None.
    """

    def __init__(
        self,
        trail: AuditTrail,
        table: str,
        software: str,
        nameplate: tuple[str, str, str],
        chance: Callable[[], Mapping[str, object] | None] = lambda: None,
    ) -> None:
        self.last_rounds: deque[dict[str, Any]] = deque(maxlen=ROUNDS)
        """The contents of the last rounds' receipts, with the index of each event."""
        self.operator = ""
        """The person who gave the last command."""
        self._trail = trail
        self._facts = {"table": table, **nameplate_facts(nameplate)}
        self._software = software
        self._chance = chance
        self._cycles = 0
        self._under = ""
        self._cycle_began = ""
        self._round: dict[str, Any] = self._empty()

    def on_event(self, event: Event, game: PlannedGame | None) -> None:
        """Take an event of the table."""
        match event:
            case {"event": "run_started"}:
                self._round = self._empty()
            case {"event": "dice_thrown", "by": by, "dice": dice}:
                self._round["dice"].append({"by": by, "dice": dice})
            case {"event": "choice_made", "by": by, "what": what, "answer": answer}:
                self._round["choices"].append({"by": by, "what": what, "answer": answer})
            case {"event": "state", "under": str(under)}:
                self._take_cycle(under, game)

    def round_over(self, book: SessionBook) -> None:
        """Record the receipt of the round that is over."""
        result = book.status({}).results[-1]
        contents = {
            **self.unfinished(book.game, book),
            "number": result.number,
            "state": "abandoned" if result.abandoned else "finished",
            "result": result.model_dump(mode="json"),
        }
        self._round = self._empty()
        self.last_rounds.append(contents)

        def written(event: AuditEvent) -> None:
            contents["event"] = event.index

        self._trail.record(RECEIPT, dict(contents), done=written, keep_head=True)

    def unfinished(self, game: PlannedGame | None, book: SessionBook | None) -> dict[str, Any]:
        """The contents of the receipt of the round in progress, as far as it has come."""
        chance = self._chance()
        return {
            **self._about(game),
            **self._round,
            "kind": "round",
            "number": 0 if book is None else book.hand,
            "session": "" if book is None else book.id,
            "players": [] if book is None else [book.player(seat) for seat in sorted(book.names)],
            "chance": None if chance is None else dict(chance),
            "state": "unfinished",
            "result": None,
        }

    def _take_cycle(self, under: str, game: PlannedGame | None) -> None:
        before, self._under = self._under, under
        if under == before:
            return
        if under == "shuffling":
            self._cycle_began = self._trail.time()
        if under == "staged" and self._cycle_began:
            self._cycles += 1
            contents = {
                **self._about(game),
                "kind": "shuffle cycle",
                "number": self._cycles,
                "began": self._cycle_began,
                "state": "finished",
                "chance": None,
            }
            self._trail.record(RECEIPT, contents)

    def _about(self, game: PlannedGame | None) -> dict[str, Any]:
        return {
            **self._facts,
            "software": {"version": self._software, "hash": software_identity()},
            "operator": self.operator,
            "game": "" if game is None else game.orders.game.name,
            "house_rules": {} if game is None else dict(game.choice.house_rules),
        }

    def _empty(self) -> dict[str, Any]:
        return {"began": self._trail.time(), "dice": [], "choices": []}
