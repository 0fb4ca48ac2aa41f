"""All issued credentials in memory, and in the accounts' file before they count."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from controller.api.accounts.identity import Credential, CredentialKind, digest
from controller.api.accounts.store import AccountStore
from controller.api.worker_thread import WorkerThread
from controller.service.user_roles import UserRole

LOGINS = 20
"""Logins of one user, or of the touchscreen, at the same time; a further one ends the oldest."""


class CredentialBook:
    """Issues, finds and ends credentials. `now` returns seconds since 1970 (UTC)."""

    def __init__(self, store: AccountStore, worker: WorkerThread, now: Callable[[], float]) -> None:
        self._store = store
        self._worker = worker
        self._now = now
        self._by_digest: dict[str, Credential] = {}
        self._digests: dict[str, str] = {}

    async def load(self) -> None:
        """Read all credentials, and delete those that have expired."""
        for key, credential in await self._worker.run(self._store.credentials):
            self._by_digest[key] = credential
            self._digests[credential.id] = key
        await self.end([each.id for each in self._by_digest.values() if not self._counts(each)])

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

    async def issue(
        self,
        kind: CredentialKind,
        name: str,
        role: UserRole,
        life: float | None,
        maker: str = "",
        password: str = "",
    ) -> tuple[str, Credential] | None:
        """A new secret and its credential; `life` None is valid until it is ended.

        None if the maker was changed meanwhile: see `AccountStore.add_credential`.
        """
        secret, now = secrets.token_urlsafe(32), self._now()
        key = digest(secret)
        expires = None if life is None else now + life
        new = Credential(secrets.token_hex(8), kind, name, role, now, expires, maker)
        if not await self._worker.run(self._store.add_credential, key, new, password):
            return None
        self._by_digest[key] = new
        self._digests[new.id] = key
        if kind in ("login", "touchscreen"):
            await self.end([each.id for each in self.issued(kind, name)[:-LOGINS]])
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
        found = self._by_digest.get(key)
        return found if found is not None and self._counts(found) else None

    def _counts(self, credential: Credential) -> bool:
        return credential.expires is None or self._now() < credential.expires
