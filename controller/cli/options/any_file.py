"""Checks a configuration file of any kind; its keys decide which kind it is."""

from __future__ import annotations

from pathlib import Path

from config.loader import check_file, read
from config.schema import GameConfig, Table
from controller.floor.settings import FloorSettings, load_floor_settings


def checked_file(path: Path) -> Table | GameConfig | FloorSettings:
    """Load a table, a game, or the file with which a table joins a floor. Raises ConfigErrors."""
    keys = read(path).value
    if isinstance(keys, dict) and "floor" in keys:
        return load_floor_settings(path)
    return check_file(path)


def named_certificates(path: Path) -> tuple[Path, ...]:
    """Check a file; return the certificates that it names. Raises ConfigErrors."""
    found = checked_file(path)
    if isinstance(found, FloorSettings) and found.broker.tls is not None:
        return (found.broker.tls.cert,)
    return ()
