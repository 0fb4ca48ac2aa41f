"""Attacks by the amount: a table that floods the broker, and payloads that are too large."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from controller.floor.certificates.broker_files import rate_limits
from controller.floor.messages import LARGEST_PAYLOAD
from tests.controller.floor.flood_measurement import RATE
from tests.controller.floor.tls_floor import FLOOR, SERVER, TlsFloor, received, table
from tests.quick import EVIDENCE_ONLY

HOUSE = Path(__file__).parents[3]
SLOWER = 300.0
"""Milliseconds that other programs on this computer may take between two measurements; a flood
without limits adds about 2,000."""
BELOW = f"wallwright/1/{FLOOR}"


def measured(folder: Path, kind: str, seconds: float = 10.0) -> dict[str, Any]:
    """Measure a flood in a network of its own, `limited` or `unlimited`."""
    folder.mkdir()
    module = "tests.controller.floor.flood_measurement"
    ended = subprocess.run(
        ["unshare", "--net", sys.executable, "-m", module, folder, kind, str(seconds)],
        cwd=HOUSE,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout))


@pytest.mark.slow
def test_the_firewall_lets_little_of_a_flood_pass_and_no_message_of_another_table_is_lost(
    tmp_path: Path,
) -> None:
    """Counts messages and no times. Of 10,000 messages in a second the limit admits about 500."""
    seconds = 3.0
    flooded = measured(tmp_path / "limited", "limited", seconds)["flooded"]
    assert 0 < flooded["received"] < RATE * seconds / 4, flooded
    assert flooded["lost"] == 0, flooded


@pytest.mark.slow
@EVIDENCE_ONLY
@pytest.mark.timeout(1800)
def test_a_flooding_table_does_not_delay_the_messages_of_another(tmp_path: Path) -> None:
    """The firewall limits each address; without it, the flood of 10,000 messages/s does harm.

    Other programs can delay a message too, so figures that are too large are measured again. They
    are p90: of about 70 messages, 7 may be held by another program, but p99 is the latest of all. A
    flood delays every message, or loses it. On a busy computer the flood is smaller, and displaces
    the other table's messages nevertheless.
    """
    for number in range(5):
        limited = measured(tmp_path / f"limited{number}", "limited")
        is_quick = limited["flooded"]["p90"] < limited["quiet"]["p90"] + SLOWER
        if is_quick and limited["flooded"]["lost"] == 0:
            break
    unlimited = measured(tmp_path / "unlimited", "unlimited")
    is_larger = unlimited["flooded"]["received"] > 2 * limited["flooded"]["received"]
    is_late = unlimited["flooded"]["p90"] > unlimited["quiet"]["p90"] + SLOWER
    assert is_larger or is_late, unlimited
    assert limited["flooded"]["lost"] == 0, limited
    assert limited["flooded"]["p90"] < limited["quiet"]["p90"] + SLOWER, limited


@pytest.mark.slow
@pytest.mark.parametrize("size", [LARGEST_PAYLOAD + 2000, 10_000_000])
def test_a_payload_that_is_too_large_ends_its_senders_connection_only(
    tmp_path: Path, size: int
) -> None:
    async def attack(floor: TlsFloor) -> list[int]:
        async with (
            floor.client(SERVER, f"{BELOW}/#") as server,
            floor.client(table("t2")) as other,
        ):
            async with floor.client(table("t1")) as attacker:
                with suppress(aiomqtt.MqttError):  # aiomqtt waits for an answer that cannot come
                    await attacker.publish(f"{BELOW}/t1/events", b"x" * size, qos=1, timeout=1.0)
                await asyncio.to_thread(floor.wait_for_log, "oversize packet")
            await other.publish(f"{BELOW}/t2/events", b"x" * LARGEST_PAYLOAD, qos=1)
            arrived = await received(server, other, f"{BELOW}/t2/state")
            return [len(payload) for _, payload in arrived]

    floor = TlsFloor(tmp_path)
    floor.start()
    try:
        assert asyncio.run(attack(floor)) == [LARGEST_PAYLOAD]
    finally:
        floor.kill()


def test_the_limits_are_for_the_brokers_port_and_not_for_floor_services() -> None:
    rules = rate_limits(8883, ["10.0.0.6", "fd00::6", "floor.club"])
    assert "tcp dport != 8883 accept" in rules
    assert "ip saddr { 10.0.0.6, 127.0.0.1 } accept" in rules
    assert "ip6 saddr { ::1, fd00::6 } accept" in rules
    assert "floor.club" not in rules
