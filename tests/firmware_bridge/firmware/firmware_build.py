"""Builds targets of the firmware's Makefile, one process of a test run at a time."""

from __future__ import annotations

import fcntl
import subprocess

from firmware_bridge.commissioning.flashing import BUILD_LOCK, FIRMWARE


def build(*targets: str) -> None:
    """Build the targets, those of the Mega and its emulator without any; quick if they are current.

    `wallwright firmware build` takes the same lock.
    """
    BUILD_LOCK.parent.mkdir(exist_ok=True)
    with BUILD_LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "-C", str(FIRMWARE), *(targets or ("avr", "simavr"))]
        subprocess.run(command, check=True, timeout=300)
