"""The attacks that the specification of The Update Framework lists: each is refused, with why."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest
from tuf.ngclient._internal import trusted_metadata_set

from controller.upkeep.update import installation
from controller.upkeep.update.slots import UpdateError
from tests.controller.upkeep.update.update_workshop import Workshop, table_with_release
from tests.quick import tries

NOW = datetime.now(UTC)


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """A table with release 1 that has seen version 1 of the repository."""
    monkeypatch.setattr(installation, "require_healthy", lambda program: None)
    made = table_with_release(tmp_path)
    assert made.install() is None, "the newest release runs"
    return made


def refusal(workshop: Workshop, folder: Path | None = None) -> str:
    """Why the update is refused; the table runs release 1 as before."""
    with pytest.raises(UpdateError) as refused:
        workshop.install(folder)
    slots = workshop.slots
    assert slots.current == "a"
    assert slots.require_whole("a").release == 1
    assert slots.trial() is None
    return str(refused.value)


def archive(folder: Path) -> Path:
    """The archive of the newest release."""
    newest = json.loads((folder / "metadata" / "2.targets.json").read_bytes())
    digest = newest["signed"]["targets"]["wallwright.tar"]["hashes"]["sha256"]
    return folder / "targets" / f"{digest}.wallwright.tar"


def test_a_signed_newer_release_is_installed_on_trial(workshop: Workshop) -> None:
    workshop.publish(2)
    assert workshop.install() == 2
    slots = workshop.slots
    assert slots.current == "b"
    assert slots.require_whole("b").release == 2
    assert slots.require_whole("a").release == 1, "the slot before stays whole"
    with pytest.raises(UpdateError, match="is not confirmed yet"):
        workshop.install()


def test_arbitrary_software_is_refused(workshop: Workshop) -> None:
    file = archive(workshop.publish(2))
    data = bytearray(file.read_bytes())
    data[1000] ^= 1
    file.write_bytes(data)
    assert "a file is not the one that was signed" in refusal(workshop)


def test_a_manifest_by_a_stranger_is_refused_even_with_the_makers_metadata(
    workshop: Workshop,
) -> None:
    workshop.publish(2)
    trust = workshop.trust / "signers"
    trust.write_text(f"own {'00' * 31}01\n")
    with pytest.raises(Exception, match="does not list"):
        workshop.install()
    assert workshop.slots.current == "a"


def test_endless_data_is_refused_at_the_signed_length(workshop: Workshop) -> None:
    file = archive(workshop.publish(2))
    file.write_bytes(file.read_bytes() + bytes(1 << 20))
    assert "a file is longer than it may be" in refusal(workshop)
    timestamp = workshop.repository / "metadata" / "timestamp.json"
    timestamp.write_bytes(timestamp.read_bytes() + b" " * (1 << 20))
    assert "a file is longer than it may be" in refusal(workshop)


def test_a_replayed_older_state_is_refused(workshop: Workshop) -> None:
    old = workshop.copy("old")
    workshop.publish(2)
    assert workshop.source().newest().release == 2, "the table has seen version 2"
    assert "older than that which this table has seen" in refusal(workshop, old)


def test_a_downgrade_with_valid_metadata_is_refused(tmp_path: Path) -> None:
    workshop = table_with_release(tmp_path, release=5)
    other = workshop.folder / "older"
    workshop.publish(4, repository=other)
    with pytest.raises(UpdateError, match="release 4 is older than the installed release 5"):
        workshop.install(other)
    with pytest.raises(UpdateError, match="the release 4 is not newer"):
        workshop.publish(4)


def test_a_frozen_source_is_refused_when_its_metadata_has_expired(workshop: Workshop) -> None:
    workshop.publish(2, now=NOW - timedelta(days=31))
    assert "its metadata has expired (timestamp.json is expired)" in refusal(workshop)


def later(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, days: int) -> datetime:
    """Move the clock of the table, with which the library compares the ends of metadata."""
    now = NOW + timedelta(days=days)
    clock = SimpleNamespace(now=lambda zone: now)
    fake = SimpleNamespace(datetime=clock, timezone=timezone)
    monkeypatch.setattr(trusted_metadata_set, "datetime", fake)
    return now


def test_the_root_is_renewed_before_it_ends(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for release, days in ((2, 300), (3, 600), (4, 900), (5, 1200)):
        now = later(workshop, monkeypatch, days)
        workshop.publish(release, now=now)
        assert workshop.source().newest().release == release
    assert len(list((workshop.repository / "metadata").glob("*.root.json"))) == 3


def test_a_table_follows_a_change_of_every_key_that_the_earlier_root_has_signed(
    workshop: Workshop,
) -> None:
    earlier = {file.name: file.read_bytes() for file in workshop.keys.iterdir()}
    for name in ("root", "targets", "snapshot", "timestamp"):
        (workshop.keys / name).unlink()
    with pytest.raises(UpdateError, match=r"Put the earlier key beside it as root\.previous"):
        workshop.publish(2, new_keys=True)
    (workshop.keys / "root.previous").write_bytes(earlier["targets"])
    (workshop.keys / "root.previous").chmod(0o600)
    with pytest.raises(UpdateError, match="has not signed the root"):
        workshop.publish(2, new_keys=True)
    (workshop.keys / "root.previous").write_bytes(earlier["root"])
    workshop.publish(2, new_keys=True)
    assert workshop.source().newest().release == 2


def test_a_clock_before_the_installed_release_is_refused(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Early(datetime):
        @classmethod
        def now(cls, tz: object = None) -> Early:
            return cls(1970, 1, 1, tzinfo=UTC)

    workshop.publish(2)
    monkeypatch.setattr(installation, "datetime", Early)
    assert "The clock shows 1970-01-01, before the installed release" in refusal(workshop)


def _old_snapshot(folder: Path) -> None:
    shutil.copy(folder / "metadata/1.snapshot.json", folder / "metadata/2.snapshot.json")


def _old_targets(folder: Path) -> None:
    shutil.copy(folder / "metadata/1.targets.json", folder / "metadata/2.targets.json")


@pytest.mark.parametrize("mix", [_old_snapshot, _old_targets])
def test_parts_of_different_states_are_refused(
    workshop: Workshop, mix: Callable[[Path], None]
) -> None:
    mix(workshop.publish(2))
    assert "a file is not the one that was signed" in refusal(workshop)


def test_metadata_that_is_signed_with_other_keys_is_refused(
    workshop: Workshop, tmp_path: Path
) -> None:
    other = workshop.publish(2, keys=tmp_path / "stranger", repository=tmp_path / "other")
    assert "it is not signed with the maker's keys" in refusal(workshop, other)


def test_a_key_of_one_role_does_not_sign_for_another(workshop: Workshop, tmp_path: Path) -> None:
    swapped = tmp_path / "swapped"
    shutil.copytree(workshop.keys, swapped)
    shutil.copy(workshop.keys / "timestamp", swapped / "targets")
    workshop.publish(2, keys=swapped)
    assert "it is not signed with the maker's keys" in refusal(workshop)


@pytest.mark.evidence
def test_any_changed_byte_of_the_metadata_is_refused(workshop: Workshop) -> None:
    folder = workshop.publish(2)
    step = tries(97, quick=397, evidence=1)
    for name in ("timestamp.json", "2.snapshot.json", "2.targets.json"):
        file = folder / "metadata" / name
        data = file.read_bytes()
        for place in range(0, len(data), step):
            changed = bytearray(data)
            changed[place] ^= 1
            file.write_bytes(changed)
            with pytest.raises(UpdateError, match="is refused"):
                workshop.source().newest()
        file.write_bytes(data)
    assert workshop.install() == 2


@pytest.mark.parametrize("source", ["http://127.0.0.1/", "ftp://x", "no/such/folder"])
def test_a_source_that_is_no_folder_and_no_https_address_is_refused(
    workshop: Workshop, source: str
) -> None:
    with pytest.raises(UpdateError, match="existing folder or an https address"):
        workshop.source(Path(source) if "://" not in source else source)  # type: ignore[arg-type]


def test_an_empty_or_missing_file_of_the_source_is_refused(workshop: Workshop) -> None:
    folder = workshop.publish(2)
    timestamp = folder / "metadata" / "timestamp.json"
    timestamp.write_bytes(b"")
    assert "its metadata is damaged" in refusal(workshop)
    timestamp.unlink()
    assert "it cannot be read" in refusal(workshop)
