"""Tests of the ports that the demonstration gives to its servers."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from controller.floor.demo import preparation as module
from controller.floor.demo.preparation import FIRST_PORT, HOST, USUAL_RANGE, free_port


def linux_range(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    """Let the system choose from another range of ports."""
    file = folder / "ip_local_port_range"
    file.write_text(text)
    monkeypatch.setattr(module, "LINUX_RANGE", file)


def test_a_server_gets_a_port_that_the_system_gives_to_no_connection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    linux_range(monkeypatch, tmp_path, "20000\t60999\n")
    assert all(FIRST_PORT <= free_port() < 20_000 for _ in range(100))


@pytest.mark.parametrize("text", ["", "every port", "\n"])
def test_without_a_range_from_the_system_the_usual_one_is_avoided(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    linux_range(monkeypatch, tmp_path, text)
    assert FIRST_PORT <= free_port() < USUAL_RANGE


def test_a_port_in_use_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.socket() as used:
        used.bind((HOST, free_port()))
        port = used.getsockname()[1]
        monkeypatch.setattr(module, "FIRST_PORT", port)
        linux_range(monkeypatch, tmp_path, f"{port + 1} 60999")
        assert free_port() != port


def test_the_system_chooses_if_its_range_is_every_port(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    linux_range(monkeypatch, tmp_path, "1024 65535")
    assert free_port() >= 1024
