"""Names of a package that are imported by whoever first asks for them.

A table that only deals needs every game's set-up and no game's play: importing `rules.games` must
stay quick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, rooms: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__`: `rooms` says in which of its modules each name lives."""

    def find(name: str) -> Any:
        if name not in rooms:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{rooms[name]}"), name)

    return find
