"""Lazy imports of a package's names, and lazily computed lookup tables.

A table that only deals needs the set-up of every game and no code of their play. The play is
therefore imported on first use, so that importing `rules.games` stays fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

Key = TypeVar("Key")
Entry = TypeVar("Entry")


def lazily(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Returns a package's `__getattr__`; `modules` maps each name to the module that defines it."""

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return find


class LazyTable(dict[Key, Entry]):
    """A table that computes each entry when it is first looked up."""

    def __init__(self, entry: Callable[[Key], Entry]) -> None:
        super().__init__()
        self._entry = entry

    def __missing__(self, key: Key) -> Entry:
        self[key] = made = self._entry(key)
        return made
