"""Tests the device key file: permissions, contents, and the key of simulated boards."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.commissioning.device_keys import (
    DeviceKeys,
    KeysError,
    MissingKeyError,
    PublicKeyError,
)
from firmware_bridge.commissioning.key_files import keys_file
from firmware_bridge.executor.virtual_board import KEY


def test_a_stored_key_can_be_read_again_and_only_by_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "wallwright" / "keys"
    DeviceKeys(file).remember("WALL0002", bytes(range(16)))
    DeviceKeys(file).remember("WALL0001", bytes(range(32)))
    keys = DeviceKeys(file)
    assert (keys.of("WALL0001"), keys.of("WALL0002")) == (bytes(range(32)), bytes(range(16)))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["keys"]


@pytest.fixture
def pseudo_terminal() -> Iterator[str]:
    far, near = os.openpty()
    yield os.ttyname(near)
    os.close(far)
    os.close(near)


def test_a_board_that_calls_itself_simulated_is_refused_on_a_serial_port(
    pseudo_terminal: str, tmp_path: Path
) -> None:
    allowed = DeviceKeys(tmp_path / "none", simulated=True)
    assert allowed.on(pseudo_terminal)("SIM00001") == KEY
    for keys, port in (
        (DeviceKeys.none(), pseudo_terminal),  # without --allow-simulated
        (DeviceKeys(tmp_path / "none"), pseudo_terminal),
        (allowed, "/dev/null"),  # a device, though not a serial port: there is none here
        (allowed, ""),
    ):
        with pytest.raises(PublicKeyError, match=r"SIM00001, .*whose key is public; connect a"):
            keys.on(port)("SIM00001")


@pytest.mark.parametrize(
    "line",
    [
        f"SIM00000 {bytes(range(16)).hex()}",
        f"UNSET000 {bytes(range(16)).hex()}",
        f"WALL0001 {'00' * 16}",
        f"WALL0001 {'ff' * 32}",
    ],
)
def test_a_key_file_cannot_declare_a_public_key_secret(tmp_path: Path, line: str) -> None:
    file = tmp_path / "keys"
    file.write_text(f"{line}\n")
    file.chmod(0o600)
    with pytest.raises(KeysError, match=r"keys:1: the key of \w+ is public"):
        DeviceKeys(file)


def test_no_board_has_a_key_without_a_key_file(tmp_path: Path) -> None:
    for keys in (DeviceKeys.none(), DeviceKeys(tmp_path / "none")):
        with pytest.raises(MissingKeyError, match="there is no key for the board WALL0001 in"):
            keys.of("WALL0001")
        with pytest.raises(MissingKeyError, match="never provisioned"):
            keys.of("UNSET000")


@pytest.mark.parametrize(
    "line", ["WALL0001", "WALL1 " + "00" * 16, "WALL0001 " + "00" * 15, "WALL0001 zz"]
)
def test_the_error_for_an_invalid_line_names_its_number(tmp_path: Path, line: str) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# of the club\n\n{line}\n")
    file.chmod(0o600)
    with pytest.raises(KeysError, match=r"keys:3: the line is not a serial number"):
        DeviceKeys(file)


def test_the_error_for_a_key_file_that_cannot_be_written_names_the_option(tmp_path: Path) -> None:
    keys = DeviceKeys(tmp_path / "folder" / "keys")
    (tmp_path / "folder").touch()  # a file where a folder is needed
    with pytest.raises(KeysError, match="name another file with --keys"):
        keys.require_writable()


def test_the_default_key_file_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert keys_file() == tmp_path / "wallwright" / "keys"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys_file() == tmp_path / ".config" / "wallwright" / "keys"
