"""The fold of events into counts, and the events that the statistics of a journal stand for."""

from __future__ import annotations

from controller.events import Event, EventName
from controller.events.counts import FORGOTTEN, JAM, EventCounts, counts_of
from controller.events.lookups import ROWS
from controller.run.faults.catalogue import Fault


def prompt(at: float, code: str, part: str = "head 1") -> Event:
    facts = {"code": code, "part": part, "evidence": "x", "request": "y", "role": "attendant"}
    return {"t": at, "event": "operator_prompted", **facts}


def answer(at: float, code: str, part: str = "head 1") -> Event:
    facts = {"code": code, "part": part, "role": "attendant", "answer": "done"}
    return {"t": at, "event": "prompt_answered", **facts}


def pause(at: float, why: str, board: str) -> Event:
    return {"t": at, "event": "paused", "why": why, "board": board, "channel": ""}


def test_the_codes_that_the_fold_names_are_faults_of_the_catalogue() -> None:
    assert (Fault.JAM.name, Fault.FORGOTTEN.name) == (JAM, FORGOTTEN)


def test_every_key_by_which_an_event_is_counted_is_a_key_of_the_event() -> None:
    for row in ROWS.values():
        keys = {"", *(key.name for key in row.keys)}
        assert all({count.by, count.amount} <= keys for count in row.counts), row.name


def test_a_repeated_prompt_counts_from_the_last_and_a_forgotten_tile_has_no_time() -> None:
    events = [prompt(1.0, "JAM"), prompt(5.0, "JAM"), answer(8.0, "JAM")]
    events += [prompt(10.0, FORGOTTEN, "lid"), answer(90.0, FORGOTTEN, "lid")]
    counts = counts_of(events)
    assert (counts.assists, counts.assisting_s) == (1, 3.0)
    assert counts.of("assists") == {"JAM": 1, FORGOTTEN: 1}
    assert counts.prompts == ()


def test_an_emergency_stop_that_two_boards_report_is_one_pause_with_two_causes() -> None:
    counts = counts_of([pause(1.0, "EMERGENCY_STOP", "base"), pause(1.5, "EMERGENCY_STOP", "arm")])
    assert counts.of("pauses") == {"EMERGENCY_STOP": 1}
    assert [cause.board for cause in counts.pause] == ["base", "arm"]
    resumed = counts.after({"t": 4.0, "event": "resumed", "paused_s": 3.0})
    assert (resumed.pause, resumed.total("paused_s")) == ((), 3.0)


def test_an_event_changes_no_earlier_counts_and_an_unknown_event_changes_nothing() -> None:
    before = EventCounts()
    fault: Event = {"t": 1.0, "event": EventName.FAULT.value, "code": "JAM", "part": "head 1"}
    after = before.after(fault)
    assert (before.jams, after.jams) == (0, 1)
    assert after.after({"t": 2.0, "event": "of_a_later_version"}) is after
