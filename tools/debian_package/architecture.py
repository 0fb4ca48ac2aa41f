"""The processors for which the package is built, in the terms of Debian and of Python's wheels."""

from __future__ import annotations

from dataclasses import dataclass

GLIBC = range(36, 16, -1)
"""Minor versions of glibc 2 whose wheels run on Debian 12, the newest first."""
PYTHONS = ("3.11", "3.12", "3.13")
"""The Python of Debian 12, of Ubuntu 24.04, and of Debian 13; all files are compiled for the first
one, with which the package is built."""
NOT_FOR_ALL = ("lgpio",)
"""Packages without wheels for some of these Pythons; the program works without them."""


@dataclass(frozen=True)
class Architecture:
    """A processor: Debian's name, the name in a wheel's tag, and the files of its requirements."""

    debian: str
    machine: str
    requirements: tuple[str, ...]

    @property
    def platforms(self) -> tuple[str, ...]:
        """The platform tags of wheels that run on it."""
        tags = tuple(f"manylinux_2_{minor}_{self.machine}" for minor in GLIBC)
        return (*tags, f"manylinux2014_{self.machine}")


ARCHITECTURES = {
    each.debian: each
    for each in (
        Architecture("amd64", "x86_64", ("requirements-floor.txt",)),
        # A table with arm64 can be driven by its own pins, which needs lgpio.
        Architecture("arm64", "aarch64", ("requirements-floor.txt", "requirements-pi.txt")),
    )
}
