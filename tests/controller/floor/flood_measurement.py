"""Measures how late a table's messages are while another table floods the broker.

Runs in a network namespace of its own, with or without the limits of the firewall, and prints the
figures as JSON.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from controller.floor import mqtt
from controller.floor.broker import BrokerConnection, Message
from controller.floor.messages import TableAddress
from controller.floor.mqtt import open_connection
from controller.floor.server.table_messages import FloodLimit
from tests.controller.floor.tls_floor import FLOOR, HOST, SERVER, TlsFloor, table
from tests.waiting import until

RATE = 10_000
"""Messages of the flooding table in a second."""
LAST = 20.0
"""Seconds after which a message that has not arrived counts as lost."""
LATEST = 60.0
"""Seconds in which the broker has to answer a client on a computer that holds it."""
PRIORITY = -10
"""The nice value of broker and service; the flooder has an ordinary one."""
EVERY = 0.14
"""Seconds between two messages of the other table."""
STATE, FLOOD = TableAddress(FLOOR, "t2").topic("state"), TableAddress(FLOOR, "t1").topic("events")


class Measurement:
    """What the floor service receives: the delays of the table t2, and the number of messages."""

    def __init__(self) -> None:
        self._limit = FloodLimit[str]()
        self._delays: list[float] = []
        self._received = 0

    def receive(self, message: Message) -> None:
        """Take a message as the floor service does: beyond the limit of its table it is dropped."""
        self._received += 1
        if not self._limit.admits(message.topic, time.monotonic()):
            return
        if message.topic == STATE:
            self._delays.append(time.monotonic() - float(message.payload))

    async def figures(self, victim: BrokerConnection, seconds: float) -> dict[str, Any]:
        """Publish for this time; return delays in milliseconds, and counts."""
        self._delays.clear()
        self._received = sent = 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await victim.publish(STATE, repr(time.monotonic()).encode())
            sent += 1
            await asyncio.sleep(EVERY)
        received = self._received
        with suppress(AssertionError):  # counted as lost
            await until(lambda: len(self._delays) >= sent, limit=LAST)
        delays = sorted(self._delays)
        return {
            "p50": _milliseconds(delays, 0.50),
            "p90": _milliseconds(delays, 0.90),
            "p99": _milliseconds(delays, 0.99),
            "lost": sent - len(delays),
            "sent": sent,
            "received": received,
        }


def _milliseconds(delays: list[float], part: float) -> float:
    """A quantile of sorted delays; infinite if no message has arrived."""
    return 1000 * delays[int(len(delays) * part)] if delays else math.inf


async def measure(floor: TlsFloor, seconds: float) -> dict[str, Any]:
    """Measure before a flood and during it."""
    measurement = Measurement()
    async with (
        open_connection(floor.broker(SERVER), "server", receive=measurement.receive) as server,
        open_connection(floor.broker(table("t2")), "t2") as victim,
    ):
        for topic in (STATE, FLOOD):
            await server.subscribe(topic)
        quiet = await measurement.figures(victim, seconds)
        flooder = await asyncio.create_subprocess_exec(
            *("nice", "-n", str(-os.nice(0)), sys.executable),
            *("-m", "tests.controller.floor.flooder", HOST, str(floor.port)),
            *(str(floor.folders[table("t1")]), FLOOD, str(RATE), str(seconds + 2 * LATEST)),
        )
        await asyncio.sleep(2.0)  # The burst that the firewall permits is over.
        flooded = await measurement.figures(victim, seconds)
        assert flooder.returncode is None, "the flooder has ended early"
        flooder.kill()
        await flooder.wait()
    return {"quiet": quiet, "flooded": flooded}


def main(folder: Path, seconds: float, *, is_limited: bool) -> None:
    """Prepare the network and the broker, and print the figures."""
    # Other tests run on this computer; on that of a floor's broker and service nothing else does.
    with suppress(PermissionError):
        os.nice(PRIORITY)
    # Packets as on a network: the loopback interface has packets of 64 kB.
    subprocess.run(["ip", "link", "set", "lo", "up", "mtu", "1500"], check=True)
    floor = TlsFloor(folder)
    if is_limited:
        limits = folder / "mosquitto" / "limits.nft"
        subprocess.run(["/usr/sbin/nft", "-f", limits], check=True)
    floor.start()
    mqtt.ANSWER = LATEST
    try:
        sys.stdout.write(json.dumps(asyncio.run(measure(floor, seconds))))
    finally:
        floor.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[3]), is_limited=sys.argv[2] == "limited")
