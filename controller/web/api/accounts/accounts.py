"""The accounts of a table: users, their roles, and the rights of each credential.

Requests are authenticated from memory, without waiting. Changes are written to the accounts' file
first and apply when they are on disk.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import (
    AccountRefusedError,
    Credential,
    Identity,
    User,
    csrf_token,
    defect_of_name,
    is_loopback,
    key_of,
    looks_like,
)
from controller.web.api.accounts.login_secrets import (
    PAIRING_LIFE,
    OneTimeSecrets,
    Pairing,
    Passwords,
)
from controller.web.api.accounts.store import (
    AccountStore,
    CredentialBook,
    Wanted,
    touchscreen_token,
)
from controller.web.api.accounts.throttle import Attempts, KnownBrowsers
from controller.web.api.worker_thread import WorkerThread

LOGIN_LIFE = 7 * 24 * 3600.0
"""Seconds after which a user or the touchscreen has to log in again."""
MOST_USERS, MOST_KEYS = 100, 100
"""Users of a table; API tokens and paired devices of a table."""


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
        elapsed: Callable[[], float],
    ) -> None:
        self._store = store
        self._worker = worker
        self._touchscreen = touchscreen
        self._now = now
        self._elapsed = elapsed
        """Seconds of a clock that cannot be set, for lock-outs and expiry."""
        self._changing = asyncio.Lock()
        """Held while users change, so that two changes cannot both leave a last technician."""
        self._passwords = passwords
        self._known = KnownBrowsers(touchscreen.encode())
        self._attempts = Attempts(elapsed, self._known)
        self._one_time = OneTimeSecrets()
        self._users: dict[str, User] = {}
        self._book = CredentialBook(store, worker, now, elapsed)

    async def load(self) -> None:
        """Read all accounts into memory, and delete what has expired."""
        self._users = {user.key: user for user in await self._worker.run(self._store.users)}
        await self._book.load()
        # A crash between the deletion of a user and of its logins must not revive them later.
        valid = self._book.valid()
        await self._book.end([each.id for each in valid if self._identity(each) is None])

    async def close(self) -> None:
        """Close the accounts' file and end the worker thread."""
        try:
            await self._book.close()
            await self._worker.run(self._store.close)
        finally:
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
        """The identity of a valid credential; None if its user or its maker has lost the rights."""
        role = credential.role
        if credential.kind == "login":
            user = self._users.get(credential.name.casefold())
            if user is None:
                return None
            role = user.role
        elif credential.maker and not self._is_technician(credential.maker):
            return None
        csrf = csrf_token(secret) if secret and credential.kind != "token" else ""
        return Identity(
            credential.name, role, credential.id, credential.kind, csrf, credential.maker
        )

    def _is_technician(self, key: str) -> bool:
        user = self._users.get(key)
        return user is not None and user.role is UserRole.TECHNICIAN

    # Logging in

    @property
    def has_technician(self) -> bool:
        """Whether a technician exists; otherwise the link of the first start makes one."""
        return any(user.role is UserRole.TECHNICIAN for user in self._users.values())

    def issue_first_start(self) -> str | None:
        """A new token for the link of the first start; None if a technician exists."""
        return None if self.has_technician else self._one_time.issue_first_start(self._elapsed())

    def is_first_start(self, token: str) -> bool:
        """Whether a token is that of the first start's link, and can be used."""
        return not self.has_technician and self._one_time.is_first_start(token, self._elapsed())

    async def first_start(
        self, token: str, name: str, password: str, address: str
    ) -> tuple[str, Identity]:
        """Make the first technician; returns the secret of the technician's login.

        Raises AccountRefusedError for a link that was used, has expired or is wrong.
        """
        attempt = await self._attempts.begin("", address)
        if not self.is_first_start(token):
            self._attempts.failed(attempt)
            raise AccountRefusedError(
                "link_not_valid",
                "The link of the first start was used, has expired or is wrong.",
                "Restart the service: it prints a new link if no technician exists yet.",
            )
        # From here on a technician exists, so a second use of the link is refused.
        await self.add_user(name, UserRole.TECHNICIAN, password)
        return await self.login(name, password, address)

    async def login(
        self, name: str, password: str, address: str, marks: str = ""
    ) -> tuple[str, Identity]:
        """Log in a user; returns the secret of the login. Raises AccountRefusedError.

        `marks` are those of the browser: see `KnownBrowsers`.
        """
        user, verified = await self._verified(name, password, address, marks)
        wanted = Wanted("login", user.name, user.role, LOGIN_LIFE, user.key, verified)
        issued = await self._issue(wanted)
        if issued is None:
            # The password was changed, or the user deleted, while it was verified.
            raise _wrong_password()
        return issued

    async def check_password(
        self, identity: Identity, password: str, address: str, marks: str = ""
    ) -> str:
        """The hash of a user's own password. Raises AccountRefusedError if it is wrong."""
        if identity.kind != "login":
            raise AccountRefusedError(
                "no_password", "Only users have a password.", "Log in with a name and a password."
            )
        return (await self._verified(identity.name, password, address, marks))[1]

    async def change_password(
        self, identity: Identity, before: str, new: str
    ) -> tuple[str, Identity]:
        """Set a user's own password, unless its hash is not `before` any more.

        Ends all logins of the user and returns a new one. Raises AccountRefusedError.
        """
        user = await self.change_user(identity.name, password=new, before=before)
        if user is None:
            raise _wrong_password()
        verified = await self._worker.run(self._verify, user, new)
        wanted = Wanted("login", user.name, user.role, LOGIN_LIFE, user.key, verified)
        return _present(await self._issue(wanted))

    async def _verified(
        self, name: str, password: str, address: str, marks: str
    ) -> tuple[User, str]:
        """The user with this password, and its hash. Raises AccountRefusedError."""
        attempt = await self._attempts.begin(name, address, marks)
        user = self._user(name)
        # Counted before the hash is computed, so that parallel attempts count as well.
        self._attempts.failed(attempt)
        verified = await self._worker.run(self._verify, user, password)
        if not verified or user is None:
            raise _wrong_password()
        self._attempts.succeeded(attempt)
        self._attempts.log_in(user.key)
        return user, verified

    def is_user(self, name: str) -> bool:
        """Whether a user has this name; other names that a login gives can be a password."""
        return self._user(name) is not None

    def _user(self, name: str) -> User | None:
        return self._users.get(name.casefold()) or self._users.get(key_of(name))

    def marked(self, marks: str, identity: Identity) -> str:
        """The marks of a browser in which a user has logged in: see `KnownBrowsers`."""
        if identity.kind == "login":
            return self._known.marked(marks, key_of(identity.name))
        return self._known.marked(marks, "") if identity.kind == "touchscreen" else marks

    async def pair(self, code: str, address: str, marks: str = "") -> tuple[str, Identity]:
        """Log in a device with a pairing code, or the table's touchscreen with its token.

        Raises AccountRefusedError.
        """
        if secrets.compare_digest(code.encode(), self._touchscreen.encode()):
            if not is_loopback(address):
                raise AccountRefusedError(
                    "not_the_touchscreen",
                    "The touchscreen's token is accepted on the table's own computer only.",
                    "Pair this device with a code from a technician.",
                )
            self._attempts.log_in("the touchscreen")
            wanted = Wanted("touchscreen", "table", UserRole.TABLE, LOGIN_LIFE)
            return _present(await self._issue(wanted))
        attempt = await self._attempts.begin("", address, marks)
        pairing = self._one_time.use_code(code, self._elapsed())
        if pairing is None or (pairing.maker and not self._is_technician(pairing.maker)):
            self._attempts.failed(attempt)
            raise AccountRefusedError(
                "wrong_code",
                "The pairing code was used, has expired or is wrong.",
                "Ask a technician for a new code.",
            )
        wanted = Wanted("device", pairing.name, pairing.role, None, pairing.maker)
        return _present(await self._issue(wanted))

    def _verify(self, user: User | None, password: str) -> str:
        """The hash that a password matches; empty if it is wrong."""
        stored = self._store.password(user) if user else ""
        return stored if self._passwords.verify(stored, password) else ""

    # Users

    def users(self) -> list[User]:
        """All users by name."""
        return sorted(self._users.values(), key=lambda user: user.key)

    async def add_user(self, name: str, role: UserRole, password: str) -> User:
        """Add a user. Raises AccountRefusedError for a name that exists, and for too many users."""
        user = User(name, role, self._now())
        wrong = defect_of_name(name)
        if wrong is not None:
            raise AccountRefusedError("user_name", wrong, "Choose another name.")
        if user.key in self._users:
            raise AccountRefusedError(
                "user_exists", f"There is a user '{name}' already.", "Choose another name."
            )
        for other in self._users.values():
            if looks_like(other.name, name):
                raise AccountRefusedError(
                    "user_name",
                    f"The name looks like that of the user '{other.name}'.",
                    "Choose another name.",
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
        self,
        name: str,
        role: UserRole | None = None,
        password: str | None = None,
        before: str | None = None,
    ) -> User | None:
        """Change a user's role or password, and end the user's logins; None for an unknown user.

        With `before`, also None if the hash of the user's password is another one. Raises
        AccountRefusedError if no technician would be left.
        """
        async with self._changing:
            user = self._user(name)
            if user is None:
                return None
            if role is not None and role is not UserRole.TECHNICIAN:
                self._keep_a_technician(user)
            changed = replace(user, role=role or user.role)
            if not await self._worker.run(self._save, changed, password, before):
                return None
            self._users[user.key] = changed
            self._ended(changed, made=changed.role is not UserRole.TECHNICIAN)
            return changed

    async def delete_user(self, name: str) -> bool:
        """Delete a user, the user's logins and all that the user has made; False if unknown.

        Raises AccountRefusedError if no technician would be left.
        """
        async with self._changing:
            user = self._user(name)
            if user is None:
                return False
            self._keep_a_technician(user)
            await self._worker.run(self._store.delete_user, user)
            del self._users[user.key]
            self._ended(user, made=True)
            return True

    def _ended(self, user: User, *, made: bool) -> None:
        """Forget what the accounts' file has deleted with a change of a user."""
        self._book.forget(user.key, user.name, made=made)
        if made:
            self._one_time.end_codes_of(user.key)

    def _save(self, user: User, password: str | None, before: str | None = None) -> bool:
        hashed = self._passwords.hash(password) if password else None
        return self._store.save_user(user, hashed, before)

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

    async def add_token(
        self, name: str, role: UserRole, life: float | None, maker: str = ""
    ) -> tuple[str, str]:
        """An API token for a machine and its id; `life` None is valid until it is revoked.

        `maker` is the key of the technician by whose rights it is made; it ends with these rights.

        Raises AccountRefusedError for too many tokens and devices.
        """
        self._check_keys()
        secret, identity = _present(await self._issue(Wanted("token", name, role, life, maker)))
        return secret, identity.credential

    def add_pairing_code(self, name: str, role: UserRole, maker: str = "") -> tuple[str, Pairing]:
        """A code with which a device can log in once, under a name and with a role.

        `expires` of the result is in seconds since 1970 (UTC), for people; the code itself ends by
        a clock that cannot be set. Raises AccountRefusedError for too many tokens and devices.
        """
        self._check_keys()
        code, made = self._one_time.issue_code(name, role, self._elapsed(), maker)
        return code, replace(made, expires=self._now() + PAIRING_LIFE)

    def _check_keys(self) -> None:
        keys = [each for each in self._book.valid() if each.kind in ("token", "device")]
        if len(keys) >= MOST_KEYS:
            raise _too_many(MOST_KEYS, "tokens and paired devices", "Revoke one first.")

    async def revoke(self, credential: str) -> None:
        """End a credential by its id."""
        await self._book.end([credential])

    async def _issue(self, wanted: Wanted) -> tuple[str, Identity] | None:
        """A new credential; None if its maker has changed meanwhile."""
        issued = await self._book.issue(wanted)
        if issued is None:
            return None
        secret, made = issued
        csrf = csrf_token(secret)
        return secret, Identity(made.name, made.role, made.id, made.kind, csrf, made.maker)


def _present(issued: tuple[str, Identity] | None) -> tuple[str, Identity]:
    if issued is None:
        raise AccountRefusedError(
            "maker_gone",
            "The person who made this code is no longer a technician.",
            "Ask another technician.",
        )
    return issued


def _wrong_password() -> AccountRefusedError:
    return AccountRefusedError(
        "wrong_password",
        "The name or the password is wrong.",
        "Check both; a technician can set a new password.",
    )


def _too_many(most: int, what: str, next_step: str) -> AccountRefusedError:
    return AccountRefusedError("full", f"The table has {most} {what} already.", next_step)


async def open_accounts(
    folder: Path,
    now: Callable[[], float] = utc_seconds,
    passwords: Passwords | None = None,
    elapsed: Callable[[], float] | None = None,
) -> Accounts:
    """Open the accounts in a data directory. Raises AccountsFileError.

    `now` returns seconds since 1970 (UTC), `elapsed` those of a clock that cannot be set.
    """
    elapsed = elapsed or asyncio.get_running_loop().time
    worker = WorkerThread("accounts")
    try:
        store = await worker.run(AccountStore, folder)
        touchscreen = await worker.run(touchscreen_token, folder)
        accounts = Accounts(store, worker, touchscreen, now, passwords or Passwords(), elapsed)
        await accounts.load()
    except BaseException:
        worker.close()
        raise
    return accounts
