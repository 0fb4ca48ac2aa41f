"""What was intended and what came of it, on disk before anything moves.

SQLite in WAL mode with `synchronous=FULL`: when `intend` returns, the intent survives a power cut.
An outcome is written when it is confirmed, together with the next intent or at once when the
table begins to wait (`flush`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, facts TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS step (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id), activity TEXT NOT NULL,
    intended_at REAL NOT NULL, intent TEXT NOT NULL, confirmed_at REAL, outcome TEXT
) STRICT;
"""


@dataclass(frozen=True)
class Entry:
    """One step as it was written: its activity, intent, and outcome if it was confirmed."""

    number: int
    activity: str
    intent: dict[str, object]
    outcome: object
    confirmed: bool


class Journal:
    """One journal file; a context manager. Raises JournalError if the file cannot serve."""

    def __init__(self, path: Path | str, started: str, facts: Mapping[str, object]) -> None:
        self._path = path
        self._open = False
        base = None
        try:
            base = self._base = sqlite3.connect(path, isolation_level=None)
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=FULL")
            base.executescript(_SCHEMA)
            self._run = base.execute(
                "INSERT INTO run (started, facts) VALUES (?, ?) RETURNING id",
                (started, json.dumps(facts)),
            ).fetchone()[0]
        except sqlite3.Error as error:
            if base is not None:
                base.close()
            raise JournalError(
                f"The journal {path} cannot be used ({error}); name a writable file with --journal."
            ) from error

    def intend(self, activity: str, at: float, intent: Mapping[str, object]) -> int:
        """Write an intent, with all that came before it, to disk; returns its number."""
        number = self._write(
            "INSERT INTO step (run, activity, intended_at, intent) VALUES (?, ?, ?, ?)"
            " RETURNING id",
            (self._run, activity, at, json.dumps(intent)),
        )[0]
        self.flush()
        return int(number)

    def confirm(self, number: int, at: float, outcome: object) -> None:
        """Note what came of an intent; on disk with the next intent or flush."""
        self._write(
            "UPDATE step SET confirmed_at = ?, outcome = ? WHERE id = ? RETURNING id",
            (at, json.dumps(outcome), number),
        )

    def flush(self) -> None:
        """Put everything on disk now."""
        if self._open:
            self._execute("COMMIT")
            self._open = False

    def entries(self) -> list[Entry]:
        """Every step of this run, in the order of intent."""
        rows = self._base.execute(
            "SELECT id, activity, intent, outcome, confirmed_at FROM step WHERE run = ?"
            " ORDER BY id",
            (self._run,),
        )
        return [
            Entry(
                number, activity, json.loads(intent), json.loads(outcome or "null"), at is not None
            )
            for number, activity, intent, outcome, at in rows
        ]

    def close(self) -> None:
        """Put everything on disk and let the file go. Idempotent."""
        self.flush()
        self._base.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, statement: str, values: tuple[object, ...]) -> Any:
        if not self._open:
            self._execute("BEGIN IMMEDIATE")
            self._open = True
        return self._execute(statement, values).fetchone()

    def _execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        try:
            return self._base.execute(statement, values)
        except sqlite3.Error as error:
            # A full disk makes SQLite take the open transaction back by itself.
            self._open = self._base.in_transaction
            raise JournalError(
                f"The journal {self._path} cannot be written ({error}); free its disk, or name"
                " another file with --journal."
            ) from error


class JournalError(Exception):
    """The journal's file cannot be opened or written."""
