"""The daemon: decides, sequences, records and serves."""

from __future__ import annotations

from importlib.metadata import version


def __getattr__(name: str) -> str:
    """`__version__`, read from the installed package when it is asked for."""
    if name == "__version__":
        return version("wallwright")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
