"""Two slots: health check, confirmation, roll back, the starter, and no update in a session."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from controller.records.identity.boot import VARIABLE
from controller.records.identity.manifest import IdentityError
from controller.upkeep.update import installation
from controller.upkeep.update.archive import pack, unpack
from controller.upkeep.update.slots import SESSION_LOCK, SessionLock, UpdateError, lock_of
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.upkeep.update.update_workshop import Workshop, table_with_release


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return table_with_release(tmp_path)


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "require_healthy", lambda program: None)


def start(workshop: Workshop, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start the program by the starter, or count a start."""
    return subprocess.run(
        [sys.executable, "-I", str(workshop.root / "boot" / "start.py"), *arguments],
        env={VARIABLE: str(workshop.trust)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_release_is_tried_started_and_confirmed(workshop: Workshop) -> None:
    assert start(workshop, "tables").stdout == "wallwright of release 1: tables\n"
    workshop.publish(2)
    assert workshop.install() == 2
    assert start(workshop).returncode == 0
    assert start(workshop, "tables").stdout == "wallwright of release 2: tables\n"
    trial = workshop.slots.trial()
    assert trial is not None
    assert trial.starts == 1
    assert installation.confirm(workshop.slots) == "The release 2 is confirmed."
    assert workshop.slots.trial() is None
    file = workshop.root / "b" / "table.yaml"
    file.write_text("changed\n")
    changed = start(workshop, "tables")
    assert changed.returncode == 1
    assert "program/table.yaml was changed" in changed.stderr


@pytest.mark.usefixtures("healthy")
def test_a_release_that_nobody_confirms_is_rolled_back(workshop: Workshop) -> None:
    workshop.publish(2)
    workshop.install()
    slots = workshop.slots
    assert [slots.begin_start() for _ in range(3)] == [None] * 3
    assert slots.current == "b"
    assert slots.begin_start() == (
        "The slot b was rolled back to a: it was not confirmed in 3 starts"
    )
    assert slots.current == "a"
    assert slots.trial() is None
    assert workshop.install() == 2, "it can be installed again"


@pytest.mark.usefixtures("healthy")
def test_a_release_that_is_damaged_on_the_disk_is_rolled_back(workshop: Workshop) -> None:
    workshop.publish(2)
    workshop.install()
    (workshop.root / "b" / "table.yaml").write_bytes(b"")
    sentence = workshop.slots.begin_start()
    assert sentence is not None
    assert "program/table.yaml was changed" in sentence
    assert workshop.slots.current == "a"


def test_a_release_that_fails_its_health_check_is_not_switched_to(workshop: Workshop) -> None:
    workshop.publish(2, health=1)
    with pytest.raises(UpdateError, match=r"The health check `wallwright version` .* failed"):
        workshop.install()
    assert workshop.slots.current == "a"
    with pytest.raises(IdentityError):
        workshop.slots.roll_back()


def test_a_failed_health_check_leaves_the_release_before_for_a_roll_back(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(installation, "require_healthy", lambda program: None)
        workshop.publish(2)
        workshop.install()
        installation.confirm(workshop.slots)
    assert workshop.slots.current == "b"
    workshop.publish(3, health=1)
    with pytest.raises(UpdateError, match="The health check"):
        workshop.install()
    assert not (workshop.root / "staged").exists()
    assert workshop.slots.require_whole("b").release == 2
    assert workshop.slots.require_whole("a").release == 1
    assert workshop.slots.roll_back() == "a"


def test_a_release_that_becomes_unhealthy_is_rolled_back_instead_of_confirmed(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.publish(2, health=1)
    with monkeypatch.context() as patch:
        patch.setattr(installation, "require_healthy", lambda program: None)
        workshop.install()
    with pytest.raises(UpdateError, match="The slot b was rolled back to a: The health check"):
        installation.confirm(workshop.slots)
    assert workshop.slots.current == "a"
    with pytest.raises(UpdateError, match="nothing to confirm"):
        installation.confirm(workshop.slots)


@pytest.mark.usefixtures("healthy")
def test_only_the_owner_and_the_group_of_the_service_can_hold_the_lock(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any program on the computer could hold it before, and no session could begin."""
    lock = workshop.root / SESSION_LOCK
    assert lock.stat().st_mode & 0o777 == 0o640
    assert lock_of(workshop.root / "program") is not None
    assert lock_of(workshop.root / "other" / "program") is None
    monkeypatch.setattr(os, "access", lambda file, mode: file != lock)
    with pytest.raises(UpdateError, match="cannot be read by the user of the service"):
        lock_of(workshop.root / "program")


def test_the_lock_belongs_to_the_group_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Path, str]] = []
    monkeypatch.setattr(shutil, "chown", lambda path, group: given.append((path, group)))
    made = table_with_release(tmp_path, group="wallwright")
    assert given == [(made.root / SESSION_LOCK, "wallwright")]


def test_no_update_is_installed_during_a_session(workshop: Workshop) -> None:
    workshop.publish(2)
    lock = SessionLock(workshop.root)
    assert lock.hold()
    for act in (
        workshop.install,
        lambda: installation.confirm(workshop.slots),
        lambda: installation.roll_back(workshop.slots),
    ):
        with pytest.raises(UpdateError, match="A session is in progress at the table"):
            act()
    lock.release()
    assert workshop.install() == 2


def test_the_service_begins_no_session_during_an_update_and_forbids_one_during_a_session(
    workshop: Workshop,
) -> None:
    update = SessionLock(workshop.root)

    async def scenario(guests: Guests) -> None:
        guests.service.sessions.session_lock = SessionLock(workshop.root)
        assert update.hold()
        refused = await guests.give("start_session", choice={"game": "wenzhou"})
        assert refused.sentence == "An update of the program is being installed."
        update.release()
        started = await guests.give("start_session", choice={"game": "wenzhou"})
        assert started.state == "done"
        assert not update.hold()
        await guests.until(lambda s: s.machine.top == "playing")
        await guests.give("end_session")
        assert not update.hold(), "the round is still in progress"
        await guests.until(lambda s: s.session is None)
        assert update.hold()
        update.release()

    at_a_table(scenario)


@pytest.mark.parametrize("name", ["../x", "program/../../x", "/x", "other/x", "program"])
def test_an_archive_with_a_name_outside_the_program_is_refused(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "x.tar"
    with tarfile.open(archive, "w") as tar:
        info = tarfile.TarInfo(name)
        info.size = 1
        tar.addfile(info, BytesIO(b"x"))
    with pytest.raises(UpdateError, match="not a regular file of the program"):
        unpack(archive, tmp_path / "inside", tmp_path / "manifest")
    assert not (tmp_path / "x").exists()


def test_an_archive_contains_no_links(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "link").symlink_to("/etc")
    (tmp_path / "m").write_text("")
    with pytest.raises(UpdateError, match="is not a regular file"):
        pack(program, tmp_path / "m", tmp_path / "x.tar")
    archive = tmp_path / "y.tar"
    with tarfile.open(archive, "w") as tar:
        info = tarfile.TarInfo("program/link")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(info)
    with pytest.raises(UpdateError, match="not a regular file of the program"):
        unpack(archive, tmp_path / "inside", tmp_path / "manifest")
