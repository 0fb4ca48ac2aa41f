"""Collects the contents of receipts of shuffle cycles and rounds, and records them.

The contents of a receipt are an event of the log. `controller.records.audit.receipts` makes the
receipt itself, which adds the proof that the log has the event.

The receipt of a round is recorded when the round is over. If the machine reveals its random share
later, the receipt is recorded again with the reveal; the later one replaces the earlier one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from controller.events import Event, EventName
from controller.records.audit.receipts import RECEIPT, nameplate_facts
from controller.records.identity.boot import software_identity
from controller.service.auditing.audit_trail import AuditTrail
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.session_book import SessionBook
from controller.service.evening.store_thread import StoreThread

if TYPE_CHECKING:
    from controller.records.audit.log.event_line import AuditEvent

ROUNDS = 10
"""Number of rounds that `last_rounds` keeps (a regulator asks for the last ten games)."""
LAST_ROUNDS = "last rounds"
"""Name of the fact in the store that has the contents of the last rounds' receipts."""
OPERATOR = "operator of the session"
"""Name of the fact in the store that has the person who has started the session."""
ChanceRecord = Callable[[], Mapping[str, object] | None]


class ReceiptBook:
    """The receipts of one service. `nameplate` is maker, model and serial number.

    `chance` returns the record of the random choices for the set on the table, without the secret
    share, or None; `cycle_chance` returns that of the last shuffle.
    """

    def __init__(
        self,
        trail: AuditTrail,
        store: EveningStore,
        thread: StoreThread,
        facts: Mapping[str, object],
        chance: ChanceRecord = lambda: None,
        cycle_chance: ChanceRecord = lambda: None,
    ) -> None:
        self.last_rounds = deque[dict[str, Any]](store.fact(LAST_ROUNDS) or (), maxlen=ROUNDS)
        """The contents of the last rounds' receipts, with the index of each event."""
        self.operator = str(store.fact(OPERATOR) or "")
        """The person who has started the session whose rounds are played."""
        self._trail = trail
        self._thread = thread
        self._facts = facts
        self._chance = chance
        self._cycle_chance = cycle_chance
        self._cycles = 0
        self._under = ""
        self._cycle_began = ""
        self._round: dict[str, Any] = self._empty()

    def started_by(self, name: str) -> None:
        """Note the person who has started a session, also for rounds after a restart."""
        self.operator = name
        self._thread.write(lambda store: store.put_fact(OPERATOR, name))

    def on_event(self, event: Event, game: PlannedGame | None) -> None:
        """Take an event of the table."""
        match event:
            case {"event": EventName.RUN_STARTED}:
                self._round = self._empty()
            case {"event": EventName.DICE_THROWN, "by": by, "dice": dice}:
                self._round["dice"].append({"by": by, "dice": dice})
            case {"event": EventName.CHOICE_MADE, "by": by, "what": what, "answer": answer}:
                self._round["choices"].append({"by": by, "what": what, "answer": answer})
            case {"event": EventName.CHANCE_REVEALED, "record": dict(record)}:
                self._reveal(record)
            case {"event": EventName.STATE, "under": str(under)}:
                self._take_cycle(under, game)

    def round_over(self, book: SessionBook) -> None:
        """Record the receipt of the round that is over."""
        result = book.last_result
        contents = {
            **self.unfinished(book.game, book),
            "number": result.number,
            "state": "abandoned" if result.abandoned else "finished",
            "result": result.model_dump(mode="json"),
        }
        self._round = self._empty()
        self.last_rounds.append(contents)
        self._record_round(contents)

    def unfinished(self, game: PlannedGame | None, book: SessionBook | None) -> dict[str, Any]:
        """The contents of the receipt of the round in progress, as far as it has come."""
        chance = self._round["chance"] or self._chance()
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

    def event_of(self, session: str, hand: int) -> int | None:
        """The index of the event with the receipt of one of the last rounds; None without one."""
        for contents in reversed(self.last_rounds):
            if (contents["session"], contents["number"]) == (session, hand):
                event: int | None = contents.get("event")
                return event
        return None

    def _reveal(self, record: dict[str, Any]) -> None:
        """Add the revealed share to the receipt of its round, which can be over already."""
        for contents in reversed(self.last_rounds):
            committed = contents["chance"]
            if committed is not None and committed["commitment"] == record["commitment"]:
                contents["chance"] = record
                self._record_round(contents)
                return
        self._round["chance"] = record

    def _record_round(self, contents: dict[str, Any]) -> None:
        contents.pop("event", None)

        def written(event: AuditEvent) -> None:
            contents["event"] = event.index
            kept = [dict(each) for each in self.last_rounds]
            self._thread.write(lambda store: store.put_fact(LAST_ROUNDS, kept))

        self._trail.record(RECEIPT, dict(contents), done=written, keep_head=True)

    def _take_cycle(self, under: str, game: PlannedGame | None) -> None:
        before, self._under = self._under, under
        if under == before:
            return
        if under == "shuffling":
            self._cycle_began = self._trail.time()
        if under == "staged" and self._cycle_began:
            self._cycles += 1
            chance = self._cycle_chance()
            contents = {
                **self._about(game),
                "kind": "shuffle cycle",
                "number": self._cycles,
                "began": self._cycle_began,
                "state": "finished",
                "chance": None if chance is None else dict(chance),
            }
            self._trail.record(RECEIPT, contents)

    def _about(self, game: PlannedGame | None) -> dict[str, Any]:
        return {
            **self._facts,
            "operator": self.operator,
            "game": "" if game is None else game.orders.game.name,
            "house_rules": {} if game is None else dict(game.choice.house_rules),
        }

    def _empty(self) -> dict[str, Any]:
        return {"began": self._trail.time(), "dice": [], "choices": [], "chance": None}


def facts_of_table(table: str, software: str, nameplate: tuple[str, str, str]) -> dict[str, object]:
    """The facts of every receipt of a table: table, maker, model, serial number, software."""
    return {
        "table": table,
        **nameplate_facts(nameplate),
        "software": {"version": software, "hash": software_identity()},
    }
