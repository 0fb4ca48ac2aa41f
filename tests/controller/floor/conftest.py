"""Fixtures of the floor's tests: a broker and a database of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controller.floor.mosquitto_process import MosquittoProcess
from tests.controller.floor.postgres_process import PostgresProcess


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the floor service wait for the replies of tables on a busy computer."""
    monkeypatch.setattr("controller.floor.server.requests.ANSWER", 60.0)
    monkeypatch.setattr("controller.floor.server.floor_service.ANSWER", 60.0)


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[MosquittoProcess]:
    """Return a broker without TLS that runs; tests can kill it and start it again."""
    broker = MosquittoProcess(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresProcess]:
    """Return a PostgreSQL server that runs; tests that kill it start it again."""
    server = PostgresProcess()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def postgres_url(postgres: PostgresProcess) -> str:
    """Return the URL of an empty database in PostgreSQL."""
    return postgres.new_database()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return the URL of an empty database in SQLite."""
    return f"sqlite:///{tmp_path / 'floor.db'}"
