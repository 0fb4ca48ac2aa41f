"""The live view and its questions, at a pseudo-terminal with an emulated screen."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import ConsoleRenderable, RenderHook

from controller.cli.terminal.live_view import LiveView
from controller.cli.terminal.serial_console import SerialConsole
from tests.controller.cli.conftest import COMMAND
from tests.controller.cli.terminal.screen_emulator import Screen
from tests.controller.cli.terminal.terminal_session import TerminalSession

JAMMED = (
    "run --seed 7 --until ready --speed 12"
    " --fault jam:head2#30~9 --fault emergency_stop:table@122~20"
)

ATTEMPTS = 5
"""Runs of a test that has to do something in the few seconds before a fault."""

Board = Callable[[str], str]


@pytest.fixture
def board() -> Iterator[Board]:
    """A function that starts a virtual board in a process of its own and returns its port."""
    processes: list[subprocess.Popen[str]] = []

    def on_port(faults: str) -> str:
        line = f"board --sim robotic --game backgammon --pty {faults}"
        process = subprocess.Popen((*COMMAND, *line.split()), stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    yield on_port
    for process in processes:
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.slow
def test_a_jam_is_on_the_screen_until_it_is_removed_and_then_in_the_summary() -> None:
    with TerminalSession(JAMMED, columns=160) as terminal:
        terminal.until_visible(
            "WAITING for the attendant since 104.",
            "JAM, head 2",
            "Take the tile that is stuck at head 2 out",
        )
        terminal.until_visible(
            "PAUSED since 122.0 s: EMERGENCY_STOP, board base emergency",
            "after its release, the dealer may clear it",
        )
        terminal.until("WAITING for the dealer since 142.0 s")
        terminal.until("resumed after")
        terminal.until("EMERGENCY at emergency: the dealer answered 'reset'")
        terminal.until("JAM at head 2: recovered on attempt 5")
        assert terminal.ends() == 0
        after = terminal.screen.everything
    for line in (
        "recoveries     1 (JAM 1)",
        "assists        2 (EMERGENCY 1, JAM 1)",
        "pauses         1 (EMERGENCY_STOP 1)",
        "faults         0",
    ):
        assert line in after.splitlines()
    assert "WAITING" not in after, "the view is gone, and what happened stays"
    assert "s  JAM at head 2, waiting for the attendant" in after


class BusyComputer(RenderHook):
    """Another thread runs after the rows of the view are counted, and before they are drawn."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        time.sleep(0.002)
        return renderables


def test_no_line_is_lost_while_the_view_is_drawn_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("controller.cli.terminal.live_view.PER_SECOND", 10_000)
    terminal = StringIO()
    console = SerialConsole(file=terminal, force_terminal=True, width=100, height=30)
    with LiveView(console, "A table") as view:
        console.push_render_hook(BusyComputer())
        for number in range(50):
            why = {"board": "base", "channel": f"input {number}", "source": "board"}
            view.on_event({"t": number, "event": "paused", "why": "EMERGENCY_STOP", **why})
            view.on_event({"t": number, "event": "resumed", "paused_s": number})
        console.pop_render_hook()
    screen = Screen(100, 30)
    screen.feed(terminal.getvalue().replace("\n", "\r\n"))  # as a terminal does
    lines = [line for line in screen.everything.splitlines() if line]
    assert len(lines) == 100
    assert [line.rpartition(" ")[2] for line in lines[::2]] == [str(each) for each in range(50)]
    assert "A table" not in lines


@pytest.mark.slow
def test_on_a_low_terminal_last_events_are_left_out_and_questions_are_not() -> None:
    with TerminalSession(JAMMED, columns=70, height=13) as terminal:
        terminal.until("WAITING for the dealer since 142.0 s")
        terminal.until_visible(
            "WAITING for the dealer since 142.0 s",
            "then reset the emergency.",
            "Wenzhou mahjong on the table robotic",
        )


def types_before_the_stop(terminal: TerminalSession, keys: str) -> bool:
    """Type these keys before the emergency stop; returns False if a busy computer was too late.

    The console shows its question and then discards what was typed before it.
    """
    stopped = "paused: EMERGENCY_STOP"
    terminal.until("homing", stopped)
    terminal.types(keys)
    terminal.for_a_while(0.2)
    return stopped not in terminal.screen.everything


@pytest.mark.slow
def test_an_enter_typed_before_the_emergency_stop_does_not_clear_it(board: Board) -> None:
    """The emergency stop comes at an output that the run sets, 8 s after its start."""
    for _ in range(ATTEMPTS):
        port = board("--fault emergency_stop:table#7~1")
        with TerminalSession(
            f"run --game backgammon --port {port} --allow-simulated --until ready"
        ) as terminal:
            if not types_before_the_stop(terminal, "\n\nreset\n\n"):
                continue
            terminal.until("WAITING for the dealer")
            terminal.until("[1]> _")
            terminal.for_a_while(3.0)
            terminal.types("\n")
            refused = terminal.until("Enter alone is not an answer to this question.")
            after_the_stop = refused.rpartition("waiting for the dealer")[2]
            assert "answered" not in after_the_stop and "resumed" not in after_the_stop
            terminal.until("Type 'reset' when it is done, or 'stop'.")
            terminal.types("res")
            terminal.until("[1]> res_")
            terminal.types("et\n")
            terminal.until("the dealer answered 'reset'")
            terminal.until("Ready to play.")
            assert terminal.ends() == 0
            assert "assists        1 (EMERGENCY 1)" in terminal.screen.everything
            assert terminal.echoes()
            return
    raise AssertionError(f"in {ATTEMPTS} runs, nothing was typed before the emergency stop")


@pytest.mark.slow
def test_a_terminal_that_is_closed_stops_the_table_safely(board: Board, tmp_path: Path) -> None:
    port = board("")
    events = tmp_path / "events.jsonl"
    with TerminalSession(
        f"run --game backgammon --port {port} --allow-simulated --events {events}"
    ) as terminal:
        terminal.until_written('"top": "throwing"', events)
        terminal.close()
        assert terminal.process.wait(120) == 128 + signal.SIGHUP
    *_, stopped, summary = events.read_text().splitlines()
    assert '"top": "stopped"' in stopped and '"event": "summary"' in summary


@pytest.mark.slow
def test_ctrl_c_at_a_terminal_ends_the_run_with_130_and_restores_the_terminal(
    tmp_path: Path,
) -> None:
    events = tmp_path / "events.jsonl"
    # Slow enough that the round is not over when a busy computer types the key.
    with TerminalSession(f"run --speed 10 --events {events}") as terminal:
        terminal.until_written('"under": "shuffling"', events)
        terminal.types("\x03")
        assert terminal.ends() == 130
        assert "rounds played  0" in terminal.screen.everything
        assert terminal.echoes()
