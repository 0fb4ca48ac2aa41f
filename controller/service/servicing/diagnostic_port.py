"""The diagnostics bundle of one service, for clients with the role technician."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from config.loader import packaged_text, table_names
from config.schema import Table
from controller.health.statistics import facts, statistics_of
from controller.journal import JournalError
from controller.journal.lines import JournalRecord, record_of
from controller.maintenance.diagnostics import LINES, DiagnosticSources, bundle
from controller.selftest import SelfTestReport
from controller.service.status.feed import StatusFeed


class DiagnosedService(Protocol):
    """What the bundle reads of the service."""

    table: Table
    table_file: Path | None

    @property
    def journal_file(self) -> Path | None:
        """The file of the journal; None if it is kept in memory."""

    @property
    def selftest(self) -> SelfTestReport | None:
        """The report of the last trials in service mode."""

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes."""

    def journal_lines(self) -> list[tuple[int, str]]:
        """The lines of the present run's journal with their record numbers, in order."""


def diagnostics_of(service: DiagnosedService) -> bytes:
    """The diagnostics bundle of a service, as the bytes of a zip file; no secret is in it."""
    status: Mapping[str, Any] = service.feed.snapshot().status
    lines = [line for _, line in service.journal_lines()] or _lines_of(service.journal_file)
    report = service.selftest
    recent = "\n".join(f"{each['at']:.3f} {each['text']}" for each in status["recent"])
    return bundle(
        DiagnosticSources(
            table_text=_table_text(service.table, service.table_file),
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


def _lines_of(journal: Path | None) -> list[str]:
    """The lines of the journal's file, while no run writes it; empty if there is none."""
    if journal is None or not journal.exists():
        return []
    return journal.read_text("utf-8", errors="replace").splitlines()


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
