"""The live view of a run at a terminal: both activities, dealt tiles, last events, open questions.

Prompts, pauses and recoveries are also printed above the view, and stay there when the run ends.
`LiveRegion` has the last rows of the terminal, which are drawn again and again while lines are
printed above.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import cast

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from controller.cli.terminal.operator_console import OperatorConsole
from controller.cli.terminal.serial_console import SerialConsole
from controller.events import Event, EventName
from controller.events.counts import EventCounts, OpenFaultPrompt, OpenPauseCause
from controller.events.lookups import CONFIRMED_STEPS, lasting_line_of, line_of
from controller.run.faults.catalogue import CATALOGUE, latched
from firmware_bridge.board import FaultCode

KEPT = 8
"""The number of last events that are shown, if the terminal is high enough."""
PER_SECOND = 8
"""The number of times per second that the view is drawn."""
_DONE = CONFIRMED_STEPS | {EventName.STEP, EventName.READY, EventName.WALLS_RAISED}
"""Events after which the last prompt of a step is done."""


class LiveView:
    """A context manager that shows an event stream at a terminal; without one it shows nothing.

    The questions of `operator` are shown in the view. `clock` returns the table's time in seconds.
    `in_words` puts players' names into a line that names seats by number.
    """

    def __init__(
        self,
        console: SerialConsole,
        title: str,
        operator: OperatorConsole | None = None,
        clock: Callable[[], float] | None = None,
        in_words: Callable[[str], str] = str,
    ) -> None:
        self._console = console
        self._title = title
        self._operator = operator
        self._clock = clock
        self._in_words = in_words
        self._under, self._top = "offline", "offline"
        # The drawing thread reads this, so the tuple is replaced and never changed in place.
        self._last: tuple[str, ...] = ()
        self._time = 0.0
        self._dealt = 0
        self._prompt = ""
        self._counts = EventCounts()
        self._region = LiveRegion(console, self._page, PER_SECOND)
        self._is_shown = console.is_terminal

    def __enter__(self) -> LiveView:
        if self._is_shown:
            self._region.start()
            if self._operator is not None:
                self._operator.redraw = self._region.draw
        return self

    def __exit__(self, *failure: object) -> None:
        if self._is_shown:
            if self._operator is not None:
                self._operator.redraw = lambda: None
            self._region.stop()

    def on_event(self, event: Event) -> None:
        """Show the next event."""
        self._time = float(str(event["t"]))
        self._counts = self._counts.after(event)
        if line := self._in_words(self._line(event)):
            self._last = (*self._last, f"{self._time:8.1f} s  {line}")[-KEPT:]
        if self._is_shown and (line := lasting_line_of(event)):
            self._console.print(Text(f"{self._time:8.1f} s  {line}"))
            self._region.draw()

    def _line(self, event: Event) -> str:
        """Update the state of the view; return the event's line, or "" for no line."""
        match event:
            case {"event": EventName.STATE, "under": under, "top": top}:
                self._under, self._top = str(under), str(top)
                self._dealt = 0 if top == "raising" else self._dealt
            case {"event": EventName.MOVE, "move": "prompt", "what": dict(what)}:
                self._prompt = _prompted(what)
            case {"event": name} if name in _DONE:
                self._prompt = ""
        if event["event"] == EventName.DELIVERED:
            self._dealt += len(cast("list[str]", event["from"]))
        return line_of(event)

    def _page(self) -> Group:
        """The whole view. If the terminal is too low, last events are left out, not questions."""
        now = self._time if self._clock is None else self._clock()
        grid = Grid.grid(padding=(0, 2))
        grid.add_row("time", f"{now:.1f} s")
        grid.add_row("under", Text(self._under, style="cyan"))
        grid.add_row("top", Text(self._top, style="green"))
        grid.add_row("dealt", f"{self._dealt} tiles")
        grid.add_row("so far", self._so_far())
        requests = self._requests(now)
        free = self._console.size.height - 1 - self._lines_of(grid) - self._lines_of(requests) - 1
        last = Text("\n").join(
            Text(line, no_wrap=True, overflow="ellipsis") for line in self._last[-max(free, 0) :]
        )
        parts: list[RenderableType] = [Text(self._title, style="bold"), grid]
        if free > 0 and self._last:
            parts.append(last)
        return Group(*parts, *([requests] if requests.plain else []))

    def _lines_of(self, shown: Grid | Text) -> int:
        if isinstance(shown, Text) and not shown.plain:
            return 0
        return len(self._console.render_lines(shown, pad=False))

    def _so_far(self) -> str:
        """The numbers of recoveries, assists and pauses."""
        counts = self._counts
        names = ("recoveries", "assists", "pauses")
        return ", ".join(f"{name} {counts.total(name)}" for name in names)

    def _requests(self, now: float) -> Text:
        """The causes of a pause, the open prompts with role and waiting time, and the questions."""
        lines: list[Text] = []
        questions = self._operator.questions if self._operator is not None else ()
        for cause in self._counts.pause:
            where = " ".join(each for each in (f"board {cause.board}", cause.channel) if each)
            text = f"PAUSED since {cause.since:.1f} s: {cause.why}, {where}"
            lines.append(Text(f"{text}{_clearing_of(cause)}", style="bold red"))
        for wait in self._counts.prompts:
            lines.append(Text(_waiting_line(wait, now), style="bold yellow"))
            if not questions:
                lines.append(Text(f"  {wait.evidence}. {wait.request}"))
        if self._prompt and not questions:
            lines.append(Text(f"to do by hand: {self._prompt}", style="yellow"))
        elif self._top == "playing" and not (lines or questions):
            lines.append(Text("The players play; the lid's key ends the hand."))
        lines += [Text(f"[{each.number}] {each.text}") for each in questions]
        if questions and self._operator is not None:
            if note := questions[-1].note:
                lines.append(Text(note, style="red"))
            lines.append(Text(f"[{questions[-1].number}]> {self._operator.draft}_", style="bold"))
        return Text("\n").join(lines)


def _clearing_of(cause: OpenPauseCause) -> str:
    """For an emergency stop or a light curtain: who may clear it after its release."""
    if cause.why not in (FaultCode.EMERGENCY_STOP.name, FaultCode.LIGHT_CURTAIN.name):
        return ""
    who = CATALOGUE[latched(FaultCode[cause.why])].who.value
    return f"; after its release, the {who} may clear it"


def _waiting_line(wait: OpenFaultPrompt, now: float) -> str:
    waited = max(0.0, now - wait.since)
    return (
        f"WAITING for the {wait.role} since {wait.since:.1f} s ({waited:.0f} s):"
        f" {wait.code}, {wait.part}"
    )


def _prompted(what: dict[str, object]) -> str:
    """A step that people do by hand: its kind, its seat and its places."""
    words = [str(what.get("step", ""))]
    words += [f"seat {what[key]}" for key in ("seat", "by") if key in what]
    words += [str(what[key]) for key in ("what", "why", "at") if key in what]
    places = what.get("from")
    if isinstance(places, list):
        words.append(" ".join(map(str, places)))
    return ", ".join(word for word in words if word)


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
        self._thread = threading.Thread(
            target=self._draw_at_intervals, name="live region", daemon=True
        )
        self._ends = threading.Event()

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
