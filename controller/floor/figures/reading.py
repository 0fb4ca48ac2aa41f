"""Reads the figures of every table of a floor from the database, which counts the events."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    distinct,
    func,
    literal,
    select,
)

from controller.events.counts import FORGOTTEN, jams
from controller.events.lookups import ROWS
from controller.events.row import Count
from controller.floor.figures import stored_events
from controller.floor.figures.stored_events import json_at, number_at, text_of
from controller.floor.figures.table_figures import (
    Mark,
    Span,
    TableFigures,
    TableTimes,
    Window,
    times_of,
    together,
    utc,
)
from controller.floor.store.schema import EVENTS, LOGS, TABLES
from controller.run.faults.catalogue import CATALOGUE

LONGEST_PROMPT = timedelta(days=7)
"""How long before a time range a prompt is looked for that was answered in it."""
OTHER = "other"
"""The code of faults that this program's catalogue does not have."""
_CODES = frozenset(fault.name for fault in CATALOGUE)


FIGURES = ("tiles", "faults", "recoveries")
"""Counts of the table of events that the database adds up."""


@dataclass
class LogCounts:
    """The counts of one log; see `TableFigures` for what they are."""

    rounds: int = 0
    assists: int = 0
    assisting_s: float = 0.0
    counted: dict[str, Counter[str]] = field(
        default_factory=lambda: {name: Counter() for name in FIGURES}
    )
    """Each of `FIGURES` by the key that separates it, such as a fault's code."""

    @property
    def tiles(self) -> int:
        """Tiles that the heads have lifted."""
        return self.counted["tiles"].total()

    @property
    def faults(self) -> Counter[str]:
        """Faults that stopped the table, by code."""
        return self.counted["faults"]

    @property
    def recoveries(self) -> Counter[str]:
        """Parts that worked on a later attempt, by code of the fault."""
        return self.counted["recoveries"]

    @property
    def jams(self) -> int:
        """Jams that were recovered, or that stopped the table."""
        return jams(self.faults, self.recoveries)


def read_counts(connection: Connection, window: Window) -> Mapping[int, LogCounts]:
    """The counts of every log with events in the time range, by the log's id in the database."""
    counts: defaultdict[int, LogCounts] = defaultdict(LogCounts)
    _read_rounds(connection, window, counts)
    for name, count in _counted_events():
        _read_count(connection, window, counts, name, count)
    _read_assists(connection, window, counts)
    return counts


def known_code(code: str) -> str:
    """The code of a fault, or `other` if this program's catalogue does not have it."""
    return code if code in _CODES else OTHER


def _within(window: Window, *names: str) -> ColumnElement[bool]:
    return and_(EVENTS.c.what.in_(names), EVENTS.c.at >= window.begin, EVENTS.c.at < window.end)


def _read_rounds(
    connection: Connection, window: Window, counts: defaultdict[int, LogCounts]
) -> None:
    """Count rounds by when they began, which is the same in all receipts of a round.

    A receipt has thousands of characters. So its kind is searched as a text, which costs a fifth of
    parsing; within a text of a person, the quotation marks would be escaped.
    """
    began = json_at(EVENTS.c.line, "details.began")
    query = (
        select(EVENTS.c.log_id, func.count(distinct(began)))
        .where(_within(window, stored_events.ROUND), EVENTS.c.line.contains('"kind":"round"'))
        .group_by(EVENTS.c.log_id)
    )
    for log, rounds in connection.execute(query):
        counts[log].rounds = rounds


def _counted_events() -> Iterator[tuple[str, Count]]:
    """The events that add to `FIGURES`, each with the count of its row."""
    for name, row in ROWS.items():
        yield from ((name, count) for count in row.counts if count.name in FIGURES)


def _read_count(
    connection: Connection,
    window: Window,
    counts: defaultdict[int, LogCounts],
    name: str,
    count: Count,
) -> None:
    """Add up one count of an event, as its row in the table of events says."""
    line = EVENTS.c.line
    number: ColumnElement[Any] = func.count()
    if count.amount:
        number = func.sum(number_at(line, f"details.{count.amount}"))
    where = _within(window, name)
    if count.by:
        key = json_at(line, f"details.{count.by}").label("key")
        query = select(EVENTS.c.log_id, number, key).where(where).group_by(EVENTS.c.log_id, key)
    else:
        nothing = literal("").label("key")
        query = select(EVENTS.c.log_id, number, nothing).where(where).group_by(EVENTS.c.log_id)
    for log, added, key_text in connection.execute(query):
        of_key = known_code(text_of(key_text)) if count.by else ""
        counts[log].counted[count.name][of_key] += int(added or 0)


def _read_assists(
    connection: Connection, window: Window, counts: defaultdict[int, LogCounts]
) -> None:
    """Pair each answer with the event before it about the same code and part, if it is a prompt."""
    line = EVENTS.c.line
    since = window.longer(LONGEST_PROMPT)
    parts = select(
        EVENTS.c.log_id,
        EVENTS.c.number,
        EVENTS.c.at,
        EVENTS.c.what,
        json_at(line, "details.code").label("code"),
        json_at(line, "details.part").label("part"),
        number_at(line, "table_ms").label("ms"),
    )
    prompts = parts.where(_within(since, *stored_events.PROMPTS)).subquery()

    def before(column: ColumnElement[Any]) -> ColumnElement[Any]:
        same = (prompts.c.log_id, prompts.c.code, prompts.c.part)
        return func.lag(column).over(partition_by=same, order_by=prompts.c.number)

    paired = select(
        *prompts.c, before(prompts.c.what).label("before"), before(prompts.c.ms).label("before_ms")
    ).subquery()
    took = paired.c.ms - paired.c.before_ms
    query = (
        select(paired.c.log_id, func.count(), func.sum(case((took > 0, took), else_=0)))
        .where(
            paired.c.what == stored_events.ANSWER,
            paired.c.before == stored_events.PROMPT,
            paired.c.at >= window.begin,
            func.coalesce(paired.c.code, "") != f'"{FORGOTTEN}"',
        )
        .group_by(paired.c.log_id)
    )
    for log, assists, milliseconds in connection.execute(query):
        counts[log].assists = assists
        counts[log].assisting_s = int(milliseconds or 0) / 1000


LONGEST_SPAN = timedelta(days=40)
"""How long before and after a time range the events are looked for that begin and end its spans."""


def read_figures(
    connection: Connection, window: Window, now: datetime
) -> Mapping[int, TableFigures]:
    """The figures of each table in the time range, by the table's id in the database.

    `now` ends what still lasts, such as a fault, if it is before the end of the range. The
    retirement of a table ends it earlier.
    """
    counts = read_counts(connection, window)
    marks = _read_marks(connection, window)
    found: defaultdict[int, list[TableFigures]] = defaultdict(list)
    query = select(LOGS.c.id, LOGS.c.table_id, TABLES.c.retired).join_from(LOGS, TABLES)
    for log, table, retired in connection.execute(query):
        if log in counts or log in marks:
            times = times_of(marks.get(log, ()))
            end = now if retired is None else min(now, utc(retired))
            found[table].append(_figures(counts.get(log, LogCounts()), times, window, end))
    return {table: together(parts) for table, parts in found.items()}


def _figures(counts: LogCounts, times: TableTimes, window: Window, now: datetime) -> TableFigures:
    out = [*times.out_of_play]
    if times.is_out_of_play:
        out[-1] = Span(out[-1].begin, Mark(0, max(now, out[-1].end.at), 0, ""))
    return TableFigures(
        rounds=counts.rounds,
        operating_s=sum(span.table_seconds(window) for span in times.operating),
        tiles=counts.tiles,
        jams=counts.jams,
        assists=counts.assists,
        assisting_s=counts.assisting_s,
        faults=dict(counts.faults),
        recoveries=dict(counts.recoveries),
        out_of_play_s=sum(window.overlap(span.begin.at, span.end.at) for span in out),
    )


def _read_marks(connection: Connection, window: Window) -> Mapping[int, list[Mark]]:
    """The marks of each log in the window, and those around it that begin or end its spans."""
    before = _marks_between(window.begin - LONGEST_SPAN, window.begin)
    after = _marks_between(window.end, window.end + LONGEST_SPAN)
    inside = _marks_between(window.begin, window.end)
    found: defaultdict[int, dict[int, Mark]] = defaultdict(dict)
    for query in (
        _columns().where(inside),
        _one_of_each(before, func.max(EVENTS.c.number)),
        _one_of_each(after, func.min(EVENTS.c.number)),
        _before_starts(window),
        _last_events(),
    ):
        for log, number, at, what, milliseconds in connection.execute(query):
            kind = what if what in stored_events.MARKS else ""
            mark = Mark(number, utc(at), (milliseconds or 0) / 1000, kind)
            found[log].setdefault(number, mark)
    return {
        log: [marks[number] for number in sorted(marks)]
        for log, marks in found.items()
        if any(mark.what for mark in marks.values())
    }


def _marks_between(begin: datetime, end: datetime) -> ColumnElement[bool]:
    return and_(EVENTS.c.what.in_(stored_events.MARKS), EVENTS.c.at >= begin, EVENTS.c.at < end)


def _columns() -> Select[Any]:
    return select(
        EVENTS.c.log_id,
        EVENTS.c.number,
        EVENTS.c.at,
        EVENTS.c.what,
        number_at(EVENTS.c.line, "table_ms"),
    )


def _one_of_each(where: ColumnElement[bool], which: ColumnElement[int]) -> Select[Any]:
    """One mark of each kind and log."""
    chosen = (
        select(EVENTS.c.log_id, which.label("number"))
        .where(where)
        .group_by(EVENTS.c.log_id, EVENTS.c.what)
        .subquery()
    )
    same = and_(EVENTS.c.log_id == chosen.c.log_id, EVENTS.c.number == chosen.c.number)
    return _columns().join(chosen, same)


def _before_starts(window: Window) -> Select[Any]:
    """The event before each start of a service, which ends what a kill has left open."""
    starts = EVENTS.alias()
    same = and_(starts.c.log_id == EVENTS.c.log_id, starts.c.number == EVENTS.c.number + 1)
    return _columns().join(
        starts,
        and_(
            same,
            starts.c.what == stored_events.START,
            starts.c.at >= window.begin - LONGEST_SPAN,
            starts.c.at < window.end + LONGEST_SPAN,
        ),
    )


def _last_events() -> Select[Any]:
    """The last event of each log, up to which a run in progress counts."""
    last = and_(LOGS.c.id == EVENTS.c.log_id, LOGS.c.next == EVENTS.c.number + 1)
    return _columns().join(LOGS, last)
