"""The store of the evening: sessions, hands, presets and replies, in one SQLite file.

Writes that wait together are one transaction. The file is written in WAL mode, so that a power cut
loses at most the transactions that were not yet synced; the journal has the physical state of the
table.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any

from controller.records.data_folder import SESSIONS_FORMAT
from rules.errors import WallwrightError
from rules.records.record import is_result

REPLIES = 10_000
"""Number of replies to commands that are kept, to recognise a command that is repeated."""
_TABLES = """
CREATE TABLE session (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, started TEXT NOT NULL, ended TEXT NOT NULL,
    game TEXT NOT NULL, facts TEXT NOT NULL
) STRICT;
CREATE TABLE hand (
    session TEXT NOT NULL REFERENCES session (id), number INTEGER NOT NULL, result TEXT NOT NULL,
    lines TEXT NOT NULL, events TEXT NOT NULL, PRIMARY KEY (session, number)
) STRICT;
CREATE TABLE preset (name TEXT PRIMARY KEY, choice TEXT NOT NULL) STRICT;
CREATE TABLE reply (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, reply TEXT NOT NULL
) STRICT;
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""

Json = dict[str, Any]


class StoreError(WallwrightError):
    """The store's file cannot be read or written, or it is of a later version."""


class EveningStore:
    """The store's file; a context manager that closes it. Without a path it is kept in memory.

    Values are JSON objects. Raises StoreError if the file cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = "memory" if path is None else str(path)
        try:
            self._database = sqlite3.connect(
                ":memory:" if path is None else path, isolation_level=None, check_same_thread=False
            )
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            self._migrate()
        except sqlite3.Error as error:
            raise StoreError(f"The store {self._name} cannot be used: {error}.") from error

    def _migrate(self) -> None:
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version > SESSIONS_FORMAT:
            raise StoreError(
                f"The store {self._name} has version {version}, and this program reads version"
                f" {SESSIONS_FORMAT}; start the program that wrote it, or name another --data."
            )
        if version == 0:
            self._database.executescript(
                f"BEGIN; {_TABLES} PRAGMA user_version = {SESSIONS_FORMAT}; COMMIT;"
            )

    def write_all(self, works: Iterable[Callable[[EveningStore], None]]) -> None:
        """Execute writes in one transaction: all of them are stored, or none. Raises StoreError."""
        self._write("BEGIN IMMEDIATE", ())
        try:
            for work in works:
                work(self)
            self._write("COMMIT", ())
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    # Sessions and hands

    def put_session(self, session: str, started: str, ended: str, game: str, facts: Json) -> None:
        """Add a session, or replace what is stored of it."""
        self._write(
            "INSERT INTO session VALUES (?, (SELECT count(*) FROM session) + 1, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, game = excluded.game,"
            " facts = excluded.facts",
            (session, started, ended, game, _text(facts)),
        )

    def sessions(self, before: str | None, limit: int) -> list[tuple[str, str, str, str, Json]]:
        """Sessions, latest first: id, start, end, game, facts."""
        rows = self._read(
            "SELECT id, started, ended, game, facts FROM session WHERE number < coalesce("
            "(SELECT number FROM session WHERE id = ?), 9e15) ORDER BY number DESC LIMIT ?",
            (before, limit),
        )
        return [(*row[:4], json.loads(row[4])) for row in rows]

    def session(self, session: str) -> Json | None:
        """The facts of a session; None if it is not stored."""
        rows = self._read("SELECT facts FROM session WHERE id = ?", (session,))
        return json.loads(rows[0][0]) if rows else None

    def put_hand(
        self, session: str, number: int, result: Json, lines: Iterable[str], events: Iterable[Json]
    ) -> None:
        """Add the hand of a session; a hand that is stored already stays as it is.

        `result` has the fields of a `HandResult`, and `choice`, the game with its house rules.
        """
        self._write(
            "INSERT INTO hand VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (session, number, _text(result), _text(list(lines)), _text(list(events))),
        )

    def put_result(self, session: str, number: int, result: Json, line: str | None) -> None:
        """Replace the result of a stored hand; `line` replaces the result in its record.

        The choice and a revealed share of the hand stay.
        """
        rows = self._read(
            "SELECT result, lines FROM hand WHERE session = ? AND number = ?", (session, number)
        )
        for stored, lines in rows:
            kept = [each for each in json.loads(lines) if line is None or not is_result(each)]
            self._write(
                "UPDATE hand SET result = ?, lines = ? WHERE session = ? AND number = ?",
                (
                    _text({**json.loads(stored), **result}),
                    _text(kept if line is None else [*kept, line]),
                    session,
                    number,
                ),
            )

    def put_reveal(self, session: str, number: int, chance: Json) -> None:
        """Add the machine's revealed share to a stored hand."""
        self._write(
            "UPDATE hand SET result = json_set(result, '$.chance', json(?))"
            " WHERE session = ? AND number = ?",
            (_text(chance), session, number),
        )

    def results(self, session: str, after: int, limit: int) -> list[Json]:
        """The results of a session's hands above a number, in order."""
        rows = self._read(
            "SELECT json_remove(result, '$.choice') FROM hand"
            " WHERE session = ? AND number > ? ORDER BY number LIMIT ?",
            (session, after, limit),
        )
        return [json.loads(row[0]) for row in rows]

    def hand(self, session: str, number: int) -> tuple[list[str], list[Json], Json | None] | None:
        """The record lines, the events and the game of a hand; None if it is not stored."""
        rows = self._read(
            "SELECT lines, events, json_extract(result, '$.choice') FROM hand"
            " WHERE session = ? AND number = ?",
            (session, number),
        )
        if not rows:
            return None
        lines, events, choice = rows[0]
        return json.loads(lines), json.loads(events), json.loads(choice) if choice else None

    def lines(self, session: str, last: int) -> list[tuple[int, list[str]]]:
        """The record lines of a session's hands up to the number `last`, in order."""
        rows = self._read(
            "SELECT number, lines FROM hand WHERE session = ? AND number <= ? ORDER BY number",
            (session, last),
        )
        return [(number, json.loads(lines)) for number, lines in rows]

    def last_played(self) -> str | None:
        """The last session that has a hand; None if there is none."""
        rows = self._read(
            "SELECT id FROM session WHERE id IN (SELECT session FROM hand)"
            " ORDER BY number DESC LIMIT 1",
            (),
        )
        return str(rows[0][0]) if rows else None

    # Presets, replies, facts

    def put_preset(self, name: str, choice: Json | None) -> None:
        """Save a preset; None deletes it."""
        if choice is None:
            self._write("DELETE FROM preset WHERE name = ?", (name,))
            return
        self._write(
            "INSERT INTO preset VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET"
            " choice = excluded.choice",
            (name, _text(choice)),
        )

    def presets(self) -> dict[str, Json]:
        """All presets by name, sorted."""
        rows = self._read("SELECT name, choice FROM preset ORDER BY name", ())
        return {name: json.loads(choice) for name, choice in rows}

    def put_reply(self, command: str, reply: Json | None) -> None:
        """Keep the reply to a command in place of an earlier one; None deletes it.

        The oldest reply beyond `REPLIES` is deleted.
        """
        if reply is None:
            self._write("DELETE FROM reply WHERE id = ?", (command,))
            return
        self._write(
            "INSERT INTO reply (id, reply) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET"
            " reply = excluded.reply",
            (command, _text(reply)),
        )
        self._write(
            "DELETE FROM reply WHERE number <= (SELECT max(number) FROM reply) - ?", (REPLIES,)
        )

    def reply(self, command: str) -> Json | None:
        """The reply to a command; None if it was not given (or long ago)."""
        rows = self._read("SELECT reply FROM reply WHERE id = ?", (command,))
        return json.loads(rows[0][0]) if rows else None

    def put_fact(self, name: str, value: object) -> None:
        """Keep one value of the service by its name."""
        self._write(
            "INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET"
            " value = excluded.value",
            (name, _text(value)),
        )

    def fact(self, name: str) -> Any:
        """The value by its name; None if there is none."""
        rows = self._read("SELECT value FROM fact WHERE name = ?", (name,))
        return json.loads(rows[0][0]) if rows else None

    # The file

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> EveningStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, sql: str, values: Sequence[object]) -> None:
        try:
            self._database.execute(sql, values)
        except sqlite3.Error as error:
            raise StoreError(f"The store {self._name} cannot be written: {error}.") from error

    def _read(self, sql: str, values: Sequence[object]) -> list[Any]:
        try:
            with closing(self._database.execute(sql, values)) as rows:
                return rows.fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"The store {self._name} cannot be read: {error}.") from error


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
