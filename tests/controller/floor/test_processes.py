"""Tests that the broker and the database of the tests survive being killed."""

from __future__ import annotations

import psycopg
import pytest

from tests.controller.floor.mosquitto_process import MosquittoProcess
from tests.controller.floor.postgres_process import PostgresProcess


def test_a_killed_broker_starts_again_on_its_port(mosquitto: MosquittoProcess) -> None:
    mosquitto.kill()
    mosquitto.start()


@pytest.mark.slow
def test_a_killed_database_starts_again_with_its_data(postgres: PostgresProcess) -> None:
    url = postgres.new_database().replace("+psycopg", "")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept (number integer)")
        connection.execute("INSERT INTO kept VALUES (7)")
    postgres.kill()
    postgres.start()
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchall() == [(7,)]
