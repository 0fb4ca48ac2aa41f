"""A supervised process: started again, given up, and stopped in time."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from controller.floor.demo import child
from controller.floor.demo.child import Child, ChildCommand, DemoError
from tests.waiting import until


def python(folder: Path, program: str, refusal: int | None = None) -> Child:
    """Return a child that runs a program; its sentences are lost."""
    words = (sys.executable, "-c", program)
    command = ChildCommand("part", words, folder / "part.log", folder, refusal=refusal)
    return Child(command, lambda _: None)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "SHORTEST", 0.01)
    monkeypatch.setattr(child, "LONGEST", 0.02)


def test_a_process_that_ends_again_and_again_is_given_up(tmp_path: Path) -> None:
    part = python(tmp_path, "import sys; sys.exit(3)")
    with pytest.raises(DemoError, match="8 times in a row, at last with the exit code 3"):
        asyncio.run(part.run())
    assert part.starts == 8


def test_a_process_that_refuses_its_options_is_not_started_again(tmp_path: Path) -> None:
    part = python(tmp_path, "import sys; print('No table x.'); sys.exit(2)", refusal=2)
    with pytest.raises(DemoError, match=r"part refuses its options: No table x\."):
        asyncio.run(part.run())
    assert part.starts == 1


def test_a_killed_process_starts_again_and_its_kills_are_no_failures(tmp_path: Path) -> None:
    async def scene() -> Child:
        part = python(tmp_path, "import time; print('up', flush=True); time.sleep(60)")
        run = asyncio.create_task(part.run())
        for number in range(1, 11):
            await until(lambda wanted=number: part.starts == wanted and part.kill())
        await until(lambda: part.starts == 11)
        await part.stop()
        await run
        return part

    part = asyncio.run(scene())
    assert (part.starts, part.kills) == (11, 10)
    assert not part.kill()


def test_a_process_that_ignores_its_stop_signal_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "STOPPING", 0.2)
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        " print('up', flush=True); time.sleep(60)"
    )

    async def scene() -> float:
        part = python(tmp_path, program)
        run = asyncio.create_task(part.run())
        await until(lambda: part.starts == 1 and bool(part.command.log.read_text()))
        begun = time.monotonic()
        await part.stop()
        await run
        return time.monotonic() - begun

    assert asyncio.run(scene()) < 50  # the program sleeps for 60 s


def test_a_program_that_is_missing_is_named(tmp_path: Path) -> None:
    command = ChildCommand("part", ("/nowhere/part",), tmp_path / "part.log", tmp_path)
    with pytest.raises(DemoError, match="No such file or directory"):
        asyncio.run(Child(command, lambda _: None).run())
