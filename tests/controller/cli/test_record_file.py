"""`run --play --record` on a table whose host died: the record is whole, and is replayed."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from controller.cli.errors import BadInputError
from controller.cli.line_output import RecordFile, open_output
from controller.events import Event
from controller.soak.host_restarts import SurvivingTable
from firmware_bridge.sim.clock import VirtualLoop
from tests.controller.cli.conftest import Wallwright

DARK = 3.0
"""Seconds for which the table has no host."""


def an_evening(folder: Path, table: str, game: str, *, deadly: bool) -> tuple[SurvivingTable, int]:
    """Two hands that are followed; each host keeps its record in the same file."""
    folder.mkdir()
    chance = Random(table + game)

    def dies(write: int, written: bool) -> bool:
        return deadly and lives < 12 and chance.random() < 0.03

    async def scenario() -> tuple[SurvivingTable, int]:
        nonlocal lives
        place = SurvivingTable(table, game, 4, play=True)
        lived = None
        while lived is None:
            with open_output("The record", str(folder / "evening.jsonl"), "a+") as stream:
                assert stream is not None
                record = RecordFile(stream, lambda: None)
                if not lives:
                    record.begin()
                place.keeps = record.keep
                lived = await place.live(folder / "table.journal", 2, dies)
                if lived is not None:
                    record.cut()
            lives += 1
            await asyncio.sleep(DARK)
        return place, lives

    lives = 0
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        return runner.run(scenario())


@pytest.mark.parametrize(
    ("table", "game"),
    [
        ("auto_deal", "matador"),
        pytest.param("auto_deal", "wenzhou", marks=pytest.mark.slow),
    ],
)
def test_the_record_of_an_evening_with_dead_hosts_is_whole_and_settles_as_the_table_did(
    table: str, game: str, wallwright: Wallwright, tmp_path: Path
) -> None:
    place, lives = an_evening(tmp_path / "broken", table, game, deadly=True)
    assert lives > 2
    settled = [event for event in place.events if event["event"] == "settled"]
    hands = wallwright(f"replay {tmp_path / 'broken' / 'evening.jsonl'} --json").events
    assert [hand["settled"] for hand in hands] == [True, True]
    for hand, event in zip(hands, _last_told(settled), strict=True):
        for key in ("name", "winner", "payments", "scores"):
            assert hand[key] == event[key]


def _last_told(settled: list[Event]) -> list[Event]:
    """Each settlement once: what was under way when a host died may be told again."""
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


def emitted(path: Path, *lines: str, over: bool = True) -> str:
    """What the file has after these lines were told again."""
    with open_output("The record", str(path), "a+") as stream:
        assert stream is not None
        record = RecordFile(stream, lambda: None)
        for line in lines:
            record.keep(line)
        if over:
            record.cut()
    return path.read_text("utf-8")


def test_a_run_that_goes_no_further_than_the_last_one_leaves_the_file_whole(file: Path) -> None:
    assert emitted(file, "one", over=False) == "one\ntwo\nthree\n"


def test_what_is_told_again_stands_once_and_what_comes_after_follows(file: Path) -> None:
    assert emitted(file, "one", "two", "three", "four") == "one\ntwo\nthree\nfour\n"


def test_a_line_that_the_dead_host_had_only_begun_is_written_anew(file: Path) -> None:
    file.write_text("one\ntw", encoding="utf-8")
    assert emitted(file, "one", "two") == "one\ntwo\n"


def test_where_a_resumed_run_differs_the_earlier_contents_are_kept_beside_the_file(
    file: Path,
) -> None:
    assert emitted(file, "one", "2", "3") == "one\n2\n3\n"
    aside = file.with_name("evening.jsonl.1")
    assert aside.read_text("utf-8") == "one\ntwo\nthree\n"
    assert emitted(file, "uno") == "uno\n"
    assert aside.read_text("utf-8") == "one\ntwo\nthree\n"
    assert file.with_name("evening.jsonl.2").read_text("utf-8") == "one\n2\n3\n"


def test_what_never_came_about_is_left_off_and_kept_beside_the_file(file: Path) -> None:
    assert emitted(file, "one", "two") == "one\ntwo\n"
    assert file.with_name("evening.jsonl.1").read_text("utf-8") == "one\ntwo\nthree\n"


def test_a_new_run_refuses_a_record_that_holds_something(file: Path) -> None:
    with open_output("The record", str(file), "a+") as stream:
        assert stream is not None
        with pytest.raises(BadInputError, match="exists and is not overwritten; name another file"):
            RecordFile(stream, lambda: None).begin()
    assert file.read_text("utf-8") == "one\ntwo\nthree\n"


def test_the_same_command_twice_leaves_the_first_evening_as_it_was(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    evening = tmp_path / "evening.jsonl"
    line = f"run --game block --play --record {evening}"
    assert wallwright(line).code == 0
    first = evening.read_bytes()
    assert first
    said = wallwright(f"{line} --seed 2")
    assert said.code == 2
    assert said.err == (
        f"The record '{evening}' exists and is not overwritten; name another file with --record,"
        " or move that one away.\n"
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


def test_a_run_that_cannot_begin_leaves_the_record_of_the_last_one(
    file: Path, wallwright: Wallwright
) -> None:
    said = wallwright(f"run --play --port /dev/no-such-port --record {file}")
    assert said.code == 2
    assert file.read_text("utf-8") == "one\ntwo\nthree\n"
