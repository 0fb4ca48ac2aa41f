"""The diagnostics bundle of one service, for clients with the role technician."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from config.loader import packaged_text, table_names
from config.schema import Table
from controller.run.health.statistics import facts, statistics_of
from controller.run.journal import JournalError
from controller.run.journal.history import PageReader
from controller.run.journal.lines import JournalRecord, record_of
from controller.upkeep.selftest import SelfTestReport
from controller.upkeep.service_mode.diagnostics import LINES, DiagnosticSources, bundle


def diagnostics_of(
    status: Mapping[str, Any],
    journal: Callable[[], list[str]],
    table: Table,
    table_file: Path | None,
    report: SelfTestReport | None,
) -> Callable[[], bytes]:
    """A function that makes the diagnostics bundle of a service: the bytes of a zip file.

    The bundle has the state of the service at this call, and no secret. `journal` reads the
    journal's lines. The function reads and parses the whole journal, which can take seconds; it may
    run in any thread.
    """
    return partial(_bundle, status, journal, table, table_file, report)


def _bundle(
    status: Mapping[str, Any],
    journal: Callable[[], list[str]],
    table: Table,
    table_file: Path | None,
    report: SelfTestReport | None,
) -> bytes:
    lines = journal()
    recent = "\n".join(f"{each['at']:.3f} {each['text']}" for each in status["recent"])
    return bundle(
        DiagnosticSources(
            table_text=_table_text(table, table_file),
            games={name: game for name, game in status["programme"].items() if game},
            boards={
                name: f"serial {board['serial']}, firmware {board['firmware']}"
                for name, board in status["boards"].items()
            },
            journal=lines[-LINES:],
            statistics=facts(statistics_of(_records(lines))),
            status=status,
            selftest_json=report.as_json() if report is not None else "",
            selftest_page=report.as_page() if report is not None else "",
            logs={"recent": recent},
        )
    )


def file_lines(journal: Path | None, after: int, limit: int) -> list[str]:
    """At most `limit` lines of a journal's file with numbers above `after`, while no run writes it.

    A limit of -1 is none. Empty if there is no file. Raises OSError.
    """
    if journal is None or not journal.exists():
        return []
    found = PageReader(journal).page(after, limit, sys.maxsize)
    return [line.decode("utf-8", errors="replace") for line in found]


def _records(lines: Iterable[str]) -> Iterator[JournalRecord]:
    """The records of the lines that are records; a damaged line is left out."""
    for line in lines:
        with suppress(JournalError, ValueError, KeyError):
            yield record_of(line.encode())


def _table_text(table: Table, file: Path | None) -> str:
    """The table's file as it is now; the values in use if it cannot be read."""
    if file is not None:
        try:
            return file.read_text("utf-8")
        except OSError:
            return table.model_dump_json(indent=1)
    return packaged_text(table.name) if table.name in table_names() else ""
