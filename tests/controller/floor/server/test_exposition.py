"""Tests the metrics of the floor service: their values, and Prometheus' own check of the text."""

from __future__ import annotations

import shutil
import subprocess

from controller.floor.messages import TableAddress
from controller.floor.server.metrics import FLOOR_METRICS, FloorCounts, floor_samples, floor_text
from controller.floor.server.room import Room


def room_with_three_tables() -> Room:
    """Return a room: a connected table, one whose log contradicts itself, and one that is off."""
    room = Room("club")
    room.update(TableAddress("club", "a1"), is_connected=True)
    room.update(TableAddress("club", "a2"), contradiction="The log contradicts itself.")
    room.update(TableAddress("club", "a3"), is_switched_off=True)
    return room


def test_the_metrics_count_tables_messages_and_refused_batches() -> None:
    counts = FloorCounts(events=12)
    counts.drop("flood")
    counts.refused["gap"] += 3
    counts.storing.add(0.2)
    lines = floor_text(room_with_three_tables(), counts, 700).decode().splitlines()
    for line in (
        'wallwright_floor_tables{connection="connected"} 1.0',
        'wallwright_floor_tables{connection="lost"} 1.0',
        'wallwright_floor_tables{connection="switched_off"} 1.0',
        "wallwright_floor_tables_contradicting 1.0",
        "wallwright_floor_events_stored_total 12.0",
        'wallwright_floor_messages_dropped_total{reason="flood"} 1.0',
        'wallwright_floor_batches_refused_total{reason="gap"} 3.0',
        'wallwright_floor_batches_refused_total{reason="damaged"} 0.0',
        "wallwright_floor_waiting_bytes 700.0",
        'wallwright_floor_store_duration_seconds_bucket{le="0.25"} 1.0',
        'wallwright_floor_store_duration_seconds_bucket{le="0.1"} 0.0',
    ):
        assert line in lines


def test_every_metric_has_a_value_from_the_start() -> None:
    found = {f"floor_{name}" for name, _, _ in floor_samples(Room("club"), FloorCounts(), 0)}
    assert found == {metric.name for metric in FLOOR_METRICS}


def test_prometheus_accepts_the_metrics() -> None:
    promtool = shutil.which("promtool")
    assert promtool is not None, "promtool is missing; run `make metrics-tools`."
    checked = subprocess.run(
        [promtool, "check", "metrics"],
        input=floor_text(room_with_three_tables(), FloorCounts(), 0),
        capture_output=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")
