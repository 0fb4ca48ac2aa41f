"""The daemon that controls a table, and the command line."""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """Read `__version__` from the installed package at the first access."""
    if name == "__version__":
        # Imported here because its import takes longer than the rest of `wallwright version`.
        from importlib.metadata import version  # noqa: PLC0415

        return version("wallwright")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
