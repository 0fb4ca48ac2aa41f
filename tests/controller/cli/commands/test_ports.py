"""Boards in another process on a pseudo-terminal, and ports on which no board answers."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.run.journal import Journal
from tests.controller.cli.conftest import Start, Wallwright, named


@pytest.fixture
def port() -> Iterator[str]:
    """The path of a pseudo-terminal without a board at its other end."""
    end, side = os.openpty()
    tty.setraw(side)
    yield os.ttyname(side)
    os.close(side)
    os.close(end)


@pytest.mark.slow
def test_a_port_on_which_no_board_answers_is_a_fault_of_the_table(
    port: str, wallwright: Wallwright, tmp_path: Path
) -> None:
    events_file = tmp_path / "events.jsonl"
    result = wallwright(f"run --port {port} --events {events_file}")
    assert result.code == 1
    assert result.err == (
        "board: a board does not answer (board base: no answer to Identify, which was sent 9 times."
        " Check the board's power and cable; `wallwright scan` lists the boards that answer). Check"
        " the cable and the power of the board; if the table has stopped, run it again.\n"
    )
    events = [json.loads(line) for line in events_file.read_text().splitlines()]
    assert [event["code"] for event in named(events, "fault")] == ["SILENT"]
    assert (events[-1]["event"], events[-1]["faults"]) == ("summary", 1)


def test_a_port_that_another_program_holds_is_refused(port: str, wallwright: Wallwright) -> None:
    held = os.open(port, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(held, fcntl.LOCK_EX)
    result = wallwright(f"run --port {port}")
    os.close(held)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(
        f"Port {port} cannot be opened (Resource temporarily unavailable)."
    )


def test_an_unfinished_round_is_not_resumed_with_other_options(
    port: str, wallwright: Wallwright, tmp_path: Path
) -> None:
    kept = tmp_path / "table.journal"
    played = wallwright(f"run --until ready --journal {kept}")
    assert played.code == 0
    facts = json.loads(kept.read_text().splitlines()[0])["content"]["facts"]
    assert facts.pop("simulated"), "a run on a port has no such fact"
    with Journal(kept, "later", facts) as journal:
        journal.intend("top", 1.0, {"do": "take in", "set": 0})
    result = wallwright(f"run --port {port} --dealer 2 --journal {kept}")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"The journal {kept} has an unfinished round with dealer 0; repeat the command with these"
        " options to resume it, or add --abandon to start a new round.\n"
    )


def test_simulated_boards_are_allowed_on_pseudo_terminals_only(wallwright: Wallwright) -> None:
    for command in ("run", "selftest"):
        result = wallwright(f"{command} --port /dev/null --allow-simulated")
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            "`--allow-simulated` accepts a public key, so every port must be a pseudo-terminal of"
            " `wallwright board`; /dev/null is another device. Leave out --allow-simulated.\n"
        )
    alone = wallwright("run --allow-simulated")
    assert (alone.code, alone.out) == (2, "")
    assert alone.err.startswith("`--allow-simulated` needs the port of `wallwright board`; add")


@pytest.mark.slow
def test_a_table_does_not_run_with_a_board_that_calls_itself_simulated(
    start: Start, wallwright: Wallwright, late_boards: None
) -> None:
    with start("board --sim single_port --game backgammon --pty") as board:
        assert board.stdout is not None
        path = board.stdout.readline().strip()
        result = wallwright(f"run --table single_port --game backgammon --port {path}")
        board.send_signal(signal.SIGTERM)
    assert result.code == 1
    assert "the board on this port reports SIM00000, the serial number of a simulated" in result.err


@pytest.mark.slow
def test_each_board_can_have_its_own_port_and_scan_finds_both(
    start: Start, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch, late_boards: None
) -> None:
    """Backgammon needs no tiles, only both boards, their homing and the dice: about 10 s."""
    with start("board --sim robotic --game backgammon --pty") as board:
        assert board.stdout is not None
        path = board.stdout.readline().strip()
        monkeypatch.setattr("firmware_bridge.commissioning.probe.OTHERS", 3.0)
        scanned = wallwright(f"scan {path}")
        assert "board SIM00000 at address 0" in scanned.out
        assert "board SIM00001 at address 1" in scanned.out
        assert "key public (a simulated board: only --allow-simulated accepts it)" in scanned.out
        limits = wallwright(f"scan {path} --limits --table robotic --allow-simulated")
        assert limits.code == 0
        assert limits.out.count(": limits: lease at most 1000 ms, on-time at most ") == 2
        events = wallwright(
            f"run --game backgammon --port base={path} --port arm={path} --allow-simulated"
            " --until ready --events -"
        )
        board.send_signal(signal.SIGTERM)
        assert board.wait(timeout=120) == 0
    assert events.code == 0
    assert "Ready to play." in events.err
    last = json.loads(events.out.splitlines()[-1])
    assert (last["event"], last["rounds"], last["faults"]) == ("summary", 1, 0)
    # On a busy computer the run takes longer than the table's clock says, and never less long.
    assert 5 < last["virtual_s"] < last["real_s"] + 0.5
