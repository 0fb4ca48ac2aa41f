"""Tests with generated scripts that virtual board and firmware send the same bytes.

Every period of time ends at a different instant within the millisecond, so no two actions are due
at the same moment: the order of simultaneous actions is not specified for a board.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.loader import load_table
from config.schema import MotorChannel, SensorChannel
from tests.firmware_bridge.conformance.script import Script, play
from tests.quick import tries

BOARDS = load_table("robotic").boards
EXAMPLES = tries(20, quick=8, evidence=200)
MOST = 10
"""Steps of a script. After 33 periods no unused instant within a millisecond is left."""
APART = ".029"
MOST_PERIODS = 33

Lines = st.SearchStrategy[list[str]]


def named(board: str, kind: type) -> list[str]:
    return [name for name, channel in BOARDS[board].channels.items() if isinstance(channel, kind)]


def passing(longest: int) -> st.SearchStrategy[str]:
    return st.integers(0, longest).map(lambda ms: f"pass {ms}{APART}")


def lines(*parts: st.SearchStrategy[str] | str) -> Lines:
    fixed = [st.just(part) if isinstance(part, str) else part for part in parts]
    return st.tuples(*fixed).map(list)


def words(*parts: object) -> st.SearchStrategy[str]:
    fixed = [part if isinstance(part, st.SearchStrategy) else st.just(part) for part in parts]
    return st.tuples(*fixed).map(lambda each: " ".join(str(word) for word in each))


def commands(board: str) -> st.SearchStrategy[str]:
    """Generate any command whose reply does not depend on timing, valid or invalid."""
    motors, sensors = named(board, MotorChannel), named(board, SensorChannel)
    everything = [*BOARDS[board].channels, "77", "NONE"]
    channel, motor = st.sampled_from(everything), st.sampled_from(motors)
    sensor = st.sampled_from([*sensors[:12], everything[0], "NONE"])
    value = st.sampled_from([1000, -1000, 300, -300, 1, 0, 1001, -(1 << 31)])
    span = st.sampled_from([0, 1, 7, 40, 150, 900, 2001, 0xFFFFFFFF])
    pulse = span.filter(bool)  # one of zero length may end before or after the next command
    return st.one_of(
        words("Set", motor, value),
        words("Set", channel, value),
        words("Pulse", motor, value, pulse),
        words("Pulse", channel, value, pulse),
        words(
            "Drive",
            motor,
            st.sampled_from([1000, -1000, 300, -300, 1, 0, 1001, -32768]),
            st.sampled_from(["EDGES", "EDGES", "LEVEL", "LEVEL", "TIME", "0", "4"]),
            sensor,
            st.sampled_from([1, 2, 3, 0, 1]),
            span,
            0,
        ),
        words("ThrowDice", st.sampled_from(["dice", *everything[:3]]) if board == "base" else 0, 2),
        words("Stop", st.one_of(motor, channel)),
        words(st.sampled_from(["Read", "Count", "Recall"]), channel),
        words("Watch", sensor, st.integers(0, 1)),
        words("TakeLease", st.sampled_from([0, 60, 300, 5000])),
        st.sampled_from(["Clear", "SelfTest", "Report", "Stop ALL", "Commit 3 0"]),
    )


def on_a_bad_line(command: st.SearchStrategy[str]) -> Lines:
    """Generate commands that the line loses, damages, repeats or delivers in the wrong order."""
    spoiled = words(st.sampled_from(["lost", "cut", "damaged"]), command)
    return st.one_of(
        lines(spoiled, "again 1"),
        lines(command, "again 1", "again 1"),
        lines(spoiled, command, "again 2", passing(1), "again 1"),
        lines(command, passing(1), command, "again 2"),
    )


def senses(board: str, longest: int) -> Lines:
    sensor = st.sampled_from(named(board, SensorChannel)[:12])
    return st.one_of(
        lines(words(st.sampled_from(["on", "off"]), sensor), passing(longest)),
        sensor.flatmap(lambda name: lines(f"on {name}", passing(8), f"off {name}", passing(8))),
    )


def interruptions() -> Lines:
    """Generate lines with a fault, a new session, a new channel table or a lost supply.

    Nothing moves when the supply is lost, because the boards may measure such a motion differently.
    """
    return st.one_of(
        lines("on emergency", passing(3), "off emergency", passing(3), "Clear"),
        lines("on curtain", passing(3), "off curtain", passing(3), "Clear"),
        lines("session", "lease 0", "lease 900"),
        lines("table", "lease 900"),
        lines("table max_on_ms=700", "lease 900"),
        lines("lease 0", passing(2), "supply", "session", "table", "lease 900"),
    )


def axes() -> Lines:
    """Generate lines that home, move or stop an axis; axes stop before table or session changes."""
    axis = st.sampled_from(["gantry_x", "gantry_y", "gantry_z"])
    place = st.sampled_from([0, 10, 20_000, 150_000, -60_000, 300_000, 300_001])
    speed = st.sampled_from([1000, 700, 300, 0, 1001])
    homing = axis.flatmap(
        lambda name: lines(
            "lease 60000",
            f"Home {name}",
            passing(40),
            f"on {name}_home",
            f"pass 3{APART}",
            f"off {name}_home",
            f"pass 3{APART}",
        )
    )
    one = words("Move", axis, place, "NONE", 0, "NONE", 0, speed)
    several = words("Move", axis, place, axis, place, axis, place, speed)
    return st.one_of(
        homing,
        homing,
        lines(one, passing(300)),
        lines(several, passing(300)),
        lines(words("Stop", axis), passing(20)),
        lines(words("Read", axis)),
        axis.flatmap(lambda name: lines(f"on {name}_home", passing(60), f"off {name}_home")),
        lines("Stop ALL", f"pass 500{APART}", "table", "lease 900"),
        lines("session", f"pass 500{APART}", "lease 900"),
    )


def steps(board: str) -> st.SearchStrategy[str]:
    command = commands(board)
    ordinary = st.one_of(
        lines(command, passing(60)),
        lines(command, passing(60)),
        on_a_bad_line(command).map(lambda sent: [*sent, f"pass 1{APART}"]),
        senses(board, 60),
    )
    whole = st.one_of(ordinary, ordinary, axes() if board == "arm" else interruptions())
    return st.lists(whole, min_size=3, max_size=MOST).map(script_text)


def script_text(pieces: list[list[str]]) -> str:
    """Join the lines, with a new nonce for each session, up to `MOST_PERIODS` periods of time."""
    steps: list[str] = []
    periods = 0
    for number, piece in enumerate(pieces):
        periods += sum(line.startswith("pass") for line in piece)
        if periods >= MOST_PERIODS:
            break
        steps += [f"session again{number:03}" if line == "session" else line for line in piece]
    return "\n".join(steps)


def compare(library: Path, board: str, text: str) -> None:
    play(library, Script("any script", text, board=board, repeats=False))


@pytest.mark.slow
@pytest.mark.evidence
@settings(max_examples=EXAMPLES)
@given(steps("base"))
def test_the_base_boards_firmware_sends_the_same_frames(library: Path, script: str) -> None:
    compare(library, "base", script)


@pytest.mark.evidence
@settings(max_examples=EXAMPLES)
@given(steps("arm"))
@pytest.mark.slow
def test_the_arm_boards_firmware_sends_the_same_frames(library: Path, script: str) -> None:
    compare(library, "arm", script)
