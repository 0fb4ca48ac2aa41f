"""The settings with which a table joins a floor: a YAML file.

floor: main
table: t07
title: Table 7
broker:
  host: broker.club
  ca: /etc/wallwright/floor/ca.pem
  cert: /etc/wallwright/floor/t07.pem
  key: /etc/wallwright/floor/t07.key
requests:
  - key: pit+1a2b3c4d+AbC...
    role: attendant
    may: [take_out_of_play, put_in_play]
witness: floor-main/witness+5e6f7a8b+BAb...
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from config.errors import Finding, located
from config.loader import load_settings, read
from controller.floor.broker import PORT, TLS_PORT, Broker, TlsFiles
from controller.floor.messages import NAME, TableAddress
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes import COSIGNATURE, VerifierKey

RequestName = Literal["take_out_of_play", "put_in_play", "choose_next"]
"""Requests that a floor can be permitted. None of them moves anything by itself."""
_Name = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class BrokerSettings(_Settings):
    """Where the broker is, and the certificates. Without them only this computer is connected."""

    host: Annotated[str, Field(min_length=1, max_length=253)]
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    ca: str = ""
    cert: str = ""
    key: str = ""
    keepalive: Annotated[int, Field(ge=5, le=600)] = 15


class RequestKeySettings(_Settings):
    """A key of the floor: the requests that the table accepts from it, and their role."""

    key: str
    role: Literal["player", "dealer", "attendant"] = "attendant"
    may: tuple[RequestName, ...]


class FloorFile(_Settings):
    """The whole file."""

    floor: _Name
    table: _Name
    title: Annotated[str, Field(max_length=80)] = ""
    broker: BrokerSettings
    discovery: bool = False
    requests: tuple[RequestKeySettings, ...] = ()
    witness: str = ""


@dataclass(frozen=True)
class RequestKey:
    """A key of the floor, and what the table permits it to request."""

    key: VerifierKey
    role: str
    may: frozenset[str]


@dataclass(frozen=True)
class FloorSettings:
    """How a table joins a floor. With `discovery` it also publishes for Home Assistant.

    `witness` is the key with which the floor cosigns heads of the audit log; None for none.
    """

    address: TableAddress
    title: str
    broker: Broker
    discovery: bool = False
    keys: tuple[RequestKey, ...] = ()
    witness: VerifierKey | None = None


def load_floor_settings(path: Path) -> FloorSettings:
    """Load and check a file. Raises ConfigErrors with every defect's line."""
    file = load_settings(path, FloorFile)
    given = file.broker
    defects: list[Finding] = []
    files = (given.ca, given.cert, given.key)
    if any(files) and not all(files):
        wrong = "has only a part of the certificate's files"
        defects.append(Finding(("broker",), wrong, "Give ca, cert and key, or none of them."))
    elif not any(files) and not _is_this_computer(given.host):
        wrong = f"names another computer ({given.host!r}) without certificates"
        cure = "Give ca, cert and key; `wallwright floor ca` issues them."
        defects.append(Finding(("broker", "host"), wrong, cure))
    keys: list[RequestKey] = []
    for number, each in enumerate(file.requests):
        try:
            keys.append(RequestKey(VerifierKey.parsed(each.key), each.role, frozenset(each.may)))
        except RefusedProofError as error:
            wrong = f"is not a public key ({error})"
            cure = "Copy the line that `wallwright floor serve` prints."
            defects.append(Finding(("requests", number, "key"), wrong, cure))
    if len({each.key.name for each in keys}) != len(keys):
        wrong, cure = "has two keys of the same name", "Give each key a name of its own."
        defects.append(Finding(("requests",), wrong, cure))
    witness = None
    if file.witness:
        try:
            witness = _witness_key(file.witness)
        except RefusedProofError as error:
            wrong = f"is not a public key of a witness ({error})"
            cure = "Copy the line that `wallwright floor serve` prints, or leave `witness` out."
            defects.append(Finding(("witness",), wrong, cure))
    if defects:
        document = read(path)
        raise located(document.file, document.lines, defects)
    tls = None
    if all(files):
        tls = TlsFiles(*(path.parent / name for name in files))
    port = given.port or (TLS_PORT if tls else PORT)
    broker = Broker(given.host, port, tls, given.keepalive)
    address = TableAddress(file.floor, file.table)
    title = file.title or file.table
    return FloorSettings(address, title, broker, file.discovery, tuple(keys), witness)


def _witness_key(text: str) -> VerifierKey:
    """Parse the key of a witness. Raises RefusedProofError."""
    key = VerifierKey.parsed(text)
    if key.purpose != COSIGNATURE:
        raise RefusedProofError(
            f"{key.name} is a key for signatures; a witness needs a key for cosignatures."
        )
    return key


def _is_this_computer(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
