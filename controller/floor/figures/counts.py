"""Counts of events in a time range, computed by the database for each log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, distinct, func, select

from controller.floor.figures import kinds
from controller.floor.figures.line_values import json_at, number_at, text_of
from controller.floor.figures.window import Window
from controller.floor.store.schema import EVENTS
from controller.run.faults.catalogue import CATALOGUE

LONGEST_PROMPT = timedelta(days=7)
"""How long before a time range a prompt is looked for that was answered in it."""
OTHER = "other"
"""The code of faults that this program's catalogue does not have."""
_CODES = frozenset(fault.name for fault in CATALOGUE)


@dataclass
class LogCounts:
    """The counts of one log; see `TableFigures` for what they are."""

    rounds: int = 0
    tiles: int = 0
    assists: int = 0
    assisting_s: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    recoveries: Counter[str] = field(default_factory=Counter)

    @property
    def jams(self) -> int:
        """Jams that were recovered, or that stopped the table."""
        return self.faults[kinds.JAM] + self.recoveries[kinds.JAM]


def read_counts(connection: Connection, window: Window) -> Mapping[int, LogCounts]:
    """The counts of every log with events in the time range, by the log's id in the database."""
    counts: defaultdict[int, LogCounts] = defaultdict(LogCounts)
    _read_rounds(connection, window, counts)
    _read_tiles(connection, window, counts)
    _read_faults(connection, window, counts)
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
        .where(_within(window, kinds.ROUND), EVENTS.c.line.contains('"kind":"round"'))
        .group_by(EVENTS.c.log_id)
    )
    for log, rounds in connection.execute(query):
        counts[log].rounds = rounds


def _read_tiles(
    connection: Connection, window: Window, counts: defaultdict[int, LogCounts]
) -> None:
    query = (
        select(EVENTS.c.log_id, func.sum(number_at(EVENTS.c.line, "details.counted")))
        .where(_within(window, kinds.SET))
        .group_by(EVENTS.c.log_id)
    )
    for log, tiles in connection.execute(query):
        counts[log].tiles = int(tiles or 0)


def _read_faults(
    connection: Connection, window: Window, counts: defaultdict[int, LogCounts]
) -> None:
    code = json_at(EVENTS.c.line, "details.code").label("code")
    query = (
        select(EVENTS.c.log_id, EVENTS.c.what, code, func.count())
        .where(_within(window, kinds.FAULT, kinds.RECOVERED))
        .group_by(EVENTS.c.log_id, EVENTS.c.what, code)
    )
    for log, what, named, number in connection.execute(query):
        of_log = counts[log]
        counter = of_log.faults if what == kinds.FAULT else of_log.recoveries
        counter[known_code(text_of(named))] += number


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
    prompts = parts.where(_within(since, *kinds.PROMPTS)).subquery()

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
            paired.c.what == kinds.ANSWER,
            paired.c.before == kinds.PROMPT,
            paired.c.at >= window.begin,
            func.coalesce(paired.c.code, "") != f'"{kinds.FORGOTTEN}"',
        )
        .group_by(paired.c.log_id)
    )
    for log, assists, milliseconds in connection.execute(query):
        counts[log].assists = assists
        counts[log].assisting_s = int(milliseconds or 0) / 1000
