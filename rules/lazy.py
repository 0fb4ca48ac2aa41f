"""Lazy imports of a package's names, and lazily computed lookup tables.

A machine that only deals needs the set-up of every game and the play of none, so importing
`rules.games` must stay fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

Key = TypeVar("Key")
Entry = TypeVar("Entry")


def lazily(package: str, rooms: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__`: `rooms` says in which of its modules each name lives."""

    def find(name: str) -> Any:
        if name not in rooms:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{rooms[name]}"), name)

    return find


class LazyTable(dict[Key, Entry]):
    """A table that fills itself: an entry is worked out when it is first asked for."""

    def __init__(self, entry: Callable[[Key], Entry]) -> None:
        super().__init__()
        self._entry = entry

    def __missing__(self, key: Key) -> Entry:
        self[key] = made = self._entry(key)
        return made
