"""A console on which a live view and other lines can be printed from several threads."""

from __future__ import annotations

from threading import RLock
from typing import Any

from rich.console import Console


class SerialConsole(Console):
    """Prints one text after the other; hold `lock` for a text that consists of several prints.

    rich computes how many rows of a live view are to be replaced, and draws them later. A print of
    another thread between the two would replace too many rows, and with them lines that are to stay
    on the screen.
    """

    def __init__(self, **options: Any) -> None:
        self.lock = RLock()
        super().__init__(**options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, while no other thread prints."""
        with self.lock:
            super().print(*objects, **options)
