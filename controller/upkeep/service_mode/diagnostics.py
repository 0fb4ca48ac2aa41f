"""The diagnostics bundle: one zip file with what an engineer needs to find a fault, and no secrets.

Only the sources that `bundle` names go into it; it does not search folders. Every text is scrubbed:
values of keys such as `token` and `password`, authorisation headers, and each of the secrets that
the caller names are replaced. Device keys, users and sessions are in none of the sources.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import Any

from config.loader import packaged_text, table_names
from config.schema import Table
from controller.run.health.statistics import facts, statistics_of
from controller.run.journal import JournalError
from controller.run.journal.history import PageReader
from controller.run.journal.lines import JournalRecord, record_of
from controller.upkeep.selftest import SelfTestReport

LINES = 2000
"""Largest number of lines of the journal and of each log."""
REMOVED = "(removed)"
"""The text in the place of a secret."""
PACKAGES = ("wallwright", "pydantic", "fastapi", "uvicorn", "pyserial", "gpiozero", "transitions")
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the bundle; equal contents give equal bundles."""
_NAMES = (
    r"[\w-]*(?:token|password|passwd|secret|cookie|authorization|api[_-]?key|device[_-]?key)[\w-]*"
)
_NAMED = re.compile(
    rf"""(?P<name>["']?{_NAMES}["']?\s*[:=]\s*)(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s,;&}}\]]+)""",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+[\w.~+/=-]+", re.IGNORECASE)
_HASH = re.compile(r"\$argon2[\w$,=+/.-]*", re.IGNORECASE)
_KEY_FILE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL
)


@dataclass(frozen=True)
class DiagnosticSources:
    """The contents of a bundle. `logs` are texts by name; `secrets` must not occur in it."""

    table_text: str
    games: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    boards: Mapping[str, str] = field(default_factory=dict)
    journal: Iterable[str] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    status: Mapping[str, Any] = field(default_factory=dict)
    selftest_json: str = ""
    selftest_page: str = ""
    logs: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def bundle(sources: DiagnosticSources) -> bytes:
    """The bundle as the bytes of a zip file."""
    files = {
        "versions.json": _json(_versions(sources.boards)),
        "table.yaml": sources.table_text,
        "games.json": _json(sources.games),
        "journal_tail.jsonl": _tail("\n".join(sources.journal)),
        "statistics.json": _json(sources.statistics),
        "status.json": _json(sources.status),
        "selftest.json": sources.selftest_json,
        "selftest.md": sources.selftest_page,
        **{f"logs/{name}.txt": _tail(text) for name, text in sources.logs.items()},
    }
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            if text.strip():
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, scrubbed(text, sources.secrets))
    return stream.getvalue()


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without secrets: named ones, and what looks like a password, token or key."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, REMOVED)
    text = _KEY_FILE.sub(REMOVED, text)
    text = _HEADER.sub(rf"\g<scheme> {REMOVED}", text)
    text = _HASH.sub(REMOVED, text)
    return _NAMED.sub(lambda found: f'{found["name"]}"{REMOVED}"', text)


def _versions(boards: Mapping[str, str]) -> dict[str, object]:
    """Versions of the program, of Python, of the operating system and of the boards."""
    installed = {}
    for name in PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed[name] = "not installed"
    return {
        "packages": installed,
        "python": platform.python_version(),
        "system": platform.platform(),
        "boards": dict(boards),
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=1, default=str) if value else ""


def _tail(text: str) -> str:
    return "\n".join(text.splitlines()[-LINES:])


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
