"""The accounts of a table: who may log in, with which role, and what each credential is worth.

Requests are authenticated from memory, without waiting. Changes are written to the accounts' file
first and apply when they are on disk.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from controller.api.accounts.credential_book import CredentialBook
from controller.api.accounts.identity import (
    Credential,
    CredentialKind,
    Identity,
    User,
    csrf_token,
    is_loopback,
)
from controller.api.accounts.one_time_secrets import OneTimeSecrets, Pairing
from controller.api.accounts.passwords import Passwords
from controller.api.accounts.store import AccountStore
from controller.api.accounts.throttle import Throttle
from controller.api.accounts.touchscreen import touchscreen_token
from controller.api.worker_thread import WorkerThread
from controller.service.user_roles import UserRole
from rules.errors import WallwrightError

LOGIN_LIFE = 7 * 24 * 3600.0
"""Seconds after which a user or the touchscreen has to log in again."""
MOST_USERS, MOST_KEYS = 100, 100
"""Users of a table; API tokens and paired devices of a table."""


class AccountRefusedError(WallwrightError):
    """An account request is refused; `code` names the reason for programs."""

    def __init__(self, code: str, sentence: str, next_step: str, wait: float = 0.0) -> None:
        super().__init__(f"{sentence} {next_step}")
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
        self.wait = wait
        """Seconds until the request may be repeated, if it is refused for some time."""


def utc_seconds() -> float:
    """Seconds since 1970 (UTC)."""
    return datetime.now(UTC).timestamp()


class Accounts:
    """Users, logins, API tokens and devices of one table. Create it with `open_accounts`."""

    def __init__(
        self,
        store: AccountStore,
        worker: WorkerThread,
        touchscreen: str,
        now: Callable[[], float],
        passwords: Passwords,
    ) -> None:
        self._store = store
        self._worker = worker
        self._touchscreen = touchscreen
        self._now = now
        self._passwords = passwords
        self._throttle = Throttle()
        self._one_time = OneTimeSecrets()
        self._users: dict[str, User] = {}
        self._book = CredentialBook(store, worker, now)

    async def load(self) -> None:
        """Read all accounts into memory, and delete what has expired."""
        self._users = {user.key: user for user in await self._worker.run(self._store.users)}
        await self._book.load()
        # A crash between the deletion of a user and of its logins must not revive them later.
        valid = self._book.valid()
        await self._book.end([each.id for each in valid if self._identity(each) is None])

    async def close(self) -> None:
        """Close the accounts' file and end the worker thread."""
        await self._worker.run(self._store.close)
        self._worker.close()

    # Authentication, from memory

    def identify(self, secret: str, address: str) -> Identity | None:
        """The identity of a secret from a cookie or a header; None if it is unknown or has expired.

        `address` is the client's: the touchscreen's secret is valid on this computer only.
        """
        credential = self._book.of_secret(secret)
        if credential is None or (credential.kind == "touchscreen" and not is_loopback(address)):
            return None
        return self._identity(credential, secret)

    def current(self, credential: str) -> Identity | None:
        """The present identity of a credential by its id, without CSRF token; None if it ended."""
        found = self._book.of_id(credential)
        return self._identity(found) if found is not None else None

    def _identity(self, credential: Credential, secret: str = "") -> Identity | None:
        """The identity of a valid credential; None for a login of a user who was deleted."""
        role = credential.role
        if credential.kind == "login":
            user = self._users.get(credential.name.casefold())
            if user is None:
                return None
            role = user.role
        csrf = csrf_token(secret) if secret and credential.kind != "token" else ""
        return Identity(credential.name, role, credential.id, credential.kind, csrf)

    # Logging in

    @property
    def has_technician(self) -> bool:
        """Whether a technician exists; otherwise the link of the first start makes one."""
        return any(user.role is UserRole.TECHNICIAN for user in self._users.values())

    def issue_first_start(self) -> str | None:
        """A new token for the link of the first start; None if a technician exists."""
        return None if self.has_technician else self._one_time.issue_first_start(self._now())

    async def first_start(
        self, token: str, name: str, password: str, address: str
    ) -> tuple[str, Identity]:
        """Make the first technician; returns the secret of the technician's login.

        Raises AccountRefusedError for a link that was used, has expired or is wrong.
        """
        self._check_throttle("", address)
        if self.has_technician or not self._one_time.is_first_start(token, self._now()):
            self._throttle.failed("", address, self._now())
            raise AccountRefusedError(
                "link_not_valid",
                "The link of the first start was used, has expired or is wrong.",
                "Restart the service: it prints a new link if no technician exists yet.",
            )
        # From here on a technician exists, so a second use of the link is refused.
        await self.add_user(name, UserRole.TECHNICIAN, password)
        return await self.login(name, password, address)

    async def login(self, name: str, password: str, address: str) -> tuple[str, Identity]:
        """Log in a user; returns the secret of the login. Raises AccountRefusedError."""
        self._check_throttle(name, address)
        user = self._users.get(name.casefold())
        # Counted before the hash is computed, so that parallel attempts count as well.
        self._throttle.failed(name, address, self._now())
        if not await self._worker.run(self._verify, user, password) or user is None:
            raise AccountRefusedError(
                "wrong_password",
                "The name or the password is wrong.",
                "Check both; a technician can set a new password.",
            )
        self._throttle.succeeded(name, address)
        return await self._issue("login", user.name, user.role, LOGIN_LIFE)

    async def pair(self, code: str, address: str) -> tuple[str, Identity]:
        """Log in a device with a pairing code, or the table's touchscreen with its token.

        Raises AccountRefusedError.
        """
        self._check_throttle("", address)
        if secrets.compare_digest(code.encode(), self._touchscreen.encode()):
            if not is_loopback(address):
                raise AccountRefusedError(
                    "not_the_touchscreen",
                    "The touchscreen's token is accepted on the table's own computer only.",
                    "Pair this device with a code from a technician.",
                )
            return await self._issue("touchscreen", "table", UserRole.TABLE, LOGIN_LIFE)
        pairing = self._one_time.use_code(code, self._now())
        if pairing is None:
            self._throttle.failed("", address, self._now())
            raise AccountRefusedError(
                "wrong_code",
                "The pairing code was used, has expired or is wrong.",
                "Ask a technician for a new code.",
            )
        return await self._issue("device", pairing.name, pairing.role, None)

    def _check_throttle(self, name: str, address: str) -> None:
        wait = self._throttle.locked_for(name, address, self._now())
        if wait > 0:
            raise AccountRefusedError(
                "locked",
                "Too many attempts have failed.",
                f"Wait {wait:.0f} s before the next attempt.",
                wait,
            )

    def _verify(self, user: User | None, password: str) -> bool:
        return self._passwords.verify(self._store.password(user) if user else "", password)

    # Users

    def users(self) -> list[User]:
        """All users by name."""
        return sorted(self._users.values(), key=lambda user: user.key)

    async def add_user(self, name: str, role: UserRole, password: str) -> User:
        """Add a user. Raises AccountRefusedError for a name that exists, and for too many users."""
        user = User(name, role, self._now())
        if user.key in self._users:
            raise AccountRefusedError(
                "user_exists", f"There is a user '{name}' already.", "Choose another name."
            )
        if len(self._users) >= MOST_USERS:
            raise _too_many(MOST_USERS, "users", "Delete a user first.")
        self._users[user.key] = user
        try:
            await self._worker.run(self._save, user, password)
        except BaseException:
            self._users.pop(user.key, None)
            raise
        return user

    async def change_user(
        self, name: str, role: UserRole | None = None, password: str | None = None
    ) -> User | None:
        """Change a user's role or password, and end the user's logins; None for an unknown user.

        Raises AccountRefusedError if no technician would be left.
        """
        user = self._users.get(name.casefold())
        if user is None:
            return None
        if role is not None and role is not UserRole.TECHNICIAN:
            self._keep_a_technician(user)
        changed = replace(user, role=role or user.role)
        self._users[user.key] = changed
        await self._worker.run(self._save, changed, password)
        await self._book.end([each.id for each in self._book.issued("login", user.name)])
        return changed

    async def delete_user(self, name: str) -> bool:
        """Delete a user and end the user's logins; False for an unknown user.

        Raises AccountRefusedError if no technician would be left.
        """
        user = self._users.get(name.casefold())
        if user is None:
            return False
        self._keep_a_technician(user)
        del self._users[user.key]
        await self._worker.run(self._store.delete_user, user)
        await self._book.end([each.id for each in self._book.issued("login", user.name)])
        return True

    async def change_password(
        self, identity: Identity, old: str, new: str, address: str
    ) -> tuple[str, Identity]:
        """Set a user's own password; ends all logins of the user and returns a new one."""
        if identity.kind != "login":
            raise AccountRefusedError(
                "no_password", "Only users have a password.", "Log in with a name and a password."
            )
        await self.login(identity.name, old, address)
        await self.change_user(identity.name, password=new)
        return await self.login(identity.name, new, address)

    def _save(self, user: User, password: str | None) -> None:
        self._store.save_user(user, self._passwords.hash(password) if password else None)

    def _keep_a_technician(self, user: User) -> None:
        others = (each for each in self._users.values() if each.key != user.key)
        if user.role is UserRole.TECHNICIAN and all(
            each.role is not UserRole.TECHNICIAN for each in others
        ):
            raise AccountRefusedError(
                "last_technician",
                f"'{user.name}' is the only technician.",
                "Make another technician first.",
            )

    # Credentials

    def credentials(self) -> list[Credential]:
        """All valid credentials, latest first."""
        return self._book.valid()

    async def add_token(self, name: str, role: UserRole, life: float | None) -> tuple[str, str]:
        """An API token for a machine and its id; `life` None is valid until it is revoked.

        Raises AccountRefusedError for too many tokens and devices.
        """
        self._check_keys()
        secret, credential = await self._book.issue("token", name, role, life)
        return secret, credential.id

    def add_pairing_code(self, name: str, role: UserRole) -> tuple[str, Pairing]:
        """A code with which a device can log in once, under a name and with a role.

        Raises AccountRefusedError for too many tokens and devices.
        """
        self._check_keys()
        return self._one_time.issue_code(name, role, self._now())

    def _check_keys(self) -> None:
        keys = [each for each in self._book.valid() if each.kind in ("token", "device")]
        if len(keys) >= MOST_KEYS:
            raise _too_many(MOST_KEYS, "tokens and paired devices", "Revoke one first.")

    async def revoke(self, credential: str) -> None:
        """End a credential by its id."""
        await self._book.end([credential])

    async def _issue(
        self, kind: CredentialKind, name: str, role: UserRole, life: float | None
    ) -> tuple[str, Identity]:
        secret, credential = await self._book.issue(kind, name, role, life)
        identity = Identity(name, role, credential.id, kind, csrf_token(secret))
        return secret, identity


def _too_many(most: int, what: str, next_step: str) -> AccountRefusedError:
    return AccountRefusedError("full", f"The table has {most} {what} already.", next_step)


async def open_accounts(
    folder: Path,
    now: Callable[[], float] = utc_seconds,
    passwords: Passwords | None = None,
) -> Accounts:
    """Open the accounts in a data directory. Raises AccountsFileError."""
    worker = WorkerThread("accounts")
    try:
        store = await worker.run(AccountStore, folder)
        touchscreen = await worker.run(touchscreen_token, folder)
        accounts = Accounts(store, worker, touchscreen, now, passwords or Passwords())
        await accounts.load()
    except BaseException:
        worker.close()
        raise
    return accounts
