"""`run --play --record` with hosts that die: the record is complete and can be replayed."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from controller.cli.errors import BadInputError
from controller.cli.output.line_output import RecordFile, open_output
from controller.events import Event
from controller.proof.chaos.host_restarts import SurvivingTable
from firmware_bridge.sim.clock import VirtualLoop
from tests.controller.cli.conftest import Wallwright

DARK = 3.0
"""The time between two hosts, in seconds."""


def an_evening(folder: Path, table: str, game: str, *, deadly: bool) -> tuple[SurvivingTable, int]:
    """Play two hands with hosts that die; every host writes its record to the same file.

    Returns the table and the number of hosts.
    """
    folder.mkdir()
    chance = Random(table + game)

    def should_kill(write: int, written: bool) -> bool:
        return deadly and hosts < 12 and chance.random() < 0.03

    async def scenario() -> tuple[SurvivingTable, int]:
        nonlocal hosts
        place = SurvivingTable(table, game, 4, play=True)
        ended = None
        while ended is None:
            with open_output("The record", str(folder / "evening.jsonl"), "a+") as stream:
                assert stream is not None
                record = RecordFile(stream, lambda: None)
                if not hosts:
                    record.begin()
                place.on_record_line = record.keep
                ended = await place.run_host(folder / "table.journal", 2, should_kill)
                if ended is not None:
                    record.cut()
            hosts += 1
            await asyncio.sleep(DARK)
        return place, hosts

    hosts = 0
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        return runner.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "game"),
    [
        ("auto_deal", "matador"),
        pytest.param("auto_deal", "wenzhou", marks=pytest.mark.slow),
    ],
)
def test_the_record_of_an_evening_with_dead_hosts_has_the_settlements_of_the_table(
    table: str, game: str, wallwright: Wallwright, tmp_path: Path
) -> None:
    place, hosts = an_evening(tmp_path / "broken", table, game, deadly=True)
    assert hosts > 2
    settled = [event for event in place.events if event["event"] == "settled"]
    hands = wallwright(f"replay {tmp_path / 'broken' / 'evening.jsonl'} --json").events
    assert [hand["settled"] for hand in hands] == [True, True]
    for hand, event in zip(hands, _without_repeats(settled), strict=True):
        for key in ("name", "winner", "payments", "scores"):
            assert hand[key] == event[key]


def _without_repeats(settled: list[Event]) -> list[Event]:
    """Each settlement once: after the death of a host the last event can be emitted again."""
    return [
        each for n, each in enumerate(settled) if n + 1 == len(settled) or not _same(settled, n)
    ]


def _same(settled: list[Event], n: int) -> bool:
    one, two = ({**event, "t": None} for event in settled[n : n + 2])
    return one == two


# The file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "evening.jsonl"
    path.write_text("one\ntwo\nthree\n", encoding="utf-8")
    return path


def written_to(path: Path, *lines: str, completed: bool = True) -> str:
    """Write these lines as a resumed run does; returns the contents of the file."""
    with open_output("The record", str(path), "a+") as stream:
        assert stream is not None
        record = RecordFile(stream, lambda: None)
        for line in lines:
            record.keep(line)
        if completed:
            record.cut()
    return path.read_text("utf-8")


def test_a_resumed_run_that_ends_before_the_earlier_one_leaves_the_file_unchanged(
    file: Path,
) -> None:
    assert written_to(file, "one", completed=False) == "one\ntwo\nthree\n"


def test_repeated_lines_are_not_written_twice_and_new_lines_are_appended(file: Path) -> None:
    assert written_to(file, "one", "two", "three", "four") == "one\ntwo\nthree\nfour\n"


def test_a_line_that_was_written_in_part_is_completed(file: Path) -> None:
    file.write_text("one\ntw", encoding="utf-8")
    assert written_to(file, "one", "two") == "one\ntwo\n"


def test_where_a_resumed_run_differs_the_earlier_contents_are_kept_beside_the_file(
    file: Path,
) -> None:
    assert written_to(file, "one", "2", "3") == "one\n2\n3\n"
    aside = file.with_name("evening.jsonl.1")
    assert aside.read_text("utf-8") == "one\ntwo\nthree\n"
    assert written_to(file, "uno") == "uno\n"
    assert aside.read_text("utf-8") == "one\ntwo\nthree\n"
    assert file.with_name("evening.jsonl.2").read_text("utf-8") == "one\n2\n3\n"


def test_lines_that_are_not_repeated_are_removed_and_kept_beside_the_file(file: Path) -> None:
    assert written_to(file, "one", "two") == "one\ntwo\n"
    assert file.with_name("evening.jsonl.1").read_text("utf-8") == "one\ntwo\nthree\n"


def test_a_new_run_refuses_a_record_file_with_contents(file: Path) -> None:
    with open_output("The record", str(file), "a+") as stream:
        assert stream is not None
        with pytest.raises(BadInputError, match="exists and is not overwritten; name another file"):
            RecordFile(stream, lambda: None).begin()
    assert file.read_text("utf-8") == "one\ntwo\nthree\n"


@pytest.mark.slow
def test_the_same_command_twice_does_not_overwrite_the_first_record(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    evening = tmp_path / "evening.jsonl"
    line = f"run --game block --play --record {evening}"
    assert wallwright(line).code == 0
    first = evening.read_bytes()
    assert first
    result = wallwright(f"{line} --seed 2")
    assert result.code == 2
    assert result.err == (
        f"The file '{evening}' exists and is not overwritten; name another file with --record, or"
        " move that one away.\n"
    )
    assert evening.read_bytes() == first


def test_a_pipe_gets_every_line() -> None:
    end, side = os.pipe()
    with closing(os.fdopen(end)) as reader, os.fdopen(side, "w") as writer:
        record = RecordFile(writer, lambda: None)
        record.begin()
        record.keep("one")
        record.cut()
        record.keep("one")
        assert [reader.readline(), reader.readline()] == ["one\n", "one\n"]


def test_a_refused_run_does_not_change_the_record_of_the_last_one(
    file: Path, wallwright: Wallwright
) -> None:
    result = wallwright(f"run --play --port /dev/no-such-port --record {file}")
    assert result.code == 2
    assert file.read_text("utf-8") == "one\ntwo\nthree\n"
