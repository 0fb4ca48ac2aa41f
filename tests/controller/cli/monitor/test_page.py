"""The page of the monitor fits every terminal and shows what is urgent first."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from controller.cli.monitor.stream_reader import MonitoredTable
from controller.cli.monitor.watching import page
from controller.service.status import Status
from tests.controller.cli.monitor.statuses import EVERY, PLAYING, TROUBLED, as_json


def view(status: Status | None, **changes: object) -> MonitoredTable:
    found = MonitoredTable(connection="connected", at=100.0, received=5.0)
    found.status = None if status is None else as_json(status)
    for name, value in changes.items():
        setattr(found, name, value)
    return found


def lines(found: MonitoredTable, columns: int = 80, rows: int = 23, now: float = 5.0) -> list[str]:
    return page(found, now, columns, rows).plain.split("\n")


@pytest.mark.parametrize("status", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize(("columns", "rows"), [(80, 23), (40, 12), (200, 60), (20, 5)])
def test_the_page_fits_the_terminal(status: Status, columns: int, rows: int) -> None:
    for connection in ("connecting", "connected", "lost"):
        shown = lines(
            view(status, connection=connection, why="no service listens there"), columns, rows
        )
        assert len(shown) <= rows
        assert max(map(cell_len, shown)) <= columns


def test_at_80_by_24_everything_of_a_round_is_shown() -> None:
    shown = lines(view(PLAYING))
    text = "\n".join(shown)
    assert shown[0] == "simulated table robotic: session, running for 1 min 40 s"
    for part in (
        "Wenzhou mahjong, 3 rounds played",
        "above: dealing   below: building   mode: going",
        "step: deal four tiles to seat 2",
        "0     East   Ann     14     12     dealer",
        "hand 3: Ann wins a soft hand.",
        "Ben owes Ann 4",
        "rounds 3, faults 0, recoveries 2, assists 1, pauses 0",
        "272 of 272 tiles accounted for",
        "event number 19",
    ):
        assert part in text, part
    assert len(shown) == 23


def test_a_prompt_says_who_may_clear_it_and_for_how_long_it_waits() -> None:
    text = "\n".join(lines(view(TROUBLED)))
    assert "WAITING 40 s for the attendant (JAM: head 2)" in text
    assert "Take the tile that is stuck at head 2 out" in " ".join(text.split())
    assert "answers: done, stop" in text
    assert "PAUSED for 10 s: EMERGENCY_STOP, board base, emergency" in text
    assert "FAULT LIFT at lift 1: lift1_up gave no signal within 5.5 s." in text
    assert "The technician may clear it." in text
    assert "Dee (attendant) leads the recovery." in text


def test_in_a_low_terminal_the_urgent_lines_stay_and_the_events_go() -> None:
    text = "\n".join(lines(view(TROUBLED), rows=14))
    assert "FAULT LIFT" in text and "WAITING" in text and "PAUSED" in text
    assert "event number" not in text


def test_boards_that_do_not_answer_are_named() -> None:
    text = "\n".join(lines(view(TROUBLED), rows=40))
    assert "boards that do not answer: base" in text


def test_a_lost_connection_is_the_second_line_and_its_times_stand_still() -> None:
    lost = view(
        PLAYING, connection="lost", why="nothing was received for 2 s", since=7.0, attempts=2
    )
    shown = lines(lost, now=77.0)
    assert shown[0].endswith("running for 1 min 40 s")
    assert shown[1] == "CONNECTION LOST for 1 min 10 s: nothing was received for 2 s."
    assert shown[2] == "What follows is old. Connecting again (attempt 2)."


def test_times_go_on_between_two_messages() -> None:
    assert lines(view(PLAYING), now=65.0)[0].endswith("running for 2 min 40 s")


def test_service_mode_shows_who_jogs_what() -> None:
    text = "\n".join(lines(view(EVERY["serviced"])))
    assert "SERVICE MODE by Ann: the table is not playable." in text
    assert "Ann jogs lid forward." in text
    assert "test of head 2: Watch wheel of head 2." in text
    assert "latched: EMERGENCY_STOP at emergency on board base" in text
