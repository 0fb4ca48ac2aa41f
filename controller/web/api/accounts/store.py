"""The files of the accounts: users and digests of secrets in SQLite, and the touchscreen's token.

Every call can wait for the disk and therefore runs in a worker thread. Only the table's computer
can read the file with the token of its own touchscreen.

`CredentialBook` has all issued credentials in memory. They are in the file before they count.
"""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from config.durable_files import replace_file
from controller.records.data_folder import ACCOUNTS_FORMAT
from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import Credential, CredentialKind, User, digest
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from rules.errors import WallwrightError

FILE = "accounts.sqlite"

_TABLES = """
CREATE TABLE users (
    key TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, password TEXT NOT NULL,
    created REAL NOT NULL
) STRICT;
CREATE TABLE credentials (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT NOT NULL,
    role TEXT NOT NULL, created REAL NOT NULL, expires REAL, maker TEXT NOT NULL DEFAULT '',
    ends REAL
) STRICT;
CREATE TABLE service_time (seconds REAL NOT NULL) STRICT;
INSERT INTO service_time VALUES (0.0);
"""
_MAKER = "ALTER TABLE credentials ADD COLUMN maker TEXT NOT NULL DEFAULT '';"
"""What version 2 adds to version 1."""
_ENDS = """
ALTER TABLE credentials ADD COLUMN ends REAL;
UPDATE credentials SET ends = max(0.0, expires - created) WHERE expires IS NOT NULL;
CREATE TABLE service_time (seconds REAL NOT NULL) STRICT;
INSERT INTO service_time VALUES (0.0);
"""
"""What version 3 adds to version 2: for how long the service has run, and when that ends what."""


_TIME = "SELECT seconds FROM service_time"


class AccountsFileError(WallwrightError):
    """The accounts' file cannot be opened, read or written."""


class AccountStore:
    """Reads and writes the accounts' file in the data directory; only its owner may read it.

    Raises AccountsFileError if the file cannot be opened or is of a newer version.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._file = sqlite3.connect(path, isolation_level=None)
            self._file.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
            (version,) = self._file.execute("PRAGMA user_version").fetchone()
            if version == 0:
                self._file.executescript(
                    f"BEGIN; {_TABLES} PRAGMA user_version={ACCOUNTS_FORMAT}; COMMIT;"
                )
            if 0 < version < ACCOUNTS_FORMAT:
                added = f"{_MAKER if version == 1 else ''} {_ENDS}"
                self._file.executescript(
                    f"BEGIN; {added} PRAGMA user_version={ACCOUNTS_FORMAT}; COMMIT;"
                )
        except (OSError, sqlite3.Error) as error:
            raise AccountsFileError(
                f"{path} cannot be opened ({error}). Check the permissions of the data directory,"
                " or restore the file."
            ) from None
        if version > ACCOUNTS_FORMAT:
            self._file.close()
            raise AccountsFileError(
                f"{path} has version {version}; this program reads version {ACCOUNTS_FORMAT}."
                " Install the newer program, or restore an older file."
            )

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def users(self) -> list[User]:
        """All users."""
        rows = self._rows("SELECT name, role, created FROM users")
        return [User(name, UserRole(role), created) for name, role, created in rows]

    def password(self, user: User) -> str:
        """A user's password hash; empty if the user does not exist."""
        for (found,) in self._rows("SELECT password FROM users WHERE key = ?", user.key):
            return str(found)
        return ""

    def save_user(self, user: User, password: str | None, before: str | None = None) -> bool:
        """Add a user, or change one and end the user's logins; `password` None keeps the hash.

        With `before`, nothing is changed unless the user has that hash; returns whether it was.
        What a technician has made ends with the role. All of it is one transaction.
        """
        if before is not None and self.password(user) != before:
            return False
        save = (
            (
                "INSERT INTO users VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
                " role = excluded.role,"
                " password = CASE excluded.password WHEN '' THEN password"
                " ELSE excluded.password END"
            ),
            (user.key, user.name, user.role.value, password or "", user.created),
        )
        keeps = user.role is UserRole.TECHNICIAN
        self._change_all(save, _end_logins(user), *(() if keeps else (_end_made(user),)))
        return True

    def delete_user(self, user: User) -> None:
        """Delete a user with the user's logins and all that the user has made, in one step."""
        delete = "DELETE FROM users WHERE key = ?", (user.key,)
        self._change_all(delete, _end_logins(user), _end_made(user))

    def credentials(self) -> list[tuple[str, Credential]]:
        """All credentials, each with the digest of its secret."""
        rows = self._rows(
            "SELECT digest, id, kind, name, role, created, expires, maker, ends FROM credentials"
        )
        return [
            (
                digest,
                Credential(
                    key, cast(CredentialKind, kind), name, UserRole(role), made, until, maker, ends
                ),
            )
            for digest, key, kind, name, role, made, until, maker, ends in rows
        ]

    def service_time(self) -> float:
        """Seconds for which the service has run since the file was made, as they were saved."""
        return max((float(seconds) for (seconds,) in self._rows(_TIME)), default=0.0)

    def save_service_time(self, seconds: float) -> None:
        """Save for how long the service has run."""
        self._change("UPDATE service_time SET seconds = ?", seconds)

    def add_credential(self, digest: str, new: Credential, password: str = "") -> bool:
        """Add a credential by the digest of its secret; False if its maker has changed meanwhile.

        A login is added only while the user has the hash `password` with which it was verified, a
        token or a device only while its maker is a technician.
        """
        condition, values = "1", tuple[str, ...]()
        if new.kind == "login":
            condition, values = (
                "EXISTS (SELECT 1 FROM users WHERE key = ? AND password = ?)",
                (new.maker, password),
            )
        elif new.maker:
            condition = "EXISTS (SELECT 1 FROM users WHERE key = ? AND role = 'technician')"
            values = (new.maker,)
        added = self._change(
            "INSERT INTO credentials (digest, id, kind, name, role, created, expires, maker, ends)"
            f" SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE {condition}",
            *(digest, new.id, new.kind, new.name, new.role.value, new.created, new.expires),
            *(new.maker, new.ends, *values),
        )
        return added == 1

    def delete_credentials(self, keys: list[str]) -> None:
        """Delete credentials by their ids."""
        marks = ",".join("?" * len(keys))
        self._change(f"DELETE FROM credentials WHERE id IN ({marks})", *keys)  # noqa: S608 - marks only

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        try:
            with closing(self._file.execute(query, values)) as cursor:
                yield from cursor.fetchall()
        except sqlite3.Error as error:
            raise AccountsFileError(f"The accounts' file cannot be read ({error}).") from None

    def _change(self, query: str, *values: object) -> int:
        """Execute a change; returns the number of rows."""
        try:
            with closing(self._file.execute(query, values)) as cursor:
                return cursor.rowcount
        except sqlite3.Error as error:
            raise AccountsFileError(f"The accounts' file cannot be written ({error}).") from None

    def _change_all(self, *changes: tuple[str, tuple[object, ...]]) -> None:
        """Execute changes in one transaction."""
        self._change("BEGIN IMMEDIATE")
        try:
            for query, values in changes:
                self._change(query, *values)
            self._change("COMMIT")
        except AccountsFileError:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise


def _end_logins(user: User) -> tuple[str, tuple[object, ...]]:
    return "DELETE FROM credentials WHERE kind = 'login' AND name = ?", (user.name,)


def _end_made(user: User) -> tuple[str, tuple[object, ...]]:
    return "DELETE FROM credentials WHERE kind != 'login' AND maker = ?", (user.key,)


TOUCHSCREEN_FILE = "touchscreen.token"
"""The file in the data directory with the token of the table's own touchscreen."""


def touchscreen_token(folder: Path) -> str:
    """The touchscreen's token, from its file; a new one if there is no file.

    A start that ends while it writes the file leaves no file, or the whole.
    Raises AccountsFileError for a file that cannot be used.
    """
    path = folder / TOUCHSCREEN_FILE
    try:
        if not path.exists():
            replace_file(path, f"{secrets.token_urlsafe(32)}\n".encode(), 0o600)
        token = path.read_text("ascii").strip()
    except (OSError, UnicodeError) as error:
        raise AccountsFileError(f"{path} cannot be read ({error}). Delete it.") from None
    if len(token) < 20:
        raise AccountsFileError(f"{path} has fewer than 20 characters. Delete it, or write more.")
    return token


LOGINS = 20
"""Logins of one user, or of the touchscreen, at the same time; a further one ends the oldest."""
SAVE_EVERY = 600.0
"""Seconds of the service's time that a power cut can lose."""


@dataclass(frozen=True)
class Wanted:
    """A credential to issue; `life` in seconds, None is valid until it is ended.

    `maker` and `password` bind it: see `AccountStore.add_credential`.
    """

    kind: CredentialKind
    name: str
    role: UserRole
    life: float | None = None
    maker: str = ""
    password: str = ""


class CredentialBook:
    """Issues, finds and ends credentials.

    `now` returns seconds since 1970 (UTC), `elapsed` those of a clock that cannot be set.
    Credentials end by either: at their date, or when the service has run for as long as they are
    valid. The time for which the service has run is kept in the accounts' file. A clock that is set
    back, also between two starts, therefore does not make a credential valid for longer.
    """

    def __init__(
        self,
        store: AccountStore,
        worker: WorkerThread,
        now: Callable[[], float],
        elapsed: Callable[[], float],
    ) -> None:
        self._store = store
        self._worker = worker
        self._now = now
        self._elapsed = elapsed
        self._by_digest: dict[str, Credential] = {}
        self._digests: dict[str, str] = {}
        self._before = 0.0
        """Seconds for which the service had run before `_since`."""
        self._since = self._saved = elapsed()
        self._tasks: set[asyncio.Task[None]] = set()

    async def load(self) -> None:
        """Read all credentials, and delete those that have expired."""
        self._before = await self._worker.run(self._store.service_time)
        self._since = self._saved = self._elapsed()
        for key, credential in await self._worker.run(self._store.credentials):
            self._by_digest[key] = credential
            self._digests[credential.id] = key
        await self.end([each.id for each in self._by_digest.values() if not self._counts(each)])

    async def close(self) -> None:
        """Save for how long the service has run, and wait for what is being written."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._save_time()

    @property
    def service_time(self) -> float:
        """Seconds for which the service has run since the accounts' file was made."""
        return self._before + self._elapsed() - self._since

    def of_secret(self, secret: str) -> Credential | None:
        """The valid credential of a secret; None for any other text."""
        return self._valid(digest(secret))

    def of_id(self, key: str) -> Credential | None:
        """The valid credential with this id; None if it has ended."""
        return self._valid(self._digests.get(key, ""))

    def valid(self) -> list[Credential]:
        """All valid credentials, latest first."""
        found = (each for each in self._by_digest.values() if self._counts(each))
        return sorted(found, key=lambda each: -each.created)

    def issued(self, kind: CredentialKind, name: str) -> list[Credential]:
        """The credentials of a kind and a name, oldest first."""
        key = name.casefold()
        issued = self._by_digest.values()
        found = (each for each in issued if each.kind == kind and each.name.casefold() == key)
        return sorted(found, key=lambda each: each.created)

    async def issue(self, wanted: Wanted) -> tuple[str, Credential] | None:
        """A new secret and its credential; None if its maker was changed meanwhile."""
        secret, now, life = secrets.token_urlsafe(32), self._now(), wanted.life
        key = digest(secret)
        new = Credential(
            secrets.token_hex(8),
            wanted.kind,
            wanted.name,
            wanted.role,
            now,
            None if life is None else now + life,
            wanted.maker,
            None if life is None else self.service_time + life,
        )
        if not await self._worker.run(self._store.add_credential, key, new, wanted.password):
            return None
        self._by_digest[key] = new
        self._digests[new.id] = key
        if new.kind in ("login", "touchscreen"):
            await self.end([each.id for each in self.issued(new.kind, new.name)[:-LOGINS]])
        return secret, new

    async def end(self, keys: list[str]) -> None:
        """End credentials by their ids; unknown ids are ignored."""
        gone = [key for key in keys if key in self._digests]
        for key in gone:
            del self._by_digest[self._digests.pop(key)]
        if gone:
            await self._worker.run(self._store.delete_credentials, gone)

    def forget(self, user: str, name: str, *, made: bool) -> None:
        """Forget a user's logins, and with `made` what the user has made; the file has neither."""
        for key, each in tuple(self._by_digest.items()):
            is_login = each.kind == "login" and each.name.casefold() == name.casefold()
            if is_login or (made and each.kind != "login" and each.maker == user):
                del self._by_digest[key], self._digests[each.id]

    def _valid(self, key: str) -> Credential | None:
        if self._elapsed() - self._saved >= SAVE_EVERY:
            self._saved = self._elapsed()
            self._soon(self._save_time())
        found = self._by_digest.get(key)
        if found is None or self._counts(found):
            return found
        # A clock that is set back afterwards must not revive it.
        del self._by_digest[key], self._digests[found.id]
        self._soon(self._worker.run(self._store.delete_credentials, [found.id]))
        return None

    def _counts(self, credential: Credential) -> bool:
        is_dated = credential.expires is None or self._now() < credential.expires
        return is_dated and (credential.ends is None or self.service_time < credential.ends)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Execute work that nothing waits for; a failure is repeated by a later one."""

        async def execute() -> None:
            with suppress(AccountsFileError, WorkerBusyError):
                await work

        task = asyncio.get_running_loop().create_task(execute())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _save_time(self) -> None:
        await self._worker.run(self._store.save_service_time, self.service_time)
