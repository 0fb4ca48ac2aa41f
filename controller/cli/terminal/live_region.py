"""The last rows of a terminal, which are drawn again and again while lines are printed above."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from rich.console import RenderableType
from rich.live import Live

from controller.cli.terminal.serial_console import SerialConsole


class LiveRegion:
    """Rows that a thread draws `per_second` times per second; `page` returns their contents.

    The thread is not rich's own one, which takes the locks in another order than a print does.
    """

    def __init__(
        self, console: SerialConsole, page: Callable[[], RenderableType], per_second: float
    ) -> None:
        self._console = console
        self._interval = 1 / per_second
        self._live = Live(console=console, auto_refresh=False, transient=True, get_renderable=page)
        self._thread = Thread(target=self._draw_at_intervals, name="live region", daemon=True)
        self._ends = Event()

    def start(self) -> None:
        """Show the rows."""
        with self._console.lock:
            self._live.start(refresh=True)
        self._thread.start()

    def draw(self) -> None:
        """Draw the rows now."""
        with self._console.lock:
            self._live.refresh()

    def stop(self) -> None:
        """Remove the rows; lines that were printed stay."""
        self._ends.set()
        self._thread.join()
        with self._console.lock:
            self._live.stop()

    def _draw_at_intervals(self) -> None:
        while not self._ends.wait(self._interval):
            self.draw()
