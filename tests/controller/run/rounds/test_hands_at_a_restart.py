"""A host ends while somebody's hands are in the machine; the next host must not move the parts.

The host is killed at a moment of a round, and a new one resumes the round 3 s later on the same
boards. On the robotic table the lid takes 2 s from one end to the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.events import Event
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.run.daemon import Daemon
from controller.run.faults.failures import Fault
from controller.run.journal import Entry
from controller.run.run_state import unanswered_of
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import parse

DARK = 3.0
"""Seconds from the end of one host to the start of the next."""
BELOW = ("drum", "head", "lift", "chain")

Script = Callable[["Restarted", Event], None]
"""Called with every event; it plans presses and kills."""


@dataclass
class Restarted:
    """One round on a table whose hosts are killed by a script; it records the outputs and times."""

    script: Script
    injected: str = ""
    pins: list[tuple[float, str, int]] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    """When each host after the first one has started."""
    table: SurvivingTable = field(init=False)

    def play(self, path: Path) -> Restarted:
        """Play one round until it is ready; returns itself."""
        with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
            runner.run(self._play(path))
        return self

    async def _play(self, path: Path) -> None:
        loop = asyncio.get_running_loop()
        table = self.table = SurvivingTable(
            "robotic",
            "wenzhou",
            7,
            injected_faults=[parse(self.injected)] if self.injected else (),
            on_event=self._hear,
        )
        table.plant.output_observers.append(lambda *at: self.pins.append((loop.time(), *at)))
        while await table.run_host(path, until_ready=True) is None:
            assert len(self.starts) < 5
            await asyncio.sleep(DARK)
            self.starts.append(loop.time())

    def _hear(self, daemon: Daemon, event: Event) -> None:
        self.script(self, event)

    def press_after(self, *seconds: float) -> None:
        """Press the lid's key on a screen of the present host at these times from now."""
        for each in seconds:
            asyncio.get_running_loop().call_later(each, self._press)

    def _press(self) -> None:
        assert self.table.daemon is not None
        self.table.daemon.press_lid_key()

    def kill_after(self, *seconds: float) -> None:
        """Kill the host that is present at each of these times from now."""
        for each in seconds:
            asyncio.get_running_loop().call_later(each, self.table.kill)

    def when(self, **facts: object) -> list[float]:
        """Times of the events with these facts, in seconds since the first host started."""
        return [float(str(e["t"])) for e in self.table.events if facts.items() <= e.items()]

    def lid_after(self, begin: float) -> list[tuple[float, int]]:
        """Each change of the lid's motor since a time, with the time since then."""
        return [
            (round(at - begin, 1), v) for at, pin, v in self.pins if pin == "lid" and at >= begin
        ]

    def moved_between(self, begin: float, end: float) -> set[str]:
        """The outputs of parts below that were switched on in this time."""
        return {
            pin
            for at, pin, value in self.pins
            if value and pin.startswith(BELOW) and begin <= at < end
        }


def interrupts_the_build(*kills: float) -> Script:
    """Open the lid 8 s after the build has begun, and kill hosts at these times after that."""
    begun: list[float] = []

    def script(played: Restarted, event: Event) -> None:
        if event.get("under") == "building" and not begun:
            begun.append(asyncio.get_running_loop().time())
            played.press_after(8.0)
            played.kill_after(*(8.0 + each for each in kills))

    return script


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param((1.0,), id="while it opens"),
        pytest.param((4.0,), id="while it is open"),
        pytest.param((11.0,), id="while it closes"),
        pytest.param((1.0, 4.5), id="twice"),
    ],
)
def test_a_lid_that_a_dead_host_left_open_is_opened_and_waits_for_its_key(
    kills: tuple[float, ...], tmp_path: Path
) -> None:
    """Nothing below moves before: the lid was opened because somebody reaches in."""
    played = Restarted(interrupts_the_build(*kills)).play(tmp_path / "table.journal")
    assert len(played.starts) == len(kills)
    started = played.starts[-1]
    motions = played.lid_after(started)
    assert [value for _, value in motions if value < 0] == [-1000], "it closes once"
    assert next(value for _, value in motions if value) == (-1000 if kills == (4.0,) else 1000)
    closed = next(at for at, pin, v in played.pins if pin == "lid" and v < 0 and at > started) + 1.9
    assert played.moved_between(played.starts[0] - DARK, closed) == set()
    assert played.when(event="prompt_answered", code="FORGOTTEN")
    assert played.when(event="ready")
    census = {place: tiles for place, tiles in played.table.plant.census().items() if tiles}
    assert census == {"box 1": 136, "felt": 136}


@pytest.mark.parametrize("pressed", [True, False], ids=["reopens", "closes"])
def test_a_lid_that_a_dead_host_left_half_closed_opens_until_a_press(
    pressed: bool, tmp_path: Path
) -> None:
    """A person presses the key while the lid closes, for a hand is under it; then the power fails.

    The board has counted presses since the lid was open, so its count is no proof.
    """
    closing: list[float] = []

    def script(played: Restarted, event: Event) -> None:
        if event["event"] != "state" or event.get("under") != "gathering" or closing:
            return

        def on_output(channel: str, value: int) -> None:
            if channel == "lid" and value < 0 and not closing:
                closing.append(asyncio.get_running_loop().time())
                if pressed:
                    played.press_after(1.0)
                played.kill_after(1.5)

        played.table.plant.output_observers.append(on_output)

    played = Restarted(script).play(tmp_path / "table.journal")
    (started,) = played.starts
    motions = [(at, value) for at, value in played.lid_after(started) if value]
    assert [value for _, value in motions] == [1000, -1000]
    assert motions[1][0] - motions[0][0] > 3.0, "people press the key some seconds later"
    assert played.moved_between(started, started + motions[1][0]) == set()
    assert played.when(event="ready")


def test_a_closed_lid_whose_key_was_pressed_is_not_opened_again(tmp_path: Path) -> None:
    """The set is in, and no hand can be under a closed lid."""
    killed: list[bool] = []

    def script(played: Restarted, event: Event) -> None:
        def on_output(channel: str, value: int) -> None:
            if channel == "lid" and value < 0 and not killed:
                killed.append(True)
                played.kill_after(2.0)

        if event.get("under") == "gathering" and not killed:
            played.table.plant.output_observers.append(on_output)

    played = Restarted(script).play(tmp_path / "table.journal")
    assert killed
    assert [value for _, value in played.lid_after(played.starts[0]) if value > 0] == []
    assert played.when(event="ready")


def test_a_question_that_nobody_has_answered_is_repeated_before_anything_moves(
    tmp_path: Path,
) -> None:
    """The person who was asked has the hands in the head while the host is killed, twice."""
    asked: list[float] = []

    def script(played: Restarted, event: Event) -> None:
        if event["event"] == "operator_prompted" and len(asked) < 2:
            asked.append(asyncio.get_running_loop().time())
            played.kill_after(5.0)

    played = Restarted(script, "jam:head2@60~9").play(tmp_path / "table.journal")
    assert len(played.starts) == 2
    prompts = played.when(event="operator_prompted", code="JAM", part="head 2")
    assert len(prompts) >= 3
    (answered,) = played.when(event="prompt_answered")[:1]
    assert played.moved_between(asked[0] + 0.1, answered) == set()
    assert played.when(event="ready")


def _asked(number: int, code: str, part: str, *, answered: bool) -> Entry:
    facts: dict[str, object] = {"code": code, "part": part, "seen": "seen", "please": "please"}
    return Entry(number, "asked", 0.0, facts, confirmed=answered)


def test_a_question_is_open_until_it_is_answered_also_by_a_later_run() -> None:
    entries = [
        _asked(1, "JAM", "head 1", answered=False),
        _asked(2, "JAM", "head 2", answered=False),
        _asked(3, "SILENT", "board base", answered=False),
        _asked(4, "JAM", "head 1", answered=False),
        Entry(5, "recovered", 0.0, {"code": "JAM", "part": "head 2"}, confirmed=True),
        _asked(6, "JAM", "head 2", answered=True),
        _asked(7, "LATER_VERSION", "head 2", answered=False),
    ]
    assert [(each.fault, each.part) for each in unanswered_of(entries)] == [(Fault.JAM, "head 1")]
