"""Prepares the demonstration: its folder, free ports, and the server of its database.

authority/        the floor's certificate authority
broker/           the files of mosquitto
floor/            the data of the floor service
tables/t01/       settings and data of one table
postgresql/       the database, or floor.db
logs/             what each process prints

The database is PostgreSQL if its programs are installed, or else SQLite.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from pwd import getpwuid
from random import SystemRandom
from urllib.parse import quote

import yaml

from controller.floor.certificates.authority import CertificateAuthority, make_authority
from controller.floor.certificates.broker_files import BrokerPlace, write_broker_files
from controller.floor.certificates.certificate import CertificateIdentity, CertificateKind
from controller.floor.demo.child import ChildCommand, DemoError, wait_until
from controller.records.audit.notes import (
    COSIGNATURE,
    SIGNATURE,
    Purpose,
    SigningKey,
    new_key,
    read_key,
)


@dataclass(frozen=True)
class DemoTable:
    """One table: its name in topics, its title, the shipped table and the game played on it."""

    name: str
    title: str
    table: str
    game: str
    number: int


KINDS = (
    ("robotic", "wenzhou"),
    ("classic", "filipino"),
    ("pai_gow", "pai_gow"),
    ("single_port", "muggins"),
    ("auto_deal", "wenzhou"),
    ("robotic", "da_san"),
    ("classic", "block"),
    ("auto_deal", "threes"),
    ("single_port", "sebastopol"),
    ("pai_gow", "bergen"),
    ("robotic", "filipino"),
    ("classic", "wenzhou"),
)
"""Shipped tables with games that can be set up on them; the thirteenth table begins again."""


def demo_tables(count: int) -> Iterator[DemoTable]:
    """The first tables of the demonstration."""
    for number, (table, game) in enumerate(islice(cycle(KINDS), count), 1):
        yield DemoTable(f"t{number:02}", f"Table {number}", table, game, number)


FLOOR = "demo"
"""The name of the demonstration's floor."""
HOST = "127.0.0.1"
ROWS = 3
"""Tables in a column of the plan."""
REQUESTS = ["take_out_of_play", "put_in_play", "choose_next"]
"""Requests of the floor that the tables consider."""
BROKER = CertificateIdentity(CertificateKind.BROKER, "demo")
SERVER = CertificateIdentity(CertificateKind.SERVER, "demo")
DAYS = 398
"""Days for which the certificates are valid."""


class DemoFolder:
    """Makes the files of the demonstration, and keeps those that are there already.

    Raises CertificateError and AuditError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.logs = self.path / "logs"
        self.floor_data = self.path / "floor"
        self.broker = self.path / "broker"
        self.plan = self.path / "plan.yaml"

    def prepare(self, tables: Sequence[DemoTable], port: int) -> None:
        """Write all files; `port` is the broker's."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(0o711)  # PostgreSQL's user has to pass through.
        for folder in (self.logs, self.floor_data, self.path / "tables"):
            folder.mkdir(mode=0o700, exist_ok=True)
        key = self._key("requests.key", f"floor-{FLOOR}", SIGNATURE)
        witness = self._key("witness.key", f"floor-{FLOOR}/witness", COSIGNATURE)
        authority = self._authority()
        self._certificate(authority, BROKER)
        self._certificate(authority, SERVER)
        for table in tables:
            own = self._certificate(authority, _identity(table))
            self._write_settings(table, own, port, key, witness)
        self._write_plan(tables)
        place = BrokerPlace(self.broker, port, getpwuid(os.geteuid()).pw_name)
        write_broker_files(authority, BROKER, self.broker, place)

    def _write_plan(self, tables: Sequence[DemoTable]) -> None:
        places = {table.name: list(divmod(table.number - 1, ROWS)) for table in tables}
        self.plan.write_text(yaml.safe_dump({"tables": places}), "utf-8")

    def certificate(self, identity: CertificateIdentity) -> tuple[Path, Path, Path]:
        """The files ca, cert and key of an identity."""
        own = CertificateAuthority(self.path / "authority").newest_folder(identity)
        return own / "ca.pem", own / "certificate.pem", own / "key.pem"

    def settings(self, table: DemoTable) -> Path:
        """The file with which the table joins the floor."""
        return self.path / "tables" / f"{table.name}.yaml"

    def data(self, table: DemoTable) -> Path:
        """The data folder of a table."""
        return self.path / "tables" / table.name

    def _key(self, file_name: str, name: str, purpose: Purpose) -> SigningKey:
        file = self.floor_data / file_name
        return read_key(file) if file.exists() else new_key(file, name, purpose)

    def _authority(self) -> CertificateAuthority:
        folder = self.path / "authority"
        if (folder / "ca.pem").exists():
            return CertificateAuthority(folder)
        return make_authority(folder, FLOOR, datetime.now(UTC))

    def _certificate(self, authority: CertificateAuthority, identity: CertificateIdentity) -> Path:
        now = datetime.now(UTC)
        if not any(one.identity == identity and one.is_valid(now) for one in authority.issued()):
            hosts = [HOST, "localhost"] if identity.kind.has_hosts else []
            return authority.issue(identity, hosts, DAYS, now)
        return authority.newest_folder(identity)

    def _write_settings(
        self, table: DemoTable, own: Path, port: int, key: SigningKey, witness: SigningKey
    ) -> None:
        settings = {
            "floor": FLOOR,
            "table": table.name,
            "title": table.title,
            "broker": {
                "host": HOST,
                "port": port,
                "ca": str(own / "ca.pem"),
                "cert": str(own / "certificate.pem"),
                "key": str(own / "key.pem"),
            },
            "discovery": True,
            "requests": [{"key": str(key.public), "role": "attendant", "may": REQUESTS}],
            "witness": str(witness.public),
        }
        self.settings(table).write_text(yaml.safe_dump(settings, sort_keys=False), "utf-8")


def _identity(table: DemoTable) -> CertificateIdentity:
    return CertificateIdentity(CertificateKind.TABLE, table.name)


FIRST_PORT = 10_000
"""The lowest port that is tried; services with well-known ports are mostly below it."""
LINUX_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""Linux's file with the first and last port of the range for the system's own choice."""
USUAL_RANGE = 32_768
"""The begin of that range, if the file does not say it."""
PORT_TRIALS = 100
"""Ports that are tried before the system chooses."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free now, below the range for the system's own choice.

    The system gives the ports of that range to connections. While a server restarts, a connection
    could take its port, or a client that tries to reach it could even be connected to itself. A
    port of that range is returned only if no port below it is free. Raises OSError if none is free.
    """
    end = _first_of_systems_choice()
    candidates = range(FIRST_PORT, end)
    random = SystemRandom()
    for port in random.sample(candidates, min(PORT_TRIALS, len(candidates))):
        try:
            return _bound(port)
        except OSError:
            continue
    return _bound(0)


def _bound(port: int) -> int:
    """The port that a socket could be bound to; for 0 the system chooses it."""
    with socket.socket() as listener:
        listener.bind((HOST, port))
        bound: int = listener.getsockname()[1]
        return bound


def _first_of_systems_choice() -> int:
    try:
        return int(LINUX_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return USUAL_RANGE


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
