"""All issued credentials in memory, and in the accounts' file before they count."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import Credential, CredentialKind, digest
from controller.web.api.accounts.store import AccountsFileError, AccountStore
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread

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

    `now` returns seconds since 1970 (UTC), `elapsed` those of a clock that nobody sets. Credentials
    end by either: at their date, or when the service has run for as long as they are valid. The
    time for which the service has run is kept in the accounts' file. A clock that is set back, also
    between two starts, therefore does not make a credential valid for longer.
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
