"""Power cuts during an update: after each of its file operations one whole slot is left."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from controller.upkeep.update import installation
from tests.controller.upkeep.update.update_workshop import Workshop, table_with_release
from tests.quick import tries

OPERATIONS = {
    *("open", "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir"),
    *("os.symlink", "os.truncate"),
}
FSYNC, FDATASYNC = os.fsync, os.fdatasync


class PowerCut:
    """Ends this process before one of its file operations in `root`; `at` counts from 1.

    Data that was written and not synced is lost: such a file is empty after the cut.
    """

    def __init__(self, root: Path, at: int) -> None:
        self.count = 0
        self._root = str(root)
        self._at = at
        self._unsynced: set[str] = set()
        self._is_over = False
        sys.addaudithook(self._operation)
        os.fsync = partial(self._synced, FSYNC)
        os.fdatasync = partial(self._synced, FDATASYNC)

    def _operation(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._is_over or event not in OPERATIONS or isinstance(arguments[0], int):
            return
        path = os.fsdecode(arguments[0])  # type: ignore[arg-type]
        if path.startswith("/") and not path.startswith(self._root):
            return
        self._count()
        if event == "open" and int(str(arguments[2])) & (os.O_WRONLY | os.O_RDWR):
            self._unsynced.add(path)
        elif event == "os.rename" and path in self._unsynced:
            self._unsynced.add(os.fsdecode(arguments[1]))  # type: ignore[arg-type]

    def _synced(self, sync: Callable[[int], None], descriptor: int) -> None:
        self._count()
        sync(descriptor)
        self._unsynced.discard(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

    def _count(self) -> None:
        self.count += 1
        if self.count == self._at:
            self._is_over = True
            for path in self._unsynced:
                with suppress(OSError):
                    os.truncate(path, 0)
            os.kill(os.getpid(), signal.SIGKILL)


def cut(root: Path, at: int, act: Callable[[], object]) -> int:
    """Do something in a process whose power is cut; returns its operations, 0 if it was cut."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        power = PowerCut(root, at)
        act()
        os.write(writing, str(power.count).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or status == 0
    return int(text or 0)


def steps(total: int) -> list[int]:
    """The operations before which the power is cut: all of them in `make evidence`.

    The last ones switch the slots; `make test` cuts before each of these.
    """
    each = tries(7, quick=23, evidence=1)
    last = range(max(1, total - tries(20, quick=0, evidence=0)), total + 1)
    return sorted({*range(1, total + 1, each), *last})


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    made = table_with_release(tmp_path_factory.mktemp("cuts"))
    made.publish(2)
    return made


def at_each_step(workshop: Workshop, act: Callable[[], object], check: Callable[[], None]) -> None:
    """Cut the power at the steps of `act`, each time from the same state; `check` what is left."""
    before = workshop.folder / "before"
    shutil.copytree(workshop.root, before, symlinks=True)

    def restore() -> None:
        shutil.rmtree(workshop.root)
        shutil.copytree(before, workshop.root, symlinks=True)

    total = cut(workshop.root, 0, act)
    assert total > 5
    for step in steps(total):
        restore()
        assert cut(workshop.root, step, act) == 0, step
        check()
    restore()
    shutil.rmtree(before)


@pytest.mark.evidence
@pytest.mark.slow
def test_a_power_cut_during_an_update_leaves_one_of_two_valid_slots(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "require_healthy", lambda program: None)
    left = set()

    def check() -> None:
        slots = workshop.slots
        release = slots.require_whole(slots.current).release
        assert release == {"a": 1, "b": 2}[slots.current]
        assert slots.begin_start() is None
        left.add(release)
        if slots.trial() is None:
            assert workshop.install() == 2, "the update is repeated"
        assert slots.require_whole("b").release == 2
        installation.confirm(slots)
        assert slots.require_whole(slots.current).release == 2

    at_each_step(workshop, workshop.install, check)
    assert 1 in left


@pytest.mark.evidence
def test_a_power_cut_while_an_update_is_confirmed_or_rolled_back_leaves_a_valid_slot(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "require_healthy", lambda program: None)
    assert workshop.install() == 2

    def check() -> None:
        slots = workshop.slots
        for _ in range(6):
            slots.begin_start()
            slots.require_whole(slots.current)

    slots = workshop.slots
    at_each_step(workshop, lambda: installation.confirm(slots), check)
    at_each_step(workshop, lambda: installation.roll_back(slots), check)
