"""What a person sees while a table works: both activities, the tiles dealt, the last events."""

from __future__ import annotations

from collections import deque

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from controller.events import Event

KEPT = 8


class Progress:
    """A live view of an event stream; a context manager. Silent where nobody watches."""

    def __init__(self, console: Console, title: str) -> None:
        self._title = title
        self._under, self._top = "offline", "offline"
        self._last: deque[str] = deque(maxlen=KEPT)
        self._time = 0.0
        self._dealt = 0
        self._live = Live(console=console, refresh_per_second=8, transient=True)
        self._watched = console.is_terminal

    def __enter__(self) -> Progress:
        if self._watched:
            self._live.start()
        return self

    def __exit__(self, *failure: object) -> None:
        if self._watched:
            self._live.stop()

    def hear(self, event: Event) -> None:
        """Take the next event in."""
        self._time = float(str(event["t"]))
        if line := self._line(event):
            self._last.append(f"{self._time:8.1f} s  {line}")
        if self._watched:
            self._live.update(self._page())

    def _line(self, event: Event) -> str:
        match event:
            case {"event": "state", "under": under, "top": top}:
                self._under, self._top = str(under), str(top)
                self._dealt = 0 if top == "raising" else self._dealt
            case {"event": "thrown", "by": by, "dice": list(dice)}:
                return f"seat {by} throws {' '.join(str(face) for face in dice)}"
            case {"event": "chosen", "what": what, "answer": answer}:
                return f"{what}: {answer}"
            case {"event": "delivered", "seat": seat, "from": list(places)}:
                self._dealt += len(places)
                return f"seat {seat} gets {' '.join(places)}"
            case {"event": "turned", "at": at, "tile": tile}:
                return f"{at} is turned up: {tile or 'unknown'}"
            case {"event": "step", "step": "arrange", "verb": verb, "from": list(places)}:
                return f"{verb} {' '.join(places)}"
            case {"event": "ready"}:
                return "ready to play"
            case {"event": "acted", "seat": seat, "do": words}:
                return f"seat {seat}: {words}"
            case {"event": "settled", "name": name, "winner": winner}:
                return str(name) if winner is None else f"{name}, won by seat {winner}"
            case {"event": "given_up"}:
                return "the hand is given up"
            case {"event": "reseated", "moves": list(moves), "dealer": dealer}:
                moved = ", ".join(f"{seat} to {to}" for seat, to in enumerate(moves))
                return f"new seats: {moved}; seat {dealer} deals"
            case {"event": "fault", "part": part, "evidence": evidence}:
                return f"FAULT {part}: {evidence}"
        return ""

    def _page(self) -> Group:
        grid = Grid.grid(padding=(0, 2))
        grid.add_row("time", f"{self._time:.1f} s")
        grid.add_row("under", Text(self._under, style="cyan"))
        grid.add_row("top", Text(self._top, style="green"))
        grid.add_row("dealt", f"{self._dealt} tiles")
        return Group(Text(self._title, style="bold"), grid, Text("\n".join(self._last)))
