"""Names of the events that figures are computed from, and values of their stored lines in SQL.

docs/regulate/AUDIT.md lists the events. `json_at` and `number_at` use the functions of SQLite or of
PostgreSQL. A value is returned as its JSON text: a text keeps its quotation marks and escapes. A
line without the value gives null, and no line ends the query with an error. PostgreSQL refuses a
line that has the character U+0000, which a hostile table can put into any text; U+0001 is read in
its place.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Text, literal_column
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from controller.events import EventName
from controller.records.audit.receipts import RECEIPT

ROUND = RECEIPT
"""The receipt of a round, recorded when it is over, and again when its share is revealed later."""
SET = EventName.SET_BUILT.value
FAULT = EventName.FAULT.value
RECOVERED = EventName.RECOVERED.value
PROMPT, ANSWER, WITHDRAWN = (
    EventName.OPERATOR_PROMPTED.value,
    EventName.PROMPT_ANSWERED.value,
    EventName.PROMPT_WITHDRAWN.value,
)
PROMPTS = (PROMPT, ANSWER, WITHDRAWN)
START, STOP = "power_up", "service_stopped"
RUN = EventName.RUN_STARTED.value
PAUSED, RESUMED = EventName.PAUSED.value, EventName.RESUMED.value
SERVICE, SERVICE_END = "service_mode_entered", "service_mode_left"
COMMAND = "command"

OUT, BACK = "taken_out_of_play", "put_in_play"
"""Events of the table's part of the floor, when a request is carried out."""

MARKS = (RUN, FAULT, START, STOP, PAUSED, RESUMED, SERVICE, SERVICE_END, OUT, BACK)
"""Events at which a table begins or ceases to be in operation or in play."""


LONGEST_VALUE = 200
"""Characters of a value that a table sent and that figures keep."""


class _JsonAt(FunctionElement[str]):
    """The JSON text of the value at a path of a line."""

    inherit_cache = True
    type = Text()


class _NumberAt(FunctionElement[int]):
    """The integer at a path of a line if it is not negative and has at most 15 digits."""

    inherit_cache = True
    type = BigInteger()


def json_at(line: ColumnElement[str], path: str) -> ColumnElement[str]:
    """The JSON text of the value at a path of the line, such as `details.code`."""
    return _JsonAt(line, literal_column(path))


def number_at(line: ColumnElement[str], path: str) -> ColumnElement[int]:
    """The integer at a path of the line; null for another value and for a negative one."""
    return _NumberAt(line, literal_column(path))


def text_of(value: str | None) -> str:
    """The text of a value that `json_at` returned, shortened; empty for any other value."""
    try:
        text = json.loads(value or "null")
    except (ValueError, RecursionError):
        return ""
    return text[:LONGEST_VALUE] if isinstance(text, str) else ""


@compiles(_JsonAt, "sqlite")  # type: ignore[no-untyped-call, untyped-decorator, unused-ignore]
def _json_of_sqlite(element: _JsonAt, compiler: Any, **options: Any) -> str:
    line, path = _parts(element, compiler, options)
    return f"(CASE WHEN json_valid({line}) THEN {line} -> '$.{path}' END)"


@compiles(_JsonAt, "postgresql")  # type: ignore[no-untyped-call, untyped-decorator, unused-ignore]
def _json_of_postgresql(element: _JsonAt, compiler: Any, **options: Any) -> str:
    line, path = _parts(element, compiler, options)
    return _value_of_postgresql(line, path)


@compiles(_NumberAt, "sqlite")  # type: ignore[no-untyped-call, untyped-decorator, unused-ignore]
def _number_of_sqlite(element: _NumberAt, compiler: Any, **options: Any) -> str:
    line, path = _parts(element, compiler, options)
    value = f"{line} ->> '$.{path}'"
    return (
        f"(CASE WHEN json_valid({line}) AND json_type({line}, '$.{path}') = 'integer'"
        f" AND {value} BETWEEN 0 AND 999999999999999 THEN {value} END)"
    )


@compiles(_NumberAt, "postgresql")  # type: ignore[no-untyped-call, untyped-decorator, unused-ignore]
def _number_of_postgresql(element: _NumberAt, compiler: Any, **options: Any) -> str:
    line, path = _parts(element, compiler, options)
    value = _value_of_postgresql(line, path)
    return f"(CASE WHEN {value} ~ '^[0-9]{{1,15}}$' THEN CAST({value} AS BIGINT) END)"


def _parts(element: FunctionElement[Any], compiler: Any, options: Any) -> tuple[str, str]:
    line, path = element.clauses
    return compiler.process(line, **options), str(path)


def _value_of_postgresql(line: str, path: str) -> str:
    readable = f"replace({line}, '\\u0000', '\\u0001')"
    return f"CAST(CAST({readable} AS JSON) #> '{{{path.replace('.', ',')}}}' AS TEXT)"
