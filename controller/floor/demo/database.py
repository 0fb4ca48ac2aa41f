"""The demonstration's database: PostgreSQL if its programs are installed, or else SQLite."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from controller.floor.demo.child import ChildCommand, DemoError, wait_until

PLACES = Path("/usr/lib/postgresql")
"""Debian's folder of PostgreSQL's programs, which are not in PATH."""
SYSTEM_USER = "postgres"
"""The user of Debian's package. PostgreSQL refuses to run as root."""
ROLE, DATABASE = "floor", "floor"
PREPARING = 60.0
"""Seconds in which one of PostgreSQL's programs has to end."""


@dataclass(frozen=True)
class DemoDatabase:
    """The URL of the database, without its password; the command of its server, if it has one."""

    url: str
    sentence: str
    server: ChildCommand | None = None
    programs: Path | None = None
    port: int = 0


def postgresql_programs(places: Path = PLACES) -> Path | None:
    """The folder with PostgreSQL's newest programs; None if they are not installed."""
    found = sorted(
        (path.parent for path in places.glob("*/bin/initdb")),
        key=lambda folder: float(folder.parent.name),
    )
    if found:
        return found[-1]
    inside_path = shutil.which("initdb")
    return None if inside_path is None else Path(inside_path).resolve().parent


async def prepare_database(folder: Path, port: int, kind: str | None) -> DemoDatabase:
    """Make the database, or use the one that is in the folder. Raises DemoError.

    `kind` is postgresql, sqlite, or None for the first that is installed.
    """
    programs = postgresql_programs()
    if kind == "postgresql" and programs is None:
        raise DemoError(
            "PostgreSQL is not installed; install it (on Debian: sudo apt install postgresql), or"
            " give `--database sqlite`."
        )
    if kind == "sqlite" or programs is None:
        why = "" if kind else " PostgreSQL is not installed (on Debian: apt install postgresql)."
        file = folder / "floor.db"
        return DemoDatabase(f"sqlite:///{file}", f"The database is SQLite: {file}.{why}")
    user = SYSTEM_USER if os.geteuid() == 0 else None
    place = folder / "postgresql"
    await _make_cluster(folder, place, programs, user)
    server = ChildCommand(
        "database server",
        (
            *(str(programs / "postgres"), "-D", str(place / "data")),
            *("-c", f"port={port}", "-c", "listen_addresses=127.0.0.1"),
            *("-c", "unix_socket_directories="),
        ),
        folder / "logs" / "postgresql.log",
        place,
        user=user,
        stop_signal=signal.SIGINT,
    )
    passwords = quote(str(folder / "pgpass"))
    url = f"postgresql://{ROLE}@127.0.0.1:{port}/{DATABASE}?passfile={passwords}"
    return DemoDatabase(
        url, f"The database is PostgreSQL {programs.parent.name}.", server, programs, port
    )


async def wait_for_database(database: DemoDatabase, raise_failure: Callable[[], None]) -> None:
    """Wait until the server accepts connections, and make the database. Raises DemoError.

    `raise_failure` raises the error of a server that has ended.
    """
    if database.server is None or database.programs is None:
        return
    programs = database.programs
    place = ("-h", "127.0.0.1", "-p", str(database.port), "-U", ROLE)

    async def answers() -> bool:
        raise_failure()
        return await _ended((str(programs / "pg_isready"), "-q", *place)) == 0

    await wait_until(answers, database.server, "answer")
    mark = database.server.folder / "made"
    if not mark.exists():
        command = (str(programs / "createdb"), "-w", *place, DATABASE)
        environment = {"PGPASSFILE": str(database.server.folder.parent / "pgpass")}
        if await _ended(command, environment=environment) != 0:
            raise DemoError(f"The database cannot be made; see {database.server.log}.")
        mark.touch()


async def _make_cluster(folder: Path, place: Path, programs: Path, user: str | None) -> None:
    """Make the files of a new server with a password for its only role."""
    if (place / "data" / "PG_VERSION").exists():
        return
    given = _write_password(folder, place, user)
    log = folder / "logs" / "initdb.log"
    command = (
        *(str(programs / "initdb"), "-D", str(place / "data"), "-U", ROLE, "-E", "UTF8"),
        *("--locale=C.UTF-8", "-A", "scram-sha-256", f"--pwfile={given}"),
    )
    try:
        code = await _ended(command, user=user, log=log, folder=place)
    finally:
        given.unlink(missing_ok=True)
    if code != 0:
        raise DemoError(
            f"PostgreSQL's files cannot be made in {place}; see {log}. The user {user or 'you'}"
            " needs access to the folder and those above it; or give `--database sqlite`."
        )


def _write_password(folder: Path, place: Path, user: str | None) -> Path:
    """Draw a password; write it for this program's clients, and return the file for `initdb`."""
    place.mkdir(mode=0o700, exist_ok=True)
    password = secrets.token_hex(16)
    # The port of the server changes with each start; the password is for this folder only.
    _write_secret(folder / "pgpass", f"*:*:*:{ROLE}:{password}\n")
    given = place / "password"
    _write_secret(given, password)
    if user is not None:
        shutil.chown(place, user, user)
        shutil.chown(given, user, user)
    return given


def _write_secret(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)


async def _ended(
    command: tuple[str, ...],
    *,
    user: str | None = None,
    log: Path | None = None,
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
) -> int:
    """Run a program to its end, for `PREPARING` seconds at most; returns its exit code."""
    with (log or Path(os.devnull)).open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    try:
        async with asyncio.timeout(PREPARING):
            return await process.wait()
    except TimeoutError:
        process.kill()
        return await process.wait()
