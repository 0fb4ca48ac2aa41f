"""The files of mosquitto: who may use which topics, and which limits are set."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from controller.floor.certificates.authority import make_authority
from controller.floor.certificates.broker_files import (
    BrokerPlace,
    access_list,
    configuration,
    write_broker_files,
)
from controller.floor.certificates.certificate import CertificateError
from tests.controller.floor.certificates.test_authority import BROKER, NOW, READER, SERVER, TABLE


def test_the_access_list_permits_these_topics_and_no_others() -> None:
    assert access_list("club", [BROKER, READER, SERVER, TABLE]).splitlines() == [
        "# Access list of floor club, written by `wallwright floor ca mosquitto`.",
        "",
        "user reader.home",
        "topic read homeassistant/#",
        "topic write homeassistant/status",
        "topic read wallwright/1/club/+/alive",
        "topic read wallwright/1/club/+/birth",
        "topic read wallwright/1/club/+/state",
        "",
        "user server.main",
        "topic read wallwright/1/club/#",
        "topic write wallwright/1/club/+/position",
        "topic write wallwright/1/club/+/request",
        "topic write wallwright/1/club/+/cosignature",
        "",
        "# Every table, by the common name of its certificate.",
        "pattern write wallwright/1/club/%u/alive",
        "pattern write wallwright/1/club/%u/birth",
        "pattern write wallwright/1/club/%u/state",
        "pattern write wallwright/1/club/%u/events",
        "pattern write wallwright/1/club/%u/reply",
        "pattern write wallwright/1/club/%u/head",
        "pattern read wallwright/1/club/%u/position",
        "pattern read wallwright/1/club/%u/request",
        "pattern read wallwright/1/club/%u/cosignature",
        "pattern write homeassistant/+/%u/+/config",
    ]


def test_the_files_are_replaced_after_a_renewal(tmp_path: Path) -> None:
    authority, output = make_authority(tmp_path / "ca", "club", NOW), tmp_path / "mosquitto"
    authority.issue(BROKER, ["broker.club"], 398, NOW)
    place = BrokerPlace(Path("/etc/mosquitto"))
    write_broker_files(authority, BROKER, output, place)
    first = (output / "broker.pem").read_bytes()
    newer = authority.renew(BROKER, 398, NOW)
    write_broker_files(authority, BROKER, output, place)
    assert (output / "broker.pem").read_bytes() != first
    assert (newer / "key.pem").read_bytes() in (output / "broker.pem").read_bytes()
    assert stat.S_IMODE((output / "broker.pem").stat().st_mode) == 0o600
    assert "certfile /etc/mosquitto/broker.pem" in (output / "mosquitto.conf").read_text()
    assert sorted(file.name for file in output.iterdir()) == [
        *("acl", "broker.pem", "ca.pem", "crl.pem", "limits.nft", "mosquitto.conf")
    ]


@pytest.mark.parametrize("user", [0, 1000])
def test_written_by_root_the_files_belong_to_the_user_of_mosquitto(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int
) -> None:
    """Each file gets its owner before it is in its place: the broker can read it at any time."""
    owned: list[tuple[str, str, str]] = []

    def chown(path: Path | int, owner: str, group: str) -> None:
        opened = path if isinstance(path, Path) else Path(f"/proc/self/fd/{path}").readlink()
        owned.append((opened.name, owner, group))

    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr("shutil.chown", chown)
    authority, output = make_authority(tmp_path / "ca", "club", NOW), tmp_path / "mosquitto"
    authority.issue(BROKER, ["broker.club"], 398, NOW)
    write_broker_files(authority, BROKER, output, BrokerPlace(Path("/etc/mosquitto")))
    if user:
        assert owned == []
    else:
        fresh = [f".{file.name}.new" for file in output.iterdir()]
        assert sorted(name for name, _, _ in owned) == sorted(["mosquitto", *fresh])
        assert {(u, g) for _, u, g in owned} == {("mosquitto", "mosquitto")}


def test_a_user_that_is_not_on_this_computer_changes_no_owner(tmp_path: Path) -> None:
    authority, output = make_authority(tmp_path / "ca", "club", NOW), tmp_path / "mosquitto"
    authority.issue(BROKER, ["broker.club"], 398, NOW)
    place = BrokerPlace(Path("/etc/mosquitto"), user="no-such-user")
    write_broker_files(authority, BROKER, output, place)
    assert (output / "acl").stat().st_uid == tmp_path.stat().st_uid


def test_only_the_certificate_of_a_broker_is_taken(tmp_path: Path) -> None:
    authority = make_authority(tmp_path / "ca", "club", NOW)
    place = BrokerPlace(tmp_path)
    with pytest.raises(CertificateError, match="got table t-07"):
        write_broker_files(authority, TABLE, tmp_path, place)
    with pytest.raises(CertificateError, match="There is no certificate of broker hall"):
        write_broker_files(authority, BROKER, tmp_path, place)


@pytest.mark.parametrize("folder", ["relative", "/with\nline", "/ends with a space "])
def test_a_folder_that_mosquitto_cannot_read_is_refused(folder: str) -> None:
    with pytest.raises(CertificateError, match="absolute path"):
        configuration(BrokerPlace(Path(folder)))
