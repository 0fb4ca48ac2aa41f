"""The folder of the demonstration: certificates, settings of tables, data and messages.

authority/        the floor's certificate authority
broker/           the files of mosquitto
floor/            the data of the floor service
tables/t01/       settings and data of one table
postgresql/       the database, or floor.db
logs/             what each process prints
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from pwd import getpwuid
from random import SystemRandom

import yaml

from controller.floor.certificates.authority import CertificateAuthority, make_authority
from controller.floor.certificates.broker_files import BrokerPlace, write_broker_files
from controller.floor.certificates.identity import CertificateIdentity, CertificateKind
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
