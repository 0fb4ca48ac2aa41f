"""Shows the page of the monitor in a terminal until the monitor is ended.

The page shows the status of a table as lines that fit a terminal of any size. Every state is
written in words, so that the page can be read without colours. If the terminal is low, the last
events are left out first; the connection, prompts, pauses and faults never are.
"""

from __future__ import annotations

import asyncio
import ssl
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.live import Live
from rich.text import Text

from controller.cli.monitor.stream_reader import MonitoredTable, ServiceAddress, StreamReader

Json = dict[str, Any]
WARNING, ERROR, STRONG, QUIET = "bold yellow", "bold red", "bold", "dim"
MOST_RESULTS = 2
"""Number of hand results that are shown."""


@dataclass(frozen=True)
class _Line:
    text: str
    style: str = ""


def page(view: MonitoredTable, now: float, columns: int, rows: int) -> Text:
    """The page; `now` is this computer's clock in seconds. It has at most `rows` lines."""
    status = view.status
    urgent = [*_connection(view, now), *_urgent(status, view.table_time(now))]
    head = [_title(view, now)]
    facts = list(_facts(status)) if status is not None else []
    events = [_event(each) for each in (status or {}).get("recent", [])]
    upper = [*_wrapped(head, columns), *_wrapped(urgent, columns)]
    body = _wrapped(facts, columns, 1)
    free = rows - len(upper) - len(body)
    shown = [*upper, *body[: max(0, rows - len(upper))]]
    if free > 1 and events:
        last = _wrapped(events[-(free - 1) :], columns, 1)
        shown += [_Line("last events", QUIET), *last]
    text = Text(no_wrap=True, overflow="crop")
    for number, line in enumerate(shown[:rows]):
        text.append(("\n" if number else "") + line.text, line.style)
    return text


def _title(view: MonitoredTable, now: float) -> _Line:
    status = view.status
    if status is None:
        return _Line("Wallwright", STRONG)
    table, service = status.get("table", {}), status.get("service", {})
    kind = "simulated table" if table.get("simulated") else "table"
    state = str(service.get("state", "")).replace("_", " ")
    clock = _duration(view.table_time(now))
    return _Line(f"{kind} {table.get('name', '?')}: {state}, running for {clock}", STRONG)


def _connection(view: MonitoredTable, now: float) -> Iterator[_Line]:
    match view.connection:
        case "connecting":
            yield _Line("CONNECTING to the service ...", WARNING)
        case "lost":
            since = _duration(now - view.since)
            yield _Line(f"CONNECTION LOST for {since}: {view.why}.", ERROR)
            shown = "What follows is old. " if view.status is not None else ""
            yield _Line(f"{shown}Connecting again (attempt {view.attempts}).", ERROR)


def _urgent(status: Json | None, at: float) -> Iterator[_Line]:
    """Faults, pauses and prompts: what has to be done, by whom, and for how long it waits."""
    if status is None:
        return
    if fault := status.get("fault"):
        yield _Line(f"FAULT {fault['code']} at {fault['part']}: {fault['evidence']}.", ERROR)
        yield _Line(f"  {fault['cure']} The {fault['role']} may clear it.")
    for cause in status.get("pause", []):
        where = ", ".join(
            each
            for each in (f"board {cause['board']}" if cause["board"] else "", cause["channel"])
            if each
        )
        waited = _duration(at - cause["since"])
        yield _Line(f"PAUSED for {waited}: {cause['why']}{f', {where}' if where else ''}", ERROR)
    if lead := status.get("lead"):
        yield _Line(f"{lead['name']} ({lead['role']}) leads the recovery.", WARNING)
    for prompt in status.get("prompts", []):
        yield from _prompt(prompt, at, _players(status))
    yield from _service_mode(status.get("service_mode"))


def _players(status: Json) -> dict[int, str]:
    """The player of each seat in words: the name, the wind, or the number of the seat."""
    seats = (status.get("session") or {}).get("seats", [])
    return {each["seat"]: each["name"] or each["wind"] or f"seat {each['seat']}" for each in seats}


def _prompt(prompt: Json, at: float, players: dict[int, str]) -> Iterator[_Line]:
    waited = _duration(at - prompt["since"])
    what = ": ".join(each for each in (prompt["code"], prompt["part"]) if each)
    who = f"the {prompt['role']}"
    if prompt["seats"]:
        who += ": " + " or ".join(players.get(seat, f"seat {seat}") for seat in prompt["seats"])
    subject = f" ({what})" if what and prompt["kind"] == "fault" else ""
    yield _Line(f"WAITING {waited} for {who}{subject}", WARNING)
    yield _Line(f"  {prompt['text']}")
    answers = [choice["label"] for choice in prompt["choices"]]
    if answers:
        yield _Line(f"  answers: {', '.join(answers)}{', ...' if prompt['more'] else ''}", QUIET)


def _service_mode(mode: Json | None) -> Iterator[_Line]:
    if mode is None:
        return
    yield _Line(f"SERVICE MODE by {mode['name']}: the table is not playable.", WARNING)
    if jog := mode.get("jog"):
        yield _Line(f"  {jog['name']} jogs {jog['channel']} {jog['direction']}.")
    if activity := mode.get("activity"):
        yield _Line(f"  {activity['kind']} of {activity['target']}: {activity['step']}")
    for fault in mode.get("latched", []):
        yield _Line(f"  latched: {fault}", ERROR)


def _facts(status: Json) -> Iterator[_Line]:
    """What is played, by whom, and the counts."""
    session, machine = status.get("session"), status.get("machine", {})
    if session:
        ending = ", the last round" if session["ending"] else ""
        yield _Line(f"{session['title']}, {session['rounds']} rounds played{ending}", STRONG)
    elif sentence := status.get("service", {}).get("sentence"):
        yield _Line(sentence)
    yield _Line(
        f"above: {machine.get('top', '?')}   below: {machine.get('under', '?')}"
        f"   mode: {machine.get('mode', '?')}"
    )
    if (now := status.get("round")) and now.get("step"):
        yield _Line(f"step: {now['step']}")
    if session:
        yield from _seats(session["seats"])
        for result in session["results"][-MOST_RESULTS:]:
            yield _Line(f"hand {result['number']}: {result['sentence']}")
        for debt in session["debts"]:
            yield _Line(f"{debt['debtor']} owes {debt['creditor']} {debt['amount']:g}")
    yield from _counts(status)


def _seats(seats: Iterable[Json]) -> Iterator[_Line]:
    """One row for each seat: name or wind, tiles, score; the dealer has a mark."""
    rows = [
        (
            str(seat["seat"]),
            str(seat["wind"] or "-"),
            str(seat["name"] or "-")[:24],
            str(seat["tiles"]),
            f"{seat['score']:g}",
            "dealer" if seat["dealer"] else "",
        )
        for seat in seats
    ]
    if not rows:
        return
    heads = ("seat", "wind", "player", "tiles", "score", "")
    widths = [max(cell_len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    for number, row in enumerate((heads, *rows)):
        cells = (set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True))
        yield _Line("  ".join(cells).rstrip(), QUIET if number == 0 else "")


def _counts(status: Json) -> Iterator[_Line]:
    counts, tiles = status.get("counts", {}), status.get("tiles", {})
    totals = ", ".join(
        f"{name} {sum(counts.get(name, {}).values())}"
        for name in ("recoveries", "assists", "pauses")
    )
    yield _Line(f"rounds {counts.get('rounds', 0)}, faults {counts.get('faults', 0)}, {totals}")
    known = f"{tiles.get('accounted', 0)} of {tiles.get('expected', 0)} tiles accounted for"
    silent = [name for name, board in status.get("boards", {}).items() if not board["connected"]]
    running = status.get("machine", {}).get("mode") not in ("offline", None)
    missing = f"; boards that do not answer: {', '.join(silent)}" if silent and running else ""
    yield _Line(f"{known}{missing}", ERROR if missing else "")


def _event(event: Json) -> _Line:
    style = {"warning": WARNING, "fault": ERROR}.get(event["kind"], "")
    mark = {"warning": "! ", "fault": "!! "}.get(event["kind"], "")
    return _Line(f"{event['at']:9.1f} s  {mark}{event['text']}", style)


def _wrapped(lines: Iterable[_Line], columns: int, most: int | None = None) -> list[_Line]:
    """The lines at this width; with `most`, each becomes at most that many lines."""
    found: list[_Line] = []
    for line in lines:
        indent = " " * (len(line.text) - len(line.text.lstrip()))
        parts = textwrap.wrap(
            line.text,
            max(columns, 20),
            max_lines=most,
            placeholder=" ...",
            subsequent_indent=indent,
            drop_whitespace=True,
            replace_whitespace=True,
        )
        # Wide characters, such as Chinese ones, take two columns each.
        found += [
            _Line(part if cell_len(part) <= columns else set_cell_size(part, columns), line.style)
            for part in parts or [""]
        ]
    return found


def _duration(seconds: float) -> str:
    """A duration in words: `12 s`, `3 min 20 s`, `2 h 05 min`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


PER_SECOND = 8
"""Largest number of times per second that the page is drawn."""
TICK = 0.5
"""Seconds after which the page is drawn again without a change, so that its times go on."""
FIRST = 5.0
"""Seconds that `read_once` waits for the status."""


async def watch(
    console: Console, address: ServiceAddress, token: str, tls: ssl.SSLContext | None = None
) -> None:
    """Draw the page at every change, until cancelled. Raises MonitorRefusedError."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    reader = StreamReader(address, token, changed.set, tls)
    reading = asyncio.create_task(reader.run())
    with Live(console=console, auto_refresh=False, transient=False) as live:
        try:
            while not reading.done():
                size = console.size
                # One row stays free, so that the terminal does not scroll.
                live.update(
                    page(reader.view, loop.time(), size.width, size.height - 1), refresh=True
                )
                await asyncio.sleep(1 / PER_SECOND)
                with suppress(TimeoutError):
                    async with asyncio.timeout(TICK):
                        await changed.wait()
                changed.clear()
            reading.result()
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def read_once(
    address: ServiceAddress, token: str, tls: ssl.SSLContext | None = None
) -> MonitoredTable:
    """The first status, or the reason why there is none within `FIRST` seconds.

    Raises MonitorRefusedError.
    """
    changed = asyncio.Event()
    reader = StreamReader(address, token, changed.set, tls)
    reading = asyncio.create_task(reader.run())
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST):
                while reader.view.status is None and not reading.done():
                    waiting = asyncio.create_task(changed.wait())
                    await asyncio.wait((waiting, reading), return_when=asyncio.FIRST_COMPLETED)
                    waiting.cancel()
                    changed.clear()
        if reading.done():
            reading.result()
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    return reader.view
