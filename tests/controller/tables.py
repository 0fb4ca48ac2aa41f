"""A daemon that drives a table's hardware, put together as the command line does it."""

from __future__ import annotations

import asyncio

from config.schema import GameConfig, Table
from controller.daemon import Daemon
from controller.events import EventLog
from controller.hardware import Hardware
from controller.journal import Journal
from controller.workplace import Orders


def daemon_for(
    hardware: Hardware,
    table: Table,
    config: GameConfig,
    orders: Orders,
    journal: Journal,
    events: EventLog,
) -> Daemon:
    """Who drives this hardware, on the clock of the running loop."""
    return Daemon(
        table,
        config,
        orders,
        hardware.boards,
        hardware.guide,
        journal,
        events,
        face_of=hardware.face_of,
        traffic=hardware.traffic,
        clock=asyncio.get_running_loop().time,
        reconnect=hardware.reconnect,
    )
