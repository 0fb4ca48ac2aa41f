"""Tests the run state: intents, faults, prompts and states become events and journal records."""

from __future__ import annotations

import pytest

from controller.events import Event, EventLog
from controller.run.faults.catalogue import Who
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal import Journal
from controller.run.journal.notes import MovesMade
from controller.run.ledger import Ledger
from controller.run.run_state import RunState, as_json, mean, open_fault_of
from firmware_bridge.guide import Ask
from tests.controller.run.journal.on_disk import now

JAM = TableFault(Fault.STARVED, "head 2", "head2_counter counted 1 of 2 tiles in 60.0 s")


def opened(journal: Journal) -> tuple[RunState, list[Event]]:
    """Return the run state of a table with two sets, and the list of its emitted events."""
    emitted: list[Event] = []
    events = EventLog(lambda: 3.0)
    events.listen(emitted.append)
    return RunState(Ledger.of(2, 136), journal, events, lambda: 3.0), emitted


def test_an_intent_is_confirmed_with_the_outcome_of_its_work() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, _ = opened(journal)

        async def throw() -> None:
            async with run_state.intent("top", {"step": "throw"}) as outcome:
                assert not journal.entries()[0].confirmed
                outcome([3, 5])

        now(throw())
        (throw,) = journal.entries()
        assert throw.confirmed and throw.outcome == [3, 5]


def test_notes_are_recorded_with_their_intent() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, _ = opened(journal)

        async def deal() -> None:
            async with run_state.intent("top", {"step": "packet"}) as work:
                await work.note(MovesMade(1))
                (packet,) = journal.entries()
                assert (packet.number, packet.notes) == (work.number, (MovesMade(1),))
                assert not packet.confirmed

        now(deal())


def test_work_without_an_outcome_is_confirmed() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, _ = opened(journal)

        async def deal() -> None:
            async with run_state.intent("top", {"step": "packet"}):
                pass

        now(deal())
        (packet,) = journal.entries()
        assert packet.confirmed and packet.outcome is None


def test_work_that_fails_leaves_its_intent_unconfirmed() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, _ = opened(journal)

        async def build() -> None:
            async with run_state.intent("under", {"do": "build"}):
                raise JAM

        with pytest.raises(TableFault):
            now(build())
        assert [entry.confirmed for entry in journal.entries()] == [False]


def test_a_fault_is_counted_emitted_and_recorded() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, emitted = opened(journal)
        run_state.fault(JAM)
        facts = {
            "code": "STARVED",
            "part": "head 2",
            "evidence": "head2_counter counted 1 of 2 tiles in 60.0 s",
        }
        assert run_state.figures.faults == 1
        assert emitted == [{"t": 3.0, "event": "fault", **facts}]
        (entry,) = journal.entries()
        assert (entry.activity, entry.intent, entry.confirmed) == ("fault", facts, True)


ASK = Ask("JAM", "head 2", "head2_counter is blocked", "Take the tile out.", ("done", "stop"))


def test_a_prompt_and_its_answer_are_emitted_and_recorded() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, emitted = opened(journal)

        async def ask() -> None:
            async with run_state.asking(ASK, Who.ATTENDANT) as answer:
                assert not journal.entries()[0].confirmed
                answer("done")

        now(ask())
        assert [event["event"] for event in emitted] == ["operator_prompted", "prompt_answered"]
        assert emitted[0]["request"] == "Take the tile out."
        assert (emitted[1]["role"], emitted[1]["answer"]) == ("attendant", "done")
        (entry,) = journal.entries()
        assert entry.activity == "asked"
        assert entry.outcome == {"by": "attendant", "answer": "done"}


def test_a_prompt_without_an_answer_stays_unconfirmed_and_is_withdrawn() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, emitted = opened(journal)

        async def ask() -> None:
            async with run_state.asking(ASK, Who.ATTENDANT):
                raise TimeoutError

        with pytest.raises(TimeoutError):
            now(ask())
        assert [event["event"] for event in emitted] == ["operator_prompted", "prompt_withdrawn"]
        assert (emitted[1]["code"], emitted[1]["part"]) == ("JAM", "head 2")
        assert [entry.confirmed for entry in journal.entries()] == [False]


def test_a_call_that_nobody_answered_does_not_hide_the_fault_before_it() -> None:
    """A run without a person stops with NOBODY. The next one asks about the jam that came first."""
    nobody = TableFault(Fault.NOBODY, "operator", "there is no terminal")
    with Journal.in_memory("now", {}) as journal:
        run_state, _ = opened(journal)
        run_state.fault(JAM)
        run_state.fault(nobody)
        entries = journal.entries()
    assert str(open_fault_of(entries)) == str(JAM)
    assert open_fault_of(entries[1:]) is None, "a missing person is not a fault of the table"


def test_every_change_of_the_machine_is_an_event() -> None:
    with Journal.in_memory("now", {}) as journal:
        run_state, emitted = opened(journal)
        for trigger in ("connect", "home", "run", "gather"):
            run_state.machine.fire(trigger)
        assert [(event["under"], event["top"]) for event in emitted] == [
            ("testing", "testing"),
            ("homing", "homing"),
            ("idle", "clear"),
            ("gathering", "clear"),
        ]


def test_the_mean_duration_is_unknown_before_the_first_cycle() -> None:
    assert mean([]) is None
    assert mean([20.6241, 20.6259]) == 20.625


def test_outcomes_become_json_values() -> None:
    assert as_json((3, 5)) == [3, 5]
    assert as_json(None) is None
    assert as_json("7m") == "7m"
